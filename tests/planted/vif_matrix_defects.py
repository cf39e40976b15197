# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of VIF's kernels with matrix words; see defects.py. Waves of 32 and of 64 have
other layouts, so some defects are of one of them only.
"""
from defect import Defect, defect

SAMPLES = 'features/vif/vif_matrix.h'
MATRIX = 'features/vif/vif_matrix.h'
KERNELS = 'features/vif/vif_matrix_kernels.cpp'
LAYOUT = 'features/vif/vif.h'
VIF_RECORD = 'features/vif/vif_record.cpp'
QUAD = 'simt/quad.h'
BORDER = 'border == Border::kMirror ? mirror(i, n) : mirror_high_repeat(i, n);'

VIF_CASE = 'vif/default/129x65/8bit/noise'
VIF_CASE10 = 'vif/default/129x65/10bit/noise'

DEFECTS = [
    defect('reg06_vif_matrix_clamp_instead_of_mirror', 'vif_matrix', QUAD, BORDER, 'i;', VIF_CASE),
    defect('reg07_vif_matrix_mirror_repeats_on_the_high_side', 'vif_matrix', QUAD, BORDER, 'mirror_high_repeat(i, n);',
           VIF_CASE10),
    defect('vif_matrix_partner_of_another_lane', 'vif_matrix', SAMPLES, 'byte_permute(rows[0], rows[1], give_pick), 4)',
           'byte_permute(rows[0], rows[1], give_pick), 8)', VIF_CASE, only='emu32'),
    defect('vif_matrix_columns_of_the_partner_swapped', 'vif_matrix', SAMPLES,
           'const uint32_t pick = j == 0 ? 0x5410 : 0x7632;', 'const uint32_t pick = j == 1 ? 0x5410 : 0x7632;',
           VIF_CASE10, only='emu32'),
    defect('vif_matrix_columns_beyond_the_edge_read', 'vif_matrix', SAMPLES,
           'if (is_aligned && x >= 0 && x + kStepColumns <= width)',
           'if (is_aligned && x >= 0 && x + kStepColumns <= width + 8)', VIF_CASE),
    defect('vif_matrix_high_tap_byte_left_out', 'vif_matrix', MATRIX,
           'sums[bytes] = product_of<Layout>(high, values.byte[bytes - 1], sums[bytes]);', '', VIF_CASE),
    defect('reg22_vif_matrix_no_half_before_the_shift', 'vif_matrix', MATRIX,
           '((1u << (shift - 1)) + lack<Layout>(2))', 'lack<Layout>(2)', VIF_CASE),
    defect('reg22_vif_matrix_mean_without_half', 'vif_matrix', KERNELS, 'value += 1u << (kShift - 1);', 'value += 0;',
           VIF_CASE),
    defect('vif_matrix_previous_columns_not_kept', 'vif_matrix', KERNELS, '        previous[j][part] = word;\n', '',
           VIF_CASE),
    defect('vif_matrix_first_step_counted', 'vif_matrix', KERNELS, '        if (i == 0)\n            continue;\n', '',
           VIF_CASE),
    defect('vif_matrix_rows_beyond_the_edge_counted', 'vif_matrix', KERNELS,
           'if (column >= args.width || row >= args.height)', 'if (column >= args.width)', VIF_CASE),
    defect('vif_matrix_columns_beyond_the_edge_counted', 'vif_matrix', KERNELS, '                --sums.den_nl;\n', '',
           VIF_CASE),
    defect('reg32_vif_matrix_last_column_of_next_scale_not_written', 'vif_matrix', KERNELS,
           'if (x / 2 + column >= args.width / 2)', 'if (x / 2 + column >= args.width / 2 - 1)', VIF_CASE),
    defect('reg32_vif_matrix_second_rows_of_next_scale_not_written', 'vif_matrix', KERNELS, 'if (i < rows)',
           'if (i < 1)', VIF_CASE10),
    defect('vif_matrix_no_barrier_after_the_tables', 'vif_matrix', KERNELS,
           'thread_id(), kThreads, logs);\n    barrier();', 'thread_id(), kThreads, logs);', VIF_CASE),
    defect('reg01_vif_matrix_waves_of_64', 'vif_matrix', KERNELS, 'broadcast(wave_id(), 0)', 'thread_id() / 64',
           VIF_CASE, only='emu32'),
    defect('vif_matrix_second_half_of_a_strip_twice', 'vif_matrix', KERNELS,
           'pixels.sigmas[i / 4][0][i % 4] = pixels.sigmas[i / 4][kParts - 1][i % 4];', ';', VIF_CASE, only='emu32'),
    # The layout for waves of 64.
    defect('vif_matrix64_columns_of_a_lane_off_by_one', 'vif_matrix', SAMPLES, 'partner < 2 ? 0x5410 : 0x3276',
           'partner < 2 ? 0x5410 : 0x2376', VIF_CASE, only='emu64'),
    defect('vif_matrix64_partner_of_another_lane', 'vif_matrix', SAMPLES, 'shfl_xor(two, 1)', 'shfl_xor(two, 3)',
           VIF_CASE10, only='emu64'),
    Defect('vif_matrix64_rows_and_columns_of_a_pixel_swapped', 'vif_matrix',
           [(LAYOUT, 'return matrix_sum_row(lane, i);', 'return matrix_sum_column(lane) + 0 * i;'),
            (LAYOUT, 'return matrix_sum_column(lane);', 'return matrix_sum_row(lane, 0);')], VIF_CASE,
           only='emu64'),
    defect('vif_matrix64_order_of_the_places', 'vif_matrix', LAYOUT, 'return group(lane) * 4 + word * 16;',
           'return matrix_line_place(lane, word);', VIF_CASE, only='emu64'),
    defect('vif_matrix64_operands_swapped', 'vif_matrix', MATRIX, 'return matrix_s8(values, taps, sums);',
           'return matrix_s8(taps, values, sums);', VIF_CASE, only='emu64'),
    defect('vif_matrix64_bytes_taken_as_signed', 'vif_matrix', MATRIX, 'Layout::kIsSigned ? word ^ 0x80808080u : word',
           'word', VIF_CASE, only='emu64'),
    defect('vif_matrix64_next_scale_in_the_other_plane', 'vif_matrix', KERNELS,
           'Layout::kParts == 1 ? of_strip / 8 : 0', 'Layout::kParts == 1 ? 1 - of_strip / 8 : 0', VIF_CASE,
           only='emu64'),
    defect('vif_matrix64_columns_beyond_the_eight_of_the_next_scale', 'vif_matrix', KERNELS,
           'if (Layout::kParts == 1 && column >= 8)', 'if (Layout::kParts == 1 && column >= 9)', VIF_CASE10,
           only='emu64'),
    defect('vif_matrix64_lower_tap_bytes_without_their_sign', 'vif_record', VIF_RECORD,
           'value + (Layout::kIsSigned ? 128 : 0)', 'value', VIF_CASE, only='emu64'),
]
