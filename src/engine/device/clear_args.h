// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel that clears device memory, for callers that must notice if clearing is lost: a launch
// is counted, a fill is not. Its device code is in gpu/unpack_kernels.cpp.
#pragma once

#include <cstdint>

#include "base/numeric.h"
#include "device/kernel.h"

namespace vmafgpu {

/// A fill with 0 that is counted as launches are (Queue::count_launches), which a
/// device's own fill is not.
struct ClearArgs {
    uint64_t *to; ///< device
    int64_t words;
};

constexpr int kClearWordsPerThread = 4;
constexpr Kernel<ClearArgs> kClear = {"clear_words", 256};

inline Grid clear_grid(int64_t words)
{
    constexpr int64_t kWordsPerBlock = int64_t{256} * kClearWordsPerThread;
    return {static_cast<unsigned>(divide_up(words, kWordsPerBlock)), 1, 1};
}

} // namespace vmafgpu
