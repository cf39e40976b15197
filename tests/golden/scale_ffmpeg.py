#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The engine's scaler against FFmpeg's `scale=W:H:flags=bicubic+accurate_rnd+bitexact`, every sample
of every plane. FFmpeg scales at the time of the test: nothing expected is stored.

    tests/golden/scale_ffmpeg.py build/tests/golden/scale_raw [ffmpeg] [--random N] [--seed N]

--random adds cases of random size, depth, chroma and ratio. Exits 1 if a sample differs.
"""
import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

CHROMA = {"400": "gray", "420": "yuv420p", "422": "yuv422p", "444": "yuv444p"}
SHIFT = {"400": (0, 0), "420": (1, 1), "422": (1, 0), "444": (0, 0)}
DEPTHS = (8, 9, 10, 12, 14, 16)

# from, to; the ratios of ladders, 1.2 to 4 both ways, odd sides, one side alone, 16 and nearly 1.
SIZES = [
    ("96x54", "192x108"), ("64x36", "192x108"), ("48x27", "192x108"), ("128x72", "192x108"),
    ("160x90", "192x108"), ("154x86", "192x108"), ("192x108", "96x54"), ("192x108", "64x36"),
    ("192x108", "48x27"), ("192x108", "160x90"), ("192x108", "128x72"), ("85x47", "191x107"),
    ("191x107", "85x47"), ("33x17", "131x67"), ("131x67", "33x17"), ("17x17", "68x23"),
    ("68x23", "17x17"), ("96x54", "96x108"), ("96x108", "96x54"), ("96x54", "192x54"),
    ("192x54", "96x54"), ("64x100", "150x40"), ("150x40", "64x100"), ("100x60", "101x61"),
    ("101x61", "100x60"), ("18x18", "17x17"), ("17x17", "18x18"), ("17x17", "272x272"),
    ("272x272", "17x17"), ("720x17", "1280x23"), ("1921x19", "1281x37"),
]


def pixel_format(chroma, depth):
    name = CHROMA[chroma]
    return name if depth == 8 else f"{name}{depth}le"


def planes(width, height, chroma):
    yield width, height
    across, down = SHIFT[chroma]
    for _ in range(0 if chroma == "400" else 2):
        yield (width + across) >> across, (height + down) >> down


def to_bytes(samples, depth):
    return array("B" if depth == 8 else "H", samples).tobytes()


def content(rng, kind, width, height, depth):
    """One plane: noise, extremes (each sample 0 or the most), edges, a ramp or smooth waves."""
    most = (1 << depth) - 1
    if kind == "noise":
        return to_bytes((rng.getrandbits(depth) for _ in range(width * height)), depth)
    if kind == "extremes":
        table = bytes(255 if value & 1 else 0 for value in range(256))
        bits = rng.randbytes(width * height).translate(table)
        return bits if depth == 8 else to_bytes((value * most // 255 for value in bits), depth)
    if kind == "edges":
        size = rng.randint(2, 9)
        rows = [to_bytes(((x // size + odd) % 2 * most for x in range(width)), depth)
                for odd in range(2)]
        return b"".join(rows[y // size % 2] for y in range(height))
    if kind == "ramp":
        return b"".join(to_bytes(((x * 7 * most // width + y * 3) & most for x in range(width)),
                                 depth) for y in range(height))
    across = [x * x * most // (2 * width * width) for x in range(width)]
    grain = array("B", rng.randbytes(width * height))
    return b"".join(to_bytes((value + (y * 13 + grain[y * width + x]) * most // (26 * height + 512)
                              for x, value in enumerate(across)), depth) for y in range(height))


def write_input(path, size, chroma, depth, seed):
    rng = random.Random(seed)
    width, height = map(int, size.split("x"))
    with open(path, "wb") as file:
        for kind in ("noise", "extremes", "edges", "ramp", "natural"):
            for plane_width, plane_height in planes(width, height, chroma):
                file.write(content(rng, kind, plane_width, plane_height, depth))


def first_difference(ours, theirs, to, chroma, depth):
    """Where they differ first, for the reader."""
    at = next(i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b)
    sample = 1 if depth == 8 else 2
    sizes = list(planes(*map(int, to.split("x")), chroma))
    frame, rest = divmod(at // sample, sum(w * h for w, h in sizes))
    for index, (width, height) in enumerate(sizes):
        if rest < width * height:
            count = sum(a != b for a, b in zip(ours, theirs))
            return (f"{count} bytes; frame {frame} plane {index} x {rest % width} "
                    f"y {rest // width}")
        rest -= width * height
    return "?"


def compare(tool, ffmpeg, folder, case, seed):
    """None if all samples are equal, else what was wrong."""
    source, to, chroma, depth, code = case
    given, ours, theirs = folder / "in.yuv", folder / "ours.yuv", folder / "theirs.yuv"
    write_input(given, source, chroma, depth, seed)
    done = subprocess.run([tool, code, source, to, chroma, str(depth), given, ours],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip()
    name = pixel_format(chroma, depth)
    subprocess.run(
        [ffmpeg, "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo",
         "-video_size", source, "-pixel_format", name, "-i", given, "-vf",
         "scale=" + to.replace("x", ":") + ":flags=bicubic+accurate_rnd+bitexact",
         "-f", "rawvideo", "-pix_fmt", name, theirs], check=True)
    mine, other = ours.read_bytes(), theirs.read_bytes()
    if not other or len(mine) != len(other):
        return f"{len(mine)} bytes, FFmpeg {len(other)}"
    return None if mine == other else first_difference(mine, other, to, chroma, depth)


def table():
    """Each size with two chroma formats, one of 8 or 10 bits, and another of any depth."""
    subsampled = ("420", "422", "444")
    for number, (source, to) in enumerate(SIZES):
        yield source, to, subsampled[number % 3], 10 if number % 2 else 8
        yield source, to, subsampled[(number + 1) % 3], DEPTHS[number % len(DEPTHS)]
        if number % 5 == 0:
            yield source, to, "400", (8, 10, 12, 16)[number // 5 % 4]


def random_case(rng):
    def other(side):
        ratio = rng.uniform(1.0, 4.0) if rng.random() < 0.8 else rng.uniform(1.0, 16.0)
        result = round(side * ratio if rng.random() < 0.6 else side / ratio)
        return min(max(result, 17, -(-side // 16)), 16 * side, 2000)
    width, height = rng.randint(17, 400), rng.randint(17, 120)
    if rng.random() < 0.05:
        width = rng.randint(400, 2000)
    to = f"{other(width)}x{other(height)}"
    chroma = rng.choice(["420", "420", "422", "444"])
    return f"{width}x{height}", to, chroma, rng.choice(DEPTHS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("ffmpeg", nargs="?", default="ffmpeg")
    parser.add_argument("--code", action="append", help="ref (default) ...")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if shutil.which(options.ffmpeg) is None:
        print(f"no {options.ffmpeg}: scripts/setup.sh installs it")
        return 1
    rng = random.Random(options.seed)
    cases = list(table()) if options.random == 0 else [random_case(rng)
                                                       for _ in range(options.random)]
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="vmafgpu-scale-") as folder:
        for number, case in enumerate(cases):
            for code in options.code or ["ref"]:
                fault = compare(options.tool, options.ffmpeg, Path(folder), (*case, code),
                                options.seed * 100000 + number)
                if fault is not None:
                    wrong += 1
                    print(f"{case[0]} to {case[1]}, {pixel_format(case[2], case[3])}, {code}: "
                          f"{fault}")
    print(f"scale: {len(cases)} cases, {wrong} failed")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
