// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of CAMBI's pooling: the k-th largest of a plane of contrasts, by three
// histograms of nine bits. Included by cambi_kernels.cpp only.
#pragma once

#include "cambi_args.h"
#include "simt/simt.h"

namespace vmafgpu {
namespace {

struct alignas(16) FourValues {
    uint32_t v[4];
};

/// visit(v) of every value, shared out among the block's threads.
template <typename Visit>
SIMT_DEVICE void visit_values(const uint32_t *values, int64_t n, const Visit &visit)
{
    const auto *fours = reinterpret_cast<const FourValues *>(values);
    FourValues next = {};
    if (thread_id() < n / 4)
        next = fours[thread_id()];
    for (int64_t i = thread_id(); i < n / 4; i += kCambiSelectThreads) {
        const FourValues four = next;
        if (i + kCambiSelectThreads < n / 4)
            next = fours[i + kCambiSelectThreads];
        SIMT_UNROLL
        for (int j = 0; j < 4; ++j)
            visit(four.v[j]);
    }
    const int64_t last = n / 4 * 4 + thread_id();
    if (last < n)
        visit(values[last]);
}

constexpr int kDigits = 512;
constexpr int kCopies = 8; ///< of a histogram, so that equal values collide less
constexpr int kChunk = 16; ///< digits added up by one thread

/// The digit of the k-th largest, and in `larger` how many have a larger one. [block]
SIMT_DEVICE int find_digit(uint32_t *histogram, int64_t k, int64_t &larger)
{
    SIMT_SHARED(uint32_t, chunks, kDigits / kChunk);
    SIMT_SHARED(int64_t, found, 2);
    barrier();
    uint32_t sum = 0;
    if (thread_id() < kDigits)
        for (int copy = 0; copy < kCopies; ++copy)
            sum += histogram[thread_id() * kCopies + copy];
    barrier();
    if (thread_id() < kDigits)
        histogram[thread_id()] = sum;
    barrier();
    if (thread_id() < kDigits / kChunk) {
        sum = 0;
        for (int i = 0; i < kChunk; ++i)
            sum += histogram[thread_id() * kChunk + i];
        chunks[thread_id()] = sum;
    }
    barrier();
    if (thread_id() == 0) {
        int chunk = kDigits / kChunk - 1;
        while (chunk > 0 && larger + chunks[chunk] < k)
            larger += chunks[chunk--];
        int digit = chunk * kChunk + kChunk - 1;
        while (digit > chunk * kChunk && larger + histogram[digit] < k)
            larger += histogram[digit--];
        found[0] = digit;
        found[1] = larger;
    }
    barrier();
    larger = found[1];
    return static_cast<int>(found[0]);
}

/// Bits of the k-th largest of n values of which more than k are above 0. [block]
SIMT_DEVICE uint32_t kth_largest(const uint32_t *values, int64_t n, int64_t k, int64_t &larger)
{
    SIMT_SHARED(uint32_t, histogram, kDigits * kCopies);
    uint32_t found = 0;
    larger = 0;
    for (int shift = 18; shift >= 0; shift -= 9) {
        barrier();
        for (int i = thread_id(); i < kDigits * kCopies; i += kCambiSelectThreads)
            histogram[i] = 0;
        barrier();
        visit_values(values, n, [&](uint32_t value) {
            const uint32_t key = value - kCambiLowestBits; // of 0: not below 2^27
            const auto digit = static_cast<int>(key >> shift & (kDigits - 1));
            if (key >> (shift + 9) == found)
                atomic_add(histogram + digit * kCopies + thread_id() % kCopies, 1u);
        });
        found = found << 9 | static_cast<uint32_t>(find_digit(histogram, k, larger));
    }
    return found + kCambiLowestBits;
}

} // namespace
} // namespace vmafgpu
