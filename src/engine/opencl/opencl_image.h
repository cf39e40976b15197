// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the backend reads in SPIR-V and adds to it: words of 32 bits, by the SPIR-V specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vmafgpu {

/// A module of SPIR-V.
struct SpirvImage {
    std::vector<uint32_t> words;
    std::vector<std::string> kernels;
};

/// Throws Error(EINVAL) if it is no SPIR-V. wave_size: what every kernel asks the device for, by
/// the execution mode SubgroupSize; 0: nothing.
SpirvImage read_spirv(const void *data, size_t bytes, int wave_size);

} // namespace vmafgpu
