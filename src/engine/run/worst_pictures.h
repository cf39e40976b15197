// SPDX-License-Identifier: BSD-2-Clause-Patent
// The pictures of the pairs that the page of a run would show so far. They are the caller's, in its
// memory: a pair costs no work, until the page is written.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "pairing/pairing.h"
#include "picture/thumbnail.h"
#include "report/worst.h"

namespace vmafgpu {

class WorstPictures {
public:
    /// after: so many of the latest pairs may get other scores, when a run is stopped.
    WorstPictures(const std::vector<size_t> &model_columns, int after);

    /// A pair waits for its scores. It replaces later ones, which were dropped.
    void met(int64_t index, Pairing::Pictures pictures);
    /// The oldest one that waits has its scores. scores: null if no log has them.
    void scored(int64_t index, const double *scores);
    /// As VmafGpuRun.thumbnails. chroma: of pictures whose tags have no format.
    const char *draw(const VmafGpuInput (&tags)[kInputs], Chroma chroma, VmafGpuThumbnail *list,
                     int count);

private:
    struct Pair {
        int64_t index;
        Pairing::Pictures pictures;
    };

    std::string draw_input(Input input, const VmafGpuInput &tags, Chroma chroma,
                           VmafGpuThumbnail *list, int count);

    int64_t after_;
    std::vector<std::pair<size_t, Worst>> worst_; ///< each of the page's columns has a list
    std::deque<Pair> pairs_;                      ///< in their order
    std::deque<Thumbnail> thumbnails_;
    std::string note_;
};

} // namespace vmafgpu
