#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The command-line tool on the HIP backend's stand-in runtime: same bytes as the CPU,
and calls of the runtime that fail, some of every phase: a failing exit status, a text
that names the call, no hang, nothing leaked. (Every call in turn, in one process:
test_hip_failures.cpp.) Run by meson; see tests/standin/standin.h.

    test_tool_hip.py TOOL STANDIN
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, FRAMES = 48, 40, 6
LEAKED = 86
# Their failure is a warning, and so is that of a call without which all goes well.
RELEASES = {"hipModuleUnload", "hipStreamDestroy", "hipEventDestroy", "hipFree", "hipHostFree",
            "hipStreamSynchronize", "hipRuntimeGetVersion"}
problems = []


def run(tool, folder, backend, **env):
    log = folder / "log.json"
    log.unlink(missing_ok=True)
    done = subprocess.run(
        [tool, "-r", str(folder / "ref.yuv"), "-d", str(folder / "dist.yuv"), "-w", str(WIDTH),
         "-h", str(HEIGHT), "-p", "420", "-b", "8", "--backend", backend, "--json", "-o", str(log)],
        env={**os.environ, **env}, capture_output=True, text=True, timeout=60)
    scores = [line for line in log.read_text().splitlines() if '"fps"' not in line] \
        if log.exists() else []
    return done.returncode, done.stderr + done.stdout, scores


def expect(is_right, what, text):
    if not is_right:
        problems.append("%s:\n%s" % (what, text))


def write_clips(folder):
    rng = random.Random(1)
    luma, chroma = WIDTH * HEIGHT, WIDTH * HEIGHT // 2
    with open(folder / "ref.yuv", "wb") as ref, open(folder / "dist.yuv", "wb") as dist:
        for _ in range(FRAMES):
            base = rng.randbytes(luma)
            ref.write(base + bytes([128]) * chroma)
            dist.write(bytes(value // 2 + 40 for value in base) + bytes([128]) * chroma)


def fails(tool, folder, standin, failures, named):
    """Failures that must end the program; `named`: one of these is in its message."""
    status, text, _ = run(tool, folder, "hip", VMAFGPU_HIP_LIBRARY=standin,
                          VMAFGPU_STANDIN_FAIL=failures)
    expect(status not in (0, LEAKED) and status > 0, "%s: exit status %d" % (failures, status), text)
    expect(any(name in text for name in named), "%s: no word of %s" % (failures, named), text)
    expect("LEAK" not in text and "MISUSE" not in text, failures + ": leaks", text)


def main(tool, standin):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_clips(folder)
        calls_file = folder / "calls"
        _, _, cpu = run(tool, folder, "cpu")
        status, text, hip = run(tool, folder, "hip", VMAFGPU_HIP_LIBRARY=standin,
                                VMAFGPU_STANDIN_LOG=str(calls_file))
        expect(status == 0, "plain run", text)
        expect(len(cpu) > 20 and cpu == hip, "hip's log is not the cpu's", text)
        calls = calls_file.read_text().split()
        # Once per process: what in-process tests cannot repeat.
        fails(tool, folder, standin, "hipInit#1=100", ["no AMD GPU is visible"])
        fails(tool, folder, standin, "hipInit#1=999", ["hipInit"])
        fails(tool, folder, standin, "hipGetDeviceCount#1=100", ["/dev/kfd"])
        fails(tool, folder, standin, "hipGetDevicePropertiesR0600#1=999",
              ["hipGetDevicePropertiesR0600"])
        last_launch = max(i for i, call in enumerate(calls, 1) if call == "hipModuleLaunchKernel")
        numbers = sorted({3 + i * (last_launch - 3) // 11 for i in range(12)})
        for number in numbers:
            fails(tool, folder, standin, "lost#%d=719" % number, [calls[number - 1]])
        for call in sorted(set(calls) - RELEASES):
            fails(tool, folder, standin, call + "#1=2", [call])
        # After the last score there is nothing to spoil, but it is said.
        status, text, scores = run(tool, folder, "hip", VMAFGPU_HIP_LIBRARY=standin,
                                   VMAFGPU_STANDIN_FAIL="hipModuleUnload#1=719")
        expect(status == 0 and scores == cpu and "hipModuleUnload" in text, "close", text)
        status, text, scores = run(tool, folder, "auto", VMAFGPU_HIP_LIBRARY=standin,
                                   VMAFGPU_STANDIN_FAIL="hipModuleLoadData#*=999")
        expect(status == 0 and scores == cpu and "hip failed" in text, "auto", text)
        status, text, _ = run(tool, folder, "hip", VMAFGPU_HIP_LIBRARY="libno-such-runtime.so")
        expect(status > 0 and "libno-such-runtime.so" in text and "hip-runtime-amd" in text,
               "no library", text)
        status, text, _ = run(tool, folder, "hip", VMAFGPU_HIP_LIBRARY=standin,
                              VMAFGPU_STANDIN_ARCH="gfx1033")
        expect(status > 0 and "-Dhip_archs=gfx1033" in text and "gfx1030" in text, "image", text)
        print("%d calls in a run, failed at calls %s and by name" % (len(calls), numbers))
    for problem in problems:
        print("FAILED " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
