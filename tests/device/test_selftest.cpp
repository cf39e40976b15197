// SPDX-License-Identifier: BSD-2-Clause-Patent
// The known-answer test: passes on both widths, and sees a device that is wrong.
#include <gtest/gtest.h>

#include "../check/forwarding_device.h"
#include "emu_fixture.h"
#include "gpu/selftest.h"

namespace vmafgpu {
namespace {

/// Flips one bit of the n-th download: a device that computes one thing wrongly.
class WrongQueue final : public ForwardingQueue {
public:
    WrongQueue(std::unique_ptr<Queue> queue, int &downloads, int wrong_download, size_t wrong_byte)
        : ForwardingQueue(std::move(queue)), downloads_(downloads), wrong_download_(wrong_download),
          wrong_byte_(wrong_byte)
    {
    }

    void download(void *host, const void *device, size_t bytes) override
    {
        ForwardingQueue::download(host, device, bytes);
        if (downloads_++ == wrong_download_)
            static_cast<char *>(host)[wrong_byte_ < bytes ? wrong_byte_ : bytes - 1] ^= 1;
    }

private:
    int &downloads_;
    int wrong_download_;
    size_t wrong_byte_;
};

class WrongDevice final : public ForwardingDevice {
public:
    WrongDevice(int wrong_download, size_t wrong_byte)
        : ForwardingDevice(open_emu(32)), wrong_download_(wrong_download), wrong_byte_(wrong_byte)
    {
    }

    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<WrongQueue>(ForwardingDevice::make_queue(), downloads_,
                                            wrong_download_, wrong_byte_);
    }

private:
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
    EXPECT_NE(report(1, 7 * kBytes).find("block_sum"), std::string::npos);
    EXPECT_NE(report(1, 10 * kBytes).find("ids and sizes"), std::string::npos);
    EXPECT_NE(report(1, 11 * kBytes).find("shfl in a loop with barriers"), std::string::npos);
    EXPECT_NE(report(1, 12 * kBytes).find("atomic_add of uint64"), std::string::npos);
}

} // namespace
} // namespace vmafgpu
