// SPDX-License-Identifier: BSD-2-Clause-Patent
// Files of the user that an output must not replace by mistake: those that this process has open,
// and videos. By what is found on disk only; names of this process's outputs are in file_claim.h.
#pragma once

#include <cstddef>
#include <string>

#include "report/file_claim.h"

namespace vmafgpu {

/// Why the regular file that is there must not be replaced, or "".
std::string reason_to_keep(const FileTarget &target);

/// How many bytes is_media() wants: it reaches the third packet of a transport stream.
constexpr size_t kMediaBegin = 512;

/// Whether the file begins like one of those below.
bool is_media(const FileTarget &target);

/// Whether the first bytes of a file are those of a video, a picture or sound.
bool is_media(const std::string &begin);

} // namespace vmafgpu
