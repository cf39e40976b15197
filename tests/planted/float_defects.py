# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of float_adm, float_motion and float_vif: of their code for the CPU, since they
run on the host. Those of their tables are in defects.py.
"""
from defect import Defect, defect

FLOAT_TILE = 'simd/float_tile-inl.h'
FLOAT_ADM = 'features/float_adm/float_adm_simd-inl.h'
FLOAT_BANDS = 'features/float_adm/float_adm_bands-inl.h'
FLOAT_MOTION = 'features/float_motion/float_motion_simd-inl.h'
FLOAT_VIF = 'features/float_vif/float_vif_simd-inl.h'
FLOAT_ADM_CASE = 'float_adm/plain+neg/319x181/8bit/texture'
FLOAT_ADM_WIDE = 'float_adm/plain+neg/257x33/8bit/noise'
FLOAT_ADM_SMALL = 'float_adm/plain+neg/17x17/8bit/noise'
FLOAT_MOTION_CASE = 'float_motion/default/319x181/8bit/texture'
FLOAT_VIF_CASE = 'float_vif/default/319x181/8bit/texture'
FLOAT_VIF_NOISE = 'float_vif/default/129x65/10bit/noise'

# Host features: their code for the CPU. Most of these change an order or a rounding.
DEFECTS = [
    defect('float_motion_sums_begin_anew_in_each_tile', 'float_motion_cpu', FLOAT_MOTION,
           'VF32 sum = hn::Load(d, work.sums + y);', 'VF32 sum = hn::Zero(d);', FLOAT_MOTION_CASE),
    defect('float_motion_taps_from_the_last', 'float_motion_cpu', FLOAT_TILE,
           'const float *at = from + static_cast<size_t>(step * i + k) * stride;',
           'const float *at = from + static_cast<size_t>(step * i + length - 1 - k) * stride;', FLOAT_MOTION_CASE),
    defect('float_motion_repeats_the_border', 'float_motion_cpu', FLOAT_MOTION,
           'kTilePitch,\n                               false};',
           'kTilePitch,\n                               true};', FLOAT_MOTION_CASE),
    defect('float_motion_depth_not_divided', 'float_motion_cpu', FLOAT_TILE,
           '1.0F / static_cast<float>(1 << (depth - 8))', '1.0F', 'float_motion/default/129x65/10bit/noise'),
    defect('float_vif_log_lacks_a_term', 'float_vif_cpu', FLOAT_VIF, 'i < kLogTerms; ++i',
           'i < kLogTerms - 1; ++i', FLOAT_VIF_CASE),
    defect('float_vif_quotient_in_float', 'float_vif_cpu', FLOAT_VIF,
           'return round_to_float(hn::Add(one, low), hn::Add(one, high));',
           'const VF32 q = round_to_float(low, high);\n' '    return hn::Add(hn::Set(DF32(), 1.0F), q);',
           FLOAT_VIF_CASE),
    defect('float_vif_flat_pixels_keep_their_logarithm', 'float_vif_cpu', FLOAT_VIF,
           'den = hn::IfThenElse(is_noise, one, den);', '', 'float_vif/default/319x181/8bit/flat'),
    defect('float_vif_negative_gain_kept', 'float_vif_cpu', FLOAT_VIF, 'gain = hn::IfThenZeroElse(is_inverse, gain);',
           '', FLOAT_VIF_NOISE),
    defect('float_vif_gain_not_limited', 'float_vif_cpu', FLOAT_VIF, 'gain = hn::Min(gain, numbers.gain_limit);', '',
           'float_vif/neg/129x65/10bit/noise'),
    defect('float_vif_halved_columns_one_off', 'float_vif_cpu', FLOAT_VIF, 'columns + 2 * x * kStripRows + y',
           'columns + (2 * x + 1) * kStripRows + y', FLOAT_VIF_CASE),
    defect('float_vif_old_filter_for_the_next_scale', 'float_vif_cpu', 'features/float_vif/float_vif_cpu.cpp',
           'halve(level, config.taps[scale], memory', 'halve(level, config.taps[scale - 1], memory', FLOAT_VIF_CASE),
    defect('float_vif_rows_of_the_last_strip', 'float_vif_cpu', FLOAT_TILE,
           'const int at = HWY_MIN(area.y0 + i, area.last);', 'const int at = HWY_MIN(area.y0 + i, area.last - 1);',
           FLOAT_VIF_CASE),
    defect('float_adm_neighbour_weight_in_float', 'float_adm_cpu', FLOAT_BANDS,
           'const VF64 weight = hn::Set(DF64(), kNeighbourWeight);',
           'const VF64 weight = hn::Set(DF64(), static_cast<float>(kNeighbourWeight));', FLOAT_ADM_CASE),
    Defect('float_adm_left_neighbour_added_later', 'float_adm_cpu',
           [(FLOAT_ADM, 'sum = hn::Add(sum, hn::LoadU(d, part + 1));', ''),
            (FLOAT_ADM, 'sum = hn::Add(sum, hn::LoadU(d, right + 1));',
             'sum = hn::Add(hn::Add(sum, hn::LoadU(d, right + 1)), hn::LoadU(d, part + 1));')],
           FLOAT_ADM_CASE),
    defect('float_adm_no_newton_step', 'float_adm_cpu', FLOAT_BANDS, 'hn::Add(first, hn::Mul(first, error))', 'first',
           FLOAT_ADM_CASE),
    defect('float_adm_angle_not_tested', 'float_adm_cpu', FLOAT_BANDS, 'hn::Ge(hn::Mul(product, product), least)',
           'hn::Ge(product, hn::Zero(d))', FLOAT_ADM_CASE),
    defect('float_adm_negative_samples_not_enhanced', 'float_adm_cpu', FLOAT_BANDS,
           'restored = hn::IfThenElse(is_negative, hn::Max(enhanced, t.of[i]), ' 'restored);', '', FLOAT_ADM_CASE),
    defect('float_adm_gain_rounded_to_float', 'float_adm_cpu', FLOAT_BANDS, 'if (static_cast<double>(narrow) == limit)',
           'if (narrow > 0)', 'float_adm/gain1.2/319x181/8bit/texture'),
    defect('float_adm_column_after_the_band', 'float_adm_cpu', FLOAT_ADM, 'if (tile.last == band.width)',
           'if (tile.end == band.width)', FLOAT_ADM_WIDE),
    defect('float_adm_row_above_the_band_is_zero', 'float_adm_cpu', FLOAT_ADM, 'part[0] = part[2];', '',
           FLOAT_ADM_SMALL),
    defect('float_adm_row_below_the_band_is_zero', 'float_adm_cpu', FLOAT_ADM, 'part[1] = part[0];', '',
           FLOAT_ADM_SMALL),
    defect('float_adm_wavelet_does_not_repeat_the_border', 'float_adm_cpu', FLOAT_BANDS,
           'kTilePitch,\n                           true};', 'kTilePitch,\n                           false};',
           FLOAT_ADM_CASE),
    defect('float_adm_region_one_column_off', 'float_adm_cpu', FLOAT_ADM, 'HWY_MIN(tile.last, band.right)',
           'HWY_MIN(tile.last, band.right - 1)', FLOAT_ADM_CASE),
    defect('float_adm_wrong_table_entry', 'float_adm_cpu', FLOAT_BANDS, 'hn::Set(d, kReciprocals - 1)',
           'hn::Set(d, kReciprocals - 4)', 'float_adm/intel/319x181/8bit/texture'),
]
