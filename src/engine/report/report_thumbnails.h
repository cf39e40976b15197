// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures of pairs in an HTML page, as data in the page itself. Where they come from is the
// caller's matter (VmafGpuRun.thumbnails); which pairs they show is the page's (report_html.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "report/report_file.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class Thumbnails {
public:
    /// None.
    Thumbnails() = default;
    /// Asks for the pictures of these pairs, in any order and each as often as it comes.
    Thumbnails(const VmafGpuRun &run, std::vector<int64_t> pairs);

    /// The pictures of these pairs, in this order; nothing if there are none.
    void write(const std::vector<int64_t> &pairs,
               const std::function<std::string(int64_t)> &caption_of, ReportFile &file) const;
    /// The caller's sentence; nothing if there is none.
    void write_note(ReportFile &file) const;

private:
    std::map<int64_t, std::string> pictures_; ///< of each pair that has one, as HTML
    std::string note_;
};

} // namespace vmafgpu
