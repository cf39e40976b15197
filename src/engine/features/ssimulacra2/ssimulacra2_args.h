// SPDX-License-Identifier: BSD-2-Clause-Patent
// What host and device share about the kernels of ssimulacra2: arguments, memory, launch geometry.
// Used by ssimulacra2_record.cpp and ssimulacra2_kernels.cpp. Device compilers read it, so it uses
// no host library.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "features/ssimulacra2/ssimulacra2_math.h"

namespace vmafgpu {

constexpr int kSsimulacra2Tasks = kSsimulacra2Scales * kSsimulacra2Planes;

/// One launch covers a batch.
struct Ssimulacra2Args {
    struct Pair {
        const void *planes[2][3]; ///< reference, distorted
        int32_t pitches[2][3];    ///< bytes
    } pairs[kMaxBatch];
    /// A plane of a scale. Offsets are floats of a pair's scratch.
    struct Task {
        int32_t width, height;
        int32_t pitch;       ///< floats
        int32_t needed;      ///< as Ssimulacra2Config::needed
        int64_t planes[2];   ///< linear light; then X, Y or B; then distances from the means
        int64_t rows;        ///< planes that are filtered along their rows
        int64_t similarity;  ///< -1: structure has no weight
        int32_t first_chunk; ///< of the pair's chunks
        int32_t unused;
    } tasks[kSsimulacra2Tasks]; ///< scales outside
    Ssimulacra2Colour colours[2];
    float *scratch; ///< of the first pair
    int64_t scratch_stride;
    int64_t chunks; ///< offset of the pair's Ssimulacra2Chunk
    char *sums;     ///< of the first pair
    int64_t sums_stride;
    int32_t task_count;           ///< of the scales that there are
    int32_t first_task, end_task; ///< of a launch, which takes every task_step-th
    int32_t task_step;
    int32_t is_half_x, is_half_y; ///< chroma
    int32_t chroma_width, chroma_height, chroma_middle;
};

constexpr int kSsimulacra2Threads = 256; ///< of what is made pixel by pixel
constexpr int kSsimulacra2SumThreads = 64;
constexpr int kSsimulacra2PixelColumns = 4, kSsimulacra2PixelRows = 2; ///< of a thread
/// A block of rows filters so many rows, a thread each, of every moment; of columns so many
/// columns.
constexpr int kSsimulacra2Lines = 64;

// X, Y and B of scale 0, and linear light of the next scale. Block y takes a picture, block z a
// pair. Samples are bytes or words.
constexpr Kernel<Ssimulacra2Args> kSsimulacra2LinearU8 = {"ssimulacra2_linear_u8",
                                                          kSsimulacra2Threads};
constexpr Kernel<Ssimulacra2Args> kSsimulacra2LinearU16 = {"ssimulacra2_linear_u16",
                                                           kSsimulacra2Threads};
/// The same of the scale of first_task, in the place of its linear light.
constexpr Kernel<Ssimulacra2Args> kSsimulacra2Scale = {"ssimulacra2_scale", kSsimulacra2Threads};
// Tasks first_task .. end_task - 1, with all moments or with means alone.
constexpr Kernel<Ssimulacra2Args> kSsimulacra2Rows = {"ssimulacra2_rows",
                                                      kSsimulacra2Moments *kSsimulacra2Lines};
constexpr Kernel<Ssimulacra2Args> kSsimulacra2RowsMeans = {"ssimulacra2_rows_means",
                                                           kSsimulacra2Means *kSsimulacra2Lines};
constexpr Kernel<Ssimulacra2Args> kSsimulacra2Columns = {"ssimulacra2_columns", kSsimulacra2Lines};
constexpr Kernel<Ssimulacra2Args> kSsimulacra2ColumnsMeans = {"ssimulacra2_columns_means",
                                                              kSsimulacra2Lines};
// The sums, see ssimulacra2_sum.h. A block takes a chunk; of scan and finish, a wave a sum.
constexpr Kernel<Ssimulacra2Args> kSsimulacra2Bounds = {"ssimulacra2_bounds",
                                                        kSsimulacra2SumThreads};
constexpr Kernel<Ssimulacra2Args> kSsimulacra2Scan = {"ssimulacra2_scan", kSsimulacra2SumThreads};
constexpr Kernel<Ssimulacra2Args> kSsimulacra2Steps = {"ssimulacra2_steps", kSsimulacra2SumThreads};
constexpr Kernel<Ssimulacra2Args> kSsimulacra2Finish = {"ssimulacra2_finish",
                                                        kSsimulacra2SumThreads};

} // namespace vmafgpu
