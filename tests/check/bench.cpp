// SPDX-License-Identifier: BSD-2-Clause-Patent
// check --bench: times of each feature on each target beside the reference code's.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "check.h"

namespace vmafgpu {
namespace {

/// Median seconds of one call, of at least three, or more in a tenth of a second.
template <typename F> double median_time(const F &f)
{
    std::vector<double> times;
    double sum = 0;
    while (times.size() < 3 || (sum < 0.1 && times.size() < 100)) {
        const auto begin = std::chrono::steady_clock::now();
        f();
        times.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        sum += times.back();
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// The plain code takes seconds for a large picture: one call, of the last pair.
double reference_time(const std::vector<FeatureGroup> &groups, const TestClip &clip)
{
    const auto begin = std::chrono::steady_clock::now();
    for (const FeatureGroup &group : groups) {
        std::vector<uint64_t> sums(group.feature->plan().sums / sizeof(uint64_t) + 1);
        group.feature->reference(clip.view(clip.frames() - 1), sums.data());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

BenchTime target_time(const std::vector<FeatureGroup> &groups, const TestClip &clip,
                      const Target &target)
{
    BenchTime time = {target.name, 0, 0};
    for (const FeatureGroup &group : groups) {
        if (target.device && group.feature->device() != nullptr) {
            time.alone += device_time(*group.feature, clip, *target.device, 1, 5);
            time.in_batches += device_time(*group.feature, clip, *target.device, kTimedBatch, 5);
            continue;
        }
        ThreadPool none(0);
        ThreadPool *const pool = target.pool != nullptr ? target.pool.get() : &none;
        time.alone += median_time([&] { cpu_sums(*group.feature, clip, pool); }) / clip.frames();
    }
    return time;
}

} // namespace

void bench_groups(const Target &target, Report &report, const std::string &name,
                  const std::vector<FeatureGroup> &groups, const Format &format, Content content)
{
    report.run(target, name, [&]() -> Outcome {
        const TestClip clip(format, content, target.device ? kTimedBatch : 4,
                            report.settings().seed);
        BenchCase &times = report.bench_case(name);
        if (times.reference == 0)
            times.reference = reference_time(groups, clip);
        times.targets.push_back(target_time(groups, clip, target));
        return {};
    });
}

void print_bench(const std::vector<BenchCase> &cases)
{
    for (const BenchCase &one : cases) {
        std::printf("%s, microseconds a pair\n", one.name.c_str());
        if (one.reference > 0)
            std::printf("    %-14s %12.1f\n", "reference", one.reference * 1e6);
        for (const BenchTime &time : one.targets) {
            std::printf("    %-14s %12.1f", time.target.c_str(), time.alone * 1e6);
            if (one.reference > 0)
                std::printf(" %9.1f x", one.reference / time.alone);
            if (time.in_batches > 0) {
                std::printf("   in batches of %d %10.1f", kTimedBatch, time.in_batches * 1e6);
                if (one.reference > 0)
                    std::printf(" %9.1f x", one.reference / time.in_batches);
            }
            std::printf("\n");
        }
    }
}

} // namespace vmafgpu
