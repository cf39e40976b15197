// SPDX-License-Identifier: BSD-2-Clause-Patent
// R'G'B' to Y'CbCr, in integers: docs/python.md has the formula.
#pragma once

#include <nanobind/nanobind.h>

namespace vmafgpu_python {

void bind_rgb(nanobind::module_ &module);

} // namespace vmafgpu_python
