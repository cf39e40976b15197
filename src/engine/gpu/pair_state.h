// SPDX-License-Identifier: BSD-2-Clause-Patent
// A pair in flight on a device, as the parts of a DeviceExecutor see it.
#pragma once

#include "base/picture.h"
#include "gpu/image.h"

namespace vmafgpu {

class BatchRunner;
class HostSide;
struct ResultBlock;

/// Of a pair: what host features do with it.
struct HostPart {
    bool is_needed = false;
    bool begins_segment = false;
    bool is_begun = false;
    bool is_done = false;    ///< and this has been seen
    HostPicture pictures[2]; ///< until host features begin
    Job job;                 ///< of the CpuExecutor
};

struct PairState : JobState {
    PairState(BatchRunner &runner, HostSide &host_side) : batches(runner), features(host_side) {}
    ~PairState() override; ///< both forget it

    BatchRunner &batches;
    HostSide &features;
    /// Until the results are taken. Reference, distorted; then earlier references or null.
    std::shared_ptr<DeviceImage> images[2 + kMaxHistory];
    bool is_kept = true;
    ResultBlock *block = nullptr; ///< null before the launch and after results are taken
    int place = 0;                ///< within the batch
    bool is_taken = false;        ///< the results are in the job's Sums
    HostPart host;
};

} // namespace vmafgpu
