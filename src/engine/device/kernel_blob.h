// SPDX-License-Identifier: BSD-2-Clause-Patent
// Compiled kernels embedded in this library. tools/embed_kernels.py writes them; the CUDA and HIP
// backends load them. Nothing here depends on their content.
#pragma once

#include <cstddef>

namespace vmafgpu {

/// One device object: a CUDA fat binary of all architectures, PTX of one target (a string), or
/// a HIP code object of one architecture.
struct KernelBlob {
    const char *name; ///< kernel source it was made of, "vif_kernels"; HIP adds "@gfx1030",
                      ///< CUDA "@75" if it is for capability 7.5 and later
    const void *data; ///< aligned to 64 bytes
    size_t bytes;
};

/// All device objects of one backend.
struct KernelLibrary {
    const char *images; ///< names for error texts: "sm_75 sm_90 compute_120"
    const char *tool;   ///< compiler and version that made them
    const KernelBlob *blobs;
    size_t count;
};

} // namespace vmafgpu
