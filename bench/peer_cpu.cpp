// SPDX-License-Identifier: BSD-2-Clause-Patent
// Frames per second of libvmaf's CPU path on the pictures that bench times. All
// pictures are made before the clock starts, since libvmaf keeps what it is given.
// Built and run by cpu.sh against a libvmaf that the user supplies; no part of the
// project's build. Prints frames per second and the last score.
//   peer_cpu WIDTH HEIGHT DEPTH THREADS FRAMES [CPUMASK [MODEL [CONTENT | REFERENCE DISTORTED]]]
// MODEL: a built-in one; v1 models get 4:2:0, the others luma alone. CONTENT:
// texture or bands (content.h). Two file names: the first pictures of two raw files.
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

struct Input {
    unsigned width, height, depth;
    VmafPixelFormat format;
    bool is_banded;
    const char *files[2];
};

/// Fills a picture with frame t of the reference (side 0) or the distorted one (1).
void fill(const Input &input, int t, int side, std::FILE *file, const VmafPicture &picture)
{
    const size_t bytes = input.depth > 8 ? 2 : 1;
    const auto sample = input.is_banded ? vmafgpu::bench_bands : vmafgpu::bench_sample;
    for (int p = 0; p < 3; ++p) {
        for (unsigned y = 0; y < picture.h[p]; ++y) {
            char *row = static_cast<char *>(picture.data[p]) + picture.stride[p] * long{y};
            if (file != nullptr) {
                require(std::fread(row, bytes, picture.w[p], file) == picture.w[p], "reading");
                continue;
            }
            for (unsigned x = 0; x < picture.w[p]; ++x) {
                const auto value = static_cast<unsigned short>(
                    sample(static_cast<int>(x), static_cast<int>(y), t + 100 * p, side == 1) >>
                    (16 - input.depth));
                if (bytes == 2)
                    std::memcpy(row + 2 * size_t{x}, &value, 2);
                else
                    row[x] = static_cast<char>(value);
            }
        }
    }
}

VmafPicture allocate(const Input &input)
{
    VmafPicture picture;
    require(vmaf_picture_alloc(&picture, input.format, input.depth, input.width, input.height) == 0,
            "vmaf_picture_alloc");
    return picture;
}

/// frames pictures of one side; the first kDistinct are filled, the others copies.
std::vector<VmafPicture> make_side(const Input &input, int side, unsigned frames)
{
    std::FILE *file = nullptr;
    if (input.files[side] != nullptr) {
        file = std::fopen(input.files[side], "rb");
        require(file != nullptr, input.files[side]);
    }
    std::vector<VmafPicture> pictures(frames);
    for (unsigned i = 0; i < frames; ++i) {
        pictures[i] = allocate(input);
        if (i < kDistinct) {
            fill(input, static_cast<int>(i), side, file, pictures[i]);
            continue;
        }
        const VmafPicture &same = pictures[i % kDistinct];
        for (int p = 0; p < 3; ++p)
            std::memcpy(pictures[i].data[p], same.data[p],
                        static_cast<size_t>(same.stride[p]) * same.h[p]);
    }
    if (file != nullptr)
        std::fclose(file);
    return pictures;
}

} // namespace

int main(int argc, char **argv)
{
    require(argc >= 6, "WIDTH HEIGHT DEPTH THREADS FRAMES ...: parsing");
    const auto number = [&](int i) {
        return static_cast<unsigned>(std::strtoul(argv[i], nullptr, 0));
    };
    const char *model_name = argc > 7 ? argv[7] : "vmaf_v0.6.1";
    const bool has_bands = argc == 9 && std::strcmp(argv[8], "bands") == 0;
    const bool has_files = argc > 9;
    const bool has_chroma = std::strstr(model_name, "vmaf_v1") != nullptr;
    const Input input = {number(1), number(2),
                         number(3), has_chroma ? VMAF_PIX_FMT_YUV420P : VMAF_PIX_FMT_YUV400P,
                         has_bands, {has_files ? argv[8] : nullptr, has_files ? argv[9] : nullptr}};
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
    require(vmaf_model_load(&model, &model_config, model_name) == 0, "vmaf_model_load");
    require(vmaf_use_features_from_model(vmaf, model) == 0, "vmaf_use_features_from_model");

    std::vector<VmafPicture> reference = make_side(input, 0, frames);
    std::vector<VmafPicture> distorted = make_side(input, 1, frames);
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < frames; ++i)
        require(vmaf_read_pictures(vmaf, &reference[i], &distorted[i], i) == 0,
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
