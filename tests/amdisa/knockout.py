#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Knocks every word of AMD machine code out in turn, in one code object at a time, and
looks whether `check` notices on a clip that uses it. A word counts as noticed if it is in
any code object. Prints what was not noticed, and exits 1 if that is more than 5 %. The
device's self-test does not count: its code is left as it is.

    knockout.py [--each] [--jobs N] [--runtime FILE] BUILD ARCH [OBJECT...]
    --each    counts words of every code object for themselves
"""
import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# What uses an object's kernels, cheap ones first.
CASES = {
    "motion_kernels": ["motion/default/33x47", "motion/old/65x33", "motion/window5/129x65",
                       "engine/ring1"],
    "vif_kernels": ["vif/plain+neg/33x47/8bit", "vif/plain+neg/65x33/10bit", "vif/gain1.2/65x33",
                    "vif/skip0/65x33", "vif/default/129x65", "engine/ring1"],
    "adm_kernels": ["adm/plain+neg/33x47/8bit", "adm/plain+neg/65x33/10bit", "adm/gain1.2/65x33",
                    "adm/skip0/65x33", "adm/even/65x33", "adm/signs-top", "adm/plain+neg/129x65"],
    "cambi_kernels": ["cambi/default/63x216", "cambi/v1", "cambi/default", "cambi/filtered", "cambi/wide", "cambi/pq"],
    "speed_chroma_kernels": ["speed_chroma/default/160x160", "speed_chroma/bicubic",
                             "speed_chroma/lanczos4", "speed_chroma/default"],
    "ssim_kernels": ["ssim/full/75x27", "ssim/box3", "ssim/auto", "ssim/full", "ssim/pyramid"],
    "psnr_kernels": ["psnr/default/33x47", "ffmpeg_psnr/default/33x47", "psnr/default"],
    "float_sums_kernels": ["float_psnr/plain/33x48", "float_moment/plain/33x48", "float_psnr/plain"],
    "float_ansnr_kernels": ["float_ansnr/plain/33x48", "float_ansnr/plain"],
    "unpack_kernels": ["images *Sketches/hip_*", "images *EveryLayout/hip_*"], # filters of tests/images
}
HINTS = {"hint"}


class Lab:
    def __init__(self, build, runtime, arch):
        self.tests, self.arch = Path(build).resolve() / "tests", arch
        runtime = runtime or str(self.tests / "amdisa/libamdhip64_isa.so")
        self.env = {**os.environ, "VMAFGPU_HIP_LIBRARY": runtime, "VMAFGPU_STANDIN_ARCH": arch,
                    "VMAFGPU_TEST_DEVICES": "hip:0",
                    "VMAFGPU_STANDIN_WAVE": "64" if arch.startswith("gfx9") else "32",
                    "VMAFGPU_CUDA_LIBRARY": "none", "VMAFGPU_ISA_LIMIT": "2000000"}

    def run(self, case, **extra):
        command = [self.tests / "check/check", "--device=hip:0", "--slow", case]
        if case.startswith("images "):
            command = [self.tests / "images/images", "--gtest_filter=" + case.split()[1]]
        done = subprocess.run(command, capture_output=True, env={**self.env, **extra}, check=False)
        return done.returncode

    def used(self, case):
        """(object, word) -> how often carried out."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "counts"
            status = self.run(case, VMAFGPU_ISA_COUNTS=str(path))
            if status != 0 or not path.exists():
                sys.exit(f"{self.arch}: {case} fails with status {status} before anything is knocked out")
            counts = {}
            for line in path.read_text().splitlines():
                name, _, word, unit, _, waves, _ = line.split("\t")
                if unit not in HINTS:
                    for half in word.removeprefix("dual ").split("+"):
                        key = (name.split("@")[0], half)
                        counts[key] = counts.get(key, 0) + int(waves)
            return counts

    def is_noticed(self, word, places):
        """places: [(object, case), ...]"""
        return any(self.run(case, VMAFGPU_ISA_KNOCKOUT=f"{word}@{name}") != 0
                   for name, case in places)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("arch")
    parser.add_argument("--runtime")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("objects", nargs="*")
    args = parser.parse_args()
    lab = Lab(args.build, args.runtime, args.arch)
    objects = args.objects or list(CASES)
    where = {} # (word, object or "") -> [(object, case), ...]
    with ThreadPoolExecutor(args.jobs) as pool:
        cases = [case for name in objects for case in CASES[name]]
        for case, counts in zip(cases, pool.map(lab.used, cases)):
            for name, word in counts:
                if name in objects and case in CASES[name]:
                    where.setdefault((word, name if args.each else ""), []).append((name, case))
        keys = sorted(where)
        noticed = list(pool.map(lambda key: lab.is_noticed(key[0], where[key]), keys))
    missed = [key for key, seen in zip(keys, noticed) if not seen]
    for key in missed:
        print(f"{args.arch}: {' of '.join(filter(None, key))} does nothing, and nothing is noticed "
              f"by {', '.join(case for _, case in where[key])}")
    found = len(keys) - len(missed)
    print(f"{args.arch}: {found} of {len(keys)} knocked-out words noticed, in {len(objects)} code objects")
    return 0 if keys and found >= 0.95 * len(keys) else 1


if __name__ == "__main__":
    sys.exit(main())
