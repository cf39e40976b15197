// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr and float_moment on a device, host side: the launches of a batch. float_sums.cpp calls
// it; the kernels are in float_sums_kernels.cpp.
#include "device/device.h"
#include "features/feature.h"
#include "features/float_sums/float_sums.h"

namespace vmafgpu::float_sums {

namespace {

void launch(const Format &format, Queue &queue, Args &args, unsigned count)
{
    args.width = format.width;
    args.height = format.height;
    const Grid grid = {1, blocks_of(format.height, kBlockRows), count};
    queue.launch(format.depth > 8 ? kU16 : kU8, grid, args);
}

} // namespace

void PsnrForms::record(const Format &format, Queue &queue, const BatchView &batch)
{
    Args args = {};
    for (int i = 0; i < batch.count; ++i) {
        const Plane &reference = batch.pairs[i].reference[0];
        const Plane &distorted = batch.pairs[i].distorted[0];
        auto *sums =
            reinterpret_cast<PsnrSums *>(batch.sums + batch.sums_stride * static_cast<size_t>(i));
        args.pictures[i] = {reference.data,  distorted.data, reference.pitch,
                            distorted.pitch, nullptr,        &sums->noise.exact};
    }
    launch(format, queue, args, static_cast<unsigned>(batch.count));
}

void MomentForms::record(const Format &format, Queue &queue, const BatchView &batch)
{
    for (int picture = 0; picture < 2; ++picture) {
        Args args = {};
        for (int i = 0; i < batch.count; ++i) {
            const PairView &pair = batch.pairs[i];
            const Plane &plane = picture == 0 ? pair.reference[0] : pair.distorted[0];
            auto *sums = reinterpret_cast<MomentSums *>(batch.sums +
                                                        batch.sums_stride * static_cast<size_t>(i));
            args.pictures[i] = {plane.data,
                                nullptr,
                                plane.pitch,
                                0,
                                &sums->first[picture],
                                &sums->second[picture].exact};
        }
        launch(format, queue, args, static_cast<unsigned>(batch.count));
    }
}

} // namespace vmafgpu::float_sums
