// SPDX-License-Identifier: BSD-2-Clause-Patent
// The places of runs that have begun in this process and have not come to the end of their inputs.
// See vmafgpu_run_enter().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "report/stopped_log.h"
#include "vmaf_gpu/run.h"

namespace vmafgpu {

/// What a run leaves that was stopped.
struct StoppedRun {
    std::array<VmafGpuInput, 2> source = {}; ///< the inputs of its place
    int64_t pairs = 0;                       ///< that were scored
    std::array<int64_t, 2> lost = {};        ///< frames that came and are in no pair
    std::array<double, 2> last = {};         ///< time of the last frame that came, in seconds
    std::optional<StoppedLog> log;           ///< that may have to be marked
    std::string log_path;
};

/// Throws Error(EINVAL) if a run of that place has not ended; marks its log.
void enter_place(const VmafGpuPlace &place);
void forget_places();

/// Without a place, or its name, nothing happens.
void begin_in_place(const VmafGpuPlace *place);
void stop_in_place(const VmafGpuPlace *place, StoppedRun run);
void end_in_place(const VmafGpuPlace *place);

} // namespace vmafgpu
