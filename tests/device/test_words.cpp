// SPDX-License-Identifier: BSD-2-Clause-Patent
// The words of simt.h, reduce.h and serial_sum.h on the emulated device, at both widths
// and with several orders of threads.
#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "emu_fixture.h"
#include "simt/simt.h"
#include "word_kernels.h"

namespace vmafgpu {
namespace {

struct Setup {
    int wave_size;
    uint64_t seed;
    int threads;
};

class EmuWords : public testing::TestWithParam<Setup> {
protected:
    EmuWords()
        : device(open_emu(GetParam().wave_size, GetParam().seed, GetParam().threads)),
          queue(device->make_queue()), out(*device, 8192), signed_out(*device, 64),
          out32(*device, 1024)
    {
        args.out = out.data();
        args.signed_out = signed_out.data();
        args.out32 = out32.data();
    }

    void clear()
    {
        queue->fill(out.data(), 0, 8192 * 8);
        queue->fill(signed_out.data(), 0, 64 * 8);
        queue->fill(out32.data(), 0, 1024 * 4);
    }

    static uint64_t sum_of_values(int first, int count)
    {
        uint64_t sum = 0;
        for (int i = first; i < first + count; ++i)
            sum += word_value(i);
        return sum;
    }

    std::unique_ptr<Device> device;
    std::unique_ptr<Queue> queue;
    DeviceArray<uint64_t> out;
    DeviceArray<int64_t> signed_out;
    DeviceArray<uint32_t> out32;
    WordArgs args = {};
};

TEST_P(EmuWords, ShufflesMoveWholeValues)
{
    queue->launch(kShuffle, {1, 1, 1}, args);
    const auto got = out.fetch(*queue);
    const int waves = GetParam().wave_size;
    for (int t = 0; t < 256; ++t) {
        const int lane = t % waves;
        const int wave = t - lane;
        const uint64_t *results = &got[static_cast<size_t>(t * kShuffleResults)];
        EXPECT_EQ(results[0], word_value(wave + waves - 1 - lane)) << t;
        EXPECT_EQ(results[1], word_value(wave + 17)) << t;
        EXPECT_EQ(results[2], word_value(wave + lane * 5 % waves)) << t;
        const auto low = static_cast<uint32_t>(word_value(wave + (lane ^ waves / 2)));
        EXPECT_EQ(results[3], low) << t;
    }
}

TEST_P(EmuWords, reg02_SumsKeepCarries)
{
    constexpr int kBlocks = 2; // one of them adds by wave_add()
    queue->launch(kReduce, {kBlocks, 1, 1}, args);
    const auto got = out.fetch(*queue);
    const auto got_signed = signed_out.fetch(*queue);
    const auto got32 = out32.fetch(*queue);
    const int waves = GetParam().wave_size;
    ASSERT_GT(sum_of_values(0, 3), UINT64_C(1) << 32);
    for (size_t block = 0; block < kBlocks; ++block) {
        int64_t signed_sum = 0;
        for (int t = 0; t < 256; ++t) {
            EXPECT_EQ(got[block * 256 + static_cast<size_t>(t)],
                      sum_of_values(t / waves * waves, waves))
                << block << ": " << t;
            signed_sum -= static_cast<int64_t>(word_value(t) >> 12);
        }
        EXPECT_EQ(got_signed[block], signed_sum) << block;
        for (int lane = 0; lane < waves; ++lane)
            EXPECT_EQ(got32[block * 64 + static_cast<size_t>(lane)], 255u * 256 / 2) << block;
    }
}

TEST_P(EmuWords, BlockSumsDoNotDisturbEachOther)
{
    queue->launch(kReduceTwice, {1, 1, 1}, args);
    const auto got = out.fetch(*queue);
    EXPECT_EQ(got[0], sum_of_values(0, 256));
    EXPECT_EQ(got[1], 255u * 256 / 2);
}

/// The sums of kSerialSum, by one thread.
template <typename T> T serial_sum(int kind, int count, T sum)
{
    for (int i = 0; i < count; ++i)
        sum += static_cast<T>(serial_term(kind, i));
    return sum;
}

TEST_P(EmuWords, SerialSumsHaveTheBitsOfOneThread)
{
    for (const auto &kernel : {kSerialSum, kSerialSumOfParts, kSerialSumByRuns})
        for (const int count : {0, 1, 2, 255, 256, 257, 767, 1000, 2049, 4095, kSerialTerms}) {
            args.count = count;
            queue->launch(kernel, {kSerialKinds, 1, 1}, args);
            const auto got = out.fetch(*queue);
            for (int kind = 0; kind < kSerialKinds; ++kind) {
                const float start = serial_start(kind);
                const auto of_floats = bits_of_float(serial_sum(kind, count, start));
                const auto of_doubles =
                    bits_of_double(serial_sum(kind, count, static_cast<double>(start) * 0x1p29));
                for (int thread = 0; thread < 256; ++thread) {
                    const auto at = static_cast<size_t>(kind * 256 + thread) * 2;
                    ASSERT_EQ(got[at], of_floats)
                        << kernel.name << kind << ": " << count << " floats";
                    ASSERT_EQ(got[at + 1], of_doubles)
                        << kernel.name << kind << ": " << count << " doubles";
                }
            }
        }
}

TEST_P(EmuWords, AtomicsOfAllTypes)
{
    clear();
    constexpr int kBlocks = 20;
    queue->launch(kAtomics, {kBlocks, 1, 1}, args);
    const auto got = out.fetch(*queue);
    EXPECT_EQ(got[0], sum_of_values(0, 256) * kBlocks);
    EXPECT_EQ(signed_out.fetch(*queue)[0], kBlocks * (-255 * 256 / 2 - 256 * (INT64_C(1) << 40)));
    const auto got32 = out32.fetch(*queue);
    EXPECT_EQ(got32[0], static_cast<uint32_t>(kBlocks * 256 * UINT64_C(0x10000001)));
    EXPECT_EQ(static_cast<int32_t>(got32[1]), -3 * 256 * kBlocks);
    EXPECT_EQ(got[1], 256u * kBlocks);
    for (size_t i = 2; i < 2 + 256 * kBlocks; ++i)
        ASSERT_EQ(got[i], 1u) << i;
}

TEST_P(EmuWords, MatrixWordOfAnotherWaveIsRefused)
{
    const bool is_small = GetParam().wave_size == 32;
    try {
        queue->launch(is_small ? kMatrixSigned : kMatrix, {1, 1, 1}, args);
        out.fetch(*queue);
        FAIL() << "no error";
    } catch (const Error &error) {
        const std::string word = is_small ? "matrix_s8 on a wave" : "matrix_u8 on a wave";
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

TEST_P(EmuWords, MatrixWordIsThatOfTheWave)
{
    queue->launch(kMatrixOfDevice, {1, 1, 1}, args);
    const auto got = out.fetch(*queue);
    for (size_t i = 0; i < kMatrixOfDevice.threads; ++i)
        ASSERT_EQ(got[i], static_cast<uint64_t>(GetParam().wave_size)) << i;
}

TEST_P(EmuWords, SignedMatrixProducts)
{
    if (GetParam().wave_size != 64)
        return; // see MatrixWordOfAnotherWaveIsRefused
    queue->launch(kMatrixSigned, {1, 1, 1}, args);
    const auto got = out.fetch(*queue);
    for (int i = 0; i < 2 * 16 * 16; ++i) {
        const int wave = i / 256, row = i / 16 % 16, column = i % 16;
        uint32_t sum = 0xffff0000u + static_cast<uint32_t>(row);
        for (int k = 0; k < 32; ++k)
            sum += static_cast<uint32_t>(static_cast<int8_t>(matrix_byte(row, k)) *
                                         static_cast<int8_t>(matrix_byte(k + wave, column + 50)));
        EXPECT_EQ(got[static_cast<size_t>(i)], sum) << wave << ": " << row << ", " << column;
    }
}

TEST_P(EmuWords, MatrixProducts)
{
    if (GetParam().wave_size != 32)
        return; // see MatrixWordOfAnotherWaveIsRefused
    queue->launch(kMatrix, {1, 1, 1}, args);
    const auto got = out.fetch(*queue);
    for (int i = 0; i < 2 * 16 * 8; ++i) {
        const int wave = i / 128, row = i / 8 % 16, column = i % 8;
        uint32_t sum = 0xffff0000u + static_cast<uint32_t>(row);
        for (int k = 0; k < 32; ++k)
            sum += matrix_byte(row, k) * matrix_byte(k + wave, column + 50);
        EXPECT_EQ(got[static_cast<size_t>(i)], sum) << wave << ": " << row << ", " << column;
    }
}

TEST_P(EmuWords, BarriersSeparate)
{
    args.count = 7;
    queue->launch(kRotate, {30, 1, 1}, args);
    const auto got = out.fetch(*queue);
    for (int i = 0; i < 30 * 256; ++i)
        ASSERT_EQ(got[static_cast<size_t>(i)], word_value((i % 256 + 256 - 7) % 256)) << i;
}

TEST_P(EmuWords, EveryThreadKnowsItsPlace)
{
    args.count = 2; // blocks in x
    queue->launch(kPlaces, {2, 3, 4}, args);
    const auto got = out.fetch(*queue);
    const int waves = GetParam().wave_size;
    size_t i = 0;
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 2; ++x)
                for (int t = 0; t < 64; ++t)
                    ASSERT_EQ(got[i++], static_cast<uint64_t>(waves * 1000000 + t / waves * 10000 +
                                                              t % waves * 100 + x + y + z));
}

TEST_P(EmuWords, RowsInSharedMemory)
{
    queue->launch(kRows, {1, 1, 1}, args);
    const auto got = out32.fetch(*queue);
    for (uint32_t t = 0; t < 64; ++t)
        EXPECT_EQ(got[t], (63 - t) * 100 + t % 33);
}

TEST_P(EmuWords, LargestBlock)
{
    queue->launch(kMany, {1, 1, 1}, args);
    EXPECT_EQ(out.fetch(*queue)[0], 1023u * 1024 / 2);
}

INSTANTIATE_TEST_SUITE_P(Setups, EmuWords,
                         testing::Values(Setup{32, 1, 1}, Setup{64, 1, 1}, Setup{32, 2, 3},
                                         Setup{64, 3, 3}, Setup{32, 99, 1}, Setup{64, 12345, 2}),
                         [](const auto &info) {
                             return "wave" + std::to_string(info.param.wave_size) + "seed" +
                                    std::to_string(info.param.seed);
                         });

std::vector<uint64_t> order_with(int wave_size, uint64_t seed)
{
    const auto device = open_emu(wave_size, seed);
    const auto queue = device->make_queue();
    const DeviceArray<uint64_t> out(*device, 1024);
    const DeviceArray<uint32_t> ticket(*device, 1);
    queue->fill(ticket.data(), 0, 4);
    WordArgs args = {};
    args.out = out.data();
    args.out32 = ticket.data();
    queue->launch(kOrder, {4, 1, 1}, args);
    return out.fetch(*queue);
}

TEST(EmuOrder, FollowsFromTheSeed)
{
    std::set<std::vector<uint64_t>> orders;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        auto order = order_with(32, seed);
        EXPECT_EQ(order, order_with(32, seed));
        orders.insert(order);
        std::sort(order.begin(), order.end());
        std::vector<uint64_t> all(1024);
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(order, all) << "every thread runs once";
    }
    EXPECT_EQ(orders.size(), 20u) << "every seed gives another order";
}

TEST(EmuOrder, MixesBlocksWavesAndLanes)
{
    std::set<uint64_t> first_blocks, first_waves, first_lanes;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        const uint64_t first = order_with(64, seed)[0];
        first_blocks.insert(first / 256);
        first_waves.insert(first % 256 / 64);
        first_lanes.insert(first % 64);
    }
    EXPECT_EQ(first_blocks.size(), 4u);
    EXPECT_EQ(first_waves.size(), 4u);
    EXPECT_GT(first_lanes.size(), 25u);
}

TEST(PlainWords, KnownValues)
{
    EXPECT_EQ(plain::clz32(0), 32);
    EXPECT_EQ(plain::clz32(1), 31);
    EXPECT_EQ(plain::clz32(0x80000000u), 0);
    EXPECT_EQ(plain::mul24(0xffffff, 0xffffff), 0xfe000001u);
    EXPECT_EQ(plain::dot4_u8(0xffffffffu, 0xffffffffu, 1), 4u * 255 * 255 + 1);
    EXPECT_EQ(plain::dot4_u8(0x01020304u, 0x10000001u, 0), 16u + 4);
    EXPECT_EQ(plain::dot2_u16(0xffff0003u, 0x8000fffeu, 7), 0x80028001u);
    EXPECT_EQ(plain::dot2_u16(0xffffffffu, 0xffffffffu, 0x50000u), 0x10002u);
    EXPECT_EQ(plain::multiply2_u16(0x00030005u, 0x00070102u), 0x0015050au);
    EXPECT_EQ(plain::multiply2_u16(0xffffffffu, 0xffff0002u), 0x0001fffeu);
    EXPECT_EQ(plain::dot2_u16_u8_lo(0xffff0002u, 0x04030201u, 5), 0xffffu * 2 + 2 + 5);
    EXPECT_EQ(plain::dot2_u16_u8_hi(0xffff0002u, 0x04030201u, 5), 0xffffu * 4 + 6 + 5);
    EXPECT_EQ(plain::dot2_s16_u8_lo(0xffff0002u, 0x04030201u, 5), 2 * 1 - 2 + 5);
    EXPECT_EQ(plain::dot2_s16_u8_hi(0xffff0002u, 0x04030201u, 5), 2 * 3 - 4 + 5);
    EXPECT_EQ(plain::dot2_s16_u8_lo(0x80007fffu, 0xffffu, -1), -255 - 1);
    EXPECT_EQ(plain::byte_permute(0x33221100u, 0x77665544u, 0x3210), 0x33221100u);
    EXPECT_EQ(plain::byte_permute(0x33221100u, 0x77665544u, 0x7052), 0x77005522u);
    EXPECT_EQ(plain::funnel_shift_right(0x12345678u, 0x9abcdef0u, 8), 0x789abcdeu);
    EXPECT_EQ(plain::funnel_shift_right(0x12345678u, 0x9abcdef0u, 0), 0x9abcdef0u);
    EXPECT_EQ(float_bits_about(0x20000u) / 256, 0x480000u);
    EXPECT_EQ(float_bits_about(0xffffffffu) / 256, 0x4f7fffu);
    EXPECT_EQ(float_bits_about(0x010001ffu) / 256, 0x4b8000u);
    EXPECT_EQ(double_from(0x7fffffffu), 2147483647.0);
    EXPECT_EQ(truncated(2147483646.9999), 2147483646u);
    EXPECT_EQ(divide(1.0, 131072.0), 0x1p-17);
    EXPECT_EQ(square_root(2.0), 0x1.6a09e667f3bcdp+0);
    EXPECT_EQ(square_root(2.0F), 0x1.6a09e6p+0F);
    // Half-way between two floats, but for the addend.
    EXPECT_EQ(multiply_add(0x1.001p+0F, 0x1.001p+0F, 0x1p-90F), 0x1.002002p+0F);
    EXPECT_EQ(multiply_add(0x1.001p+0F, 0x1.001p+0F, -0x1p-90F), 0x1.002p+0F);
    EXPECT_EQ(multiply_add(0x1.001p+0F, 0x1.001p+0F, 0.0F), 0x1.002p+0F);
    EXPECT_EQ(multiply_add(-0x1.001p+0F, 0x1.001p+0F, -0x1p-90F), -0x1.002002p+0F);
    EXPECT_EQ(multiply_add(0x1.8p+0F, 0x1p+0F, 0x1p-24F), 0x1.8p+0F);
    EXPECT_EQ(multiply_add(1 + 0x1p-30, 1 - 0x1p-30, -1.0), -0x1p-60);
    EXPECT_EQ(bits_of_float(-1.5F), 0xbfc00000u);
    EXPECT_EQ(float_of_bits(0x40490fdbu), 0x1.921fb6p+1F);
    EXPECT_EQ(bits_of_double(-1.5), UINT64_C(0xbff8000000000000));
    EXPECT_EQ(double_of_bits(UINT64_C(0x400921fb54442d18)), 0x1.921fb54442d18p+1);
    const uint64_t word = UINT64_C(0x123456789abcdef0);
    EXPECT_EQ(load_readonly(&word), word);
    for (uint32_t v = 0x20000000u; v < 0x5f000000u; v += 0x00012345u) {
        const uint32_t exact = bits_of_float(1.0F / float_of_bits(v));
        const uint32_t got = bits_of_float(reciprocal_estimate(float_of_bits(v)));
        ASSERT_LE(got - exact + 1, 2u) << v;
    }
    for (uint32_t v : {0u, 1u, 77u, 0x00ffffffu, 0x80000000u, 0xffffffffu}) {
        EXPECT_EQ(clz32(v), plain::clz32(v));
    }
}

} // namespace
} // namespace vmafgpu
