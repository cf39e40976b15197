// SPDX-License-Identifier: BSD-2-Clause-Patent
// Frames per second of libvmaf's CUDA path in the loop that bench times: the same
// pictures (content.h), in device memory or in host memory, submit to score. Built and
// run by peer.sh against a libvmaf that the user supplies; no part of the project's
// build. Prints frames per second.
//   peer WIDTH HEIGHT DEPTH resident|upload FRAMES
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <libvmaf/libvmaf.h>
#include <libvmaf/libvmaf_cuda.h>

#include "content.h"

namespace {

void require(bool is_good, const char *what)
{
    if (is_good)
        return;
    std::fprintf(stderr, "peer: %s failed\n", what);
    std::exit(1);
}

/// The few driver calls that put pictures into device memory.
struct Driver {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*upload)(unsigned long long, const void *, size_t);
    void *context = nullptr;

    Driver()
    {
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        require(library != nullptr, "loading libcuda.so.1");
        const auto find = [&](auto &call, const char *name) {
            *reinterpret_cast<void **>(&call) = dlsym(library, name);
            require(call != nullptr, name);
        };
        find(init, "cuInit");
        find(retain, "cuDevicePrimaryCtxRetain");
        find(set_current, "cuCtxSetCurrent");
        find(upload, "cuMemcpyHtoD_v2");
        require(init(0) == 0 && retain(&context, 0) == 0 && set_current(context) == 0,
                "opening CUDA device 0");
    }
};

struct Settings {
    unsigned width, height, depth;
    bool is_resident;
    unsigned frames;
};

using Image = std::vector<unsigned char>;

Image make_image(const Settings &settings, int t, bool is_distorted)
{
    const size_t bytes = settings.depth > 8 ? 2 : 1;
    Image image(settings.width * settings.height * bytes);
    for (unsigned y = 0; y < settings.height; ++y)
        for (unsigned x = 0; x < settings.width; ++x) {
            const int value =
                vmafgpu::bench_sample(static_cast<int>(x), static_cast<int>(y), t, is_distorted) >>
                (16 - settings.depth);
            const auto stored = static_cast<unsigned short>(value);
            std::memcpy(&image[(size_t(y) * settings.width + x) * bytes], &stored, bytes);
        }
    return image;
}

void fill(const Driver &driver, const Settings &settings, const VmafPicture &picture,
          const Image &image)
{
    const size_t row = settings.width * (settings.depth > 8 ? 2 : 1);
    for (unsigned y = 0; y < settings.height; ++y) {
        char *to = static_cast<char *>(picture.data[0]) + picture.stride[0] * static_cast<long>(y);
        const unsigned char *from = &image[row * y];
        if (!settings.is_resident)
            std::memcpy(to, from, row);
        else
            require(driver.upload(reinterpret_cast<unsigned long long>(to), from, row) == 0,
                    "cuMemcpyHtoD");
    }
}

class Peer {
public:
    Peer(const Driver &driver, const Settings &settings) : driver_(driver), settings_(settings)
    {
        VmafConfiguration config = {};
        config.log_level = VMAF_LOG_LEVEL_ERROR;
        require(vmaf_init(&vmaf_, config) == 0, "vmaf_init");
        VmafCudaState *state = nullptr;
        VmafCudaConfiguration cuda = {};
        cuda.cu_ctx = driver.context;
        require(vmaf_cuda_state_init(&state, cuda) == 0, "vmaf_cuda_state_init");
        require(vmaf_cuda_import_state(vmaf_, state) == 0, "vmaf_cuda_import_state");
        VmafModelConfig model_config = {};
        model_config.name = "vmaf";
        // A libvmaf without built-in models: PEER_MODEL names the file.
        const char *path = std::getenv("PEER_MODEL");
        require((path != nullptr ? vmaf_model_load_from_path(&model_, &model_config, path)
                                 : vmaf_model_load(&model_, &model_config, "vmaf_v0.6.1")) == 0,
                "vmaf_model_load");
        require(vmaf_use_features_from_model(vmaf_, model_) == 0, "vmaf_use_features_from_model");
        VmafCudaPictureConfiguration pictures = {};
        pictures.pic_params.w = settings.width;
        pictures.pic_params.h = settings.height;
        pictures.pic_params.bpc = settings.depth;
        pictures.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
        pictures.pic_prealloc_method = settings.is_resident
                                           ? VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE
                                           : VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED;
        require(vmaf_cuda_preallocate_pictures(vmaf_, pictures) == 0,
                "vmaf_cuda_preallocate_pictures");
    }
    ~Peer()
    {
        vmaf_model_destroy(model_);
        vmaf_close(vmaf_);
    }
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;

    /// Device pictures come from a small pool: they are filled in the first pairs only, so
    /// that the peer's loop copies nothing.
    void submit(const Image (&pair)[2], unsigned index, bool fills)
    {
        VmafPicture pictures[2];
        for (int i = 0; i < 2; ++i) {
            require(vmaf_cuda_fetch_preallocated_picture(vmaf_, &pictures[i]) == 0,
                    "vmaf_cuda_fetch_preallocated_picture");
            if (fills || !settings_.is_resident)
                fill(driver_, settings_, pictures[i], pair[i]);
        }
        require(vmaf_read_pictures(vmaf_, &pictures[0], &pictures[1], index) == 0,
                "vmaf_read_pictures");
    }

    double finish(unsigned first, unsigned end)
    {
        require(vmaf_read_pictures(vmaf_, nullptr, nullptr, 0) == 0, "the last vmaf_read_pictures");
        double score = 0;
        for (unsigned i = first; i < end; ++i)
            require(vmaf_score_at_index(vmaf_, model_, &score, i) == 0, "vmaf_score_at_index");
        return score;
    }

private:
    const Driver &driver_;
    Settings settings_;
    VmafContext *vmaf_ = nullptr;
    VmafModel *model_ = nullptr;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "usage: peer WIDTH HEIGHT DEPTH resident|upload FRAMES\n");
        return 2;
    }
    const Settings settings = {
        static_cast<unsigned>(std::atoi(argv[1])), static_cast<unsigned>(std::atoi(argv[2])),
        static_cast<unsigned>(std::atoi(argv[3])), std::string(argv[4]) == "resident",
        static_cast<unsigned>(std::atoi(argv[5]))};
    constexpr unsigned kPairs = 2, kWarmup = 16;
    Image images[kPairs][2];
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kPairs; ++i)
        for (int k = 0; k < 2; ++k)
            threads.emplace_back(
                [&, i, k] { images[i][k] = make_image(settings, static_cast<int>(i), k == 1); });
    for (std::thread &thread : threads)
        thread.join();
    const Driver driver;
    Peer peer(driver, settings);
    for (unsigned i = 0; i < kWarmup; ++i)
        peer.submit(images[i % kPairs], i, true);
    const auto start = std::chrono::steady_clock::now();
    for (unsigned i = kWarmup; i < kWarmup + settings.frames; ++i)
        peer.submit(images[i % kPairs], i, false);
    const double score = peer.finish(kWarmup, kWarmup + settings.frames);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%.1f frames/s, last score %.6f\n", settings.frames / seconds, score);
    return 0;
}
