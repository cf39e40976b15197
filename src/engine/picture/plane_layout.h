// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where the planes of a picture lie in one piece of memory. Nothing but arithmetic on a Format.
#pragma once

#include "base/numeric.h"
#include "picture/picture.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class PlaneLayout {
public:
    /// planes: 1, or 3. Rows begin at multiples of `alignment` bytes.
    PlaneLayout(const Format &format, int planes, size_t alignment)
        : format_(format), planes_(planes)
    {
        for (int p = 0; p < planes; ++p) {
            pitch_[p] = round_up(row(p), alignment);
            offset_[p] = bytes_;
            bytes_ += pitch_[p] * static_cast<size_t>(format.plane_height(p));
        }
    }

    const Format &format() const { return format_; }
    int planes() const { return planes_; }
    size_t bytes() const { return bytes_; }
    size_t pitch(int p) const { return pitch_[p]; }
    /// Bytes of its samples.
    size_t row(int p) const
    {
        return static_cast<size_t>(format_.plane_width(p)) *
               static_cast<size_t>(format_.sample_bytes());
    }
    size_t offset(int p) const { return offset_[p]; }
    Plane plane(const char *memory, int p) const
    {
        return {memory + offset_[p], static_cast<ptrdiff_t>(pitch_[p])};
    }

    /// The planes of two pictures.
    PairView pair(const char *reference, const char *distorted) const
    {
        PairView view = {};
        for (int p = 0; p < planes_; ++p) {
            view.reference[p] = plane(reference, p);
            view.distorted[p] = plane(distorted, p);
        }
        return view;
    }

    VmafGpuPicture picture(const char *memory, VmafGpuMemory kind) const
    {
        VmafGpuPicture picture = {};
        picture.width = format_.width;
        picture.height = format_.height;
        picture.depth = format_.depth;
        picture.memory = kind;
        for (int p = 0; p < planes_; ++p) {
            picture.plane[p].data = plane(memory, p).data;
            picture.plane[p].pitch = plane(memory, p).pitch;
        }
        return picture;
    }

private:
    Format format_;
    int planes_;
    size_t pitch_[3] = {}, offset_[3] = {}, bytes_ = 0;
};

} // namespace vmafgpu
