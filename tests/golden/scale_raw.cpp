// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scales raw planar video with the engine's scaler, for compare_ffmpeg.py and by hand:
//     scale_raw ref 960x540 1920x1080 420 10 IN OUT
// ref is the reference code, cpu the fast one; tests/check compares the kernel with the former.
// Samples above 8 bits are 16-bit words in native byte order.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "scaler/scale.h"

namespace {

using namespace vmafgpu;

struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File open(const char *path, const char *mode)
{
    File file(std::fopen(path, mode));
    if (file == nullptr)
        throw std::runtime_error(std::string("cannot open ") + path);
    return file;
}

void read_size(const char *text, int &width, int &height)
{
    if (std::sscanf(text, "%dx%d", &width, &height) != 2)
        throw std::runtime_error(std::string(text) + " is no size, such as 960x540");
}

Chroma read_chroma(const std::string &text)
{
    const char *const names[] = {"400", "420", "422", "444"};
    for (int i = 0; i < 4; ++i)
        if (text == names[i])
            return static_cast<Chroma>(i);
    throw std::runtime_error(text + " is no chroma format: 400, 420, 422, 444");
}

size_t plane_bytes(const Format &format, int plane)
{
    return static_cast<size_t>(format.plane_width(plane)) *
           static_cast<size_t>(format.plane_height(plane)) *
           static_cast<size_t>(format.sample_bytes());
}

/// Scales one plane; false at the end of the file.
bool scale_one(const ScalePlan &plan, int plane, bool is_fast, std::FILE *from, std::FILE *to)
{
    std::vector<char> in(plane_bytes(plan.source(), plane));
    std::vector<char> out(plane_bytes(plan.target(), plane));
    const size_t got = std::fread(in.data(), 1, in.size(), from);
    if (got == 0 && plane == 0)
        return false;
    if (got != in.size())
        throw std::runtime_error("the file ends within a picture");
    const int bytes = plan.source().sample_bytes();
    const Plane source = {in.data(),
                          static_cast<ptrdiff_t>(plan.source().plane_width(plane)) * bytes};
    const auto pitch = static_cast<ptrdiff_t>(plan.target().plane_width(plane)) * bytes;
    ThreadPool pool(0);
    if (is_fast)
        scale_plane(plan.plane(plane), plan.source().depth, source, out.data(), pitch, pool);
    else
        scale_plane_ref(plan.plane(plane), plan.source().depth, source, out.data(), pitch);
    if (std::fwrite(out.data(), 1, out.size(), to) != out.size())
        throw std::runtime_error("cannot write");
    return true;
}

int run(char **argv)
{
    Format source;
    int width = 0;
    int height = 0;
    const std::string code = argv[1];
    if (code != "ref" && code != "cpu")
        throw std::runtime_error(code + " is not known: ref and cpu are");
    read_size(argv[2], source.width, source.height);
    read_size(argv[3], width, height);
    source.chroma = read_chroma(argv[4]);
    source.depth = std::atoi(argv[5]);
    check_scale_depth(source.depth);
    const ScalePlan plan(source, width, height);
    const File from = open(argv[6], "rb");
    const File to = open(argv[7], "wb");
    const int planes = source.chroma == Chroma::k400 ? 1 : 3;
    for (;;)
        for (int p = 0; p < planes; ++p)
            if (!scale_one(plan, p, code == "cpu", from.get(), to.get()))
                return std::fflush(to.get()) == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 8) {
        std::fprintf(stderr, "usage: scale_raw CODE WxH WxH CHROMA DEPTH IN OUT\n");
        return 2;
    }
    try {
        return run(argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "scale_raw: %s\n", error.what());
        return 1;
    }
}
