// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures for check: deterministic from a seed, chosen to reach the corners of
// the arithmetic. The published test clips are in tests/golden.
#pragma once

#include <cstdint>
#include <vector>

#include "picture/picture.h"

namespace vmafgpu {

/// kBands: flat steps of one to a few levels, some with noise; for cambi.
enum class Content { kNoise, kTexture, kFlat, kExtreme, kChecker, kRamp, kBands };

/// Contents that every feature is tested with.
constexpr Content kAllContents[] = {Content::kNoise,   Content::kTexture, Content::kFlat,
                                    Content::kExtreme, Content::kChecker, Content::kRamp};

const char *content_name(Content content);

/// Samples of one plane, rows of 16-bit words or bytes, with padding beyond
/// the width that no correct reader touches. The bottom row may be the first in memory.
class TestPlane {
public:
    TestPlane(const Format &format, int plane, bool is_flipped = false);

    Plane plane() const { return {data(), pitch_}; }
    void set(int x, int y, unsigned sample);
    unsigned get(int x, int y) const;
    int width() const { return width_; }
    int height() const { return height_; }
    const unsigned char *data() const { return memory_.data() + top_; } ///< the top row
    ptrdiff_t pitch() const { return pitch_; }

private:
    size_t at(int x, int y) const;

    int width_, height_, sample_bytes_;
    ptrdiff_t pitch_, top_ = 0;
    std::vector<unsigned char> memory_;
};

/// A frame of a generated clip: reference and distorted luma, and chroma if the format has it.
struct TestPair {
    std::vector<TestPlane> reference, distorted;
};

TestPair make_pair(const Format &format, Content content, int frame, uint64_t seed);

} // namespace vmafgpu
