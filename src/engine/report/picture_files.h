// SPDX-License-Identifier: BSD-2-Clause-Patent
// The files of PictureFile (base/picture_file.h) on disk: raw pictures at the places of their
// pairs. They are written at once and not renamed, because they are large, and useful before the
// end.
#pragma once

#include <string>
#include <vector>

#include "base/picture_file.h"

namespace vmafgpu {

/// Makes the folder and its parents if they are not there, and empties files that are there, if
/// they may be replaced. Throws Error, which names the file: also if somebody writes it already.
PictureFiles open_picture_files(const std::string &folder, const std::vector<std::string> &names);

} // namespace vmafgpu
