// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 1 on the GPU backends over their stand-ins, as far as both vendors are the
// same: choosing a device, memory, copies, queues, imports, wrong launches. What only one has is
// in test_cuda_*.cpp and test_hip_*.cpp.
#include "driver_fixture.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include "cuda_hip/pinned_ranges.h"
#include "gpu/unpack_args.h"

namespace {

thread_local int news_left = 0; ///< calls of operator new until one fails; 0: none fails

} // namespace

// Not inlined: GCC takes free() of what new gave for a mistake.
__attribute__((noinline)) void *operator new(size_t bytes)
{
    constexpr size_t kListEntry =
        48; // an entry of PinnedRanges; allocations of the stand-in must not fail
    const bool fails = bytes == kListEntry && news_left > 0 && --news_left == 0;
    void *memory = fails ? nullptr : std::malloc(bytes);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}
__attribute__((noinline)) void operator delete(void *memory) noexcept
{
    std::free(memory);
}
__attribute__((noinline)) void operator delete(void *memory, size_t /*bytes*/) noexcept
{
    std::free(memory);
}

namespace vmafgpu {
namespace {

using DriverDeviceTest = DriverTest;

TEST_F(DriverDeviceTest, OpensByOrdinalAndPciId)
{
    const std::string backend = vendor().backend;
    EXPECT_EQ(2u, vendor().devices(nullptr).size());
    EXPECT_EQ(backend + ":1", vendor().open(request_for("1"))->info().selector);
    EXPECT_EQ(backend + ":1", vendor().open(request_for("0000:04:00.0"))->info().selector);
    const std::string text = error_text(ENODEV, [] { vendor().open(request_for("7")); });
    EXPECT_TRUE(contains(text, "no device " + backend + ":7") && contains(text, "0000:04:00.0"))
        << text;
    error_text(EINVAL, [] { vendor().open(request_for("first")); });
}

TEST_F(DriverDeviceTest, AFailingDeviceHidesNoOther)
{
    const std::string call = vendor().device_memory;
    std::string why;
    for (const int broken : {0, 1}) {
        Standin::get().fail(call + "#" + std::to_string(broken + 1) + "=1");
        const auto devices = vendor().devices(&why);
        ASSERT_EQ(1U, devices.size()) << broken;
        EXPECT_EQ(std::string(vendor().backend) + ":" + std::to_string(1 - broken),
                  devices[0].selector);
    }
    Standin::get().fail(call + "#*=1");
    EXPECT_TRUE(vendor().devices(&why).empty());
    EXPECT_TRUE(contains(why, call)) << why;
    Standin::get().fail("");
    EXPECT_EQ(2U, vendor().devices(&why).size());
}

TEST_F(DriverDeviceTest, TwoDevicesBesideEachOther)
{
    const auto second = vendor().open(request_for("1"));
    const auto queue = second->make_queue();
    void *there = second->alloc(64);
    void *here = device_->alloc(64);
    queue->fill(there, 1, 64);
    queue_->fill(here, 2, 64);
    EXPECT_EQ(std::vector<unsigned char>(64, 2), fetch(here, 64));
    second->free(there);
    device_->free(here);
}

TEST_F(DriverDeviceTest, MemoryIsAlignedAndNullIsFreed)
{
    for (const size_t bytes : {0, 1, 100, 1000}) {
        void *memory = device_->alloc(bytes);
        EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(memory) % 256);
        device_->free(memory);
    }
    device_->free(nullptr);
    device_->free_host(nullptr);
    device_->release_import(nullptr);
}

// The list of pinned memory needs memory itself. What was allocated before it fails is freed.
TEST_F(DriverDeviceTest, NoMemoryForTheListOfPinnedMemory)
{
    const int before = Standin::get().alive();
    int failed = 0;
    for (int news = 1;; ++news) {
        void *memory = nullptr;
        news_left = news;
        try {
            memory = device_->alloc_host(100);
        } catch (const std::exception &) {
            ++failed;
        }
        news_left = 0;
        if (memory == nullptr) {
            EXPECT_EQ(before, Standin::get().alive()) << news;
            continue;
        }
        device_->free_host(memory);
        break;
    }
    EXPECT_GT(failed, 0);
}

TEST_F(DriverDeviceTest, UploadsAndFillsOfEverySize)
{
    auto *memory = static_cast<unsigned char *>(device_->alloc(300));
    auto *pinned = static_cast<unsigned char *>(device_->alloc_host(300));
    unsigned char pageable[300];
    for (int i = 0; i < 300; ++i)
        pinned[i] = pageable[i] = static_cast<unsigned char>(i);
    queue_->fill(memory, 0xee, 300);
    queue_->upload(memory + 10, pageable + 1, 50);
    queue_->upload(memory + 100, pinned + 7, 50); // an address inside the allocation
    queue_->upload(memory, pageable, 0);
    queue_->fill(memory, 0, 0);
    queue_->download(pinned, memory, 0);
    const auto got = fetch(memory, 300);
    for (int i = 0; i < 300; ++i) {
        const int expected = i >= 10 && i < 60 ? i - 9 : i >= 100 && i < 150 ? i - 93 : 0xee;
        EXPECT_EQ(expected, got[static_cast<size_t>(i)]) << i;
    }
    device_->free_host(pinned);
    device_->free(memory);
}

// reg34: only what is known to be pinned may be read after the call.
TEST_F(DriverDeviceTest, reg34_uploads_wait_unless_pinned)
{
    void *memory = device_->alloc(64);
    void *pinned = device_->alloc_host(64);
    unsigned char pageable[64] = {};
    const auto calls_of_upload = [&](const void *from) {
        const int before = Standin::get().calls();
        queue_->upload(memory, from, 64);
        std::string names;
        for (int i = before + 1; i <= Standin::get().calls(); ++i)
            names += Standin::get().call(i) + " ";
        return names;
    };
    EXPECT_FALSE(contains(calls_of_upload(pinned), "StreamSynchronize"));
    EXPECT_TRUE(contains(calls_of_upload(pageable), "StreamSynchronize"));
    device_->free_host(pinned);
    device_->free(memory);
}

TEST_F(DriverDeviceTest, QueuesWaitForEvents)
{
    const auto other = device_->make_queue();
    const auto event = device_->make_event();
    void *memory = device_->alloc(64);
    other->fill(memory, 3, 64);
    other->record(*event);
    queue_->wait(*event);
    EXPECT_EQ(std::vector<unsigned char>(64, 3), fetch(memory, 64));
    device_->free(memory);
}

TEST_F(DriverDeviceTest, AnyThreadMayCall)
{
    void *memory = device_->alloc(64);
    std::thread([&] {
        queue_->fill(memory, 5, 64);
        finish();
    }).join();
    EXPECT_EQ(std::vector<unsigned char>(64, 5), fetch(memory, 64));
    device_->free(memory);
}

TEST_F(DriverDeviceTest, WrongLaunchesAreErrorsAndNoMore)
{
    UnpackPlanesArgs args = {}; // planes without samples
    args.plane[0].items_per_row = 1;
    const Kernel<UnpackPlanesArgs> unknown = {"no_such_kernel", 256};
    std::string text = error_text(EINVAL, [&] { queue_->launch(unknown, {}, args); });
    EXPECT_TRUE(contains(text, "no_such_kernel")) << text;
    struct Longer {
        char bytes[sizeof(UnpackPlanesArgs) + 8];
    };
    const Kernel<Longer> longer = {"unpack_planes", 256};
    text = error_text(EINVAL, [&] { queue_->launch(longer, {}, Longer()); });
    EXPECT_TRUE(contains(text, "takes " + std::to_string(sizeof(UnpackPlanesArgs)) +
                                   " bytes of arguments, it was given " +
                                   std::to_string(sizeof(Longer))))
        << text;
    queue_->launch(kUnpackPlanes, {}, args);
    finish();
}

TEST(PinnedRanges, KnowWhatLiesInOneOfThem)
{
    char memory[100];
    PinnedRanges ranges;
    EXPECT_FALSE(ranges.contains(memory, 1));
    ranges.add(memory + 10, 20);
    ranges.add(memory + 30, 20);
    EXPECT_TRUE(ranges.contains(memory + 10, 20));
    EXPECT_TRUE(ranges.contains(memory + 15, 15));
    EXPECT_TRUE(ranges.contains(memory + 49, 1));
    EXPECT_FALSE(ranges.contains(memory + 9, 2));
    EXPECT_FALSE(ranges.contains(memory + 25, 10)) << "two ranges";
    EXPECT_FALSE(ranges.contains(memory + 49, 2));
    ranges.remove(memory + 10);
    EXPECT_FALSE(ranges.contains(memory + 15, 1));
    EXPECT_TRUE(ranges.contains(memory + 30, 1));
}

TEST_F(DriverDeviceTest, ImportsAreMappedAndReleased)
{
    const int before = open_descriptors();
    const int fd = memfd_create("picture", MFD_CLOEXEC);
    const std::vector<unsigned char> content(5000, 7);
    ASSERT_EQ(5000, write(fd, content.data(), content.size()));
    void *memory = (*device_.*vendor().import)(fd, 5000);
    close(fd);
    EXPECT_EQ(before + vendor().import_descriptors, open_descriptors());
    // The stand-in's device memory is the host's; kernels read imports in the filter's tests.
    EXPECT_EQ(0, std::memcmp(memory, content.data(), content.size()));
    device_->release_import(memory);
    EXPECT_EQ(before, open_descriptors());
}

TEST_F(DriverDeviceTest, FailedImportsLeaveNothing)
{
    const int fd = memfd_create("picture", MFD_CLOEXEC);
    ASSERT_EQ(0, ftruncate(fd, 4096));
    const int before = open_descriptors();
    const auto import = [&](int file, size_t bytes) {
        return (*device_.*vendor().import)(file, bytes);
    };
    const auto expect_failure = [&](const std::string &call, int result, int code,
                                    const std::string &message) {
        Standin::get().fail(call + "#1=" + std::to_string(result));
        const std::string text = error_text(code, [&] { import(fd, 4096); });
        EXPECT_TRUE(contains(text, message)) << text;
        EXPECT_EQ(before, open_descriptors()) << call << " " << result;
    };
    const std::string call = vendor().import_call;
    expect_failure(call, 801, ENOTSUP, call);
    for (const int refusal : vendor().import_refusals)
        expect_failure(call, refusal, EINVAL, refusal == 1 ? call + " of 4096 bytes" : call);
    expect_failure(vendor().map_call, 2, ENOMEM, vendor().map_call);
    Standin::get().fail("");
    error_text(EINVAL, [&] { import(fd, 1 << 20); });
    error_text(EINVAL, [&] { import(-1, 4096); });
    EXPECT_EQ(before, open_descriptors());
    device_->release_import(import(fd, 4096));
    close(fd);
}

} // namespace
} // namespace vmafgpu
