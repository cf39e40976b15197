// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the stand-in CUDA driver knows of code: how long an image is, which of the library's blobs
// it is, what runs it. Included by entry_cuda.cpp only. Loading is there.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "cuda/cuda_image.h"
#include "standin.h"

namespace vmafgpu {

extern const KernelLibrary kCudaKernels;

namespace standin {

/// The first that the build has code for and that has matrix units, else the first.
inline int default_capability()
{
    std::istringstream images(kCudaKernels.images); // "sm_75 sm_80 compute_80"
    std::string image;
    int first = 0;
    while (images >> image) {
        const int capability = std::atoi(image.c_str() + image.find('_') + 1);
        if (capability >= kCudaMatrixCapability)
            return capability;
        first = first == 0 ? capability : first;
    }
    return first;
}

inline int capability_of(int ordinal)
{
    return std::atoi(
        list_setting("VMAFGPU_STANDIN_CAPABILITY", ordinal, std::to_string(default_capability()))
            .c_str());
}

inline bool is_ptx(const void *image)
{
    return std::memcmp(image, ".version", 8) == 0;
}

/// Size as the driver finds it, which is given no length.
inline size_t image_bytes(const void *image)
{
    if (is_ptx(image))
        return std::strlen(static_cast<const char *>(image));
    struct Header {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes;
    } header;
    std::memcpy(&header, image, sizeof(header));
    return header.magic == 0xba55ed50u ? header.header_bytes + header.bytes : 0;
}

/// "80" of the line ".target sm_80".
inline int target_of(const char *ptx)
{
    const char *line = std::strstr(ptx, ".target sm_");
    return line ? std::atoi(line + std::strlen(".target sm_")) : 0;
}

inline const KernelBlob *blob_of(const void *image, size_t bytes)
{
    for (size_t i = 0; i < kCudaKernels.count; ++i) {
        const KernelBlob &blob = kCudaKernels.blobs[i];
        if (blob.bytes == bytes && std::memcmp(blob.data, image, bytes) == 0)
            return &blob;
    }
    return nullptr;
}

/// True if the devices run this code. A fat binary does not tell cheaply what it holds.
inline bool runs(const KernelBlob &blob, int capability)
{
    if (is_ptx(blob.data)) {
        const int target = target_of(static_cast<const char *>(blob.data));
        return target > 0 && target <= capability;
    }
    const char *least = std::strchr(blob.name, '@');
    return cuda_images_cover(kCudaKernels.images, capability) &&
           (least == nullptr || std::atoi(least + 1) <= capability);
}

} // namespace standin
} // namespace vmafgpu
