// SPDX-License-Identifier: BSD-2-Clause-Patent
// check --device=NAME[,NAME...] [--seed=N] [--random=N] [--half=0|1] [--bench] [--bisect] [--stop]
//       [FILTER]
// check --list-groups [--device=NAME[,NAME...]] [FILTER]
// Runs the cases on each device; prints failures with a line that reproduces
// them and a summary last. Exit status 0 only if all passed. Or lists the groups of
// those cases, FEATURE/SET/ one a line, each of which is a filter; opens no device.
#include "check.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "gpu/backends.h"
#include "simd/cpu_level.h"

namespace vmafgpu {
namespace {

/// "vif/default/" of "vif/default/17x17/8bit/noise".
std::string group_of(const std::string &name)
{
    return name.substr(0, name.find('/', name.find('/') + 1) + 1);
}

/// Whether the name has the filter at the beginning of a word: "adm/" is not in "float_adm/".
bool selects(const std::string &filter, const std::string &name)
{
    for (size_t at = name.find(filter); at != std::string::npos; at = name.find(filter, at + 1))
        if (at == 0 || name[at - 1] == '/')
            return true;
    return false;
}

/// Which half of all cases a name belongs to; not every second one, since depths alternate.
int half_of(const std::string &name)
{
    uint32_t hash = 2166136261; // FNV-1a
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return static_cast<int>(hash >> 16 & 1);
}

} // namespace

void Report::run(const Target &target, const std::string &name,
                 const std::function<Outcome()> &body)
{
    if (!selects(settings_.filter, name) || (settings_.is_stopping && failed_ > 0))
        return;
    if (settings_.half >= 0 && half_of(name) != settings_.half)
        return;
    if (settings_.is_listing) {
        const std::string group = group_of(name);
        if (std::find(groups_.begin(), groups_.end(), group) == groups_.end())
            groups_.push_back(group);
        return;
    }
    Outcome outcome;
    try {
        outcome = body();
    } catch (const Error &error) {
        if (error.code() == ENOTSUP) // the device has no such kernel: the host computes the feature
            return skip(target.name + ": " + name + " and others", error.what());
        outcome = {false, error.what()};
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
    if (reasons_.insert(why).second)
        std::printf("SKIPPED %s: %s\n", what.c_str(), why.c_str());
}

BenchCase &Report::bench_case(const std::string &name)
{
    for (BenchCase &one : bench_cases_)
        if (one.name == name)
            return one;
    bench_cases_.push_back({name});
    return bench_cases_.back();
}

int Report::finish_listing() const
{
    for (const std::string &group : groups_)
        std::printf("%s\n", group.c_str());
    if (groups_.empty())
        std::fprintf(stderr, "check: no case matches '%s'\n", settings_.filter.c_str());
    return groups_.empty() ? 1 : 0;
}

int Report::finish() const
{
    if (settings_.is_listing)
        return finish_listing();
    print_bench(bench_cases_);
    if (passed_ + failed_ == 0)
        std::printf("no case matches '%s'\n", settings_.filter.c_str());
    std::printf("check: %d passed, %d failed, %d skipped\n", passed_, failed_, skipped_);
    if (passed_ + failed_ == 0 && skipped_ > 0)
        return 77; // Meson reads this status as skipped
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

bool is_emulated(const std::string &device)
{
    return device.rfind("emu", 0) == 0;
}

} // namespace

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
        target->is_slow = is_slow || is_emulated(name);
        return target;
    }
    std::string known = "cpu";
    for (const Backend &backend : backends())
        known += std::string(", ") + backend.name;
    throw Error(EINVAL, "unknown device '" + name + "' (known in this build: " + known + ")");
}

namespace {

void run_target(const Target &target, Report &report)
{
    if (report.settings().is_bench) {
        bench_features(target, report);
        bench_chroma_features(target, report);
        bench_psnr(target, report);
        bench_cambi(target, report);
        bench_ssim(target, report);
        bench_classic_features(target, report);
        bench_ffmpeg_features(target, report);
        bench_ssimulacra2(target, report);
        bench_scaler(target, report);
        return;
    }
    check_features(target, report);
    check_adm_signs(target, report);
    check_chroma_features(target, report);
    check_psnr(target, report);
    check_cambi(target, report);
    check_ssim(target, report);
    check_classic_features(target, report);
    check_ffmpeg_features(target, report);
    check_ssimulacra2(target, report);
    check_scaler(target, report);
    check_largest_batches(target, report);
    check_sketches(target, report);
    check_planes(target, report);
    check_engine(target, report);
}

/// Knows which cases the device would get, and nothing else.
Target unopened_target(const std::string &name, bool is_slow)
{
    Target target;
    target.name = name;
    target.is_slow = is_slow || is_emulated(name);
    return target;
}

void run_device(const std::string &name, bool is_slow, Report &report)
{
    if (report.settings().is_listing)
        return run_target(unopened_target(name, is_slow), report);
    const auto target = open_target(name, is_slow);
    target->is_bisecting = report.settings().is_bisecting;
    run_target(*target, report);
}

/// Names of the targets. A benchmark of the CPU is one of all levels of this processor.
std::vector<std::string> targets_of(const std::string &devices, bool is_bench)
{
    std::vector<std::string> names;
    for (const std::string &name : CLI::detail::split(devices, ',')) {
        if (name != "cpu" || !is_bench) {
            names.push_back(name);
            continue;
        }
        for (const CpuLevel level : kCpuLevels)
            if (cpu_has_level(level))
                names.push_back(std::string("cpu:") + cpu_level_name(level));
    }
    return names;
}

int run(int argc, char **argv)
{
    Settings settings;
    std::string devices = "cpu";
    bool is_slow = false;
    CLI::App app("Compares every implementation with the reference code, bit for bit");
    app.add_option("--device", devices,
                   "cpu, cpu:LEVEL, emu32, emu64, cuda:N, hip:N; several by commas");
    app.add_option("--seed", settings.seed, "of the generated pictures");
    app.add_option("--random", settings.random_pairs, "pairs at random, of features with such");
    app.add_flag("--bench", settings.is_bench,
                 "print times and speed-ups beside the reference code");
    app.add_flag("--bisect", settings.is_bisecting,
                 "follow each difference to the first wrong sample, or to a part of the pictures");
    app.add_option("--half", settings.half, "one half of the cases: 0 or 1")
        ->check(CLI::Range(0, 1));
    app.add_flag("--stop", settings.is_stopping, "run nothing after the first failure");
    app.add_flag("--list-groups", settings.is_listing,
                 "print the groups of cases, each a filter, and run none");
    app.add_flag("--slow", is_slow, "only the cases for emulated devices, which hip:N may be, too");
    app.add_option("filter", settings.filter, "run only cases with a word that begins so");
    CLI11_PARSE(app, argc, argv);

    Report report(settings);
    for (const std::string &name : targets_of(devices, settings.is_bench)) {
        try {
            run_device(name, is_slow, report);
        } catch (const MissingLevel &missing) {
            report.skip(name, missing.what());
        } catch (const std::exception &error) {
            std::fprintf(stderr, "check: %s: %s\n", name.c_str(), error.what());
            report.finish();
            return 1;
        }
    }
    return report.finish();
}

} // namespace
} // namespace vmafgpu

int main(int argc, char **argv)
{
    try {
        return vmafgpu::run(argc, argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "check: %s\n", error.what());
        return 1;
    }
}
