// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures for the benchmark: a few distinct pairs, made once, in host memory
// or (where a backend offers it) in device memory. What is timed is bench.cpp's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

struct BenchPair {
    VmafGpuPicture reference, distorted;
};

/// Owns the memory of its pairs.
class BenchFrames {
public:
    virtual ~BenchFrames() = default;
    virtual const BenchPair &pair(size_t i) const = 0;
};

struct BenchFormat {
    int width, height, depth;
    int shift;                                 ///< of device and host samples alike: P010 is 6
    VmafGpuChroma chroma = VMAFGPU_CHROMA_400; ///< of what the pictures and the context have
    bool is_banded = false;                    ///< bench_bands() instead of bench_sample()
    bool is_held = false;                      ///< of device pictures: VMAFGPU_PICTURE_HOLD
    std::string reference, distorted;          ///< raw planar files instead of either
};

/// A moving texture with noise, and the same blurred and noisier (or banded): every
/// feature has real work, and no two of the `count` pairs are equal.
std::unique_ptr<BenchFrames> make_host_frames(const BenchFormat &format, size_t count);

/// The same pictures in memory of the device that `device` (as in
/// VmafGpuSettings.device) names. Throws std::runtime_error if the backend has
/// no device memory. *native_context is what the context must be opened with.
std::unique_ptr<BenchFrames> make_device_frames(const BenchFormat &format, size_t count,
                                                const char *device, void **native_context);

/// Bytes per second that a device copies in a few large pieces: pinned host memory to
/// its own, and within its own (read and written). 0 without a device.
struct CopyRates {
    double upload = 0, device = 0;
};
CopyRates measure_copy_rates(const char *device);

} // namespace vmafgpu
