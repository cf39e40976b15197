#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu search beside trying every value: are the answers the same, how many trials does it take, and how many would
the usual rule take (half, then a straight line between two points, until a score is close enough above the target)?

    bench/search.py TOOL WORK CLIP...     [--ffmpeg FFMPEG] [--encoders LIST] [--targets LIST] [--coverage N]

CLIP is FILE, or FILE:FIRST:FRAMES:WIDTH for so many frames, scaled. Prints one line for each search. --coverage N: are
the means of whole videos in the intervals of their samples, for N videos that are put together from pieces of the CLIPs?
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The option, and its values that are tried.
ENCODERS = {"libx264": ("crf", range(18, 43)), "libx265": ("crf", range(18, 43)), "libsvtav1": ("crf", range(24, 57)),
            "libvpx-vp9": ("crf", range(24, 57)), "mpeg4": ("q:v", range(2, 32))}
MORE = {"libx264": ["-preset", "veryfast"], "libx265": ["-preset", "ultrafast", "-x265-params", "log-level=error"],
        "libsvtav1": ["-preset", "10"], "libvpx-vp9": ["-b:v", "0", "-cpu-used", "5", "-deadline", "realtime"], "mpeg4": []}


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, words)], check=True,
                   env={**os.environ, "SVT_LOG": "1"})


def clip(text, work, number):
    """A lossless file of the frames."""
    path, _, rest = text.partition(":")
    made = work / f"clip{number}.mkv"
    first, frames, width = rest.split(":") if rest else ("0", "1000000", "-2")
    if not made.exists():
        ffmpeg("-i", path, "-vf", f"trim=start_frame={first},setpts=PTS-STARTPTS,scale={width}:-2:flags=bicubic,format=yuv420p",
               "-frames:v", frames, "-an", "-c:v", "ffv1", made)
    return made


def montage(paths, work, number):
    """A minute of pieces of the clips, some of them drawn by FFmpeg: other parts of the picture, slower, mirrored."""
    made = work / f"montage{number}.mkv"
    if made.exists():
        return made
    chance, inputs, graph = random.Random(number), [], []
    for piece in range(20):
        if chance.random() < 0.15:
            source = chance.choice(["mandelbrot=s=640x360:r=15", "testsrc2=s=640x360:r=15", "gradients=s=640x360:r=15"])
            inputs += ["-f", "lavfi", "-t", "3", "-i", source]
        else:
            inputs += ["-i", chance.choice(paths)]
        share, slow = chance.uniform(0.3, 1), chance.choice([1, 1, 2, 4])
        flip = chance.choice(["hflip", "vflip", "null"])
        graph.append(f"[{piece}:v]crop=iw*{share:.3f}:ih*{share:.3f}:(iw-ow)*{chance.random():.3f}:(ih-oh)*{chance.random():.3f},"
                     f"{flip},setpts={slow}*(PTS-STARTPTS),fps=15,scale=160:90,setsar=1,format=yuv420p,"
                     f"loop=-1:200,trim=end_frame={chance.randint(20, 75)},setpts=N/15/TB[p{piece}]")
    joined = "".join(f"[p{piece}]" for piece in range(20))
    ffmpeg(*inputs, "-filter_complex", ";".join(graph) + f";{joined}concat=n=20", "-an", "-c:v", "ffv1", made)
    return made


def exhaustive(tool, path, encoder, work):
    """Score of each value, with nothing of the command."""
    option, values = ENCODERS[encoder]
    kept = work / f"{path.stem}.{encoder}.json"
    if kept.exists():
        return {int(value): score for value, score in json.loads(kept.read_text()).items()}
    found = {}
    for value in values:
        ffmpeg("-i", path, "-c:v", encoder, f"-{option}", value, *MORE[encoder], work / "one.mkv")
        done = subprocess.run([tool, "-r", path, "-d", work / "one.mkv", "--precision", "max"], capture_output=True, text=True,
                              check=True)
        found[value] = float(re.search(r"^vmaf_v0.6.1: (\S+)$", done.stdout + done.stderr, re.M)[1])
    kept.write_text(json.dumps(found))
    return found


def line(scores, target, low, high):
    """Where a straight line between two values reaches the target."""
    share = (target - scores[high]) / (scores[low] - scores[high])
    return min(max(round(high - (high - low) * share), low + 1), high - 1)


def usual(scores, target):
    """The answer and the trials of the usual rule."""
    first, last = min(scores), max(scores)
    at, tried = (first + last) // 2, []
    while True:
        tried.append(at)
        is_good, run = scores[at] > target, len(tried)
        worse = min((value for value in tried if value > at), default=-9)
        better = max((value for value in tried if value < at), default=-9)
        if is_good and (scores[at] < target + 0.1 * 2**(run - 1) or at in (last, worse - 1)):
            return at, run
        if not is_good and at in (first, better + 1):
            return better, run
        end, other = (last, worse) if is_good else (first, better)
        if other < 0:
            at = (at + end) // 2 if run == 1 else end
        else:
            at = line(scores, target, min(at, other), max(at, other))


def command(options, path, encoder, *words):
    """What --json says of a search, and its seconds."""
    told = options.work / "found.json"
    option, values = ENCODERS[encoder]
    started = time.time()
    done = subprocess.run([sys.executable, "-B", "-m", "vmaf_gpu.batch", "search", path, "--encoder", encoder, "--range",
                           f"{values[0]}:{values[-1]}", "--tool", options.tool, "--encoder-ffmpeg", "ffmpeg", "--json", told,
                           *(["--ffmpeg", options.ffmpeg] if options.ffmpeg else []), "--devices", "cpu", *words, "--",
                           *(word for word in MORE[encoder])], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    if done.returncode not in (0, 3):
        raise SystemExit(done.stdout + done.stderr)
    return json.loads(told.read_text()), time.time() - started, option


def compare(options, paths):
    searches = wrong = trials = most = others = 0
    print("clip encoder target: answer (exhaustive); trials; seconds; the usual rule's answer and trials")
    for path in paths:
        for encoder in options.encoders:
            scores = exhaustive(options.tool, path, encoder, options.work)
            falls = all(scores[value + 1] <= scores[value] for value in scores if value + 1 in scores)
            for target in options.targets:
                shutil.rmtree(options.work / "cache", ignore_errors=True)
                found, seconds, _ = command(options, path, encoder, "--target", str(target), "--cache", options.work / "cache")
                answer = found["answers"][0]
                chosen = int(answer["value"]) if answer["is_reached"] else None
                true = max((value for value in scores if scores[value] >= target), default=None)
                other, count = usual(scores, target)  # -9: none
                searches, wrong, others = searches + 1, wrong + (chosen != true), others + count
                trials, most = trials + answer["trials"], max(most, answer["trials"])
                print(f"{path.stem} {encoder} {target:g}: {chosen} ({true}{'' if falls else ', scores rise somewhere'}); "
                      f"{answer['trials']}; {seconds:.1f}; {other} {count}", flush=True)
    print(f"{searches} searches: {searches - wrong} answers equal, {trials / searches:.2f} trials, at most {most}; the usual "
          f"rule {others / searches:.2f}")


def coverage(options, paths):
    inside = total = 0
    for path in paths:
        for encoder in options.encoders:
            middle = str(ENCODERS[encoder][1][len(ENCODERS[encoder][1]) // 2])
            words = ["--target", "0", "--range", f"{middle}:{middle}", "--cache", options.work / "samples"]
            whole = command(options, path, encoder, *words)[0]["points"][0]
            told = command(options, path, encoder, *words, "--samples", "8", "--no-verify")[0]["points"]
            point = [one for one in told if one["is_estimate"]][0]
            is_inside = abs(point["score"] - whole["score"]) <= point["error"]
            inside, total = inside + is_inside, total + 1
            print(f"{path.stem} {encoder} {middle}: whole {whole['score']:.3f}, samples {point['score']:.3f} +- "
                  f"{point['error']:.3f}, {100 * point['frames'] / whole['frames']:.0f} % of the frames"
                  f"{'' if is_inside else '; OUTSIDE'}", flush=True)
    print(f"{inside} of {total} means are in the interval")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--ffmpeg")
    parser.add_argument("--encoders", type=lambda text: text.split(","), default=["libx264", "libx265", "libsvtav1"])
    parser.add_argument("--targets", type=lambda text: [float(one) for one in text.split(",")], default=[85.0, 93.0, 96.0])
    parser.add_argument("--coverage", type=int, default=0)
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    paths = [clip(text, options.work, number) for number, text in enumerate(options.clips)]
    if options.coverage:
        coverage(options, [montage(paths, options.work, number) for number in range(options.coverage)])
    else:
        compare(options, paths)


if __name__ == "__main__":
    sys.exit(main())
