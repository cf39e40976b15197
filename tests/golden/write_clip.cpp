// SPDX-License-Identifier: BSD-2-Clause-Patent
// write_clip CLIP FRAMES REFERENCE DISTORTED: the samples of a golden clip as two raw files, for
// regenerate.py. Prints width, height, depth and layout. Luma alone gets a grey 4:2:0. Chroma has
// libvmaf's size, half rounded down.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>

#include "clips.h"

namespace {

using vmafgpu::Chroma;

int libvmaf_size(int luma, bool is_halved)
{
    return is_halved ? luma / 2 : luma;
}

void write_plane(std::ofstream &file, const vmafgpu::YuvPair &pair, bool is_distorted, int plane)
{
    const vmafgpu::Format &format = pair.format;
    const bool is_grey = format.chroma == Chroma::k400;
    const bool halves_width = plane > 0 && format.chroma != Chroma::k444;
    const bool halves_height = plane > 0 && (is_grey || format.chroma == Chroma::k420);
    const auto bytes = static_cast<size_t>(format.sample_bytes()) *
                       static_cast<size_t>(libvmaf_size(format.width, halves_width));
    const std::vector<char> grey(bytes, static_cast<char>(0x40));
    for (int y = 0; y < libvmaf_size(format.height, halves_height); ++y) {
        const unsigned char *row = pair.planes[is_distorted][plane].data() +
                                   pair.row_bytes(plane) * static_cast<size_t>(y);
        const char *const samples =
            is_grey && plane > 0 ? grey.data() : reinterpret_cast<const char *>(row);
        file.write(samples, static_cast<std::streamsize>(bytes));
    }
}

int run(char **argv)
{
    const vmafgpu::GoldenClip clip = vmafgpu::golden_clip(argv[1]);
    std::ofstream files[2] = {std::ofstream(argv[3], std::ios::binary),
                              std::ofstream(argv[4], std::ios::binary)};
    for (int frame = 0; frame < std::atoi(argv[2]); ++frame) {
        const vmafgpu::YuvPair pair = clip.pair(frame);
        for (const bool is_distorted : {false, true})
            for (int plane = 0; plane < 3; ++plane)
                write_plane(files[is_distorted], pair, is_distorted, plane);
    }
    static const char *const layouts[] = {"420", "420", "422", "444"};
    std::printf("%d %d %d %s\n", clip.format.width, clip.format.height, clip.format.depth,
                layouts[static_cast<int>(clip.format.chroma)]);
    return files[0].flush() && files[1].flush() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 5) {
        std::fprintf(stderr, "write_clip CLIP FRAMES REFERENCE DISTORTED\n");
        return 2;
    }
    try {
        return run(argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "write_clip: %s\n", error.what());
        return 1;
    }
}
