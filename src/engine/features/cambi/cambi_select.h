// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of CAMBI's pooling: the k-th largest of a plane of contrasts, by three
// histograms of nine bits. Many blocks fill each of them, in a launch of its own: only the
// end of a launch says that a histogram is complete. Included by cambi_kernels.cpp only.
#pragma once

#include "cambi_args.h"
#include "simt/reduce.h"
#include "simt/simt.h"

namespace vmafgpu {
namespace {

struct alignas(16) FourValues {
    uint32_t v[4];
};

/// visit(v) of the values first .. end-1, shared out among the block's threads. first is a
/// multiple of four.
template <typename Visit> SIMT_DEVICE void visit_values(const uint32_t *values, int64_t first,
                                                        int64_t end, const Visit &visit)
{
    const auto *fours = reinterpret_cast<const FourValues *>(values);
    int64_t i = first / 4 + thread_id();
    FourValues next = {};
    if (i < end / 4)
        next = fours[i];
    for (; i < end / 4; i += kCambiSelectThreads) {
        const FourValues four = next;
        if (i + kCambiSelectThreads < end / 4)
            next = fours[i + kCambiSelectThreads];
        SIMT_UNROLL
        for (int j = 0; j < 4; ++j)
            visit(four.v[j]);
    }
    const int64_t last = end / 4 * 4 + thread_id();
    if (last < end)
        visit(values[last]);
}

/// What is known of the k-th largest value.
struct Kth {
    uint32_t digits = 0; ///< its first digits
    int64_t larger = 0;  ///< how many values have larger ones
};

/// The first `places` digits of the k-th largest of values of which more than k are above 0;
/// as many histograms are complete. [block]
SIMT_DEVICE Kth find_digits(const CambiTotals &totals, int64_t k, int places)
{
    SIMT_SHARED(uint32_t, of_waves, kCambiSelectThreads / kMinWave);
    SIMT_SHARED(int64_t, found, 2);
    Kth kth;
    for (int place = 0; place < places; ++place) {
        const uint32_t own = totals.digits[place][thread_id()];
        uint32_t sum = own; // of this digit and the larger ones
        for (int step = 1; step < wave_size(); step *= 2) {
            const bool is_lane = lane_id() + step < wave_size();
            const uint32_t other = shfl(sum, is_lane ? lane_id() + step : lane_id());
            sum += is_lane ? other : 0;
        }
        if (lane_id() == 0)
            of_waves[wave_id()] = sum;
        barrier();
        for (int wave = wave_id() + 1; wave < kCambiSelectThreads / wave_size(); ++wave)
            sum += of_waves[wave];
        const int64_t larger = kth.larger + (sum - own);
        if (larger < k && larger + own >= k) { // true for one thread
            found[0] = thread_id();
            found[1] = larger;
        }
        barrier();
        kth.digits = kth.digits << kCambiDigitBits | static_cast<uint32_t>(found[0]);
        kth.larger = found[1];
    }
    return kth;
}

constexpr int kCopies = 8; ///< of a histogram, so that equal values collide less
/// Four banks more, so that the copies of a few neighbouring digits lie in different banks.
constexpr int kCopyPitch = kCambiDigitValues + 4;

/// Of a block's values that begin with `digits`, counts the digit at args.place. At the last
/// place also adds up the values that are larger by the digits before it. [block]
SIMT_DEVICE void count_digits(const CambiSelectArgs &args, const CambiSelectArgs::Scale &scale,
                              const uint32_t *values, uint32_t digits, CambiTotals &totals)
{
    SIMT_SHARED(uint32_t, histogram, kCopies * kCopyPitch);
    for (int i = thread_id(); i < kCopies * kCopyPitch; i += kCambiSelectThreads)
        histogram[i] = 0;
    barrier();
    const bool is_last = args.place == kCambiPlaces - 1;
    const int shift = (kCambiPlaces - 1 - args.place) * kCambiDigitBits;
    const uint32_t too_large =
        is_last ? ((digits + 1) << kCambiDigitBits) + kCambiLowestBits : 0xffffffff;
    uint32_t *copy = histogram + thread_id() % kCopies * kCopyPitch;
    uint64_t larger = 0;
    const int64_t first = static_cast<int64_t>(block_id_x() - scale.first_block) * kCambiDigitsPart;
    const int64_t end = first + kCambiDigitsPart;
    visit_values(values, first, end < scale.count ? end : scale.count, [&](uint32_t value) {
        const uint32_t key = value - kCambiLowestBits; // of 0: not below 2^27
        if (key >> shift >> kCambiDigitBits == digits)
            atomic_add(copy + (key >> shift & (kCambiDigitValues - 1)), 1u);
        else if (value >= too_large)
            larger += cambi_units(value);
    });
    barrier();
    uint32_t sum = 0;
    for (int i = 0; i < kCopies; ++i)
        sum += histogram[i * kCopyPitch + thread_id()];
    if (sum > 0)
        atomic_add(&totals.digits[args.place][thread_id()], sum);
    if (is_last) {
        larger = block_sum(larger);
        if (thread_id() == 0)
            atomic_add(&totals.larger, larger);
    }
}

/// This thread's part of the values that are above the k-th largest and share its digits but
/// the last: the last histogram tells them all.
SIMT_DEVICE uint64_t units_above(const CambiTotals &totals, uint32_t digits)
{
    const uint32_t key =
        digits / kCambiDigitValues * kCambiDigitValues + static_cast<uint32_t>(thread_id());
    const uint64_t count = totals.digits[kCambiPlaces - 1][thread_id()];
    return key > digits ? count * cambi_units(key + kCambiLowestBits) : 0;
}

} // namespace
} // namespace vmafgpu
