// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr and float_moment on a device, host side: the launches of a batch. float_sums.cpp calls
// it; the kernels are in float_sums_kernels.cpp.
#include "device/device.h"
#include "float_sums.h"
#include "float_sums_args.h"

namespace vmafgpu {

namespace {

void launch(const Format &format, Queue &queue, FloatSumsArgs &args, unsigned count)
{
    args.width = format.width;
    args.height = format.height;
    const Grid grid = {1, blocks_of(format.height, kFloatSumsRows), count};
    queue.launch(format.depth > 8 ? kFloatSumsU16 : kFloatSumsU8, grid, args);
}

} // namespace

void float_psnr_record(const Format &format, Queue &queue, const BatchView &batch)
{
    FloatSumsArgs args = {};
    for (int i = 0; i < batch.count; ++i) {
        const Plane &reference = batch.pairs[i].reference[0];
        const Plane &distorted = batch.pairs[i].distorted[0];
        auto *sums = reinterpret_cast<FloatPsnrSums *>(batch.sums +
                                                       batch.sums_stride * static_cast<size_t>(i));
        args.pictures[i] = {reference.data,  distorted.data, reference.pitch,
                            distorted.pitch, nullptr,        &sums->noise.exact};
    }
    launch(format, queue, args, static_cast<unsigned>(batch.count));
}

void float_moment_record(const Format &format, Queue &queue, const BatchView &batch)
{
    for (int picture = 0; picture < 2; ++picture) {
        FloatSumsArgs args = {};
        for (int i = 0; i < batch.count; ++i) {
            const PairView &pair = batch.pairs[i];
            const Plane &plane = picture == 0 ? pair.reference[0] : pair.distorted[0];
            auto *sums = reinterpret_cast<FloatMomentSums *>(
                batch.sums + batch.sums_stride * static_cast<size_t>(i));
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

} // namespace vmafgpu
