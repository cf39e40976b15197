# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of float_ssim and float_ms_ssim; defects.py collects them and says what the
fields mean."""
from defect import TABLES, Defect, defect

# A sum that a kernel leaves open would be computed by the host; check counts it as a failure.
OPEN = ('sums|open', 'sums|open')
WILD = ('sums|open|bounds', 'sums|open|bounds')
SSIM = 'features/ssim/ssim_kernels.cpp'
SSIM_SUM = 'features/ssim/ssim_sum.h'
SSIM_MATH = 'features/ssim/ssim.h'
SSIM_TABLES = 'features/ssim/ssim.h'
SSIM_RECORD = 'features/ssim/ssim_record.cpp'
SSIM_CASE = 'ssim/full/75x27/8bit/noise'
SSIM_TALL = 'ssim/full/17x160/10bit/noise'
SSIM_WIDE = 'ssim/full/301x39/8bit/noise'
SSIM_BOX = 'ssim/box7/161x127/12bit/noise'
SSIM_EVEN_BOX = 'ssim/box2/153x61/8bit/noise'
SSIM_PYRAMID = 'ssim/pyramid/199x181/10bit/noise'

SSIM_DEFECTS = [
    defect('ssim_products_not_rounded', 'ssim', SSIM, 'products[k] = static_cast<double>(v * kGaussian[k]);',
           'products[k] = static_cast<double>(v) * kGaussian[k];', SSIM_PYRAMID, *OPEN),
    Defect('ssim_blur_in_float', 'ssim',
           [(SSIM, 'double sums[kRun];', 'float sums[kRun];'),
            (SSIM, 'double products[kReach / 2 + 1];', 'float products[kReach / 2 + 1];'),
            (SSIM, 'products[k] = static_cast<double>(v * kGaussian[k]);',
             'products[k] = v * kGaussian[k];')],
           SSIM_PYRAMID, *OPEN),
    defect('ssim_sign_of_a_product_lost', 'ssim', SSIM, 'fields & ~UINT64_C(0x7000000000000000)',
           'fields & ~UINT64_C(0xf000000000000000)', SSIM_PYRAMID, *OPEN),
    defect('ssim_weights_all_positive', 'ssim', SSIM, 'weight < 0 ? sum - scaled<false>',
           'weight < 0 ? sum + scaled<false>', SSIM_PYRAMID, *OPEN),
    defect('ssim_no_barrier_after_loading', 'ssim', SSIM, 'y + kReach, input);\n        barrier();',
           'y + kReach, input);', SSIM_CASE, *OPEN),
    defect('ssim_no_barrier_between_passes', 'ssim', SSIM, 'blur_rows(input, rows);\n        barrier();',
           'blur_rows(input, rows);', SSIM_CASE, *OPEN),
    defect('ssim_no_barrier_before_the_terms', 'ssim', SSIM, 'blur_columns(rows);\n            barrier();',
           'blur_columns(rows);', SSIM_CASE, *OPEN),
    defect('ssim_no_barrier_before_the_next_group', 'ssim', SSIM, 'first_group + turn, rows);\n            barrier();',
           'first_group + turn, rows);', SSIM_TALL, *OPEN),
    defect('ssim_rows_of_the_group_before_not_kept', 'ssim', SSIM,
           '        if (turn >= 0)\n            move_rows(rows);', '', SSIM_TALL, *OPEN),
    defect('ssim_half_no_barrier', 'ssim', SSIM, 't / kMore, input);\n    barrier();', 't / kMore, input);',
           SSIM_PYRAMID, *OPEN),
    defect('ssim_half_last_columns_not_loaded', 'ssim', SSIM, 't < kMore * kHalfSpanY',
           't < (kMore - 1) * kHalfSpanY', SSIM_PYRAMID, *OPEN),
    defect('ssim_half_mirrors_without_the_border', 'ssim', SSIM,
           'mirror_repeat(2 * left - kHalfReach + column, from.width)',
           'mirror(2 * left - kHalfReach + column, from.width)', SSIM_PYRAMID, *OPEN),
    defect('ssim_half_of_the_wrong_scale', 'ssim_record', SSIM_RECORD, 'args.first_scale = scale;',
           'args.first_scale = 0;', SSIM_PYRAMID, *WILD),
    defect('ssim_even_box_not_to_the_upper_left', 'ssim', SSIM, 'x * args.factor - args.factor / 2;',
           'x * args.factor - (args.factor - 1) / 2;', SSIM_EVEN_BOX, *OPEN),
    defect('ssim_box_right_edge_not_mirrored', 'ssim', SSIM, 'left >= 0 && left + args.factor <= from.width',
           'left >= 0', SSIM_BOX, *OPEN),
    defect('ssim_first_groups_counted_again', 'ssim', SSIM, 'clamped(group + 1, groups)', 'group', SSIM_TALL, *OPEN),
    defect('ssim_box_weight_rounded_once_more', 'ssim_record', SSIM_RECORD,
           '1.0F / static_cast<float>(config.factor * config.factor)',
           '1.0F / static_cast<float>(config.factor) / static_cast<float>(config.factor)', SSIM_BOX, *OPEN),
    defect('ssim_samples_without_their_depth', 'ssim_record', SSIM_RECORD,
           '1.0F / static_cast<float>(1 << (config.depth - 8))', '1.0F', SSIM_TALL, *OPEN),
    defect('ssim_negative_variance_kept', 'ssim', SSIM_MATH, 'difference1 < 0 ? 0 : difference1', 'difference1',
           'ssim/full/75x27/16bit/flat', *OPEN),
    defect('ssim_pixels_beyond_the_right_edge_counted', 'ssim', SSIM, 'tile.x + column >= tile.pixels_x || y',
           'tile.x + column > tile.pixels_x || y', SSIM_CASE, *OPEN),
    defect('ssim_rows_below_the_edge_counted', 'ssim', SSIM, ' || y >= tile.pixels_y)', ')', SSIM_CASE, *OPEN),
    defect('ssim_tiles_to_the_right_not_launched', 'ssim_record', SSIM_RECORD,
           'divide_up(config.pixels_x(i), kTileWidth)', '1', SSIM_WIDE, *OPEN),
    defect('ssim_groups_not_cleared', 'ssim_record', SSIM_RECORD,
           '    queue.launch(kClear, clear_grid(words), {args.groups, words});\n', '', SSIM_CASE, *OPEN),
    defect('ssim_batch_in_one_scratch', 'ssim_record', SSIM_RECORD,
           'static_cast<int64_t>(batch.scratch_stride / sizeof(float))', '0', SSIM_PYRAMID, *OPEN),
    defect('ssim_batch_in_one_group', 'ssim', SSIM, 'args.groups + pair * args.groups_stride', 'args.groups', SSIM_CASE,
           *OPEN),
    defect('ssim_addend_of_half_the_unit', 'ssim', SSIM_SUM, '1.5 * power_of_two(unit + 52)',
           '1.5 * power_of_two(unit + 51)', SSIM_CASE, *OPEN),
]

SSIM_TABLE_DEFECTS = [
    defect('tables_ssim_gaussian', 'ssim_tables', SSIM_TABLES, '0.001028F, 0.007599F, 0.036001F,',
           '0.001028F, 0.007599F, 0.036010F,', 'SsimTables.GaussianIsRounded', program=TABLES),
    defect('tables_ssim_half', 'ssim_tables', SSIM_TABLES, '0.000283F', '0.000288F', 'SsimTables.HalfIsAnOuterProduct',
           program=TABLES),
    defect('tables_ssim_constant', 'ssim_tables', SSIM_TABLES, '0x1.a028f4p+2F', '0x1.a028f6p+2F',
           'SsimTables.Constants', program=TABLES),
    defect('tables_ssim_exponent', 'ssim_tables', SSIM_TABLES, '0.2856F', '0.2865F', 'SsimTables.Exponents',
           program=TABLES),
]

DEFECTS = SSIM_DEFECTS + SSIM_TABLE_DEFECTS
