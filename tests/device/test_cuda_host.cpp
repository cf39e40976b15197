// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the CUDA backend decides without a GPU: selectors, image lists, error
// codes, a missing or unusable driver. Runs everywhere that CUDA is compiled in.
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

#include "base/error.h"
#include "cuda/cuda_context.h"
#include "cuda/cuda_device.h"
#include "device/select.h"

namespace vmafgpu {

extern const KernelLibrary kCudaKernels;

namespace {

VmafGpuDevice device(const char *name, const char *pci_id)
{
    VmafGpuDevice info = {};
    std::snprintf(info.name, sizeof(info.name), "%s", name);
    std::snprintf(info.pci_id, sizeof(info.pci_id), "%s", pci_id);
    return info;
}

int code_of_selection(const std::string &selector, std::string *text = nullptr)
{
    const std::vector<VmafGpuDevice> devices = {device("A", "0000:01:00.0"),
                                                device("B", "0001:41:00.0")};
    try {
        return -select_device("cuda", selector, devices);
    } catch (const Error &error) {
        if (text)
            *text = error.what();
        return error.code();
    }
}

TEST(CudaHost, SelectorIsOrdinalOrPciId)
{
    EXPECT_EQ(0, code_of_selection(""));
    EXPECT_EQ(0, code_of_selection("0"));
    EXPECT_EQ(-1, code_of_selection("1"));
    EXPECT_EQ(-1, code_of_selection("0001"));
    EXPECT_EQ(0, code_of_selection("0000:01:00.0"));
    EXPECT_EQ(0, code_of_selection("01:00.0"));
    EXPECT_EQ(-1, code_of_selection("0001:41:00.0"));
    EXPECT_EQ(-1, code_of_selection("00000001:41:00.0"));
}

TEST(CudaHost, BadSelectorsAreToldApartFromAbsentDevices)
{
    std::string text;
    EXPECT_EQ(ENODEV, code_of_selection("2", &text));
    EXPECT_NE(std::string::npos, text.find("1 = B at 0001:41:00.0")) << text;
    EXPECT_EQ(ENODEV, code_of_selection("99999999999999999999"));
    EXPECT_EQ(ENODEV, code_of_selection("0000:41:00.0"));
    for (const char *bad : {"x", "-1", "1 ", "0x1", "41:00", "41:00.8", "1:2:3:4.0", ":01:00.0",
                            "0000:01:00.", "0000:100:00.0", "123456789:01:00.0"}) {
        EXPECT_EQ(EINVAL, code_of_selection(bad, &text)) << bad;
        EXPECT_NE(std::string::npos, text.find("PCI id")) << text;
    }
}

TEST(CudaHost, PciIdsHaveOneForm)
{
    EXPECT_EQ("0000:ab:1f.7", canonical_pci_id("00000000:AB:1F.7"));
    EXPECT_EQ("", canonical_pci_id("0000:ab:20.0"));
}

// reg52: a GPU without an image in the binary must be recognised.
TEST(CudaHost, ImagesCoverSameMajorOrLaterByPtx)
{
    const std::string images = "sm_75 sm_80 sm_90 compute_90";
    EXPECT_TRUE(cuda_images_cover(images, 75));
    EXPECT_TRUE(cuda_images_cover(images, 86));
    EXPECT_TRUE(cuda_images_cover(images, 90));
    EXPECT_TRUE(cuda_images_cover(images, 100));
    EXPECT_TRUE(cuda_images_cover(images, 121));
    EXPECT_FALSE(cuda_images_cover(images, 70));
    EXPECT_FALSE(cuda_images_cover("sm_86", 80));
    EXPECT_FALSE(cuda_images_cover("sm_86", 90));
    EXPECT_FALSE(cuda_images_cover(images, 0));
}

std::vector<std::string> names_for(const KernelLibrary &kernels, int capability,
                                   bool has_scarce_double = false)
{
    std::vector<std::string> names;
    for (const KernelBlob *blob : cuda_blobs_for(kernels, capability, has_scarce_double))
        names.emplace_back(blob->name);
    return names;
}

using Names = std::vector<std::string>;

TEST(CudaHost, EachSourceIsLoadedForTheHighestCapabilityReached)
{
    const KernelBlob blobs[] = {{"a@80", "", 1}, {"a@61", "", 1},  {"a@75", "", 1}, {"b", "", 1},
                                {"m@75", "", 1}, {"m@100", "", 1}, {"m@80", "", 1}};
    const KernelLibrary kernels = {"compute_61", "", blobs, std::size(blobs)};
    EXPECT_EQ((Names{"b"}), names_for(kernels, 60));
    EXPECT_EQ((Names{"a@61", "b"}), names_for(kernels, 61));
    EXPECT_EQ((Names{"a@61", "b"}), names_for(kernels, 70));
    EXPECT_EQ((Names{"a@75", "b", "m@75"}), names_for(kernels, 75));
    EXPECT_EQ((Names{"a@80", "b", "m@80"}), names_for(kernels, 80));
    EXPECT_EQ((Names{"a@80", "b", "m@80"}), names_for(kernels, 90));
    EXPECT_EQ((Names{"a@80", "b", "m@100"}), names_for(kernels, 120));
    EXPECT_EQ(names_for(kernels, 86), names_for(kernels, 86, true));
    EXPECT_EQ("m", cuda_source_name(blobs[5]));
    EXPECT_EQ("b", cuda_source_name(blobs[3]));
}

TEST(CudaHost, GpusWithScarceDoublesHaveCodeOfTheirOwn)
{
    const KernelBlob blobs[] = {{"a@80s", "", 1}, {"a@75", "", 1}, {"a@80", "", 1},
                                {"b@75", "", 1},  {"b@80", "", 1}, {"c@80", "", 1},
                                {"c@80s", "", 1}, {"c@90", "", 1}};
    const KernelLibrary kernels = {"compute_75", "", blobs, std::size(blobs)};
    EXPECT_EQ((Names{"a@75", "b@75"}), names_for(kernels, 75, true));
    EXPECT_EQ((Names{"a@80", "b@80", "c@80"}), names_for(kernels, 80, false));
    EXPECT_EQ((Names{"a@80s", "b@80", "c@80s"}), names_for(kernels, 86, true));
    EXPECT_EQ((Names{"a@80", "b@80", "c@90"}), names_for(kernels, 90, false));
    EXPECT_EQ((Names{"a@80s", "b@80", "c@90"}), names_for(kernels, 120, true));
    EXPECT_EQ("a", cuda_source_name(blobs[0]));
}

/// Sources whose code a GPU of this capability gets from this build.
std::set<std::string> sources_for(int capability)
{
    std::set<std::string> sources;
    for (const KernelBlob *blob : cuda_blobs_for(kCudaKernels, capability, false))
        sources.insert(cuda_source_name(*blob));
    return sources;
}

TEST(CudaHost, ThisBuildHasMatrixKernelsForThoseThatRunThem)
{
    std::set<std::string> plain = sources_for(kCudaMatrixCapability);
    EXPECT_GT(plain.size(), 8u);
    EXPECT_EQ(1u, plain.erase("vif_matrix_kernels"));
    for (int capability : {61, 70, 72})
        EXPECT_EQ(capability < TEST_LEAST_CAPABILITY ? std::set<std::string>() : plain,
                  sources_for(capability))
            << capability;
    for (int capability : {80, 86, 90, 120})
        EXPECT_EQ(sources_for(kCudaMatrixCapability), sources_for(capability)) << capability;
}

TEST(CudaHost, ResultsBecomeCodes)
{
    EXPECT_EQ(ENOMEM, cuda_error_code(kCudaOutOfMemory));
    EXPECT_EQ(ENODEV, cuda_error_code(kCudaNoDevice));
    EXPECT_EQ(ENODEV, cuda_error_code(kCudaUnsupportedPtxVersion));
    EXPECT_EQ(EINVAL, cuda_error_code(kCudaInvalidValue));
    for (int lost : {214, 700, 702, 709, 716, 719, 999, 12345})
        EXPECT_EQ(EIO, cuda_error_code(static_cast<CudaResult>(lost))) << lost;
}

/// Runs in a process of its own, since the driver is loaded once per process.
[[noreturn]] void open_with_library(const char *library)
{
    setenv("VMAFGPU_CUDA_LIBRARY", library, 1);
    std::string why;
    if (!cuda_devices(&why).empty())
        std::exit(2);
    std::fprintf(stderr, "listed: %s\n", why.c_str());
    try {
        open_cuda(DeviceRequest());
    } catch (const Error &error) {
        std::fprintf(stderr, "opened: %s\n", error.what());
        std::exit(error.code() == ENODEV ? 0 : 3);
    }
    std::exit(4);
}

class CudaHostDeathTest : public testing::Test {
protected:
    void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(CudaHostDeathTest, MissingDriverIsNoDevice)
{
    EXPECT_EXIT(open_with_library("libno-such-driver.so.1"), testing::ExitedWithCode(0),
                "listed: no CUDA driver: .*libno-such-driver.*\n"
                "opened: no CUDA driver: .*libno-such-driver");
}

TEST_F(CudaHostDeathTest, LibraryWithoutTheCallsIsATooOldDriver)
{
    EXPECT_EXIT(open_with_library("libm.so.6"), testing::ExitedWithCode(0),
                "opened: CUDA driver is too old: libm.so.6 has no cuInit");
}

} // namespace
} // namespace vmafgpu
