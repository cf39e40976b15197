// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scaler's kernel reads nothing around a picture: the picture lies at the start or at the end
// of a mapping, and the pages next to it cannot be read. That results are right: tests/check.
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include "device/device.h"
#include "emu/emu_device.h"
#include "scaler/scale_record.h"

namespace vmafgpu {
namespace {

struct Sizes {
    int from_width, from_height, to_width, to_height;
};

constexpr Sizes kSizes[] = {{17, 17, 68, 23},  {96, 54, 192, 108}, {192, 108, 96, 54},
                            {66, 99, 65, 300}, {85, 47, 85, 107},  {272, 272, 17, 17}};

/// Scales luma that begins `at` bytes behind a page that cannot be read, or ends before one.
void scale_at_border(const Sizes &size, int depth, bool is_at_end)
{
    const Format source = {size.from_width, size.from_height, depth, Chroma::k400};
    const ScalePlan plan(source, size.to_width, size.to_height);
    const auto pitch = static_cast<size_t>(source.width * source.sample_bytes());
    const size_t bytes = pitch * static_cast<size_t>(source.height);
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t mapped = (bytes + page - 1) / page * page;
    const int fd = memfd_create("scale-test", 0);
    ASSERT_EQ(0, ftruncate(fd, static_cast<off_t>(mapped)));
    EmuSettings settings;
    settings.wave_size = 32;
    const auto device = open_emu_device(settings);
    const auto queue = device->make_queue();
    char *memory = static_cast<char *>(device->import_memory(fd, mapped));
    const ScaleTables tables(plan);
    std::vector<char> table(tables.bytes());
    tables.fill(table.data());
    void *device_tables = device->alloc(table.size());
    queue->upload(device_tables, table.data(), table.size());
    const auto to_pitch = static_cast<size_t>(size.to_width * source.sample_bytes());
    void *result = device->alloc(to_pitch * static_cast<size_t>(size.to_height));
    VmafGpuPicture picture = {};
    picture.depth = depth;
    picture.plane[0].data = memory + (is_at_end ? mapped - bytes : 0);
    picture.plane[0].pitch = static_cast<ptrdiff_t>(pitch);
    char *const to[3] = {static_cast<char *>(result), nullptr, nullptr};
    scale_record(tables, static_cast<const char *>(device_tables), picture, 1, plan.target(), to,
                 {to_pitch, 0, 0}, *queue);
    const auto event = device->make_event();
    queue->record(*event);
    event->sync();
    device->free(result);
    device->free(device_tables);
    device->release_import(memory);
    close(fd);
}

TEST(ScaleBounds, NothingAroundAPictureIsRead)
{
    for (const Sizes &size : kSizes)
        for (const int depth : {8, 10, 16})
            for (const bool is_at_end : {false, true})
                scale_at_border(size, depth, is_at_end);
}

} // namespace
} // namespace vmafgpu
