# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The planted defects, with those of the files *_defects.py. Each is an exact replacement in the copied sources of one
unit; text that is not found exactly once fails the test. `emu32` and `emu64` say what
waves of that size must give: 'sums' differ, 'divergent' control flow, 'misuse' of a
word, 'crash', or 'pass' where the defect is invisible to that size. What is caught by
the words alone, without a feature, is in tests/device/test_defects.cpp.
"""
import glob
import importlib
import os

from defect import IMAGES, TABLES, Defect, defect

VIF = 'features/vif/vif_kernels.cpp'
TILE = 'features/vif/vif_kernels.cpp'
FILTER = 'features/vif/vif_kernels.cpp'
ADD = 'features/vif/vif_pixels.h'
SHARE = 'features/vif/vif.h'
ADM = 'features/adm/adm_kernels.cpp'
FAST = 'features/adm/adm_math.h'
ADM_MATH = 'features/adm/adm_math.h'
WAVELET = 'features/adm/adm_wavelet.h'
MOTION = 'features/motion/motion_kernels.cpp'
SPEED_CHROMA = 'features/speed_chroma/speed_chroma_kernels.cpp'
SPEED_CHROMA_MATRIX = 'features/speed_chroma/speed_chroma_matrix.h'
SPEED_CHROMA_MATH = 'features/speed_chroma/speed_chroma_math.h'
SPEED_CHROMA_RECORD = 'features/speed_chroma/speed_chroma_record.cpp'
REDUCE = 'simt/reduce.h'
QUAD = 'simt/quad.h'
BORDER = 'border == Border::kMirror ? mirror(i, n) : mirror_high_repeat(i, n);'
UNPACK = 'gpu/unpack_kernels.cpp'

VIF_CASE = 'vif/default/129x65/8bit/noise'
VIF_CASE10 = 'vif/default/129x65/10bit/noise'
ADM_CASE = 'adm/default/65x33/8bit/noise'
ADM_NARROW = 'adm/default/32x97/8bit/noise'
ADM_WIDE = 'adm/default/319x181/8bit/texture'
MOTION_CASE = 'motion/default/129x65/8bit/noise'
MOTION_OLD = 'motion/old/129x65/10bit/noise'

SPEED_CHROMA_CASE = 'speed_chroma/default/363x345/420/8bit/noise'
SPEED_CHROMA_WIDE = 'speed_chroma/default/1701x170/444/8bit/noise'
SPEED_CHROMA_BLOCKS = 'speed_chroma/default/644x725/444/10bit/noise'
SPEED_CHROMA_BICUBIC = 'speed_chroma/bicubic/261x250/420/12bit/noise'
SPEED_CHROMA_LANCZOS = 'speed_chroma/lanczos4/205x198/444/16bit/noise'

# Float sums in one order: most of these change that order or a rounding.
SPEED_CHROMA_DEFECTS = [
    defect('speed_chroma_low_pass_clamps_instead_of_mirror', 'speed_chroma', SPEED_CHROMA,
           'const int y = mirror(kStep * block_id_y() - half + u, args.resized_height);',
           'int y = kStep * block_id_y() - half + u;\n            y = y < 0 ? 0 : y;', SPEED_CHROMA_CASE),
    defect('speed_chroma_low_pass_half_a_sample_off', 'speed_chroma', SPEED_CHROMA,
           'mirror(kStep * first - half + t, args.resized_width)',
           'mirror(kStep * first - half + 1 + t, args.resized_width)', SPEED_CHROMA_CASE),
    defect('speed_chroma_no_barrier_between_passes', 'speed_chroma', SPEED_CHROMA,
           'columns[t] = sum;\n    }\n    barrier();', 'columns[t] = sum;\n    }', SPEED_CHROMA_CASE),
    defect('speed_chroma_samples_without_their_depth', 'speed_chroma', SPEED_CHROMA,
           '1.0f / static_cast<float>(1 << (args.depth - 8))', '1.0f', SPEED_CHROMA_BICUBIC),
    defect('speed_chroma_lanczos_not_divided', 'speed_chroma', SPEED_CHROMA,
           'return args.divides != 0 ? sum / weights : sum;', 'return sum;', SPEED_CHROMA_LANCZOS),
    defect('speed_chroma_mean_mirrors_at_the_used_part', 'speed_chroma', SPEED_CHROMA,
           'mirror(column - half + t, args.low_width)', 'mirror(column - half + t, used_width)', SPEED_CHROMA_CASE),
    defect('speed_chroma_no_barrier_after_storing_a_run', 'speed_chroma', SPEED_CHROMA,
           'samples.store(run);\n        barrier();', 'samples.store(run);', SPEED_CHROMA_CASE),
    defect('speed_chroma_covariance_in_float', 'speed_chroma', SPEED_CHROMA, '    double sum = 0;',
           '    float sum = 0;', SPEED_CHROMA_CASE),
    defect('speed_chroma_a_group_of_terms_added_twice', 'speed_chroma', SPEED_CHROMA,
           'make_terms(even, j + 2 * kRunGroup, term)', 'make_terms(even, j + kRunGroup, term)', SPEED_CHROMA_WIDE),
    defect('speed_chroma_no_barrier_after_centring', 'speed_chroma', SPEED_CHROMA,
           'means, centred);\n        barrier();', 'means, centred);', SPEED_CHROMA_CASE),
    defect('speed_chroma_no_barrier_before_the_next_run', 'speed_chroma', SPEED_CHROMA,
           'rest : kRunPlaces);\n        barrier();', 'rest : kRunPlaces);', SPEED_CHROMA_CASE),
    defect('speed_chroma_each_part_of_a_row_is_the_first', 'speed_chroma', SPEED_CHROMA, 'y * places.pitch + first;',
           'y * places.pitch;', SPEED_CHROMA_WIDE),
    defect('speed_chroma_reflection_to_the_wrong_side', 'speed_chroma', SPEED_CHROMA_MATRIX,
           'alpha >= 0 ? -length : length', 'alpha >= 0 ? length : -length', SPEED_CHROMA_CASE),
    defect('speed_chroma_no_barrier_before_the_update', 'speed_chroma', SPEED_CHROMA_MATRIX,
           'x[t] = raw[t] + kappa * v[t];\n    barrier();', 'x[t] = raw[t] + kappa * v[t];', SPEED_CHROMA_CASE),
    defect('speed_chroma_no_barrier_inside_a_reflection', 'speed_chroma', SPEED_CHROMA_MATRIX,
           'sums[part] = sum;\n    }\n    barrier();', 'sums[part] = sum;\n    }', SPEED_CHROMA_CASE),
    defect('speed_chroma_product_associated_otherwise', 'speed_chroma', SPEED_CHROMA_MATRIX, 'tau * a[t][c] * v[c]',
           'tau * (a[t][c] * v[c])', SPEED_CHROMA_CASE),
    defect('speed_chroma_small_elements_at_1e_5', 'speed_chroma', SPEED_CHROMA_MATH, 'kTiny = 1e-6',
           'kTiny = 1e-5', SPEED_CHROMA_CASE),
    defect('speed_chroma_rotation_in_float', 'speed_chroma', SPEED_CHROMA_MATH,
           '1.0 / square_root(static_cast<double>(1 + t * t))', '1 / square_root(1 + t * t)', SPEED_CHROMA_CASE),
    defect('speed_chroma_no_wilkinson_shift', 'speed_chroma', SPEED_CHROMA_MATH,
           'shift = last - t * (t / (delta + h));', 'shift = last;', SPEED_CHROMA_CASE),
    defect('speed_chroma_substitution_skips_a_term', 'speed_chroma', SPEED_CHROMA_MATRIX, 'if (m > i)',
           'if (m > i + 1)', SPEED_CHROMA_CASE),
    defect('speed_chroma_logarithm_of_too_few_digits', 'speed_chroma', SPEED_CHROMA_MATH, '2.8853900817779268',
           '2.8853', SPEED_CHROMA_CASE),
    defect('speed_chroma_entropy_without_the_noise', 'speed_chroma', SPEED_CHROMA, '* s + args.sigma,', '* s + 0.3f,',
           SPEED_CHROMA_CASE),
    defect('speed_chroma_blocks_beyond_the_first_launch_block', 'speed_chroma_record', SPEED_CHROMA_RECORD,
           'blocks_of(config.blocks(), kChainThreads)', '1', SPEED_CHROMA_BLOCKS),
    defect('speed_chroma_all_pairs_in_one_scratch', 'speed_chroma_record', SPEED_CHROMA_RECORD,
           'static_cast<int64_t>(batch.scratch_stride / sizeof(float))', '0', SPEED_CHROMA_CASE),
]

VIF_DEFECTS = [
    defect('reg06_vif_clamp_instead_of_mirror', 'vif', QUAD, BORDER, 'i;', VIF_CASE),
    defect('reg07_vif_mirror_repeats_the_border', 'vif', QUAD, BORDER, 'i < 0 ? -i - 1 : (i >= n ? 2 * n - 1 - i : i);',
           VIF_CASE),
    defect('reg07_vif_mirror_repeats_on_the_high_side', 'vif', QUAD, BORDER, 'mirror_high_repeat(i, n);', VIF_CASE10),
    defect('reg08_vif_half_width_of_this_scale_for_the_next', 'vif', TILE,
           'const int first = kHalf - kHalfWidth[kNext] + 2 * row;',
           'const int first = kHalf - kHalfWidth[scale] + 2 * row;', VIF_CASE10),
    defect('reg08_vif_half_width_in_rows_of_bytes', 'vif', TILE, 'both_means<1>(kHalf - kHalfWidth[1] + 2 * row)',
           'both_means<1>(kHalf - kHalfWidth[1] - 1 + 2 * row)', VIF_CASE),
    defect('reg08_vif_filter_without_outermost_tap', 'vif', FILTER, 'for (int t = 0; t < half; ++t)',
           'for (int t = 1; t < half; ++t)', VIF_CASE),
    defect('reg22_vif_no_half_before_the_shift', 'vif', FILTER,
           'low.template filter_at<scale>(first, 1u << (shift - 1))', 'low.template filter_at<scale>(first, 0)',
           VIF_CASE),
    defect('vif_no_barrier_after_loading', 'vif', VIF,
           'copy_logs(args.logs, thread_id(), kTileThreads, logs);\n' '    barrier();',
           'copy_logs(args.logs, thread_id(), kTileThreads, logs);', VIF_CASE),
    defect('vif_no_barrier_between_the_passes', 'vif', VIF,
           '    barrier();\n\n    if constexpr (scale + 1 < kScales)\n        write_next',
           '    if constexpr (scale + 1 < kScales)\n        write_next', VIF_CASE),
    defect('vif_no_barrier_before_the_last_sum', 'vif', VIF,
           'wave_sums[wave_id() * kSums + i] = parts[i];\n    }\n    barrier();',
           'wave_sums[wave_id() * kSums + i] = parts[i];\n    }', VIF_CASE),
    defect('reg32_vif_next_scale_not_written', 'vif', VIF, 'if (next_x + i < args.width / 2)',
           'if (plane == 0 && next_x + i < args.width / 2)', VIF_CASE),
    defect('reg32_vif_last_column_of_next_scale_not_written', 'vif', VIF, 'if (next_x + i < args.width / 2)',
           'if (next_x + i < args.width / 2 - 1)', VIF_CASE10,
           place='plane for scale 1, row 0, column 63'),
    defect('reg01_vif_sum_of_32_lanes', 'vif', REDUCE, 'int mask = wave_size() / 2;', 'int mask = 16;', VIF_CASE,
           emu32='pass'),
    defect('reg01_vif_sum_of_64_lanes', 'vif', REDUCE, 'int mask = wave_size() / 2;', 'int mask = 32;', VIF_CASE,
           emu32='misuse', emu64='pass'),
    defect('reg01_vif_sum_of_waves_of_64', 'vif', VIF, 'wave < kTileThreads / wave_size();', 'wave < kTileThreads / 64;',
           VIF_CASE, emu64='pass'),
    defect('reg01_vif_sum_of_waves_of_32', 'vif', VIF, 'wave < kTileThreads / wave_size();', 'wave < kTileThreads / 32;',
           VIF_CASE, emu32='pass'),
    Defect('reg03_vif_threads_beyond_the_edge_leave', 'vif',
           [(VIF, '        measure<scale>(args, moments,',
             '        if (x + thread_id() / kTileRows * kRun >= args.width)\n'
             '            return;\n'
             '        measure<scale>(args, moments,')], VIF_CASE, emu32='divergent', emu64='divergent'),
    defect('vif_rows_beyond_the_edge_counted', 'vif', VIF, 'has_pixels(pixels > 0 && y + row < args.height)',
           'has_pixels(pixels > 0)', VIF_CASE),
    defect('vif_no_barrier_between_turns', 'vif', VIF, '        store_columns(columns, buffer);\n        barrier();',
           '        store_columns(columns, buffer);', VIF_CASE),
    defect('reg31_vif_planes_of_smaller_scales_swapped', 'vif_record', 'features/vif/vif_record.cpp',
           'return {reference, reference + planes.plane_bytes, pitch, pitch};',
           'return {reference + planes.plane_bytes, reference, pitch, pitch};', VIF_CASE),
    defect('vif_pixels_that_are_left_to_doubles_are_forgotten', 'vif', ADD, 'add_rest(sigma, limits, logs, sums);',
           '', 'vif/gain1.2/129x65/8bit/noise'),
    defect('vif_the_last_of_the_pixels_left_is_taken_twice', 'vif', ADD, 'left ^= 1u << which;', 'left &= left - 1;',
           'vif/gain1.2/129x65/8bit/noise'),
    defect('vif_limit_of_1_is_no_limit_without_doubles', 'vif', SHARE, 'limits.is_not_one[i]) ? reference : signal',
           '~0u) ? reference : signal', 'vif/plain+neg/129x65/8bit/noise'),
    defect('vif_epsilon_is_forgotten_without_doubles', 'vif', SHARE, 'quotient - (is_whole ? 1 : 0)', 'quotient',
           'vif/default/129x65/8bit/extreme'),
]

ROW_SUM = 'sum += rounded_row(rows[static_cast<int64_t>(row) * kRowValues], shift, is_den);'
UNSHIFTED_ROW_SUM = ('sum += is_den ? round_shift(rows[static_cast<int64_t>(row) * kRowValues], '
                     'shift) : rows[static_cast<int64_t>(row) * kRowValues];')
ADM_END = '    if (job.masked.end > 0 && place.is_own && place.y >= args.top &&'
ADM_MASK = '        if (!job.masked.has(x - 1))\n            return;'
ADM_DEFECTS = [
    # Numerators' rows are shifted by the logarithm of the height, the others' not at all.
    Defect('reg04_adm_rounding_per_tile_not_per_row', 'adm',
           [(ADM, ADM_END,
             '    for (int g = 0; g < kGains; ++g)\n        for (int b = 0; b < 3; ++b) {\n'
             '            const int s = ceil_log2(static_cast<uint32_t>(args.height));\n'
             '            walk.sums.num[g][b] = round_shift(walk.sums.num[g][b], s);\n'
             '            walk.sums.aim[g][b] = round_shift(walk.sums.aim[g][b], s);\n'
             '        }\n' + ADM_END),
            (ADM, ROW_SUM, UNSHIFTED_ROW_SUM)], ADM_WIDE),
    Defect('reg04_adm_rows_rounded_after_all_are_added', 'adm',
           [(ADM, ROW_SUM, 'sum += rows[static_cast<int64_t>(row) * kRowValues];'),
            (ADM, '        out[scale * (kRowValues - 1) + value] = sum;',
             '        out[scale * (kRowValues - 1) + value] = round_shift(sum, shift);')],
           ADM_CASE),
    defect('adm_row_sums_shifted_as_unsigned', 'adm', ADM_MATH, 'return is_den ? round_shift(row, shift)',
           'return true ? round_shift(row, shift)', 'adm/signs-top/130x130/8bit/columns1'),
    defect('reg05_adm_only_the_last_tile_of_a_row_counts', 'adm', ADM, ADM_END,
           ADM_END.replace('(job', '(is_last && job'), ADM_WIDE),
    defect('reg18_adm_addend_65536', 'adm', FAST, '(65535 - tie)', '(65536 - tie)', 'adm/even/65x33/8bit/noise'),
    defect('adm_ties_of_negative_samples_as_of_positive_ones', 'adm', FAST,
           'const auto tie = static_cast<uint32_t>(negative);', 'const auto tie = static_cast<uint32_t>(negative & 0);',
           'adm/even/65x33/8bit/noise'),
    Defect('reg18_adm_addend_plus_half', 'adm',
           [(FAST, '(kThirtieth32 * y - kHalf)', '(kThirtieth32 * y + kHalf)'),
            (FAST, '(kFifteenth32 * y - kHalf)', '(kFifteenth32 * y + kHalf)')],
           ADM_CASE),
    defect('reg17_adm_centre_does_not_wrap', 'adm', FAST, 'wrap16((kFifteenth16 * y + 2048) >> 12)',
           'static_cast<int32_t>((kFifteenth16 * y + 2048) >> 12)', 'adm/default/129x65/8bit/extreme'),
    Defect('reg17_adm_vertical_wavelet_in_32_bits', 'adm',
           [(WAVELET, 'static_cast<int32_t>(half - static_cast<uint32_t>(kSum) * half)',
             'static_cast<int32_t>(half)'),
            (WAVELET, 'return {sums.low >> depth, sums.high >> depth};',
             'return {(sums.low >> depth) - kSum / 2, sums.high >> depth};')],
           'adm/default/65x33/16bit/noise'),
    defect('reg02_adm_sums_of_32_bits', 'adm', ADM, 'atomic_add(row + kRowNum + 3 * g + b, sums.num[g][b]);',
           'atomic_add(row + kRowNum + 3 * g + b, ' 'static_cast<uint64_t>(static_cast<uint32_t>(sums.num[g][b])));',
           ADM_CASE),
    Defect('reg02_adm_lost_carry', 'adm',
           [(ADM, 'sum += partial[i * kRowValues + value];',
             'sum = ((sum >> 32) + (partial[i * kRowValues + value] >> 32)) << 32 | '
             'static_cast<uint32_t>(sum + partial[i * kRowValues + value]);')], ADM_CASE),
    defect('reg03_adm_threads_beyond_the_edge_leave', 'adm', ADM, '    const Target target = target_of(args, place);\n',
           '    const Target target = target_of(args, place);\n' '    if (place.y >= args.height)\n        return;\n',
           ADM_CASE, emu32='divergent', emu64='divergent'),
    defect('reg03_adm_threads_outside_the_region_leave', 'adm', ADM, ADM_MASK,
           ADM_MASK.replace('(!job.masked.has(x - 1))', '(!job.masked.has(x - 1) || place.y < args.top)'), ADM_CASE,
           emu32='divergent', emu64='divergent'),
    defect('adm_rows_below_from_the_same_lane', 'adm', ADM, 'place.below = lane < last ? lane + 1 : last;',
           'place.below = lane;', ADM_CASE),
    defect('reg01_adm_rows_of_waves_of_32', 'adm', ADM, 'const int wave_rows = wave_size() - kHaloRows;',
           'const int wave_rows = 32 - kHaloRows;', ADM_WIDE, emu32='pass'),
    defect('reg01_adm_rows_of_waves_of_64', 'adm', ADM, 'const int wave_rows = wave_size() - kHaloRows;',
           'const int wave_rows = 64 - kHaloRows;', ADM_WIDE, emu64='pass'),
    defect('adm_no_barrier_before_the_last_sum', 'adm', ADM, ' = sum;\n    barrier();\n    if (residue',
           ' = sum;\n    if (residue', ADM_CASE),
    defect('reg07_adm_wavelet_does_not_repeat_the_last_column', 'adm', WAVELET, 'mirror_high_repeat(Stack<Sample>',
           'mirror(Stack<Sample>', ADM_CASE,
           place='adm_scale0_u8.*plane for scale 1, row \\d+, column 32'),
    defect('reg07_adm_wavelet_of_next_scale_does_not_repeat_the_last_column', 'adm', ADM, 'to[width] = to[width - 1];',
           'to[width] = to[width - 2];', ADM_CASE),
    defect('reg07_adm_wavelet_does_not_repeat_the_last_row', 'adm', WAVELET, 'mirror_high_repeat(2 * y', 'mirror(2 * y',
           ADM_CASE),
    defect('reg10_adm_narrow_input_takes_the_mirror_image', 'adm', ADM, 'walk.window[image][2] = walk.last[image];',
           ';', ADM_NARROW),
    defect('reg10_adm_narrow_front_from_the_same_picture', 'adm', WAVELET, '{last[0].high, last[1].low}',
           '{last[1].high, last[1].low}', ADM_NARROW),
    defect('reg09_adm_thresholds_beyond_the_last_row', 'adm', ADM,
           'place.down = place.y == args.height - 1 ? lane : place.below;', 'place.down = place.below;',
           'adm/default/33x47/8bit/noise'),
    defect('reg09_adm_thresholds_beyond_the_first_column', 'adm', ADM, 'x == 1 ? right :', 'x == 0 ? right :',
           'adm/default/33x47/8bit/noise'),
    defect('reg09_adm_region_one_row_short', 'adm', ADM, 'place.y < args.height - args.top)\n',
           'place.y < args.height - args.top - 1)\n', ADM_CASE,
           place='rows \\d+ to \\d+, columns'),
    Defect('reg33_adm_row_sums_not_cleared', 'adm_record',
           [('features/adm/adm_record.cpp',
             '    queue.launch(kClear, clear_grid(words),\n'
             '                 {reinterpret_cast<uint64_t *>(batch.shared_scratch), words});\n',
             '    static_cast<void>(words);\n')], ADM_CASE),
]

MOTION_DEFECTS = [
    defect('reg07_motion_mirror_repeats_the_border', 'motion', QUAD, '? mirror(i, n) :', '? mirror_high_repeat(i, n) :',
           MOTION_CASE),
    defect('reg07_motion_old_rule_does_not_repeat_the_border', 'motion', QUAD, ': mirror_high_repeat(i, n);',
           ': mirror(i, n);', MOTION_OLD),
    defect('motion_left_column_from_the_wrong_lane', 'motion', MOTION, 'lane == 0 ? 0 : lane - 1;', 'lane;',
           MOTION_CASE),
    defect('reg01_motion_right_column_within_32_lanes', 'motion', MOTION, 'lane == wave_size() - 1 ? lane : lane + 1;',
           'lane & 32 ? lane : lane + 1;', MOTION_CASE, emu32='misuse'),
    defect('reg15_motion_pitch_in_samples', 'motion', QUAD, 'plane.pitch * source_index<border>',
           'plane.pitch / static_cast<int64_t>(sizeof(Sample)) * source_index<border>', MOTION_OLD),
    defect('motion_rows_beyond_the_edge_counted', 'motion', MOTION, 'i < place.columns && row + second < place.rows ?',
           'i < place.columns ?', MOTION_CASE),
    defect('reg03_motion_threads_beyond_the_edge_leave', 'motion', MOTION, '    Window<Sample> window = {};',
           '    if (place.columns <= 0)\n        return;\n    Window<Sample> window = {};', MOTION_CASE,
           emu32='divergent', emu64='divergent'),
    defect('reg01_motion_waves_of_32_in_a_block', 'motion', REDUCE, 'int waves = block_threads() / wave_size();',
           'int waves = block_threads() / 32;', MOTION_CASE, emu32='pass'),
    defect('reg01_motion_waves_of_64_in_a_block', 'motion', REDUCE, 'int waves = block_threads() / wave_size();',
           'int waves = block_threads() / 64;', MOTION_CASE, emu64='pass'),
    defect('motion_no_barrier_before_the_last_sum', 'motion', REDUCE, 'wave_sums[wave_id()] = of_wave;\n    barrier();',
           'wave_sums[wave_id()] = of_wave;', MOTION_CASE),
    Defect('motion_difference_rounded_as_a_size', 'motion',
           [(MOTION, 'vertical[i] = window.filter(second, i, depth);',
             'vertical[i] = window.filter(second, i, depth) +\n'
             '                              (window.filter(second, i, depth) < 0 ? 1 : 0);')],
           MOTION_CASE),
    defect('reg36_motion_first_frame_not_skipped', 'motion_record', 'features/motion/motion_record.cpp',
           'if (earlier.data == nullptr)', 'if (false)', MOTION_CASE, emu32='crash', emu64='crash'),
]

PICTURES = 'Devices/Images.ScoresOfEveryLayout/emu32'
UNPACK_DEFECTS = [
    defect('reg19_unpack_16_bytes_not_shifted', 'unpack', UNPACK, '(word >> plane.shift) & word_mask',
           'word & word_mask', PICTURES, program=IMAGES),
    defect('reg19_unpack_shift_lets_the_other_half_in', 'unpack', UNPACK, '(word >> plane.shift) & word_mask',
           'word >> plane.shift', PICTURES, program=IMAGES),
    defect('reg20_unpack_not_promoted', 'unpack', UNPACK, ' << plane.promote;', ';', PICTURES, program=IMAGES),
    defect('reg14_unpack_own_pitch_for_the_source', 'unpack', UNPACK, 'plane.from_pitch * row', 'plane.to_pitch * row',
           PICTURES, program=IMAGES),
    defect('reg51_unpack_step_ignored', 'unpack', UNPACK, 'static_cast<int64_t>(x) * plane.step',
           'static_cast<int64_t>(x) * plane.from_bytes', PICTURES, program=IMAGES),
    Defect('unpack_rest_of_the_row_left_out', 'unpack',
           [(UNPACK, 'const int run = plane.is_plain != 0 ? 16 / plane.from_bytes : 1;',
             'const int run = plane.is_plain != 0 ? 16 / plane.from_bytes : 1;\n'
             '        if (plane.is_plain != 0 && (item + 1) * run > plane.width)\n'
             '            return;')], PICTURES, program=IMAGES),
    defect('sketch_of_three_rows', 'unpack', UNPACK, 'y < 4; ++y, row', 'y < 3; ++y, row', 'engine/sketch/17x17/8bit/'),
    defect('sketch_late', 'unpack', UNPACK, '(args.width - 4)', '(args.width - 3)', 'engine/sketch/319x181/10bit/'),
]

CAMBI = 'features/cambi/cambi_kernels.cpp'
CAMBI_PREPARE = 'features/cambi/cambi_prepare.h'
CAMBI_SELECT = 'features/cambi/cambi_kernels.cpp'
CAMBI_RECORD = 'features/cambi/cambi_record.cpp'
CAMBI_TABLES = 'features/cambi/cambi_tables.h'
# Counts that are wrong may index anything.
WILD = ('sums|bounds', 'sums|bounds')
CAMBI_CASE = 'cambi/default/216x60/8bit/bands'
# Results of a race or of garbage in so small a picture depend on the heap, and may be right.
CAMBI_LARGER = 'cambi/default/319x181/10bit/bands'
CAMBI_HALVED = 'cambi/halved/1920x1080/8bit/bands'
CAMBI_TOP = 'cambi/third/225x130/10bit/bands'
CAMBI_TIES = 'cambi/ties0.02/257x131/10bit/halves'
CAMBI_DEFECTS = [
    defect('cambi_mask_window_of_six_rows', 'cambi', CAMBI_PREPARE, 'flat[(i + 1) % kPrepareHalo]',
           'flat[(i + 2) % kPrepareHalo]', CAMBI_CASE,
           place='cambi_prepare_u8'),
    defect('cambi_filter_without_the_right', 'cambi', CAMBI_PREPARE, 'row.odd[0] + next_even(row, 0)', '2 * row.odd[0]',
           CAMBI_CASE),
    defect('cambi_filter_rounds', 'cambi', CAMBI_PREPARE, '(a + b) >> 2 & 0x3fff3fff',
           '(a + b + 0x10001) >> 2 & 0x3fff3fff', 'cambi/filtered/223x70/10bit/bands'),
    defect('cambi_right_border_not_repeated', 'cambi', CAMBI_PREPARE, '0x7777 : 0x7676', '0x3210 : 0x3210',
           CAMBI_HALVED),
    defect('cambi_flat_rows_above_the_picture', 'cambi', CAMBI_PREPARE, 'first(top > 0 ? top : 0)', 'first(top)',
           CAMBI_CASE),
    defect('cambi_halved_to_odd_rows', 'cambi', CAMBI_PREPARE, '(kHalved && i % 2 != 0)', '(kHalved && i % 2 == 0)',
           CAMBI_HALVED),
    defect('cambi_flat_without_the_lower', 'cambi', CAMBI_PREPARE, '(own ^ right) | (own ^ lower)', 'own ^ right',
           'cambi/default/319x181/10bit/bands'),
    defect('cambi_mode_of_the_row_before_last', 'cambi', CAMBI_PREPARE, 'above = own;\n', '', CAMBI_CASE),
    defect('cambi_mode_beyond_the_last_column', 'cambi', CAMBI_PREPARE,
           'right(clamp_index(x + kModeThreadColumns, width) * args.step)', 'right((x + kModeThreadColumns) * args.step)',
           CAMBI_HALVED),
    defect('cambi_mode_of_three_different', 'cambi', CAMBI_PREPARE, 'lesser < c ? lesser : c', 'lesser', CAMBI_CASE),
    defect('cambi_first_row_filtered', 'cambi', CAMBI_PREPARE, 'y == 0 || y + 1 == args.height', 'y + 1 == args.height',
           CAMBI_CASE,
           place='cambi_mode, distorted plane for scale 0, row 0'),
    defect('cambi_largest_distance_left_out', 'cambi', CAMBI, 'd <= 4; ++d', 'd < 4; ++d',
           'cambi/four100+4/216x60/10bit/halves'),
    defect('cambi_first_distance_left_out', 'cambi', CAMBI, 'contrast(args, column, kFirst)',
           'contrast(args, column, kFirst % 4 + 1)', 'cambi/four100+1/216x60/10bit/halves'),
    defect('cambi_eight_sees_a_sample_early', 'cambi', CAMBI, 'second = s >= 7', 'second = s >= 6', CAMBI_CASE),
    defect('cambi_four_sees_a_sample_late', 'cambi', CAMBI, 'second >> 16, unit * 0x01000000)',
           'second >> 16, unit * 0)', CAMBI_CASE),
    defect('cambi_rows_leave_late', 'cambi', CAMBI, 'const int left = row + 2 - window;',
           'const int left = row + 1 - window;', CAMBI_CASE),
    defect('cambi_window_of_one_pixel', 'cambi', CAMBI, 'if (args.radius == 0)', 'if (args.radius < 0)',
           'cambi/window20/227x151/8bit/bands'),
    defect('cambi_weight_of_one_distance', 'cambi', CAMBI_TABLES, '8, 8, 8, 8, 8, 8, 9,', '8, 8, 8, 8, 8, 9, 9,',
           'cambi/distance22/216x60/10bit/halves'),
    defect('cambi_counts_not_cleared', 'cambi', CAMBI, 'counts[i] = 0;', 'counts[i] = counts[i];', CAMBI_LARGER, *WILD),
    defect('cambi_no_barrier_before_reading', 'cambi', CAMBI,
           'update_counts(counts, rows, units, radius);\n        barrier();',
           'update_counts(counts, rows, units, radius);', CAMBI_LARGER, *WILD),
    defect('cambi_no_barrier_before_updating', 'cambi', CAMBI,
           'task.image[task.index(x, y + 1)] : 0xffff;\n        }\n        barrier();',
           'task.image[task.index(x, y + 1)] : 0xffff;\n        }', CAMBI_LARGER, *WILD),
    defect('cambi_ties_counted_once_more', 'cambi', CAMBI, 'top_count - kth.larger)', 'top_count - kth.larger + 1)',
           CAMBI_TIES),
    defect('cambi_larger_digits_left_out', 'cambi', CAMBI, 'units = totals.larger + block_sum', 'units = block_sum',
           CAMBI_TOP),
    defect('cambi_digit_after_the_right_one', 'cambi', CAMBI_SELECT, 'larger + own[i] < k)', 'larger + own[i] < k / 2)',
           CAMBI_TOP),
    defect('cambi_digits_of_all_values', 'cambi', CAMBI_SELECT, '(shift + kDigitBits) == digits',
           '(shift + kDigitBits) >= digits', CAMBI_TOP),
    defect('cambi_digits_of_the_first_part', 'cambi', CAMBI_SELECT,
           '(block_id_x() - scale.first_block) * kDigitsPart',
           '(scale.first_block - scale.first_block) * kDigitsPart', CAMBI_TIES),
    defect('cambi_no_barrier_before_adding_copies', 'cambi', CAMBI_SELECT, '});\n    barrier();', '});', CAMBI_TOP,
           *WILD),
    defect('cambi_half_of_the_totals_not_cleared', 'cambi', CAMBI_PREPARE, '(scratch)[i] = 0;',
           '(scratch)[i] = i < kWords / 2 ? 0 : 1;', CAMBI_TOP),
    defect('cambi_full_ref_of_the_distorted', 'cambi_record', CAMBI_RECORD,
           'picture == 0 ? pair.distorted[0] : pair.reference[0]', 'pair.distorted[0]',
           'cambi/fullref/241x67/8bit/bands'),
    defect('cambi_scales_not_halved', 'cambi_record', CAMBI_RECORD, 'args.step = scale == 0 ? 1 : 2;', 'args.step = 1;',
           CAMBI_CASE),
    defect('cambi_batch_in_one_scratch', 'cambi_record', CAMBI_RECORD,
           'args.to = static_cast<int64_t>(layout.prepared);',
           'args.to = static_cast<int64_t>(layout.prepared);\n    args.scratch_stride = 0;', CAMBI_CASE),
]

TABLE_DEFECTS = [
    defect('tables_cambi_weight', 'other_tables', CAMBI_TABLES, '8, 8, 8, 8, 8, 8, 9,', '8, 8, 8, 8, 8, 9, 9,',
           'CambiTables.ContrastWeights', program=TABLES),
    defect('tables_cambi_reciprocal', 'other_tables', CAMBI_TABLES, '{504,  510,', '{504,  511,',
           'CambiTables.Reciprocals', program=TABLES),
    defect('tables_speed_chroma_kernel_scale', 'other_tables', 'features/speed_chroma/speed_chroma_tables.h', '1.4746F',
           '1.4764F', 'SpeedChromaTables.Kernels', program=TABLES),
    defect('tables_psnr_hvs_sensitivity', 'other_tables', 'features/psnr_hvs/psnr_hvs_tables.h', '0.295774038565F',
           '0.295774083565F', 'PsnrHvsTables.Sensitivity', program=TABLES),
    defect('tables_float_ansnr_middle', 'other_tables', 'features/float_ansnr/float_ansnr_tables.h', 'tap(127)',
           'tap(128)', 'FloatAnsnrTables.Filters', program=TABLES),
    defect('tables_float_adm_reciprocal', 'float_tables', 'features/float_adm/float_adm_tables.h', '2456, 2436, 2416',
           '2456, 2435, 2416', 'FloatTables.ReciprocalsOfAmd', program=TABLES),
    defect('tables_float_adm_watson', 'float_tables', 'features/float_adm/float_adm_tables.h', '{0.22727F, 0.28688F}',
           '{0.22772F, 0.28688F}', 'FloatTables.Watson', program=TABLES),
    defect('tables_float_vif_kernel_scale', 'float_tables', 'features/float_vif/float_vif_tables.h', '1.4746F',
           '1.4764F', 'FloatTables.KernelScales', program=TABLES),
    defect('tables_float_vif_logarithm', 'float_tables', 'features/float_vif/float_vif_tables.h', '0.257167726303123F',
           '0.257167762303123F', 'FloatTables.Logarithm', program=TABLES),
    defect('tables_float_motion_blur', 'float_tables', 'features/float_motion/float_motion_tables.h', '0.402619947F',
           '0.402619974F', 'FloatTables.Blurs', program=TABLES),
    defect('tables_vif_tap', 'luma_tables', 'features/vif/vif_tables.h', '{1244, 3663, 7925,', '{1244, 3663, 7926,',
           'VifTables.TapsAreGaussians', program=TABLES),
    defect('tables_adm_wavelet_tap', 'luma_tables', 'features/adm/adm_tables.h', '{15826, 27411, 7345, -4240}',
           '{15826, 27411, 7345, -4241}', 'AdmTables.WaveletTapsAreDaubechies', program=TABLES),
    defect('tables_adm_blend', 'luma_tables', 'features/adm/adm_tables.h', '{.000092F, .004212F', '{.000029F, .004212F',
           'AdmTables.Blends', program=TABLES),
]

DEFECTS = (VIF_DEFECTS + ADM_DEFECTS + MOTION_DEFECTS + SPEED_CHROMA_DEFECTS + CAMBI_DEFECTS + UNPACK_DEFECTS +
           TABLE_DEFECTS)
for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), '*_defects.py'))):
    DEFECTS += importlib.import_module(os.path.basename(path)[:-3]).DEFECTS
