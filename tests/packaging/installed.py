#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What `meson install` leaves behind serves a C program: installed.py BUILD TOOL MESON

Installs into a folder of its own, compiles user.c with what pkg-config says and
nothing else (linked with the build's kind of library; where that is the static
one also without any shared library at all), and compares its score with TOOL's.
"""
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("user.c")
WIDTH, HEIGHT, FRAMES = 64, 48, 3


def output(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}: status {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout


def write_clips(folder):
    generator = random.Random(1)
    for name, step in (("reference.yuv", 1), ("distorted.yuv", 24)):
        generator.seed(1)
        size = WIDTH * HEIGHT * 3 // 2 * FRAMES
        (folder / name).write_bytes(bytes(value // step * step for value in generator.randbytes(size)))


def tool_score(tool, folder):
    output([tool, "-r", folder / "reference.yuv", "-d", folder / "distorted.yuv", "-w", WIDTH, "-h",
            HEIGHT, "-p", "420", "-b", "8", "--backend", "cpu", "--json", "--precision", "max", "-q",
            "-o", folder / "log.json"])
    return json.loads((folder / "log.json").read_text())["pooled_metrics"]["vmaf"]["mean"]


def main():
    build, tool, meson = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stage = folder / "stage"
        output([meson, "install", "-C", build, "--no-rebuild", "--quiet", "--tags", "devel,runtime"],
               env=dict(os.environ, DESTDIR=str(stage)))
        pc = next(stage.rglob("libvmaf_gpu.pc"))
        env = dict(os.environ, PKG_CONFIG_PATH=str(pc.parent), PKG_CONFIG_SYSROOT_DIR="")
        prefix = output(["pkg-config", "--variable=prefix", "libvmaf_gpu"], env=env).strip()
        ask = ["pkg-config", f"--define-variable=prefix={stage}{prefix}"]
        shared = any(stage.rglob("libvmaf_gpu.so"))
        runs = [("dynamic", [], [] if shared else ["--static"])]
        if any(stage.rglob("libvmaf_gpu.a")):
            runs.append(("static", ["-static"], ["--static"]))
        write_clips(folder)
        wanted = tool_score(tool, folder)
        for what, linker, words in runs:
            flags = shlex.split(output(ask + ["--cflags", "--libs", *words, "libvmaf_gpu"], env=env))
            program = folder / what
            output([os.environ.get("CC", "cc").split()[-1], "-std=c99", "-Wall", "-Werror", SOURCE,
                    "-o", program, *linker, *flags])
            libraries = ":".join(str(path.parent) for path in stage.rglob("libvmaf_gpu.so"))
            got = float(output([program, folder / "reference.yuv", folder / "distorted.yuv", WIDTH,
                                HEIGHT], env=dict(os.environ, LD_LIBRARY_PATH=libraries)))
            if got != wanted:
                sys.exit(f"{what}: scored {got!r}, the tool {wanted!r}")
            print(f"installed: {what}: {got!r}")


if __name__ == "__main__":
    main()
