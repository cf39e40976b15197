// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which variants share a Feature object: what FeatureInfo::create is made of.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "features/feature.h"

namespace vmafgpu {

/// Splits variants into sets, in the order of the sets' first members, and has a Feature object
/// made of the options of each. shares(a, b) says whether two belong together; it must be an
/// equivalence.
template <typename Options, typename Shares, typename Make> std::vector<FeatureGroup>
make_groups(const std::vector<FeatureOptions> &variants, const Shares &shares, const Make &make)
{
    std::vector<std::vector<Options>> sets;
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i) {
        const auto &options = variants[i].as<Options>();
        size_t at = 0;
        while (at < sets.size() && !shares(sets[at].front(), options))
            ++at;
        if (at == sets.size()) {
            sets.emplace_back();
            groups.emplace_back();
        }
        sets[at].push_back(options);
        groups[at].variants.push_back(static_cast<int>(i));
    }
    for (size_t at = 0; at < sets.size(); ++at)
        groups[at].feature = make(std::move(sets[at]));
    return groups;
}

/// A Feature object for each variant.
template <typename Options, typename Make> std::vector<FeatureGroup>
make_separately(const std::vector<FeatureOptions> &variants, const Make &make)
{
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i)
        groups.push_back({make(variants[i].as<Options>()), {static_cast<int>(i)}});
    return groups;
}

/// A Feature object for each variant of a feature without options.
template <typename Make>
std::vector<FeatureGroup> make_plain(const std::vector<FeatureOptions> &variants, const Make &make)
{
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i)
        groups.push_back({make(), {static_cast<int>(i)}});
    return groups;
}

} // namespace vmafgpu
