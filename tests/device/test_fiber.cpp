// SPDX-License-Identifier: BSD-2-Clause-Patent
// The context switch alone: what must survive it, deep stacks, beginning anew.
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "emu/fiber.h"

namespace vmafgpu {
namespace emu {
namespace {

struct Pair {
    Fiber host;
    Fiber fiber{64 * 1024, 3};
    int steps = 0;
    double value = 0;
    bool is_aligned = false;
};

uint64_t deep(int depth)
{
    volatile uint64_t local[16] = {};
    local[depth % 16] = static_cast<uint64_t>(depth);
    return depth == 0 ? 0 : deep(depth - 1) + local[depth % 16];
}

void keep_values(void *argument)
{
    auto &pair = *static_cast<Pair *>(argument);
    alignas(16) volatile char aligned[16] = {};
    pair.is_aligned = reinterpret_cast<uintptr_t>(&aligned) % 16 == 0;
    double sums[4] = {1, 2, 3, 4};
    int64_t numbers[4] = {1, 2, 3, 4};
    for (;;) {
        for (int i = 0; i < 4; ++i) {
            sums[i] *= 1.5;
            numbers[i] = numbers[i] * 3 + 1;
        }
        pair.value = sums[0] + sums[3] + static_cast<double>(numbers[0] + numbers[3]);
        ++pair.steps;
        Fiber::switch_to(pair.fiber, pair.host);
    }
}

void recurse(void *argument)
{
    auto &pair = *static_cast<Pair *>(argument);
    pair.value = static_cast<double>(deep(100));
    Fiber::switch_to(pair.fiber, pair.host);
}

TEST(Fiber, KeepsItsValues)
{
    Pair pair;
    pair.fiber.prepare(keep_values, &pair);
    double a = 1;
    double d = 4;
    int64_t x = 1;
    int64_t y = 4;
    for (int i = 1; i <= 20; ++i) {
        Fiber::switch_to(pair.host, pair.fiber);
        a *= 1.5;
        d *= 1.5;
        x = x * 3 + 1;
        y = y * 3 + 1;
        ASSERT_EQ(pair.steps, i);
        ASSERT_EQ(pair.value, a + d + static_cast<double>(x + y));
        ASSERT_TRUE(pair.is_aligned);
    }
}

TEST(Fiber, BeginsAnewWhenPrepared)
{
    Pair pair;
    for (int i = 0; i < 10; ++i) {
        pair.fiber.prepare(keep_values, &pair);
        Fiber::switch_to(pair.host, pair.fiber);
        Fiber::switch_to(pair.host, pair.fiber);
        EXPECT_EQ(pair.value, 2.25 + 9 + 13 + 40);
        pair.fiber.prepare(recurse, &pair);
        Fiber::switch_to(pair.host, pair.fiber);
        EXPECT_EQ(pair.value, 5050);
    }
    EXPECT_EQ(pair.steps, 20);
}

TEST(Fiber, ManyAtOnce)
{
    std::vector<std::unique_ptr<Pair>> pairs;
    for (int i = 0; i < 300; ++i) {
        pairs.push_back(std::make_unique<Pair>());
        pairs.back()->fiber.prepare(keep_values, pairs.back().get());
    }
    for (int round = 1; round <= 3; ++round) {
        for (auto &pair : pairs) {
            Fiber::switch_to(pair->host, pair->fiber);
            EXPECT_EQ(pair->steps, round);
        }
    }
}

} // namespace
} // namespace emu
} // namespace vmafgpu
