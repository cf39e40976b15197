// SPDX-License-Identifier: BSD-2-Clause-Patent
// Files of the user that an output must not replace by mistake: videos, by how they begin.
#pragma once

#include <string>

namespace vmafgpu {

/// Whether the first bytes of a file are those of a video, a picture or sound.
bool is_media(const std::string &begin);

/// The same for a file that is open, and which it closes. -1: false.
bool is_media(int descriptor);

} // namespace vmafgpu
