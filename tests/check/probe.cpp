// SPDX-License-Identifier: BSD-2-Clause-Patent
// parity_probe: runs the jobs of the parity gate on one backend, in one process.
//   parity_probe list
//   parity_probe run BACKEND [CPU_LEVEL] < jobs > results      one JSON a line
//   parity_probe bisect BACKEND [CPU_LEVEL] < jobs > results
//   parity_probe planes BACKEND < jobs > results               only what kernels leave in memory
// It judges nothing: parity.py compares. A job that fails is a result with "error".
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "base/error.h"
#include "features/registry.h"
#include "gpu/backends.h"
#include "job.h"
#include "simd/cpu_level.h"

namespace vmafgpu {
namespace {

/// Words as 16 hexadecimal digits: JSON numbers would not keep them everywhere.
std::string hex(uint64_t word)
{
    char text[17];
    std::snprintf(text, sizeof(text), "%016" PRIx64, word);
    return text;
}

/// Features that a built-in model asks for and this build does not have.
nlohmann::json missing_features(const char *name)
{
    nlohmann::json missing = nlohmann::json::array();
    const auto model = Model::load(name);
    for (const ModelFeature &feature : model->features())
        if (find_feature_of_output(feature.output, Compat::k3_2) == nullptr)
            missing.push_back(feature.output);
    return missing;
}

nlohmann::json list()
{
    nlohmann::json result = {{"features", nlohmann::json::array()},
                             {"models", nlohmann::json::array()},
                             {"backends", {"cpu"}},
                             {"version", vmafgpu_version()}};
    for (const FeatureInfo *info : feature_registry())
        result["features"].push_back({{"name", info->name}, {"min_size", info->min_size}});
    for (int i = 0; vmafgpu_model_builtin(i) != nullptr; ++i)
        result["models"].push_back({{"name", vmafgpu_model_builtin(i)},
                                    {"missing", missing_features(vmafgpu_model_builtin(i))}});
    for (const Backend &backend : backends())
        result["backends"].push_back(backend.name);
    int levels = 0; // each level includes all levels before it
    for (const CpuLevel level : kCpuLevels)
        levels += cpu_has_level(level) ? 1 : 0;
    result["cpu_levels"] = levels;
    return result;
}

/// The bits of luma samples that are not the same everywhere.
unsigned varying_bits(const TestClip &clip)
{
    unsigned some = 0;
    unsigned all = ~0U;
    for (const TestPlane *plane : {&clip.pair(0).reference[0], &clip.pair(0).distorted[0]})
        for (int y = 0; y < plane->height(); ++y)
            for (int x = 0; x < plane->width(); ++x) {
                some |= plane->get(x, y);
                all &= plane->get(x, y);
            }
    return some & ~all;
}

nlohmann::json run(const ParityJob &job, const std::string &backend)
{
    const ParityResult result = job.is_scores ? run_scores(job, backend) : run_sums(job, backend);
    nlohmann::json rows = nlohmann::json::array();
    for (const auto &row : result.rows) {
        rows.push_back(nlohmann::json::array());
        for (const uint64_t word : row)
            rows.back().push_back(hex(word));
    }
    return {{"id", job.id},
            {"backend", result.backend},
            {"selector", result.selector},
            {"names", result.names},
            {"varying_bits", varying_bits(job.clip())},
            {"rows", rows}};
}

void answer_line(const std::string &line, const std::string &command, const std::string &backend)
{
    const nlohmann::json text = nlohmann::json::parse(line);
    nlohmann::json result = {{"id", text.at("id")}};
    try {
        const ParityJob job = parse_job(text);
        result.update(command == "run"      ? run(job, backend)
                      : command == "bisect" ? bisect(job, backend)
                                            : look_at_planes(job, backend));
    } catch (const Error &error) {
        result["error"] = error.what();
        result["code"] = error.code();
    }
    std::cout << result.dump() << std::endl;
}

int main_of(int argc, char **argv)
{
    const std::string command = argc > 1 ? argv[1] : "";
    if (command == "list") {
        std::cout << list().dump() << std::endl;
        return 0;
    }
    if ((command != "run" && command != "bisect" && command != "planes") || argc < 3) {
        std::fprintf(stderr, "usage: parity_probe list | run BACKEND | bisect BACKEND | planes "
                             "BACKEND\n");
        return 2;
    }
    if (argc > 3) {
        const auto level = static_cast<size_t>(std::atoi(argv[3]));
        if (level >= std::size(kCpuLevels) || !cpu_has_level(kCpuLevels[level]))
            throw Error(EINVAL, std::string("this processor has no CPU level ") + argv[3]);
        set_cpu_level(kCpuLevels[level]);
    }
    std::string line;
    while (std::getline(std::cin, line))
        answer_line(line, command, argv[2]);
    return 0;
}

} // namespace
} // namespace vmafgpu

int main(int argc, char **argv)
{
    try {
        return vmafgpu::main_of(argc, argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "parity_probe: %s\n", error.what());
        return 1;
    }
}
