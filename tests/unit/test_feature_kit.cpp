// SPDX-License-Identifier: BSD-2-Clause-Patent
// What features are made of: the size of an arena is what its use takes, strips cover a plane, and
// a FeatureOf has exactly the parts that its forms have.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "features/kit/arena.h"
#include "features/kit/feature_of.h"
#include "features/kit/strips.h"

namespace vmafgpu::feature_kit_test {
namespace {

struct Areas {
    char *first;
    double *second;

    Areas(Arena &arena, size_t count)
        : first(arena.take<char>(count)), second(arena.take<double>(1))
    {
    }
};

TEST(Arena, counts_what_is_taken)
{
    alignas(Arena::kHostAlignment) char memory[256];
    for (const size_t count : {size_t{0}, size_t{1}, size_t{64}, size_t{65}}) {
        Arena arena(memory);
        const Areas areas(arena, count);
        EXPECT_EQ(arena_size<Areas>(count), arena.size());
        EXPECT_EQ(areas.first, memory);
        EXPECT_GE(reinterpret_cast<char *>(areas.second), memory + count);
        EXPECT_LE(reinterpret_cast<char *>(areas.second + 1), memory + arena.size());
        EXPECT_EQ(reinterpret_cast<uintptr_t>(areas.second) % Arena::kHostAlignment, 0u);
    }
}

TEST(Arena, has_no_addresses_without_memory)
{
    Arena arena(nullptr, Arena::kDeviceAlignment);
    EXPECT_EQ(arena.take<char>(1), nullptr);
    EXPECT_EQ(arena.take<char>(1), nullptr);
    EXPECT_EQ(arena.reserve(1), 2 * Arena::kDeviceAlignment);
    EXPECT_EQ(arena.size(), 3 * Arena::kDeviceAlignment);
}

TEST(Strips, cover_each_row_once)
{
    ThreadPool pool(2);
    for (const int height : {1, 63, 64, 65, 200}) {
        std::vector<int> count(static_cast<size_t>(height));
        for_strips(pool, height, 64, [&](const StripOfRows &rows) {
            EXPECT_EQ(rows.first, rows.number * 64);
            for (int y = rows.first; y < rows.last; ++y)
                ++count[static_cast<size_t>(y)];
        });
        EXPECT_EQ(count, std::vector<int>(static_cast<size_t>(height), 1)) << height;
    }
}

struct Sums {
    int value;
};

struct HostForms {
    static void compute(const int &config, const PairView & /*pair*/, Sums &sums,
                        void * /*scratch*/, ThreadPool & /*pool*/)
    {
        sums.value = config;
    }
    static void reference(const int &config, const PairView & /*pair*/, Sums &sums)
    {
        sums.value = config;
    }
};

struct DeviceForms : HostForms {
    static size_t cpu_scratch(const int & /*config*/) { return 1; }
    static size_t sums_bytes(const int &config)
    {
        return sizeof(Sums) * static_cast<size_t>(config);
    }
    static void record(const int & /*config*/, Queue & /*queue*/, const BatchView & /*batch*/) {}
    static size_t device_scratch(const int & /*config*/) { return 2; }
    static size_t shared_scratch(const int & /*config*/) { return 3; }
    static size_t device_tables(const int & /*config*/) { return 4; }
    static void fill_tables(const int &config, void *host) { *static_cast<int *>(host) = config; }
    static int finish(const int & /*config*/, Sums &sums) { return sums.value; }
    static bool is_complete(const int & /*config*/, const Sums &sums) { return sums.value == 0; }
};

template <typename Forms> class Scored final : public FeatureOf<int, Sums, Forms> {
public:
    using FeatureOf<int, Sums, Forms>::FeatureOf;
    void scores(const SumsWindow & /*window*/, double *const * /*out*/) const override {}
};

TEST(FeatureOf, has_the_parts_of_its_forms)
{
    const Scored<DeviceForms> feature(5);
    const MemoryPlan plan = feature.plan();
    EXPECT_EQ(plan.sums, 5 * sizeof(Sums));
    EXPECT_EQ(plan.cpu_scratch, 1u);
    EXPECT_EQ(plan.scratch, 2u);
    EXPECT_EQ(plan.shared_scratch, 3u);
    EXPECT_EQ(plan.tables, 4u);
    ASSERT_EQ(feature.device(), &feature);
    int table = 0;
    feature.device()->fill_tables(&table);
    EXPECT_EQ(table, 5);
    Sums sums = {7};
    EXPECT_EQ(feature.device()->finish(&sums), 7);
    EXPECT_FALSE(feature.device()->is_complete(&sums));
}

TEST(FeatureOf, has_no_device_without_record)
{
    const Scored<HostForms> feature(5);
    EXPECT_EQ(feature.device(), nullptr);
    EXPECT_EQ(feature.plan().sums, sizeof(Sums));
    EXPECT_EQ(feature.plan().cpu_scratch, 0u);
    ThreadPool pool(0);
    Sums sums = {0};
    feature.compute(PairView(), &sums, nullptr, pool);
    EXPECT_EQ(sums.value, 5);
}

} // namespace
} // namespace vmafgpu::feature_kit_test
