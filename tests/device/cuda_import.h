// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of the CUDA stand-in that imports memory of Vulkan. entry_cuda.cpp tells imports from
// other memory that is freed. No descriptor is looked into: the emulated device maps it.
#pragma once

namespace vmafgpu {
namespace standin {

bool is_import(const void *memory);
/// cuMemFree() of a mapped import.
int unmap_import(void *memory);

} // namespace standin
} // namespace vmafgpu
