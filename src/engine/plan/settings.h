// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a context is opened with: the C API's settings, checked and with the
// models loaded. Made by api.cpp, read by engine.cpp and open_executor.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "picture/picture.h"
#include "picture/picture_file.h"
#include "plan/chunk.h"
#include "plan/score_plan.h"
#include "plan/shots.h"
#include "scaler/scale.h"

namespace vmafgpu {

struct EngineSettings {
    Format format;
    std::shared_ptr<const ScalePlan> scale; ///< how distorted pictures are scaled; null: none is
    std::string device = "auto";
    void *native_context = nullptr;
    void *native_stream = nullptr;
    int ring_depth = 4;
    int threads = 0;
    int subsample = 1;
    int most_held = 32; ///< device pictures
    Compat compat = Compat::k3_2;
    bool self_test = true;
    Log log;
    std::vector<std::unique_ptr<Model>> models;
    std::vector<FeatureRequest> features;
    bool features_only = false; ///< no scores of models
    Chunk chunk;
    bool is_chunk = false;             ///< what a part log needs is kept
    std::unique_ptr<ShotFinder> shots; ///< finds the chunk's shots; null: they are not wanted
    OpenPictureFiles open_files;       ///< opens files for features that write some
};

} // namespace vmafgpu
