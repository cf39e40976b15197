// SPDX-License-Identifier: BSD-2-Clause-Patent
// What users choose in texts: models and features as FFmpeg's filter libvmaf takes them, quoted and
// escaped as FFmpeg does it; a chunk, an offset. See include/vmaf_gpu/run.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model.h"
#include "plan/score_plan.h"
#include "vmaf_gpu/run.h"

namespace vmafgpu {

using Entry = std::vector<std::pair<std::string, std::string>>; ///< keys and values

/// Calls add with each part of "key=value:key=value|key=value", in its order. what and example are
/// for the message. Throws Error(EINVAL) at a part that cannot be read.
void for_entries(std::string_view text, const char *what, const char *example,
                 const std::function<void(const Entry &)> &add);

struct ChosenModel {
    std::unique_ptr<Model> model;
    const char *builtin = nullptr; ///< its name; null: it is a file
};
/// Its options are for set_options(). Throws Error.
ChosenModel load_chosen(const Entry &entry);
void set_options(Model &model, const Entry &entry);

/// Throws Error(EINVAL) if there is no name.
FeatureRequest feature_of(const Entry &entry);

/// See vmafgpu_read_chunk() and vmafgpu_read_offset(). Both throw Error(EINVAL).
VmafGpuChunk read_chunk(const char *text);
void read_offset(VmafGpuPairingSettings &pairing, const char *text);

} // namespace vmafgpu
