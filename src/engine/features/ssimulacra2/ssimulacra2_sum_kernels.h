// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ssimulacra2's sums, which are serial: bounds of each chunk's terms, the sum's
// exponent in each chunk, what the chunk does to a sum with that exponent, and one wave that walks
// over the chunks. ssimulacra2_sum.h has the arithmetic. A subject of its own:
// ssimulacra2_kernels.cpp makes the terms, this adds them.
#pragma once

#include "features/ssimulacra2/ssimulacra2.h"
#include "features/ssimulacra2/ssimulacra2_sum.h"
#include "simt/reduce.h"

namespace vmafgpu::ssimulacra2 {
namespace {

constexpr int kTerms = kChunkTerms / kSumThreads; ///< terms of a thread
constexpr int kWaves = kSumThreads / kMinWave;    ///< at most
static_assert(kChunkTerms == 1 << kChunkBits, "units fit");

SIMT_DEVICE float *pair_scratch(const Args &args)
{
    return args.scratch + block_id_z() * args.scratch_stride;
}

SIMT_DEVICE int terms_of(const Args::Task &task)
{
    return task.width * task.height;
}

SIMT_DEVICE ChunkState *chunk_of(const Args &args, int task, int chunk, int sum)
{
    auto *chunks = reinterpret_cast<ChunkState *>(pair_scratch(args) + args.chunks);
    return chunks + static_cast<int64_t>(args.tasks[task].first_chunk + chunk) * kSums + sum;
}

/// The values of a pixel from which its terms are computed.
struct TermSource {
    float similarity, distances[2];

    SIMT_DEVICE Terms terms() const { return pixel_terms(similarity, distances[0], distances[1]); }
};

/// At a place of the maps of a plane, or of equal pictures: all terms are 0.
SIMT_DEVICE TermSource load_source(const Args &args, const Args::Task &task, bool is_inside,
                                   int64_t at)
{
    const float *scratch = pair_scratch(args);
    if (!is_inside)
        return {1, {0, 0}};
    return {task.similarity >= 0 ? scratch[task.similarity + at] : 1.0F,
            {scratch[task.planes[0] + at], scratch[task.planes[1] + at]}};
}

/// Term `index` of the maps of a plane; 0 behind the last one.
SIMT_DEVICE Terms load_terms(const Args &args, const Args::Task &task, int index)
{
    const int64_t at = static_cast<int64_t>(index / task.width) * task.pitch + index % task.width;
    return load_source(args, task, index < terms_of(task), at).terms();
}

/// Returns the summand of a sum: a term, or its fourth power.
SIMT_DEVICE double value_of(const Terms &terms, int sum)
{
    const double value = terms.map[sum % kMaps];
    const double square = value * value;
    return sum < kMaps ? value : square * square;
}

SIMT_DEVICE bool is_needed(const Args::Task &task, int sum)
{
    return (task.needed >> sum & 1) != 0;
}

/// The task and chunk of a block.
struct ChunkPlace {
    int task = 0, chunk = 0;

    SIMT_DEVICE explicit ChunkPlace(const Args &args)
    {
        while (task + 1 < args.task_count && block_id_x() >= args.tasks[task + 1].first_chunk)
            ++task;
        chunk = block_id_x() - args.tasks[task].first_chunk;
    }
};

/// take(i, source) for the terms i of a chunk, each in one thread; threads that follow each other
/// take terms that do.
template <typename Take>
SIMT_DEVICE void for_chunk(const Args &args, const ChunkPlace &place, const Take &take)
{
    constexpr int kAhead = 4; // sources that are loaded together
    static_assert(kTerms % kAhead == 0, "a whole number of rounds");
    const Args::Task &task = args.tasks[place.task];
    int index = place.chunk * kChunkTerms + thread_id();
    int x = index % task.width;
    int64_t row = static_cast<int64_t>(index / task.width) * task.pitch;
    const int further = kSumThreads % task.width;
    const int64_t rows_further = static_cast<int64_t>(kSumThreads / task.width) * task.pitch;
    SIMT_NO_UNROLL
    for (int first = thread_id(); first < kChunkTerms; first += kAhead * kSumThreads) {
        TermSource sources[kAhead];
        SIMT_UNROLL
        for (int i = 0; i < kAhead; ++i) {
            sources[i] = load_source(args, task, index < terms_of(task), row + x);
            index += kSumThreads;
            x += further;
            row += rows_further;
            if (x >= task.width) {
                x -= task.width;
                row += task.pitch;
            }
        }
        SIMT_UNROLL
        for (int i = 0; i < kAhead; ++i)
            take(first + i * kSumThreads, sources[i]);
    }
}

/// The largest exponent of each sum of the block's threads, 0 if all are 0. [block]
SIMT_DEVICE void find_tops(const Args::Task &task, const double *sums, int *tops)
{
    SIMT_SHARED(int32_t, of_waves, kWaves * kSums);
    SIMT_UNROLL
    for (int sum = 0; sum < kSums; ++sum) {
        if (!is_needed(task, sum))
            continue;
        const Bits bits(sums[sum]);
        int top = bits.mantissa != 0 ? bits.exponent : 0;
        for (int mask = wave_size() / 2; mask > 0; mask /= 2) {
            const int other = shfl_xor(top, mask);
            top = other > top ? other : top;
        }
        if (lane_id() == 0)
            of_waves[wave_id() * kSums + sum] = top;
    }
    barrier();
    SIMT_UNROLL
    for (int sum = 0; sum < kSums; ++sum) {
        tops[sum] = 0;
        if (!is_needed(task, sum))
            continue;
        for (int wave = 0; wave < kSumThreads / wave_size(); ++wave) {
            const int top = of_waves[wave * kSums + sum];
            tops[sum] = top > tops[sum] ? top : tops[sum];
        }
    }
}

/// A block's chunk: how large the sums of its threads are, and their sum in units.
SIMT_DEVICE void find_bounds(const Args &args)
{
    SIMT_SHARED(int64_t, of_waves, kWaves * kSums);
    const ChunkPlace place(args);
    const Args::Task &task = args.tasks[place.task];
    double sums[kSums] = {};
    int tops[kSums];
    for_chunk(args, place, [&](int /*i*/, const TermSource &source) {
        const Terms terms = source.terms();
        SIMT_UNROLL
        for (int sum = 0; sum < kSums; ++sum)
            if (is_needed(task, sum))
                sums[sum] += value_of(terms, sum);
    });
    find_tops(task, sums, tops);
    SIMT_UNROLL
    for (int sum = 0; sum < kSums; ++sum) {
        if (!is_needed(task, sum))
            continue; // all threads of the block take this branch
        const int64_t units = wave_sum(Bits(sums[sum]).units(tops[sum]));
        if (lane_id() == 0)
            of_waves[wave_id() * kSums + sum] = units;
    }
    barrier();
    SIMT_UNROLL
    for (int sum = 0; sum < kSums; ++sum) {
        if (thread_id() != 0 || !is_needed(task, sum))
            continue;
        int64_t units = of_waves[sum];
        for (int wave = 1; wave < kSumThreads / wave_size(); ++wave)
            units += of_waves[wave * kSums + sum];
        *chunk_of(args, place.task, place.chunk, sum) = {units, 0, tops[sum]};
    }
}

/// Steps of threads, in their order, become the step of a wave in lane 0. [wave]
SIMT_DEVICE void join_steps(Step &step)
{
    for (int distance = 1; distance < wave_size(); distance *= 2) {
        const int from = (lane_id() + distance) % wave_size();
        const int64_t first = shfl(step.first(), from);
        const int64_t second = shfl(step.second(), from);
        if (lane_id() % (2 * distance) == 0)
            step.append(Step(first, second));
    }
}

/// Sources of a chunk in shared memory. A thread reads some that follow each other: with one place
/// more, those of threads lie in different banks.
SIMT_DEVICE int source_place(int i)
{
    return i + i / kTerms;
}

/// A block's chunk: its step, for sums whose exponent is known.
SIMT_DEVICE void make_steps(const Args &args)
{
    constexpr int kPlaces = kChunkTerms + kSumThreads;
    SIMT_SHARED(float, shared, 3 * kPlaces);
    SIMT_SHARED(int64_t, firsts, kWaves * kSums);
    SIMT_SHARED(int64_t, seconds, kWaves * kSums);
    const ChunkPlace place(args);
    for_chunk(args, place, [&](int i, const TermSource &source) {
        shared[source_place(i)] = source.similarity;
        shared[source_place(i) + kPlaces] = source.distances[0];
        shared[source_place(i) + 2 * kPlaces] = source.distances[1];
    });
    int exponents[kSums];
    SIMT_UNROLL
    for (int sum = 0; sum < kSums; ++sum)
        exponents[sum] =
            is_needed(args.tasks[place.task], sum)
                ? static_cast<int>(chunk_of(args, place.task, place.chunk, sum)->exponent)
                : 0;
    barrier();
    Step steps[kSums];
    for (int i = 0; i < kTerms; ++i) {
        const float *at = shared + source_place(thread_id() * kTerms + i);
        const Terms terms = TermSource{at[0], {at[kPlaces], at[2 * kPlaces]}}.terms();
        SIMT_UNROLL
        for (int sum = 0; sum < kSums; ++sum) {
            if (exponents[sum] <= 0)
                continue; // all threads of the block take this branch
            if (has_scarce_double())
                steps[sum].append_term(value_of(terms, sum), exponents[sum]);
            else
                steps[sum].append_by_sum(value_of(terms, sum), exponents[sum]);
        }
    }
    SIMT_UNROLL
    for (int sum = 0; sum < kSums; ++sum) {
        if (exponents[sum] <= 0)
            continue; // here, too
        join_steps(steps[sum]);
        if (lane_id() == 0) {
            firsts[wave_id() * kSums + sum] = steps[sum].first();
            seconds[wave_id() * kSums + sum] = steps[sum].second();
        }
    }
    barrier();
    SIMT_UNROLL
    for (int sum = 0; sum < kSums; ++sum) {
        if (thread_id() != 0 || exponents[sum] <= 0)
            continue;
        for (int wave = 1; wave < kSumThreads / wave_size(); ++wave)
            steps[sum].append(Step(firsts[wave * kSums + sum], seconds[wave * kSums + sum]));
        ChunkState *state = chunk_of(args, place.task, place.chunk, sum);
        state->first = steps[sum].first();
        state->second = steps[sum].second();
    }
}

/// A sum, and how many chunks it has.
struct SumPlace {
    int task, sum, chunks, terms;
};

constexpr int kSumsOfBlock = 2; ///< sums of a block of the kernels scan and finish

/// visit(place) for the sums of a wave: a block has some that follow each other. [wave]
template <typename Visit> SIMT_DEVICE void for_sums_of_wave(const Args &args, const Visit &visit)
{
    for (int i = wave_id(); i < kSumsOfBlock; i += kSumThreads / wave_size()) {
        const int number = block_id_x() * kSumsOfBlock + i;
        SumPlace place = {number / kSums, number % kSums, 0, 0};
        if (place.task < args.task_count && is_needed(args.tasks[place.task], place.sum)) {
            place.terms = terms_of(args.tasks[place.task]);
            place.chunks = divide_up(place.terms, kChunkTerms);
        }
        visit(place);
    }
}

SIMT_DEVICE int chunk_terms(const SumPlace &place, int chunk)
{
    const int rest = place.terms - chunk * kChunkTerms;
    return rest < kChunkTerms ? rest : kChunkTerms;
}

/// visit(i) for the lanes of a wave, in their order. What 64 lanes load at once would not fit into
/// registers.
template <typename Visit> SIMT_DEVICE void for_lanes(const Visit &visit)
{
    SIMT_NO_UNROLL
    for (int first = 0; first < wave_size(); first += kMinWave) {
        SIMT_UNROLL
        for (int i = 0; i < kMinWave; ++i)
            visit(first + i);
    }
}

/// Which exponent the sum has in each chunk. [wave]
SIMT_DEVICE void scan_chunks(const Args &args, const SumPlace &place)
{
    SIMT_SHARED(Bounds, bounds, kSumThreads);
    Bounds *of_wave = bounds + wave_id() * wave_size();
    Bounds sum = {};
    for (int first = 0; first < place.chunks; first += wave_size()) {
        const int mine = first + lane_id();
        const bool is_chunk = mine < place.chunks;
        ChunkState *state = chunk_of(args, place.task, is_chunk ? mine : first, place.sum);
        const auto top = static_cast<int>(is_chunk ? state->exponent : 0);
        const int count = is_chunk ? chunk_terms(place, mine) : 0;
        wave_barrier();
        of_wave[lane_id()] = Bounds::of(state->first, top, count);
        wave_barrier();
        // Each lane adds all bounds, in the same order everywhere.
        Bounds before = {};
        for_lanes([&](int lane) {
            if (lane == lane_id())
                before = sum;
            sum.append(of_wave[lane]);
        });
        Bounds after = before;
        after.append(of_wave[lane_id()]);
        if (is_chunk)
            state->exponent =
                top == 0 ? kNothing
                         : exponent_of(before, after, mine * kChunkTerms + count, mine + 1);
    }
}

/// The terms of a chunk, one after the other: all of them lie in `terms` first. [wave]
SIMT_DEVICE double add_terms(const Args &args, const SumPlace &place, int chunk, double sum,
                             double *terms)
{
    constexpr int kTogether = 4;
    wave_barrier();
    for (int first = lane_id(); first < kChunkTerms; first += kTogether * wave_size()) {
        SIMT_UNROLL
        for (int i = 0; i < kTogether; ++i) {
            const int at = first + i * wave_size();
            const Terms all = load_terms(args, args.tasks[place.task], chunk * kChunkTerms + at);
            double mine = value_of(all, 0);
            SIMT_UNROLL
            for (int k = 1; k < kSums; ++k)
                mine = k == place.sum ? value_of(all, k) : mine;
            terms[at] = mine; // 0 behind the last one
        }
    }
    wave_barrier();
    const int count = chunk_terms(place, chunk);
    for (int first = 0; first < count; first += wave_size())
        for_lanes([&](int i) { sum = sum + terms[first + i]; });
    return sum;
}

/// Adds all chunks of a sum, one after the other. [wave]
SIMT_DEVICE double add_chunks(const Args &args, const SumPlace &place)
{
    SIMT_SHARED(double, terms, kSumsOfBlock *kChunkTerms);
    SIMT_SHARED(ChunkState, states, kSumThreads);
    ChunkState *of_wave = states + wave_id() * wave_size();
    double sum = 0;
    for (int first = 0; first < place.chunks; first += wave_size()) {
        wave_barrier();
        if (first + lane_id() < place.chunks)
            of_wave[lane_id()] = *chunk_of(args, place.task, first + lane_id(), place.sum);
        wave_barrier();
        for (int lane = 0; lane < wave_size() && first + lane < place.chunks; ++lane) {
            const ChunkState state = of_wave[lane];
            if (state.exponent == kUnknown)
                sum = add_terms(args, place, first + lane, sum, terms + wave_id() * kChunkTerms);
            else if (state.exponent != kNothing)
                sum = Step(state.first, state.second).add_to(sum);
        }
    }
    return sum;
}

SIMT_DEVICE void store_sum(const Args &args, const SumPlace &place, double sum)
{
    char *sums = args.sums + block_id_z() * args.sums_stride;
    reinterpret_cast<double *>(sums)[place.task * kSums + place.sum] = sum;
}

} // namespace
} // namespace vmafgpu::ssimulacra2
