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
    int shift; ///< left shift of device and host samples; P010 has 6
    VmafGpuChroma chroma = VMAFGPU_CHROMA_400; ///< chroma of the pictures and the context
    bool is_banded = false;                    ///< bench_bands() instead of bench_sample()
    bool is_held = false;             ///< device pictures are pushed with VMAFGPU_PICTURE_HOLD
    std::string reference, distorted; ///< raw planar files instead of either
};

/// A moving texture with noise, and the same blurred and noisier (or banded): every
/// feature has real work, and no two of the `count` pairs are equal.
std::unique_ptr<BenchFrames> make_host_frames(const BenchFormat &format, size_t count);

/// make_host_frames() in memory of the device that `device` (as in
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
