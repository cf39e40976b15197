// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 1: what a device (CUDA, HIP, emulator) offers the engine and the features' record(). The
// backend folders implement it. It names no feature and no vendor. The CPU backend has no Device:
// see cpu_executor.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "device/kernel.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class Event;

/// Facts about a queue's device that record() may need.
struct DeviceTraits {
    /// Kernels with simt.h's matrix_u8() (32) or matrix_s8() (64) run, and well; 0: neither.
    int matrix_lanes = 0;
    int multiprocessors = 1;
    int most_queues = 0; ///< queues that do not wait for one another; 0: no limit is known
};

/// False if the environment has VMAFGPU_MATRIX=0: then no device has matrix words, so that
/// the other kernels can be tested and compared where both run.
bool matrix_is_wanted();

/// Arguments of a kernel: its struct, and where SIMT_KERNEL counts the launch.
struct LaunchArgs {
    const void *data;
    size_t bytes;
    uint32_t *counter; ///< device; may be null
};

/// An in-order stream of work. A call waits for the device only where its comment says so.
class Queue {
public:
    virtual ~Queue() = default;

    /// Device to pinned host memory.
    virtual void download(void *host, const void *device, size_t bytes) = 0;
    /// Host to device. Memory of Device::alloc_host() must stay untouched until an event
    /// recorded afterwards is done. All other memory is free on return: the call waits.
    virtual void upload(void *device, const void *host, size_t bytes) = 0;
    virtual void fill(void *device, int byte, size_t bytes) = 0;

    /// Every launch from now on adds one to *counter, on the device and when it has ended;
    /// null: none does. Some GPUs lose a launch now and then, and only this shows it.
    void count_launches(uint32_t *counter)
    {
        counter_ = counter;
        launches_ = 0;
    }
    /// Launches since count_launches().
    uint32_t launches() const { return launches_; }

    template <typename Args> void launch(const Kernel<Args> &kernel, Grid grid, const Args &args)
    {
        static_assert(sizeof(Args) <= kMaxArgumentBytes, "more than every backend can pass");
        ++launches_;
        launch_raw(kernel.name, kernel.threads, grid, {&args, sizeof(args), counter_});
    }

    virtual void record(Event &event) = 0;
    /// Later work waits (on the device) for the event.
    virtual void wait(Event &event) = 0;
    /// Later work waits for what is on a native stream of the same context now.
    virtual void wait_native(void *stream) = 0;
    virtual DeviceTraits traits() const { return {}; }

protected:
    virtual void launch_raw(const char *name, unsigned threads, Grid grid,
                            const LaunchArgs &args) = 0;

private:
    uint32_t *counter_ = nullptr;
    uint32_t launches_ = 0;
};

class Event {
public:
    virtual ~Event() = default;
    virtual bool done() = 0; ///< never blocks
    virtual void sync() = 0; ///< blocks the host
};

/// The device to open, parsed from VmafGpuSettings.device.
struct DeviceRequest {
    std::string selector;           ///< text behind the colon: "", "1", "0000:41:00.0"
    void *native_context = nullptr; ///< use this context instead of the selector
    void *native_stream = nullptr;
    bool self_test = true;
    Log log;
    /// Devices that are not chosen if there is no selector, e.g. {"hip:0"}.
    std::vector<std::string> except;
    /// Gets the selector of the device that is opened, before that may fail.
    std::string *chosen = nullptr;
};

/// Throws Error with the driver's text from every call that can fail. After a
/// failure of the device itself (code EIO) every later call fails too.
class Device {
public:
    virtual ~Device() = default;

    virtual const VmafGpuDevice &info() const = 0;

    virtual void *alloc(size_t bytes) = 0; ///< device memory, aligned to 256 bytes
    virtual void free(void *memory) = 0;
    virtual void *alloc_host(size_t bytes) = 0; ///< pinned host memory
    virtual void free_host(void *memory) = 0;

    /// Map the first `bytes` of the linear memory behind a dma-buf or opaque fd of this
    /// device. Returns an address that pictures in device memory may use. The fd stays the
    /// caller's, who may close it at once: who needs one keeps a duplicate. ENOTSUP where a
    /// backend has no such thing; code EIO only if the device itself failed.
    virtual void *import_memory(int fd, size_t bytes);
    /// Imports an opaque fd of Vulkan that stands for an allocation of `bytes` bytes.
    virtual void *import_vulkan(int fd, size_t bytes);
    /// Give up what import_memory() or import_vulkan() returned; all work that reads it must be
    /// done. Never throws.
    virtual void release_import(void *memory);

    /// Why the device cannot run a kernel in blocks of so many threads; empty: it can. A feature
    /// with such a kernel is computed by the host.
    virtual std::string refusal(const char *kernel, unsigned threads);

    virtual std::unique_ptr<Queue> make_queue() = 0;
    /// A queue for copies: its work precedes that of other queues where the backend can do that.
    virtual std::unique_ptr<Queue> make_copy_queue() { return make_queue(); }
    virtual std::unique_ptr<Event> make_event() = 0;
};

} // namespace vmafgpu
