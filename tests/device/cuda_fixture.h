// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the tests that need an NVIDIA GPU share: an open device with the test
// kernels in it, and a loud skip where there is none. Used by test_cuda_*.cpp.
#pragma once

#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "cuda/cuda_context.h"
#include "cuda/cuda_device.h"
#include "cuda_hip/driver_device.h"
#include "error_text.h"
#include "probe_kernels.h"

namespace vmafgpu {

extern const KernelLibrary kProbeKernels;

constexpr Kernel<ProbeAddArgs> kProbeAdd = {"probe_add", 256};
constexpr Kernel<ProbeSpinArgs> kProbeSpin = {"probe_spin", 64};

/// Rounds of probe_spin that take some hundred milliseconds on any GPU.
constexpr int64_t kLongSpin = 20 * 1000 * 1000;

class CudaTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::string why;
        if (cuda_devices(&why).empty()) {
            std::fprintf(stderr, "SKIPPED, NOTHING WAS TESTED: %s\n", why.c_str());
            GTEST_SKIP() << why;
        }
        CudaDeviceId id = 0;
        ASSERT_EQ(kCudaSuccess, driver().api.device_get(&id, 0));
        probe_context_ = std::make_shared<CudaContext>(driver(), id, nullptr, kProbeKernels, Log());
        device_ = std::make_unique<DriverDevice<CudaPolicy>>(cuda_devices(&why)[0], probe_context_);
        queue_ = std::make_unique<CudaQueue>(probe_context_);
        fetched_ = pinned_array<char>(kFetchBytes);
        spin_out_ = device_array<uint32_t>(1);
        // A kernel's first launch loads it, which may wait for the device.
        queue_->launch(kProbeAdd, {}, {spin_out_, 0, 0});
        queue_->launch(kProbeSpin, {}, {spin_out_, 0});
        finish(*queue_);
    }

    void TearDown() override
    {
        queue_.reset();
        for (void *memory : memory_)
            device_->free(memory);
        for (void *memory : pinned_)
            device_->free_host(memory);
    }

    static const CudaDriver &driver() { return CudaDriver::get(); }

    template <typename T> T *device_array(size_t count)
    {
        memory_.push_back(device_->alloc(count * sizeof(T)));
        return static_cast<T *>(memory_.back());
    }
    template <typename T> T *pinned_array(size_t count)
    {
        pinned_.push_back(device_->alloc_host(count * sizeof(T)));
        return static_cast<T *>(pinned_.back());
    }

    void finish(Queue &queue)
    {
        auto event = device_->make_event();
        queue.record(*event);
        event->sync();
    }

    /// Occupies the queue for some hundred milliseconds.
    void spin(Queue &queue) { queue.launch(kProbeSpin, {}, {spin_out_, kLongSpin}); }

    /// Allocates nothing: that could wait for the device and hide a missing wait.
    template <typename T> std::vector<T> fetch(const T *device, size_t count)
    {
        EXPECT_LE(count * sizeof(T), kFetchBytes);
        queue_->download(fetched_, device, count * sizeof(T));
        finish(*queue_);
        const T *host = reinterpret_cast<const T *>(fetched_);
        return std::vector<T>(host, host + count);
    }

    std::unique_ptr<Device> device_;
    std::shared_ptr<CudaContext> probe_context_;
    std::unique_ptr<CudaQueue> queue_; ///< queue of the context that has the test kernels

private:
    static constexpr size_t kFetchBytes = size_t(16) << 20;

    char *fetched_ = nullptr;
    uint32_t *spin_out_ = nullptr;
    std::vector<void *> memory_, pinned_;
};

} // namespace vmafgpu
