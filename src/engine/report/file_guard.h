// SPDX-License-Identifier: BSD-2-Clause-Patent
// Files of the user that an output must not replace by mistake, by how they begin.
#pragma once

#include <string>

namespace vmafgpu {

/// Whether the first bytes of a file are those of a video, a picture or sound.
bool is_media(const std::string &begin);

/// Whether they are those of a log, a page, statistics or a part, of this program or of libvmaf.
bool is_log(std::string begin);

/// Of a file that is open, and which it closes: why it must not be replaced, in words. "": it may
/// be, for it is empty, a log, or cannot be read. accepts_any: whatever is no video may be.
std::string overwrite_refusal(int descriptor, bool accepts_any);

} // namespace vmafgpu
