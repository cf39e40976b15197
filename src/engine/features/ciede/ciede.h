// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ciede", equal to libvmaf's: the mean colour difference CIEDE2000 of a pair in
// decibels. registry.h lists kFeature; the rest is for the files of this folder and for tests.
// Device compilers read it, so it uses no host library.
#pragma once

#include "features/kit/forms.h"
#include "simt/elementary.h"
#include "simt/simt.h"

namespace vmafgpu::ciede {

extern const FeatureInfo kFeature;

/// The Sums of a pair: the differences of all pixels, added up as doubles in raster order.
struct Sums {
    double difference;
};

/// A pixel's colour as libvmaf rounds it.
struct Lab {
    float l, a, b;
};

/// A pixel's linear light.
struct Light {
    double rgb[3];
};

/// Where a row of pixels finds its chroma. libvmaf halves the wrong direction in 4:2:2, and reads
/// beyond a row's end there and in the last column of an odd width: docs/numerics/classic.md.
struct ChromaMemory {
    Chroma layout;
    int width, height; ///< size of the chroma planes
    int pitch;         ///< samples from row to row in libvmaf's memory
};
ChromaMemory chroma_of(const Format &format);

/// The sample that libvmaf takes for element `index` of the memory of a chroma plane.
template <typename Sample>
float chroma_sample(const ChromaMemory &chroma, const Plane &plane, int64_t index)
{
    const int64_t row = index / chroma.pitch;
    const auto column = static_cast<int>(index % chroma.pitch);
    if (column >= chroma.width || row >= chroma.height)
        return 0;
    return plane_row<Sample>(plane, static_cast<int>(row))[column];
}

/// Element of a chroma plane's memory for the pixel (x, y).
inline int64_t chroma_index(const ChromaMemory &chroma, int x, int y)
{
    if (chroma.layout == Chroma::k444)
        return static_cast<int64_t>(y) * chroma.pitch + x;
    const int column = chroma.layout == Chroma::k420 ? x / 2 : x;
    return static_cast<int64_t>(y / 2) * chroma.pitch + column;
}

struct Forms {
    /// ciede_ref.cpp: the oracle.
    static void reference(const Format &format, const PairView &pair, Sums &sums);
    /// ciede_cpu.cpp: the same sum, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Format &format);
    static void compute(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// ciede_record.cpp: the same sum on a device.
    static size_t device_scratch(const Format &format);
    static size_t device_tables(const Format &format);
    static void fill_tables(const Format &format, void *host);
    static void record(const Format &format, Queue &queue, const BatchView &batch);
};

/// ciede_ref.cpp: the colour of one pixel, and the difference of two.
Lab lab_of_pixel(int depth, float y, float u, float v);
float difference_of(const Lab &reference, const Lab &distorted);

/// Red and blue light of all pairs of a luma and a chroma sample of 8 bits: a third of the powers
/// of a pixel.
struct LightTables {
    double red[256][256], blue[256][256];
};
/// ciede_ref.cpp. The first call makes them.
const LightTables &light_tables();

// Constants of the formulas, which are in docs/numerics/classic.md.
constexpr double kPi = 3.14159265358979323846;
/// Linear light to X, Y, Z.
SIMT_TABLE double kXyz[3][3] = {{0.4124564390896921, 0.357576077643909, 0.18043748326639894},
                                {0.21267285140562248, 0.715152155287818, 0.07217499330655958},
                                {0.019333895582329317, 0.119192025881303, 0.9503040785363677}};
constexpr double kWhiteX = 1 / 0.95047;
constexpr double kWhiteZ = 1 / 1.08883;
constexpr double kCube = 216.0 / 24389; ///< above it the lightness is a cube root
constexpr double kSlope = 24389.0 / 27;
constexpr double kPower7 = 6103515625; ///< 25 to the power of 7
constexpr float kPower7Float = 6103515648.0F;

/// How samples become numbers around 0 and 1.
struct Scale {
    double black, luma, gray, chroma;
};
inline Scale scale_of(int depth)
{
    const double unit = 1 << (depth - 8);
    return {16 * unit, 1 / (219 * unit), 128 * unit, 1 / (224 * unit)};
}

/// The formulas that reference code and kernels share. Where libvmaf mixes float and double, a
/// conversion stands here: each is a rounding. Math has the elementary functions; power7(x) is
/// powf(x, 7).
template <class Math> struct Formulas {
    Math math;

    template <typename T> SIMT_DEVICE static T size_of(T value)
    {
        return value < 0 ? -value : value;
    }

    SIMT_DEVICE double linear_light(double value) const
    {
        return value > 10.0 / 255 ? math.power((value + 0.055) * (1 / 1.055), 2.4)
                                  : value * (1 / 12.92);
    }

    SIMT_DEVICE float lab_part(double value) const
    {
        if (value > kCube)
            return static_cast<float>(math.power(value, 1.0 / 3));
        return static_cast<float>((kSlope * value + 16) * (1.0 / 116));
    }

    SIMT_DEVICE static double square(double value) { return value * value; }

    SIMT_DEVICE static float root_of_squares(float a, float b)
    {
        return static_cast<float>(square_root(square(a) + square(b)));
    }

    SIMT_DEVICE float hue_of(float b, float a) const
    {
        if (b == 0 && a == 0)
            return 0;
        const auto hue = static_cast<float>(math.angle(b, a));
        return hue < 0 ? static_cast<float>(hue + 2 * kPi) : hue;
    }

    /// Returns the hue's way from the first to the second, in the shorter direction.
    SIMT_DEVICE static float hue_difference(float first, float second)
    {
        const float difference = second - first;
        if (static_cast<double>(size_of(first - second)) <= kPi)
            return difference;
        return static_cast<float>(second <= first ? difference + 2 * kPi : difference - 2 * kPi);
    }

    SIMT_DEVICE static float mean_hue(float first, float second)
    {
        const float sum = first + second;
        if (static_cast<double>(size_of(first - second)) > kPi)
            return static_cast<float>((sum + 2 * kPi) / 2);
        return sum / 2;
    }

    /// How the weight of hue depends on the mean hue.
    SIMT_DEVICE float hue_weight(float hue) const
    {
        const double h = hue;
        return static_cast<float>(1 - 0.17 * math.cosine(h - kPi / 6) + 0.24 * math.cosine(2 * h) +
                                  0.32 * math.cosine(3 * h + kPi / 30) -
                                  0.20 * math.cosine(4 * h - 7 * kPi / 20));
    }

    /// The term that turns blue, without its chroma and hue.
    SIMT_DEVICE float rotation(float chroma, float hue) const
    {
        const auto degrees = static_cast<float>(static_cast<double>(hue) * (180 / kPi));
        const auto distance = static_cast<float>((static_cast<double>(degrees) - 275) * (1.0 / 25));
        const auto angle =
            static_cast<float>(60 * math.exponential(-static_cast<double>(distance * distance)));
        const auto radians = static_cast<float>(static_cast<double>(angle) * (kPi / 180));
        const float power = math.power7(chroma);
        const float root = power / (power + kPower7Float);
        return static_cast<float>(-2 * square_root(static_cast<double>(root)) *
                                  math.sine(static_cast<double>(radians)));
    }

    SIMT_DEVICE static double luma_signal(const Scale &scale, float y)
    {
        return (static_cast<double>(y) - scale.black) * scale.luma;
    }
    SIMT_DEVICE static double chroma_signal(const Scale &scale, float sample)
    {
        return (static_cast<double>(sample) - scale.gray) * scale.chroma;
    }
    SIMT_DEVICE double red_light(const Scale &scale, float y, float v) const
    {
        return linear_light(luma_signal(scale, y) + 1.28033 * chroma_signal(scale, v));
    }
    SIMT_DEVICE double green_light(const Scale &scale, float y, float u, float v) const
    {
        return linear_light((luma_signal(scale, y) - 0.21482 * chroma_signal(scale, u)) -
                            0.38059 * chroma_signal(scale, v));
    }
    SIMT_DEVICE double blue_light(const Scale &scale, float y, float u) const
    {
        return linear_light(luma_signal(scale, y) + 2.12798 * chroma_signal(scale, u));
    }

    SIMT_DEVICE Lab lab_of_pixel(const Scale &scale, float y, float u, float v) const
    {
        return lab_of_light(
            {{red_light(scale, y, v), green_light(scale, y, u, v), blue_light(scale, y, u)}});
    }

    SIMT_DEVICE Lab lab_of_light(const Light &light) const
    {
        const double(&rgb)[3] = light.rgb;
        double xyz[3];
        SIMT_UNROLL
        for (int i = 0; i < 3; ++i)
            xyz[i] = rgb[0] * kXyz[i][0] + rgb[1] * kXyz[i][1] + rgb[2] * kXyz[i][2];
        const double parts[3] = {lab_part(xyz[0] * kWhiteX), lab_part(xyz[1]),
                                 lab_part(xyz[2] * kWhiteZ)};
        return {static_cast<float>(116 * parts[1] - 16),
                static_cast<float>(500 * (parts[0] - parts[1])),
                static_cast<float>(200 * (parts[1] - parts[2]))};
    }

    SIMT_DEVICE float difference_of(const Lab &reference, const Lab &distorted) const
    {
        const float lightness = distorted.l - reference.l;
        const float chroma1 = root_of_squares(reference.a, reference.b);
        const float chroma2 = root_of_squares(distorted.a, distorted.b);
        const double power = math.power(static_cast<double>((chroma1 + chroma2) / 2), 7);
        const double gray = 1 - square_root(power / (power + kPower7));
        const auto a1 =
            static_cast<float>(reference.a + static_cast<double>(reference.a / 2) * gray);
        const auto a2 =
            static_cast<float>(distorted.a + static_cast<double>(distorted.a / 2) * gray);
        const float prime1 = root_of_squares(a1, reference.b);
        const float prime2 = root_of_squares(a2, distorted.b);
        const float mean_prime = (prime1 + prime2) / 2;
        const float prime = prime2 - prime1;
        const double middle = square((reference.l + distorted.l) / 2 - 50);
        const auto weight_l = static_cast<float>(1 + 0.015 * middle / square_root(20 + middle));
        const auto weight_c = static_cast<float>(1 + 0.045 * static_cast<double>(mean_prime));
        const float hue1 = hue_of(reference.b, a1);
        const float hue2 = hue_of(distorted.b, a2);
        const float turn = chroma1 == 0 || chroma2 == 0 ? 0 : hue_difference(hue1, hue2);
        const double length = 2 * square_root(static_cast<double>(prime1 * prime2));
        const auto hue = static_cast<float>(length * math.sine(static_cast<double>(turn) / 2));
        const float between = mean_hue(hue1, hue2);
        const auto weight_h = static_cast<float>(1 + 0.015 * static_cast<double>(mean_prime) *
                                                         static_cast<double>(hue_weight(between)));
        const float l = lightness / (0.65F * weight_l);
        const float c = prime / weight_c;
        const float h = hue / (4 * weight_h);
        const float turned = rotation(mean_prime, between) * c * h;
        return static_cast<float>(
            square_root(square(l) + square(c) + square(h) + static_cast<double>(turned)));
    }
};

/// Rows are padded to a multiple of it.
constexpr int kPad = 16;

/// One row of pixels.
struct Row {
    const float *samples[2][3]; ///< reference, distorted; Y, Cb, Cr for each pixel; padded
    const LightTables *light;   ///< null: samples have more than 8 bits
    int depth;
    int width;
    float *difference; ///< result; padded
};

/// One launch covers a batch.
struct Args {
    struct Pair {
        const void *planes[2][3]; ///< reference, distorted
        int32_t pitches[2][3];    ///< bytes
    } pairs[kMaxBatch];
    ElementaryConstants constants;
    Scale scale;
    const ElementaryTables *tables;
    const LightTables *light; ///< tables for samples of 8 bits
    float *differences;       ///< differences of the pixels of the first pair, in raster order
    int64_t differences_stride;
    char *sums; ///< Sums of the first pair
    int64_t sums_stride;
    ChromaMemory chroma;
    int32_t width, height;
};

constexpr int kThreads = 128;
constexpr int kSumThreads = 256;
/// Block (x, y) takes kThreads pixels of row y, block z a pair. Samples are bytes or words.
constexpr Kernel<Args> kPixelsU8 = {"ciede_pixels_u8", kThreads};
constexpr Kernel<Args> kPixelsU16 = {"ciede_pixels_u16", kThreads};
constexpr Kernel<Args> kSum = {"ciede_sum", kSumThreads}; ///< block z takes pair z

} // namespace vmafgpu::ciede
