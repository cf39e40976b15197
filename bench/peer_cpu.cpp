// SPDX-License-Identifier: BSD-2-Clause-Patent
// Frames per second of libvmaf's CPU path on the pictures that bench times. All
// pictures are made before the clock starts, since libvmaf keeps what it is given.
// Built and run by cpu.sh against a libvmaf that the user supplies; no part of the
// project's build. Prints frames per second and the last score.
//   peer_cpu WIDTH HEIGHT DEPTH THREADS FRAMES [CPUMASK]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <libvmaf/libvmaf.h>

#include "content.h"

namespace {

constexpr int kDistinct = 2; // pairs, as bench

void require(bool is_good, const char *what)
{
    if (is_good)
        return;
    std::fprintf(stderr, "peer_cpu: %s failed\n", what);
    std::exit(1);
}

struct Size {
    unsigned width, height, depth;
};

std::vector<unsigned short> make_image(const Size &size, int t, bool is_distorted)
{
    std::vector<unsigned short> image(size_t{size.width} * size.height);
    for (unsigned y = 0; y < size.height; ++y)
        for (unsigned x = 0; x < size.width; ++x)
            image[size_t{y} * size.width + x] = static_cast<unsigned short>(
                vmafgpu::bench_sample(static_cast<int>(x), static_cast<int>(y), t, is_distorted) >>
                (16 - size.depth));
    return image;
}

VmafPicture make_picture(const Size &size, const std::vector<unsigned short> &image)
{
    VmafPicture picture;
    require(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV400P, size.depth, size.width,
                               size.height) == 0,
            "vmaf_picture_alloc");
    for (unsigned y = 0; y < size.height; ++y) {
        char *row = static_cast<char *>(picture.data[0]) + picture.stride[0] * static_cast<long>(y);
        for (unsigned x = 0; x < size.width; ++x) {
            const unsigned short value = image[size_t{y} * size.width + x];
            if (size.depth > 8)
                std::memcpy(row + 2 * size_t{x}, &value, 2);
            else
                row[x] = static_cast<char>(value);
        }
    }
    return picture;
}

} // namespace

int main(int argc, char **argv)
{
    require(argc >= 6, "WIDTH HEIGHT DEPTH THREADS FRAMES [CPUMASK]: parsing");
    const auto number = [&](int i) {
        return static_cast<unsigned>(std::strtoul(argv[i], nullptr, 0));
    };
    const Size size = {number(1), number(2), number(3)};
    const unsigned frames = number(5);
    VmafConfiguration config = {};
    config.log_level = VMAF_LOG_LEVEL_ERROR;
    config.n_threads = number(4) > 1 ? number(4) : 0; // 0: the caller's own thread
    config.cpumask = argc > 6 ? number(6) : 0;
    VmafContext *vmaf = nullptr;
    require(vmaf_init(&vmaf, config) == 0, "vmaf_init");
    VmafModel *model = nullptr;
    VmafModelConfig model_config = {};
    model_config.name = "vmaf";
    require(vmaf_model_load(&model, &model_config, "vmaf_v0.6.1") == 0, "vmaf_model_load");
    require(vmaf_use_features_from_model(vmaf, model) == 0, "vmaf_use_features_from_model");

    std::vector<VmafPicture> pictures;
    for (int t = 0; t < kDistinct; ++t) {
        const auto reference = make_image(size, t, false);
        const auto distorted = make_image(size, t, true);
        for (unsigned i = static_cast<unsigned>(t); i < frames; i += kDistinct) {
            pictures.resize(2 * size_t{frames});
            pictures[2 * size_t{i}] = make_picture(size, reference);
            pictures[2 * size_t{i} + 1] = make_picture(size, distorted);
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < frames; ++i)
        require(vmaf_read_pictures(vmaf, &pictures[2 * size_t{i}], &pictures[2 * size_t{i} + 1],
                                   i) == 0,
                "vmaf_read_pictures");
    require(vmaf_read_pictures(vmaf, nullptr, nullptr, 0) == 0, "the last vmaf_read_pictures");
    double score = 0;
    for (unsigned i = 0; i < frames; ++i)
        require(vmaf_score_at_index(vmaf, model, &score, i) == 0, "vmaf_score_at_index");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%.2f frames/s, score %.17g\n", frames / seconds.count(), score);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
    return 0;
}
