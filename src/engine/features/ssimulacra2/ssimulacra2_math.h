// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arithmetic of ssimulacra2 that reference code and kernels share: colour, the filter's steps, the
// terms of a pixel. Each operation is rounded in the type that is written; multiply_add() rounds
// once. A subject of its own: it knows single values, and neither planes nor memory.
#pragma once

#include "features/ssimulacra2/ssimulacra2_tables.h"
#include "simt/simt.h"

namespace vmafgpu::ssimulacra2 {

/// How samples become R'G'B'. Y'CbCr has chroma in units of 1/2048 sample, less its middle.
struct Colour {
    float luma_offset, luma_factor;
    float red_cr, green_cb, green_cr, blue_cb;
    int is_rgb; ///< the planes are G, B, R: luma_factor alone is used
};
/// The unit of a chroma plane that is brought to the luma's size.
constexpr int kChromaUnit = 2048;

SIMT_HOST_DEVICE inline float clip(float v)
{
    return v < 0 ? 0 : (v > 1 ? 1 : v);
}

/// p / q, rounded as IEEE 754 says, for the polynomials of the curve. The estimate of 1 / q may be
/// wrong by one unit in the last place; a unit test tries all arguments of the curve with each.
SIMT_HOST_DEVICE inline float exact_quotient(float p, float q, float estimate)
{
    const float reciprocal = multiply_add(estimate, multiply_add(-q, estimate, 1.0F), estimate);
    const float quotient = p * reciprocal;
    return multiply_add(multiply_add(-q, quotient, p), reciprocal, quotient);
}

struct Curve {
    float p = kCurveP[4], q = kCurveQ[4];

    SIMT_HOST_DEVICE explicit Curve(float x)
    {
        SIMT_UNROLL
        for (int i = 3; i >= 0; --i) {
            p = multiply_add(p, x, kCurveP[i]);
            q = multiply_add(q, x, kCurveQ[i]);
        }
    }
};

/// Converts to linear light without a branch, so that devices compute neighbours at the same time.
SIMT_HOST_DEVICE inline float linear_light_of(float x)
{
    const Curve curve(x);
    const float bent = exact_quotient(curve.p, curve.q, reciprocal_estimate(curve.q));
    return x > kCurveFrom ? bent : x * kCurveLine;
}

/// A chroma plane's value for the pixel (x, y), in units of 1/2048 sample: a cubic, left in its
/// pair of columns and in the middle of its pair of rows. at(x, y) is the sample of a place that is
/// inside.
template <typename At> SIMT_HOST_DEVICE inline int
chroma_sample(bool is_half_x, bool is_half_y, int width, int height, int x, int y, const At &at)
{
    const auto limited = [](int i, int n) {
        return i < 0 ? 0 : (i < n ? i : n - 1);
    };
    const auto column = [&](int i) {
        const int cx = limited(i, width);
        if (!is_half_y)
            return 128 * at(cx, y);
        const int first = (y + 1) / 2 - 2;
        const auto row = [&](int k) {
            return at(cx, limited(first + k, height));
        };
        return y % 2 != 0 ? 111 * row(1) - 9 * row(0) + 29 * row(2) - 3 * row(3)
                          : 111 * row(2) - 9 * row(3) + 29 * row(1) - 3 * row(0);
    };
    if (!is_half_x)
        return 16 * column(x);
    const int own = column(x / 2); // lanes with even and odd x load it together
    if (x % 2 == 0)
        return 16 * own;
    return 9 * (own + column(x / 2 + 1)) - column(x / 2 - 1) - column(x / 2 + 2);
}

struct Rgb {
    float r, g, b;
};

/// Linear light of a pixel. cb and cr: see Colour.
SIMT_HOST_DEVICE inline Rgb linear_yuv(const Colour &colour, int luma, int cb, int cr)
{
    const float y = (static_cast<float>(luma) - colour.luma_offset) * colour.luma_factor;
    const float u = static_cast<float>(cb) * (1.0F / kChromaUnit);
    const float v = static_cast<float>(cr) * (1.0F / kChromaUnit);
    const float r = multiply_add(colour.red_cr, v, y);
    const float g = multiply_add(colour.green_cb, u, multiply_add(colour.green_cr, v, y));
    const float b = multiply_add(colour.blue_cb, u, y);
    return {linear_light_of(clip(r)), linear_light_of(clip(g)), linear_light_of(clip(b))};
}

SIMT_HOST_DEVICE inline Rgb linear_rgb(const Colour &colour, int r, int g, int b)
{
    return {linear_light_of(static_cast<float>(r) * colour.luma_factor),
            linear_light_of(static_cast<float>(g) * colour.luma_factor),
            linear_light_of(static_cast<float>(b) * colour.luma_factor)};
}

/// The cube root of x less that of the bias; x is at least the bias.
SIMT_HOST_DEVICE inline float root_of(float x)
{
    constexpr float kThird = 1.0F / 3;
    constexpr float kFourThirds = 4.0F / 3;
    float r = float_of_bits(0x54800000u - (bits_of_float(x) >> 23) * 0x2aaaaau);
    const float third = kThird * x;
    SIMT_UNROLL
    for (int i = 0; i < 3; ++i) {
        const float square = r * r;
        r = multiply_add(-third, square * square, kFourThirds * r);
    }
    const float square = r * r;
    r = multiply_add(kThird, multiply_add(-x, square * square, r), r);
    return multiply_add(r * r, x, -kBiasRoot);
}

SIMT_HOST_DEVICE inline float receptor_of(const Rgb &pixel, int i)
{
    const float *mix = kMix[i];
    return root_of(multiply_add(
        mix[0], pixel.r, multiply_add(mix[1], pixel.g, multiply_add(mix[2], pixel.b, kBias))));
}

/// The three planes that are compared. No receptor is negative: neither are light and factors.
struct Xyb {
    float plane[kPlanes];
};
SIMT_HOST_DEVICE inline Xyb xyb_of(const Rgb &pixel)
{
    const float l = receptor_of(pixel, 0);
    const float m = receptor_of(pixel, 1);
    const float s = receptor_of(pixel, 2);
    const float x = 0.5F * (l - m);
    const float y = 0.5F * (l + m);
    return {{x * 14.0F + 0.42F, y + 0.01F, (s - y) + 0.55F}};
}

/// A quarter of the pixels: the upper two, then the lower two.
SIMT_HOST_DEVICE inline float quarter_of(float a, float b, float c, float d)
{
    return (((a + b) + c) + d) * 0.25F;
}

/// The two outputs before of each section.
struct State {
    float last[kSections] = {}, before[kSections] = {};

    SIMT_HOST_DEVICE void push(int section, float output)
    {
        before[section] = last[section];
        last[section] = output;
    }
    SIMT_HOST_DEVICE float sum() const { return last[0] + (last[1] + last[2]); }
};

/// An output down a column.
SIMT_HOST_DEVICE inline float filter_down(State &state, float in)
{
    SIMT_UNROLL
    for (int k = 0; k < kSections; ++k)
        state.push(k, multiply_add(kIn[k][0], in,
                                   multiply_add(kBack[k][0], state.last[k], -state.before[k])));
    return state.sum();
}

/// An output along a row, made alone.
SIMT_HOST_DEVICE inline float filter_along(State &state, float in)
{
    SIMT_UNROLL
    for (int k = 0; k < kSections; ++k)
        state.push(k, multiply_add(kBack[k][0], state.last[k], kIn[k][0] * in - state.before[k]));
    return state.sum();
}

/// Four outputs along a row, each made of those before the block.
SIMT_HOST_DEVICE inline void filter_block(State &state, const float *in, float *out)
{
    float made[kBlock][kSections];
    SIMT_UNROLL
    for (int k = 0; k < kSections; ++k) {
        SIMT_UNROLL
        for (int j = 0; j < kBlock; ++j) {
            float v = kIn[k][j] * in[0];
            SIMT_UNROLL
            for (int q = 1; q <= j; ++q)
                v = multiply_add(kIn[k][j - q], in[q], v);
            v = j == 0 ? v - state.before[k] : multiply_add(-kBack[k][j - 1], state.before[k], v);
            made[j][k] = multiply_add(kBack[k][j], state.last[k], v);
        }
        state.last[k] = made[kBlock - 1][k];
        state.before[k] = made[kBlock - 2][k];
    }
    SIMT_UNROLL
    for (int j = 0; j < kBlock; ++j)
        out[j] = made[j][0] + (made[j][1] + made[j][2]);
}

/// Blurred values of a pixel: of both pictures, of their squares and of their product.
struct Moments {
    float mean1, mean2, square1, square2, product;
};

/// The structural similarity, without its term of contrast.
SIMT_HOST_DEVICE inline float similarity_of(const Moments &m)
{
    const float difference = m.mean1 - m.mean2;
    const float means = 1.0F - difference * difference;
    const float shared = 2.0F * (m.product - m.mean1 * m.mean2) + 0.0009F;
    const float own = ((m.square1 - m.mean1 * m.mean1) + (m.square2 - m.mean2 * m.mean2)) + 0.0009F;
    return means * shared / own;
}

/// How much structure is lost, from the similarity; not below 0.
SIMT_HOST_DEVICE inline double loss_of(float similarity)
{
    const double loss = 1.0 - static_cast<double>(similarity);
    return loss > 0 ? loss : 0;
}

/// Edges, from how far the samples of both pictures are from their means: more than 0 where the
/// distorted picture has more detail, less than 0 where it has less.
SIMT_HOST_DEVICE inline double edges_of(float distance1, float distance2)
{
    return divide(1.0 + static_cast<double>(distance2), 1.0 + static_cast<double>(distance1)) - 1.0;
}

/// Values that a pixel adds to the sums of the maps.
struct Terms {
    double map[kMaps];
};
SIMT_HOST_DEVICE inline Terms pixel_terms(float similarity, float distance1, float distance2)
{
    const double edges = edges_of(distance1, distance2);
    return {{loss_of(similarity), edges > 0 ? edges : 0, edges < 0 ? -edges : 0}};
}

} // namespace vmafgpu::ssimulacra2
