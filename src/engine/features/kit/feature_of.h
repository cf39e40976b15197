// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Feature whose pixel work is in functions of its Config: what is left are its scores. The
// functions are static members of a struct `Forms` in the feature's header. Two of them every
// feature has:
//
//  reference(config, pair, sums)               NAME_ref.cpp: the oracle
//  compute(config, pair, sums, scratch, pool)  NAME_cpu.cpp: the same Sums, fast
//
// Each of the others is left out where there is nothing to say. Without record() no device computes
// the feature. feature.h says what each of them does.
//
//  size_t cpu_scratch(config)         MemoryPlan::cpu_scratch
//  size_t sums_bytes(config)          MemoryPlan::sums, unless it is sizeof(Sums)
//  void record(config, queue, batch)  FeatureDevice::record(), NAME_record.cpp
//  size_t device_scratch(config)      MemoryPlan::scratch
//  size_t shared_scratch(config)      MemoryPlan::shared_scratch
//  size_t device_tables(config)       MemoryPlan::tables
//  void fill_tables(config, host)     FeatureDevice::fill_tables()
//  int finish(config, sums)           FeatureDevice::finish()
//  bool is_complete(config, sums)     FeatureDevice::is_complete()
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "features/feature.h"

namespace vmafgpu {

namespace form {

template <template <typename> class Part, typename Forms, typename = void>
inline constexpr bool kHas = false;
template <template <typename> class Part, typename Forms>
inline constexpr bool kHas<Part, Forms, std::void_t<Part<Forms>>> = true;

template <typename Forms> using CpuScratch = decltype(&Forms::cpu_scratch);
template <typename Forms> using Record = decltype(&Forms::record);
template <typename Forms> using DeviceScratch = decltype(&Forms::device_scratch);
template <typename Forms> using SharedScratch = decltype(&Forms::shared_scratch);
template <typename Forms> using DeviceTables = decltype(&Forms::device_tables);
template <typename Forms> using FillTables = decltype(&Forms::fill_tables);
template <typename Forms> using Finish = decltype(&Forms::finish);
template <typename Forms> using IsComplete = decltype(&Forms::is_complete);
template <typename Forms> using SumsBytes = decltype(&Forms::sums_bytes);

} // namespace form

template <typename Config, typename Sums, typename Forms> class FeatureOf : public Feature,
                                                                            public FeatureDevice {
public:
    explicit FeatureOf(Config config) : config_(std::move(config)) {}

    const Config &config() const { return config_; }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(Sums);
        if constexpr (form::kHas<form::SumsBytes, Forms>)
            plan.sums = Forms::sums_bytes(config_);
        if constexpr (form::kHas<form::CpuScratch, Forms>)
            plan.cpu_scratch = Forms::cpu_scratch(config_);
        if (device() == nullptr)
            return plan;
        if constexpr (form::kHas<form::DeviceScratch, Forms>)
            plan.scratch = Forms::device_scratch(config_);
        if constexpr (form::kHas<form::SharedScratch, Forms>)
            plan.shared_scratch = Forms::shared_scratch(config_);
        if constexpr (form::kHas<form::DeviceTables, Forms>)
            plan.tables = Forms::device_tables(config_);
        return plan;
    }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        Forms::compute(config_, pair, *static_cast<Sums *>(sums), scratch, pool);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        Forms::reference(config_, pair, *static_cast<Sums *>(sums));
    }

    const FeatureDevice *device() const override
    {
        if constexpr (form::kHas<form::Record, Forms>)
            return this;
        else
            return nullptr;
    }

    void fill_tables(void *host) const override
    {
        if constexpr (form::kHas<form::FillTables, Forms>)
            Forms::fill_tables(config_, host);
        else
            FeatureDevice::fill_tables(host);
    }

    void record(Queue &queue, const BatchView &batch) const override
    {
        if constexpr (form::kHas<form::Record, Forms>)
            Forms::record(config_, queue, batch);
        else
            (void)queue, (void)batch; // nobody calls it: there is no device()
    }

    int finish(void *sums) const override
    {
        if constexpr (form::kHas<form::Finish, Forms>)
            return Forms::finish(config_, *static_cast<Sums *>(sums));
        else
            return FeatureDevice::finish(sums);
    }

    bool is_complete(const void *sums) const override
    {
        if constexpr (form::kHas<form::IsComplete, Forms>)
            return Forms::is_complete(config_, *static_cast<const Sums *>(sums));
        else
            return FeatureDevice::is_complete(sums);
    }

protected:
    /// The Sums of the pair that is scored.
    static const Sums &sums_of(const SumsWindow &window)
    {
        return *static_cast<const Sums *>(window.at(0));
    }

    Config config_;
};

} // namespace vmafgpu
