// SPDX-License-Identifier: BSD-2-Clause-Patent
// See shared_library.h. POSIX's half.
#include <dlfcn.h>

#include "system/shared_library.h"

namespace vmafgpu {

bool SharedLibrary::find(const std::string &name)
{
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle_ == nullptr)
        dlerror(); // the next text is of the next call
    return handle_ != nullptr;
}

bool SharedLibrary::load(const std::string &name)
{
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr)
        return true;
    const char *text = dlerror();
    why_ = text != nullptr ? text : "";
    // The message names a library that is there, or another one that it needs.
    is_broken_ =
        why_.find("No such file") == std::string::npos || why_.compare(0, name.size(), name) != 0;
    return false;
}

void *SharedLibrary::symbol(const char *name) const
{
    return dlsym(handle_, name);
}

} // namespace vmafgpu
