#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How far libjxl's program `ssimulacra2` of this machine is from the feature of that name.

    test_ssimulacra2.py TOOL         exits 77 if there is no such program

The feature equals version 2.1 on x86-64 with FMA. A program of another processor, or built with
other flags, differs by some hundredths; one of version 2.0 (libjxl 0.8 and before) by points. So
the distances are printed, and only a program that gives no score is a failure.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = [(64, 64), (127, 129), (320, 180)]


def triangle(t, p):
    return p - 1 - abs(t % (2 * p) - p + 0.5) // 1


def smooth(x, y, c):
    return int(2 * triangle(x + 17 * c, 96) + triangle(y + 31 * c, 64)) & 255


def pictures(width, height):
    """Name, reference and distorted samples as functions of (x, y, plane)."""
    def noisy(x, y, c):
        return (smooth(x, y, c) + (x * 7919 + y * 104729 + c * 31) // 13 % 16) & 255

    def blocks(x, y, c):
        return noisy(x & ~7, y & ~7, c)

    def coarse(x, y, c):
        return noisy(x, y, c) & ~7 | 4

    def shifted(x, y, c):
        return noisy(min(x + 1, width - 1), y, c)

    return [("equal", noisy, noisy), ("coarse", noisy, coarse), ("blocks", noisy, blocks),
            ("shifted", smooth, shifted)]


def write(folder, name, size, sample):
    """Writes a picture as PPM for the program and as planes of G, B and R for the tool."""
    width, height = size
    planes = [bytes(sample(x, y, c) for y in range(height) for x in range(width))
              for c in range(3)]
    pixels = bytes(value for pixel in zip(*planes) for value in pixel)
    ppm, raw = folder / f"{name}.ppm", folder / f"{name}.gbr"
    ppm.write_bytes(b"P6\n%d %d\n255\n" % size + pixels)
    raw.write_bytes(planes[1] + planes[2] + planes[0])
    return ppm, raw


def ours(tool, size, reference, distorted):
    done = subprocess.run(
        [tool, "-r", reference, "-d", distorted, "-w", str(size[0]), "-h", str(size[1]),
         "-p", "444", "-b", "8", "-n", "-q", "--feature", "ssimulacra2=matrix=gbr", "--csv",
         "--precision", "8",
         "-o", "/dev/stdout"], check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[1].split(",")[1])


def theirs(program, reference, distorted):
    done = subprocess.run([program, reference, distorted], check=True, capture_output=True,
                          text=True)
    return float(re.search(r"-?\d+\.\d+", done.stdout).group())


def main(tool):
    program = shutil.which("ssimulacra2")
    if program is None:
        print("SKIPPED: libjxl's program ssimulacra2 is not installed (libjxl-devtools has it from "
              "libjxl 0.8 on)")
        return 77
    farthest = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in SIZES:
            for content, reference, distorted in pictures(*size):
                first = write(folder, "r", size, reference)
                second = write(folder, "d", size, distorted)
                wanted = theirs(program, first[0], second[0])
                score = ours(tool, size, first[1], second[1])
                farthest = max(farthest, abs(score - wanted))
                print(f"{size[0]}x{size[1]} {content}: {score:.8f}, the program {wanted:.8f}, "
                      f"difference {score - wanted:+.8f}")
    print(f"ssimulacra2: farthest {farthest:.8f}" +
          ("; as far as another version is" if farthest > 2 else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
