// SPDX-License-Identifier: BSD-2-Clause-Patent
// Files of the user that an output must not replace by mistake, by how they begin.
#pragma once

#include <string>

namespace vmafgpu {

/// Of a file that is open, and which it closes: why a log, a page, statistics or a part must not
/// replace it, in words. "": it may be replaced, for it is empty, one of these, of this program or
/// of libvmaf, or cannot be read.
std::string overwrite_refusal(int descriptor);

} // namespace vmafgpu
