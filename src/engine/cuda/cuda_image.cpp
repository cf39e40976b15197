// SPDX-License-Identifier: BSD-2-Clause-Patent
// See cuda_image.h. The names are made by cuda/meson.build. Not here: loading.
#include "cuda/cuda_image.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

namespace vmafgpu {

bool cuda_images_cover(const std::string &images, int capability)
{
    std::istringstream stream(images);
    std::string image;
    while (stream >> image) {
        const int version = std::atoi(image.c_str() + image.find('_') + 1);
        const bool is_ptx = image.rfind("compute_", 0) == 0;
        const bool is_same_major = version / 10 == capability / 10;
        if (version <= capability && (is_ptx || is_same_major))
            return true;
    }
    return false;
}

namespace {

/// 0: for every GPU that the images cover.
int least_capability(const KernelBlob &blob)
{
    const char *at = std::strchr(blob.name, '@');
    return at ? std::atoi(at + 1) : 0;
}

bool is_for_scarce_double(const KernelBlob &blob)
{
    const char *at = std::strchr(blob.name, '@');
    return at && std::strchr(at, 's');
}

/// Which of two blobs of a source is better: the greater one.
int rank(const KernelBlob &blob)
{
    return 2 * least_capability(blob) + (is_for_scarce_double(blob) ? 1 : 0);
}

} // namespace

std::string cuda_source_name(const KernelBlob &blob)
{
    return std::string(blob.name, std::strcspn(blob.name, "@"));
}

std::vector<const KernelBlob *> cuda_blobs_for(const KernelLibrary &kernels, int capability,
                                               bool has_scarce_double)
{
    std::map<std::string, const KernelBlob *> best;
    for (size_t i = 0; i < kernels.count; ++i) {
        const KernelBlob &blob = kernels.blobs[i];
        if (least_capability(blob) > capability ||
            (is_for_scarce_double(blob) && !has_scarce_double))
            continue;
        const KernelBlob *&place = best[cuda_source_name(blob)];
        if (!place || rank(blob) > rank(*place))
            place = &blob;
    }
    std::vector<const KernelBlob *> blobs;
    blobs.reserve(best.size());
    for (const auto &[name, blob] : best)
        blobs.push_back(blob);
    return blobs;
}

} // namespace vmafgpu
