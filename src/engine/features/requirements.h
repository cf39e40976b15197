// SPDX-License-Identifier: BSD-2-Clause-Patent
// Refusals that several features share: of bit depths and of pictures without chroma. Each message
// names what is allowed.
#pragma once

#include <initializer_list>
#include <string>

#include "base/error.h"
#include "base/picture.h"

namespace vmafgpu {

inline void require_depth(const char *feature, const Format &format,
                          std::initializer_list<int> allowed)
{
    std::string list;
    for (const int depth : allowed) {
        if (depth == format.depth)
            return;
        list += (list.empty() ? "" : ", ") + std::to_string(depth);
    }
    throw Error(EINVAL, std::string("feature ") + feature + ": depth is " +
                            std::to_string(format.depth) + "; allowed: " + list);
}

inline void require_chroma(const char *feature, const Format &format)
{
    if (format.chroma == Chroma::k400)
        throw Error(EINVAL, std::string("feature ") + feature +
                                " needs chroma, but the pictures are gray or the two inputs differ "
                                "in their chroma format: give both the same 4:2:0, 4:2:2 or 4:4:4 "
                                "format");
}

} // namespace vmafgpu
