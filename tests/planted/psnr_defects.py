# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of psnr; defects.py collects them and says what the fields mean."""
from defect import defect

PSNR = 'features/psnr/psnr_kernels.cpp'
PSNR_RECORD = 'features/psnr/psnr_record.cpp'
PSNR_CASE = 'psnr/default/129x65/'

DEFECTS = [
    defect('psnr_samples_behind_the_row', 'psnr', PSNR, 'i < count ? distance * distance : 0', 'distance * distance',
           PSNR_CASE),
    defect('psnr_first_sample_only', 'psnr', PSNR, 'item.words[i / kPerWord] >> (kBits * (i % kPerWord))',
           'item.words[i / kPerWord] >> (kBits * 0)', PSNR_CASE),
    defect('psnr_sum_of_32_bits', 'psnr', PSNR, 'sum = block_sum(sum);', 'sum = block_sum(static_cast<uint32_t>(sum));',
           'psnr/default/319x181/'),
    defect('psnr_one_item_too_few', 'psnr', PSNR, 'for (int k = 0; k < kItems; ++k)',
           'for (int k = 1; k < kItems; ++k)', PSNR_CASE),
    defect('psnr_pitch_of_the_reference_for_both', 'psnr', PSNR, 'pair.distorted_pitch * row',
           'pair.reference_pitch * (row ^ 1)', PSNR_CASE),
    defect('psnr_of_the_first_pair_for_all', 'psnr', PSNR, 'args.pairs[block_id_z()]', 'args.pairs[0]', PSNR_CASE),
    defect('psnr_sums_of_a_batch_in_one', 'psnr', PSNR, 'args.squares_stride * block_id_z()', '0', PSNR_CASE),
    defect('psnr_every_thread_adds', 'psnr', PSNR, 'if (thread_id() == 0)', 'if (thread_id() <= 1)', PSNR_CASE),
    defect('psnr_chroma_from_luma', 'psnr_record', PSNR_RECORD, 'batch.pairs[i].distorted[p]',
           'batch.pairs[i].distorted[0]', PSNR_CASE),
    defect('psnr_chroma_sums_in_luma', 'psnr_record', PSNR_RECORD, 'static_cast<size_t>(p) * sizeof(uint64_t)',
           '0 * sizeof(uint64_t)', PSNR_CASE),
    defect('psnr_bytes_for_words', 'psnr_record', PSNR_RECORD, 'config.depth > 8 ? 2 : 1', '1', PSNR_CASE),
    defect('psnr_last_block_missing', 'psnr_record', PSNR_RECORD, 'args.height, kThreads * kItems)',
           'args.height, 2 * kThreads * kItems)', 'psnr/default/319x181/'),
]
