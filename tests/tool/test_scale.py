#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tool's --scale: a smaller or larger distorted video scores as one that the ffmpeg of the system
scaled with flags=bicubic+accurate_rnd+bitexact before, in all digits.

    test_scale.py TOOL [BACKEND...]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from runs import expect, finish

CASES = [("160x90", "yuv420p"), ("333x187", "yuv420p"), ("106x61", "yuv422p10le"),
         ("400x230", "yuv444p")]
TO, FRAMES = "320x180", 4
FLAGS = "bicubic+accurate_rnd+bitexact"


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=120)


def make(path, size, pixels, filters):
    done = run("ffmpeg", "-hide_banner", "-v", "error", "-y", "-f", "lavfi", "-i",
               f"testsrc=size={size}:rate=25", "-frames:v", FRAMES, "-vf", filters, "-pix_fmt", pixels,
               "-strict", "-1", path)
    expect(done.returncode == 0, f"making {path}", done.stderr)


def log(tool, folder, backend, *words):
    path = folder / "log.json"
    path.unlink(missing_ok=True)
    done = run(tool, "-q", "--json", "--precision", "max", "--backend", backend, "--feature", "psnr",
               "--overwrite", "-o", path, *words)
    if done.returncode != 0:
        return None, done.stderr
    whole = json.loads(path.read_text())
    return whole, json.dumps([whole["frames"], whole["pooled_metrics"]])


def main(tool, *backends):
    if shutil.which("ffmpeg") is None:
        print("no ffmpeg: scripts/setup.sh installs it")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        reference, small, scaled = (folder / f"{n}.y4m" for n in ("reference", "small", "scaled"))
        for size, pixels in CASES:
            make(reference, TO, pixels, "null")
            make(small, size, pixels, "noise=alls=20:allf=t:all_seed=1,avgblur=1")
            done = run("ffmpeg", "-hide_banner", "-v", "error", "-y", "-i", small, "-vf",
                       f"scale={TO.replace('x', ':')}:flags={FLAGS}", "-strict", "-1", scaled)
            expect(done.returncode == 0, "scaling", done.stderr)
            _, wanted = log(tool, folder, "cpu", "-r", reference, "-d", scaled)
            for backend in backends:
                whole, got = log(tool, folder, backend, "-r", reference, "-d", small, "--scale", "bicubic")
                what = f"{size} {pixels} {backend}"
                expect(got == wanted, what, "another log" if whole else got)
                expect(whole and whole["vmaf_gpu"].get("scaler") == f"{FLAGS} from {size}", what + ": scaler",
                       whole and whole["vmaf_gpu"])
        whole, text = log(tool, folder, "cpu", "-r", reference, "-d", small)
        expect(whole is None and "scale one of them if it shows all of the picture" in text, "without --scale", text)
        whole, text = log(tool, folder, "cpu", "-r", reference, "-d", scaled, "--scale", "bicubic")
        expect(whole and "scaler" not in whole["vmaf_gpu"], "equal sizes", text)
        whole, text = log(tool, folder, "cpu", "-r", reference, "-d", small, "--scale", "lanczos")
        expect(whole is None and "none or bicubic" in text, "an unknown method", text)
    return finish(f"tool scale: {len(CASES)} sizes on {' '.join(backends)}", 5 * len(CASES))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
