// SPDX-License-Identifier: BSD-2-Clause-Patent
// Logs in libvmaf's four formats and as a page, written to a temporary file and renamed.
#pragma once

#include "history.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// Text of one score; see vmafgpu_format_score().
std::string format_score(double value, int precision);

struct ReportInput {
    const History &history;
    int width, height; ///< luma samples, for the XML head
    const VmafGpuLog &log;
    std::vector<size_t> model_columns = {}; ///< of the history, for the page
    const VmafGpuDevice *device = nullptr;  ///< what computed the scores, for the page
};

/// Throws Error: EINVAL (unknown format, precision), or the errno of what
/// failed, naming the path.
void write_report(const ReportInput &input);

} // namespace vmafgpu
