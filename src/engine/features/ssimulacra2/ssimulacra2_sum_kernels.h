// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ssimulacra2's sums: a block makes the terms of a sum from the maps of a plane and
// adds them in raster order (simt/serial_sum.h). The first parts of a plane are added so; then
// blocks make the runs of as many parts as there were, all at once, and a block adds these. A
// subject of its own: ssimulacra2_kernels.cpp makes the maps.
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

/// A sum of a plane of a pair: of the terms of a map, or of their fourth powers.
template <bool is_structure, bool is_of_fourths> struct PlaneSum {
    MapSource<is_structure> source;
    int own; ///< first sample of the thread in a part

    SIMT_DEVICE PlaneSum(const float *scratch, const Args::Task &task, int number)
        : source(scratch, task, number % kMaps), own(thread_id() * kSumLength)
    {
    }
    SIMT_DEVICE void load(int part) { source.load(part * kPartTerms + own); }
    SIMT_DEVICE void make(double (&terms)[kSumLength]) const
    {
        SIMT_UNROLL
        for (int i = 0; i < kSumLength; ++i) {
            const double square = source.term(i) * source.term(i);
            terms[i] = is_of_fourths ? square * square : source.term(i);
        }
    }
    /// The sum of the first parts. [block]
    SIMT_DEVICE double add_first(int parts)
    {
        load(0);
        SerialSum<kSumThreads, double> sum(0);
        for (int part = 0; part < parts; ++part) {
            double terms[kSumLength];
            make(terms);
            load(part + 1);
            sum.add(terms);
        }
        return sum.value;
    }
    /// What a part adds to sums not far above `sum`. [block]
    SIMT_DEVICE PartRuns<double> runs(double sum, int part)
    {
        load(part);
        double terms[kSumLength];
        make(terms);
        return part_runs<kSumThreads>(sum, terms);
    }
    /// The sum with the parts first .. end - 1, whose runs lie in `runs`. [block]
    SIMT_DEVICE double add_parts(double start, const PartRuns<double> *runs, int first, int end)
    {
        SerialSum<kSumThreads, double> sum(start);
        for (; first < end; first += kSumThreads) {
            const int count = end - first < kSumThreads ? end - first : kSumThreads;
            PartRuns<double> own = {};
            if (thread_id() < count)
                own = runs[first + thread_id()];
            sum.add_parts(own, count, [&](int part) {
                load(first + part);
                double terms[kSumLength];
                make(terms);
                sum.add(terms);
            });
        }
        return sum.value;
    }
};

/// Calls f with sum `number` of a plane. [block]
template <typename F>
SIMT_DEVICE void with_sum(const float *scratch, const Args::Task &task, int number, const F &f)
{
    if (number == 0)
        f(PlaneSum<true, false>(scratch, task, number));
    else if (number == kMaps)
        f(PlaneSum<true, true>(scratch, task, number));
    else if (number < kMaps)
        f(PlaneSum<false, false>(scratch, task, number));
    else
        f(PlaneSum<false, true>(scratch, task, number));
}

/// The sum of a block, the one at block_id_z() of those that have a weight.
struct SumPlace {
    const Args::Task &task;
    int number, parts; ///< parts: those of a launch that the plane has end there
    const float *scratch;
    double *sum;
    PartRuns<double> *runs; ///< runs of all parts

    SIMT_DEVICE SumPlace(const Args &args, int pair)
        : task(args.tasks[args.weighted[block_id_z()] / kSums]),
          number(args.weighted[block_id_z()] % kSums),
          parts(divide_up(task.pitch * task.height, kPartTerms)), scratch(pair_scratch(args, pair)),
          sum(reinterpret_cast<double *>(args.sums + pair * args.sums_stride) +
              args.weighted[block_id_z()]),
          runs(reinterpret_cast<PartRuns<double> *>(pair_scratch(args, pair) + args.runs) +
               static_cast<int64_t>(block_id_z()) * args.parts)
    {
        parts = parts < args.end_part ? parts : args.end_part;
    }
};

/// The first parts of a sum. Block x takes a pair.
SIMT_DEVICE void add_first(const Args &args)
{
    const SumPlace at(args, block_id_x());
    with_sum(at.scratch, at.task, at.number, [&](auto plane) {
        const double sum = plane.add_first(at.parts);
        if (thread_id() == 0)
            *at.sum = sum;
    });
}

/// The runs of a part. Block x takes a part, block y a pair.
SIMT_DEVICE void make_runs(const Args &args)
{
    const SumPlace at(args, block_id_y());
    const int part = args.first_part + block_id_x();
    if (part >= at.parts)
        return;
    with_sum(at.scratch, at.task, at.number, [&](auto plane) {
        const PartRuns<double> runs = plane.runs(*at.sum, part);
        if (thread_id() == 0)
            at.runs[part] = runs;
    });
}

/// Adds parts to a sum by their runs. Block x takes a pair.
SIMT_DEVICE void add_parts(const Args &args)
{
    const SumPlace at(args, block_id_x());
    if (args.first_part >= at.parts)
        return;
    const double start = *at.sum;
    with_sum(at.scratch, at.task, at.number, [&](auto plane) {
        const double sum = plane.add_parts(start, at.runs, args.first_part, at.parts);
        if (thread_id() == 0)
            *at.sum = sum;
    });
}

} // namespace
} // namespace vmafgpu::ssimulacra2
