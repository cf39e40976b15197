// SPDX-License-Identifier: BSD-2-Clause-Patent
// A library of the system, such as a GPU's driver, loaded at run time: shared_library_posix.cpp
// and shared_library_windows.cpp. Not here: what the names are.
#pragma once

#include <string>

namespace vmafgpu {

/// Stays loaded until the process ends: drivers keep threads and handlers of their own.
class SharedLibrary {
public:
    /// Takes the library if this process has it already. Returns false if it has not.
    bool find(const std::string &name);
    /// Loads the library. Returns false if it cannot; why() then says why, in the system's words.
    bool load(const std::string &name);
    /// nullptr: the library has no such function.
    void *symbol(const char *name) const;

    const std::string &why() const { return why_; }
    /// Whether load() failed for another reason than that there is no such file.
    bool is_broken() const { return is_broken_; }

private:
    void *handle_ = nullptr;
    std::string why_;
    bool is_broken_ = false;
};

} // namespace vmafgpu
