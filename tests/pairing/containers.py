#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores do not depend on the container: eight rates, remuxed from MP4 to Matroska, QuickTime and
MPEG-TS, as reference, as main and as both, against MP4 with MP4. All numbers of the log must be
equal to the last digit: those of each frame, and the pooled ones.

    containers.py FFMPEG            72 comparisons
    containers.py FFMPEG --quick    18: two rates
"""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True

import files  # noqa: E402
import run  # noqa: E402
from cases import MORE, Input, Row  # noqa: E402

RATES = ("23.976", "59.94", "24", "25", "29.97", "30", "50", "60")
CONTAINERS = ("mkv", "mov", "ts")
SIDES = ("reference", "main", "both")
QUICK_RATES = 2
FRAMES = 60


def scores(document):
    """All numbers that are scores."""
    frames = [frame["metrics"] for frame in document["frames"]]
    if len(frames) != FRAMES or "vmaf" not in frames[0]:
        raise run.RunError(f"{len(frames)} frames in the log instead of {FRAMES}")
    return frames, document["pooled_metrics"]


def first_difference(got, wanted):
    (frames, pooled), (other_frames, other_pooled) = got, wanted
    for number, (frame, other) in enumerate(zip(frames, other_frames)):
        for key in other:
            if frame.get(key) != other[key]:
                return f"frame {number}, {key}: {frame.get(key)} instead of {other[key]}"
    return None if pooled == other_pooled else "pooled metrics differ"


def rows(rate):
    """MP4 with MP4 first, then the others."""
    main = files.clip("mp4", rate=rate, frames=FRAMES, quality=32)
    reference = files.clip("mp4", rate=rate, frames=FRAMES, quality=12)
    yield Row(MORE, f"{rate} mp4", Input(main), Input(reference))
    for ext in CONTAINERS:
        for side in SIDES:
            a = main if side == "reference" else files.remux(main, ext)
            b = reference if side == "main" else files.remux(reference, ext)
            yield Row(MORE, f"{rate} {ext} as {side}", Input(a), Input(b))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ffmpeg", help="the FFmpeg under test, with the filter vmaf_gpu")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--work", default="build/pairing", help="where the files are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--options", default=":backend=cpu:n_threads=1",
                        help="more options of the filter, each with ':' before it")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    kitchen = files.Kitchen(Path(arguments.work).resolve())
    kitchen.check([row.main.file for rate in RATES for row in rows(rate)])
    ffmpeg = Path(arguments.ffmpeg).resolve()

    def score(row):
        try:
            outcome = run.run(ffmpeg, kitchen, row, f"precision=max{arguments.options}",
                              wants_trace=False)
            return scores(outcome.document)
        except run.RunError as error:
            return str(error)

    faults, equal, compared = [], 0, 0
    for rate in RATES[:QUICK_RATES] if arguments.quick else RATES:
        of_rate = list(rows(rate))
        with ThreadPoolExecutor(arguments.jobs) as executor:
            results = list(executor.map(score, of_rate))
        if isinstance(results[0], str):
            faults.append(f"{of_rate[0].name}: {results[0]}")
            continue
        for row, got in zip(of_rate[1:], results[1:]):
            compared += 1
            text = got if isinstance(got, str) else first_difference(got, results[0])
            if text:
                faults.append(f"{row.name}: {text}")
            equal += not text
    print(f"{equal} of {compared} scores are those of mp4 with mp4")
    if faults:
        print(f"{len(faults)} faults:", *faults, sep="\n  ")
    sys.exit(bool(faults) or not compared)


if __name__ == "__main__":
    main()
