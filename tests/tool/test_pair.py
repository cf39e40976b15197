#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tool's --pair and --offset: which pictures meet, what the log and the messages say, what is
refused. An MP4 and its MKV remux score as if they were one file. Rules: tests/unit/test_pairing_rules.cpp.

    test_pair.py TOOL
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import runs

WIDTH, HEIGHT = 64, 48
problems = []


def expect(found, wanted, what):
    if found != wanted:
        problems.append(f"{what}: {found!r} instead of {wanted!r}")


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=120)


def picture(number):
    """A moving texture; chroma is grey."""
    shades = random.Random(number)
    row = bytes((7 * number + shades.randrange(9) + 3 * x) % 200 + 20 for x in range(WIDTH))
    return row * HEIGHT + bytes([128]) * (WIDTH * HEIGHT // 2)


def write(path, numbers, rate="25:1"):
    path.write_bytes(runs.y4m(WIDTH, HEIGHT, map(picture, numbers), rate))
    return path


class Tool:
    def __init__(self, program, folder):
        self.program, self.log = program, folder / "log.json"

    def score(self, reference, distorted, *words):
        self.log.unlink(missing_ok=True)
        done = run(self.program, "-r", reference, "-d", distorted, *([] if "--device" in words else ["--backend", "cpu"]), "--feature", "psnr", "-n",
                   "--json", "--precision", "max", "-o", self.log, *words)
        return done, json.loads(self.log.read_text()) if self.log.exists() else None


def psnr(log):
    return [frame["metrics"]["psnr_y"] for frame in log["frames"]]


def check_rules(tool, folder):
    reference = write(folder / "r.y4m", range(40))
    late = write(folder / "late.y4m", range(3, 40))
    _, plain = tool.score(reference, late)
    expect((plain["pairing"]["rule"], plain["pairing"]["unpaired_reference"]["end"]), ("index", 3), "counts without --pair")
    expect(plain["vmaf_gpu"]["warnings"][-1:], ["from pair 0 (0.000 s) on, the pictures of 37 pairs agree with those that come 3 frames "
                                                "later in reference: use offset=3"],
           "what the log says of them")
    done, log = tool.score(reference, late, "--pair", "auto")
    expect(psnr(log), [60.0] * 37, "auto finds the first picture")
    expect(log["pairing"]["unpaired_reference"], {"begin": 3, "middle": 0, "end": 0}, "auto counts")
    expect(log["pairing"]["rule"], "auto", "rule")
    expect("reference begins 3 frames before main: those frames are not in the score" in done.stderr, True,
           "auto says it")
    expect([frame["time"] for frame in log["frames"]][:2], [0, 0.04], "times")
    _, log = tool.score(reference, late, "--offset", 3)
    expect((psnr(log), log["pairing"]["start"]), ([60.0] * 37, "by_option"), "offset of rule index")
    _, log = tool.score(reference, late, "--pair", "index")
    expect((psnr(log), log["pairing"]["unpaired_reference"]["end"]), (psnr(plain), 3), "index as without")
    half = write(folder / "half.y4m", range(0, 40, 2), "25:2")
    _, log = tool.score(reference, half, "--pair", "time")
    expect(psnr(log), [60.0] * 20, "time follows the rates")
    _, log = tool.score(reference, half, "--pair", "framesync")
    expect((log["pairing"]["rule"], psnr(log)[:20]), ("framesync", [60.0] * 20), "framesync")
    _, log = tool.score(reference, late, "--pair", "auto", "--frame_cnt", 5)
    expect((log["pairing"]["at_least"], log["pairing"]["pairs"]), (1, 5), "stopped after 5 pairs")


def check_search(tool, folder):
    """--offset auto finds what --offset would have been told."""
    reference = write(folder / "long.y4m", range(90))
    late = write(folder / "late30.y4m", range(30, 90))
    for words in ((), ("--pair", "auto"), ("--pair", "time", "--offset_window", 2)):
        for both, offset in (((reference, late), 30), ((late, reference), -30), ((reference, reference), 0)):
            done, log = tool.score(*both, "--offset", "auto", *words)
            expect((set(psnr(log)), len(psnr(log))), ({60.0}, 60 if offset else 90), f"pairs of {offset}, {words}")
            expect((log["pairing"]["start"], log["pairing"]["offset"]), ("by_search", offset), "offset in the log")
            expect(f"--offset auto applied --offset {offset}: where main moves, the pictures differ by 0.00 levels" in
                   done.stderr, True, f"what is said: {done.stderr}")
    _, log = tool.score(reference, late, "--offset", 30)
    expect((log["pairing"]["start"], log["pairing"]["offset"]), ("by_option", 30), "a given offset in the log")


def check_refusals(tool, folder):
    both = folder / "r.y4m", folder / "late.y4m"
    done = run(tool.program, "-r", write(folder / "r?offset=3&pair=x.y4m", range(40)), "-d", both[1], "--backend", "cpu", "--strict")
    expect(done.stderr.count("later in reference: use --offset 3"), 2, f"the tool's spelling: {done.stderr}")
    expect(f'-i "{folder}/r?offset=3&pair=x.y4m"' in done.stderr, True, f"names of files stay: {done.stderr}")
    still = write(folder / "still.y4m", [0] * 40)
    done, _ = tool.score(still, still, "--offset", "auto")
    expect(": give --offset N\n" in done.stderr, True, f"an offset that cannot be found: {done.stderr}")
    for words, text in ((("--offset", 1000), "there is no score: offset=1000 leaves no pair"),
                        (("--pair", "nearest"), "expected auto, time, index or framesync"),
                        (("--offset", "x"), "--offset 'x' is not a whole number, -1000000000"),
                        (("--offset", "auto", "--offset_window", 61), "offset_window is 61; allowed: 1 to 60"),
                        (("--offset", "auto", "--offset_window", 0), "offset_window"),
                        (("--offset_window", 2), "offset_window has no meaning without offset=auto"),
                        (("--offset", 3, "--offset_window", 2), "offset_window has no meaning without offset=auto"),
                        (("--pair", "framesync", "--offset", "auto"), "offset has no meaning with pair=framesync"),
                        (("--offset", "auto", "--chunk", "0:5"), "parts of a run are pairs by number"),
                        (("--pair", "framesync", "--offset", 1), "offset has no meaning with pair=framesync"),
                        (("--pair", "auto", "--chunk", "0:5"), "parts of a run are pairs by number")):
        done, _ = tool.score(*both, *words)
        expect((done.returncode != 0, text in done.stderr), (True, True), f"{words}: {done.stderr}")


def check_strict(tool, folder):
    """All files are written, and the run has failed."""
    both = folder / "r.y4m", folder / "late.y4m"
    for words, fault in (((), "agree with those that come 3 frames later in reference: use --offset 3"),
                         (("--pair", "auto"), "strict: reference begins 3 frames before main"),
                         (("--offset", 3), None)):
        done, log = tool.score(*both, *words, "--strict")
        expect((done.returncode, fault is None or fault in done.stderr), (int(fault is not None), True),
               f"{words} --strict: {done.stderr}")
        expect("incomplete" in log, False, f"the log of {words}")


def check_case(tool, folder):
    """Names in any case, as the filter takes them."""
    both = folder / "r.y4m", folder / "late.y4m"
    words = [("--pair", "auto", "--pool", "min", "--device", "cpu", "--formats", "asis", "--scale", "none")]
    words.append(tuple(word if word.startswith("--") else word.upper() for word in words[0]))
    lower, upper = (tool.score(*both, *some) for some in words)
    expect((upper[0].returncode, psnr(upper[1])), (0, psnr(lower[1])), f"upper case: {upper[0].stderr}")
    expect(run(tool.program, "--list-devices", "--backend", "CPU").returncode, 0, "a backend")


def check_containers(tool, folder):
    """Matroska rounds times to milliseconds."""
    source = write(folder / "source.y4m", range(60), "24000:1001")
    film, remux = folder / "film.mp4", folder / "film.mkv"
    made = [run("ffmpeg", "-v", "error", "-y", "-i", source, "-c:v", "mpeg4", "-q:v", 9, film),
            run("ffmpeg", "-v", "error", "-y", "-i", film, "-c", "copy", remux)]
    expect([one.stderr for one in made if one.returncode], [], "making the files")
    for main, reference in ((film, remux), (remux, film)):
        _, log = tool.score(reference, main, "--pair", "auto")
        expect((psnr(log), log["pairing"]["by_number"], log["pairing"]["warnings"]), ([60.0] * 60, 60, 0),
               f"{main.suffix} beside {reference.suffix}")


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tool = Tool(program, folder)
        check_rules(tool, folder)
        check_search(tool, folder)
        check_refusals(tool, folder)
        check_strict(tool, folder)
        check_case(tool, folder)
        if shutil.which("ffmpeg"):
            check_containers(tool, folder)
        else:
            print("no ffmpeg: containers were not compared")
    print("\n".join(problems) or "which pictures meet: as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
