// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "float_adm": loss of detail and added impairment at four scales, equal to libvmaf's
// in binary32. registry.h lists kFeature; the rest is for the files of this folder and
// for tests. No device code: it runs on the host.
#pragma once

#include <string>

#include "features/kit/forms.h"
#include "picture/float_plane.h"

namespace vmafgpu::float_adm {

extern const FeatureInfo kFeature;

constexpr int kScales = 4;
constexpr int kOrientations = 3; ///< horizontal, vertical, diagonal

/// The Sums of a pair: sums of powers, by scale and orientation.
struct Sums {
    float den[kScales][kOrientations];
    float num[kScales][kOrientations];
    float aim[kScales][kOrientations]; ///< sums of the added impairment
};

/// Bands of a scale, and the part of them that is summed.
struct Band {
    int width, height;
    int left, top, right, bottom;
    float factor[kOrientations]; ///< contrast sensitivity
};

// float_adm_reciprocal.cpp: approximate reciprocals. float_adm_tables.h has their numbers.

/// Order of float_adm_rcp's words.
enum class ReciprocalMaker { kHost, kAmd, kIntel };

constexpr int kReciprocalBits = 12;
constexpr int kReciprocals = 1 << kReciprocalBits;

/// Bits of the reciprocals of numbers from 1 to 2, by the upper bits of their mantissa.
struct ReciprocalTable {
    uint32_t bits[kReciprocals];
    bool is_hosts; ///< this processor's instruction gives the same
};

/// The table; nullptr for this processor's if it has no such instruction. libvmaf then divides.
const ReciprocalTable *reciprocal_table(ReciprocalMaker maker);

/// x * approximate_reciprocal(x) is near 1; x is normal, and below 2^126 in size.
float approximate_reciprocal(const ReciprocalTable &table, float x);

/// Returns a line for the log that says what divides.
std::string reciprocal_line(ReciprocalMaker maker);

/// What one Feature object computes.
struct Config {
    Format format;
    Band band[kScales];
    double gain_limit = 100.0;              ///< adm_enhn_gain_limit
    float power = 3.0F;                     ///< adm_p_norm
    bool bypasses_masking = false;          ///< adm_bypass_cm
    bool skip_scale0 = false;               ///< its sums stay 0
    const ReciprocalTable *table = nullptr; ///< none: true divisions
};

struct Forms {
    /// float_adm_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// float_adm_cpu.cpp: the same numbers, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
};

/// Rows of bands in a tile: those of a strip, and one above and below for masking.
constexpr int kTileRows = 64;
constexpr int kStripRows = kTileRows - 2;

/// Sums of a row: denominator, numerator, added impairment, each of three orientations.
constexpr int kRowSums = 3 * kOrientations;

/// Rows first .. last - 1 of the bands of a scale. float_adm_simd-inl.h does the work.
struct Strip {
    FloatSource picture[2]; ///< reference, distorted
    const Config *config;
    const Band *band;
    int first, last;
    bool only_approximation; ///< no sums
    float *approximation[2]; ///< the next scale's pictures; null at the last scale
    size_t pitch;            ///< distance of rows in samples; whole vectors are written
    float *row_sums;         ///< [kRowSums][height of the band]; the strip's replaced
};

} // namespace vmafgpu::float_adm
