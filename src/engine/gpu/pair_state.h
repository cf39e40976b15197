// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures and pairs in flight on a device, as the parts of a DeviceExecutor see them.
#pragma once

#include "device/device.h"
#include "picture/picture.h"
#include "picture/sketch.h"
#include "plan/executor.h"

namespace vmafgpu {

class BatchRunner;
class HostSide;
struct ResultBlock;
struct Upload;
class Uploader;

/// A picture that host features read.
struct HostPicture {
    bool is_ready() const { return downloaded == nullptr || downloaded->done(); }

    std::shared_ptr<HeldPicture> held; ///< the caller's, or a downloaded one; null: not asked for
    Event *downloaded = nullptr;       ///< null: the caller's
};

/// A picture on its way to device memory, and there. It waits in an upload batch, its upload is
/// issued, and then it is ready; never back. The Uploader does all that.
struct DeviceImage : TakenImage {
    explicit DeviceImage(Uploader &taker) : uploader(taker) {}
    ~DeviceImage() override; ///< gives its memory back

    Uploader &uploader;
    char *planes = nullptr;                ///< device; owned. Null: borrowed
    std::shared_ptr<HeldPicture> borrowed; ///< read where the caller has it; or null
    Upload *upload = nullptr;              ///< null: it is ready
    HostPicture on_host;                   ///< the host's copy; only with host features
    uint8_t
        sketch[kSketchBytes]; ///< means of blocks once it is ready, if the engine wants sketches
};

/// Progress of the host features of one pair.
struct HostPart {
    bool is_needed = false;
    bool is_begun = false;
    bool is_done = false;    ///< the device has finished, and the host has seen that
    HostPicture pictures[2]; ///< pictures until host features begin
    Job job;                 ///< the pair as the CpuExecutor's job
};

struct PairState : JobState {
    PairState(BatchRunner &runner, HostSide &host_side) : batches(runner), features(host_side) {}
    ~PairState() override; ///< the runner and the host side forget the pair

    BatchRunner &batches;
    HostSide &features;
    /// Images until the results are taken: reference, distorted; then earlier references or null.
    std::shared_ptr<DeviceImage> images[2 + kMaxHistory];
    bool is_kept = true;
    ResultBlock *block = nullptr; ///< null before the launch and after results are taken
    int place = 0;                ///< within the batch
    bool is_taken = false;        ///< the results are in the job's Sums
    HostPart host;
};

} // namespace vmafgpu
