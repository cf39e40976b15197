#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu score --samples: each window has the scores of the whole run, to the last bit, and the interval says where the mean
of the whole is. What cannot be sampled is refused.

    test_windows.py TOOL [--ffmpeg FFMPEG]      FFMPEG: one with the filter, which scores
"""
import json
import re
import sys

import lab

sys.path.insert(0, str(lab.PACKAGES))
from vmaf_gpu.search import sampling, windows  # noqa: E402 pylint: disable=wrong-import-position

MODELS = ["--model", "vmaf_v0.6.1", "--model", "vmaf_v0.6.1neg", "--feature", "xpsnr", "--feature", "float_motion"]
WINDOWS = ["--samples", "8", "--sample-length", "0.2"]


def scored(table, clip, reference, *words, status=0):
    """What is printed, and the file of --output."""
    path = table.work().with_suffix(".json")
    text = table.run("score", clip, reference, "-o", path, "--devices", "cpu", "--precision", "max", *table.programs, *words,
                     status=status)[1]
    return text, json.loads(path.read_text()) if path.exists() else None


def check_exact(table):
    """Windows of clips whose groups of pictures are open, reordered and of a variable rate."""
    for name in ("open.mp4", "hevc.ts", "vfr.mp4"):
        made = table.clip(name)
        if made is None:
            print(f"SKIPPED: {name}: no such encoder")
            continue
        whole = {frame["frameNum"]: frame["metrics"] for frame in scored(table, *made, *MODELS)[1]["frames"]}
        text, found = scored(table, *made, *MODELS, *WINDOWS)
        windows = [(one["first"], one["last"]) for one in found["windows"]]
        lab.expect(windows == sorted(windows) and len(windows) == 8 and found["frames_of_whole"] == len(whole), f"windows of {name}", windows)
        lab.expect([frame["frameNum"] for frame in found["frames"]] == [n for first, last in windows for n in range(first, last + 1)],
                   f"frames of {name}", found["frames"][:3])
        wrong = [frame["frameNum"] for frame in found["frames"] if frame["metrics"] != whole[frame["frameNum"]]]
        lab.expect(not wrong and windows[0][0] + 6 < windows[-1][0], f"scores of the windows of {name} are those of the whole", wrong)
        lab.expect(re.search(r"^8 windows, \d+ of \d+ frames .* all frames would take at most about \d+ s$", text, re.M), "the cost", text)
        lab.expect(len(re.findall("was made for", text)) == 1, "a warning of two videos is said once", text)


def check_interval(table):
    """Two halves that differ by far: the windows are of both."""
    reference, clip = table.folder / "halves.mkv", table.folder / "halves.mp4"
    lab.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=160x96:r=10:d=20,noise=alls=30:allf=t:all_seed=3", "-f", "lavfi", "-i",
               "gradients=s=160x96:r=10:d=20:seed=1", "-filter_complex", "[1:v]format=yuv420p[g];[0:v]format=yuv420p[t];[t][g]concat",
               "-fflags", "+bitexact", "-c:v", "ffv1", reference)  # the windows follow from its bytes
    lab.ffmpeg("-i", reference, "-c:v", "libx264", "-crf", "38", "-preset", "ultrafast", clip)
    mean = scored(table, clip, reference)[1]["pooled_metrics"]["vmaf"]["mean"]
    text, found = scored(table, clip, reference, "--samples", "8", "--sample-length", "0.5")
    told = found["estimates"]["vmaf"]
    lab.expect(told["interval_95"][0] <= mean <= told["interval_95"][1] and abs(told["mean"] - mean) < 5, "the interval", (mean, told))
    low, high = told["interval_95"]
    lab.expect(f"95 % interval of the mean: {low:.6f} to {high:.6f}" in text and f": {told['mean']:.6f}" in text, "what is printed", text)
    halves = [one["first"] >= 200 for one in found["windows"]]
    lab.expect(sum(halves) == 4, "windows of both halves", found["windows"])
    for _ in range(2):  # the second time replaces the file, and nothing stays of the first
        text = table.run("score", clip, reference, *WINDOWS, "-o", table.folder / "again.json", "--devices", "cpu", *table.programs)[1]
    equal = scored(table, clip, reference, "--pair", "index", *WINDOWS)[1]
    lab.expect(equal["windows"] == json.loads((table.folder / "again.json").read_text())["windows"], "the same windows every time")


def check_range(_):
    """No interval leaves the range of its score. Columns that are no model's have none."""
    strata, both = [sampling.Stratum(10, [(0, 1), (1, 2)])], [windows.Window(0, n, n + 1, n, n + 1) for n in range(2)]
    frames = [[{"metrics": {"vmaf": value, "psnr": value}}] for value in (10.0, 90.0)]
    found = windows._estimates(strata, both, frames, {"vmaf": (0.0, 100.0)})  # pylint: disable=protected-access
    (low, high), mean = found["psnr"]["interval_95"], found["psnr"]["mean"]
    lab.expect(found["vmaf"]["interval_95"] == [0, 100] and mean == 50 and low < 0 and high > 100, "the range of a score", found)


def check_warnings(table):
    """What is said of a window counts pairs of the whole, and no pairs beside the window; the file has it."""
    reference, other = table.reference(), table.folder / "other.mkv"
    lab.ffmpeg("-f", "lavfi", "-i", "mandelbrot=s=160x96:r=30", "-frames:v", "120", "-pix_fmt", "yuv420p", "-c:v", "ffv1", other)
    text, found = scored(table, other, reference, "--samples", "4", "--sample-length", "0.4")
    told = [f"from pair {one['first']} ({one['first'] / 30:.3f} s) on, the pictures of {one['last'] - one['first'] + 1} pairs do not belong together"
            for one in found["windows"]]
    lab.expect([one for one in found.get("warnings", []) if "belong" in one] == told and found["windows"][1]["first"] > 0, "the file has them",
               (told, found.get("warnings")))
    lab.expect([line.partition("warning: ")[2] for line in text.splitlines() if "belong" in line] == told, "what is printed", text)
    window = windows.Window(0, 10, 20, 8, 21)
    for one, wanted in (("from pair 0 (0.800 s) on, the pictures of 5 pairs x", "from pair 10 (1.000 s) on, the pictures of 3 pairs x"),
                        ("from pair 11 (1.900 s) on, the pictures of 2 pairs x", "from pair 19 (1.900 s) on, the pictures of 1 pair x"),
                        ("from pair 0 (0.800 s) on, the pictures of 2 pairs x", None), ("from pair 12 (2.000 s) on, the pictures of 1 pair x", None),
                        ("1 frame of main is damaged: x", "frames of main are damaged: x"), ("other", "other")):
        made = windows._of_whole(window, one, lambda number: number / 10)  # pylint: disable=protected-access
        lab.expect(made == wanted, one, made)


def check_equal(table):
    """Equal pictures have an infinite PSNR, of which there is no interval."""
    reference = table.reference()
    text, found = scored(table, reference, reference, *WINDOWS, "--feature", "xpsnr")
    lab.expect(found["estimates"]["xpsnr_y"] == {"mean": None, "interval_95": None} and "nan" not in text, "an infinite mean", found["estimates"])


def check_refused(table):
    clip, reference = table.clip("open.mp4")
    shorter, other = table.folder / "shorter.mp4", table.folder / "other.json"
    lab.ffmpeg("-i", clip, "-frames:v", "108", "-c:v", "libx264", shorter)
    other.write_text("{}")
    for words, status, told in (
            (["--samples", "3"], 64, "an even number from 4"), (["--samples", "60"], 64, "are too few for 60 windows"),
            ([*WINDOWS, "--pair", "time"], 64, "cannot be with --pair time"), ([*WINDOWS, "--offset", "2"], 64, "cannot be with --offset"),
            ([*WINDOWS, "--subsample", "2"], 64, "cannot be with --subsample"), ([*WINDOWS, "--grain", "both"], 64, "cannot be with --grain"),
            ([*WINDOWS, "--format", "csv"], 64, "cannot be with the format csv"), (["--samples", "--sample-length", "0"], 64, "0.1 to 60"),
            ([*WINDOWS, "-o", other], 64, "is no such result"), ([*WINDOWS, "--model", "vmaf_v9"], 64, "vmaf_v9")):
        text = table.run("score", clip, reference, *words, "--devices", "cpu", *table.programs, status=status)[1]
        lab.expect(told in text, f"{words} is told", text)
    text, _ = scored(table, shorter, reference, *WINDOWS, status=65)
    lab.expect("compares the n-th frames: main has 108 frames, reference 120" in text, "other counts", text)
    text, found = scored(table, shorter, reference, *WINDOWS, "--frames", "min")
    lab.expect(found["frames_of_whole"] == 108, "as far as both go", text)
    text = table.run("score", "http://x.invalid/a.mp4", reference, *WINDOWS, *table.programs, status=64)[1]
    lab.expect("fetch it first" in text, "a video on a server", text)


def main():
    options = lab.options()
    with lab.prepared(options.tool, options.ffmpeg) as table:
        for check in (check_exact, check_interval, check_range, check_warnings, check_equal, check_refused):
            check(table)
    return lab.finish("windows", 60)


if __name__ == "__main__":
    sys.exit(main())
