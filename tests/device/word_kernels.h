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
