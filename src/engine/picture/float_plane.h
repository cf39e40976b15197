// SPDX-License-Identifier: BSD-2-Clause-Patent
// Planes of binary32 samples, and what libvmaf's float features do with them in plain loops:
// conversion, separable filters, resizing. For reference code, and for options that need no speed.
// No fast code: that is simd/float_tile-inl.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "picture/picture.h"

namespace vmafgpu {

struct FloatPlane {
    int width = 0, height = 0;
    std::vector<float> samples; ///< rows without padding

    FloatPlane() = default;
    FloatPlane(int columns, int rows)
        : width(columns), height(rows), samples(static_cast<size_t>(columns) * rows)
    {
    }
    float &at(int x, int y) { return samples[static_cast<size_t>(y) * width + x]; }
    float at(int x, int y) const { return samples[static_cast<size_t>(y) * width + x]; }
    /// Returns a view for other code, which is valid while this object exists.
    Plane view() const { return {samples.data(), static_cast<ptrdiff_t>(sizeof(float)) * width}; }
};

/// A plane that fast code reads: integer samples of some depth, or binary32 where depth is 0.
struct FloatSource {
    Plane plane;
    int width, height, depth;
};

/// Uninitialised memory for vectors.
class AlignedFloats {
public:
    explicit AlignedFloats(size_t count) : memory_(new char[count * sizeof(float) + kAlignment]) {}
    float *get() const
    {
        const auto address = reinterpret_cast<uintptr_t>(memory_.get());
        return reinterpret_cast<float *>(memory_.get() + (kAlignment - address % kAlignment));
    }

private:
    static constexpr size_t kAlignment = 64;
    std::unique_ptr<char[]> memory_;
};

/// A sample of 8 bits as the float features see it; more bits are divided down to that range.
inline float float_sample(int value, int depth)
{
    return static_cast<float>(value) / static_cast<float>(1 << (depth - 8)) - 128.0F;
}

FloatPlane to_float(const Plane &plane, int width, int height, int depth);

/// The taps applied down the columns, then along the rows, with reflection at the borders that does
/// not repeat the border's sample. Each sum starts at the first tap. `step`: 1, or 2 for the
/// even rows and columns only, floor(n / 2) of them.
FloatPlane filter_plane(const FloatPlane &plane, const std::vector<float> &taps, int step);

/// Sample by sample; of planes of one size.
FloatPlane multiply_planes(const FloatPlane &a, const FloatPlane &b);

enum class FloatResize { kNearest, kBilinear, kBicubic, kLanczos4 };
constexpr const char *kFloatResizeWords[] = {"nearest", "bilinear", "bicubic", "lanczos4", nullptr};

/// Source samples of each output sample along one axis, with their weights.
struct ResizeAxis {
    int taps = 0;
    std::vector<int> index;
    std::vector<float> weight;
};
ResizeAxis resize_axis(FloatResize method, int size, int resized);

/// Computes one output row of the resized plane.
void resize_row(const Plane &plane, FloatResize method, const ResizeAxis &columns,
                const ResizeAxis &rows, int y, float *to);
FloatPlane resize_plane(const FloatPlane &plane, FloatResize method, int width, int height);

/// A size times a factor, as libvmaf rounds it.
int resized_size(int size, double factor);

/// Normalised Gaussian of an odd length. libvmaf rounds to float after each step.
std::vector<float> gaussian_taps(int length, float deviation);
/// Returns the taps of a Gaussian whose deviation is a fifth of the length.
std::vector<float> gaussian_taps(int length);

} // namespace vmafgpu
