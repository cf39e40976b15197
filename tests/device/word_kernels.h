// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels that use the words of simt.h as they should be used, and what they take.
// All store or add to `out`; see word_kernels.cpp.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

struct WordArgs {
    uint64_t *out;
    int64_t *signed_out;
    uint32_t *out32;
    int count;
};

constexpr Kernel<WordArgs> kShuffle = {"test_shuffle", 256};
constexpr Kernel<WordArgs> kReduce = {"test_reduce", 256};
constexpr Kernel<WordArgs> kReduceTwice = {"test_reduce_twice", 256};
constexpr Kernel<WordArgs> kAtomics = {"test_atomics", 256};
constexpr Kernel<WordArgs> kRotate = {"test_rotate", 256};
constexpr Kernel<WordArgs> kPlaces = {"test_places", 64};
constexpr Kernel<WordArgs> kOrder = {"test_order", 256};
constexpr Kernel<WordArgs> kRows = {"test_rows", 64};
constexpr Kernel<WordArgs> kMany = {"test_many", 1024};
constexpr Kernel<WordArgs> kStore = {"test_store", 64};
constexpr Kernel<WordArgs> kCopy = {"test_copy", 64};
constexpr Kernel<WordArgs> kManyBarriers = {"test_many_barriers", 256};
constexpr Kernel<WordArgs> kManyShuffles = {"test_many_shuffles", 256};
constexpr Kernel<WordArgs> kMatrix = {"test_matrix", 64};
constexpr Kernel<WordArgs> kMatrixSigned = {"test_matrix_signed", 128};
constexpr Kernel<WordArgs> kMatrixOfDevice = {"test_matrix_of_device", 64};

constexpr Kernel<WordArgs> kSerialSum = {"test_serial_sum", 256};
/// Sums of the same terms by many calls of add().
constexpr Kernel<WordArgs> kSerialSumOfParts = {"test_serial_sum_of_parts", 256};

/// Sums of the same terms by runs that were made before.
constexpr Kernel<WordArgs> kSerialSumByRuns = {"test_serial_sum_by_runs", 64};

/// Terms of kSerialSum, at most. A kind of terms per block, with a first sum of its own.
constexpr int kSerialTerms = 4096;
constexpr int kSerialKinds = 5;
inline constexpr float serial_start(int kind)
{
    // Places of 1 for float at 2^23; almost the next power of 2.
    const float starts[kSerialKinds] = {0, 0x1p23F, 0x1.ffffp23F, 0x1p-140F, 3};
    return starts[kind];
}
/// Terms of all sizes; halves, which are ties; places and halves; terms that no sum of floats has a
/// power of 2 for at first; zeros, and some terms that take the sum to the next power.
inline constexpr float serial_term(int kind, int i)
{
    const uint32_t random = (static_cast<uint32_t>(i) * 2654435761u + 12345) * 2246822519u >> 7;
    const auto fraction = static_cast<float>(random & 65535);
    if (kind == 0)
        return fraction / static_cast<float>(1 << (random >> 16 & 15)) * 0x1p-12F;
    if (kind == 1)
        return (random & 7) == 0 ? 1.5F : 0.5F;
    if (kind == 2)
        return static_cast<float>(random & 3) / 2;
    if (kind == 3)
        return fraction * 0x1p-149F;
    return (random & 63) != 0 ? 0 : fraction * fraction;
}

/// Some byte for each element of an operand.
inline constexpr uint32_t matrix_byte(int row, int column)
{
    return static_cast<uint32_t>((row * 41 + column * 97 + row * column * 7) % 256);
}

/// Results per thread of kShuffle.
constexpr int kShuffleResults = 4;

/// Value of a thread: above 2^32, so that halves alone are not enough.
inline constexpr uint64_t word_value(int thread)
{
    return UINT64_C(0xfffffffd00000000) / 1024 * static_cast<uint64_t>(thread + 1) + 0xfffffff7u;
}

} // namespace vmafgpu
