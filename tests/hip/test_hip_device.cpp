// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 1 on the HIP backend over its stand-in runtime: choosing a device and its
// image, memory, copies in every pitch, streams of others, imports, wrong launches.
#include "hip_fixture.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/unpack_args.h"

namespace vmafgpu {
namespace {

class HipDeviceTest : public testing::Test {
protected:
    void SetUp() override
    {
        Standin::get().fail("");
        device_ = open_hip(request("0"));
        queue_ = device_->make_queue();
    }
    void TearDown() override
    {
        queue_.reset();
        device_.reset();
        EXPECT_EQ(0, Standin::get().alive());
        EXPECT_EQ(0, Standin::get().misuses());
    }

    static DeviceRequest request(const std::string &selector)
    {
        DeviceRequest request;
        request.selector = selector;
        return request;
    }

    void finish()
    {
        const auto event = device_->make_event();
        EXPECT_TRUE(event->done()) << "never recorded";
        queue_->record(*event);
        event->sync();
        EXPECT_TRUE(event->done());
    }

    std::vector<unsigned char> fetch(const void *memory, size_t bytes)
    {
        void *host = device_->alloc_host(bytes);
        queue_->download(host, memory, bytes);
        finish();
        const auto *first = static_cast<unsigned char *>(host);
        std::vector<unsigned char> copy(first, first + bytes);
        device_->free_host(host);
        return copy;
    }

    std::unique_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
};

TEST_F(HipDeviceTest, InfoIsFilledIn)
{
    const char *wave = std::getenv("VMAFGPU_STANDIN_WAVE");
    const VmafGpuDevice &info = device_->info();
    EXPECT_STREQ("hip", info.backend);
    EXPECT_STREQ("hip:0", info.selector);
    EXPECT_EQ(wave ? std::atoi(wave) : 32, info.wave_size);
    EXPECT_STREQ(info.wave_size == 64 ? "stand-in 0 on the emulator (gfx90a)"
                                      : "stand-in 0 on the emulator (gfx1030)",
                 info.name);
    EXPECT_STREQ("0000:03:00.0", info.pci_id);
    EXPECT_GT(info.memory_bytes, uint64_t(1) << 30);
}

TEST_F(HipDeviceTest, OpensByOrdinalAndPciId)
{
    EXPECT_EQ(2u, hip_devices(nullptr).size());
    EXPECT_STREQ("hip:1", open_hip(request("1"))->info().selector);
    EXPECT_STREQ("hip:1", open_hip(request("0000:04:00.0"))->info().selector);
    const std::string text = error_text(ENODEV, [] { open_hip(request("7")); });
    EXPECT_TRUE(contains(text, "no device hip:7") && contains(text, "0000:04:00.0")) << text;
    error_text(EINVAL, [] { open_hip(request("first")); });
    DeviceRequest native;
    native.native_context = this;
    EXPECT_TRUE(contains(error_text(EINVAL, [&] { open_hip(native); }), "no native context"));
}

TEST_F(HipDeviceTest, TwoDevicesBesideEachOther)
{
    const auto second = open_hip(request("1"));
    const auto queue = second->make_queue();
    void *there = second->alloc(64);
    void *here = device_->alloc(64);
    queue->fill(there, 1, 64);
    queue_->fill(here, 2, 64);
    EXPECT_EQ(std::vector<unsigned char>(64, 2), fetch(here, 64));
    second->free(there);
    device_->free(here);
}

TEST_F(HipDeviceTest, NoImageForThisGpuListsThoseThereAre)
{
    for (const char *arch : {"gfx1013", "gfx803:xnack-"}) {
        setenv("VMAFGPU_STANDIN_ARCH", arch, 1);
        const std::string text = error_text(ENODEV, [] { open_hip(request("0")); });
        EXPECT_TRUE(contains(text, std::string("is a ") + arch) && contains(text, "gfx90a") &&
                    contains(text, "gfx1030") && contains(text, "clang") &&
                    contains(text, "-Dhip_archs=gfx"))
            << text;
        std::string why;
        EXPECT_TRUE(hip_devices(&why).empty());
        EXPECT_TRUE(contains(why, "-Dhip_archs=")) << why;
    }
    // What HSA_OVERRIDE_GFX_VERSION does: the runtime reports another name, with another image.
    setenv("VMAFGPU_STANDIN_ARCH", device_->info().wave_size == 64 ? "gfx90a" : "gfx1030", 1);
    EXPECT_EQ(device_->info().wave_size, open_hip(request("0"))->info().wave_size);
    unsetenv("VMAFGPU_STANDIN_ARCH");
}

TEST_F(HipDeviceTest, ArchitectureWhereNoneIsExpected)
{
    setenv("VMAFGPU_STANDIN_ARCH", "R0700", 1);
    EXPECT_TRUE(
        contains(error_text(ENODEV, [] { open_hip(request("0")); }), "gives no architecture name"));
    unsetenv("VMAFGPU_STANDIN_ARCH");
}

TEST_F(HipDeviceTest, MemoryIsAlignedAndNullIsFreed)
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

TEST_F(HipDeviceTest, RowsInEveryPitch)
{
    constexpr int kRows = 5;
    std::vector<unsigned char> picture(kRows * 17);
    for (size_t i = 0; i < picture.size(); ++i)
        picture[i] = static_cast<unsigned char>(i);
    auto *memory = static_cast<unsigned char *>(device_->alloc(kRows * 32));
    auto *other = static_cast<unsigned char *>(device_->alloc(kRows * 48));
    const auto expect_rows = [&](const unsigned char *rows, size_t pitch, int first, int step) {
        const auto got = fetch(rows, pitch * kRows);
        for (int y = 0; y < kRows; ++y)
            EXPECT_EQ(0, std::memcmp(&got[pitch * static_cast<size_t>(y)],
                                     &picture[static_cast<size_t>(17 * (first + step * y))], 15))
                << "row " << y;
        EXPECT_EQ(0xee, got[15]) << "written beyond the row";
    };
    queue_->fill(memory, 0xee, kRows * 32);
    queue_->upload2d(memory, 32, picture.data(), 17, 15, kRows);
    expect_rows(memory, 32, 0, 1);
    queue_->upload2d(memory, 32, &picture[4 * 17], -17, 15, kRows);
    expect_rows(memory, 32, 4, -1);
    queue_->upload2d(memory, 32, &picture[2 * 17], 0, 15, kRows);
    expect_rows(memory, 32, 2, 0);
    queue_->fill(other, 0xee, kRows * 48);
    queue_->copy2d(other, 48, memory, 32, 15, kRows);
    expect_rows(other, 48, 2, 0);
    queue_->copy2d(other, 1, memory, 1, 15, 1);
    queue_->upload2d(memory, 0, picture.data(), 0, 0, 0);
    device_->free(memory);
    device_->free(other);
}

TEST_F(HipDeviceTest, WaitsForEventsAndForStreamsOfOthers)
{
    const auto other = device_->make_queue();
    const auto event = device_->make_event();
    void *memory = device_->alloc(64);
    other->fill(memory, 3, 64);
    other->record(*event);
    queue_->wait(*event);
    EXPECT_EQ(std::vector<unsigned char>(64, 3), fetch(memory, 64));

    auto *create = Standin::get().symbol<int(void **, unsigned)>("hipStreamCreateWithFlags");
    auto *destroy = Standin::get().symbol<int(void *)>("hipStreamDestroy");
    void *native = nullptr;
    ASSERT_EQ(0, create(&native, kHipStreamNonBlocking));
    queue_->wait_native(native);
    queue_->wait_native(nullptr);
    finish();
    EXPECT_EQ(0, destroy(native));
    device_->free(memory);
}

TEST_F(HipDeviceTest, WrongLaunchesAreErrorsAndNoMore)
{
    UnpackPlanesArgs args = {}; // planes without samples
    args.plane[0].items_per_row = 1;
    const Kernel<UnpackPlanesArgs> unknown = {"no_such_kernel", 256, 0};
    std::string text = error_text(EINVAL, [&] { queue_->launch(unknown, {}, args); });
    EXPECT_TRUE(contains(text, "no_such_kernel")) << text;
    const Kernel<UnpackPlanesArgs> greedy = {"unpack_planes", 256, 65537};
    text = error_text(ENODEV, [&] { queue_->launch(greedy, {}, args); });
    EXPECT_TRUE(contains(text, "65537 bytes of shared memory")) << text;
    struct Large {
        char bytes[4001];
    };
    const Kernel<Large> large = {"unpack_planes", 256, 0};
    text = error_text(EINVAL, [&] { queue_->launch(large, {}, Large()); });
    EXPECT_TRUE(contains(text, "4001 bytes, allowed are 4000")) << text;
    struct Longer {
        char bytes[sizeof(UnpackPlanesArgs) + 8];
    };
    const Kernel<Longer> longer = {"unpack_planes", 256, 0};
    text = error_text(EINVAL, [&] { queue_->launch(longer, {}, Longer()); });
    EXPECT_TRUE(contains(text, "bytes of arguments, it was given")) << text;
    const Kernel<UnpackPlanesArgs> good = {"unpack_planes", 256, 0};
    queue_->launch(good, {}, args);
    finish();
}

int open_descriptors()
{
    int count = 0;
    for (int fd = 0; fd < 256; ++fd)
        count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
}

TEST_F(HipDeviceTest, ImportsAreMappedAndGivenBack)
{
    const int before = open_descriptors();
    const int fd = memfd_create("picture", MFD_CLOEXEC);
    const std::vector<unsigned char> content(5000, 7);
    ASSERT_EQ(5000, write(fd, content.data(), content.size()));
    void *memory = device_->import_memory(fd, 5000);
    EXPECT_EQ(before + 1, open_descriptors()) << "a duplicate stays open";
    close(fd);
    // The stand-in's device memory is the host's; kernels read imports in the filter's tests.
    EXPECT_EQ(0, std::memcmp(memory, content.data(), content.size()));
    device_->release_import(memory);
    EXPECT_EQ(before, open_descriptors());
}

TEST_F(HipDeviceTest, FailedImportsLeaveNothing)
{
    const int fd = memfd_create("picture", MFD_CLOEXEC);
    ASSERT_EQ(0, ftruncate(fd, 4096));
    const int before = open_descriptors();
    const struct {
        const char *failures;
        int code;
        const char *text;
    } cases[] = {
        {"hipImportExternalMemory#1=801", ENOTSUP, "hipImportExternalMemory"},
        {"hipImportExternalMemory#1=1", EINVAL, "hipImportExternalMemory of 4096 bytes"},
        {"hipExternalMemoryGetMappedBuffer#1=2", ENOMEM, "hipExternalMemoryGetMappedBuffer"},
    };
    for (const auto &one : cases) {
        Standin::get().fail(one.failures);
        const std::string text = error_text(one.code, [&] { device_->import_memory(fd, 4096); });
        EXPECT_TRUE(contains(text, one.text)) << text;
        EXPECT_EQ(before, open_descriptors()) << one.failures;
    }
    Standin::get().fail("");
    error_text(EINVAL, [&] { device_->import_memory(fd, 1 << 20); });
    error_text(EINVAL, [&] { device_->import_memory(-1, 4096); });
    EXPECT_EQ(before, open_descriptors());
    device_->release_import(device_->import_memory(fd, 4096));
    close(fd);
}

} // namespace
} // namespace vmafgpu
