# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of ssimulacra2. See defects.py."""
from defect import GOLDEN, defect

FOLDER = 'features/ssimulacra2/ssimulacra2'
TABLES = f'{FOLDER}_tables.h'
PLANE = f'{FOLDER}_simd-inl.h'
CPU = f'{FOLDER}_cpu.cpp'
KERNELS = f'{FOLDER}_kernels.cpp'
SUM_KERNELS = f'{FOLDER}_sum_kernels.h'
RECORD = f'{FOLDER}_record.cpp'
CASE = 'ssimulacra2/bt709/127x63/'
RGB_CASE = 'ssimulacra2/gbr/127x63/'
WIDE_CASE = 'ssimulacra2/bt709/257x131/'
LARGE_CASE = 'ssimulacra2/bt601/641x482/'

DEFECTS = [
    defect('ssimulacra2_weights_of_six_scales_always', 'ssimulacra2_host', f'{FOLDER}.cpp',
           'visit(number++, scale, plane, sum);',
           'visit(((plane * 6 + scale) * 6 + sum) + 0 * number, scale, plane, sum);', 'Ssimulacra2Golden.Rgb',
           program=GOLDEN),
    # The table itself is one for the program, also the reference code's.
    defect('ssimulacra2_cpu_sign_of_a_tap', 'ssimulacra2_cpu', PLANE, 'hn::MulAdd(number32(kIn[k][0]), in,',
           'hn::MulAdd(number32(k == 2 ? -kIn[k][0] : kIn[k][0]), in,', CASE),
    defect('ssimulacra2_cpu_rows_without_a_fused_step', 'ssimulacra2_cpu', PLANE,
           'v = hn::MulAdd(number32(kIn[k][j - q]), in[q], v);',
           'v = hn::Add(hn::Mul(number32(kIn[k][j - q]), in[q]), v);', CASE),
    defect('ssimulacra2_cpu_border_repeats_the_first_row', 'ssimulacra2_cpu', PLANE,
           'before[r] = one >= 0 ? one % kRingOf : kRingOf;', 'before[r] = one >= 0 ? one % kRingOf : 0;', CASE),
    defect('ssimulacra2_cpu_fourth_powers_are_squares', 'ssimulacra2_cpu', PLANE, 'hn::StoreU(hn::Mul(square, square),',
           'hn::StoreU(square,', CASE),
    defect('ssimulacra2_cpu_chroma_of_even_rows', 'ssimulacra2_cpu', CPU,
           'const Sample *last = row(is_odd ? first + 3 : first);', 'const Sample *last = row(first + 3);', CASE),
    defect('ssimulacra2_sign_of_a_tap', 'ssimulacra2', TABLES, '0x1.a8894ap-7F, 0x1.d44a64p-60F,',
           '-0x1.a8894ap-7F, 0x1.d44a64p-60F,', CASE),
    defect('ssimulacra2_border_of_columns', 'ssimulacra2', KERNELS,
           '(y + i >= 0 && y + i < task.height) ? top[k][at] : 0.0F;',
           '(y + i >= 0 && y + i <= task.height) ? top[k][at] : 0.0F;', CASE),
    defect('ssimulacra2_border_of_rows', 'ssimulacra2', KERNELS,
           'quad.v[j] = tile + x + j < task.width ? quad.v[j] : 0.0F;',
           'quad.v[j] = tile + x + j <= task.width ? quad.v[j] : 0.0F;', CASE),
    defect('ssimulacra2_blocks_reach_the_end_of_a_row', 'ssimulacra2', KERNELS, 'at < width - kTail);',
           'at + 3 < width);', CASE),
    defect('ssimulacra2_tile_reaches_the_end_of_a_row', 'ssimulacra2', KERNELS,
           'x + kOutTile - kBlock < width - kTail)', 'x + kOutTile <= width)', WIDE_CASE),
    defect('ssimulacra2_second_half_of_a_tile_filtered_again', 'ssimulacra2', KERNELS, 'inputs, first / 4, outputs);',
           'inputs, 0 * first, outputs);', CASE),
    defect('ssimulacra2_rows_of_one_group_before', 'ssimulacra2', KERNELS, 'half = 1 - half;', 'half = 0;', CASE),
    defect('ssimulacra2_terms_between_rows', 'ssimulacra2', KERNELS,
           'store_halves(0, pictures.top[0]', 'store_halves(1, pictures.top[0]', CASE),
    defect('ssimulacra2_structure_between_rows', 'ssimulacra2', KERNELS, 'similarity[y * task.pitch] = 1;',
           'similarity[y * task.pitch] = 0;', CASE),
    defect('ssimulacra2_detail_won_is_lost', 'ssimulacra2', SUM_KERNELS, 'high >> 31 == 0 ? edges : 0;', 'edges;',
           CASE),
    defect('ssimulacra2_rest_of_a_plane_added_twice', 'ssimulacra2', SUM_KERNELS, 'if (first < all) {',
           'if (first < all + 2 * kRowUnit) {', CASE),
    defect('ssimulacra2_odd_width_halved_with_another_column', 'ssimulacra2', KERNELS,
           'is_inside = block.x + i < tasks[0].width;', 'is_inside = block.x + i <= tasks[0].width;', CASE),
    defect('ssimulacra2_chroma_of_odd_rows', 'ssimulacra2', KERNELS,
           'lower = 111 * row[2] - 9 * row[1] + 29 * row[3] - 3 * row[4];',
           'lower = 111 * row[2] - 9 * row[1] + 29 * row[3] - 3 * row[0];', CASE),
    defect('ssimulacra2_planes_of_rgb_in_order', 'ssimulacra2', KERNELS, 'red.at(row, i), first.at(row, i),',
           'first.at(row, i), red.at(row, i),', RGB_CASE),
    defect('ssimulacra2_runs_of_another_power', 'ssimulacra2', 'simt/serial_sum.h',
           'power == from + Run::kTooMany ? high : kUnknown', 'power == from + Run::kTooMany ? low : kUnknown',
           LARGE_CASE),
    defect('ssimulacra2_runs_of_the_part_before', 'ssimulacra2', SUM_KERNELS, 'runs[first + thread_id()]',
           'runs[first + thread_id() - 1]', LARGE_CASE),
    defect('ssimulacra2_no_rounds_of_parts', 'ssimulacra2_record', RECORD,
           'first < args.parts; first *= 2', 'first < 0 * args.parts; first *= 2', LARGE_CASE),
    defect('ssimulacra2_filtered_rows_of_planes_overlap', 'ssimulacra2_record', RECORD,
           'rows += scale == 0 || task.needed == 0 ? 0 : floats * kAllMoments;',
           'rows += scale == 0 || task.needed == 0 ? 0 : floats * kMeans;', CASE),
]
