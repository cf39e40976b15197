// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the emulator's tests share: a device with settings, memory that frees
// itself, and running one kernel over one array.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/device.h"
#include "emu/emu_device.h"
#include "plan/settings.h"

namespace vmafgpu {

inline std::unique_ptr<Device> open_emu(int wave_size, uint64_t seed = 1, int threads = 1,
                                        bool is_strict = true, uint64_t deferred_polls = 0)
{
    EmuSettings settings;
    settings.wave_size = wave_size;
    settings.seed = seed;
    settings.threads = threads;
    settings.is_strict = is_strict;
    settings.deferred_polls = deferred_polls;
    return open_emu_device(settings);
}

inline EngineSettings device_settings(const Format &format, int ring_depth, int threads = 1)
{
    EngineSettings settings;
    settings.format = format;
    settings.ring_depth = ring_depth;
    settings.threads = threads;
    return settings;
}

/// Device array with a pinned twin.
template <typename T> class DeviceArray {
public:
    DeviceArray(Device &device, size_t count)
        : device_(device), count_(count), data_(static_cast<T *>(device.alloc(count * sizeof(T)))),
          host_(static_cast<T *>(device.alloc_host(count * sizeof(T))))
    {
    }
    ~DeviceArray()
    {
        device_.free(data_);
        device_.free_host(host_);
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    T *data() const { return data_; }

    std::vector<T> fetch(Queue &queue) const
    {
        queue.download(host_, data_, count_ * sizeof(T));
        const auto event = device_.make_event();
        queue.record(*event);
        event->sync();
        return std::vector<T>(host_, host_ + count_);
    }

private:
    Device &device_;
    size_t count_;
    T *data_;
    T *host_;
};

/// Text of the Error that `action` throws; "" and code 0 if none.
inline std::string error_of(const std::function<void()> &action, int *code = nullptr)
{
    if (code != nullptr)
        *code = 0;
    try {
        action();
    } catch (const Error &error) {
        if (code != nullptr)
            *code = error.code();
        return error.what();
    }
    return "";
}

} // namespace vmafgpu
