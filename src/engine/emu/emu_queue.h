// SPDX-License-Identifier: BSD-2-Clause-Patent
// Queue and Event of the emulated device, and the state they share with it.
// Created by emu_device.cpp only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "emu/emu_settings.h"
#include "emu/guarded_memory.h"
#include "emu/imported_memory.h"
#include "emu/launcher.h"

namespace vmafgpu {
namespace emu {

/// Work of one queue, in order. Outlives the queue while events refer to it.
struct Stream {
    std::deque<std::function<void()>> pending;
    uint64_t submitted = 0;
    uint64_t completed = 0;

    void run_until(uint64_t position);
};

/// Data that the queues and events of one device share.
struct DeviceState {
    explicit DeviceState(const EmuSettings &device_settings, const Log &device_log);

    /// First thing in every call that may fail. Throws if the device has failed.
    void enter(const char *call);
    /// Throws Error(EIO), now and from every later call.
    [[noreturn]] void fail(const std::string &text);
    /// Writes to the log where nothing can be thrown, and to stderr since tests must see it.
    void report(const std::string &text) const;
    /// Throws Error(EIO) if a guard zone was written to.
    void check_guards(const std::string &after);
    /// Runs all that is pending on every queue.
    void finish_all();

    EmuSettings settings;
    Log log;
    std::string name; ///< "emu32", "emu64"
    GuardedMemory device{"device"};
    GuardedMemory host{"pinned host"};
    ImportedMemory imports;
    Launcher launcher;
    std::vector<std::weak_ptr<Stream>> streams;
    std::string failure;
    uint64_t calls = 0;
    uint64_t launches = 0;
};

class EmuEvent : public Event {
public:
    explicit EmuEvent(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}

    bool done() override;
    void sync() override;

private:
    friend class EmuQueue;
    std::shared_ptr<DeviceState> state_;
    std::shared_ptr<Stream> stream_; ///< null before the first record: done
    uint64_t position_ = 0;
    uint64_t polls_ = 0;
};

class EmuQueue : public Queue {
public:
    explicit EmuQueue(std::shared_ptr<DeviceState> state);
    ~EmuQueue() override;
    EmuQueue(const EmuQueue &) = delete;
    EmuQueue &operator=(const EmuQueue &) = delete;

    void download(void *host, const void *device, size_t bytes) override;
    void upload(void *device, const void *host, size_t bytes) override;
    void fill(void *device, int byte, size_t bytes) override;
    void record(Event &event) override;
    void wait(Event &event) override;
    void wait_native(void *stream) override;
    DeviceTraits traits() const override;

protected:
    void launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args) override;

private:
    void submit(std::function<void()> work);
    void require_device(const char *call, const void *memory, size_t bytes) const;

    std::shared_ptr<DeviceState> state_;
    std::shared_ptr<Stream> stream_;
};

} // namespace emu
} // namespace vmafgpu
