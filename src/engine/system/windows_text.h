// SPDX-License-Identifier: BSD-2-Clause-Patent
// Windows only: paths as its wide functions take them, and its errors as errno values. Everything
// else of the engine has paths in UTF-8.
#pragma once

#include <string>

namespace vmafgpu {

/// UTF-16 of UTF-8. A byte that is not UTF-8 becomes U+FFFD.
std::wstring wide(const std::string &text);

/// UTF-8 of UTF-16.
std::string narrow(const std::wstring &text);

/// wide() of a path. One that is too long for Windows's old limit gets the prefix without it.
std::wstring wide_path(const std::string &path);

/// Returns the errno value for a result of GetLastError(); EIO if there is none.
int errno_of(unsigned long error);

/// Returns one sentence, without the end of its line.
std::string error_text(unsigned long error);

} // namespace vmafgpu
