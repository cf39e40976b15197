// SPDX-License-Identifier: BSD-2-Clause-Patent
// An opened OpenCL device: its context, memory, which is shared virtual memory or buffers that have
// addresses, and kernels, which are built from SPIR-V when they are first asked for. The rule for
// lost devices is that of cuda_hip/driver_context.h: after the first error of code EIO every use
// throws it again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cuda_hip/pinned_ranges.h"
#include "device/kernel.h"
#include "device/kernel_blob.h"
#include "opencl/opencl_loader.h"

namespace vmafgpu {

class ClContext {
public:
    /// Throws Error, also if a kernel of the self-test has no waves of 8, 16, 32 or 64 lanes.
    ClContext(const ClDeviceRef &device, const KernelLibrary &kernels, const Log &log);
    ~ClContext();
    ClContext(const ClContext &) = delete;
    ClContext &operator=(const ClContext &) = delete;

    const ClApi &api() const { return api_; }
    int wave_size() const { return wave_size_; }
    PinnedRanges &pinned() { return pinned_; }

    /// Memory of the device, aligned to 256 bytes, that kernels find behind any pointer.
    void *alloc(size_t bytes);
    void free(void *memory) noexcept;
    void upload(ClQueueHandle queue, void *device, const void *host, size_t bytes);
    void download(ClQueueHandle queue, void *host, const void *device, size_t bytes);
    void fill(ClQueueHandle queue, void *device, int byte, size_t bytes);

    ClQueueHandle make_queue();
    /// Launches a kernel with these bytes as its arguments.
    void launch(ClQueueHandle queue, const char *name, unsigned threads, Grid grid,
                const void *arguments, size_t bytes);
    /// Why the device cannot run a kernel in blocks of so many threads; empty: it can.
    const std::string &refusal(const char *name, unsigned threads);

    /// Throws Error if the device is lost.
    void check_alive() const;
    /// Throws Error if the call failed.
    void check(ClResult result, std::string_view call, std::string_view details = {});
    /// Logs a failure of what frees something.
    void report(ClResult result, std::string_view call) noexcept;

private:
    struct Module {
        const KernelBlob *blob = nullptr;
        std::vector<std::string> names;
        ClProgram program = nullptr;
        std::string why_not; ///< why it cannot be built, once that is known
    };
    struct Allocation {
        void *given;     ///< by OpenCL, as it need not align to more than its largest type
        ClMemory buffer; ///< null: it is shared virtual memory
    };
    struct Kernel {
        size_t module;
        ClKernel handle = nullptr;
        size_t known_memory = 0;    ///< allocations_ that it has been told of
        unsigned known_threads = 0; ///< block that `why_not` is about; 0: nobody has asked
        std::string why_not;
    };

    Allocation allocate(size_t bytes);
    void release(const Allocation &allocation) noexcept;
    /// The buffer of an address, null if it has none, and the place in it.
    std::pair<ClMemory, size_t> place_of(const void *address) const;
    void read_modules(const KernelLibrary &kernels);
    void build(Module &module);
    void tell_memory(Kernel &kernel);
    std::string judge(const Kernel &kernel, unsigned threads);
    Kernel &find(const char *name);
    int asked_wave_size() const;
    size_t lanes_of(ClKernel kernel, unsigned threads) const;
    void release_all() noexcept;

    const ClApi &api_;
    ClDeviceRef device_;
    Log log_;
    ClContextHandle handle_ = nullptr;
    int wave_size_ = 0;
    bool has_shared_memory_ = false;
    bool knows_all_memory_ = false; ///< kernels need not be told of allocations
    std::vector<Module> modules_;
    std::map<std::string, Kernel> kernels_;
    std::map<const void *, Allocation> allocations_; ///< by their aligned addresses
    size_t memory_version_ = 1;
    PinnedRanges pinned_;
    std::string failure_; ///< reason why the device is lost; empty if it is not
};

} // namespace vmafgpu
