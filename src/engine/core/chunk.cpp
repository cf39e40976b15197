// SPDX-License-Identifier: BSD-2-Clause-Patent
// See chunk.h.
#include "core/chunk.h"

namespace vmafgpu {

/// An input that ends before the pairs behind a chunk is the end of the run, unless that is known.
std::string chunk_lacks(const Chunk &chunk, int64_t after, int64_t reached, bool is_stopped)
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
