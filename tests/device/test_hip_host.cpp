// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the HIP backend decides without a runtime: error codes, versions, names of
// architectures, what a code object says, and the text when there is no library.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

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
    EXPECT_EQ("gfx90a", hip_image_for("gfx900 gfx90a", "gfx90a:sramecc+:xnack-", 50221153));
    EXPECT_EQ("gfx900", hip_image_for("gfx900 gfx90a", "gfx900", 50221153));
    EXPECT_EQ("", hip_image_for("gfx900 gfx90a", "gfx90", 50221153));
    EXPECT_EQ("", hip_image_for("gfx900 gfx90a", "gfx1030", 50221153));
    EXPECT_EQ("", hip_image_for("", "gfx1030", 50221153));
}

TEST(Hip, CodeForAFamilyIsTakenWhereThereIsNoOther)
{
    const std::string images = "gfx9-generic gfx1100 gfx11-generic";
    EXPECT_EQ("gfx1100", hip_image_for(images, "gfx1100", 60443484));
    EXPECT_EQ("gfx11-generic", hip_image_for(images, "gfx1103", 60443484));
    EXPECT_EQ("gfx9-generic", hip_image_for(images, "gfx906:sramecc+:xnack-", 60300000));
    EXPECT_EQ("", hip_image_for(images, "gfx1103", 60299999)); // ROCm 6.2 cannot load it
    EXPECT_EQ("", hip_image_for(images, "gfx1103", 0));
    EXPECT_EQ("gfx1100", hip_image_for(images, "gfx1100", 0));
    EXPECT_EQ("", hip_image_for(images, "gfx1030", 60443484));
    EXPECT_EQ("", hip_image_for("gfx11", "gfx1103", 60443484));
}

TEST(Hip, FamiliesOfEveryArchitecture)
{
    // As AMD's runtime maps them (ROCclr's list of generic targets), and gfx1152 and gfx1153 as in
    // LLVM 20; those without a family in LLVM 21.
    const std::map<std::string, std::vector<std::string>> families = {
        {"gfx9-generic", {"gfx90c", "gfx909", "gfx906", "gfx904", "gfx902", "gfx900"}},
        {"gfx9-4-generic", {"gfx950", "gfx942", "gfx941", "gfx940"}},
        {"gfx10-1-generic", {"gfx1013", "gfx1012", "gfx1011", "gfx1010"}},
        {"gfx10-3-generic",
         {"gfx1036", "gfx1035", "gfx1034", "gfx1033", "gfx1032", "gfx1031", "gfx1030"}},
        {"gfx11-generic",
         {"gfx1153", "gfx1152", "gfx1151", "gfx1150", "gfx1103", "gfx1102", "gfx1101", "gfx1100"}},
        {"gfx12-generic", {"gfx1201", "gfx1200"}},
        {"", {"gfx908", "gfx90a", "gfx803", "gfx1170", "gfx1250", "gfx11", "gfx", ""}}};
    for (const auto &[family, members] : families)
        for (const std::string &arch : members)
            EXPECT_EQ(family, hip_generic_target(arch)) << arch;
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
            const bool is_rdna = image.target[3] == '1'; // gfx1030, gfx11-generic
            EXPECT_EQ(is_rdna ? 32 : 64, kernel.wave_size) << blob.name << " " << kernel.name;
            EXPECT_GT(kernel.kernarg_bytes, 0u) << blob.name << " " << kernel.name;
            EXPECT_EQ(&kernel, image.find(kernel.name));
        }
    }
    for (const std::string &target : targets)
        EXPECT_EQ(target, hip_image_for(kHipKernels.images, target, 0));
}

TEST(Hip, KernelsWithMatricesAreInTheImagesThatShouldHaveThem)
{
    std::set<std::string> targets, with_matrices;
    for (size_t i = 0; i < kHipKernels.count; ++i) {
        const std::string name = kHipKernels.blobs[i].name;
        const size_t at = name.find('@');
        targets.insert(name.substr(at + 1));
        if (name.substr(0, at) == "vif_matrix_kernels")
            with_matrices.insert(name.substr(at + 1));
    }
    for (const std::string &target : targets)
        EXPECT_EQ(hip_has_matrix_s8(target), with_matrices.count(target) == 1) << target;
    for (const char *target : {"gfx942", "gfx950", "gfx9-4-generic"})
        EXPECT_TRUE(hip_has_matrix_s8(target)) << target;
    for (const char *target : {"gfx906", "gfx908", "gfx90a", "gfx9-generic", "gfx1100", "gfx94"})
        EXPECT_FALSE(hip_has_matrix_s8(target)) << target;
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
