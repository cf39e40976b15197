# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Pairs of files that do not belong together, made of the sketches of pairs that do. Contents that repeat or stand
still tell nothing: replay.py counts what is said, and compares two checkouts.
"""
from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Iterator, NamedTuple

WIDTH, HEIGHT = 64, 36
BYTES = WIDTH * HEIGHT
HEAD = struct.Struct("<5q")
LEAST = 60  # frames of a pair, half of them behind the change


class Stored(NamedTuple):
    """An input as replay.cpp reads it."""

    head: tuple[int, ...]
    times: tuple[int, ...]
    sketches: list[bytes]

    @classmethod
    def read(cls, path: Path) -> Stored:
        data = path.read_bytes()
        count, *head = HEAD.unpack_from(data)
        times = struct.unpack_from(f"<{count}q", data, HEAD.size)
        begin = HEAD.size + 16 * count  # a time and a number of each frame
        return cls(tuple(head), times, [data[at:at + BYTES] for at in range(begin, len(data), BYTES)])

    def write(self, path: Path, sketches: list[bytes]) -> Path:
        """Writes other pictures with these times."""
        count = len(sketches)
        path.write_bytes(HEAD.pack(count, *self.head) + struct.pack(f"<{2 * count}q", *self.times[:count], *range(count)) +
                         b"".join(sketches))
        return path


def turned(sketch: bytes, is_mirrored: bool, is_upside_down: bool) -> bytes:
    rows = [sketch[at:at + WIDTH] for at in range(0, BYTES, WIDTH)]
    rows = rows[::-1] if is_upside_down else rows
    return b"".join(row[::-1] if is_mirrored else row for row in rows)


def placed(sketch: bytes, left: float, top: float, width: float, height: float) -> bytes:
    """What a part of the picture, in parts of its size, shows at full size. The nearest samples are taken."""
    columns = [min(WIDTH - 1, int((left + width * (x + 0.5) / WIDTH) * WIDTH)) for x in range(WIDTH)]
    rows = [min(HEIGHT - 1, int((top + height * (y + 0.5) / HEIGHT) * HEIGHT)) for y in range(HEIGHT)]
    return bytes(sketch[row * WIDTH + column] for row in rows for column in columns)


PLACES = ((0.1, 0.1, 0.8, 0.8), (0, 0.12, 1, 0.76), (0.12, 0, 0.76, 1), (0.05, 0, 0.95, 1), (0, 0, 1, 0.95))


def made_of(main: Stored, reference: Stored, number: int) -> Iterator[tuple[str, list[bytes], list[bytes]]]:
    """(kind, sketches of main, sketches of the reference)."""
    pictures, others, middle = main.sketches, reference.sketches, len(main.sketches) // 2
    for jump in (3, 12):
        yield f"jumps {jump} ahead", pictures[:middle] + pictures[middle + jump:], others
        yield f"{jump} more in the middle", pictures[:middle] + pictures[middle:middle + 1] * jump + pictures[middle:-jump], others
    for frames in (1, 5, 30):
        yield f"{frames} late", pictures[frames:], others
        yield f"{frames} early", pictures, others[frames:]
    yield "turned", [turned(one, number % 3 != 1, number % 3 != 0) for one in pictures], others
    yield "cropped or moved", [placed(one, *PLACES[number % len(PLACES)]) for one in pictures], others
    swapped = list(pictures)
    for at in range(number % 2, len(pictures) - 1, 2 + number % 3):
        swapped[at:at + 2] = swapped[at:at + 2][::-1]
    yield "neighbours swapped", swapped, others


def pairs(paths: list[tuple[Path, Path]], folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """(kind, main, reference). paths: those of pairs that belong together."""
    choose = random.Random(1)
    references = sorted({reference for _, reference in paths})
    folder.mkdir(exist_ok=True)
    for number, (main_path, reference_path) in enumerate(paths):
        main, reference = Stored.read(main_path), Stored.read(reference_path)
        if len(main.sketches) < LEAST:
            continue
        yield "another video", main_path, choose.choice([path for path in references if path != reference_path])
        for kind, mains, others in made_of(main, reference, number):
            name = f"{number}-{kind.replace(' ', '-')}"
            yield kind, main.write(folder / f"{name}-main", mains), reference.write(folder / f"{name}-reference", others)
