// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "adm", libvmaf's integer ADM: what an object computes per pair (Sums), the layout for
// a picture size (Config), the forms, and what they share. Formulas per sample: adm_math.h.
// Reference code: adm_ref.cpp. CPU code: adm_cpu.cpp. docs/numerics/adm.md explains the arithmetic
// and has a table of libvmaf's names.
#pragma once

#include "features/kit/forms.h"

namespace vmafgpu::adm {

extern const FeatureInfo kFeature;

constexpr int kScales = 4;
/// Orientations of the detail bands, in this order everywhere: horizontal (high-pass
/// vertically, low-pass horizontally), vertical, diagonal.
constexpr int kOrientations = 3;
/// Enhancement gain limits that one object computes in one pass.
constexpr int kMaxGains = 2;
constexpr int kMinSize = 17;
/// Up to this height libvmaf's result is not defined: takes_no_mirror().
constexpr int kUndefinedHeight = 32;

struct ScaleSums {
    int64_t num[kMaxGains][kOrientations]; ///< restored part, masked by the additive one
    uint64_t den[kOrientations];           ///< reference
    int64_t aim[kMaxGains][kOrientations]; ///< additive part, masked by the restored one
};

/// The Sums of a pair. The bytes are equal on every backend; unused members (second gain,
/// skipped parts) are 0.
struct Sums {
    ScaleSums scale[kScales];
};

/// One scale of one picture size. All shifts are rounding shifts.
struct Scale {
    int width, height; ///< size of the bands at this scale
    bool is_narrow;    ///< takes_no_mirror()
    /// The region that counts: columns [left, width - left), rows [top, height - top).
    int left, top;
    uint32_t multiplier[kOrientations]; ///< contrast sensitivity, fixed point
    int num_cube_shift[kOrientations];  ///< right shift of the cube of one sample
    int num_row_shift;                  ///< right shift of a complete row sum
    int den_cube_shift;
    int den_row_shift;
};

/// What one object computes; plain data, shared by all backends.
struct Config {
    Format format;
    Scale scale[kScales];
    int gains;                    ///< 1 or 2
    double gain_limit[kMaxGains]; ///< adm_enhn_gain_limit
    bool skip_scale0;             ///< scale 0 only feeds scale 1
    bool skip_aim;                ///< no aim sums
};

/// The options that determine the factors, with libvmaf's defaults.
struct CsfOptions {
    double view_distance = 3.0; ///< adm_norm_view_dist, in picture heights
    int display_height = 1080;  ///< adm_ref_display_height, in lines
    int mode = 0;               ///< adm_csf_mode: 0 Watson, 1 Barten, 2 and 3 tabulated
    double scale = 1.0;         ///< adm_csf_scale, mode 1 only
    double diag_scale = 1.0;    ///< adm_csf_diag_scale, mode 1 only
};

/// Index of both: [scale][0 = horizontal and vertical, 1 = diagonal].
struct Csf {
    float factor[4][2];        ///< real factors, used by the denominator
    uint32_t multiplier[4][2]; ///< `factor` in fixed point, used per pixel
    bool exceeds;              ///< a multiplier has lost its upper bits; mode 1 only
};

/// Throws Error(EINVAL), naming the options, where libvmaf refuses them too, and where libvmaf
/// would take an error code for a factor.
Csf csf_of(const CsfOptions &options);

/// Fills in sizes, regions and shifts. The caller sets gains and skip flags.
Config config_of(const Format &format, const Csf &csf);

struct Forms {
    /// adm_ref.cpp: the oracle. adm_ref.h has its stages. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// adm_cpu.cpp: the same Sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// adm_record.cpp: the same Sums on a device.
    static size_t device_scratch(const Config &config);
    static size_t shared_scratch(const Config &config);
    static void record(const Config &config, Queue &queue, const BatchView &batch);
};

/// Outputs of a variant, in the order of FeatureInfo::outputs.
enum Column {
    kAdm2,
    kAim,
    kAdm3,
    kScale0, ///< first of four, up to scale 3
    kScore = kScale0 + kScales,
    kNum,
    kDen,
    kNumScale0, ///< num and den of each scale, interleaved
    kOutputs = kNumScale0 + 2 * kScales
};

// The tasks of the CPU form. adm_row-inl.h and adm_simd-inl.h do the work.

constexpr int kMaxStrips = 16;

/// Samples between rows of an approximation plane.
inline ptrdiff_t plane_pitch(int width)
{
    return (width + 31) / 32 * 32;
}

/// One signal (restored or additive part) after the contrast sensitivity function.
struct WeightedRow {
    int32_t *contrast[kOrientations];
    int32_t *f;      ///< sum over all orientations
    int32_t *centre; ///< likewise
};

/// Row buffers of one strip.
struct StripRows {
    int16_t *first[2][2];                  ///< scale 0: [picture][low, high], vertically filtered
    int32_t *next[2][2][2];                ///< scales 1 to 3: [picture][low, high][column % 2]
    WeightedRow weighted[kMaxGains][2][3]; ///< [gain][restored, additive][row % 3]
    int32_t *columns;
};

/// One strip of one scale: band rows [begin, end).
struct StripTask {
    const Config *config;
    int scale;
    const PairView *pair; ///< scale 0 only
    const void *input[2]; ///< scale 1: int16_t, 2 and 3: int32_t; plane_pitch()
    int input_width, input_height;
    void *approximation[2]; ///< int16_t at scale 0, then int32_t; null at the last scale
    int begin, end;
    const StripRows *rows;
    ScaleSums *sums; ///< overwritten
};

// What the kernels get.
//
// One kernel per scale does the wavelet, decoupling, contrast sensitivity and contrast masking. It
// writes only the approximation band, which is the next scale's input, and row sums. A lane owns a
// row of the bands and walks to the right, so that its row sums stay in registers. Rows are rounded
// when they are complete: a second kernel turns row sums into Sums.

/// Values summed per row, in the order of ScaleSums: num[2][3], den[3], aim[2][3], and one
/// unused. These constants are their first indices:
constexpr int kRowNum = 0;
constexpr int kRowDen = 6;
constexpr int kRowAim = 9;
constexpr int kRowValues = 16;

constexpr unsigned kThreads = 64;
/// Halo: a wave's first row and last two rows are inputs only.
constexpr int kHaloRows = 3;
/// Fewest rows of a block: two waves of 32.
constexpr int kBlockRows = 2 * (32 - kHaloRows);

/// Band samples that one step to the right produces. It reads twice as many input columns, at
/// most 16 bytes of a row.
constexpr int kStepSamples[4] = {4, 4, 2, 2};

/// Samples in front of a row's first one: an approximation is stored together with the columns
/// beyond the edges that the next scale's wavelet reads.
constexpr int kMargin = 1;

struct ScaleArgs {
    /// Reference and distorted input of each pair. Scale 0: the picture, rows aligned to 16 bytes.
    /// Then: the previous scale's approximation, beginning with the margin; 16-bit samples after
    /// scale 0, 32-bit samples after that.
    struct {
        const void *data;
        int64_t pitch; ///< bytes
    } input[kMaxBatch][2];
    int32_t input_width, input_height;
    int32_t depth; ///< bit depth of the picture; scale 0 only

    char *approximation; ///< low-pass bands of pair 0, reference then distorted; null at scale 3
    int64_t approximation_stride; ///< bytes from pair to pair
    int64_t distorted_offset;     ///< bytes from reference to distorted
    int64_t approximation_pitch;  ///< bytes

    int32_t first_row;              ///< first band row of the blocks with y = 0
    int32_t first_step, steps, run; ///< first step and steps of a row; steps per block
    int32_t width, height;          ///< size of the bands
    int32_t left, top;              ///< region that counts
    uint32_t multiplier[3];
    int32_t num_cube_shift[3];
    int64_t num_cube_half[3];
    int32_t den_cube_shift;
    int32_t is_narrow; ///< takes_no_mirror()
    int32_t wraps;     ///< weighted samples may overflow their integer
    int32_t skip_aim;
    int32_t skip_sums; ///< only the approximation is needed
    double gain_limit[2];
    int32_t whole_gain_limit[2]; ///< gain_limit as integer; 0 if it is fractional

    uint64_t *rows;      ///< row sums of pair 0; kRowValues per row, zeroed
    int64_t rows_stride; ///< values from pair to pair
};

struct RowsArgs {
    const uint64_t *rows; ///< row sums of pair 0, all scales one after the other
    int64_t rows_stride;
    int32_t first_row[4], row_count[4];
    int32_t num_row_shift[4], den_row_shift[4];
    char *sums; ///< Sums of pair 0
    int64_t sums_stride;
};

// Index: number of gain limits, minus 1.
constexpr Kernel<ScaleArgs> kScale0U8[2] = {{"adm_scale0_u8_plain", kThreads},
                                            {"adm_scale0_u8_both", kThreads}};
constexpr Kernel<ScaleArgs> kScale0U16[2] = {{"adm_scale0_u16_plain", kThreads},
                                             {"adm_scale0_u16_both", kThreads}};
constexpr Kernel<ScaleArgs> kScaleNext[3][2] = {
    {{"adm_scale1_plain", kThreads}, {"adm_scale1_both", kThreads}},
    {{"adm_scale2_plain", kThreads}, {"adm_scale2_both", kThreads}},
    {{"adm_scale3_plain", kThreads}, {"adm_scale3_both", kThreads}}};
constexpr int kRowsThreads = 1024;
constexpr Kernel<RowsArgs> kSumRows = {"adm_rows", kRowsThreads};

} // namespace vmafgpu::adm
