// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Feature whose pixel work is in functions of its Config: what is left are its scores.
#pragma once

#include <cstddef>
#include <utility>

#include "features/feature.h"

namespace vmafgpu {

/// kScratch: bytes per worker thread. More: what such a class is besides, as FeatureDevice.
template <typename Config, typename Sums, size_t (*kScratch)(const Config &config),
          void (*kCompute)(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                           ThreadPool &pool),
          void (*kReference)(const Config &config, const PairView &pair, Sums &sums),
          typename... More>
class FeatureOf : public Feature, public More... {
public:
    explicit FeatureOf(Config config) : config_(std::move(config)) {}

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(Sums);
        plan.cpu_scratch = kScratch(config_);
        return plan;
    }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        kCompute(config_, pair, *static_cast<Sums *>(sums), scratch, pool);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        kReference(config_, pair, *static_cast<Sums *>(sums));
    }

protected:
    Config config_;
};

} // namespace vmafgpu
