// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prints how many fiber switches per second the emulator makes. Run by hand.
#include <cstdio>
#include <ctime>

#include "emu_fixture.h"
#include "word_kernels.h"

using namespace vmafgpu;

static void measure(const char *name, const Kernel<WordArgs> &kernel, int wave_size, int count)
{
    const auto device = open_emu(wave_size);
    const auto queue = device->make_queue();
    const DeviceArray<uint64_t> out(*device, 1024 * 64);
    WordArgs args = {};
    args.out = out.data();
    args.count = count;
    constexpr unsigned kBlocks = 40;
    queue->launch(kernel, {kBlocks, 1, 1}, args);
    // Processor time: others may be using the machine. One host thread runs the blocks.
    const std::clock_t begin = std::clock();
    queue->launch(kernel, {kBlocks, 1, 1}, args);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double waits = static_cast<double>(kBlocks) * kernel.threads * count;
    std::printf("emu%d %-9s %7.1f million per second and core\n", wave_size, name,
                waits / seconds / 1e6);
}

int main()
{
    for (const int wave_size : {32, 64}) {
        measure("barriers", kManyBarriers, wave_size, 1000);
        measure("shuffles", kManyShuffles, wave_size, 1000);
        measure("threads", kStore, wave_size, 1);
    }
    return 0;
}
