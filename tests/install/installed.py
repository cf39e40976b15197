#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What `meson install` leaves behind serves programs outside: installed.py BUILD TOOL MESON

Installs into a folder of its own and compiles examples/score.c and score.cpp with the
flags that pkg-config prints, and nothing else. They are linked with the build's kind of
library; where that is the static one, also without any shared library at all. Each score
that they print must be the double that TOOL writes for the same input.
What pkg-config prints must not name other packages: users need none of the headers
that the engine was compiled with.
"""
import itertools
import json
import math
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
COMPILERS = {"score.c": ("CC", "cc", ["-std=c99", "-Wpedantic"]),
             "score.cpp": ("CXX", "c++", ["-std=c++17"])}
# Odd sizes, so that chroma planes are rounded up; more pairs than the default ring holds.
WIDTH, HEIGHT, FRAMES = 67, 49, 9


def output(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}: status {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout


def write_clips(folder):
    """Waves that move slowly, so that no score is clipped; the distorted clip has fewer levels,
    and fewer in each frame."""
    generator = random.Random(1)
    with open(folder / "reference.yuv", "wb") as reference, \
            open(folder / "distorted.yuv", "wb") as distorted:
        for frame in range(FRAMES):
            for width, height in [(WIDTH, HEIGHT)] + 2 * [((WIDTH + 1) // 2, (HEIGHT + 1) // 2)]:
                samples = [int(128 + 50 * math.sin(x / 5 + frame / 20) + 40 * math.cos(y / 7)) +
                           generator.randrange(-3, 4) for y in range(height) for x in range(width)]
                step = 24 + 3 * frame
                reference.write(bytes(samples))
                distorted.write(bytes(sample // step * step for sample in samples))


def tool_scores(tool, folder):
    """Returns what the programs have to print: a line a frame, then the mean."""
    output([tool, "-r", folder / "reference.yuv", "-d", folder / "distorted.yuv", "-w", WIDTH, "-h",
            HEIGHT, "-p", "420", "-b", "8", "--backend", "cpu", "--json", "--precision", "max", "-q",
            "-o", folder / "log.json"])
    log = json.loads((folder / "log.json").read_text())
    scores = [(str(frame["frameNum"]), frame["metrics"]["vmaf"]) for frame in log["frames"]]
    if len(scores) != FRAMES or len({score for _, score in scores}) != FRAMES:
        sys.exit(f"the tool scored {scores}: the frames are not {FRAMES} different ones")
    return scores + [("mean", log["pooled_metrics"]["vmaf"]["mean"])]


def printed_scores(text):
    words = [line.split() for line in text.splitlines()]
    return [(word, float(score)) for word, score in words]


def check_file(pc, build):
    """The installed .pc file, and that the build folder holds none that leads nowhere:
    pkg-config prefers NAME-uninstalled.pc to NAME.pc."""
    for line in pc.read_text().splitlines():
        if line.startswith("Requires"):
            sys.exit(f"{pc.name} names other packages: {line}")
    for other in pathlib.Path(build, "meson-uninstalled").glob("libvmaf_gpu*.pc"):
        libdir = output(["pkg-config", "--variable=libdir", other]).strip()
        if not any(pathlib.Path(libdir).glob("libvmaf_gpu.*")):
            sys.exit(f"{other}: no library in {libdir}")


def main():
    build, tool, meson = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stage = folder / "stage"
        output([meson, "install", "-C", build, "--no-rebuild", "--quiet", "--tags", "devel,runtime"],
               env=dict(os.environ, DESTDIR=str(stage)))
        pc = next(stage.rglob("libvmaf_gpu.pc"))
        check_file(pc, build)
        env = dict(os.environ, PKG_CONFIG_PATH=str(pc.parent), PKG_CONFIG_SYSROOT_DIR="")
        prefix = output(["pkg-config", "--variable=prefix", "libvmaf_gpu"], env=env).strip()
        ask = ["pkg-config", f"--define-variable=prefix={stage}{prefix}"]
        shared = any(stage.rglob("libvmaf_gpu.so"))
        runs = [("dynamic", [], [] if shared else ["--static"])]
        if any(stage.rglob("libvmaf_gpu.a")):
            runs.append(("static", ["-static"], ["--static"]))
        write_clips(folder)
        wanted = tool_scores(tool, folder)
        libraries = ":".join(str(path.parent) for path in stage.rglob("libvmaf_gpu.so"))
        for source, (what, linker, words) in itertools.product(COMPILERS, runs):
            variable, compiler, standard = COMPILERS[source]
            flags = shlex.split(output(ask + ["--cflags", "--libs", *words, "libvmaf_gpu"], env=env))
            program = folder / f"{what}-{source}.exe"
            output([os.environ.get(variable, compiler).split()[-1], *standard, "-Wall", "-Wextra",
                    "-Werror", EXAMPLES / source, "-o", program, *linker, *flags])
            got = printed_scores(output([program, folder / "reference.yuv", folder / "distorted.yuv",
                                         WIDTH, HEIGHT, "cpu"],
                                        env=dict(os.environ, LD_LIBRARY_PATH=libraries)))
            if got != wanted:
                sys.exit(f"{source}, {what}: printed {got!r}, the tool's scores are {wanted!r}")
            print(f"installed: {source}, {what}: {len(got)} scores equal the tool's")


if __name__ == "__main__":
    main()
