// SPDX-License-Identifier: BSD-2-Clause-Patent
// check --device=NAME[,NAME...] [--seed=N] [--bench] [FILTER]
// Runs the cases on each device; prints failures with a line that reproduces
// them and a summary last. Exit status 0 only if all passed.
#include "check.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/error.h"
#include "cpu/cpu_level.h"
#include "gpu/backends.h"

namespace vmafgpu {

void Report::run(const Target &target, const std::string &name,
                 const std::function<Outcome()> &body)
{
    if (name.find(settings_.filter) == std::string::npos)
        return;
    Outcome outcome;
    try {
        outcome = body();
    } catch (const std::exception &error) {
        outcome = {false, error.what()};
    }
    if (outcome.is_equal) {
        ++passed_;
        return;
    }
    ++failed_;
    std::printf("FAILED on %s: %s: %s\n  again: check --device=%s --seed=%llu %s\n",
                target.name.c_str(), name.c_str(), outcome.text.c_str(), target.name.c_str(),
                static_cast<unsigned long long>(settings_.seed), name.c_str());
    std::fflush(stdout);
}

void Report::skip(const std::string &what, const std::string &why)
{
    ++skipped_;
    std::printf("SKIPPED %s: %s\n", what.c_str(), why.c_str());
}

int Report::finish() const
{
    if (passed_ + failed_ == 0)
        std::printf("no case matches '%s'\n", settings_.filter.c_str());
    std::printf("check: %d passed, %d failed, %d skipped\n", passed_, failed_, skipped_);
    if (passed_ + failed_ == 0 && skipped_ > 0)
        return 77; // for Meson: skipped
    return failed_ == 0 && passed_ > 0 ? 0 : 1;
}

namespace {

/// The processor lacks a level: nothing to check, and not a failure.
struct MissingLevel : Error {
    MissingLevel() : Error(ENODEV, "this processor does not have it") {}
};

void choose_level(const std::string &name)
{
    for (const CpuLevel level : kCpuLevels) {
        if (name != cpu_level_name(level))
            continue;
        if (cpu_has_level(level))
            return set_cpu_level(level);
        throw MissingLevel();
    }
    throw Error(EINVAL, "unknown level '" + name + "' of the CPU");
}

std::unique_ptr<Target> open_target(const std::string &name, bool is_slow)
{
    auto target = std::make_unique<Target>();
    target->name = name;
    const size_t colon = name.find(':');
    if (name.substr(0, colon) == "cpu") {
        if (colon != std::string::npos)
            choose_level(name.substr(colon + 1));
        target->pool = std::make_unique<ThreadPool>(2);
        return target;
    }
    for (const Backend &backend : backends()) {
        if (name.substr(0, colon) != backend.name)
            continue;
        DeviceRequest request;
        request.selector = colon == std::string::npos ? "" : name.substr(colon + 1);
        target->device = backend.open(request);
        target->is_slow = is_slow || std::string(backend.name).rfind("emu", 0) == 0;
        return target;
    }
    std::string known = "cpu";
    for (const Backend &backend : backends())
        known += std::string(", ") + backend.name;
    throw Error(EINVAL, "unknown device '" + name + "' (known in this build: " + known + ")");
}

void run_target(const Target &target, Report &report)
{
    if (report.settings().is_bench) {
        bench_features(target, report);
        bench_chroma_features(target, report);
        bench_cambi(target, report);
        return;
    }
    check_features(target, report);
    check_adm_signs(target, report);
    check_chroma_features(target, report);
    check_cambi(target, report);
    check_engine(target, report);
}

} // namespace
} // namespace vmafgpu

int main(int argc, char **argv)
{
    vmafgpu::Settings settings;
    std::string devices = "cpu";
    bool is_slow = false;
    CLI::App app("Compares every implementation with the reference code, bit for bit");
    app.add_option("--device", devices,
                   "cpu, cpu:LEVEL, emu32, emu64, cuda:N, hip:N; several by commas");
    app.add_option("--seed", settings.seed, "of the generated pictures");
    app.add_flag("--bench", settings.is_bench, "time the features instead");
    app.add_flag("--slow", is_slow, "only the cases for emulated devices, which hip:N may be, too");
    app.add_option("filter", settings.filter, "run only cases whose name contains this");
    CLI11_PARSE(app, argc, argv);

    vmafgpu::Report report(settings);
    for (const std::string &name : CLI::detail::split(devices, ',')) {
        try {
            vmafgpu::run_target(*vmafgpu::open_target(name, is_slow), report);
        } catch (const vmafgpu::MissingLevel &missing) {
            report.skip(name, missing.what());
        } catch (const std::exception &error) {
            std::fprintf(stderr, "check: %s: %s\n", name.c_str(), error.what());
            report.finish();
            return 1;
        }
    }
    return report.finish();
}
