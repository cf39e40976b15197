#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The command-line tool on a GPU backend's stand-in: same bytes as the CPU, chosen by
"auto", and calls of the driver that fail, some of every phase: a failing exit status, a
text that names the call, no hang, nothing leaked. (Every call in turn, in one process:
test_driver_failures.cpp.) Run by meson; see standin.h.

    test_tool.py hip|cuda TOOL STANDIN
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, FRAMES = 48, 40, 6
LEAKED = 86
VENDORS = {
    "hip": {
        "variable": "VMAFGPU_HIP_LIBRARY",
        "other": "VMAFGPU_CUDA_LIBRARY",
        # Their failure is a warning, and so is that of a call without which all goes well.
        "releases": {"hipModuleUnload", "hipStreamDestroy", "hipEventDestroy", "hipFree",
                     "hipHostFree", "hipStreamSynchronize", "hipRuntimeGetVersion"},
        "launch": "hipModuleLaunchKernel",
        "load": "hipModuleLoadData",
        "unload": "hipModuleUnload",
        "none": "no HIP runtime",
        # Once per process: what in-process tests cannot repeat.
        "start": [("hipInit#1=100", "no AMD GPU is visible"), ("hipInit#1=999", "hipInit"),
                  ("hipGetDeviceCount#1=100", "/dev/kfd"),
                  ("hipGetDevicePropertiesR0600#1=999", "hipGetDevicePropertiesR0600")],
        "refused": [({"VMAFGPU_HIP_LIBRARY": "libno-such-runtime.so"},
                     ["libno-such-runtime.so", "hip-runtime-amd"]),
                    ({"VMAFGPU_STANDIN_ARCH": "gfx1102"},
                     ["AMD_ARCHS=gfx1102 scripts/demo.sh", "-Dhip_archs=gfx1102", "gfx1030"])],
    },
    "cuda": {
        "variable": "VMAFGPU_CUDA_LIBRARY",
        "other": "VMAFGPU_HIP_LIBRARY",
        # Without its version a driver counts as too old, which is said in other words.
        "releases": {"cuModuleUnload", "cuStreamDestroy", "cuEventDestroy", "cuMemFree",
                     "cuMemFreeHost", "cuStreamSynchronize", "cuDevicePrimaryCtxRelease",
                     "cuCtxPopCurrent", "cuDriverGetVersion"},
        "launch": "cuLaunchKernel",
        "load": "cuModuleLoadData",
        "unload": "cuModuleUnload",
        "none": "no CUDA driver",
        "start": [("cuInit#1=100", "no usable CUDA driver: cuInit: CUDA_ERROR_NO_DEVICE"),
                  ("cuInit#1=999", "cuInit"), ("cuDeviceGetCount#1=999", "cuDeviceGetCount"),
                  ("cuDriverGetVersion#1=999", "CUDA driver is too old")],
        "refused": [({"VMAFGPU_CUDA_LIBRARY": "libno-such-driver.so.1"},
                     ["no CUDA driver", "libno-such-driver.so.1"]),
                    ({"VMAFGPU_CUDA_LIBRARY": "libm.so.6"},
                     ["CUDA driver is too old: libm.so.6 has no cuInit"]),
                    ({"VMAFGPU_STANDIN_CUDA_VERSION": "10020"},
                     ["CUDA driver is too old: it supports CUDA 10.2, needed is 11.0 or later"]),
                    ({"VMAFGPU_STANDIN_DEVICES": "0"}, ["no usable CUDA driver: cuInit"]),
                    ({"VMAFGPU_STANDIN_CAPABILITY": "52"},
                     ["compute capability 5.2", "this build has kernels for ", "the least supported is"])],
    },
}
problems = []


class Runs:
    """The tool on one pair of clips."""

    def __init__(self, vendor, tool, standin, folder):
        self.vendor, self.tool, self.standin, self.folder = vendor, tool, standin, folder

    def run(self, backend, **env):
        log = self.folder / "log.json"
        log.unlink(missing_ok=True)
        base = {**os.environ, self.vendor["variable"]: self.standin, self.vendor["other"]: "none"}
        done = subprocess.run(
            [self.tool, "-r", str(self.folder / "ref.yuv"), "-d", str(self.folder / "dist.yuv"),
             "-w", str(WIDTH), "-h", str(HEIGHT), "-p", "420", "-b", "8", "--backend", backend,
             "--json", "-o", str(log)],
            env={**base, **env}, capture_output=True, text=True, timeout=60)
        # All scores count. The text behind them says which device made them.
        text = log.read_text().split('"aggregate_metrics"')[0] if log.exists() else ""
        scores = [line for line in text.splitlines() if '"fps"' not in line]
        return done.returncode, done.stderr + done.stdout, scores

    def calls(self, backend, **env):
        """Names of the driver's calls besides."""
        file = self.folder / "calls"
        file.unlink(missing_ok=True)
        outcome = self.run(backend, VMAFGPU_STANDIN_LOG=str(file), **env)
        return (*outcome, file.read_text().split() if file.exists() else [])


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


def fails(runs, backend, failures, name):
    """Failures that must end the program; `name` must be in its message."""
    status, text, _ = runs.run(backend, VMAFGPU_STANDIN_FAIL=failures)
    expect(status not in (0, LEAKED) and status > 0, "%s: exit status %d" % (failures, status), text)
    expect(name in text, "%s: no word of %s" % (failures, name), text)
    expect("LEAK" not in text and "MISUSE" not in text, failures + ": leaks", text)


def check_plain_runs(runs, backend):
    """Returns the CPU's log and the names of the calls of a run."""
    _, _, cpu = runs.run("cpu")
    status, text, scores, calls = runs.calls(backend)
    expect(status == 0, "plain run", text)
    expect(len(cpu) > 20 and cpu == scores, "%s's log is not the cpu's" % backend, text)
    status, text, scores, auto = runs.calls("auto")
    expect(status == 0 and cpu == scores, "auto: another log", text)
    expect(runs.vendor["launch"] in auto, "auto: chose another backend", text)
    # Why the CPU, in few words; the library that was looked for is said at verbose.
    status, text, scores = runs.run("auto", **{runs.vendor["variable"]: "libno-such-library.so"})
    line = "".join(line for line in text.splitlines() if "chosen by auto" in line)
    expect(status == 0 and cpu == scores and "backend cpu" in line and
           "%s: %s" % (backend, runs.vendor["none"]) in line and "libno-such" not in line and
           len(line) < 200, "auto without a driver", text)
    # The library is found by its own name, as the real one is.
    status, text, scores, found = runs.calls(backend, **{
        runs.vendor["variable"]: "", "LD_LIBRARY_PATH": str(pathlib.Path(runs.standin).parent)})
    if backend == "cuda": # the names of HIP's runtime have a version
        expect(status == 0 and cpu == scores and runs.vendor["launch"] in found,
               "found by its name", text)
    return cpu, calls


def main(backend, tool, standin):
    vendor = VENDORS[backend]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_clips(folder)
        runs = Runs(vendor, tool, standin, folder)
        cpu, calls = check_plain_runs(runs, backend)
        for failures, word in vendor["start"]:
            fails(runs, backend, failures, word)
        last_launch = max(i for i, call in enumerate(calls, 1) if call == vendor["launch"])
        numbers = sorted({3 + i * (last_launch - 3) // 11 for i in range(12)})
        for number in numbers:
            fails(runs, backend, "lost#%d=719" % number, calls[number - 1])
        for call in sorted(set(calls) - vendor["releases"]):
            fails(runs, backend, call + "#1=2", call)
        # After the last score there is nothing to spoil, but it is logged.
        status, text, scores = runs.run(backend, VMAFGPU_STANDIN_FAIL=vendor["unload"] + "#1=719")
        expect(status == 0 and scores == cpu and vendor["unload"] in text, "close", text)
        status, text, scores = runs.run("auto", VMAFGPU_STANDIN_FAIL=vendor["load"] + "#*=999")
        expect(status == 0 and scores == cpu and backend + " failed" in text, "auto", text)
        for env, words in vendor["refused"]:
            status, text, _ = runs.run(backend, **env)
            expect(status > 0 and all(word in text for word in words), "refusal: %s" % env, text)
        print("%d calls in a run, failed at calls %s and by name" % (len(calls), numbers))
    for problem in problems:
        print("FAILED " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
