// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a JSON log or a part says of its run besides the scores (report_run.h, report_pairing.h),
// read back, for pages and for merging.
#pragma once

#include "report/json_parse.h"
#include "report/report_facts.h"

namespace vmafgpu {

/// The members "vmaf_gpu", "pairing", "fps" and "repeated_*". Throws Malformed.
void read_run(const Json &whole, ReadRun &run);

// For those who read more of such a file: members of an object. All throw Malformed.

constexpr int64_t kMostPairs = int64_t{1} << 40;

int64_t number(const Json &object, const char *key, int64_t least, int64_t most = kMostPairs);
const Json &members(const Json &object, const char *key);
const Json &list(const Json &object, const char *key);

} // namespace vmafgpu
