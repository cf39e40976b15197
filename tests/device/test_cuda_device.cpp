// SPDX-License-Identifier: BSD-2-Clause-Patent
// Opening, memory, kernels and failures of the CUDA device on a real GPU;
// skips without one.
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>

#include "cuda_fixture.h"
#include "device/select.h"
#include "gpu/backends.h"

namespace vmafgpu {
namespace {

using CudaDeviceTest = CudaTest;

/// A driver call that only tests use.
template <typename Function> Function *extra_call(const char *name)
{
    void *library = dlopen(CudaDriver::get().library.c_str(), RTLD_NOW);
    return reinterpret_cast<Function *>(dlsym(library, name));
}

TEST_F(CudaDeviceTest, InfoIsFilledIn)
{
    const VmafGpuDevice &info = device_->info();
    EXPECT_STREQ("cuda", info.backend);
    EXPECT_STREQ("cuda:0", info.selector);
    EXPECT_STRNE("", info.name);
    EXPECT_EQ(canonical_pci_id(info.pci_id), info.pci_id);
    EXPECT_EQ(32, info.wave_size);
    EXPECT_GT(info.memory_bytes, uint64_t(1) << 30);
    std::printf("%s, %s, %s, %llu MiB, driver for CUDA %s\n", info.selector, info.name, info.pci_id,
                static_cast<unsigned long long>(info.memory_bytes >> 20),
                cuda_version_text(driver().version).c_str());
}

TEST_F(CudaDeviceTest, OpensByOrdinalAndPciId)
{
    const std::string pci_id = device_->info().pci_id;
    EXPECT_EQ(pci_id, open_cuda(request_for("0"))->info().pci_id);
    EXPECT_EQ(pci_id, open_cuda(request_for(pci_id))->info().pci_id);
    const std::string text = error_text(ENODEV, [] { open_cuda(request_for("99")); });
    EXPECT_TRUE(contains(text, "no device cuda:99") && contains(text, pci_id)) << text;
    error_text(ENODEV, [] { open_cuda(request_for("ffff:fe:1f.7")); });
    error_text(EINVAL, [] { open_cuda(request_for("first")); });
}

TEST_F(CudaDeviceTest, AdoptsAnExistingContext)
{
    constexpr int kPointerContext = 1;
    auto *current = extra_call<CudaResult(CudaContextHandle *)>("cuCtxGetCurrent");
    auto *create = extra_call<CudaResult(CudaContextHandle *, unsigned, int)>("cuCtxCreate_v2");
    auto *destroy = extra_call<CudaResult(CudaContextHandle)>("cuCtxDestroy_v2");
    auto *pointer_attribute =
        extra_call<CudaResult(void *, int, CudaPointer)>("cuPointerGetAttribute");
    CudaContextHandle native = nullptr;
    CudaContextHandle popped = nullptr;
    ASSERT_EQ(kCudaSuccess, create(&native, 0, 0));
    ASSERT_EQ(kCudaSuccess, driver().api.context_pop(&popped));
    DeviceRequest request;
    request.native_context = native;
    {
        auto adopted = open_cuda(request);
        EXPECT_STREQ(device_->info().pci_id, adopted->info().pci_id);
        auto queue = adopted->make_queue();
        auto event = adopted->make_event();
        void *memory = adopted->alloc(1000);
        CudaContextHandle owner = nullptr;
        EXPECT_EQ(kCudaSuccess, pointer_attribute(&owner, kPointerContext,
                                                  reinterpret_cast<CudaPointer>(memory)));
        EXPECT_EQ(native, owner);
        queue->fill(memory, 1, 1000);
        queue->record(*event);
        event->sync();
        adopted->free(memory);
        request.selector = "0";
        open_cuda(request);
        CudaContextHandle left = nullptr;
        ASSERT_EQ(kCudaSuccess, current(&left));
        EXPECT_EQ(nullptr, left) << "a context was left current";
    }
    request.selector = "7";
    error_text(ENODEV, [&] { open_cuda(request); });
    EXPECT_EQ(kCudaSuccess, destroy(native)) << "the context is its owner's to destroy";
}

// reg56: through the table of backends, as the engine opens devices.
TEST_F(CudaDeviceTest, reg56_opening_runs_the_self_test)
{
    bool is_listed = false;
    for (const Backend &backend : backends()) {
        if (std::string(backend.name) != "cuda")
            continue;
        is_listed = true;
        EXPECT_TRUE(backend.is_automatic);
        EXPECT_FALSE(backend.find(nullptr).empty());
        EXPECT_STREQ("cuda:0", backend.open(DeviceRequest())->info().selector);
    }
    EXPECT_TRUE(is_listed);
}

TEST_F(CudaDeviceTest, MemoryIsAlignedAndNullIsFreed)
{
    for (size_t bytes : {0, 1, 100, 1000}) {
        void *memory = device_->alloc(bytes);
        EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(memory) % 256);
        device_->free(memory);
    }
    device_->free(nullptr);
    device_->free_host(nullptr);
}

TEST_F(CudaDeviceTest, reg41_out_of_memory_is_an_error_and_no_more)
{
    const std::string text = error_text(ENOMEM, [&] { device_->alloc(size_t(1) << 50); });
    EXPECT_TRUE(contains(text, "1125899906842624") && contains(text, "OUT_OF_MEMORY")) << text;
    error_text(ENOMEM, [&] { device_->alloc_host(size_t(1) << 50); });
    auto *values = device_array<uint32_t>(256);
    queue_->fill(values, 0, 1024);
    EXPECT_EQ(std::vector<uint32_t>(256, 0u), fetch(values, 256));
}

TEST_F(CudaDeviceTest, WrongLaunchesAreErrorsAndNoMore)
{
    auto *values = device_array<uint32_t>(256);
    const ProbeAddArgs args = {values, 256, 1};
    const Kernel<ProbeAddArgs> unknown = {"no_such_kernel", 256};
    std::string text = error_text(EINVAL, [&] { queue_->launch(unknown, {}, args); });
    EXPECT_TRUE(contains(text, "no_such_kernel")) << text;
    const Kernel<ProbeAddArgs> too_wide = {"probe_add", 2048};
    text = error_text(EINVAL, [&] { queue_->launch(too_wide, {}, args); });
    EXPECT_TRUE(contains(text, "probe_add") && contains(text, "2048 threads")) << text;
    if (driver().api.parameter_info) {
        const Kernel<ProbeSpinArgs> mistaken = {"probe_reverse", 256};
        text = error_text(EINVAL, [&] { queue_->launch(mistaken, {}, {values, 1}); });
        EXPECT_TRUE(contains(text, "takes 24 bytes of arguments")) << text;
    }
    queue_->fill(values, 0, 1024);
    queue_->launch(kProbeAdd, {}, args);
    EXPECT_EQ(std::vector<uint32_t>(256, 1u), fetch(values, 256));
}

// reg52
TEST_F(CudaDeviceTest, reg52_no_image_for_this_gpu_says_so)
{
    KernelLibrary kernels = kProbeKernels;
    kernels.images = "sm_70";
    std::string text =
        error_text(ENODEV, [&] { CudaContext(driver(), 0, nullptr, kernels, Log()); });
    EXPECT_TRUE(contains(text, "compute capability") && contains(text, "sm_70")) << text;
    // A list that promises what the module does not hold: the driver refuses.
    alignas(64) static const char nonsense[64] = "this is no fat binary";
    const KernelBlob blob = {"nonsense", nonsense, sizeof(nonsense)};
    kernels = {kProbeKernels.images, kProbeKernels.tool, &blob, 1};
    text = error_text(ENODEV, [&] { CudaContext(driver(), 0, nullptr, kernels, Log()); });
    EXPECT_TRUE(contains(text, "nonsense") && contains(text, kProbeKernels.images)) << text;
}

// reg40
TEST_F(CudaDeviceTest, reg40_opening_and_closing_leaks_no_device_memory)
{
    auto *memory_info = extra_call<CudaResult(size_t *, size_t *)>("cuMemGetInfo_v2");
    const auto free_bytes = [&] {
        const CudaScope scope(*probe_context_);
        size_t free_now = 0;
        size_t total = 0;
        EXPECT_EQ(kCudaSuccess, memory_info(&free_now, &total));
        return free_now;
    };
    const auto cycle = [&] {
        auto opened = open_cuda(DeviceRequest());
        auto queue = opened->make_queue();
        auto event = opened->make_event();
        void *memory = opened->alloc(8 << 20);
        queue->fill(memory, 0, 8 << 20);
        queue->record(*event);
        event->sync();
        opened->free(memory);
    };
    cycle();
    const size_t before = free_bytes();
    for (int i = 0; i < 30; ++i)
        cycle();
    EXPECT_GE(free_bytes() + (4 << 20), before);
}

/// Runs in a process of its own, since nothing brings a lost context back.
[[noreturn]] void lose_the_device()
{
    const CudaDriver &driver = CudaDriver::get();
    auto context = std::make_shared<CudaContext>(driver, 0, nullptr, kProbeKernels, Log());
    bool is_right = true;
    const auto expect_lost = [&](auto action) {
        try {
            action();
            is_right = false;
        } catch (const Error &error) {
            std::fprintf(stderr, "%s\n", error.what());
            is_right = is_right && error.code() == EIO;
        }
    };
    {
        CudaQueue queue(context);
        CudaEvent event(context);
        queue.launch(kProbeAdd, {}, {reinterpret_cast<uint32_t *>(64), 256, 1});
        queue.record(event);
        expect_lost([&] { event.sync(); });
        expect_lost([&] { event.done(); });
        expect_lost([&] { queue.fill(nullptr, 0, 1); });
        expect_lost([&] { CudaQueue another(context); });
    }
    context.reset();
    std::exit(is_right ? 0 : 1);
}

TEST_F(CudaDeviceTest, IllegalAddressLosesTheDeviceForGood)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(lose_the_device(), testing::ExitedWithCode(0),
                "CUDA_ERROR_ILLEGAL_ADDRESS.*\n.*has failed before.*ILLEGAL_ADDRESS");
}

} // namespace
} // namespace vmafgpu
