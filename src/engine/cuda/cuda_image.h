// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which of the embedded kernels a GPU gets, by its compute capability (75 for 7.5). Called by
// cuda_context.cpp, cuda_device.cpp and the stand-in driver. Needs no driver and no device.
#pragma once

#include <string>
#include <vector>

#include "device/kernel_blob.h"

namespace vmafgpu {

/// The least capability that any build has kernels for: the first with the dot products of bytes.
constexpr int kCudaLeastCapability = 61;
/// The lowest capability on which matrix_u8() runs. Every build has the kernels that use it.
constexpr int kCudaMatrixCapability = 75;

/// True if the images ("sm_80 compute_120") hold code for that capability: machine code
/// of the same major and no later minor version, or PTX of an earlier or equal one.
bool cuda_images_cover(const std::string &images, int capability);

/// "vif_kernels" of "vif_kernels@75".
std::string cuda_source_name(const KernelBlob &blob);

/// Whether double arithmetic takes at least this many times as long as that of floats: 2 on GPUs
/// for computing, 32 or 64 on others (CUDA C++ Programming Guide, arithmetic throughput).
constexpr int kCudaScarceDouble = 8;

/// The blobs to load, one of each source: "@75" in a name is the least capability that the blob
/// is for, and the highest that is reached wins. A source without such a blob is left out. "@80s"
/// is only for GPUs with scarce doubles, and better there than "@80": PTX for 8.0 serves both
/// kinds.
std::vector<const KernelBlob *> cuda_blobs_for(const KernelLibrary &kernels, int capability,
                                               bool has_scarce_double);

} // namespace vmafgpu
