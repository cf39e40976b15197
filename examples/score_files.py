#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores a distorted video against its reference, and names the worst frames.

    score_files.py DISTORTED REFERENCE

Y4M files are read as they are, others by the ffmpeg in PATH.
"""
import sys

import vmaf_gpu


def main(distorted, reference):
    found = vmaf_gpu.score(reference, distorted)
    print(f"{found.score:.6f} on {found.device.selector}, {len(found.frames)} frames")
    for pair in sorted(found.frames, key=lambda pair: pair.scores["vmaf"])[:3]:
        print(f"frame {pair.frame}: {pair.scores['vmaf']:.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
