// SPDX-License-Identifier: BSD-2-Clause-Patent
// The log callback of a context, as engine code sees it. It is called only on threads that are
// inside a public call.
#pragma once

#include <functional>
#include <string>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class Log {
public:
    using Sink = std::function<void(int level, const std::string &text)>;

    Log() = default;
    Log(Sink sink, int max_level) : sink_(std::move(sink)), max_level_(max_level) {}

    void operator()(VmafGpuLogLevel level, const std::string &text) const
    {
        if (sink_ && level <= max_level_)
            sink_(level, text);
    }

private:
    Sink sink_;
    int max_level_ = VMAFGPU_LOG_INFO;
};

} // namespace vmafgpu
