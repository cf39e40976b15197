#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""An installed package against logs of other builds, for scripts/ci/test-wheel.sh.

    wheel.py make FOLDER           two Y4M clips, r.y4m and d.y4m; needs no more than Python
    wheel.py check FOLDER LOG...   scores them, and their frames: every double has to be that of each log
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import time

WIDTH, HEIGHT, FRAMES = 160, 90, 8
PLANES = (WIDTH, HEIGHT), (WIDTH // 2, HEIGHT // 2), (WIDTH // 2, HEIGHT // 2)


def make(folder):
    generator = random.Random(1)
    with open(folder / "r.y4m", "wb") as reference, open(folder / "d.y4m", "wb") as distorted:
        for file in reference, distorted:
            file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 C420\n".encode())
        for frame in range(FRAMES):
            clean = bytes(int(128 + 50 * math.sin(x / 5 + frame / 4) + 40 * math.cos(y / 7)) +
                          generator.randrange(-3, 4)
                          for width, height in PLANES for y in range(height) for x in range(width))
            step = 24 + 3 * frame
            reference.write(b"FRAME\n" + clean)
            distorted.write(b"FRAME\n" + bytes(sample // step * step for sample in clean))


def frames_of(path):
    data = path.read_bytes()
    at = data.index(b"\n") + 1
    for _ in range(FRAMES):
        at += len(b"FRAME\n")
        planes = []
        for width, height in PLANES:
            planes.append(memoryview(data)[at:at + width * height].cast("B", (height, width)))
            at += width * height
        yield tuple(planes)


def own_log(folder):
    """The log of the wheel's tool, which lies beside this Python."""
    log = folder / "own.json"
    subprocess.run([pathlib.Path(sys.executable).parent / "vmaf_gpu", "-r", folder / "r.y4m", "-d",
                    folder / "d.y4m", "-q", "--json", "--precision", "max", "--backend", "cpu", "-o", log],
                   check=True)
    return log


def check(folder, logs):
    began = time.monotonic()
    import vmaf_gpu

    files = folder / "r.y4m", folder / "d.y4m"
    found = vmaf_gpu.score(*files, device="cpu")
    seconds = time.monotonic() - began
    if len(set(found.column("vmaf"))) != FRAMES:
        sys.exit(f"{FRAMES} different scores are wanted, not {found.column('vmaf')}")
    others = vmaf_gpu.score(*map(frames_of, files), device="cpu")
    compared = 0
    for path in (own_log(folder), *logs):
        frames = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["frames"]
        if len(frames) != FRAMES:
            sys.exit(f"{path}: {len(frames)} frames")
        for pair, other, frame in zip(found.frames, others.frames, frames):
            for name, value in frame["metrics"].items():
                if (pair.scores[name], other.scores[name]) != (value, value):
                    sys.exit(f"{path}: {name} of frame {pair.frame} is {value}, not {pair.scores[name]} of files and "
                             f"{other.scores[name]} of frames")
                compared += 1
    print(f"imported, and two files scored, in {seconds:.1f} s: VMAF {found.score}; {compared} doubles of "
          f"{1 + len(logs)} logs are equal")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("make", "check"):
        sys.exit(__doc__)
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        check(pathlib.Path(sys.argv[2]), sys.argv[3:])
