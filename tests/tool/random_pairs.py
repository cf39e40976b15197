#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Random pairs of pictures: a backend gives every digit of the CPU's logs, or refuses what the CPU refuses.

    random_pairs.py TOOL BACKEND [--count 300] [--seed N] [--features ssimulacra2] [--largest 700]
                    [--real FILE.y4m] [--group N]

BACKEND is as in --backend and --device of the tool: cuda, cuda:1, hip, emu32. It needs the tool and Python,
nothing else. The seed is printed; `--seed N --group G` makes group G once more.
"""
import argparse
import array
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

# Name: the tool's --pixel_format, and how many samples of luma a sample of chroma covers.
LAYOUTS = {"4:2:0": ("420", 2, 2), "4:2:2": ("422", 2, 1), "4:4:4": ("444", 1, 1), "RGB": ("444", 1, 1)}
DEPTHS = (8, 10, 12, 16)
READINGS = ("", "matrix=bt709", "matrix=bt601:range=pc", "range=pc")
SIDES = (17, 18, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 257)
REFUSED = 17     # sides below it are drawn less often
MOST_SAMPLES = 1_500_000  # limit of the luma of a group
ADDED = [bytes((i + k) & 255 for i in range(256)) for k in range(256)]


@dataclass
class Geometry:
    width: int
    height: int
    depth: int
    layout: str
    reading: str  # options of ssimulacra2

    def planes(self):
        _, across, down = LAYOUTS[self.layout]
        chroma = (-(-self.width // across), -(-self.height // down))
        return [(self.width, self.height), chroma, chroma]

    def __str__(self):
        return f"{self.width}x{self.height}, {self.layout}, {self.depth} bits, '{self.reading}'"


# ----------------------------------------------------- what a picture shows: 8 bits of each sample

def flat(rng, width, height):
    return bytes([rng.choice((0, 16, 128, 235, 255, rng.randrange(256)))]) * (width * height)


def noise(rng, width, height):
    return random_bytes(rng, width * height)


def gradient(rng, width, height):
    right, down = rng.randrange(64), rng.randrange(64)
    row = bytes((x * right >> 4) & 255 for x in range(width))
    return b"".join(row.translate(ADDED[(y * down >> 4) & 255]) for y in range(height))


def shapes(rng, width, height):
    """Ellipses and rectangles before a gradient."""
    plane = bytearray(gradient(rng, width, height))
    for _ in range(rng.randrange(2, 12)):
        x, y = rng.randrange(width), rng.randrange(height)
        radii = rng.randrange(1, width // 2 + 2), rng.randrange(1, height // 2 + 2)
        is_round, value = rng.random() < 0.5, bytes([rng.randrange(256)])
        for row in range(max(y - radii[1], 0), min(y + radii[1], height)):
            part = 1 - ((row - y) / radii[1]) ** 2 if is_round else 1
            half = int(radii[0] * part ** 0.5)
            begin, end = max(x - half, 0), min(x + half, width)
            plane[row * width + begin:row * width + end] = value * (end - begin)
    return bytes(plane)


CONTENTS = {"flat": flat, "noise": noise, "gradient": gradient, "shapes": shapes}


class Real:
    """Luma of the pictures of a Y4M file of 8 bits, cropped; too small a picture is repeated."""

    def __init__(self, path):
        with open(path, "rb") as file:
            fields = file.readline().decode().split()
            start = file.tell()
            self.data = file.read(1 << 28)
        values = {field[0]: field[1:] for field in reversed(fields[1:])}
        if fields[:1] != ["YUV4MPEG2"] or not values.get("C", "420").startswith("420") or "p" in values.get("C", ""):
            sys.exit(f"--real: {path} is no Y4M file with C420 or C420jpeg")
        self.width, self.height = int(values["W"]), int(values["H"])
        chroma = -(-self.width // 2) * -(-self.height // 2)
        self.stride = len(b"FRAME\n") + self.width * self.height + 2 * chroma
        self.count = len(self.data) // self.stride
        if self.count == 0:
            sys.exit(f"--real: {path} has no picture behind byte {start}")

    def __call__(self, rng, width, height):
        begin = rng.randrange(self.count) * self.stride + len(b"FRAME\n")
        left = rng.randrange(max(self.width - width, 0) + 1)
        top = rng.randrange(max(self.height - height, 0) + 1)
        rows = []
        for y in range(height):
            at = begin + (top + y) % self.height * self.width
            row = self.data[at:at + self.width]
            rows.append((row[left:] + row * (width // self.width + 1))[:width])
        return b"".join(rows)


# --------------------------------------------------------------- samples, as bytes and as integers

def random_bytes(rng, count):
    return rng.getrandbits(8 * count).to_bytes(count, "little") if count else b""


def bytes_of(depth):
    return 1 if depth == 8 else 2


def each(value, data, depth):
    """An integer that has `value` in the place of every sample."""
    size = bytes_of(depth)
    return int.from_bytes(value.to_bytes(size, "little") * (len(data) // size), "little")


def encoded(rng, plane, depth):
    """Samples of `depth` bits, of which `plane` has the upper 8."""
    if depth == 8:
        return plane
    low = bytes(2 * len(plane)) if rng.random() < 0.3 else random_bytes(rng, 2 * len(plane))
    high = bytearray(2 * len(plane))
    high[0::2] = plane
    whole = int.from_bytes(high, "little") << (depth - 8)
    whole |= int.from_bytes(low, "little") & each((1 << (depth - 8)) - 1, low, depth)
    return whole.to_bytes(2 * len(plane), "little")


# --------------------------------------------------------------- what happened to a distorted plane

def identical(_rng, data, _depth, _width):
    return data


def noisy(rng, data, depth, _width):
    mask = each((1 << rng.randrange(1, depth + 1)) - 1, data, depth)
    changed = int.from_bytes(data, "little") ^ int.from_bytes(random_bytes(rng, len(data)), "little") & mask
    return changed.to_bytes(len(data), "little")


def blurred(rng, data, depth, width):
    """Means with the sample to the right and the one below."""
    mask = each((1 << (depth - 1)) - 1, data, depth)
    for _ in range(rng.randrange(1, 4)):
        for step in (bytes_of(depth), bytes_of(depth) * width):
            a, b = (int.from_bytes(one, "little") for one in (data, data[step:] + data[:step]))
            data = ((a & b) + ((a ^ b) >> 1 & mask)).to_bytes(len(data), "little")
    return data


def shifted(rng, data, depth, width):
    step = rng.choice((1, 2, width, rng.randrange(1, 4 * width))) * bytes_of(depth) % len(data)
    return data[step:] + data[:step]


def offset(rng, data, depth, _width):
    most, step = (1 << depth) - 1, rng.choice((1, 2, rng.randrange(1, 1 << (depth - 1)))) * rng.choice((-1, 1))
    table = [min(max(value + step, 0), most) for value in range(most + 1)]
    kind = "B" if depth == 8 else "H"
    return array.array(kind, map(table.__getitem__, array.array(kind, data))).tobytes()


DIFFERENCES = {"identical": identical, "noise": noisy, "blur": blurred, "shift": shifted, "offset": offset}


# ------------------------------------------------------------------------------------------- groups

def draw_side(rng, largest):
    kind = rng.random()
    if kind < 0.03:
        return rng.randrange(1, REFUSED)
    if kind < 0.35:
        return min(rng.choice(SIDES), largest)
    return rng.randrange(REFUSED, 1 + (min(largest, 200) if kind < 0.8 else largest))


def draw_geometry(rng, largest):
    sides = [draw_side(rng, largest), draw_side(rng, largest)]
    if rng.random() < 0.15:
        sides = [rng.randrange(REFUSED, REFUSED + 8), rng.randrange(min(largest, 300), largest + 1)]
        rng.shuffle(sides)
    layout = rng.choice(list(LAYOUTS))
    return Geometry(*sides, rng.choice(DEPTHS), layout, "matrix=gbr" if layout == "RGB" else rng.choice(READINGS))


def make_pair(rng, geometry, contents):
    """Returns what the pair is, and the bytes of its two pictures."""
    content, difference = rng.choice(list(contents)), rng.choice(list(DIFFERENCES))
    only = rng.choice((None, None, 0, 1, 2))  # the plane that differs; None: all
    pictures = [[], []]
    for number, (width, height) in enumerate(geometry.planes()):
        plane = encoded(rng, contents[content](rng, width, height), geometry.depth)
        pictures[0].append(plane)
        is_equal = only is not None and number != only
        pictures[1].append(plane if is_equal else DIFFERENCES[difference](rng, plane, geometry.depth, width))
    where = "" if only is None else f" of plane {only}"
    return f"{content}, {difference}{where}", *(b"".join(picture) for picture in pictures)


def write_group(rng, folder, geometry, contents, count):
    """The files r and d; the pairs in words."""
    names = []
    with open(folder / "r", "wb") as reference, open(folder / "d", "wb") as distorted:
        for _ in range(count):
            name, first, second = make_pair(rng, geometry, contents)
            reference.write(first)
            distorted.write(second)
            names.append(name)
    return names


class Runner:
    """Runs of the tool over the files of a folder."""

    def __init__(self, tool, folder, features):
        self.tool, self.folder, self.features = os.path.abspath(tool), folder, features

    def score(self, geometry, backend):
        """The log with numbers as text, or why there is none."""
        words = [self.tool, "-r", "r", "-d", "d", "-w", geometry.width, "-h", geometry.height, "-b", geometry.depth,
                 "-p", LAYOUTS[geometry.layout][0], "-n", "-q", "--json", "--precision", "max", "--overwrite", "-o",
                 "log.json"]
        words += ["--device", backend] if ":" in backend else ["--backend", backend]
        for name in self.features:
            is_read = name == "ssimulacra2" and geometry.reading
            words += ["--feature", f"{name}={geometry.reading}" if is_read else name]
        done = subprocess.run(list(map(str, words)), cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=600)
        if done.returncode != 0:
            return None, f"status {done.returncode}: {done.stderr.strip()}"
        with open(self.folder / "log.json", encoding="utf-8") as file:
            return json.load(file, parse_float=str, parse_int=str, parse_constant=str), ""


class Counts:
    def __init__(self, seed):
        self.seed, self.equal, self.refused, self.different = seed, 0, 0, 0

    def fault(self, group, geometry, pairs, text):
        self.different += pairs
        print(f"DIFFERENT: --seed {self.seed} --group {group}: {geometry}: {text}", flush=True)

    def add(self, group, geometry, names, logs, backend):
        """Compares the logs of one group. Status 1 is the tool's refusal; others are crashes."""
        (cpu, cpu_text), (other, other_text) = logs
        if cpu is None or other is None:
            if cpu is None and other is None and cpu_text == other_text and cpu_text.startswith("status 1: vmaf_gpu: "):
                self.refused += len(names)
            else:
                self.fault(group, geometry, len(names), f"cpu: {cpu_text or 'a log'}; {backend}: {other_text or 'a log'}")
            return
        if other["vmaf_gpu"]["backend"] == "cpu" or other["vmaf_gpu"].get("host_features"):
            self.fault(group, geometry, len(names), f"{backend} left features to the CPU")
            return
        self.add_frames(group, geometry, names, cpu, other)

    def add_frames(self, group, geometry, names, cpu, other):
        found = self.different
        for index, name in enumerate(names):
            frames = [log["frames"][index] if index < len(log["frames"]) else None for log in (cpu, other)]
            if frames[0] == frames[1] and frames[0] is not None and frames[0]["metrics"]:
                self.equal += 1
            else:
                self.fault(group, geometry, 1, f"pair {index} ({name}): cpu {frames[0]}, other {frames[1]}")
        for key in ("pooled_metrics", "aggregate_metrics"):
            if found == self.different and cpu.get(key) != other.get(key):
                self.equal -= len(names)
                self.fault(group, geometry, len(names), f"{key}: cpu {cpu.get(key)}, other {other.get(key)}")


def compare(args, folder):
    contents = dict(CONTENTS, **({"real": Real(args.real)} if args.real else {}))
    runner, counts = Runner(args.tool, folder, args.features.split(",")), Counts(args.seed)
    left, group = args.count, 0
    while left > 0:
        rng = random.Random(f"{args.seed}/{group}")
        geometry = draw_geometry(rng, args.largest)
        area = geometry.width * geometry.height
        pairs = 1 if min(geometry.width, geometry.height) < REFUSED else min(rng.randrange(1, 9), MOST_SAMPLES // area + 1)
        if args.group in (None, group):
            names = write_group(rng, folder, geometry, contents, pairs)
            logs = [runner.score(geometry, backend) for backend in ("cpu", args.backend)]
            counts.add(group, geometry, names, logs, args.backend)
        left -= pairs
        group += 1
    return counts


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 2)[1].strip())
    parser.add_argument("tool", type=Path)
    parser.add_argument("backend")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--group", type=int)
    parser.add_argument("--features", default="ssimulacra2")
    parser.add_argument("--largest", type=int, default=700)
    parser.add_argument("--real", type=Path)
    args = parser.parse_args()
    if args.largest < SIDES[0] + 8:
        parser.error(f"--largest: {args.largest} is not allowed; expected {SIDES[0] + 8} or more")
    print(f"random pairs: --seed {args.seed}, {args.backend} against cpu", flush=True)
    with tempfile.TemporaryDirectory() as name:
        counts = compare(args, Path(name))
    print(f"random pairs: {counts.equal} equal, {counts.refused} refused alike, {counts.different} DIFFERENT")
    if counts.equal == 0:
        print("FAILED: nothing was compared")
    return 1 if counts.different or counts.equal == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
