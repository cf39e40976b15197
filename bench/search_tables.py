#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What bench/search.py compares with: clips, and for each of them and each encoder what every value gives.

    bench/search_tables.py TOOL WORK [--encoders LIST]

draws six clips of 320x180 and 48 frames into WORK, encodes each with every value, and writes CLIP.ENCODER.json: bytes,
three scores, and how long encoding and scoring took.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

# The option, and its values that are tried.
ENCODERS = {"libx264": ("crf", range(22, 39)), "libx265": ("crf", range(22, 39)), "libsvtav1": ("crf", range(30, 47)),
            "libvpx-vp9": ("crf", range(24, 57)), "mpeg4": ("q:v", range(2, 32))}
MORE = {"libx264": ["-preset", "veryfast"], "libx265": ["-preset", "ultrafast", "-x265-params", "log-level=error"],
        "libsvtav1": ["-preset", "10"], "libvpx-vp9": ["-b:v", "0", "-cpu-used", "5", "-deadline", "realtime"], "mpeg4": []}
# name: where its frames come from. Cuts, pans, noise, fades, sharp edges, and little that moves.
_SIZE = "s=320x180:r=25"
CLIPS = {
    "testsrc": f"testsrc2={_SIZE},noise=alls=10:allf=t:all_seed=3",
    "mandelbrot": f"mandelbrot={_SIZE}:end_scale=0.05",
    "life": "life=s=160x90:r=25:mold=10:ratio=0.3:seed=5:death_color=#306090:life_color=#e0e060,scale=320:180:flags=bicubic",
    "gradients": f"gradients={_SIZE}:seed=7:speed=0.05:nb_colors=6,noise=alls=4:allf=t:all_seed=9",
    "blurred": f"testsrc2={_SIZE},noise=alls=60:allf=t:all_seed=4,gblur=sigma=2",
    "pans": "mandelbrot=s=640x360:r=25:start_scale=0.6:end_scale=0.5,crop=320:180:x='mod(n*7,320)':y='90+80*sin(n/9)'",
}
FRAMES = 48


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, words)], check=True,
                   env={**os.environ, "SVT_LOG": "1"})


def drawn(work, name):
    """A lossless file of a clip."""
    made = work / f"{name}.mkv"
    if not made.exists():
        ffmpeg("-f", "lavfi", "-i", CLIPS[name], "-frames:v", FRAMES, "-pix_fmt", "yuv420p", "-c:v", "ffv1", made)
    return made


def percentile(values, percent):
    """Between two values, in a straight line."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * percent / 100
    low = int(at)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (at - low)


def row(tool, path, encoder, value, work):
    """What one value gives, with nothing of the command."""
    made, log, started = work / "one.mkv", work / "one.json", time.time()
    ffmpeg("-i", path, "-c:v", encoder, f"-{ENCODERS[encoder][0]}", value, *MORE[encoder], made)
    encoded = time.time()
    subprocess.run([tool, "-q", "-r", path, "-d", made, "--feature", "xpsnr", "--precision", "max", "--json", "-o", log, "--overwrite"],
                   check=True)
    told = json.loads(log.read_text())
    frames = [frame["metrics"]["vmaf"] for frame in told["frames"]]
    return {"bytes": made.stat().st_size, "vmaf": told["pooled_metrics"]["vmaf"]["mean"], "vmaf perc5": percentile(frames, 5),
            "xpsnr": told["aggregate_metrics"]["xpsnr_run_min"],
            "seconds": [encoded - started, time.time() - encoded]}


def exhaustive(tool, path, encoder, work):
    """The row of each value; kept in a file."""
    kept = work / f"{path.stem}.{encoder}.json"
    found = {int(value): one for value, one in json.loads(kept.read_text()).items()} if kept.exists() else {}
    for value in ENCODERS[encoder][1]:
        if value not in found:
            found[value] = row(tool, path, encoder, value, work)
            kept.write_text(json.dumps(found))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--encoders", type=lambda text: text.split(","), default=["libx264", "libx265", "libsvtav1"])
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    for name in CLIPS:
        for encoder in options.encoders:
            rows = exhaustive(options.tool, drawn(options.work, name), encoder, options.work)
            scores = [one["vmaf"] for one in rows.values()]
            rises = sum(after > before for before, after in zip(scores, scores[1:]))
            print(f"{name} {encoder}: vmaf {scores[0]:.1f} to {scores[-1]:.1f}, {rises} rises, "
                  f"{sum(sum(one['seconds']) for one in rows.values()):.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
