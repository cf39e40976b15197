// SPDX-License-Identifier: BSD-2-Clause-Patent
// See scale_picture.h.
#include "cpu/scale_picture.h"

#include "picture/unpack.h"

namespace vmafgpu {
namespace {

size_t tight_pitch(const Format &format, int p)
{
    return static_cast<size_t>(format.plane_width(p)) * static_cast<size_t>(format.sample_bytes());
}

unsigned char *buffer_for(std::vector<unsigned char> &memory, const Format &format, int p)
{
    memory.resize(tight_pitch(format, p) * static_cast<size_t>(format.plane_height(p)));
    return memory.data();
}

} // namespace

void scale_picture_plane(const ScalePlan &plan, const VmafGpuPicture &picture, int p,
                         const Format &format, void *to, size_t pitch, ScaleScratch &scratch,
                         ThreadPool &pool)
{
    Format source = plan.source();
    Format target = plan.target();
    source.depth = target.depth = picture.depth;
    Plane from = {picture.plane[p].data, picture.plane[p].pitch};
    if (!is_usable_in_place(picture, p, source)) {
        unsigned char *copy = buffer_for(scratch.source, source, p);
        unpack_plane(picture, p, source, copy, tight_pitch(source, p));
        from = {copy, static_cast<ptrdiff_t>(tight_pitch(source, p))};
    }
    if (format.depth == picture.depth) {
        scale_plane(plan.plane(p), picture.depth, from, to, static_cast<ptrdiff_t>(pitch), pool);
        return;
    }
    VmafGpuPicture scaled = {};
    scaled.depth = picture.depth;
    scaled.plane[p].data = buffer_for(scratch.scaled, target, p);
    scaled.plane[p].pitch = static_cast<ptrdiff_t>(tight_pitch(target, p));
    scale_plane(plan.plane(p), picture.depth, from, scratch.scaled.data(), scaled.plane[p].pitch,
                pool);
    unpack_plane(scaled, p, format, to, pitch);
}

} // namespace vmafgpu
