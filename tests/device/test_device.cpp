// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 1 on the emulated device: copies, events, order, deferred work,
// limits, injected failures.
#include <cstdlib>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include "emu/sanitizer.h"
#include "emu_fixture.h"
#include "word_kernels.h"

namespace vmafgpu {
namespace {

std::unique_ptr<Device> open_deferred()
{
    EmuSettings settings;
    settings.threads = 1;
    settings.deferred_polls = 1;
    return open_emu_device(settings);
}

TEST(EmuDevice, SaysWhatItIs)
{
    for (const int wave_size : {32, 64}) {
        const auto device = open_emu(wave_size);
        EXPECT_EQ(device->info().wave_size, wave_size);
        EXPECT_STREQ(device->info().backend, "emu");
        EXPECT_EQ(device->info().selector, "emu" + std::to_string(wave_size));
    }
    EXPECT_EQ(find_emu32(nullptr).size(), 1u);
    EXPECT_STREQ(find_emu64(nullptr)[0].info.selector, "emu64");
}

TEST(EmuDevice, MemoryIsAligned)
{
    const auto device = open_emu(32);
    for (const size_t bytes : {1, 255, 256, 257, 100000}) {
        void *memory = device->alloc(bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
        device->free(memory);
    }
    device->free(nullptr);
    device->free_host(nullptr);
}

TEST(EmuDevice, UploadAndFillWriteWhatTheySayAndNoMore)
{
    const auto device = open_emu(64);
    const auto queue = device->make_queue();
    const DeviceArray<uint8_t> memory(*device, 100);
    std::vector<uint8_t> bytes(64);
    for (size_t i = 0; i < 64; ++i)
        bytes[i] = static_cast<uint8_t>(i);
    queue->fill(memory.data(), 7, 100);
    queue->upload(memory.data() + 10, bytes.data(), 64);
    queue->fill(memory.data() + 20, 9, 5);
    const auto got = memory.fetch(*queue);
    for (size_t i = 0; i < 100; ++i) {
        const bool is_copy = i >= 10 && i < 74;
        const bool is_filled = i >= 20 && i < 25;
        EXPECT_EQ(got[i], is_filled ? 9 : is_copy ? i - 10 : 7) << i;
    }
}

TEST(EmuDevice, RefusesWhatIsOutsideItsBuffers)
{
    const auto device = open_emu(64);
    const auto queue = device->make_queue();
    const DeviceArray<uint8_t> memory(*device, 100);
    uint8_t host[200] = {};
    int code = 0;
    const auto refused = [&](const std::function<void()> &action) {
        const std::string text = error_of(action, &code);
        EXPECT_EQ(code, EINVAL) << text;
    };
    refused([&] { queue->upload(memory.data(), host, 101); });
    refused([&] { queue->upload(memory.data() + 50, host, 51); });
    refused([&] { queue->upload(host, host, 1); });
    refused([&] { queue->fill(memory.data() - 1, 0, 2); });
    refused([&] { queue->download(host, memory.data(), 10); }); // the host memory is not pinned
    EXPECT_EQ(error_of([&] { queue->upload(memory.data() + 50, host, 50); }), "");
}

TEST(EmuDevice, RefusesBadLaunches)
{
    const auto device = open_emu(64);
    const auto queue = device->make_queue();
    const DeviceArray<uint64_t> out(*device, 1024);
    WordArgs args = {};
    args.out = out.data();
    int code = 0;
    const auto refused = [&](const Kernel<WordArgs> &kernel, Grid grid) {
        const std::string text = error_of([&] { queue->launch(kernel, grid, args); }, &code);
        EXPECT_EQ(code, EINVAL) << text;
    };
    refused({"no_such_kernel", 64}, {1, 1, 1});
    refused({"test_store", 96}, {1, 1, 1});
    refused({"test_store", 0}, {1, 1, 1});
    refused({"test_store", 128}, {1, 1, 1}); // more than its bounds
    refused(kStore, {0, 1, 1});
    refused(kStore, {1, 65536, 1});
    const Kernel<int> wrong_args = {"test_store", 64};
    EXPECT_NE(error_of([&] { queue->launch(wrong_args, {1, 1, 1}, 1); }, &code), "");
    EXPECT_EQ(code, EINVAL);
    EXPECT_EQ(error_of([&] { queue->launch(kStore, {1, 1, 1}, args); }), "");
}

TEST(EmuDevice, EventsFollowTheQueue)
{
    const auto device = open_deferred();
    const auto queue = device->make_queue();
    const auto event = device->make_event();
    EXPECT_TRUE(event->done()) << "never recorded";
    const DeviceArray<uint64_t> out(*device, 64);
    WordArgs args = {};
    args.out = out.data();
    args.count = 1;
    queue->launch(kStore, {1, 1, 1}, args);
    queue->record(*event);
    EXPECT_FALSE(event->done()) << "a device takes its time";
    EXPECT_EQ(out.data()[0], UINT64_C(0xa7a7a7a7a7a7a7a7));
    EXPECT_TRUE(event->done());
    EXPECT_EQ(out.data()[0], 1u);

    args.count = 2;
    queue->launch(kStore, {1, 1, 1}, args);
    args.count = 3; // arguments are taken at the call
    EXPECT_TRUE(event->done()) << "recorded before the launch";
    EXPECT_EQ(out.data()[0], 1u);
    queue->record(*event);
    event->sync();
    EXPECT_EQ(out.data()[0], 2u);
}

TEST(EmuDevice, reg34_DeferredUploadsReadPinnedMemoryLate)
{
    const auto device = open_deferred();
    const auto queue = device->make_queue();
    const auto event = device->make_event();
    const DeviceArray<uint8_t> memory(*device, 64);
    auto *pinned = static_cast<uint8_t *>(device->alloc_host(32));
    uint8_t pageable[32];
    std::memset(pinned, 1, 32);
    std::memset(pageable, 1, 32);
    queue->upload(memory.data(), pinned, 32);
    queue->upload(memory.data() + 32, pageable, 32);
    std::memset(pinned, 2, 32);   // too early: shows
    std::memset(pageable, 2, 32); // allowed
    queue->record(*event);
    event->sync();
    EXPECT_EQ(memory.data()[0], 2);
    EXPECT_EQ(memory.data()[31], 2);
    EXPECT_EQ(memory.data()[32], 1);
    EXPECT_EQ(memory.data()[63], 1);
    device->free_host(pinned);
}

TEST(EmuDevice, reg33_QueuesWaitOnlyIfTold)
{
    const auto device = open_deferred();
    const auto first = device->make_queue();
    const auto second = device->make_queue();
    const auto written = device->make_event();
    const auto end = device->make_event();
    const DeviceArray<uint64_t> source(*device, 64);
    const DeviceArray<uint64_t> copy(*device, 64);
    WordArgs args = {};
    args.out = source.data();
    args.count = 5;
    first->launch(kStore, {1, 1, 1}, args);
    first->record(*written);
    WordArgs copy_args = {};
    copy_args.out = copy.data();
    copy_args.signed_out = reinterpret_cast<int64_t *>(source.data());
    second->launch(kCopy, {1, 1, 1}, copy_args);
    second->record(*end);
    end->sync();
    EXPECT_NE(copy.data()[0], 5u) << "nobody waited";

    second->wait(*written);
    second->launch(kCopy, {1, 1, 1}, copy_args);
    second->record(*end);
    end->sync();
    EXPECT_EQ(copy.data()[0], 5u);
    // A wait means what was recorded by then.
    args.count = 6;
    first->launch(kStore, {1, 1, 1}, args);
    first->record(*written);
    second->launch(kCopy, {1, 1, 1}, copy_args);
    second->record(*end);
    end->sync();
    EXPECT_EQ(copy.data()[0], 5u);
}

TEST(EmuDevice, QueueEndsWithItsWorkDone)
{
    const auto device = open_deferred();
    const DeviceArray<uint64_t> out(*device, 64);
    const auto event = device->make_event();
    {
        const auto queue = device->make_queue();
        WordArgs args = {};
        args.out = out.data();
        args.count = 4;
        queue->launch(kStore, {1, 1, 1}, args);
        queue->record(*event);
    }
    EXPECT_TRUE(event->done());
    EXPECT_EQ(out.data()[0], 4u);
}

TEST(EmuDevice, reg41_MemoryLimit)
{
    EmuSettings settings;
    settings.memory_limit = 1000;
    const auto device = open_emu_device(settings);
    EXPECT_EQ(device->info().memory_bytes, 1000u);
    void *memory = device->alloc(600);
    int code = 0;
    EXPECT_NE(error_of([&] { device->alloc(401); }, &code), "");
    EXPECT_EQ(code, ENOMEM);
    device->free(memory);
    memory = device->alloc(1000);
    device->free(memory);
    EXPECT_NE(error_of([&] { device->alloc(SIZE_MAX); }, &code), "");
    EXPECT_EQ(code, ENOMEM);
}

TEST(EmuDevice, FailsWhereAsked)
{
    const auto use = [](uint64_t fail_at) {
        EmuSettings settings;
        settings.fail_at = fail_at;
        const auto device = open_emu_device(settings);
        const DeviceArray<uint64_t> out(*device, 64);
        const auto queue = device->make_queue();
        WordArgs args = {};
        args.out = out.data();
        queue->launch(kStore, {1, 1, 1}, args);
        out.fetch(*queue);
    };
    uint64_t call = 1;
    int code = EIO;
    for (; code != 0; ++call) {
        error_of([&] { use(call); }, &code);
        ASSERT_LT(call, 50u);
    }
    // alloc, alloc_host, make queue, launch, download, make event, record, sync
    EXPECT_EQ(call, 8u + 2);
}

TEST(EmuDevice, HostOverrunsAreSeen)
{
    std::string logged;
    const Log log([&](int, const std::string &text) { logged += text; }, VMAFGPU_LOG_ERROR);
    const auto device = open_emu_device(EmuSettings(), log);
    auto *pinned = static_cast<uint8_t *>(device->alloc_host(10));
    // Volatile: this is outside the object, as the defect would be.
    volatile uint8_t *outside = pinned;
    if (emu::kHasAsan) { // stops at the access itself
        EXPECT_DEATH(outside[10] = 1, "AddressSanitizer");
        device->free_host(pinned);
        return;
    }
    outside[10] = 1;
    device->free_host(pinned);
    EXPECT_NE(logged.find("pinned host buffer of 10 bytes: written 0 bytes behind its end"),
              std::string::npos)
        << logged;
}

TEST(EmuDevice, reg40_LeaksAreReported)
{
    std::string logged;
    const Log log([&](int, const std::string &text) { logged += text; }, VMAFGPU_LOG_ERROR);
    {
        const auto device = open_emu_device(EmuSettings(), log);
        device->alloc(10);
    }
    EXPECT_NE(logged.find("closed with 1 buffers not freed"), std::string::npos) << logged;
}

TEST(EmuDevice, SelectorIsTheSeed)
{
    DeviceRequest request;
    request.selector = "12345";
    EXPECT_NE(open_emu32(request), nullptr);
    int code = 0;
    for (const char *bad : {"x", "-1", "1.5", "1234567890123456789"}) {
        request.selector = bad;
        error_of([&] { open_emu64(request); }, &code);
        EXPECT_EQ(code, EINVAL) << bad;
    }
}

TEST(EmuDevice, EnvironmentIsChecked)
{
    setenv("VMAFGPU_EMU_SEED", "77", 1);
    EXPECT_EQ(emu_settings_from_environment(32).seed, 77u);
    setenv("VMAFGPU_EMU_SEED", "seven", 1);
    int code = 0;
    error_of([] { emu_settings_from_environment(32); }, &code);
    EXPECT_EQ(code, EINVAL);
    unsetenv("VMAFGPU_EMU_SEED");
    EXPECT_EQ(emu_settings_from_environment(32).seed, 1u);
}

TEST(EmuDevice, ImportsThatAreLeftAreReported)
{
    const int fd = memfd_create("emu-test", 0);
    ASSERT_EQ(0, ftruncate(fd, 5000));
    auto device = open_emu(64);
    const auto *bytes = static_cast<const unsigned char *>(device->import_memory(fd, 5000));
    const unsigned char written = 42;
    ASSERT_EQ(1, pwrite(fd, &written, 1, 4999));
    EXPECT_EQ(42, bytes[4999]); // the memory itself, not a copy
    testing::internal::CaptureStderr();
    device.reset();
    EXPECT_EQ("emu64: closed with 1 buffers not freed\n", testing::internal::GetCapturedStderr());
    close(fd);
}

TEST(EmuDevice, ImportedMemoryIsReadOnlyAndEnds)
{
    const int fd = memfd_create("emu-test", 0);
    ASSERT_EQ(0, ftruncate(fd, 4096));
    const auto device = open_emu(32);
    auto *bytes = static_cast<volatile unsigned char *>(device->import_memory(fd, 4096));
    EXPECT_EQ(0, bytes[0]);
    EXPECT_DEATH(bytes[0] = 1, "");
    EXPECT_DEATH((void)bytes[4096], "");
    EXPECT_DEATH((void)bytes[-1], "");
    device->release_import(const_cast<unsigned char *>(bytes));
    close(fd);
}

} // namespace
} // namespace vmafgpu
