# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of ciede on a device; defects.py collects them and says what the fields mean."""
from defect import TABLES, Defect, defect

KERNELS = 'features/ciede/ciede_kernels.cpp'
FUNCTIONS = 'simt/elementary.h'
RECORD = 'features/ciede/ciede_record.cpp'
CPU = 'features/ciede/ciede_simd-inl.h'
QUICK = 'features/ciede/ciede_quick-inl.h'
ROOT = 'return hn::Mul(hn::Mul(inverse, inverse), x);'
CASE = 'ciede/plain/319x182/'
ODD_CASE = 'ciede/plain/127x32/'
SMALL_CASE = 'ciede/plain/130x66/'

DEFECTS = [
    defect('elementary_exponential_without_its_tail', 'elementary_tables', FUNCTIONS, 'load_readonly(entry) + r)',
           '0 * load_readonly(entry) + r)', 'Elementary*', program=TABLES),
    defect('elementary_power_without_the_tail_of_the_logarithm', 'elementary_tables', FUNCTIONS,
           'multiply_add(y, log_tail,', 'multiply_add(0, log_tail,', 'Elementary*', program=TABLES),
    defect('elementary_logarithm_without_the_tail_of_its_sum', 'elementary_tables', FUNCTIONS, 'base - sum + r',
           '0 * (base - sum + r)', 'Elementary*', program=TABLES),
    defect('elementary_sine_near_zero_by_the_table', 'elementary_tables', FUNCTIONS, 'magnitude < 0.126',
           'magnitude < 0.026', 'Elementary*', program=TABLES),
    defect('elementary_angle_by_the_series_too_far', 'elementary_tables', FUNCTIONS, 'u < 0x1p-4', 'u < 0x1p-2',
           'Elementary*', program=TABLES),
    defect('ciede_cosine_in_the_next_quadrant', 'ciede', FUNCTIONS, 'low_bits(shifted, 3);',
           'low_bits(shifted, 1);', CASE),
    defect('ciede_angle_on_the_other_side', 'ciede', FUNCTIONS, 'is_flat || x > 0 ? -1 : 1', 'is_flat ? -1 : 1', CASE),
    defect('ciede_chroma_behind_the_row', 'ciede', KERNELS, 'x < chroma.width && y < chroma.height',
           'y < chroma.height', ODD_CASE),
    defect('ciede_of_the_first_pair_for_all', 'ciede', KERNELS, 'args.pairs[block_id_z()]', 'args.pairs[0]',
           SMALL_CASE),
    defect('ciede_differences_of_the_first_pair', 'ciede', KERNELS,
           'float *differences = args.differences + args.differences_stride * block_id_z();',
           'float *differences = args.differences;', SMALL_CASE),
    defect('ciede_red_light_of_blue', 'ciede', KERNELS, 'light->red[y][v]', 'light->red[y][u]', 'ciede/plain/17x18/'),
    defect('ciede_cpu_light_of_chroma_and_luma', 'ciede_cpu', CPU,
           'hn::MulAdd(luma, number(256), chroma)', 'hn::MulAdd(chroma, number(256), luma)', CASE),
    defect('ciede_cpu_roots_by_one_step', 'ciede_cpu', QUICK, 'step < 2', 'step < 1', CASE),
    # Roots are so good that no picture was found that needs the exact functions. These are wrong by 2^-41.
    Defect('ciede_cpu_doubts_not_looked_at', 'ciede_cpu', [
        (QUICK, ROOT, ROOT.replace('x);', 'hn::Mul(x, number(1 + 0x1p-41)));')),
        (CPU, 'if (has_doubt[i])', 'if (has_doubt[i] && x < 0)')], CASE),
    defect('ciede_light_of_another_table', 'ciede_record', RECORD,
           'reinterpret_cast<const LightTables *>(args.tables + 1)',
           'reinterpret_cast<const LightTables *>(args.tables)', CASE),
    defect('ciede_last_part_missing', 'ciede', KERNELS, 'first < all; first += kPart',
           'first + kPart < all; first += kPart', SMALL_CASE),
    defect('ciede_last_pixels_of_a_row_missing', 'ciede_record', RECORD, 'blocks_of(format.width, kThreads)',
           'static_cast<unsigned>(format.width / kThreads)', SMALL_CASE),
]
