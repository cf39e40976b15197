# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of float_psnr, float_moment and float_ansnr. See defects.py."""
from defect import defect

FLOAT_SUMS = 'features/float_sums/float_sums_kernels.cpp'
FLOAT_SUMS_RECORD = 'features/float_sums/float_sums_record.cpp'
FLOAT_PSNR_CASE = 'float_psnr/plain/32x98/400/16bit/texture'
FLOAT_MOMENT_CASE = 'float_moment/plain/32x98/400/16bit/texture'

FLOAT_SUMS_DEFECTS = [
    defect('float_sums_squares_not_rounded', 'float_sums', FLOAT_SUMS, 'static_cast<uint64_t>(sample * sample)',
           'static_cast<uint64_t>(static_cast<int64_t>(value) * value)', FLOAT_PSNR_CASE),
    defect('float_sums_squares_in_32_bits', 'float_sums', FLOAT_SUMS, 'block_sum(squares)',
           'block_sum(static_cast<uint32_t>(squares))', FLOAT_MOMENT_CASE),
    defect('float_sums_end_of_rows_left_out', 'float_sums', FLOAT_SUMS, 'if (x + i < width)', 'if (x + 4 <= width)',
           'float_psnr/plain/127x32/400/16bit/texture'),
    defect('float_sums_last_rows_left_out', 'float_sums_record', FLOAT_SUMS_RECORD,
           'blocks_of(format.height, kBlockRows)', 'static_cast<unsigned>(format.height / kBlockRows)',
           FLOAT_PSNR_CASE),
    defect('float_sums_both_moments_of_the_reference', 'float_sums_record', FLOAT_SUMS_RECORD,
           'picture == 0 ? pair.reference[0] : pair.distorted[0]', 'pair.reference[0]', FLOAT_MOMENT_CASE),
]

FLOAT_ANSNR = 'features/float_ansnr/float_ansnr_kernels.cpp'
FLOAT_ANSNR_RECORD = 'features/float_ansnr/float_ansnr_record.cpp'
FLOAT_ANSNR_CASE = 'float_ansnr/plain/127x32/400/16bit/texture'

# Float sums in one order: most of these change that order, or what is read across borders.
FLOAT_ANSNR_DEFECTS = [
    defect('float_ansnr_taps_in_one_sum', 'float_ansnr', FLOAT_ANSNR, 'of_row += taps[v][u] * from[u];',
           'sum += taps[v][u] * from[u];', FLOAT_ANSNR_CASE),
    defect('float_ansnr_border_reflected_alike_on_both_sides', 'float_ansnr', FLOAT_ANSNR,
           'const int at = mirror_high_repeat(i, n);', 'const int at = mirror(i, n);', FLOAT_ANSNR_CASE),
    defect('float_ansnr_no_barrier_before_the_sums', 'float_ansnr', FLOAT_ANSNR,
           '        barrier();\n        const int columns', '        const int columns', FLOAT_ANSNR_CASE),
    defect('float_ansnr_columns_from_the_right', 'float_ansnr', FLOAT_ANSNR, 'sum += squares[thread_id()][column];',
           'sum += squares[thread_id()][columns - 1 - column];', FLOAT_ANSNR_CASE),
    defect('float_ansnr_rows_beyond_the_first_block', 'float_ansnr_record', FLOAT_ANSNR_RECORD,
           'blocks_of(format.height, kBlockRows)', '1', 'float_ansnr/plain/32x98/400/16bit/texture'),
]

DEFECTS = FLOAT_SUMS_DEFECTS + FLOAT_ANSNR_DEFECTS
