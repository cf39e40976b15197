// SPDX-License-Identifier: BSD-2-Clause-Patent
// Small things that POSIX and Windows do differently: system_posix.cpp and system_windows.cpp.
// Output files have halves of their own in output/.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

namespace vmafgpu {

/// A file for reading, by its name in UTF-8; bytes as they are. Opening a pipe does not wait, and
/// programs that this one starts do not get it. -1: errno says why.
int open_input(const std::string &path);

/// Waits until there is something to read, or the end. Returns false if there was nothing for so
/// long.
bool wait_for_input(int descriptor, int milliseconds);

/// Opens the file for the C++ library; in a failed state if it cannot be opened, and errno says
/// why.
std::unique_ptr<std::istream> open_text(const std::string &path);

/// A variable that may name a library to load. nullptr where the program has more rights than the
/// user who set the variable.
const char *trusted_variable(const char *name);

/// Calls start(), which does not throw. Threads that it starts are sent no signals of the process:
/// a program's handler, and the call that the signal interrupts, are in one of its own threads.
void start_without_signals(const std::function<void()> &start);

/// The word of the two that is this system's.
const char *system_word(const char *posix, const char *windows);

/// The processors that this process may use, at least 1.
int own_processors();

/// The name that the processor's maker gave it.
std::string processor_name();

} // namespace vmafgpu
