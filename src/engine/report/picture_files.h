// SPDX-License-Identifier: BSD-2-Clause-Patent
// The files of PictureFile (base/picture_file.h) on disk: raw pictures at the places of their
// pairs. They are written at once and not renamed, because they are large, and useful before the
// end.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "base/picture_file.h"

namespace vmafgpu {

/// Makes the folder and its parents (mode 0770) if they are not there, and empties files that are
/// there, if they may be replaced. If somebody writes one of the files already, all get a
/// number in their names, and a warning is logged. Throws Error, which names the file.
PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names,
                                const Log &log);

} // namespace vmafgpu
