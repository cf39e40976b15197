#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tool's --shots: the list of the log and its values, other logs as they are without it, merged parts
equal to the whole run wherever the borders lie, warnings, files of other tools, and bad input.

    test_shots.py TOOL [DEVICE]...     devices that have to find the same shots
"""
import json
import random
import re
import statistics
import sys

import runs
from runs import expect

WIDTH, HEIGHT, FRAMES = 64, 36, 40
CUTS, LATE = [9, 21, 29], 35  # cuts of both inputs; a cut of main alone
FLASH = 14  # no cut, but a part that begins or ends there cannot know that


def write_clips(folder):
    """Scenes of coarse blocks and a flash; main has noise, and one more cut."""
    rng = random.Random(7)
    scenes = [[rng.randrange(30, 220) for _ in range(16 * 9)] for _ in range(5)]
    for name, cuts in ("ref", CUTS), ("dist", CUTS + [LATE]):
        frames = []
        for frame in range(FRAMES):
            scene = [235] * (16 * 9) if frame == FLASH else scenes[sum(frame >= cut for cut in cuts)]
            luma = bytes(scene[(y // 4) * 16 + x // 4] + (rng.randrange(6) if name == "dist" else frame % 3)
                         for y in range(HEIGHT) for x in range(WIDTH))
            frames.append(luma + bytes([128]) * (WIDTH * HEIGHT // 2))
        (folder / f"{name}.y4m").write_bytes(runs.y4m(WIDTH, HEIGHT, frames))
    return Tool(sys.argv[1], folder)


class Tool(runs.Tool):
    def score(self, name, *words, status=0):
        return self.run(*self.inputs, "-o", self.folder / name, *words, status=status)

    def text(self, name):
        """The log, which is removed."""
        text = self.log(name) if (self.folder / name).exists() else ""
        (self.folder / name).unlink(missing_ok=True)
        return text

    def shots(self, name):
        path = self.folder / name
        return json.loads(path.read_text())["shots"] if path.exists() else {"source": "", "list": []}


def firsts(shots):
    return [shot["first"] for shot in shots["list"]]


def check_log(tool):
    told = tool.score("log.json", "--json", "--shots")
    expect("1 cut is in main only: see shots in the log" in told and f"pairs {LATE}" in told, "a warning", told)
    told = tool.score("log.json", "--json", "--shots", "--pair", "index", "--precision", "max")
    log = json.loads((tool.folder / "log.json").read_text())
    shots = log["shots"]
    expect(shots["source"] == "pictures" and firsts(shots) == [0, *CUTS], "shots", shots)
    expect([shot["last"] for shot in shots["list"]] == [cut - 1 for cut in CUTS] + [FRAMES - 1], "their ends", shots)
    expect(shots["main_only"] == [LATE] and shots["reference_only"] == [], "cuts of one input", shots)
    expect("1 cut is in main only" in told and f"pairs {LATE}" in told, "a warning names them", told)
    expect("1 cut is in main only" in "".join(log["vmaf_gpu"]["warnings"]), "the log has it", log["vmaf_gpu"])
    for shot in shots["list"]:
        values = [frame["metrics"]["vmaf"] for frame in log["frames"][shot["first"]:shot["last"] + 1]]
        found = shot["scores"]["vmaf"]
        expect(abs(found["mean"] - statistics.fmean(values)) < 1e-9 and found["min"] == min(values), "values", shot)
        expect(min(values) <= found["perc5"] <= statistics.median(values), "a percentile", shot)
    # Every 15th pair: the shots are the same.
    tool.score("some.json", "--json", "--shots", "--subsample", "15", "-q")
    some = tool.shots("some.json")["list"]
    expect([shot["first"] for shot in some] == firsts(shots), "subsampled", some)
    expect(some[1]["scores"]["vmaf"]["mean"] is not None and some[2]["scores"]["vmaf"]["mean"] is None,
           "a shot without scores", some)


def check_devices(tool):
    tool.score("cpu.json", "--json", "--shots", "--precision", "max", "-q", "--device", "cpu")
    wanted = tool.shots("cpu.json")
    expect(len(wanted["list"]) > 1, "shots", wanted)
    for device in sys.argv[2:]:
        tool.score("device.json", "--json", "--shots", "--precision", "max", "-q", "--device", device)
        expect(tool.shots("device.json") == wanted, f"shots of {device}", tool.shots("device.json"))


def check_others(tool):
    for form in "xml", "csv", "sub":
        tool.score("with", f"--{form}", "--shots", "-q", "--pair", "index")
        tool.score("without", f"--{form}", "-q", "--pair", "index")
        strip = (lambda text: re.sub(r"1 cut is in [^<|]*|warnings(\.\d)?=\"[^\"]*\"", "", text))
        if form == "xml":  # has all warnings
            expect("shots" not in strip(tool.text("with")), "XML has no shots", tool.text("with")[-900:])
        else:
            expect(tool.text("with") == tool.text("without"), f"{form} is as without")
    tool.score("none.json", "--json", "-q")
    expect("shots" not in json.loads((tool.folder / "none.json").read_text()), "without the option")
    tool.score("page.html", "--html", "--shots", "-q", "--no_thumbnails")
    page = tool.text("page.html")
    expect("<h2>Shots</h2>" in page and "vmaf, perc5" in page, "a table of the page")


def check_parts(tool):
    tool.score("whole.json", "--json", "--shots", "--precision", "max", "-q")
    whole = tool.text("whole.json")
    for size in 1, 3, 5, 7, 8, 13, 20:
        parts = []
        for begin in range(0, FRAMES, size):
            parts.append(tool.folder / f"{begin}.part")
            tool.score(parts[-1].name, "--part", "--shots", "-q", "--chunk", f"{begin}:{begin + size}")
        tool.run("merge", *parts, "--json", "--precision", "max", "-o", tool.folder / "merged.json")
        merged = tool.text("merged.json")
        expect(merged == whole, f"parts of {size}", merged[-900:])
    tool.score("0.part", "--part", "-q", "--chunk", "0:20")
    expect("do not come from the same option" in
           tool.run("merge", tool.folder / "0.part", parts[1], "-o", tool.folder / "x", status=65), "other options")


def check_files(tool):
    path = tool.folder / "cuts.txt"
    path.write_text("# made by hand\n0 I -1\n5 I -1\n17 I -1\n")
    for words in [], ["--chunk", "0:"]:
        tool.score("file.json", "--json", f"--shots={path}", "-q", *words)
        shots = tool.shots("file.json")
        expect(shots["source"] == "file" and firsts(shots) == [0, 5, 17], "a file", shots)
    parts = []
    for begin in 0, 5, 10:
        parts.append(tool.folder / f"{begin}.part")
        tool.score(parts[-1].name, "--part", f"--shots={path}", "-q", "--chunk", f"{begin}:{begin + 5 if begin < 10 else ''}")
    tool.score("file.json", "--json", f"--shots={path}", "-q")
    tool.run("merge", *parts, "--json", "-o", tool.folder / "merged.json")
    expect(tool.shots("merged.json") == tool.shots("file.json"), "a file in parts", tool.shots("merged.json"))
    path.write_text("0\n12\nseven\n")
    expect("line 3" in tool.score("x", f"--shots={path}", status=1), "a word")
    expect("No such file" in tool.score("x", f"--shots={path}.none", status=1), "no file")


if __name__ == "__main__":
    sys.exit(runs.run_checks("shots of the tool", 140, write_clips, check_log, check_devices, check_others,
                             check_parts, check_files))
