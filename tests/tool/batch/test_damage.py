#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Damage is what the frames say, not what a decoder logs. Videos with damaged or missing units, and
joined ones, have the scores of one run of the tool or of the filter, with a warning; or a reason that is the first in
time.

    test_damage.py TOOL [--ffmpeg FFMPEG_WITH_FILTER]      without it: the runner is the tool
"""
import json
import random
import re
import subprocess
import sys

import lab

sys.path.insert(0, str(lab.PACKAGES))
from vmaf_gpu.batch import cuts, runner  # noqa: E402


def encode(table, name, *words, source=None):
    path = table.folder / name
    lab.ffmpeg("-i", source or table.reference(), *words, path)
    return path


def h264(*more):
    return ["-c:v", "libx264", "-crf", "32", "-x264-params", lab.X264 + ":bframes=2", *more]


def packets_of(path):
    """Places of the packets of the video, and their sizes."""
    text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pos,size", "-of", "json",
                           path], check=True, capture_output=True, text=True, timeout=60).stdout
    return [(int(packet["pos"]), int(packet["size"])) for packet in json.loads(text)["packets"]]


def written(path, name, data):
    made = path.with_name(name)
    made.write_bytes(bytes(data))
    return made


def spoiled(path, name, numbers):
    """A copy whose packets of these numbers have other bytes behind their head."""
    data, noise = bytearray(path.read_bytes()), random.Random(1)
    for at, size in (packets_of(path)[number] for number in numbers):
        data[at + size // 3:at + size // 2] = bytes(noise.randrange(256) for _ in range(size // 2 - size // 3))
    return written(path, name, data)


def joined(table, name, *parts):
    path = table.folder / name
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    return path


def clips(table):
    """name: (video, whether its frames are damaged)."""
    good = encode(table, "good.mp4", *h264())
    found = {
        "middle": (spoiled(good, "middle.mp4", [48]), True),
        "begin": (spoiled(good, "begin.mp4", [1]), True),
        "often": (spoiled(good, "often.mp4", [24, 50, 97]), True),
        "tiff": (encode(table, "tiff.mov", "-c:v", "tiff"), False),
        "join": (joined(table, "join.ts", *(encode(table, f"part{n}.ts", *h264("-bf", "0"), "-frames:v", "60", "-vf",
                                                   f"trim=start_frame={60 * n},setpts=PTS-STARTPTS") for n in range(2))), False),
    }
    return found


def alone(table, runner, video):
    """VMAF of each frame, by one process; decoders have one thread, since what they put in place of damage depends on it."""
    log = table.folder / "alone.json"
    if runner == "filter":
        program = table.programs[table.programs.index("--ffmpeg") + 1]
        graph = f"[0:v][1:v]vmaf_gpu=backend=cpu:precision=max:log_fmt=json:log_path={log}"
        words = [program, "-v", "error", "-threads", "1", "-i", video, "-i", table.reference(), "-lavfi", graph, "-f", "null", "-"]
    else:
        y4m = table.folder / "alone.y4m"
        lab.ffmpeg("-threads", "1", "-i", video, "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", y4m)
        words = [table.tool, "-q", "-r", table.reference(), "-d", y4m, "--formats", "asis", "--backend", "cpu", "--json", "--precision",
                 "max", "-o", log]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    return [frame["metrics"]["vmaf"] for frame in json.loads(log.read_text())["frames"]]


def check_scores(table, runner, found):
    for name, (video, is_damaged) in found.items():
        expected = alone(table, runner, video)
        for words in (["--pair", "index", "--frames-per-task", "50"], []):
            if words and name == "join":
                continue  # it has no index, so it is no case for chunks
            log, work = table.folder / "log.json", table.work()
            code, said = table.run("score", video, table.reference(), *words, "--precision", "max", "-o", log, "--work", work,
                                   "--devices", "cpu", "--runner", runner, *table.programs, status=None)
            lab.expect(code == 0, f"{runner} {name} {words} has a score", said)
            if code:
                continue
            scores = [frame["metrics"]["vmaf"] for frame in json.loads(log.read_text())["frames"]]
            lab.expect(scores == expected and len(scores) == 120, f"{runner} {name} {words}", (len(scores), said))
            told = re.search(r"warning: (\d+ )?frames? of main (are|is) damaged: the decoder reported errors", said)
            lab.expect((told is not None) == is_damaged, f"{runner} {name} {words}: a warning of damage", said)
            line = json.loads((work / "results.jsonl").read_text())
            lab.expect(all(f"warning: {text}" in said for text in line["warnings"]), f"{runner} {name}: the line has it", line)


def check_strict(table, runner, found):
    for name in "middle", "tiff":
        video, is_damaged = found[name]
        said = table.run("score", video, table.reference(), "--strict", "--devices", "cpu", "--runner", runner, "--work", table.work(),
                         *table.programs, status=65 if is_damaged else 0)[1]
        lab.expect((re.search(r"strict: (\d+ )?frames? of main (are|is) damaged", said) is not None) == is_damaged,
                   f"{runner} {name} --strict", said)


def check_truncated(table, runner):
    """A file that ends too early, of which the reader alone tells."""
    whole = encode(table, f"whole-{runner}.mkv", *h264())
    short = written(whole, f"short-{runner}.mkv", whole.read_bytes()[:whole.stat().st_size * 2 // 3])
    copy, told = encode(table, f"copy-{runner}.mkv", *h264(), source=short), "may be damaged or missing: the decoder reported errors"
    words = ["score", copy, short, "--devices", "cpu", "--runner", runner, *table.programs]
    said = table.run(*words, "--work", table.work())[1]
    lab.expect(told in said, f"{runner}: a truncated reference", said)
    said = table.run(*words, "--strict", "--work", table.work(), status=65)[1]
    lab.expect(re.search("strict: frames of (reference|an input) " + told, said), f"{runner}: a truncated reference --strict", said)


def check_missing(table, runner, good):
    """A packet that gives no frame: its frames are found by decoding. Else the first error is the reason."""
    data = bytearray(good.read_bytes())
    at, _ = packets_of(good)[50]
    data[at:at + 4] = b"\xff\xff\xff\xff"  # the size of a unit
    missing = written(good, "missing.mp4", data)
    words = [missing, table.reference(), "--devices", "cpu", "--runner", runner, *table.programs]
    said = table.run("score", *words, "--work", table.work(), status=0 if runner == "filter" else 64)[1]
    lab.expect("not every packet of a video gives a frame" in said, f"{runner}: a frame is missing", said)
    lab.expect(("1 reference frame has no partner in main, at 1." if runner == "filter" else
                "main has 119 frames, reference 120; pair auto is done by the filter") in said, f"{runner}: which is missing", said)
    said = table.run("score", *words, "--pair", "index", "--work", table.work(), status=65)[1]
    lab.expect("119" in said and "pair auto" in said, f"{runner}: by number", said)
    copy = encode(table, f"missing-{runner}.mkv", "-fps_mode", "passthrough", "-c:v", "ffv1", source=missing)
    said = table.run("score", copy, missing, "--pair", "index", "--devices", "cpu", "--runner", runner, "--work", table.work(),
                     *table.programs, status=0)[1]
    lab.expect("not every packet of a video gives a frame" in said, f"{runner}: a copy of its frames", said)
    said = table.run("score", missing, missing, "--pair", "index", "--devices", "cpu", "--runner", runner, "--work", table.work(),
                     *table.programs, status=0)[1]
    lab.expect(said.count(" was made for ") == 1, f"{runner}: a warning is said once, though the plan is made again", said)
    work = table.plan(1000, {"id": "p", "ref": table.reference(), "dis": missing}, words=["--runner", runner])
    said = table.tasks(work, status=65)[0][1]
    # The time is that of the latest frame that had passed, which another thread tells.
    told = r"(main|an input) at (0\.9\d+|1|1\.\d+) s: .*Invalid NAL unit size.*; main: 119 frames came, not 120"
    lab.expect(re.search(told, said) is not None, f"{runner}: the first error in time", said)


def check_change(table, runner):
    """The first cause is told, not what follows from it."""
    parts = [encode(table, f"size{n}.ts", *h264("-bf", "0"), "-frames:v", "60", "-vf", f"trim=start_frame={60 * n},setpts=PTS-STARTPTS,"
                                                                                       f"scale={size}")
             for n, size in enumerate(("160:96", "80:48"))]
    video = joined(table, "size.ts", *parts)
    said = table.run("score", video, table.reference(), "--pair", "index", "--devices", "cpu", "--runner", runner, "--work", table.work(),
                     *table.programs, status=65)[1]
    # The filter's graph is set up again, of which FFmpeg does not say which input it is.
    told = r"main changes from 160x96 to 80x48 at 2 s; make it one video first, e.g. ffmpeg" if runner == "tool" else \
        r"(main changes from 160x96 to 80x48|an input changes to .* 80x48) at "
    lab.expect(re.search(told, said) is not None, f"{runner}: a size that changes", said)


def check_mixed():
    """A thread of ffmpeg writes into another's line: the words of a decoder have no prefix then."""
    shown = "[showinfo@d0 @ 0x55d7] [info] "
    colours = shown + "color_range:tv color_space:bt709 color_primaries:bt709 color_trc:bt709"
    frame = shown + "n:   1 pts:    512 pts_time:0.033333 fmt:yuv420p s:160x96 i:P iskey:0 type:B "
    for text, doubt in ((frame, None), (colours, None), (shown + "  side data - missing reference: 1", None),
                        (frame + "Invalid NAL unit size (-1 > 213).", ("[decoder @ 0] [error] Invalid NAL unit size (-1 > 213).", False)),
                        (colours + "Error splitting the input", ("[decoder @ 0] [error] Error splitting the input", False)),
                        (shown + "color_range:unknownmissing picture", ("[decoder @ 0] [error] missing picture", False)),
                        (shown + "color_range:unknown color_space:unknownFile ended prematurely", ("[decoder @ 0] [error] File ended prematurely", False)),
                        (shown + "User Data=783236error while decoding MB 8 0",
                         ("[decoder @ 0] [error] error while decoding MB 8 0", False)),
                        (shown + "User Data=7832363corrupt decoded frame", ("[decoder @ 0] [warning] corrupt decoded frame", True)),
                        (frame + "corrupt decoded frame", ("[decoder @ 0] [warning] corrupt decoded frame", True))):
        listener = runner.Listener({"d0": cuts.Watch(cuts.whole({"count": 1, "stream": {"index": 0}}))})
        listener(text)
        found = listener.doubts.get("d0")
        lab.expect((found and (found.text, found.is_damage)) == doubt, text, found)


def main():
    options = lab.options()
    check_mixed()
    with lab.prepared(options.tool, options.ffmpeg) as table:
        found = clips(table)
        for runner in ("tool", "filter") if options.ffmpeg else ("tool",):
            check_scores(table, runner, found)
            check_strict(table, runner, found)
            check_truncated(table, runner)
            check_missing(table, runner, table.folder / "good.mp4")
            check_change(table, runner)
    return lab.finish("damaged videos", 60 if options.ffmpeg else 30)


if __name__ == "__main__":
    sys.exit(main())
