// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which part of a run an engine computes. The public header describes the fields (VmafGpuChunk);
// engine.cpp and the part log (report/report_part.cpp) read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace vmafgpu {

struct Chunk {
    int64_t first = 0; ///< index of the first pair that is submitted
    int64_t begin = 0; ///< first pair that counts
    int64_t end = std::numeric_limits<int64_t>::max(); ///< first pair that no longer counts
    int64_t total = 0;                                 ///< pairs of the whole run; 0: unknown

    bool is_whole() const { return begin == 0 && end == std::numeric_limits<int64_t>::max(); }
    /// Whether it is the run itself, also if it was given as a chunk.
    bool has_all_pairs() const { return is_whole() || (begin == 0 && total > 0 && end >= total); }
    bool counts(int64_t index) const { return index >= begin && index < end; }
    /// Pairs of the run up to the last one that scores need, `after` later ones; 0: unknown.
    int64_t needed(int64_t after) const
    {
        if (end == std::numeric_limits<int64_t>::max())
            return total;
        return total > 0 ? std::min(end + after, total) : end + after;
    }
};

/// Why a chunk has not got all its pairs; empty: it has. reached: pairs of the run up to the last
/// one that came. is_stopped: from outside. An input that ends before the pairs behind a chunk is
/// the end of the run, unless that is known.
inline std::string chunk_lacks(const Chunk &chunk, int64_t after, int64_t reached, bool is_stopped)
{
    const int64_t needed = chunk.needed(after);
    const std::string last = std::to_string(reached - 1);
    if (is_stopped && (needed == 0 || reached < needed))
        return "it was stopped after pair " + last + ", before the end of the chunk";
    if (reached <= chunk.begin)
        return "it begins at pair " + std::to_string(chunk.begin) +
               ", but the input ended before it";
    if (chunk.total > 0 && reached < needed)
        return "the input ended after pair " + last + ", but pairs up to " +
               std::to_string(needed - 1) + " are needed";
    return "";
}

} // namespace vmafgpu
