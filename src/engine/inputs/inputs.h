// SPDX-License-Identifier: BSD-2-Clause-Patent
// The two inputs of a comparison, before their pictures become samples: what is converted, what is
// refused, and what is said. Behind include/vmaf_gpu/inputs.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

inline constexpr const char *kInputNames[] = {"main", "reference"};

/// "" if there is no such tag. A text that is no name is none: it would become part of a filter.
template <size_t kSize> std::string_view tag_of(const char (&text)[kSize])
{
    const std::string_view whole(text, kSize);
    const std::string_view tag = whole.substr(0, whole.find('\0'));
    const bool is_name =
        tag.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == tag.npos;
    return !is_name || tag == "unknown" || tag == "unspecified" || tag == "reserved"
               ? std::string_view()
               : tag;
}

/// VmafGpuAdvice. It begins as a text that something is added to.
struct Advice {
    std::string text, filter[2], option[2], model;
    bool is_scaling_enough = false;

    Advice(std::string words = {}) : text(std::move(words)) {} // NOLINT(*-explicit-*)
    Advice(const char *words) : text(words) {}                 // NOLINT(*-explicit-*)
    Advice &operator+=(std::string_view words)
    {
        text += words;
        return *this;
    }
};

using Advise = std::function<void(VmafGpuLogLevel level, const Advice &advice)>;

void plan_inputs(VmafGpuInputs &inputs);

/// Adds filters for main and reference; null: none. Frames of hardware have none.
void add_example(Advice &advice, const VmafGpuInputs &inputs, const char *main_filters,
                 const char *reference_filters);

/// What sizes and models say, and what colours say. The first throws Error(EINVAL), after its
/// advice, if the pictures cannot be compared.
void check_pictures(const VmafGpuInputs &inputs, const Advise &advise);
void check_colours(const VmafGpuInputs &inputs, const Advise &advise);

} // namespace vmafgpu
