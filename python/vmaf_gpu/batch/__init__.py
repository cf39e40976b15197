# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores many videos, or long ones in chunks, with many processes: docs/user/batch.md.

The unit of work is a task: one range of pairs, one process, one part file. Engines only start tasks.
Standard library only; needs the programs ffmpeg, ffprobe and vmaf_gpu.
"""
