// SPDX-License-Identifier: BSD-2-Clause-Patent
// A serial sum of numbers that are neither negative nor NaN, made by all threads of a block: it has
// the bits of one thread that adds term after term. On top of simt.h. Included by kernels only.
//
// As long as the sum stays between two powers of 2 it is a multiple of its last place, and a term
// adds a number of places that depends on nothing but the term and whether the sum is even: a tie
// goes to the even one. So two sums over a run of terms say what the run adds to any sum: one that
// starts at the lower power of 2, which is even, and one that starts a place above it. Each thread
// makes them for its terms, and runs are joined in their order. Where a wave takes the sum to the
// next power of 2, its terms are added one by one. Across threads, only numbers of places are
// added.
#pragma once

#include "simt/quad.h"
#include "simt/reduce.h"

namespace vmafgpu {

template <typename T> struct SumFormat;
template <> struct SumFormat<float> {
    using Places = int32_t; ///< bits of a number that is not negative, or a difference of them
    static constexpr int kFractionBits = 23;
    SIMT_DEVICE static Places places_of(float v) { return static_cast<Places>(bits_of_float(v)); }
    SIMT_DEVICE static float at(Places places)
    {
        return float_of_bits(static_cast<uint32_t>(places));
    }
};
template <> struct SumFormat<double> {
    using Places = int64_t;
    static constexpr int kFractionBits = 52;
    SIMT_DEVICE static Places places_of(double v) { return static_cast<Places>(bits_of_double(v)); }
    SIMT_DEVICE static double at(Places places)
    {
        return double_of_bits(static_cast<uint64_t>(places));
    }
};

/// Places that a run of terms adds to an even and to an odd sum.
template <typename T> struct SumRun {
    using Places = typename SumFormat<T>::Places;
    /// Places between two powers of 2: too many for any sum.
    static constexpr Places kTooMany = Places{1} << SumFormat<T>::kFractionBits;

    Places to_even, to_odd;

    SIMT_DEVICE static Places limited(Places places)
    {
        return places < kTooMany ? places : kTooMany;
    }
    /// Returns the sum behind the run, in places above the lower power of 2.
    SIMT_DEVICE Places behind(Places sum) const
    {
        return sum + ((sum & 1) == 0 ? to_even : to_odd);
    }
    SIMT_DEVICE void append(const SumRun &later)
    {
        to_even = limited(later.behind(to_even));
        to_odd = limited(later.behind(1 + to_odd) - 1);
    }
};

/// The run of a thread's terms, for sums between the power of 2 at `from` and the next one. Numbers
/// below the least power have places of one size, too: there, `from` is 0.
template <typename T, typename Term, int kLength>
SIMT_DEVICE SumRun<T> run_of(typename SumFormat<T>::Places from, const Term (&terms)[kLength])
{
    using Format = SumFormat<T>;
    using Run = SumRun<T>;
    T even = Format::at(from);
    T odd = Format::at(from + 1);
    SIMT_UNROLL
    for (int i = 0; i < kLength; ++i) {
        const auto term = static_cast<T>(terms[i]);
        even = even + term;
        odd = odd + term;
    }
    return {Run::limited(Format::places_of(even) - from),
            Run::limited(Format::places_of(odd) - from - 1)};
}

/// Runs of the first `lanes` lanes, in their order, become one run, which every lane gets. The
/// other lanes' runs add nothing. [wave]
template <typename T> SIMT_DEVICE SumRun<T> run_of_lanes(SumRun<T> run, int lanes)
{
    using Run = SumRun<T>;
    // Most runs add the same to an even and to an odd sum; together, too, if they add few places.
    const auto places = wave_sum(run.to_even == run.to_odd ? run.to_even : Run::kTooMany);
    if (places < Run::kTooMany)
        return {places, places};
    for (int distance = 1; distance < lanes; distance *= 2) {
        const int later = (lane_id() + distance) % wave_size();
        run.append({shfl(run.to_even, later), shfl(run.to_odd, later)});
    }
    return {broadcast(run.to_even, 0), broadcast(run.to_odd, 0)};
}

/// The runs of a wave's threads become the wave's. [block]
template <typename T> SIMT_DEVICE void share_run(const SumRun<T> &of_thread, SumRun<T> *of_waves)
{
    const SumRun<T> run = run_of_lanes(of_thread, wave_size());
    if (lane_id() == 0)
        of_waves[wave_id()] = run;
    barrier();
}

/// The runs of a block's threads, in their order, become one run, which every thread gets. [block]
template <int threads, typename T>
SIMT_DEVICE SumRun<T> run_of_block(const SumRun<T> &of_thread, SumRun<T> *of_waves)
{
    share_run(of_thread, of_waves);
    const int waves = threads / wave_size();
    SumRun<T> of_lane = {0, 0};
    if constexpr (threads / kMinWave > kMinWave) { // a lane for each only where waves are large
        const int each = (waves + wave_size() - 1) / wave_size();
        for (int i = 0, wave = lane_id() * each; i < each && wave < waves; ++i, ++wave)
            of_lane.append(of_waves[wave]);
        return run_of_lanes(of_lane, (waves + each - 1) / each);
    }
    if (lane_id() < waves) // no choice of addresses: of a constant and of shared memory, for OpenCL
        of_lane = of_waves[lane_id()];
    return run_of_lanes(of_lane, waves);
}

/// Returns the power of 2 that is not above the sum.
template <typename T> SIMT_DEVICE typename SumFormat<T>::Places power_below(T sum)
{
    return SumFormat<T>::places_of(sum) >> SumFormat<T>::kFractionBits
                                               << SumFormat<T>::kFractionBits;
}

/// What the terms of a block add to sums between the power of 2 at `from` and the next one, and to
/// those from there to the next but one.
template <typename T> struct PartRuns {
    using Places = typename SumFormat<T>::Places;
    using Run = SumRun<T>;

    Places from;
    Run low, high;

    /// The run for sums from another power of 2 on: of too many places if it is not known.
    SIMT_DEVICE Run at(Places power) const
    {
        if (power == from)
            return low;
        constexpr Run kUnknown = {Run::kTooMany, Run::kTooMany};
        return power == from + Run::kTooMany ? high : kUnknown;
    }
};

/// Makes them for sums that are a little above `sum`. [block]
template <int threads, typename T, typename Term, int kLength>
SIMT_DEVICE PartRuns<T> part_runs(T sum, const Term (&terms)[kLength])
{
    constexpr int kMostWaves = threads / kMinWave;
    SIMT_SHARED(SumRun<T>, of_waves, 2 * kMostWaves);
    const auto from = power_below(sum);
    return {
        from, run_of_block<threads>(run_of<T>(from, terms), of_waves),
        run_of_block<threads>(run_of<T>(from + SumRun<T>::kTooMany, terms), of_waves + kMostWaves)};
}

/// The terms of a wave, one after the other. Every lane gives and gets the same sum. [wave]
template <typename T, typename Term, int kLength>
SIMT_DEVICE T add_one_by_one(T sum, const Term (&terms)[kLength])
{
    SIMT_NO_UNROLL
    for (int lane = 0; lane < wave_size(); ++lane) {
        SIMT_UNROLL
        for (int i = 0; i < kLength; ++i)
            sum = sum + static_cast<T>(terms[i]);
        sum = broadcast(sum, lane);
    }
    return sum;
}

/// A sum that all threads of a block make together. Each of them has its value. A block makes one
/// sum of a type: another would use its shared memory while it may still be read.
template <int threads, typename T> class SerialSum {
public:
    T value;

    SIMT_DEVICE explicit SerialSum(T start) : value(start) {}

    /// Adds terms[0], terms[1] ... of the first thread, then those of the next one, in this order.
    /// [block]
    template <typename Term, int kLength> SIMT_DEVICE void add(const Term (&terms)[kLength])
    {
        SIMT_SHARED(Run, runs, 2 * kMostWaves);
        Run *of_waves = runs + half_ * kMostWaves;
        half_ = 1 - half_; // the next call's runs: these ones may still be read then
        if (!add_run(run_of_block<threads>(run_of<T>(power_below(value), terms), of_waves)))
            add_waves(of_waves, terms);
    }

    /// Adds parts of a block's terms by their runs, of which each thread below `count` has one, in
    /// the order of threads. Where that fails, add_terms(thread) adds the terms. [block]
    template <typename AddTerms>
    SIMT_DEVICE void add_parts(const PartRuns<T> &own, int count, const AddTerms &add_terms)
    {
        PartRuns<T> *parts = shared_parts();
        Run *of_waves = shared_runs();
        parts[thread_id()] = own;
        int first = 0;
        while (first < count) {
            const Places from = power_below(value);
            constexpr Run kNone = {0, 0};
            const bool is_left = thread_id() >= first && thread_id() < count;
            const Run all = run_of_block<threads>(is_left ? own.at(from) : kNone, of_waves);
            if (add_run(all))
                break;
            const int begin = add_runs(of_waves, 0) * wave_size();
            const int end = begin + wave_size() < count ? begin + wave_size() : count;
            for (int part = first > begin ? first : begin; part < end; ++part)
                if (!add_run(parts[part].at(power_below(value))))
                    add_terms(part);
            first = end;
            barrier(); // the runs of waves have been read
        }
        barrier(); // the parts have been read
    }

private:
    using Format = SumFormat<T>;
    using Places = typename Format::Places;
    using Run = SumRun<T>;
    static constexpr int kMostWaves = threads / kMinWave;

    int half_ = 0;

    SIMT_DEVICE static PartRuns<T> *shared_parts()
    {
        SIMT_SHARED(PartRuns<T>, parts, threads);
        return parts;
    }
    SIMT_DEVICE static Run *shared_runs()
    {
        SIMT_SHARED(Run, of_waves, kMostWaves);
        return of_waves;
    }
    /// Returns false if the run takes the sum to the next power of 2.
    SIMT_DEVICE bool add_run(const Run &run)
    {
        const Places from = power_below(value);
        const Places behind = run.behind(Format::places_of(value) - from);
        if (behind >= Run::kTooMany)
            return false;
        value = Format::at(from + behind);
        return true;
    }
    /// Adds the runs of waves from `wave` on. Returns the wave that would take the sum to the next
    /// power of 2, or the number of waves.
    SIMT_DEVICE int add_runs(const Run *of_waves, int wave)
    {
        while (wave < threads / wave_size() && add_run(of_waves[wave]))
            ++wave;
        return wave;
    }

    /// Adds wave after wave. Where one takes the sum to the next power of 2, its terms are added
    /// one by one, and those behind it make new runs. [block]
    template <typename Term, int kLength>
    SIMT_DEVICE void add_waves(Run *of_waves, const Term (&terms)[kLength])
    {
        SIMT_SHARED(T, behind_wave, 1);
        const int waves = threads / wave_size();
        int wave = 0;
        while (true) {
            wave = add_runs(of_waves, wave);
            if (wave == waves)
                return;
            if (wave_id() == wave) {
                const T behind = add_one_by_one(value, terms);
                if (lane_id() == 0)
                    behind_wave[0] = behind;
            }
            barrier();
            value = behind_wave[0];
            if (++wave == waves)
                return;
            share_run(run_of<T>(power_below(value), terms), of_waves);
        }
    }
};

/// Terms of a thread on their way from global memory, where those of a block follow each other.
template <int kLength> struct TermsAhead {
    static_assert(kLength % 4 == 0, "whole quads");
    float terms[kLength];

    /// Takes the thread's part of the `count` terms at `from`, whose place is a multiple of four
    /// floats; 0 behind them.
    SIMT_DEVICE void load(const float *from, int count)
    {
        const int first = thread_id() * kLength;
        SIMT_UNROLL
        for (int i = 0; i < kLength; i += 4) {
            FloatQuad quad = {};
            if (first + i + 4 <= count) {
                quad = *reinterpret_cast<const FloatQuad *>(from + first + i);
            } else {
                SIMT_UNROLL
                for (int j = 0; j < 4; ++j)
                    quad.v[j] = first + i + j < count ? from[first + i + j] : 0.0F;
            }
            SIMT_UNROLL
            for (int j = 0; j < 4; ++j)
                terms[i + j] = quad.v[j];
        }
    }
};

} // namespace vmafgpu
