// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the HIP backend decides without a runtime: error codes, versions, names of
// architectures, what a code object says, and the text when there is no library.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

#include "base/error.h"
#include "device/device.h"
#include "hip/hip_context.h"
#include "hip/hip_device.h"

namespace vmafgpu {

extern const KernelLibrary kHipKernels;

namespace {

TEST(Hip, ResultsBecomeErrno)
{
    EXPECT_EQ(ENOMEM, hip_error_code(kHipOutOfMemory));
    EXPECT_EQ(EINVAL, hip_error_code(kHipInvalidValue));
    EXPECT_EQ(EINVAL, hip_error_code(kHipNotFound));
    EXPECT_EQ(ENODEV, hip_error_code(kHipNoDevice));
    EXPECT_EQ(ENODEV, hip_error_code(kHipNoBinaryForGpu));
    EXPECT_EQ(EIO, hip_error_code(kHipIllegalAddress));
    EXPECT_EQ(EIO, hip_error_code(kHipUnknown));
    EXPECT_EQ(EIO, hip_error_code(static_cast<HipResult>(12345)));
}

TEST(Hip, Versions)
{
    EXPECT_EQ("5.2.21153", hip_version_text(50221153));
    EXPECT_EQ("6.4.43484", hip_version_text(60443484));
    EXPECT_EQ("0.0.0", hip_version_text(0));
}

TEST(Hip, ArchitecturesWithAndWithoutFeatures)
{
    EXPECT_EQ("gfx90a", hip_base_target("gfx90a:sramecc+:xnack-"));
    EXPECT_EQ("gfx1030", hip_base_target("gfx1030"));
    EXPECT_TRUE(hip_images_cover("gfx900 gfx90a", "gfx90a:sramecc+:xnack-"));
    EXPECT_TRUE(hip_images_cover("gfx900 gfx90a", "gfx900"));
    EXPECT_FALSE(hip_images_cover("gfx900 gfx90a", "gfx90"));
    EXPECT_FALSE(hip_images_cover("gfx900 gfx90a", "gfx1030"));
    EXPECT_FALSE(hip_images_cover("", "gfx1030"));
}

TEST(Hip, EveryImageSaysWhatItsNameSays)
{
    std::set<std::string> targets;
    ASSERT_GT(kHipKernels.count, 0u);
    for (size_t i = 0; i < kHipKernels.count; ++i) {
        const KernelBlob &blob = kHipKernels.blobs[i];
        const HipImage image = read_hip_image(blob.data, blob.bytes);
        EXPECT_EQ(std::strchr(blob.name, '@') + 1, image.target) << blob.name;
        targets.insert(image.target);
        for (const HipKernelInfo &kernel : image.kernels) {
            const bool is_rdna = image.target.size() == 7; // gfx1030; gfx90a has six letters
            EXPECT_EQ(is_rdna ? 32 : 64, kernel.wave_size) << blob.name << " " << kernel.name;
            EXPECT_GT(kernel.kernarg_bytes, 0u) << blob.name << " " << kernel.name;
            EXPECT_EQ(&kernel, image.find(kernel.name));
        }
    }
    for (const std::string &target : targets)
        EXPECT_TRUE(hip_images_cover(kHipKernels.images, target));
}

TEST(Hip, TruncatedAndForeignImagesAreErrors)
{
    const KernelBlob &blob = kHipKernels.blobs[0];
    for (size_t bytes = 0; bytes < blob.bytes; bytes += bytes < 4096 ? 7 : 501)
        EXPECT_THROW(read_hip_image(blob.data, bytes), Error) << bytes;
    std::vector<char> copy(static_cast<const char *>(blob.data),
                           static_cast<const char *>(blob.data) + blob.bytes);
    for (const size_t at : {0, 4, 5, 7, 18}) { // magic, class, order, ABI, machine
        std::vector<char> broken = copy;
        broken[at] = static_cast<char>(broken[at] ^ 0x11);
        EXPECT_THROW(read_hip_image(broken.data(), broken.size()), Error) << at;
    }
    // Any byte changed: an answer or an error, but no more.
    for (size_t at = 0; at < copy.size(); at += 13) {
        std::vector<char> broken = copy;
        broken[at] = static_cast<char>(broken[at] ^ 0xff);
        try {
            read_hip_image(broken.data(), broken.size());
        } catch (const Error &) { // NOLINT(bugprone-empty-catch): either is fine
        }
    }
}

TEST(Hip, NoRuntimeSaysWhichLibraryAndPackage)
{
    setenv("VMAFGPU_HIP_LIBRARY", "libamdhip64-that-is-not-there.so", 1);
    std::string why;
    EXPECT_TRUE(hip_devices(&why).empty());
    for (const char *part :
         {"libamdhip64-that-is-not-there.so", "hip-runtime-amd", "libamdhip64.so", "libamdhip64-5"})
        EXPECT_NE(std::string::npos, why.find(part)) << why;
    EXPECT_THROW(open_hip(DeviceRequest()), Error);
    // Something else under the name.
    setenv("VMAFGPU_HIP_LIBRARY", "libm.so.6", 1);
    EXPECT_TRUE(hip_devices(&why).empty());
    EXPECT_NE(std::string::npos, why.find("libm.so.6 has no hipInit")) << why;
    unsetenv("VMAFGPU_HIP_LIBRARY");
}

} // namespace
} // namespace vmafgpu
