// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page that compares several logs: curves over each other, pooled values, scores over
// rates. report_html.cpp makes the page of a single run.
#pragma once

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// See vmafgpu_write_report(). Throws Error.
void write_comparison(const VmafGpuReport &report);

} // namespace vmafgpu
