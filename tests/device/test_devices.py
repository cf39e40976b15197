#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which of several GPUs is taken, and what is said of those that are not: the tool over a
stand-in driver with GPUs of several kinds, in both orders. Run by meson.

    test_devices.py hip|cuda TOOL STANDIN USABLE_ARCH [IMAGES]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VARIABLES = {"hip": "VMAFGPU_HIP_LIBRARY", "cuda": "VMAFGPU_CUDA_LIBRARY"}
problems = []


class Runs:
    def __init__(self, backend, tool, standin, folder):
        self.backend, self.tool, self.folder = backend, tool, folder
        other = "cuda" if backend == "hip" else "hip"
        self.base = {**os.environ, VARIABLES[backend]: standin, VARIABLES[other]: "none",
                     "VMAFGPU_STANDIN_DEVICES": "2"}
        self.clip = folder / "clip.y4m"
        self.clip.write_bytes(b"YUV4MPEG2 W48 H40 F25:1 C444\n" +
                              b"".join(b"FRAME\n" + bytes([60 + i]) * (3 * 48 * 40) for i in range(3)))

    def run(self, device, environment):
        """Status, the device of the log, messages."""
        log = self.folder / "log.json"
        log.unlink(missing_ok=True)
        done = subprocess.run([self.tool, "-r", self.clip, "-d", self.clip, "--backend", device,
                               "--json", "-o", log], env={**self.base, **environment},
                              capture_output=True, text=True, timeout=120)
        name = ""
        if log.exists():
            name = json.loads(log.read_text())["vmaf_gpu"]["device"]
        return done.returncode, name, done.stderr

    def scores(self, environment):
        self.run(self.backend, environment)
        return json.loads((self.folder / "log.json").read_text())["frames"]

    def listed(self, environment):
        return subprocess.run([self.tool, "--list-devices"], env={**self.base, **environment},
                              check=True, capture_output=True, text=True, timeout=120).stdout


def expect(is_right, what, found):
    if not is_right:
        problems.append(f"{what}: {found}")


def takes(runs, number, environment, what):
    """`auto` and the backend without a number take this device, and it is listed first."""
    for device in "auto", runs.backend:
        status, name, text = runs.run(device, environment)
        expect(status == 0 and f"stand-in {number} " in name, f"{what}, {device}", (name, text))
    first = runs.listed(environment).splitlines()[0]
    expect(first.startswith(f"{runs.backend}:{number} "), f"{what}, listed first", first)


def check_best(runs):
    takes(runs, 0, {}, "equals")
    takes(runs, 1, {"VMAFGPU_STANDIN_UNITS": "20,60"}, "more multiprocessors")
    takes(runs, 0, {"VMAFGPU_STANDIN_UNITS": "60,20"}, "fewer behind")
    takes(runs, 1, {"VMAFGPU_STANDIN_UNITS": "60i,20"}, "integrated first")
    takes(runs, 0, {"VMAFGPU_STANDIN_UNITS": "20,60i"}, "discrete first")
    # A number is the driver's, whatever is best.
    for number in 0, 1:
        status, name, text = runs.run(f"{runs.backend}:{number}", {"VMAFGPU_STANDIN_UNITS": "2i,60"})
        expect(status == 0 and f"stand-in {number} " in name, f"number {number}", (name, text))


def check_unusable(runs, usable, other, reason):
    """The setting `other` is of a GPU that the build has no kernels for."""
    def kinds(text):
        return {"VMAFGPU_STANDIN_ARCH": text, "VMAFGPU_STANDIN_CAPABILITY": text}

    takes(runs, 1, {**kinds(f"{other},{usable}"), "VMAFGPU_STANDIN_UNITS": "90,2i"}, "unusable first")
    takes(runs, 0, {**kinds(f"{usable},{other}"), "VMAFGPU_STANDIN_UNITS": "2i,90"}, "unusable second")
    lines = runs.listed(kinds(f"{other},{usable}"))
    expect(re.search(rf"^{runs.backend}:0 .*not usable: .*{reason}", lines, re.M),
           "reason in the list", lines)
    status, _, text = runs.run(f"{runs.backend}:0", kinds(f"{other},{usable}"))
    expect(status != 0 and reason in text, "an unusable GPU by its number", text)
    # None: the backend fails, auto takes the CPU.
    status, _, text = runs.run(runs.backend, kinds(other))
    expect(status != 0 and reason in text, "none usable", text)
    status, name, text = runs.run("auto", kinds(other))
    expect(status == 0 and "stand-in" not in name, "none usable, auto", (name, text))


def check_family(runs, usable, images):
    """Code for a whole family: only where there is no other, and not with an old runtime."""
    expect("gfx10-3-generic" in images, "no code for a family to test with", images)
    family = {"VMAFGPU_STANDIN_ARCH": "gfx1033"}
    old = {**family, "VMAFGPU_STANDIN_HIP_VERSION": "60221132"}
    status, name, text = runs.run(runs.backend, family)
    expect(status == 0 and "stand-in" in name, "gfx1033 with a family's code", (status, text))
    expect(runs.scores(family) == runs.scores({"VMAFGPU_STANDIN_ARCH": usable}), "scores", "differ")
    status, _, text = runs.run(runs.backend, old)
    expect(status != 0 and "gfx10-3-generic need ROCm 6.3" in text, "an old runtime", text)
    lines = runs.listed(old)
    expect("not usable" in lines and "need ROCm 6.3" in lines, "an old runtime's list", lines)
    # The exact code is preferred, and needs no new runtime.
    status, _, text = runs.run(runs.backend, {**old, "VMAFGPU_STANDIN_ARCH": usable})
    expect(status == 0, "exact code with an old runtime", text)


def check_failures(runs, load):
    """Kernels that cannot be loaded on the best one; other failures are not hidden."""
    units = {"VMAFGPU_STANDIN_UNITS": "2,60"}
    status, name, text = runs.run(runs.backend, {**units, "VMAFGPU_STANDIN_FAIL": f"{load}#1=209"})
    expect(status == 0 and "stand-in 0 " in name and f"{runs.backend}:1 is passed over" in text,
           "kernels refused", (name, text))
    status, _, text = runs.run(runs.backend, {**units, "VMAFGPU_STANDIN_FAIL": f"{load}#1=2"})
    expect(status != 0 and load in text, "no memory for the kernels", text)
    status, _, text = runs.run(runs.backend, {**units, "VMAFGPU_STANDIN_FAIL": f"{load}#*=209"})
    expect(status != 0 and load in text, "kernels refused by both", text)


def main(backend, tool, standin, usable, images=""):
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(backend, tool, standin, pathlib.Path(name))
        check_best(runs)
        if backend == "hip":
            check_unusable(runs, usable, "gfx1102", "-Dhip_archs=gfx1102")
            check_family(runs, usable, images.split())
        else:
            check_unusable(runs, usable, "52", "compute capability 5.2")
        check_failures(runs, "hipModuleLoadData" if backend == "hip" else "cuModuleLoadData")
    for problem in problems:
        print("FAILED", problem)
    print(f"choice of {backend} devices: {len(problems)} faults")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
