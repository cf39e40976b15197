// SPDX-License-Identifier: BSD-2-Clause-Patent
// See content.h.
#include "content.h"

#include <algorithm>
#include <cstring>

namespace vmafgpu {
namespace {

/// splitmix64's finisher over all coordinates: random access noise.
uint64_t noise(uint64_t seed, int x, int y, int frame, int salt)
{
    uint64_t v = seed + 0x9e3779b97f4a7c15u * (static_cast<uint64_t>(x) + 1);
    v ^= 0xbf58476d1ce4e5b9u * (static_cast<uint64_t>(y) + 1);
    v += 0x94d049bb133111ebu * (static_cast<uint64_t>(frame) * 16 + static_cast<uint64_t>(salt));
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
}

struct Point {
    int x, y, frame, plane;
};

struct Scale {
    int width, height;
    unsigned max;
    uint64_t seed;
};

unsigned clip(int64_t value, unsigned max)
{
    return static_cast<unsigned>(std::clamp<int64_t>(value, 0, max));
}

int64_t texture(const Point &p, const Scale &s)
{
    const int64_t u = p.x + 2 * p.frame;
    const int64_t v = p.y + p.frame;
    const auto triangle = [](int64_t a) {
        a %= 256;
        return a < 128 ? a : 255 - a;
    };
    const int64_t wave = triangle(5 * u + 3 * v) + triangle((u * u + 3 * v * v) >> 5);
    return wave * s.max / 256;
}

/// Slanted bands: levels d = 1 to 4 of ten bits apart, over most of the range; a few tiles
/// of noise, and blocks at random levels that make a window's levels spread.
unsigned bands(const Point &p, const Scale &s)
{
    const int64_t place = static_cast<int64_t>(3) * p.x + 2 * p.y + 5 * p.frame;
    const int64_t step = place / 40;
    int64_t level = 20 + (step + (step * step & 3)) % 600; // level of 10 bits
    const uint64_t tile = noise(s.seed, p.x / 24, p.y / 24, p.frame, p.plane);
    if ((tile & 7) == 0)
        level += static_cast<int64_t>(noise(s.seed, p.x, p.y, p.frame, p.plane) & 7);
    else if ((tile & 7) == 1)
        level = static_cast<int64_t>((tile >> 8) % 1024);
    return clip(level * (static_cast<int64_t>(s.max) + 1) / 1024, s.max);
}

unsigned reference_sample(Content content, const Point &p, const Scale &s)
{
    const uint64_t random = noise(s.seed, p.x, p.y, p.frame, p.plane);
    switch (content) {
    case Content::kNoise:
        return static_cast<unsigned>(random % (s.max + 1));
    case Content::kTexture:
        return clip(texture(p, s) + static_cast<int64_t>(random % (s.max / 16 + 1)), s.max);
    case Content::kFlat:
        return (s.max / 2 + static_cast<unsigned>(p.frame)) & s.max;
    case Content::kExtreme:
        return (random & 1) != 0 ? s.max : 0;
    case Content::kBands:
        return bands(p, s);
    case Content::kChecker:
        return ((p.x + p.y + p.frame) & 1) != 0 ? s.max : 0;
    default:
        return static_cast<unsigned>(static_cast<uint64_t>(p.x + p.y + p.frame) * s.max /
                                     static_cast<uint64_t>(s.width + s.height + p.frame));
    }
}

unsigned distorted_sample(Content content, const Point &p, const Scale &s)
{
    const unsigned reference = reference_sample(content, p, s);
    const uint64_t random = noise(s.seed, p.x, p.y, p.frame, p.plane + 8);
    switch (content) {
    case Content::kNoise:
        return (random & 3) != 0 ? reference : static_cast<unsigned>((random >> 8) % (s.max + 1));
    case Content::kTexture: {
        const Point right = {p.x + 1, p.y, p.frame, p.plane};
        const int64_t blurred = (reference + reference_sample(content, right, s)) / 2;
        return clip(blurred * 7 / 8 + static_cast<int64_t>(random % (s.max / 32 + 1)), s.max);
    }
    case Content::kFlat:
        return reference_sample(content, p, s) > 2 ? reference - 2 : reference;
    case Content::kExtreme:
        return p.x < s.width / 2 ? s.max - reference : reference;
    case Content::kBands: // wider steps
        return reference / 3 * 3;
    case Content::kChecker:
        return reference == 0 ? s.max / 8 : s.max - s.max / 8;
    default:
        return clip(static_cast<int64_t>(reference) + static_cast<int64_t>(random % 9) - 4, s.max);
    }
}

} // namespace

const char *content_name(Content content)
{
    static const char *const names[] = {"noise",   "texture", "flat", "extreme",
                                        "checker", "ramp",    "bands"};
    return names[static_cast<int>(content)];
}

TestPlane::TestPlane(const Format &format, int plane, bool is_flipped)
    : width_(format.plane_width(plane)), height_(format.plane_height(plane)),
      sample_bytes_(format.sample_bytes()),
      // An odd number of 16-byte units: neighbouring rows are aligned differently.
      pitch_((static_cast<ptrdiff_t>(width_) * sample_bytes_ / 16 | 1) * 16 + 16),
      memory_(static_cast<size_t>(pitch_) * static_cast<size_t>(height_), 0xa5)
{
    if (!is_flipped)
        return;
    top_ = pitch_ * (height_ - 1);
    pitch_ = -pitch_;
}

size_t TestPlane::at(int x, int y) const
{
    return static_cast<size_t>(top_ + pitch_ * y + static_cast<ptrdiff_t>(x) * sample_bytes_);
}

void TestPlane::set(int x, int y, unsigned sample)
{
    const auto word = static_cast<uint16_t>(sample);
    if (sample_bytes_ == 1)
        memory_[at(x, y)] = static_cast<unsigned char>(sample);
    else
        std::memcpy(&memory_[at(x, y)], &word, 2);
}

unsigned TestPlane::get(int x, int y) const
{
    uint16_t word = memory_[at(x, y)];
    if (sample_bytes_ == 2)
        std::memcpy(&word, &memory_[at(x, y)], 2);
    return word;
}

TestPair make_pair(const Format &format, Content content, int frame, uint64_t seed)
{
    TestPair pair;
    const int planes = format.chroma == Chroma::k400 ? 1 : 3;
    for (int plane = 0; plane < planes; ++plane) {
        TestPlane reference(format, plane, frame % 2 == 1);
        TestPlane distorted(format, plane, frame % 2 == 1);
        const Scale scale = {reference.width(), reference.height(), (1U << format.depth) - 1, seed};
        for (int y = 0; y < reference.height(); ++y) {
            for (int x = 0; x < reference.width(); ++x) {
                const Point point = {x, y, frame, plane};
                reference.set(x, y, reference_sample(content, point, scale));
                distorted.set(x, y, distorted_sample(content, point, scale));
            }
        }
        pair.reference.push_back(std::move(reference));
        pair.distorted.push_back(std::move(distorted));
    }
    return pair;
}

} // namespace vmafgpu
