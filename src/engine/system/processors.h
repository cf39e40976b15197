// SPDX-License-Identifier: BSD-2-Clause-Patent
// How many processors this process may use. How many threads that makes is the caller's decision.
#pragma once

#include <string>

namespace vmafgpu {

/// Processors of the affinity mask (of which a cpuset takes away), or fewer where a control group
/// has less time than that; at least 1.
int available_processors();

/// Processors that the control groups of a process leave it, rounded up; 0: no limit. groups: the
/// text of /proc/self/cgroup. root: where the hierarchies are mounted.
int processors_of_quota(const std::string &groups, const std::string &root);

} // namespace vmafgpu
