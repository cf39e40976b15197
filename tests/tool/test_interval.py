#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The interval of the mean that --subsample leaves: printed, in JSON and pages, and of merged parts. What it assumes
is shown, too: a quality that repeats every fourth frame deceives every fourth pair, and not every fifth.

    test_interval.py TOOL
"""
import json
import math
import random
import re
import statistics
import sys

import runs
from runs import expect

WIDTH, HEIGHT, FRAMES = 64, 36, 120
STUDENT = {24: 2.064, 30: 2.042}  # 97.5 %, by degrees of freedom: one more pair is scored


def write_clips(folder):
    """A still picture. Every fourth frame of main has little noise, the others have much."""
    rng = random.Random(11)
    picture = [rng.randrange(40, 200) for _ in range(16 * 9)]
    luma = [picture[(y // 4) * 16 + x // 4] for y in range(HEIGHT) for x in range(WIDTH)]
    chroma = bytes([128]) * (WIDTH * HEIGHT // 2)
    for name in "ref", "dist":
        noises = [0 if name == "ref" else 2 if frame % 4 == 0 else 12 + frame % 3 for frame in range(FRAMES + 1)]
        (folder / f"{name}.y4m").write_bytes(runs.y4m(WIDTH, HEIGHT, (
            bytes(value + rng.randrange(-noise, noise + 1) for value in luma) + chroma for noise in noises)))
    return Tool(sys.argv[1], folder)


class Tool(runs.Tool):
    def score(self, *words, name="log.json"):
        """Returns the printed text, and the log in JSON."""
        told = self.run(*self.inputs, "--pair", "index", "--precision", "max", "--overwrite", "-o", self.folder / name, *words)
        text = (self.folder / name).read_text()
        return told, json.loads(text) if name.endswith("json") else text


def scores(log):
    return [frame["metrics"]["vmaf"] for frame in log["frames"]]


def check_numbers(tool):
    for step, freedom in (4, 30), (5, 24):
        told, log = tool.score("--json", "--subsample", step)
        values = scores(log)
        expect(len(values) == freedom + 1, "scored pairs", len(values))
        half = STUDENT[freedom] * math.sqrt(statistics.variance(values) / len(values) * (1 - 1 / step))
        low, high = log["mean_interval_95"]["vmaf"]
        middle = log["pooled_metrics"]["vmaf"]["mean"]
        expect(math.isclose(middle - low, half, rel_tol=2e-3) and math.isclose(high - middle, half, rel_tol=2e-3),
               f"every {step}th pair", (log["mean_interval_95"], middle, half))
        shown = re.search(r"^vmaf_v0.6.1, 95 % interval of the mean: (\S+) to (\S+)\nvmaf_v0.6.1: ", told, re.M)
        expect(shown and [float(shown[1]), float(shown[2])] == [low, high], "printed before the score", told)
    told, _ = tool.score("--json", "--subsample", "4", "--pool", "min")
    expect("interval" not in told, "another way to pool", told)
    told, log = tool.score("--json", "--subsample", "200")
    expect(log["mean_interval_95"] == {"vmaf": [None, None]} and "interval" not in told, "one pair", log["mean_interval_95"])


def check_range(tool):
    """No mean of scores that are clipped is outside the range."""
    for options, is_clipped in ((), True), (("--model", "version=vmaf_v0.6.1:disable_clip"), False):
        told, log = tool.score("--json", "--subsample", "55", *options)
        values = scores(log)
        half = 4.303 * math.sqrt(statistics.variance(values) / 3 * (1 - 1 / 55))
        low, high = log["mean_interval_95"]["vmaf"]
        expect(statistics.mean(values) + half > 100.5, "an interval that reaches beyond 100", (values, half))
        expect((high == 100) == is_clipped and 0 < low < high, f"{options}", (low, high))
        shown = re.search(r"95 % interval of the mean: (\S+) to (\S+)$", told, re.M)
        expect(shown and [float(shown[1]), float(shown[2])] == [low, high], f"{options} printed", told)


def check_assumption(tool):
    """docs/user/filter.md, Every n-th pair."""
    _, whole = tool.score("--json")
    expect("mean_interval_95" not in whole, "all pairs were scored")
    truth = whole["pooled_metrics"]["vmaf"]["mean"]
    found = {step: tool.score("--json", "--subsample", step)[1]["mean_interval_95"]["vmaf"] for step in (4, 5, 7)}
    expect(truth < found[4][0], "a period of four deceives every fourth pair", (truth, found))
    for step in 5, 7:
        expect(found[step][0] < truth < found[step][1], f"every {step}th pair", (truth, found))


def check_logs(tool):
    _, page = tool.score("--html", "--subsample", "4", "--no_thumbnails", name="page.html")
    expect("95 % interval of the mean" in page, "the page")
    for form in "xml", "csv", "sub":
        expect("interval" not in tool.score(f"--{form}", "--subsample", "4", name=f"log.{form}")[1], form)


def check_parts(tool):
    for step in 4, 55:  # with 55 the interval is clipped
        told, whole = tool.score("--json", "--subsample", step)
        parts = [tool.folder / f"{begin}.part" for begin in (0, 37, 80)]
        for part, end in zip(parts, (37, 80, "")):
            tool.run(*tool.inputs, "--subsample", step, "--part", "-q", "--overwrite", "-o", part, "--chunk", f"{part.stem}:{end}")
        merged = tool.folder / "merged.json"
        said = tool.run("merge", *parts, "--json", "--precision", "max", "--overwrite", "-o", merged)
        expect(json.loads(merged.read_text())["mean_interval_95"] == whole["mean_interval_95"], f"merged parts, {step}", merged)
        printed = re.search(r"^vmaf_v0.6.1(, 95 % interval of the mean: .*\n)vmaf_v0.6.1(: .*\n)", told, re.M)
        expect(printed and f"\nvmaf{printed[1]}vmaf{printed[2]}" in f"\n{said}", f"merge prints it, {step}", (said, told))
        said = tool.run("merge", *parts, "--pool", "min")
        expect("interval" not in said, "another way to pool", said)


if __name__ == "__main__":
    sys.exit(runs.run_checks("interval of the mean", 30, write_clips, check_numbers, check_range, check_assumption,
                             check_logs, check_parts))
