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

/// visit(v) of n values, shared out among the block's threads.
template <typename Visit>
SIMT_DEVICE void visit_values(const uint32_t *values, int n, const Visit &visit)
{
    const auto *fours = reinterpret_cast<const FourValues *>(values);
    FourValues next = {};
    if (thread_id() < n / 4)
        next = fours[thread_id()];
    for (int i = thread_id(); i < n / 4; i += kCambiSelectThreads) {
        const FourValues four = next;
        if (i + kCambiSelectThreads < n / 4)
            next = fours[i + kCambiSelectThreads];
        SIMT_UNROLL
        for (int j = 0; j < 4; ++j)
            visit(four.v[j]);
    }
    const int last = n / 4 * 4 + thread_id();
    if (last < n)
        visit(values[last]);
}

/// What is known of the k-th largest value.
struct Kth {
    uint32_t digits; ///< its first digits
    int64_t larger;  ///< how many values have larger ones
};

/// The next digit of the k-th largest. Only the lane that has it writes to `next`. [wave]
SIMT_DEVICE void find_digit(const uint32_t *histogram, int64_t k, const Kth &kth, Kth &next)
{
    const int count = kCambiDigitValues / wave_size(); // digits of a lane
    const uint32_t *own = histogram + lane_id() * count;
    uint32_t sum = 0;
    for (int i = 0; i < count; ++i)
        sum += own[i];
    uint32_t from_here = sum; // of the lane's digits and all larger ones
    for (int step = 1; step < wave_size(); step *= 2) {
        const bool is_lane = lane_id() + step < wave_size();
        const uint32_t other = shfl(from_here, is_lane ? lane_id() + step : lane_id());
        from_here += is_lane ? other : 0;
    }
    int64_t larger = kth.larger + (from_here - sum);
    if (larger < k && larger + sum >= k) {
        int i = count - 1;
        while (larger + own[i] < k)
            larger += own[i--];
        next.digits = kth.digits << kCambiDigitBits | static_cast<uint32_t>(lane_id() * count + i);
        next.larger = larger;
    }
}

/// The first `places` digits of the k-th largest of values of which more than k are above 0;
/// as many histograms are complete. [block]
SIMT_DEVICE Kth find_digits(const CambiTotals &totals, int64_t k, int places)
{
    SIMT_SHARED(Kth, found, kCambiPlaces);
    Kth kth = {0, 0};
    for (int place = 0; place < places; ++place) {
        if (wave_id() == 0)
            find_digit(totals.digits[place], k, kth, found[place]);
        barrier();
        kth = found[place];
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
    const int64_t rest = scale.count - first;
    const int count = rest < kCambiDigitsPart ? static_cast<int>(rest) : kCambiDigitsPart;
    visit_values(values + first, count, [&](uint32_t value) {
        const uint32_t key = value - kCambiLowestBits; // of 0: not below 2^27
        if (key >> (shift + kCambiDigitBits) == digits)
            atomic_add(copy + (key >> shift & (kCambiDigitValues - 1)), 1u);
        else if (value >= too_large)
            larger += cambi_units(value);
    });
    barrier();
    if (thread_id() < kCambiDigitValues) {
        uint32_t sum = 0;
        for (int i = 0; i < kCopies; ++i)
            sum += histogram[i * kCopyPitch + thread_id()];
        if (sum > 0)
            atomic_add(&totals.digits[args.place][thread_id()], sum);
    }
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
    const auto last = static_cast<uint32_t>(thread_id());
    const uint32_t key = digits / kCambiDigitValues * kCambiDigitValues + last;
    if (last >= kCambiDigitValues || key <= digits)
        return 0;
    return totals.digits[kCambiPlaces - 1][last] * cambi_units(key + kCambiLowestBits);
}

} // namespace
} // namespace vmafgpu
