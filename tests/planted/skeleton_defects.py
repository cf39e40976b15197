# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of skeleton; defects.py collects them and says what the fields mean."""
from defect import defect

KERNELS = 'features/skeleton/skeleton_kernels.cpp'
RECORD = 'features/skeleton/skeleton_record.cpp'
CASE = 'skeleton/plain/130x66/'

DEFECTS = [
    defect('skeleton_samples_behind_the_row', 'skeleton', KERNELS, 'x < args.width', 'x < args.width + 1', CASE),
    defect('skeleton_of_the_first_pair_for_all', 'skeleton', KERNELS, 'args.pairs[block_id_z()]', 'args.pairs[0]',
           CASE),
    defect('skeleton_last_rows_missing', 'skeleton_record', RECORD, 'blocks_of(config.height, kRows)',
           'static_cast<unsigned>(config.height / kRows)', CASE),
]
