// SPDX-License-Identifier: BSD-2-Clause-Patent
// What POSIX and Windows do differently for picture_files.cpp: picture_disk_posix.cpp and
// picture_disk_windows.cpp. Functions that return int give 0 or an errno value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/file_claim.h"

namespace vmafgpu {

/// Makes the folder and its parents. is_other: something that is no folder has its name.
int make_picture_folder(const std::string &folder, bool &is_other);

/// What is wrong with a file that is there already: it is a folder, a device, or the like.
int picture_kind_error(const FileTarget &target);

/// Opens the file and empties it. EBUSY: another process writes it.
int open_picture(const FileTarget &target, int &descriptor);

/// From any thread.
int write_picture(int descriptor, int64_t offset, const char *data, size_t size);

/// Removes what lies behind so many bytes.
int cut_picture(int descriptor, int64_t size);

int close_picture(int descriptor);

} // namespace vmafgpu
