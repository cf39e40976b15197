// SPDX-License-Identifier: BSD-2-Clause-Patent
// The two inputs of a comparison, before their pictures become samples: what is converted, what is
// refused, and what is said. Behind include/vmaf_gpu/inputs.h.
#pragma once

#include <string>
#include <string_view>

#include "base/log.h"
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

void plan_inputs(VmafGpuInputs &inputs);

/// Throws Error(EINVAL) if the pictures cannot be compared.
void check_inputs(const VmafGpuInputs &inputs, const Log &log);

/// Adds ", e.g. " and a filter graph with these filters before main and reference; null: none.
void add_example(std::string &text, const VmafGpuInputs &inputs, const char *main_filters,
                 const char *reference_filters);

/// "its size from 320x180 to 160x90, its range ..."; "": what VmafGpuInput knows stays.
std::string change_of(const VmafGpuInput &before, const VmafGpuInput &after);

/// The filters of FFmpeg that turn frames like `after` into those like `before`.
std::string filters_back(const VmafGpuInput &before, const VmafGpuInput &after);

/// Parts of check_inputs(): what sizes and models say, fields, colours, and what is left out.
void check_pictures(const VmafGpuInputs &inputs, const Log &log);
void check_fields(const VmafGpuInputs &inputs, const Log &log);
void check_colours(const VmafGpuInputs &inputs, const Log &log);
void check_rest(const VmafGpuInputs &inputs, const Log &log);

/// Grey pictures against colour of the same size; empty: they are not.
std::string gray_fault(const VmafGpuInputs &inputs);

} // namespace vmafgpu
