// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which part of a run an engine computes. The public header describes the fields (VmafGpuChunk);
// engine.cpp and the part log (report/report_part.h) read them.
#pragma once

#include <cstdint>
#include <limits>

namespace vmafgpu {

struct Chunk {
    int64_t first = 0; ///< index of the first pair that is submitted
    int64_t begin = 0; ///< first pair that counts
    int64_t end = std::numeric_limits<int64_t>::max(); ///< first pair that no longer counts
    int64_t total = 0;                                 ///< pairs of the whole run; 0: unknown

    bool counts(int64_t index) const { return index >= begin && index < end; }
};

} // namespace vmafgpu
