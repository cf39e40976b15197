// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures for check: deterministic from a seed, chosen to reach the corners of
// the arithmetic. The published test clips are in tests/golden.
#pragma once

#include <cstdint>
#include <vector>

#include "base/picture.h"

namespace vmafgpu {

/// kBands: flat steps of one to a few levels, some with noise; for cambi.
enum class Content { kNoise, kTexture, kFlat, kExtreme, kChecker, kRamp, kBands };

/// What every feature meets.
constexpr Content kAllContents[] = {Content::kNoise,   Content::kTexture, Content::kFlat,
                                    Content::kExtreme, Content::kChecker, Content::kRamp};

const char *content_name(Content content);

/// Samples of one plane, rows of 16-bit words or bytes, with padding beyond
/// the width that no correct reader touches.
class TestPlane {
public:
    TestPlane(const Format &format, int plane);

    Plane plane() const { return {memory_.data(), pitch_}; }
    void set(int x, int y, unsigned sample);
    unsigned get(int x, int y) const;
    int width() const { return width_; }
    int height() const { return height_; }
    const unsigned char *data() const { return memory_.data(); }
    ptrdiff_t pitch() const { return pitch_; }
    size_t bytes() const { return memory_.size(); }

private:
    int width_, height_, sample_bytes_;
    ptrdiff_t pitch_;
    std::vector<unsigned char> memory_;
};

/// One frame of a generated clip: reference and distorted luma, and chroma if
/// the format has it.
struct TestPair {
    std::vector<TestPlane> reference, distorted;
};

TestPair make_pair(const Format &format, Content content, int frame, uint64_t seed);

} // namespace vmafgpu
