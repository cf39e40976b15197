#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tool's --chunk, --part and merge: the log of merged parts is the log of a run in one piece, byte
for byte but for fps; its lines on stderr are the same; and exit statuses say what is wrong.

    test_chunks.py TOOL
"""
import itertools
import json
import random
import re
import subprocess
import sys

import runs
from runs import difference, expect

WIDTH, HEIGHT, FRAMES = 64, 48, 12


class Tool(runs.Tool):
    def part(self, name, *words):
        path = self.folder / name
        self.run(*self.inputs, "--part", "-o", path, *words)
        return path


def write_clips(folder):
    rng = random.Random(5)
    ref = [rng.randbytes(WIDTH * HEIGHT * 3 // 2) for _ in range(FRAMES)]
    dist = [bytes(value * 3 // 4 + 20 for value in frame) for frame in ref]
    for name, frames in ("ref", ref), ("dist", dist):
        (folder / f"{name}.y4m").write_bytes(runs.y4m(WIDTH, HEIGHT, frames, "24000:1001", "420jpeg"))
    return Tool(sys.argv[1], folder)


def borders(size):
    return [(begin, begin + size) for begin in range(0, FRAMES, size)]


def check_equal(tool):
    kinds = [[], ["--subsample", "3"],
             ["--model", "version=vmaf_v0.6.1neg:name=neg", "--feature", "psnr=enable_apsnr=true",
              "--feature", "xpsnr"],
             ["-n", "--feature", "motion=motion_five_frame_window=true:motion_moving_average=true"]]
    for kind, size in itertools.product(kinds, (1, 5)):
        parts = [tool.part(f"{begin}.part", "--chunk", f"{begin}:{end}", "-q", *kind)
                 for begin, end in borders(size)]
        for form in "json", "xml", "csv", "csv=strict", "sub", "html":
            words = [f"--{form}", "--precision", "max", *(["--no_thumbnails"] if form == "html" else [])]
            whole = tool.run(*tool.inputs, *words, "-o", tool.folder / "whole", *kind)
            words = [word for word in words if word != "--no_thumbnails"]
            merged = tool.run("merge", *parts, *words, "-o", tool.folder / "merged")
            expect(not difference(tool.log("whole"), tool.log("merged")),
                   f"{form} of {kind} in chunks of {size}",
                   difference(tool.log("whole"), tool.log("merged")))
            said, again = (re.findall("warning: .*", text) for text in (whole, merged))
            expect(said == again and (said or "-n" in kind), "printed warnings", (whole, merged))
            values = re.findall(r": (\d+\.\d+)$", whole, re.M)
            expect(values and values == re.findall(r": (\d+\.\d+)$", merged, re.M), "printed scores",
                   (whole, merged))


def check_statuses(tool):
    a, b = (tool.part(f"{x}.part", "--chunk", f"{x}:{y}", "-q") for x, y in ((0, 5), (5, 9)))
    c = tool.part("9.part", "--chunk", "9:", "-q")
    expect("3 parts" in tool.run("merge", a, b, c), "three parts")
    tool.run("merge", status=64)
    tool.run("merge", "--precision", "0", a, status=64)
    tool.run("merge", "--pool", "median", a, status=64)
    tool.run("merge", "--no-such-option", status=64)
    expect("missing" in tool.run("merge", a, c, status=65), "a gap")
    expect("No such file" in tool.run("merge", a, tool.folder / "none", status=65), "no file")
    text = b.read_text()
    b.write_text(re.sub(r"(\[5, [^\[]*\[0\.\d)(\d)", lambda m: m[1] + str((int(m[2]) + 1) % 10), text))
    expect(b.read_text() != text, "a score is changed")
    expect("disagree" in tool.run("merge", a, b, c, status=70), "a wrong score")
    b.write_text(text)
    expect("is an input" in tool.run("merge", a, b, c, "-o", b, status=74), "a part as the log")
    tool.run("merge", a, b, c, "-o", tool.folder / "no" / "such", status=74)
    expect(b.read_text() == text, "the part is as it was")


def check_chunks(tool):
    for bad in "5", "5:5", "6:5", ":5", "x:5", "-1:5", "1:99999999999999999999":
        expect("--chunk" in tool.run(*tool.inputs, "--chunk", bad, status=1), bad)
    # Without --part the log is that of the chunk alone, with the whole run's scores.
    tool.run(*tool.inputs, "--csv", "-o", tool.folder / "whole")
    tool.run(*tool.inputs, "--csv", "-o", tool.folder / "some", "--chunk", "5:8")
    whole = (tool.folder / "whole").read_text().splitlines()
    expect((tool.folder / "some").read_text().splitlines() == whole[:1] + whole[6:9], "rows of a chunk")
    # Behind the end of the videos there is nothing to score.
    expect("has only 12 of the 39" in tool.run(*tool.inputs, "--chunk", "40:50", status=1), "behind the end")
    for words in [], ["-q"], ["--part", "-o", tool.folder / "none.part"]:
        text = tool.run(*tool.inputs, "--chunk", "12:15", *words, status=1)
        expect("--chunk: the inputs end before pair 12, the first of the chunk" in text, "at the end", text)
    expect("incomplete" in tool.run("merge", tool.folder / "none.part", status=65), "the part of no pair")
    # Subsampling may leave out all pairs of a chunk. Merging needs its part, whether or not scores are printed.
    for words in [], ["-q"], ["-n", "--feature", "psnr"]:
        every = ["--subsample", "10", *words]
        parts = [tool.part(f"{begin}.part", "--chunk", f"{begin}:{end}", *every)
                 for begin, end in ((0, 5), (5, 9), (9, ""))]
        text = tool.run(*tool.inputs, "--chunk", "5:9", "--subsample", "10")
        expect(not re.search(r": [0-9.]+$", text, re.M), "a score of no pair", text)
        tool.run("merge", *parts, "--csv", "-o", tool.folder / "merged")
        tool.run(*tool.inputs, "--csv", "-o", tool.folder / "whole", *every)
        expect(tool.log("merged") == tool.log("whole"), f"chunks without a pair {words}")
    tool.run("merge", tool.part("all.part", "-q"))


def check_history(tool):
    """--history says what a part says that it needed."""
    def history(*words, status=0):
        done = subprocess.run([tool.tool, "--history", *map(str, words)], capture_output=True, text=True,
                              check=False, timeout=60)
        expect(done.returncode == status, f"status of --history {words}", (done.returncode, done.stderr))
        return done.stdout
    for words in [], ["-n", "--feature", "motion=motion_five_frame_window=true:motion_moving_average=true"], \
            ["--feature", "psnr", "--subsample", "3", "-n"]:
        head = tool.part("one.part", "--chunk", "6:7", "-q", *words).read_text()
        needed = [re.search(rf'"{key}": (\d+)', head)[1] for key in ("before", "after")]
        expect(history(*words) == " ".join(needed) + "\n", f"history of {words}", (needed, history(*words)))
        expect(history(*words, *tool.inputs) == history(*words), "with inputs")
    expect(history("--shots") == "4 3\n", "shots")
    # It looks further back at high rates: these inputs have 24 frames/s, others may have more.
    expect(history("-n", "--feature", "xpsnr") == "2 0\n", "xpsnr of any rate")
    expect(history("-n", "--feature", "xpsnr", *tool.inputs) == "1 0\n", "xpsnr of 24 frames/s")
    expect(history("-m", "version=vmaf_v1.0.16_hfr_3d0h") == "4 2\n", "a model")
    history("-m", "version=nonsense", status=1)
    history("-r", "only.y4m", status=1)
    history(*tool.inputs[:2], "-d", tool.folder / "none", status=1)


def cut_clips(folder, begin, end):
    """Pairs begin to end - 1 as files of their own; returns the tool's words for them."""
    words = []
    for option, name in ("-r", "ref.y4m"), ("-d", "dist.y4m"):
        frames = (folder / name).read_bytes().split(b"FRAME\n", 1)
        size = WIDTH * HEIGHT * 3 // 2 + len(b"FRAME\n")
        body = b"FRAME\n" + frames[1]
        (folder / f"cut_{name}").write_bytes(frames[0] + body[begin * size:end * size])
        words += [option, folder / f"cut_{name}"]
    return words


def check_cut_inputs(tool):
    """--chunk_first: inputs that hold only what the chunk needs give the part of whole inputs."""
    for first, begin, end in (3, 4, 9), (0, 4, 9), (6, 8, 12), (0, 0, 3):
        whole = tool.part("whole.part", "--chunk", f"{begin}:{end}", "-q", "--subsample", "3")
        words = cut_clips(tool.folder, first, end + 1)
        tool.run(*words, "--chunk_first", first, "--chunk", f"{begin}:{end}", "--part", "-q", "-o",
                 tool.folder / "cut.part", "--subsample", "3")
        others = [tool.part(f"{a}.part", "--chunk", f"{a}:{b}", "-q", "--subsample", "3")
                  for a, b in ((0, begin), (end, FRAMES)) if a < b]
        logs = []
        for part in whole, tool.folder / "cut.part":
            tool.run("merge", part, *others, "--csv", "--precision", "max", "-o", tool.folder / "merged")
            logs.append((tool.folder / "merged").read_text())
        expect(logs[0] == logs[1], f"the inputs begin at {first}", difference(*logs))
    words = cut_clips(tool.folder, 4, 10)
    expect("from 3 on" in tool.run(*words, "--chunk_first", 4, "--chunk", "4:9", status=1), "too few pairs before")
    expect("--chunk" in tool.run(*words, "--chunk_first", 4, status=1), "no chunk")
    tool.run(*words, "--chunk_first", "x", "--chunk", "4:9", status=1)


def check_colours(tool):
    """Parts that took the tags of their inputs in another way are not of one run, unless options settle it."""
    full = tool.folder / "full"
    full.mkdir()
    for name in "ref.y4m", "dist.y4m":
        (full / name).write_bytes((tool.folder / name).read_bytes().replace(b"C420jpeg", b"C420jpeg XCOLORRANGE=FULL", 1))
    other = Tool(tool.tool, full)
    for options, status in ("", 65), ("=range=tv", 0), ("=matrix=bt709", 65):
        words = ["-n", "-q", "--feature", f"ssimulacra2{options}"]
        parts = [one.part("one.part", "--chunk", chunk, *words) for one, chunk in ((tool, "0:5"), (other, "5:"))]
        text = tool.run("merge", *parts, "--json", "-o", tool.folder / "merged", status=status)
        expect(status == 0 or "differ in size, format, colours" in text, f"merging {options}", text)
    log = json.loads((tool.folder / "merged").read_text())
    expect("limited range" in log["vmaf_gpu"].get("colours", ""), "colours of a merged log", log["vmaf_gpu"])


if __name__ == "__main__":
    sys.exit(runs.run_checks("chunks of the tool", 100, write_clips, check_equal, check_statuses, check_chunks,
                             check_history, check_cut_inputs, check_colours))
