# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the tests of the Python package share: clips as numpy frames and as Y4M files, and the
command-line tool's log of them, whose doubles the package's have to equal.

VMAFGPU_TEST_TOOL names the tool.
"""
import atexit
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

TOOL = os.environ["VMAFGPU_TEST_TOOL"]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="vmaf_gpu-python-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
_SPACES = {"400": "mono", "420": "420", "422": "422", "444": "444"}


def sizes(width, height, chroma):
    """(rows, columns) of the planes."""
    if chroma == "400":
        return [(height, width)]
    across = (width + 1) // 2 if chroma in ("420", "422") else width
    down = (height + 1) // 2 if chroma == "420" else height
    return [(height, width), (down, across), (down, across)]


def make(width=51, height=38, chroma="420", depth=8, count=5, seed=1):
    """(reference, distorted): lists of tuples of planes, smooth pictures that move, with noise."""
    rng = np.random.default_rng(seed)
    dtype, top = (np.uint8 if depth == 8 else np.uint16), 2 ** depth - 1
    both = [], []
    for n in range(count):
        pair = [], []
        for rows, columns in sizes(width, height, chroma):
            y, x = np.mgrid[0:rows, 0:columns]
            clean = 0.5 + 0.4 * np.sin((x + 3 * n) / 5) * np.cos((y - n) / 4)
            noisy = clean * 0.9 + rng.normal(0, 0.04, clean.shape)
            for planes, values in zip(pair, (clean, noisy)):
                planes.append(np.clip(values * top, 0, top).astype(dtype))
        for frames, planes in zip(both, pair):
            frames.append(tuple(planes))
    return both


def write(frames, name, chroma="420", depth=8, rate="25:1"):
    """A Y4M file."""
    path = FOLDER / name
    height, width = frames[0][0].shape
    space = _SPACES[chroma]
    if depth > 8:
        space += f"{depth}" if chroma == "400" else f"p{depth}"
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F{rate} C{space}\n".encode())
        for frame in frames:
            file.write(b"FRAME\n" + b"".join(np.ascontiguousarray(plane).tobytes() for plane in frame))
    return path


def tool(reference, distorted, *words, form="json"):
    """The tool's log with every digit; None as the log's folder is cleaned at the end."""
    log = FOLDER / "tool.log"
    # The device is named, since the log of the best device would name that one.
    subprocess.run([TOOL, "-r", reference, "-d", distorted, "-q", "--backend", "cpu", f"--{form}", "--precision",
                    "max", "-o", log, *words], check=True, timeout=120)
    text = log.read_text()
    return json.loads(text) if form == "json" else text


class ScoreCase(unittest.TestCase):
    """Compares a list of PairScores with a log of the tool: the same pairs, names and doubles."""

    def assert_same_frames(self, pairs, log):
        mine = {pair.frame: pair.scores for pair in pairs if pair.scores is not None}
        theirs = {frame["frameNum"]: frame["metrics"] for frame in log["frames"]}
        self.assertTrue(theirs)
        self.assertEqual(mine.keys(), theirs.keys())
        for frame, metrics in theirs.items():
            self.assertEqual(mine[frame].keys(), metrics.keys())
            for name, value in metrics.items():
                self.assertFalse(math.isnan(float(value)))
                self.assertEqual(mine[frame][name], float(value), (frame, name))

    def assert_same_pooled(self, pooled, log):
        self.assertEqual(pooled.keys(), log["pooled_metrics"].keys())
        for name, values in log["pooled_metrics"].items():
            for method, value in values.items():
                self.assertEqual(pooled[name][method], float(value), (name, method))
