// SPDX-License-Identifier: BSD-2-Clause-Patent
// A serial sum of numbers that are neither negative nor NaN, made by all threads of a block: it has
// the bits of one thread that adds term after term. On top of simt.h. Included by kernels only.
//
// As long as the sum stays between two powers of 2 it is a multiple of its last place, and a term
// adds a number of places that depends on nothing but the term and whether the sum is even: a tie
// goes to the even one. So two sums over a run of terms say what the run adds to any sum: one that
// starts at the lower power of 2, which is even, and one that starts a place above it. Each thread
// makes them for a run, and runs are joined in their order. A run that takes the sum to the next
// power of 2 is added term by term. Across threads, only numbers of places are added.
#pragma once

#include "simt/simt.h"

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

    Places to_even = 0, to_odd = 0;

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

/// The run of `count` terms, for sums between the power of 2 at `from` and the next one. Numbers
/// below the least power have places of one size, too: there, `from` is 0.
template <typename T>
SIMT_DEVICE SumRun<T> run_of(typename SumFormat<T>::Places from, const float *terms, int count)
{
    using Format = SumFormat<T>;
    using Run = SumRun<T>;
    T even = Format::at(from);
    T odd = Format::at(from + 1);
    for (int i = 0; i < count; ++i) {
        const auto term = static_cast<T>(terms[i]);
        even = even + term;
        odd = odd + term;
    }
    return {Run::limited(Format::places_of(even) - from),
            Run::limited(Format::places_of(odd) - from - 1)};
}

/// sum + terms[0] + terms[1] ... in this order, for `count` terms in shared memory that a barrier
/// made visible. Every thread gives and gets the same sum. Ends with a barrier. [block]
template <int threads, typename T> SIMT_DEVICE T add_in_order(T sum, const float *terms, int count)
{
    using Format = SumFormat<T>;
    using Run = SumRun<T>;
    using Places = typename Format::Places;
    SIMT_SHARED(Places, to_even, threads / kMinWave);
    SIMT_SHARED(Places, to_odd, threads / kMinWave);
    const int waves = threads / wave_size();
    int first = 0;
    while (first < count) {
        // Lanes read different banks if their distance is odd.
        const int length = divide_up(count - first, threads) | 1;
        const int mine = first + length * thread_id();
        const int left = mine < count ? count - mine : 0;
        const Places from = Format::places_of(sum) >> Format::kFractionBits
                                                          << Format::kFractionBits;
        Run run = run_of<T>(from, terms + mine, left < length ? left : length);
        for (int distance = 1; distance < wave_size(); distance *= 2) {
            const int later = (lane_id() + distance) % wave_size();
            run.append({shfl(run.to_even, later), shfl(run.to_odd, later)});
        }
        if (lane_id() == 0) {
            to_even[wave_id()] = run.to_even;
            to_odd[wave_id()] = run.to_odd;
        }
        barrier();
        Places places = Format::places_of(sum) - from;
        int wave = 0;
        for (; wave < waves; ++wave) {
            const Places behind = Run{to_even[wave], to_odd[wave]}.behind(places);
            if (behind >= Run::kTooMany)
                break;
            places = behind;
        }
        sum = Format::at(from + places);
        first += wave * length * wave_size();
        const int end = first + length * wave_size();
        if (wave < waves)
            for (; first < end && first < count; ++first)
                sum = sum + static_cast<T>(terms[first]);
        barrier();
    }
    return sum;
}

/// Terms in global memory on their way to shared memory, at most `most` of them.
template <int threads, int most> struct TermsAhead {
    static constexpr int kOfThread = most / threads;
    static_assert(most % threads == 0, "a whole number of rounds");
    float terms[kOfThread];
    int count = 0;

    SIMT_DEVICE void load(const float *from, int how_many)
    {
        count = how_many;
        SIMT_UNROLL
        for (int i = 0; i < kOfThread; ++i) {
            const int at = i * threads + thread_id();
            terms[i] = at < count ? from[at] : 0;
        }
    }
    SIMT_DEVICE void store(float *to) const
    {
        SIMT_UNROLL
        for (int i = 0; i < kOfThread; ++i)
            to[i * threads + thread_id()] = terms[i];
    }
};

} // namespace vmafgpu
