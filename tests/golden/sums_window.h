// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Feature without an engine: the Sums of a pair by the reference code and by the CPU's, and a
// SumsWindow over Sums kept in memory, so that tests can ask for the scores of a whole segment.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "features/feature.h"
#include "simd/cpu_level.h"
#include "system/thread_pool.h"

namespace vmafgpu {

inline FeatureOptions values_of(const FeatureInfo &info, const std::string &options)
{
    FeatureOptions values = info.defaults;
    set_options(info, values, options);
    return values;
}

/// Why the feature refuses pictures of a format; "" if it takes them.
inline std::string refusal(const FeatureInfo &info, const Format &format,
                           const std::string &options = "", Compat compat = Compat::k3_2)
{
    try {
        check_format(info, format);
        info.create(format, compat, {values_of(info, options)});
    } catch (const Error &error) {
        EXPECT_EQ(error.code(), EINVAL);
        return error.what();
    }
    return "";
}

inline void expect_part(const std::string &text, const std::string &part)
{
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

using Bytes = std::vector<unsigned char>;

/// The Sums of a pair by compute(). The memory is not cleared, and nothing behind it is written.
inline Bytes computed(const Feature &feature, const PairView &pair, int threads)
{
    ThreadPool pool(threads);
    constexpr size_t kGuard = 64;
    const MemoryPlan plan = feature.plan();
    Bytes scratch(plan.cpu_scratch + 256 + kGuard, 0xC7);
    const size_t aligned = 256 - reinterpret_cast<uintptr_t>(scratch.data()) % 256;
    Bytes sums(plan.sums + kGuard, 0x5A);
    feature.compute(pair, sums.data(), scratch.data() + aligned, pool);
    for (size_t i = aligned + plan.cpu_scratch; i < scratch.size(); ++i)
        EXPECT_EQ(scratch[i], 0xC7) << "compute() wrote beyond its scratch";
    for (size_t i = plan.sums; i < sums.size(); ++i)
        EXPECT_EQ(sums[i], 0x5A) << "compute() wrote beyond its sums";
    sums.resize(plan.sums);
    return sums;
}

/// compute() at every level of this processor from `least` on, at the one in use with threads, too.
inline void expect_all_levels(const Feature &feature, const PairView &pair, const Bytes &wanted,
                              CpuLevel least = CpuLevel::kBaseline)
{
    const CpuLevel used = cpu_level();
    EXPECT_EQ(computed(feature, pair, 2), wanted) << "two threads";
    for (const CpuLevel level : kCpuLevels) {
        if (level < least || !cpu_has_level(level))
            continue;
        set_cpu_level(level);
        EXPECT_EQ(computed(feature, pair, 0), wanted) << cpu_level_name(level);
    }
    set_cpu_level(used);
}

/// The reference code, and the fast code on two threads: a parameter of tests.
enum Path { kPlain, kFast };

inline std::string path_name(const testing::TestParamInfo<Path> &path)
{
    return path.param == kPlain ? "Plain" : "Fast";
}

inline void fill(const Feature &feature, const PairView &pair, Path path, void *sums)
{
    if (path == kPlain) {
        feature.reference(pair, sums);
        return;
    }
    const Bytes fast = computed(feature, pair, 2);
    std::memcpy(sums, fast.data(), fast.size());
}

/// The Sums of one segment, each `stride` bytes. Offsets outside the Feature's
/// promised window return nullptr too, so that a Feature which looks further
/// than it says gives wrong scores here and not only in the engine.
class SegmentSums {
public:
    explicit SegmentSums(const Feature &feature)
        : feature_(feature), traits_(feature.traits()), stride_(feature.plan().sums)
    {
    }

    /// Room for the Sums of the next pair, filled with a pattern.
    void *add()
    {
        storage_.emplace_back(stride_ + 1, static_cast<unsigned char>(0xA5));
        return storage_.back().data();
    }

    /// The reference code's Sums of a pair.
    Bytes add_reference(const PairView &pair)
    {
        auto *sums = static_cast<unsigned char *>(add());
        feature_.reference(pair, sums);
        return {sums, sums + stride_};
    }

    size_t size() const { return storage_.size(); }
    const void *at(size_t pair) const { return storage_[pair].data(); }

    /// out[pair][output] of variant `variant` of the Feature.
    std::vector<std::vector<double>> scores(size_t variant, size_t variants, size_t outputs) const
    {
        std::vector<std::vector<double>> result;
        for (size_t pair = 0; pair < size(); ++pair) {
            std::vector<std::vector<double>> values(variants, std::vector<double>(outputs, -1e300));
            std::vector<double *> out;
            for (auto &v : values)
                out.push_back(v.data());
            feature_.scores(Window(*this, pair), out.data());
            result.push_back(values[variant]);
        }
        return result;
    }

private:
    class Window : public SumsWindow {
    public:
        Window(const SegmentSums &sums, size_t pair)
            : sums_(sums), position_(static_cast<int64_t>(pair))
        {
        }
        const void *at(int offset) const override
        {
            const int64_t pair = position_ + offset;
            const bool promised =
                offset >= -sums_.traits_.lookback && offset <= sums_.traits_.delay;
            const bool exists = pair >= 0 && pair < static_cast<int64_t>(sums_.size());
            return promised && exists ? sums_.at(static_cast<size_t>(pair)) : nullptr;
        }
        int64_t position() const override { return position_; }

    private:
        const SegmentSums &sums_;
        int64_t position_;
    };

    const Feature &feature_;
    FeatureTraits traits_;
    size_t stride_;
    std::vector<std::vector<unsigned char>> storage_;
};

} // namespace vmafgpu
