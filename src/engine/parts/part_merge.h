// SPDX-License-Identifier: BSD-2-Clause-Patent
// Puts the parts of a run together, in order of their pairs. That they belong together is checked:
// the same run, no pair twice, none missing, and equal scores where neighbours have both computed a
// pair. Pooling and logs are then those of a whole run.
#pragma once

#include "parts/log_read.h"

namespace vmafgpu {

struct MergedRun {
    Part run;                 ///< the first part's, but with all rows, and the whole run's counts
    std::vector<int64_t> pts; ///< by index
    int64_t compared = 0;     ///< scores that two parts had, and that were equal
};

/// Throws Error: EINVAL if parts do not fit together, EBADMSG if two disagree on a score. The text
/// names the parts and the pair.
MergedRun merge_parts(std::vector<Part> parts);

} // namespace vmafgpu
