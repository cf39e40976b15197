#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu search beside trying every value: are the answers the same, do sizes keep their limits, how many trials does it
take, and how many would the rules of other programs take on the same tables?

    bench/search.py TOOL WORK [CLIP...]     [--ffmpeg FFMPEG] [--encoders LIST] [--coverage N | --rules]

CLIP is FILE, or FILE:FIRST:FRAMES:WIDTH for so many frames, scaled; without any, those that search_tables.py draws. Prints
one line for each search. --coverage N: are the means of whole videos in the intervals of their samples, by search and by
score, for N videos that are put together from pieces of the CLIPs? --rules: all targets of all tables, without encoding: what
our rule and the others answer, and what that takes.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
from search_tables import CLIPS, ENCODERS, MORE, drawn, exhaustive, ffmpeg  # noqa: E402 pylint: disable=wrong-import-position
from vmaf_gpu.search import bracket  # noqa: E402 pylint: disable=wrong-import-position
from vmaf_gpu.search.encoders import ENCODERS as ENCODERS_OF_OURS  # noqa: E402 pylint: disable=wrong-import-position

PROBES = 4  # the most that the rule "stopped" makes


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


def line(scores, target, low, high):
    """Where a straight line between two values reaches the target."""
    share = (target - scores[high]) / (scores[low] - scores[high])
    return min(max(round(high - (high - low) * share), low + 1), high - 1)


def interpolated(scores, target):
    """The answer and the values that are tried by halving, then straight lines, until a score is 0.1, 0.2, 0.4 ... above the target by the
    number of trials."""
    first, last = min(scores), max(scores)
    at, tried = (first + last) // 2, []
    while True:
        tried.append(at)
        is_good, run = scores[at] > target, len(tried)
        worse = min((value for value in tried if value > at), default=-9)
        better = max((value for value in tried if value < at), default=-9)
        if is_good and (scores[at] < target + 0.1 * 2**(run - 1) or at in (last, worse - 1)):
            return at, tried
        if not is_good and at in (first, better + 1):
            return better, tried
        end, other = (last, worse) if is_good else (first, better)
        if other < 0:
            at = (at + end) // 2 if run == 1 else end
        else:
            at = line(scores, target, min(at, other), max(at, other))


def stopped(scores, target):
    """The answer and the values that are tried by a rule that takes what is at most one point above the target, else after some probes what is
    nearest to the middle of that range: half, half again, then straight lines."""
    low, high, tried = min(scores), max(scores), []
    while low <= high and len(tried) < PROBES:
        better, worse = (max((value for value in tried if scores[value] > target), default=None),
                         min((value for value in tried if scores[value] <= target), default=None))
        at = (low + high) // 2 if len(tried) < 2 or None in (better, worse) else line(scores, target + 0.5, better, worse)
        at = min(max(at, low), high)
        if at in tried:
            break
        tried.append(at)
        if target <= scores[at] <= target + 1:
            return at, tried
        low, high = (at + 1, high) if scores[at] > target + 1 else (low, at - 1)
    return min(tried, key=lambda value: abs(scores[value] - target - 0.5)), tried


def run(options, name, *words):
    """One of our commands; statuses 3 and 4 are answers, too."""
    done = subprocess.run([sys.executable, "-B", "-m", "vmaf_gpu.batch", name, "--tool", options.tool, "--devices", "cpu",
                           *(["--ffmpeg", options.ffmpeg] if options.ffmpeg else []), *words], capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    if done.returncode not in (0, 3, 4):
        raise SystemExit(done.stdout + done.stderr)


def command(options, path, encoder, *words):
    """What --json says of a search, and its seconds."""
    told = options.work / "found.json"
    values, started = ENCODERS[encoder][1], time.time()
    run(options, "search", path, "--encoder", encoder, "--range", f"{values[0]}:{values[-1]}", "--encoder-ffmpeg", "ffmpeg",
        "--json", told, *words, "--", *MORE[encoder])
    return json.loads(told.read_text()), time.time() - started


def asked(rows):
    """Words of some searches of a table, and the value that each has to answer; None: nothing does."""
    values = sorted(rows)
    near, mid, far = (values[len(values) * part // 4] for part in (1, 2, 3))

    def between(name, value):
        return (rows[value][name] + rows[value + 1][name]) / 2

    def last(**least):
        return max((value for value in rows if all(rows[value][name.replace("_", " ")] >= one for name, one in least.items())),
                   default=None)

    def fitting(limit):
        return min((value for value in rows if rows[value]["bytes"] <= limit), default=None)

    for value in near, far:
        yield "target", ["--target", between("vmaf", value)], last(vmaf=between("vmaf", value)), between("vmaf", value)
    limit = int(between("bytes", mid))
    yield "limit", ["--max-size", limit], fitting(limit), None
    least = {"vmaf": between("vmaf", mid), "xpsnr": between("xpsnr", mid - 1), "vmaf_perc5": between("vmaf perc5", mid + 1)}
    yield "several", ["--target", least["vmaf"], "--target", f"xpsnr={least['xpsnr']}", "--target",
                      f"perc5={least['vmaf_perc5']}"], last(**least), None
    small = rows[mid]["bytes"]
    yield "both", ["--target", between("vmaf", near), "--max-size", small], fitting(small), None


def compare(options, paths):
    kinds, peers = {}, {"interpolated": [], "stopped": []}
    print("clip encoder kind: answer (exhaustive); trials; seconds; answers and trials of the other rules")
    for path in paths:
        for encoder in options.encoders:
            rows = exhaustive(options.tool, path, encoder, options.work)
            for kind, words, true, target in asked(rows):
                shutil.rmtree(options.work / "cache", ignore_errors=True)
                found, seconds = command(options, path, encoder, *map(str, words), "--cache", options.work / "cache")
                answer = found["answers"][0]
                chosen = int(answer["value"]) if answer["fails"] != "target" else None
                fits = answer["limit"] is None or answer["bytes"] <= answer["limit"]
                kinds.setdefault(kind, []).append((chosen == true, abs((chosen or 0) - (true or 0)) <= 1, fits, answer["trials"], seconds))
                told = ""
                if target is not None:
                    scores = {value: row["vmaf"] for value, row in rows.items()}
                    for name, rule in ("interpolated", interpolated), ("stopped", stopped):
                        other, tried = rule(scores, target)
                        peers[name].append((other == true, scores.get(other, 0) >= target, len(tried)))
                        told += f"; {other} {len(tried)}"
                print(f"{path.stem} {encoder} {kind}: {chosen} ({true}); {answer['trials']}; {seconds:.1f}{told}", flush=True)
    for kind, found in kinds.items():
        equal, near, fits, trials, seconds = zip(*found)
        print(f"{kind}: {len(found)} searches, {sum(equal)} answers equal, {sum(near)} within a step, {sum(fits)} within the limit, "
              f"{sum(trials) / len(found):.2f} trials, at most {max(trials)}, {sum(seconds) / len(found):.1f} s")
    for name, found in peers.items():
        equal, reach, trials = zip(*found)
        print(f"the rule {name}: {len(found)} searches, {sum(equal)} answers equal, {sum(reach)} reach the target, "
              f"{sum(trials) / len(found):.2f} trials, at most {max(trials)}")


def ours(scores, target, encoder):
    """The answer and the values that are tried by our rule."""
    values, points = sorted(scores), {}
    guess = int(ENCODERS_OF_OURS[encoder].knob.guess) - values[0]
    found = bracket.search(lambda notch: (scores[values[notch]],), points, [bracket.Aim(target, 100.0)], len(values), guess)
    return values[found.low] if found.low >= 0 else -9, [values[notch] for notch in points]


def rules(options, paths):
    """Targets between all neighbouring values."""
    found = {"ours": [], "interpolated": [], "stopped": []}
    for path in paths:
        for encoder in options.encoders:
            rows = exhaustive(options.tool, path, encoder, options.work)
            scores = {value: row["vmaf"] for value, row in rows.items()}
            for value in sorted(rows)[1:-2]:
                target = (scores[value] + scores[value + 1]) / 2
                true = max((one for one in scores if scores[one] >= target), default=-9)
                for name, (answer, tried) in (("ours", ours(scores, target, encoder)), ("interpolated", interpolated(scores, target)),
                                              ("stopped", stopped(scores, target))):
                    seconds = sum(sum(rows[one]["seconds"]) for one in tried)
                    found[name].append((answer == true, scores.get(answer, 0) >= target, len(tried), seconds))
    for name, told in found.items():
        equal, reach, trials, seconds = zip(*told)
        print(f"{name}: {len(told)} targets, {sum(equal)} answers equal, {sum(reach)} reach the target, {sum(trials) / len(told):.2f} trials, "
              f"at most {max(trials)}, {sum(seconds) / len(told):.2f} s of the tables")


def windows(options, path, encoded):
    """Mean and half of the interval by score, from 16 windows of a second, and the share of the frames."""
    told = options.work / "windows.json"
    run(options, "score", encoded, path, "--samples", "16", "--sample-length", "1", "-o", told, "--quiet")
    found = json.loads(told.read_text())
    low, high = found["estimates"]["vmaf"]["interval_95"]
    return found["estimates"]["vmaf"]["mean"], (high - low) / 2, len(found["frames"]) / found["frames_of_whole"]


def coverage(options, paths):
    kinds = {"search": [], "score": []}
    for path in paths:
        for encoder in options.encoders:
            middle, kept = str(ENCODERS[encoder][1][len(ENCODERS[encoder][1]) // 2]), options.work / "kept"
            shutil.rmtree(kept, ignore_errors=True)
            words = ["--target", "0", "--range", f"{middle}:{middle}", "--cache", options.work / "samples"]
            whole = command(options, path, encoder, *words, "--keep", kept)[0]["points"][0]
            told = command(options, path, encoder, *words, "--samples", "8", "--no-verify")[0]["points"]
            point = [one for one in told if one["is_estimate"]][0]
            found = {"search": (point["score"], point["errors"]["vmaf"], point["frames"] / whole["frames"]),
                     "score": windows(options, path, next(kept.iterdir()))}
            text = ""
            for kind, (mean, half, share) in found.items():
                kinds[kind].append((abs(mean - whole["score"]) <= half, half))
                text += f"; {kind} {mean:.3f} +- {half:.3f}, {100 * share:.0f} % of the frames{'' if kinds[kind][-1][0] else ', OUTSIDE'}"
            print(f"{path.stem} {encoder} {middle}: whole {whole['score']:.3f}{text}", flush=True)
    for kind, found in kinds.items():
        inside, halves = zip(*found)
        print(f"{kind}: {sum(inside)} of {len(found)} means are in the interval; half of it is {sorted(halves)[len(halves) // 2]:.2f} (median)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--ffmpeg")
    parser.add_argument("--encoders", type=lambda text: text.split(","), default=["libx264", "libx265", "libsvtav1"])
    parser.add_argument("--coverage", type=int, default=0)
    parser.add_argument("--rules", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    paths = [clip(text, options.work, number) for number, text in enumerate(options.clips)] or \
        [drawn(options.work, name) for name in CLIPS]
    if options.rules:
        rules(options, paths)
    elif options.coverage:
        coverage(options, [montage(paths, options.work, number) for number in range(options.coverage)])
    else:
        compare(options, paths)


if __name__ == "__main__":
    sys.exit(main())
