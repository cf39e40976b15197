# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of ssimulacra2. See defects.py."""
from defect import GOLDEN, defect

FOLDER = 'features/ssimulacra2/ssimulacra2'
TABLES = f'{FOLDER}_tables.h'
PLANE = f'{FOLDER}_simd-inl.h'
CPU = f'{FOLDER}_cpu.cpp'
KERNELS = f'{FOLDER}_kernels.cpp'
SUM = f'{FOLDER}_sum.h'
SUM_KERNELS = f'{FOLDER}_sum_kernels.h'
RECORD = f'{FOLDER}_record.cpp'
CASE = 'ssimulacra2/bt709/127x63/'
RGB_CASE = 'ssimulacra2/gbr/127x63/'
WIDE_CASE = 'ssimulacra2/bt709/257x131/'

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
    defect('ssimulacra2_carry_of_a_tie_lost', 'ssimulacra2', SUM,
           'mantissa += (mantissa & 1) + static_cast<uint64_t>(units - until_tie);',
           'mantissa += static_cast<uint64_t>(units - until_tie);', WIDE_CASE),
    defect('ssimulacra2_parity_of_a_later_tie_lost', 'ssimulacra2', SUM, 'units += (units - until_tie) & 1;',
           'units += 0;', WIDE_CASE),
    defect('ssimulacra2_border_of_columns', 'ssimulacra2', KERNELS,
           '(y + i >= 0 && y + i < task.height) ? top[k][at] : 0.0F;',
           '(y + i >= 0 && y + i <= task.height) ? top[k][at] : 0.0F;', CASE),
    defect('ssimulacra2_border_of_rows', 'ssimulacra2', KERNELS,
           'quads[k].v[j] = at_x + j < task.width ? quads[k].v[j] : 0.0F;',
           'quads[k].v[j] = at_x + j <= task.width ? quads[k].v[j] : 0.0F;', CASE),
    defect('ssimulacra2_blocks_reach_the_end_of_a_row', 'ssimulacra2', KERNELS, 'x + i < width - kTail;',
           'x + i + 3 < width;', CASE),
    defect('ssimulacra2_tile_reaches_the_end_of_a_row', 'ssimulacra2', KERNELS,
           'x + kTile <= task.width - kTail + kBlock - 1)', 'x + kTile <= task.width)', WIDE_CASE),
    defect('ssimulacra2_steps_of_waves_not_in_order', 'ssimulacra2', SUM_KERNELS,
           'if (lane_id() % (2 * distance) == 0)', 'if (lane_id() % (2 * distance) == 0 && distance > 1)', WIDE_CASE),
    defect('ssimulacra2_odd_width_halved_with_another_column', 'ssimulacra2', KERNELS,
           'is_inside = block.x + i < tasks[0].width;', 'is_inside = block.x + i <= tasks[0].width;', CASE),
    defect('ssimulacra2_chroma_of_odd_rows', 'ssimulacra2', KERNELS,
           'lower = 111 * row[2] - 9 * row[1] + 29 * row[3] - 3 * row[4];',
           'lower = 111 * row[2] - 9 * row[1] + 29 * row[3] - 3 * row[0];', CASE),
    defect('ssimulacra2_planes_of_rgb_in_order', 'ssimulacra2', KERNELS, 'red.at(row, i), first.at(row, i),',
           'first.at(row, i), red.at(row, i),', RGB_CASE),
    defect('ssimulacra2_filtered_rows_of_planes_overlap', 'ssimulacra2_record', RECORD,
           'rows += scale == 0 || task.needed == 0 ? 0 : floats * kAllMoments;',
           'rows += scale == 0 || task.needed == 0 ? 0 : floats * kMeans;', CASE),
]
