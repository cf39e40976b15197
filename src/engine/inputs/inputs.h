// SPDX-License-Identifier: BSD-2-Clause-Patent
// The two inputs of a comparison, before their pictures become samples: what is converted, what is
// refused, and what is said. Behind include/vmaf_gpu/inputs.h.
#pragma once

#include <array>
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

/// VmafGpuAdvice while it is made: text is appended to it.
struct Advice {
    std::string text, model;
    std::array<std::string, 2> filter, option; ///< [0] main's, [1] the reference's
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

/// Adds filters for one input.
void add_example_for(Advice &advice, const VmafGpuInputs &inputs, int input,
                     const std::string &filters);

/// " (formats=asis: gain)" where that option would change something; else "".
std::string as_is_hint(const VmafGpuInputs &inputs, const char *gain);

/// "its size from 320x180 to 160x90, its range ..."; "": what VmafGpuInput knows stays.
std::string change_of(const VmafGpuInput &before, const VmafGpuInput &after);

/// The filters of FFmpeg that turn frames like `after` into those like `before`.
std::string filters_back(const VmafGpuInput &before, const VmafGpuInput &after);

/// What sizes and models say, fields, colours, and what is left out. The first throws
/// Error(EINVAL), after its advice, if the pictures cannot be compared.
void check_pictures(const VmafGpuInputs &inputs, const Advise &advise);
void check_fields(const VmafGpuInputs &inputs, const Advise &advise);
void check_colours(const VmafGpuInputs &inputs, const Advise &advise);
void check_rest(const VmafGpuInputs &inputs, const Advise &advise);

/// "1 of 0,1": which of the videos of its file an input is; empty: not known.
std::string stream_text(const VmafGpuInput &input);

/// Grey pictures against colour of the same size; empty: they are not.
std::string gray_fault(const VmafGpuInputs &inputs);

} // namespace vmafgpu
