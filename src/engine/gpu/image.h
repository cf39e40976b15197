// SPDX-License-Identifier: BSD-2-Clause-Patent
// A picture on its way to device memory, and there. It waits in a gather, its upload is issued, and
// then it is ready; never back. uploader.h does all that.
#pragma once

#include "base/sketch.h"
#include "core/executor.h"
#include "device/device.h"

namespace vmafgpu {

struct Upload;
class Uploader;

/// A picture that host features read.
struct HostPicture {
    bool is_ready() const { return downloaded == nullptr || downloaded->done(); }

    std::shared_ptr<HeldPicture> held; ///< the caller's, or a downloaded one; null: not asked for
    Event *downloaded = nullptr;       ///< null: the caller's
};

struct DeviceImage : TakenImage {
    explicit DeviceImage(Uploader &taker) : uploader(taker) {}
    ~DeviceImage() override; ///< gives its memory back

    Uploader &uploader;
    char *planes = nullptr;            ///< device; owned. Null: lent
    std::shared_ptr<HeldPicture> lent; ///< read where the caller has it; or null
    Upload *upload = nullptr;          ///< null: it is ready
    HostPicture on_host;               ///< only with host features
    uint8_t sketch[kSketchBytes];      ///< when it is ready, if it has one
};

} // namespace vmafgpu
