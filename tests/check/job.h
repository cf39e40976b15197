// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the parity gate asks of parity_probe: one feature's integer Sums or a whole
// run's scores, on one backend and one generated clip. Read by probe.cpp, run by
// sums.cpp, scores.cpp and bisect.cpp; what is compared with what is parity.py's.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "plan/score_plan.h"

namespace vmafgpu {

struct ModelRequest {
    std::string name;
    std::vector<std::pair<std::string, std::string>> options;
};

struct ParityJob {
    std::string id;
    bool is_scores = false; ///< scores are wanted; otherwise Sums of `feature`
    std::string feature;
    std::vector<std::string> options; ///< one text for each variant of a computation
    std::vector<ModelRequest> models;
    std::vector<FeatureRequest> features;
    Compat compat = Compat::k3_2;
    Format format;
    Content content = Content::kNoise;
    int frames = 1;
    uint64_t seed = 1;
    int ring = 4;
    int threads = 2;

    TestClip clip() const { return TestClip(format, content, frames, seed); }
};

/// Throws nlohmann's exceptions and Error for anything that is not a job.
ParityJob parse_job(const nlohmann::json &text);

/// The result: one row of 64-bit words per pair. Scores are the bits of doubles.
struct ParityResult {
    std::string backend, selector; ///< backend and device that really ran
    std::vector<std::string> names;
    std::vector<std::vector<uint64_t>> rows;
};

/// "ref" is the plain code of every feature; else a name as vmafgpu_open() takes it.
constexpr const char *kReferenceBackend = "ref";

std::unique_ptr<Target> open_parity_target(const std::string &backend, int threads);
std::vector<FeatureGroup> create_groups(const ParityJob &job);

ParityResult run_sums(const ParityJob &job, const std::string &backend);
ParityResult run_scores(const ParityJob &job, const std::string &backend);
/// Where the Sums first differ from the plain code's, down to the part of the pictures.
nlohmann::json bisect(const ParityJob &job, const std::string &backend);
/// Compares what kernels leave in memory for other kernels, in all pairs. Returns how many planes
/// of which kernels there were, and the first sample that is not the plain code's.
nlohmann::json look_at_planes(const ParityJob &job, const std::string &backend);

} // namespace vmafgpu
