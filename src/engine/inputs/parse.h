// SPDX-License-Identifier: BSD-2-Clause-Patent
// An input from text.
#pragma once

#include <string_view>

#include "inputs/inputs.h"

namespace vmafgpu {

/// See vmafgpu_input_parse(). Throws Error(EINVAL) at a field that is not known or has no such
/// value.
void parse_input(VmafGpuInput &input, std::string_view text);

} // namespace vmafgpu
