// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_targets.h. The table holds single architectures and no ranges: LLVM adds some to a
// family later (gfx1170 is not of gfx11-generic).
#include "hip/hip_targets.h"

#include <sstream>

namespace vmafgpu {

namespace {

struct Family {
    const char *target;
    const char *members;
};

constexpr Family kFamilies[] = {
    {"gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c"},
    {"gfx9-4-generic", "gfx940 gfx941 gfx942 gfx950"},
    {"gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013"},
    {"gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036"},
    {"gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153"},
    {"gfx12-generic", "gfx1200 gfx1201"},
};

bool has_word(const std::string &list, const std::string &word)
{
    std::istringstream words(list);
    for (std::string one; words >> one;)
        if (one == word)
            return true;
    return false;
}

} // namespace

std::string hip_base_target(const std::string &arch)
{
    return arch.substr(0, arch.find(':'));
}

std::string hip_generic_target(const std::string &arch)
{
    const std::string wanted = hip_base_target(arch);
    for (const Family &family : kFamilies)
        if (has_word(family.members, wanted))
            return family.target;
    return "";
}

std::string hip_image_for(const std::string &images, const std::string &arch, int runtime_version)
{
    std::string wanted = hip_base_target(arch);
    if (has_word(images, wanted))
        return wanted;
    const std::string family = hip_generic_target(arch);
    const bool is_there = !family.empty() && has_word(images, family);
    return is_there && runtime_version >= kHipGenericVersion ? family : "";
}

bool hip_has_matrix_s8(const std::string &target)
{
    return has_word("gfx942 gfx950 gfx9-4-generic", target);
}

} // namespace vmafgpu
