# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Raw pictures, 320x192 yuv420p, that carry their number in the chroma planes only.

picture() draws, read_number() reads. Luma does not depend on the number except by what the
picture shows, so a comparison of luma cannot read it. No codec and no file is known here.
"""
import random

WIDTH, HEIGHT = 320, 192
CHROMA_WIDTH, CHROMA_HEIGHT = WIDTH // 2, HEIGHT // 2
LUMA_BYTES = WIDTH * HEIGHT
CHROMA_BYTES = CHROMA_WIDTH * CHROMA_HEIGHT
FRAME_BYTES = LUMA_BYTES + 2 * CHROMA_BYTES

# Two rows of seven blocks of 16x16 chroma samples: 14 bits. Cr carries the inverted bits.
BLOCK, COLUMNS, ROWS = 16, 7, 2
BLOCK_LEFT, BLOCK_TOP = 24, 32
LOW, HIGH = 64, 192
MIN_MARGIN = 32  # least distance to the middle; 128 lie between the two levels
MAX_NUMBER = 1 << (COLUMNS * ROWS)

TEXTURE_WIDTH = 1024
PAN_SPEED = 2  # samples a picture
PATCH = 72
KINDS = ("pan", "local", "still", "ramp", "black")


class NumberError(Exception):
    """The blocks of a picture do not tell its number."""


def _value_noise(rng, cell, amplitude, width, height):
    """Rows of smooth noise with one random value per cell; repeats horizontally."""
    columns = width // cell
    grid = [[rng.uniform(-amplitude, amplitude) for _ in range(columns)]
            for _ in range(height // cell + 2)]
    weights = [(1 - i / cell, i / cell) for i in range(cell)]
    wide = []
    for line in grid:
        wide.append([line[c] * a + line[(c + 1) % columns] * b
                     for c in range(columns) for a, b in weights])
    for y in range(height):
        top, bottom = wide[y // cell], wide[y // cell + 1]
        a, b = weights[y % cell]
        yield [p * a + q * b for p, q in zip(top, bottom)]


def make_texture(seed=1, width=TEXTURE_WIDTH, height=HEIGHT, octaves=((64, 52), (16, 30), (4, 14))):
    """A list of rows (bytes) of large, middle and small structure."""
    rng = random.Random(seed)
    layers = [_value_noise(rng, cell, amplitude, width, height) for cell, amplitude in octaves]
    rows = []
    for lines in zip(*layers):
        rows.append(bytes(max(16, min(235, int(126 + sum(values)))) for values in zip(*lines)))
    return rows


class Scene:
    """Luma of picture n. `kind`: pan, local (only a patch moves), still, ramp (a moving gradient)
    or black."""

    def __init__(self, kind):
        self.kind = kind
        self.rows = [row + row for row in make_texture()]
        self.patch = [row[:PATCH] for row in make_texture(seed=2, width=128)]
        self.ramp = bytes(40 + abs(i % 640 - 320) // 2 for i in range(2 * TEXTURE_WIDTH))

    def luma(self, number):
        if self.kind == "black":
            return bytes([16]) * LUMA_BYTES
        if self.kind == "ramp":
            left = number * PAN_SPEED % 640
            return self.ramp[left:left + WIDTH] * HEIGHT
        left = number * PAN_SPEED % TEXTURE_WIDTH if self.kind == "pan" else 0
        rows = [row[left:left + WIDTH] for row in self.rows]
        if self.kind == "local":
            x = 20 + self._bounce(3 * number, WIDTH - PATCH - 40)
            y = 10 + self._bounce(2 * number, HEIGHT - PATCH - 20)
            for i in range(PATCH):
                row = rows[y + i]
                rows[y + i] = row[:x] + self.patch[i] + row[x + PATCH:]
        return b"".join(rows)

    @staticmethod
    def _bounce(distance, span):
        distance %= 2 * span
        return min(distance, 2 * span - distance)


_scenes = {}


def scene(kind):
    if kind not in KINDS:
        raise ValueError(f"no content '{kind}'")
    if kind not in _scenes:
        _scenes[kind] = Scene(kind)
    return _scenes[kind]


def number_planes(number):
    """Cb and Cr of a picture with this number."""
    if not 0 <= number < MAX_NUMBER:
        raise ValueError(f"number {number} does not fit {COLUMNS * ROWS} bits")
    planes = []
    for inverted in (0, 1):
        neutral = bytes([128]) * CHROMA_WIDTH
        lines = [neutral] * CHROMA_HEIGHT
        for row in range(ROWS):
            bits = [number >> (row * COLUMNS + column) & 1 for column in range(COLUMNS)]
            line = bytes([128]) * BLOCK_LEFT
            line += b"".join(bytes([HIGH if bit != inverted else LOW]) * BLOCK for bit in bits)
            line += bytes([128]) * (CHROMA_WIDTH - len(line))
            top = BLOCK_TOP + row * BLOCK
            lines[top:top + BLOCK] = [line] * BLOCK
        planes.append(b"".join(lines))
    return b"".join(planes)


def picture(kind, number):
    return scene(kind).luma(number) + number_planes(number)


def read_number(frame, below=0):
    """The number that a decoded picture carries, `below` chroma rows under the usual place;
    NumberError if any block is doubtful."""
    if len(frame) != FRAME_BYTES:
        raise NumberError(f"a picture of {len(frame)} bytes instead of {FRAME_BYTES}")
    number = 0
    inner, skip = BLOCK // 2, BLOCK // 4
    for bit in range(COLUMNS * ROWS):
        top = BLOCK_TOP + below + bit // COLUMNS * BLOCK + skip
        left = BLOCK_LEFT + bit % COLUMNS * BLOCK + skip
        total = [0, 0]
        for plane in (0, 1):
            start = LUMA_BYTES + plane * CHROMA_BYTES + top * CHROMA_WIDTH + left
            for line in range(0, inner, 2):
                at = start + line * CHROMA_WIDTH
                total[plane] += sum(frame[at:at + inner])
        margin = (total[0] - total[1]) / (inner * inner // 2)
        if abs(margin) < MIN_MARGIN:
            raise NumberError(f"bit {bit} of a number has margin {margin:.1f}")
        number |= (margin > 0) << bit
    return number


def frames(stream):
    """Each picture of a file object with raw yuv420p."""
    while frame := stream.read(FRAME_BYTES):
        yield frame
