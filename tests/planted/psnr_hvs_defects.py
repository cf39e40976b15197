# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of psnr_hvs on a device, and of serial sums. See defects.py."""
from defect import defect

KERNELS = 'features/psnr_hvs/psnr_hvs_kernels.cpp'
RECORD = 'features/psnr_hvs/psnr_hvs_record.cpp'
SUM = 'simt/serial_sum.h'
CASE = 'psnr_hvs/plain/130x66/'
LARGE_CASE = 'psnr_hvs/plain/319x182/'

DEFECTS = [
    defect('psnr_hvs_blocks_every_6_samples', 'psnr_hvs', KERNELS, 'number % args.columns * kStep;',
           'number % args.columns * (kStep - 1);', CASE),
    defect('psnr_hvs_word_behind_the_block', 'psnr_hvs', KERNELS, 'before > 0 || j + kPerWord < kBlock',
           'j + kPerWord < kBlock', CASE),
    defect('psnr_hvs_mask_of_the_distorted_alone', 'psnr_hvs', KERNELS, 'of_picture > mask ? of_picture : mask',
           'picture > 0 ? of_picture : mask', CASE),
    defect('psnr_hvs_difference_with_its_sign', 'psnr_hvs', KERNELS, 'difference < 0 ? -difference : difference',
           'difference < 0 ? 0.0F : difference', CASE),
    defect('psnr_hvs_terms_of_waves_in_one_place', 'psnr_hvs', KERNELS,
           'before += wave < wave_id() ? of_waves[wave] : 0;', 'before += 0 * of_waves[wave];', LARGE_CASE,
           only='emu32'),
    defect('psnr_hvs_terms_of_lanes_not_in_order', 'psnr_hvs', KERNELS, 'lane_id() >= distance;',
           'lane_id() >= distance && distance > 1;', CASE),
    defect('psnr_hvs_blocks_behind_the_last', 'psnr_hvs', KERNELS, 'number < args.blocks', 'number < args.blocks + 1',
           LARGE_CASE),
    defect('psnr_hvs_next_slot_too_early', 'psnr_hvs', KERNELS,
           'ahead.load(slot[i + 1].terms,', 'ahead.load(slot[i].terms,',
           LARGE_CASE),
    defect('psnr_hvs_of_the_first_pair_for_all', 'psnr_hvs', KERNELS, 'args.pairs[block_id_z()]', 'args.pairs[0]',
           CASE),
    defect('psnr_hvs_chroma_with_weights_of_luma', 'psnr_hvs_record', RECORD, 'weights_of(plane)', 'weights_of(0)',
           CASE),
    defect('psnr_hvs_last_slot_missing', 'psnr_hvs_record', RECORD,
           'divide_up(blocks_of_plane(format, plane), kSlotBlocks)',
           'blocks_of_plane(format, plane) / kSlotBlocks', CASE),
    defect('psnr_hvs_planes_in_the_same_slots', 'psnr_hvs_record', RECORD, 'slots += args.count[plane];',
           'slots += args.count[plane] / 2;', LARGE_CASE, 'crash', 'crash'),
    defect('serial_sum_of_an_odd_sum_as_of_an_even_one', 'psnr_hvs', SUM, '(sum & 1) == 0 ? to_even : to_odd',
           'to_even', 'psnr_hvs/plain/319x182/'),
    defect('serial_sum_beyond_the_power_of_2', 'psnr_hvs', SUM, 'behind >= Run::kTooMany', 'behind > 2 * Run::kTooMany',
           CASE),
    defect('serial_sum_runs_of_lanes_not_in_order', 'psnr_hvs', SUM, '(lane_id() + distance) % wave_size()',
           '(lane_id() + 2 * distance) % wave_size()', LARGE_CASE),
    defect('serial_sum_of_a_wave_again', 'psnr_hvs', SUM, 'if (++wave == waves)', 'if (wave + 1 == waves)', LARGE_CASE),
    defect('serial_sum_of_waves_without_ties', 'psnr_hvs', SUM,
           'run.to_even == run.to_odd ? run.to_even : Run::kTooMany', 'run.to_even', LARGE_CASE),
    defect('psnr_hvs_each_pass_takes_the_first_blocks', 'psnr_hvs_record', RECORD,
           'args.first = pass * kMaxSlots * kSlotBlocks;', 'args.first = 0;', 'psnr_hvs/plain/1999x1602'),
    defect('psnr_hvs_a_pass_forgets_the_sum', 'psnr_hvs', KERNELS,
           'sum(sums->error[plane]);', 'sum(0);', 'psnr_hvs/plain/1999x1602'),
]
