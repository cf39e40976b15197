// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Feature without an engine: the Sums of a pair, and a SumsWindow over Sums kept in memory, so
// that tests can ask for the scores of a whole segment. Used by the golden tests and by check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "features/feature.h"

namespace vmafgpu {

/// The Sums of a pair by compute(), in memory that is not cleared.
inline std::vector<unsigned char> computed(const Feature &feature, const PairView &pair,
                                           int threads)
{
    std::vector<unsigned char> sums(feature.plan().sums, 0x5A);
    std::vector<unsigned char> scratch(feature.plan().cpu_scratch + 256, 0xC7);
    const auto address = reinterpret_cast<uintptr_t>(scratch.data());
    ThreadPool pool(threads);
    feature.compute(pair, sums.data(), scratch.data() + (256 - address % 256), pool);
    return sums;
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
