// SPDX-License-Identifier: BSD-2-Clause-Patent
// The known-answer test: passes on both widths, and sees a device that is wrong.
#include <gtest/gtest.h>

#include "emu_fixture.h"
#include "selftest/selftest.h"

namespace vmafgpu {
namespace {

/// Flips one bit of the n-th download: a device that computes one thing wrongly.
class WrongQueue : public Queue {
public:
    WrongQueue(std::unique_ptr<Queue> queue, int &downloads, int wrong_download, size_t wrong_byte)
        : queue_(std::move(queue)), downloads_(downloads), wrong_download_(wrong_download),
          wrong_byte_(wrong_byte)
    {
    }

    void upload2d(void *device, size_t device_pitch, const void *host, ptrdiff_t host_pitch,
                  size_t row_bytes, int rows) override
    {
        queue_->upload2d(device, device_pitch, host, host_pitch, row_bytes, rows);
    }
    void copy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                int rows) override
    {
        queue_->copy2d(to, to_pitch, from, from_pitch, row_bytes, rows);
    }
    void download(void *host, const void *device, size_t bytes) override
    {
        queue_->download(host, device, bytes);
        if (downloads_++ == wrong_download_)
            static_cast<char *>(host)[wrong_byte_ < bytes ? wrong_byte_ : bytes - 1] ^= 1;
    }
    void upload(void *device, const void *host, size_t bytes) override
    {
        queue_->upload(device, host, bytes);
    }
    void fill(void *device, int byte, size_t bytes) override { queue_->fill(device, byte, bytes); }
    void record(Event &event) override { queue_->record(event); }
    void wait(Event &event) override { queue_->wait(event); }
    void wait_native(void *stream) override { queue_->wait_native(stream); }

protected:
    void launch_raw(const char *name, unsigned threads, unsigned dynamic_shared, Grid grid,
                    const LaunchArgs &args) override
    {
        ASSERT_EQ(args.bytes, sizeof(SelftestArgs));
        SelftestArgs copy;
        std::memcpy(&copy, args.data, args.bytes);
        queue_->launch(Kernel<SelftestArgs>{name, threads, dynamic_shared}, grid, copy);
    }

private:
    std::unique_ptr<Queue> queue_;
    int &downloads_;
    int wrong_download_;
    size_t wrong_byte_;
};

class WrongDevice : public Device {
public:
    WrongDevice(int wrong_download, size_t wrong_byte)
        : device_(open_emu(32)), wrong_download_(wrong_download), wrong_byte_(wrong_byte)
    {
    }

    const VmafGpuDevice &info() const override { return device_->info(); }
    void *alloc(size_t bytes) override { return device_->alloc(bytes); }
    void free(void *memory) override { device_->free(memory); }
    void *alloc_host(size_t bytes) override { return device_->alloc_host(bytes); }
    void free_host(void *memory) override { device_->free_host(memory); }
    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<WrongQueue>(device_->make_queue(), downloads_, wrong_download_,
                                            wrong_byte_);
    }
    std::unique_ptr<Event> make_event() override { return device_->make_event(); }

private:
    std::unique_ptr<Device> device_;
    int wrong_download_;
    size_t wrong_byte_;
    int downloads_ = 0;
};

TEST(SelfTest, PassesOnTheEmulator)
{
    for (const int wave_size : {32, 64}) {
        for (uint64_t seed = 0; seed < 5; ++seed) {
            const auto device = open_emu(wave_size, seed, 2);
            EXPECT_EQ(error_of([&] { run_selftest(*device); }), "");
        }
    }
}

TEST(SelfTest, reg56_SeesASingleWrongBit)
{
    int code = 0;
    const auto report = [&](int download, size_t byte) {
        WrongDevice device(download, byte);
        const std::string text = error_of([&] { run_selftest(device); }, &code);
        EXPECT_EQ(code, EIO);
        return text;
    };
    constexpr size_t kBytes = sizeof(uint64_t) * kSelftestBlocks * kSelftestThreads;
    EXPECT_NE(report(0, 8 * 3).find("f64 multiply-subtract (contracted?), thread 3"),
              std::string::npos);
    EXPECT_NE(report(0, 2 * kBytes).find("f64 division"), std::string::npos);
    EXPECT_NE(report(1, 0).find("shfl of 64 bits"), std::string::npos);
    EXPECT_NE(report(1, kWordBlockSum * kBytes).find("block_sum"), std::string::npos);
    EXPECT_NE(report(1, kSelftestWords * kBytes).find("atomic_add of uint64"), std::string::npos);
}

} // namespace
} // namespace vmafgpu
