// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ssimulacra2's sums: a block makes the terms of a sum from the maps of a plane and
// adds them in raster order (simt/serial_sum.h). A subject of its own: ssimulacra2_kernels.cpp
// makes the maps.
#pragma once

#include "features/ssimulacra2/ssimulacra2.h"
#include "simt/serial_sum.h"

namespace vmafgpu::ssimulacra2 {
namespace {

SIMT_DEVICE float *pair_scratch(const Args &args, int pair)
{
    return args.scratch + pair * args.scratch_stride;
}

/// A double that lies in two planes of floats: the upper half in the first one.
SIMT_DEVICE void store_halves(double v, float *upper, float *lower)
{
    const uint64_t bits = bits_of_double(v);
    *upper = float_of_bits(static_cast<uint32_t>(bits >> 32));
    *lower = float_of_bits(static_cast<uint32_t>(bits));
}

/// The edges of one sign. They lie in halves; `flip` is the sign bit for those below 0.
SIMT_DEVICE double edges_from(float upper, float lower, uint32_t flip)
{
    const uint32_t high = bits_of_float(upper) ^ flip;
    const double edges = double_of_bits(static_cast<uint64_t>(high) << 32 | bits_of_float(lower));
    return high >> 31 == 0 ? edges : 0;
}

constexpr int kSumLength = 16; ///< terms of a thread that are added together
static_assert(kRowUnit % kSumLength == 0, "planes end with the terms of a thread");

/// A plane's map, from which a thread makes its terms. Between rows its terms are 0.
template <bool is_structure> struct MapSource {
    const float *upper, *lower; ///< halves of the edges; upper is the similarity of structure
    int all;                    ///< samples, with those between rows
    uint32_t flip;
    FloatQuad ahead[2][kSumLength / 4]; ///< on their way from memory

    SIMT_DEVICE MapSource(const float *scratch, const Args::Task &task, int map)
        : upper(scratch + (is_structure ? task.similarity : task.planes[0])),
          lower(scratch + task.planes[1]), all(task.pitch * task.height),
          flip(map == 2 ? UINT32_C(1) << 31 : 0)
    {
    }
    /// Takes samples from `first` on; behind the last one, what makes terms of 0.
    SIMT_DEVICE void load(int first)
    {
        if (first < all) {
            SIMT_UNROLL
            for (int i = 0; i < kSumLength / 4; ++i) {
                ahead[0][i] = *reinterpret_cast<const FloatQuad *>(upper + first + 4 * i);
                if (!is_structure)
                    ahead[1][i] = *reinterpret_cast<const FloatQuad *>(lower + first + 4 * i);
            }
            return;
        }
        constexpr float kEqual = is_structure ? 1 : 0;
        SIMT_UNROLL
        for (int i = 0; i < kSumLength / 4; ++i) {
            ahead[0][i] = {{kEqual, kEqual, kEqual, kEqual}};
            ahead[1][i] = {};
        }
    }
    SIMT_DEVICE double term(int i) const
    {
        const float own = ahead[0][i / 4].v[i % 4];
        return is_structure ? loss_of(own) : edges_from(own, ahead[1][i / 4].v[i % 4], flip);
    }
};

/// The sum of a map, or of the fourth powers of its terms. [block]
template <bool is_structure, bool is_of_fourths>
SIMT_DEVICE double sum_of_map(const float *scratch, const Args::Task &task, int map)
{
    MapSource<is_structure> source(scratch, task, map);
    const int own = thread_id() * kSumLength;
    source.load(own);
    SerialSum<kSumThreads, double> sum(0);
    for (int first = 0; first < source.all; first += kSumThreads * kSumLength) {
        double terms[kSumLength];
        SIMT_UNROLL
        for (int i = 0; i < kSumLength; ++i) {
            const double square = source.term(i) * source.term(i);
            terms[i] = is_of_fourths ? square * square : source.term(i);
        }
        source.load(first + kSumThreads * kSumLength + own);
        sum.add(terms);
    }
    return sum.value;
}

/// Sum `number` of a plane. [block]
SIMT_DEVICE double sum_of_plane(const float *scratch, const Args::Task &task, int number)
{
    const int map = number % kMaps;
    if (number == 0)
        return sum_of_map<true, false>(scratch, task, map);
    if (number == kMaps)
        return sum_of_map<true, true>(scratch, task, map);
    return number < kMaps ? sum_of_map<false, false>(scratch, task, map)
                          : sum_of_map<false, true>(scratch, task, map);
}

/// The sum of a block; 0 if it has no weight. Block x takes a pair, block z a sum.
SIMT_DEVICE void add_up(const Args &args)
{
    const int number = block_id_z() % kSums;
    const Args::Task &task = args.tasks[block_id_z() / kSums];
    const bool is_needed = (task.needed >> number & 1) != 0; // in the whole block
    const double sum = is_needed ? sum_of_plane(pair_scratch(args, block_id_x()), task, number) : 0;
    if (thread_id() == 0)
        reinterpret_cast<double *>(args.sums + block_id_x() * args.sums_stride)[block_id_z()] = sum;
}

} // namespace
} // namespace vmafgpu::ssimulacra2
