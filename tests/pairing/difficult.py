#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Counter-test of pairing: difficult content whose times are right. Pictures must not overrule them.

    difficult.py FFMPEG                    15 contents x 6 encodes, and twice 14 x 5 with doubtful times
    difficult.py FFMPEG --quick            5 contents x 3 encodes
    difficult.py FFMPEG --clip FILE...     the same encodes of clips of your own

Right times: every pair by number, no correction. Main 1.3 frames late, as audio beside video does
it: by number ("right") or said to be undecided; KNOWN_LATE names the exceptions. First two frames missing, times kept:
by time; a few strong fades and gradients are known to be taken for late (--known).
"""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True

import files  # noqa: E402
import run  # noqa: E402
from cases import MORE, Input, Row, seconds  # noqa: E402
from files import Derived  # noqa: E402

RATE, FRAMES = "25", 100
KNOWN_WRONG = 4  # wrong pairs that are known, of 70 with the first two frames missing
# Late by 1.3 frames: main's blended pictures stand for the frame before, so that a correction by
# one frame is what the pictures say.
KNOWN_LATE = {"blending"}
SLOW_PAN = "scale=1280:768:flags=bilinear,crop=1200:720:x=n/2:y=0:exact=1,scale=320:192"


def pictures(function):
    return tuple(function(n) for n in range(FRAMES))


# name: (kind, pictures, filter of the source, filter of main)
CONTENTS = {
    "fade out": ("pan", None, "fade=t=out:s=10:n=80", ""),
    "dark": ("pan", None, "lutyuv=y=16+(val-16)/12", ""),
    "noise": ("still", None, "noise=c0s=70:c0f=t+u:all_seed=7", ""),
    "blending": ("pan", None, "", "tmix=frames=3"),
    "cuts": ("pan", pictures(lambda n: n + n // 5 * 37), "", ""),
    "fade in": ("local", None, "fade=t=in:s=0:n=90", ""),
    "gradient": ("ramp", None, "", ""),
    "black": ("black", None, "", ""),
    "static": ("still", None, "", ""),
    "flicker": ("still", None, "geq=lum='clip(lum(X,Y)+30*(mod(N,2)-0.5),16,235)':cb=128:cr=128", ""),
    "strobe": ("pan", pictures(lambda n: n % 2 * 200), "", ""),
    "telecine": ("pan", pictures(lambda n: n - n // 5), "", ""),
    "temporal denoising": ("pan", None, "noise=c0s=40:c0f=t+u:all_seed=9", "hqdn3d=12:9:20:15"),
    "slow pan": ("still", None, SLOW_PAN, ""),
    "cyclic": ("pan", pictures(lambda n: n % 6), "", ""),
}
ENCODES = (("h264", 23), ("h264", 51), ("vp9", 50), ("h264", 37), ("hevc", 45), ("mpeg4", 51))
LEFT_OUT = "black"  # nothing to decide
QUICK = {"fade out", "dark", "noise", "blending", "cuts"}
QUICK_ENCODES = 3


def source(name):
    kind, numbers, vf, _ = CONTENTS[name]
    return files.clip("mp4", "h264", RATE, numbers=numbers or range(FRAMES), kind=kind, vf=vf,
                      quality=8)


def encoded(original, codec, quality, vf=""):
    return Derived(original, "mkv", codec, quality, vf=vf)


class CounterTest:
    def __init__(self, arguments):
        self.ffmpeg = Path(arguments.ffmpeg).resolve()
        self.kitchen = files.Kitchen(Path(arguments.work).resolve())
        self.options = "pair=auto:backend=cpu:n_subsample=1000" + arguments.options
        self.jobs = arguments.jobs
        self.originals = [(name, source(name), CONTENTS[name][3]) for name in CONTENTS
                          if not arguments.quick or name in QUICK]
        self.encodes = ENCODES[:QUICK_ENCODES] if arguments.quick else ENCODES
        if arguments.clip:
            self.originals = [(Path(c).name, scaled(c), "") for c in arguments.clip]
        self.faults = []
        self.known_wrong = arguments.known

    def rows(self, left_out=None, encodes=None, missing=0, late=0):
        for name, original, vf in self.originals:
            if name == left_out:
                continue
            chain = ",".join(f for f in (vf, f"select='gte(n,{missing})'" if missing else "") if f)
            before = ("-itsoffset", seconds(missing + late, RATE)) if missing + late else ()
            for codec, quality in encodes or self.encodes:
                main = Input(encoded(original, codec, quality, chain), before)
                yield Row(MORE, f"{name}, {codec} {quality}", main, Input(original))

    def outcomes(self, rows):
        def one(row):
            try:
                outcome = run.run(self.ffmpeg, self.kitchen, row, self.options)
                if not outcome.log:
                    raise run.RunError("the log has no object pairing")
                return outcome
            except run.RunError as error:
                self.faults.append(f"{row.name}: {error}")
                return None

        rows = list(rows)
        with ThreadPoolExecutor(self.jobs) as executor:
            return [(row, got) for row, got in zip(rows, executor.map(one, rows)) if got]

    def right_times(self):
        done = corrected = 0
        for row, got in self.outcomes(self.rows()):
            done += 1
            strays = [(n, m) for n, m in got.lines if n != m]
            if strays or not got.lines or got.log["corrections"]:
                corrected += 1
                self.faults.append(f"{row.name}, right times: {got.log['corrections']} corrections, "
                                   f"{len(strays)} pairs not by number, first {strays[:1]}")
        print(f"right times: {done} pairs of files, the pictures overruled the times {corrected} times")

    def doubtful(self, title, by_number_is_right, missing, late):
        """Counts of right, undecided and wrong, for a beginning that the times do not tell."""
        tally = {"right": 0, "undecided": 0, "wrong": []}
        step = 0 if by_number_is_right else missing
        for row, got in self.outcomes(self.rows(LEFT_OUT, self.encodes[:5], missing, late)):
            inner = [(n, m) for n, m in got.lines if m is not None]
            is_right = inner and all(m == n + step for n, m in inner)
            if got.log["start"] == "undecided":
                tally["undecided"] += 1
            elif is_right:
                tally["right"] += 1
            else:
                tally["wrong"].append(row.name)
        total = tally["right"] + tally["undecided"] + len(tally["wrong"])
        print(f"{title}: {total} pairs of files, {tally['right']} decided right, "
              f"{tally['undecided']} undecided, {len(tally['wrong'])} wrong"
              + "".join(f"\n  wrong: {name}" for name in tally["wrong"]))
        return tally["wrong"]

    def run(self):
        self.right_times()
        wrong = self.doubtful("1.3 frames late", True, 0, 1.3)
        self.faults += [f"{name}, 1.3 frames late: the decision is wrong" for name in wrong
                        if name.split(",")[0] not in KNOWN_LATE]
        if len(self.doubtful("first 2 missing", False, 2, 0)) > self.known_wrong:
            self.faults.append(f"first 2 missing: more than {self.known_wrong} decisions are wrong")


def scaled(path):
    """A clip of the user's as the test takes it."""
    return Derived(files.given(path), "mp4", "h264", 8,
                   vf=f"fps={RATE},scale=320:192,setsar=1,format=yuv420p",
                   out=("-frames:v", str(FRAMES), "-an"))


def parse_arguments(text):
    parser = argparse.ArgumentParser(description=text.split("\n")[0])
    parser.add_argument("ffmpeg", help="the FFmpeg under test, with the filter vmaf_gpu")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--clip", nargs="+", metavar="FILE")
    parser.add_argument("--known", type=int, default=KNOWN_WRONG, metavar="N",
                        help="wrong decisions allowed with the first two frames missing")
    parser.add_argument("--work", default="build/pairing", help="where the files are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--options", default="", help="more options of the filter, with ':' before")
    return parser.parse_args()


def main(kind, text):
    test = kind(parse_arguments(text))
    test.kitchen.check([row.main.file for row in test.rows()])
    test.run()
    if test.faults:
        print(f"\n{len(test.faults)} faults:", *test.faults, sep="\n  ")
    sys.exit(bool(test.faults))


if __name__ == "__main__":
    main(CounterTest, __doc__)
