// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reading SPIR-V and asking for a size of waves in it. Needs no driver.
#include <gtest/gtest.h>

#include "base/error.h"
#include "opencl/opencl_image.h"

namespace vmafgpu {
namespace {

using Words = std::vector<uint32_t>;

const Words kHeader = {0x07230203, 0x00010300, 0, 100, 0};
const Words kCapability = {2u << 16 | 17, 6};                   // OpCapability Kernel
const Words kOne = {4u << 16 | 15, 6, 7, 0x00656e6f};           // OpEntryPoint Kernel %7 "one"
const Words kThree = {5u << 16 | 15, 6, 9, 0x65726874, 0x0065}; // OpEntryPoint Kernel %9 "three"
const Words kSource = {3u << 16 | 3, 0, 0};                     // OpSource

Words joined(const std::vector<Words> &parts)
{
    Words all;
    for (const Words &part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

SpirvImage read(const Words &words, int wave_size)
{
    return read_spirv(words.data(), words.size() * sizeof(uint32_t), wave_size);
}

TEST(OpenclImage, NamesItsKernels)
{
    const Words words = joined({kHeader, kCapability, kOne, kThree, kSource});
    const SpirvImage image = read(words, 0);
    EXPECT_EQ((std::vector<std::string>{"one", "three"}), image.kernels);
    EXPECT_EQ(words, image.words);
}

TEST(OpenclImage, AsksForWavesBehindTheEntryPoints)
{
    const Words asks = {2u << 16 | 17, 58}; // OpCapability SubgroupDispatch
    const Words modes = {4u << 16 | 16, 7, 35, 32, 4u << 16 | 16, 9, 35, 32};
    const SpirvImage image = read(joined({kHeader, kCapability, kOne, kThree, kSource}), 32);
    EXPECT_EQ(joined({kHeader, asks, kCapability, kOne, kThree, modes, kSource}), image.words);
}

TEST(OpenclImage, RefusesWhatIsNoSpirv)
{
    EXPECT_THROW(read({}, 0), Error);
    EXPECT_THROW(read(joined({{1, 2, 3, 4, 5}, kOne}), 0), Error);
    Words cut = joined({kHeader, kOne});
    cut.pop_back();
    EXPECT_THROW(read(cut, 0), Error);
    EXPECT_THROW(read(joined({kHeader, {0}}), 0), Error);
}

} // namespace
} // namespace vmafgpu
