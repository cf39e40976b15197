// SPDX-License-Identifier: BSD-2-Clause-Patent
// The same as score.c, in C++17: two small classes own the model, the context and the pictures,
// and turn error codes into exceptions. docs/user/api.md explains it.
//
//     score REFERENCE DISTORTED WIDTH HEIGHT [DEVICE]
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <vmaf_gpu/vmaf_gpu.h>

namespace {

// One 8-bit 4:2:0 frame.
class Frame {
public:
    Frame(int width, int height)
        : width_(width), height_(height), luma_(size_t(width) * size_t(height)),
          chroma_(size_t((width + 1) / 2) * size_t((height + 1) / 2)), samples_(luma_ + 2 * chroma_)
    {
    }

    bool read(std::istream &file)
    {
        return bool(
            file.read(reinterpret_cast<char *>(samples_.data()), std::streamsize(samples_.size())));
    }

    // The picture points into this frame; its release callback deletes the frame.
    VmafGpuPicture picture()
    {
        VmafGpuPicture picture = {};
        picture.width = width_;
        picture.height = height_;
        picture.depth = 8;
        picture.plane[0].data = samples_.data();
        picture.plane[0].pitch = width_;
        for (int p = 1; p < 3; ++p) {
            picture.plane[p].data = samples_.data() + luma_ + size_t(p - 1) * chroma_;
            picture.plane[p].pitch = (width_ + 1) / 2;
        }
        picture.opaque = this;
        picture.release = [](void *opaque) {
            delete static_cast<Frame *>(opaque);
        };
        return picture;
    }

private:
    int width_, height_;
    size_t luma_, chroma_;
    std::vector<unsigned char> samples_;
};

// A model and a context that scores with it.
class Scorer {
public:
    // Gets the index and the score of each pair, in order.
    using Print = std::function<void(int64_t index, double score)>;

    Scorer(const char *model, int width, int height, const char *device, Print print)
        : print_(std::move(print))
    {
        VmafGpuError error = {};
        VmafGpuModel *loaded = nullptr;
        throw_if(vmafgpu_model_load(&loaded, model, &error), error.text);
        model_.reset(loaded);
        VmafGpuSettings settings;
        vmafgpu_settings_default(&settings);
        settings.width = width;
        settings.height = height;
        settings.depth = 8;
        settings.chroma = VMAFGPU_CHROMA_420;
        settings.device = device;
        settings.models = &loaded;
        settings.model_count = 1;
        VmafGpuContext *opened = nullptr;
        throw_if(vmafgpu_open(&opened, &settings, &error), error.text);
        context_.reset(opened);
    }

    void submit(std::unique_ptr<Frame> reference, std::unique_ptr<Frame> distorted)
    {
        const VmafGpuPicture r = reference->picture(), d = distorted->picture();
        int ret = 0;
        while ((ret = vmafgpu_submit(context_.get(), &r, &d, 0)) == -EAGAIN)
            collect();
        check(ret);
        // Only now the engine owns both frames.
        static_cast<void>(reference.release());
        static_cast<void>(distorted.release());
    }

    void finish()
    {
        check(vmafgpu_flush(context_.get()));
        while (collect()) {
        }
    }

    double mean()
    {
        double value = 0;
        check(vmafgpu_pooled(context_.get(), column(), VMAFGPU_POOL_MEAN, &value));
        return value;
    }

private:
    struct FreeModel {
        void operator()(VmafGpuModel *model) const { vmafgpu_model_free(&model); }
    };
    struct CloseContext {
        void operator()(VmafGpuContext *context) const { vmafgpu_close(&context); }
    };

    int column() const { return vmafgpu_model_score(context_.get(), 0); }

    // Waits for the next pair; false if every pair has been collected.
    bool collect()
    {
        VmafGpuResult result = {};
        const int score = column(); // asked first: result.scores ends with the next call
        const int ret = vmafgpu_collect(context_.get(), &result, 1);
        if (ret == -ENODATA)
            return false;
        check(ret);
        print_(result.index, result.scores[score]);
        return true;
    }

    static void throw_if(int ret, const char *text)
    {
        if (ret < 0)
            throw std::runtime_error(std::string(vmafgpu_strerror(ret)) + ": " + text);
    }
    void check(int ret) const { throw_if(ret, vmafgpu_error_text(context_.get())); }

    Print print_;
    std::unique_ptr<VmafGpuModel, FreeModel> model_;
    std::unique_ptr<VmafGpuContext, CloseContext> context_;
};

void score_files(char **argv, const char *device)
{
    const int width = std::stoi(argv[3]), height = std::stoi(argv[4]);
    std::ifstream reference_file(argv[1], std::ios::binary);
    std::ifstream distorted_file(argv[2], std::ios::binary);
    if (!reference_file || !distorted_file)
        throw std::runtime_error("cannot open the input");
    Scorer scorer("vmaf_v0.6.1", width, height, device, [](int64_t index, double score) {
        std::printf("%d %.17g\n", int(index), score);
    });
    for (;;) {
        auto reference = std::make_unique<Frame>(width, height);
        auto distorted = std::make_unique<Frame>(width, height);
        if (!reference->read(reference_file) || !distorted->read(distorted_file))
            break;
        scorer.submit(std::move(reference), std::move(distorted));
    }
    scorer.finish();
    std::printf("mean %.17g\n", scorer.mean());
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 5) {
        std::fprintf(stderr, "usage: score REFERENCE DISTORTED WIDTH HEIGHT [DEVICE]\n");
        return 2;
    }
    try {
        score_files(argv, argc > 5 ? argv[5] : "auto");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
