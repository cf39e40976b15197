# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Defects of the scaler's kernel, of its host part and of the CPU's code. The reference code is
compared with FFmpeg (tests/golden/scale_ffmpeg.py).
"""
from defect import TEST_EMU, defect

SCALE = 'scaler/scale_kernels.cpp'
RECORD = 'scaler/scale_record.cpp'
CPU = 'scaler/scale_cpu.cpp'
PLAIN = 'scale/plain/'
APART = 'scale/apart/'

DEFECTS = [
    defect('scale_no_barrier', 'scale', SCALE, '    barrier();\n', '', 'scale/'),
    defect('scale_last_rows_not_limited', 'scale', SCALE, 'at + i < count ? at + i : count - 1', 'at + i',
           'ScaleBounds.*', 'crash', program=TEST_EMU),
    defect('scale_step_of_samples_side_by_side', 'scale', SCALE, 'static_cast<int64_t>(column) * plane.step',
           'static_cast<int64_t>(column) * plane.from_bytes', APART),
    defect('scale_unused_bits_kept', 'scale', SCALE, '(sample >> plane.shift)', 'sample', APART),
    defect('scale_not_promoted', 'scale', SCALE, 'sample << plane.promote', 'sample', 'scale/promoted/'),
    defect('scale_tiles_too_tall', 'scale_record', RECORD, 'while (rows > 1 && !fits())', 'while (false && !fits())',
           PLAIN, 'bounds', 'bounds'),
    defect('scale_chroma_as_luma', 'scale_record', RECORD, 'places_[p == 0 ? 0 : 1]', 'places_[0]', PLAIN),
    defect('scale_grid_of_the_last_plane', 'scale_record', RECORD, 'std::max(grid.y, blocks_of(plane.height',
           '(blocks_of(plane.height', PLAIN),
    defect('scale_strip_begins_late', 'scale_cpu', CPU, 'done = filter.first[static_cast<size_t>(strip.begin)]',
           'done = filter.first[static_cast<size_t>(strip.begin)] + 1', PLAIN),
    defect('scale_columns_of_the_first_piece', 'scale_cpu', CPU, 'rows[tap] + left', 'rows[tap]',
           'scale/plain/1920x1080to854x480/'),
]
