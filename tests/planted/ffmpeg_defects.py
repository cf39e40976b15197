# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of ffmpeg_psnr, ffmpeg_ssim and xpsnr. See defects.py."""
from defect import GOLDEN, defect

PSNR = 'features/psnr/psnr_ffmpeg.cpp'
VECTORS = 'FfmpegGolden.Vectors'

# The kernels are psnr's; these are of the host's part.
FFMPEG_PSNR_DEFECTS = [
    defect('ffmpeg_psnr_average_of_planes_not_of_samples', 'psnr_ffmpeg', PSNR,
           'mse.plane[p] * (samples_of(p) / all_samples_)', 'mse.plane[p] / config_.planes', VECTORS, program=GOLDEN),
    defect('ffmpeg_psnr_min_and_max_exchanged', 'psnr_ffmpeg', PSNR, 'decibels(total->largest)',
           'decibels(total->smallest )', VECTORS, program=GOLDEN),
    defect('ffmpeg_psnr_chroma_rounds_down', 'psnr_ffmpeg', PSNR, 'config.width[p] = format.plane_width(p);',
           'config.width[p] = format.plane_width(p) - (p > 0 ? format.width % 2 : 0);', VECTORS, program=GOLDEN),
]

SSIM = 'features/ffmpeg_ssim/ffmpeg_ssim_simd-inl.h'
SSIM_CPU = 'features/ffmpeg_ssim/ffmpeg_ssim_cpu.cpp'
SSIM_CASE = 'ffmpeg_ssim/default/319x182/'

FFMPEG_SSIM_DEFECTS = [
    defect('ffmpeg_ssim_products_of_the_reference', 'ffmpeg_ssim_cpu', SSIM,
           'multiply_add_pairs(r, d, halves[kSumProducts][i])', 'multiply_add_pairs(r, r, halves[kSumProducts][i])',
           SSIM_CASE),
    defect('ffmpeg_ssim_rows_of_8_bits_in_float', 'ffmpeg_ssim_cpu', SSIM, 'sum_in_order<double>(',
           'sum_in_order<float >(', SSIM_CASE),
    defect('ffmpeg_ssim_rows_of_more_bits_in_double', 'ffmpeg_ssim_cpu', SSIM, 'sum_in_order<float>(',
           'sum_in_order<double >(', SSIM_CASE),
    defect('ffmpeg_ssim_last_block_of_rows_left_out', 'ffmpeg_ssim_cpu', SSIM, 'block < strip.blocks; ++block',
           'block + 1 < strip.blocks; ++block', SSIM_CASE),
    defect('ffmpeg_ssim_windows_of_63_samples', 'ffmpeg_ssim_cpu', SSIM, 'hn::Set(d, 64.0)', 'hn::Set(d, 63.0)',
           SSIM_CASE),
    defect('ffmpeg_ssim_chroma_from_luma', 'ffmpeg_ssim_cpu', SSIM_CPU, 'pair.distorted[plane]', 'pair.distorted[0]',
           SSIM_CASE),
]

XPSNR = 'features/xpsnr/xpsnr_cpu.cpp'
XPSNR_WEIGHTS = 'features/xpsnr/xpsnr_weights.cpp'
XPSNR_SHARED = 'features/xpsnr/xpsnr.h'
XPSNR_RUN = 'features/xpsnr/xpsnr.cpp'
XPSNR_CASE = 'xpsnr/slow/319x182/'

XPSNR_REFUSALS = 'FfmpegGolden.XpsnrRefusesUndefinedSizes'

XPSNR_DEFECTS = [
    defect('xpsnr_second_difference_without_the_earliest', 'xpsnr_cpu', XPSNR, 'value(0) - 2 * value(1) + value(2)',
           'value(0) - 2 * value(1) + value(1)', 'xpsnr/fast/319x182/'),
    defect('xpsnr_last_sample_of_a_block_left_out', 'xpsnr_cpu', XPSNR, 'for (int x = begin; x < end; ++x)',
           'for (int x = begin; x + 1 < end; ++x)', XPSNR_CASE),
    defect('xpsnr_samples_of_16_bits_without_sign', 'xpsnr_cpu', XPSNR,
           'conditional_t<sizeof(Sample) == 1, Sample, int16_t>',
           'conditional_t<sizeof(Sample) == 1, Sample, uint16_t>', XPSNR_CASE),
    defect('xpsnr_corners_left_out', 'xpsnr_cpu', XPSNR, '2 * middle - corners', '2 * middle - 0 * corners',
           XPSNR_CASE),
    defect('xpsnr_narrow_blocks_counted', 'xpsnr_cpu', XPSNR, 'inner.width() > kNarrow', 'inner.width() > 0',
           'xpsnr/slow/2052x1156/420/8bit'),
    defect('xpsnr_first_picture_follows_itself', 'xpsnr_cpu', XPSNR, 'plane = {memory.black, 0};',
           'plane = pair.reference[0];', XPSNR_CASE),
    defect('xpsnr_weights_not_smoothed', 'xpsnr_weights', XPSNR_WEIGHTS,
           'config.smooths = samples <= kSmoothedSamples;', 'config.smooths = samples < 0;', VECTORS, program=GOLDEN),
    defect('xpsnr_smoothed_by_another_neighbour', 'xpsnr_weights', XPSNR_SHARED, 'weights[at - 1 - columns]',
           'weights[at - columns]', VECTORS, program=GOLDEN),
    defect('xpsnr_least_activity', 'xpsnr_weights', XPSNR_SHARED, 'config.format.depth - 6',
           'config.format.depth - 5', VECTORS, program=GOLDEN),
    defect('xpsnr_odd_height_of_a_large_picture', 'xpsnr_host', XPSNR_RUN, ' || format.height % 2 != 0', '',
           XPSNR_REFUSALS, program=GOLDEN),
    defect('xpsnr_odd_sides_of_all_pictures_refused', 'xpsnr_host', XPSNR_RUN, 'config.is_large && (', '(',
           XPSNR_REFUSALS, program=GOLDEN),
    defect('xpsnr_run_is_the_mean_of_decibels', 'xpsnr_host', XPSNR_RUN, 'total->roots[p] >= pairs',
           'total->roots[p] < 0', VECTORS, program=GOLDEN),
    defect('xpsnr_run_of_perfect_pairs_by_roots', 'xpsnr_host', XPSNR_RUN, 'total->roots[p] >= pairs',
           'total->roots[p] >= 0', 'FfmpegGolden.XpsnrOfARunOfNearlyPerfectPairs', program=GOLDEN),
    defect('xpsnr_run_minimum_of_two_planes', 'xpsnr_host', XPSNR_RUN, '{value[-3], value[-2], value[-1]}',
           '{value[-2], value[-1]}', VECTORS, program=GOLDEN),
]

XPSNR_KERNELS = 'features/xpsnr/xpsnr_kernels.cpp'
XPSNR_RECORD = 'features/xpsnr/xpsnr_record.cpp'
XPSNR_FAST_CASE = 'xpsnr/fast/319x182/'
XPSNR_CELLS_CASE = 'xpsnr/slow/2052x1156/'

XPSNR_KERNEL_DEFECTS = [
    defect('xpsnr_kernel_last_rows_left_out', 'xpsnr', XPSNR_KERNELS, '(kThreadBits - bits)) + 1;',
           '(kThreadBits - bits)) + 0;', XPSNR_CASE),
    defect('xpsnr_kernel_samples_of_16_bits_without_sign', 'xpsnr', XPSNR_KERNELS, 'using Type = int16_t;',
           'using Type = uint16_t;', 'xpsnr/fast/2052x1156/'),
    defect('xpsnr_kernel_rows_of_the_block_before', 'xpsnr', XPSNR_KERNELS, 'i >= 2 * cell || at == first',
           'i >= 2 * cell || at == 0', XPSNR_CASE),
    defect('xpsnr_kernel_corners_left_out', 'xpsnr', XPSNR_KERNELS, '(rows[0].beside + rows[2].beside);',
           '(rows[0].beside + 0 * rows[2].beside);', XPSNR_CASE),
    defect('xpsnr_kernel_ends_of_cells_left_out', 'xpsnr', XPSNR_KERNELS, 'rows[5].beside + rows[1].ends',
           'rows[5].beside + 0 * rows[1].ends', XPSNR_CELLS_CASE),
    defect('xpsnr_kernel_cells_of_one_sample', 'xpsnr', XPSNR_KERNELS, 'i < cell * cell; ++i', 'i < cell; ++i',
           XPSNR_CELLS_CASE),
    defect('xpsnr_kernel_narrow_blocks_counted', 'xpsnr', XPSNR_KERNELS, 'inner.width() > kNarrow', 'inner.width() > 0',
           XPSNR_CELLS_CASE),
    defect('xpsnr_kernel_without_the_earliest', 'xpsnr', XPSNR_KERNELS, 'now - 2 * before + luma[2]',
           'now - 2 * before + luma[1]', XPSNR_FAST_CASE),
    defect('xpsnr_kernel_red_from_blue', 'xpsnr', XPSNR_KERNELS, 'pair.planes[1][plane], pair.pitches[1][plane]',
           'pair.planes[1][plane > 0 ? 1 : 0], pair.pitches[1][plane]', XPSNR_CASE),
    defect('xpsnr_kernel_weights_not_smoothed', 'xpsnr', XPSNR_KERNELS, 'config.smooths && thread_id() == 0',
           'config.smooths && thread_id() < 0', XPSNR_CASE),
    defect('xpsnr_kernel_blocks_of_the_first_pair', 'xpsnr', XPSNR_KERNELS, 'args.scratch_stride * block_id_z()',
           'args.scratch_stride * 0', XPSNR_CASE),
    defect('xpsnr_first_picture_follows_another', 'xpsnr_record', XPSNR_RECORD, 'pair.previous[back].data',
           'pair.previous[0].data', XPSNR_FAST_CASE),
    defect('xpsnr_weights_in_the_blocks', 'xpsnr_record', XPSNR_RECORD, '(sizeof(Block) + sizeof(double))',
           'sizeof(Block)', XPSNR_CASE),
]

DEFECTS = XPSNR_KERNEL_DEFECTS + FFMPEG_PSNR_DEFECTS + FFMPEG_SSIM_DEFECTS + XPSNR_DEFECTS
