// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scaler on a device, host side: its tables of taps, and the launch. The kernel is in
// scale_kernels.cpp.
#pragma once

#include <array>
#include <cstddef>

#include "device/device.h"
#include "scaler/scale.h"
#include "scaler/scale_args.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// The places of a plan's taps in device memory.
class ScaleTables {
public:
    explicit ScaleTables(const ScalePlan &plan);

    const ScalePlan &plan() const { return plan_; }
    size_t bytes() const { return bytes_; }
    /// Writes what goes to the device: bytes() bytes.
    void fill(char *to) const;
    /// Arguments of plane p, without what depends on pictures. tables: device memory with what
    /// fill() wrote.
    ScalePlaneArgs plane_args(int p, const char *tables) const;

private:
    struct Places {
        size_t across_first, across_weight, down_first, down_weight;
        int tile_rows;
    };

    ScalePlan plan_;
    std::array<Places, 2> places_ = {}; ///< luma, chroma
    size_t bytes_ = 0;
};

/// Scales planes of one picture in device memory, `planes` of them, to rows of to_pitch bytes with
/// samples of format.depth bits.
void scale_record(const ScaleTables &tables, const char *device_tables,
                  const VmafGpuPicture &picture, int planes, const Format &format,
                  char *const (&to)[3], const size_t (&to_pitch)[3], Queue &queue);

} // namespace vmafgpu
