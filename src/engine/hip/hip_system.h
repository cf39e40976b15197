// SPDX-License-Identifier: BSD-2-Clause-Patent
// What AMD's runtime and its driver have of their own on each system: hip_system_posix.cpp and
// hip_system_windows.cpp.
#pragma once

#include <string>
#include <vector>

namespace vmafgpu {

/// Names of the runtime, the first to be tried first.
std::vector<std::string> hip_library_names();

/// The place that the runtime comes from, for the text that there is none.
std::string hip_source_text();

/// Why the runtime may see no GPU, for texts, and what to do.
std::string hip_visibility_text();

} // namespace vmafgpu
