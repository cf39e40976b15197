// SPDX-License-Identifier: BSD-2-Clause-Patent
// What only the HIP backend has, over its stand-in runtime: architectures and their
// images, streams of others. What it shares with CUDA: test_driver_*.cpp.
#include "driver_fixture.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hip/hip_api.h"
#include "hip/hip_device.h"

namespace {

bool does_fstat_fail = false;

} // namespace

/// Replaces the C library's fstat(), which has no reason to fail here.
int fstat(int fd, struct stat *status) noexcept
{
    if (!does_fstat_fail)
        return fstatat(fd, "", status, AT_EMPTY_PATH);
    errno = EOVERFLOW;
    return -1;
}

namespace vmafgpu {
namespace {

using HipDeviceTest = DriverTest;

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

TEST_F(HipDeviceTest, HasNoNativeContext)
{
    DeviceRequest native;
    native.native_context = this;
    EXPECT_TRUE(contains(error_text(EINVAL, [&] { open_hip(native); }), "no native context"));
}

TEST_F(HipDeviceTest, NoDeviceIsSaidWithWhatToLookAt)
{
    Standin::get().fail("hipGetDeviceCount#*=100");
    const std::string text = error_text(ENODEV, [] { open_hip(request_for("0")); });
    EXPECT_TRUE(contains(text, "no AMD GPU is visible") && contains(text, "/dev/kfd") &&
                contains(text, "render and video"))
        << text;
    Standin::get().fail("");
}

TEST_F(HipDeviceTest, NoImageForThisGpuListsThoseThereAre)
{
    for (const char *arch : {"gfx1013", "gfx803:xnack-"}) {
        setenv("VMAFGPU_STANDIN_ARCH", arch, 1);
        const std::string text = error_text(ENODEV, [] { open_hip(request_for("0")); });
        EXPECT_TRUE(contains(text, std::string("is a ") + arch) && contains(text, "gfx90a") &&
                    contains(text, "gfx1030") && contains(text, "clang") &&
                    contains(text, "-Dhip_archs=gfx"))
            << text;
        std::string why;
        EXPECT_TRUE(hip_devices(&why).empty());
        EXPECT_TRUE(contains(why, "-Dhip_archs=")) << why;
    }
    // HSA_OVERRIDE_GFX_VERSION does this: the runtime reports another name, with another image.
    setenv("VMAFGPU_STANDIN_ARCH", device_->info().wave_size == 64 ? "gfx90a" : "gfx1030", 1);
    EXPECT_EQ(device_->info().wave_size, open_hip(request_for("0"))->info().wave_size);
    unsetenv("VMAFGPU_STANDIN_ARCH");
}

TEST_F(HipDeviceTest, ArchitectureWhereNoneIsExpected)
{
    setenv("VMAFGPU_STANDIN_ARCH", "R0700", 1);
    EXPECT_TRUE(contains(error_text(ENODEV, [] { open_hip(request_for("0")); }),
                         "gives no architecture name"));
    unsetenv("VMAFGPU_STANDIN_ARCH");
}

TEST_F(HipDeviceTest, WaitsForStreamsOfOthers)
{
    auto *create =
        Standin::get().symbol<int(void **, unsigned, int)>("hipStreamCreateWithPriority");
    auto *destroy = Standin::get().symbol<int(void *)>("hipStreamDestroy");
    void *native = nullptr;
    ASSERT_EQ(0, create(&native, kHipStreamNonBlocking, 0));
    queue_->wait_native(native);
    queue_->wait_native(nullptr);
    finish();
    EXPECT_EQ(0, destroy(native));
}

// A fifth stream would wait for one of the others, although nothing says so.
TEST_F(HipDeviceTest, AContextMakesNoMoreStreamsThanRunAtATime)
{
    queue_.reset(); // a stream of the test
    const auto streams_of = [](const TestSettings &settings) {
        Standin::get().fail(""); // counts anew
        const TestContext context(settings);
        EXPECT_EQ(0, context.status) << context.error.text;
        EXPECT_EQ(1, Standin::get().urgent_streams()) << "the one for copies";
        return Standin::get().streams();
    };
    TestSettings settings = small_settings("hip");
    EXPECT_EQ(4, streams_of(settings)); // VIF, ADM and motion share two
    settings.models = {};
    settings.features = {{"vif", nullptr}};
    EXPECT_EQ(3, streams_of(settings));
    settings.features = {{"vif", nullptr},
                         {"float_vif", nullptr}}; // one on the device, one on the host
    EXPECT_EQ(4, streams_of(settings));
    settings.models = {"vmaf_v0.6.1", "vmaf_v1.0.16_3d0h"};
    settings.features = {{"psnr", nullptr}, {"float_vif", nullptr}};
    settings.width = 384;
    settings.height = 352; // at least this size for speed_chroma
    EXPECT_EQ(4, streams_of(settings));
}

TEST_F(HipDeviceTest, TheDeviceOfTheThreadStays)
{
    auto *set = Standin::get().symbol<int(int)>("hipSetDevice");
    auto *get = Standin::get().symbol<int(int *)>("hipGetDevice");
    ASSERT_EQ(0, set(1));
    device_->free(device_->alloc(64));
    int current = -1;
    ASSERT_EQ(0, get(&current));
    EXPECT_EQ(1, current);
    ASSERT_EQ(0, set(0));
}

TEST_F(HipDeviceTest, FailedStatusOfADescriptorLeavesNothing)
{
    const int fd = memfd_create("picture", MFD_CLOEXEC);
    ASSERT_EQ(0, ftruncate(fd, 4096));
    const int before = open_descriptors();
    does_fstat_fail = true;
    const std::string text = error_text(EINVAL, [&] { device_->import_memory(fd, 4096); });
    does_fstat_fail = false;
    EXPECT_TRUE(contains(text, "import of fd " + std::to_string(fd)) &&
                contains(text, std::strerror(EOVERFLOW)))
        << text;
    EXPECT_EQ(before, open_descriptors());
    close(fd);
}

} // namespace
} // namespace vmafgpu
