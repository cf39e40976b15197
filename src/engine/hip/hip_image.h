// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads the metadata of an AMD code object: its target, and each kernel's wave size, memory
// and arguments. Called by hip_context.cpp for the images that it loads, and by the
// stand-ins of tests/device. Needs no runtime and no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vmafgpu {

struct HipKernelInfo {
    std::string name;
    int wave_size = 0;          ///< 32 or 64: what it was compiled for
    uint32_t shared_bytes = 0;  ///< static shared memory (LDS) of a block
    uint32_t private_bytes = 0; ///< scratch memory of a thread
    uint32_t kernarg_bytes =
        0; ///< size of the argument struct and a pointer, if the kernel uses no hidden arguments
};

struct HipImage {
    std::string target; ///< "gfx90a", "gfx90a:xnack-", "gfx11-generic"
    std::vector<HipKernelInfo> kernels;

    /// Null if there is no such kernel.
    const HipKernelInfo *find(const std::string &name) const;
};

/// Throws Error(EINVAL) unless `data` is an ELF code object of the AMD HSA ABI.
HipImage read_hip_image(const void *data, size_t bytes);

} // namespace vmafgpu
