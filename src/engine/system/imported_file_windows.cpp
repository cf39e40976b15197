// SPDX-License-Identifier: BSD-2-Clause-Patent
// See imported_file.h. Windows's half: drivers there have handles instead, which nothing asks for.
#include <cerrno>

#include "base/error.h"
#include "system/imported_file.h"

namespace vmafgpu {

ImportedFile::ImportedFile(int fd) : fd_(fd)
{
    throw Error(ENOTSUP, "memory of another driver cannot be imported on Windows");
}

ImportedFile::~ImportedFile() = default;

} // namespace vmafgpu
