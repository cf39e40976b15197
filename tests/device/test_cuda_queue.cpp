// SPDX-License-Identifier: BSD-2-Clause-Patent
// Copies, order and events of the CUDA queue on a real GPU; skips without one.
#include <ctime>
#include <numeric>
#include <thread>

#include "cuda_fixture.h"

namespace vmafgpu {
namespace {

using CudaQueueTest = CudaTest;

// reg34: pageable memory is the caller's again on return, however busy the queue.
// Passes on some systems without our wait too: there the driver copies it aside.
TEST_F(CudaQueueTest, reg34_pageable_memory_is_free_on_return)
{
    for (size_t count : {size_t(100), size_t(16000), size_t(4) << 20}) {
        std::vector<uint32_t> host(count);
        std::iota(host.begin(), host.end(), 1u);
        const std::vector<uint32_t> expected = host;
        auto *target = device_array<uint32_t>(count);
        spin(*queue_);
        queue_->upload(target, host.data(), count * 4);
        std::fill(host.begin(), host.end(), 0xdeadbeefu);
        EXPECT_EQ(expected, fetch(target, count)) << count;
    }
}

TEST_F(CudaQueueTest, UploadOfPinnedMemoryDoesNotWait)
{
    auto *host = pinned_array<uint32_t>(1 << 20);
    auto *target = device_array<uint32_t>(1 << 20);
    auto event = device_->make_event();
    spin(*queue_);
    queue_->upload(target, host, 4 << 20);
    queue_->upload(target, host + 7, 4000); // an address inside the allocation
    queue_->record(*event);
    EXPECT_FALSE(event->done());
    event->sync();
    EXPECT_TRUE(event->done());
}

// reg33: work of one queue runs in order, fills and kernels alike.
TEST_F(CudaQueueTest, reg33_fill_and_kernels_stay_in_order)
{
    constexpr int kCount = 100000;
    auto *values = device_array<uint32_t>(kCount);
    for (int round = 0; round < 50; ++round) {
        if (round == 48)
            spin(*queue_); // whatever does not wait for the queue comes too early now
        queue_->fill(values, round, kCount * 4);
        queue_->launch(kProbeAdd, {(kCount + 255) / 256, 1, 1}, {values, kCount, 1000});
        queue_->launch(kProbeAdd, {(kCount + 255) / 256, 1, 1}, {values, kCount, 3});
    }
    EXPECT_EQ(std::vector<uint32_t>(kCount, 49u * 0x01010101u + 1003u), fetch(values, kCount));
}

TEST_F(CudaQueueTest, EventsFollowTheQueue)
{
    auto event = device_->make_event();
    EXPECT_TRUE(event->done()) << "never recorded";
    event->sync();
    spin(*queue_);
    queue_->record(*event);
    EXPECT_FALSE(event->done());
    event->sync();
    EXPECT_TRUE(event->done());
}

TEST_F(CudaQueueTest, OneQueueWaitsForAnother)
{
    CudaQueue other(probe_context_);
    auto *values = device_array<uint32_t>(256);
    auto event = device_->make_event();
    other.fill(values, 0, 1024);
    spin(other);
    other.launch(kProbeAdd, {}, {values, 256, 7});
    other.record(*event);
    queue_->wait(*event);
    EXPECT_EQ(std::vector<uint32_t>(256, 7u), fetch(values, 256));
}

TEST_F(CudaQueueTest, WaitsForWhatIsOnANativeStream)
{
    auto *values = device_array<uint32_t>(256);
    for (const bool is_default : {true, false}) {
        CudaStreamHandle native = nullptr;
        {
            const CudaScope scope(*probe_context_);
            if (!is_default) {
                ASSERT_EQ(kCudaSuccess, driver().api.stream_create(&native, 0, 0));
            }
        }
        queue_->fill(values, 0, 1024);
        finish(*queue_);
        CudaQueue producer(probe_context_);
        auto event = device_->make_event();
        spin(producer);
        producer.launch(kProbeAdd, {}, {values, 256, 9});
        producer.record(*event);
        {
            const CudaScope scope(*probe_context_);
            ASSERT_EQ(kCudaSuccess, driver().api.stream_wait(
                                        native, static_cast<CudaEvent &>(*event).handle(), 0));
        }
        queue_->wait_native(native);
        EXPECT_EQ(std::vector<uint32_t>(256, 9u), fetch(values, 256)) << is_default;
        const CudaScope scope(*probe_context_);
        if (!is_default) {
            EXPECT_EQ(kCudaSuccess, driver().api.stream_destroy(native));
        }
    }
}

TEST_F(CudaQueueTest, LongWaitsSleep)
{
    const auto seconds_of = [](clockid_t clock) {
        timespec now = {};
        clock_gettime(clock, &now);
        return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    spin(*queue_);
    finish(*queue_);
    spin(*queue_);
    const double wall = seconds_of(CLOCK_MONOTONIC);
    const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    finish(*queue_);
    const double waited = seconds_of(CLOCK_MONOTONIC) - wall;
    const double used = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
    std::printf("waited %.1f ms, used %.2f ms of CPU\n", 1e3 * waited, 1e3 * used);
    EXPECT_GT(waited, 0.02) << "probe_spin is too short to tell";
    EXPECT_LT(used, 0.25 * waited);
}

TEST_F(CudaQueueTest, AnyThreadMayCall)
{
    auto *values = device_array<uint32_t>(256);
    std::thread([&] {
        queue_->fill(values, 1, 1024);
        queue_->launch(kProbeAdd, {}, {values, 256, 1});
        finish(*queue_);
    }).join();
    EXPECT_EQ(std::vector<uint32_t>(256, 0x01010102u), fetch(values, 256));
}

} // namespace
} // namespace vmafgpu
