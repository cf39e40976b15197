// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any legal layout of a picture, in memory that ends where the picture ends (so that
// AddressSanitizer sees one byte too many): the scores are those of the same samples
// in tight rows. Layouts that are not legal are refused, and nothing is read.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bytes.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace {

using vmafgpu::Bytes;

struct Shape {
    int width, height, depth;
};

/// Returns a sample, computed from two numbers so that few bytes decide.
unsigned sample_at(int x, int y, unsigned seed, int depth)
{
    unsigned v = static_cast<unsigned>(x) * 0x9e3779b1u ^ static_cast<unsigned>(y) * 0x85ebca77u ^
                 seed * 0xc2b2ae3du;
    v ^= v >> 15;
    v *= 0x2c1b3c6du;
    v ^= v >> 13;
    return v >> (32 - depth);
}

/// A picture whose memory ends where its rows end.
struct Laid {
    std::unique_ptr<unsigned char, void (*)(void *)> memory{nullptr, std::free};
    VmafGpuPicture picture = {};
};

void put(unsigned char *at, unsigned value, int bytes)
{
    const auto word = static_cast<uint16_t>(value);
    if (bytes == 1)
        *at = static_cast<unsigned char>(value);
    else
        std::memcpy(at, &word, 2);
}

Laid tight(const Shape &shape, unsigned seed, int depth)
{
    const int bytes = shape.depth > 8 ? 2 : 1;
    Laid laid;
    const auto count = static_cast<size_t>(shape.width * shape.height);
    laid.memory.reset(
        static_cast<unsigned char *>(std::malloc(count * static_cast<size_t>(bytes))));
    for (int y = 0; y < shape.height; ++y)
        for (int x = 0; x < shape.width; ++x)
            put(laid.memory.get() + (y * shape.width + x) * bytes,
                sample_at(x, y, seed, depth) << (shape.depth - depth), bytes);
    laid.picture.width = shape.width;
    laid.picture.height = shape.height;
    laid.picture.depth = shape.depth;
    laid.picture.plane[0] = {laid.memory.get(), static_cast<ptrdiff_t>(shape.width) * bytes, 0, 0};
    return laid;
}

/// Samples of `depth` bits, equal for each layout. The bytes choose the layout.
Laid laid_out(const Shape &shape, unsigned seed, int depth, Bytes &choice)
{
    const int bytes = depth > 8 ? 2 : 1;
    const int container = 8 * bytes;
    const int step = choice.one_in(3) ? bytes + choice.below(7) : 0;
    const int unit = step == 0 ? bytes : step;
    const int shift = choice.one_in(3) ? choice.below(container - depth + 1) : 0;
    const unsigned garbage = choice.one_in(2) ? choice.word() : 0;
    const ptrdiff_t row = static_cast<ptrdiff_t>(unit) * (shape.width - 1) + bytes;
    const ptrdiff_t pitch = row + (choice.one_in(3) ? 0 : choice.below(70));
    const bool is_flipped = choice.one_in(3);
    const int offset = choice.below(17);
    const auto size = static_cast<size_t>(offset + pitch * (shape.height - 1) + row);
    Laid laid;
    laid.memory.reset(static_cast<unsigned char *>(std::malloc(size)));
    std::memset(laid.memory.get(), static_cast<int>(garbage & 255), size);
    const unsigned mask = ((1U << depth) - 1) << shift;
    for (int y = 0; y < shape.height; ++y) {
        unsigned char *line =
            laid.memory.get() + offset + pitch * (is_flipped ? shape.height - 1 - y : y);
        for (int x = 0; x < shape.width; ++x)
            put(line + static_cast<ptrdiff_t>(x) * unit,
                sample_at(x, y, seed, depth) << shift | (garbage & ~mask), bytes);
    }
    laid.picture.width = shape.width;
    laid.picture.height = shape.height;
    laid.picture.depth = depth;
    laid.picture.shift = shift;
    laid.picture.plane[0] = {laid.memory.get() + offset +
                                 (is_flipped ? pitch * (shape.height - 1) : 0),
                             is_flipped ? -pitch : pitch, step, 0};
    return laid;
}

VmafGpuContext *open_context(const Shape &shape)
{
    static const VmafGpuFeature features[] = {
        {"vif", nullptr}, {"motion", nullptr}, {"adm", nullptr}};
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = shape.width;
    settings.height = shape.height;
    settings.depth = shape.depth;
    settings.device = "cpu";
    settings.threads = 1;
    settings.features = features;
    settings.feature_count = 3;
    VmafGpuContext *ctx = nullptr;
    VMAFGPU_FUZZ_REQUIRE(vmafgpu_open(&ctx, &settings, nullptr) == 0);
    return ctx;
}

std::vector<double> scores_of(const Shape &shape, const std::vector<Laid> &pictures)
{
    VmafGpuContext *ctx = open_context(shape);
    std::vector<double> scores;
    for (size_t i = 0; i + 1 < pictures.size(); i += 2)
        VMAFGPU_FUZZ_REQUIRE(
            vmafgpu_submit(ctx, &pictures[i].picture, &pictures[i + 1].picture, i) == 0);
    vmafgpu_flush(ctx);
    VmafGpuResult result = {};
    while (vmafgpu_collect(ctx, &result, 1) == 0)
        scores.insert(scores.end(), result.scores, result.scores + result.score_count);
    vmafgpu_close(&ctx);
    return scores;
}

/// A layout that cannot be: refused before anything is read.
void refuse(const Shape &shape, Laid laid, Bytes &choice)
{
    VmafGpuPicture &picture = laid.picture;
    const VmafGpuPicture good = picture;
    const int bytes = picture.depth > 8 ? 2 : 1;
    const int unit = picture.plane[0].step == 0 ? bytes : picture.plane[0].step;
    const ptrdiff_t row = static_cast<ptrdiff_t>(unit) * (shape.width - 1) + bytes;
    switch (choice.below(6)) {
    case 0:
        picture.plane[0].pitch =
            row - 1 - choice.below(static_cast<int>(std::min<ptrdiff_t>(2 * row - 1, 250)));
        break;
    case 1:
        picture.plane[0].step = -1 - choice.below(100);
        break;
    case 2:
        picture.shift = 8 * bytes - picture.depth + 1 + choice.below(100);
        break;
    case 3:
        picture.depth = choice.one_in(2) ? shape.depth + 1 : 7;
        break;
    case 4:
        picture.plane[0].step = 0x7fffffff;
        break;
    default:
        picture.plane[0].data = nullptr;
        break;
    }
    VmafGpuContext *ctx = open_context(shape);
    VMAFGPU_FUZZ_REQUIRE(vmafgpu_submit(ctx, &picture, &good, 0) == -EINVAL);
    VMAFGPU_FUZZ_REQUIRE(vmafgpu_submit(ctx, &good, &picture, 0) == -EINVAL);
    vmafgpu_close(&ctx);
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes choice(data, size);
    const Shape shape = {17 + choice.below(32), 17 + choice.below(24), 8 + choice.below(9)};
    std::vector<Laid> expected, got;
    const int pairs = 1 + choice.below(3);
    for (int i = 0; i < 2 * pairs; ++i) {
        const int depth = choice.one_in(3) ? 8 + choice.below(shape.depth - 7) : shape.depth;
        const unsigned seed = choice.byte();
        expected.push_back(tight(shape, seed, depth));
        got.push_back(laid_out(shape, seed, depth, choice));
    }
    if (choice.one_in(4)) {
        refuse(shape, std::move(got.front()), choice);
        return 0;
    }
    const std::vector<double> first = scores_of(shape, expected);
    const std::vector<double> second = scores_of(shape, got);
    VMAFGPU_FUZZ_REQUIRE(!first.empty() && first.size() == second.size());
    VMAFGPU_FUZZ_REQUIRE(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)) ==
                         0);
    return 0;
}
