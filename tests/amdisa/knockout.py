#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Knocks every word of AMD machine code out in turn, in one code object at a time, and looks
whether `check` notices. Only cases that carry the word out are run, the fastest first, up to
the first failure. A word counts as noticed if it is in any code object. The device's self-test
does not count: its code is left as it is.

Words that change no data by definition (hints) are not knocked out; waits and barriers are
counted apart. Prints what was not noticed, and exits 1 if that is more than 5 %.

    knockout.py [--each] [--jobs N] [--runtime FILE] [--wave N] BUILD ARCH [OBJECT...]
    --each    counts words of every code object for themselves
    --wave N  the wave's size, if it is not the usual one of ARCH
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planted import settings_of

# Cases that run an object's kernels.
CASES = {
    "motion_kernels": ["motion/default/33x47", "motion/old/65x33", "motion/window5/129x65",
                       "engine/ring1"],
    "vif_kernels": ["VMAFGPU_MATRIX=0 vif/plain+neg/33x47/8bit",
                    "VMAFGPU_MATRIX=0 vif/plain+neg/65x33/10bit", "VMAFGPU_MATRIX=0 vif/gain1.2/65x33",
                    "VMAFGPU_MATRIX=0 vif/skip0/65x33", "VMAFGPU_MATRIX=0 vif/default/129x65",
                    "engine/ring1"],
    "vif_matrix_kernels": ["vif/plain+neg/33x47/8bit", "vif/plain+neg/65x33/10bit",
                           "vif/gain1.2/65x33", "vif/skip0/65x33", "vif/default/129x65",
                           "engine/ring1"], # only some targets have them
    "adm_kernels": ["adm/plain+neg/33x47/8bit", "adm/plain+neg/65x33/10bit", "adm/gain1.2/65x33",
                    "adm/skip0/65x33", "adm/even/65x33", "adm/signs-top", "adm/plain+neg/129x65"],
    "cambi_kernels": ["cambi/default/63x216", "cambi/v1", "cambi/default", "cambi/filtered", "cambi/wide", "cambi/pq"],
    "speed_chroma_kernels": ["speed_chroma/default/160x160", "speed_chroma/bicubic",
                             "speed_chroma/lanczos4", "speed_chroma/default"],
    "ssimulacra2_kernels": ["ssimulacra2/bt709/17x33/", "ssimulacra2/gbr/", "ssimulacra2/"],
    "ssim_kernels": ["ssim/full/75x27", "ssim/box3", "ssim/auto", "ssim/full", "ssim/pyramid"],
    "psnr_kernels": ["psnr/default/33x47", "ffmpeg_psnr/default/33x47", "psnr/default"],
    "float_sums_kernels": ["float_psnr/plain/33x48", "float_moment/plain/33x48", "float_psnr/plain"],
    "psnr_hvs_kernels": ["psnr_hvs/plain/64x50", "psnr_hvs/plain"],
    "xpsnr_kernels": ["xpsnr/slow/33x47", "xpsnr/fast/64x50", "xpsnr/slow/2052x1156", "xpsnr/"],
    "ciede_kernels": ["ciede/plain/33x48", "ciede/plain/64x50", "ciede/plain"],
    "float_ansnr_kernels": ["float_ansnr/plain/33x48", "float_ansnr/plain"],
    "scale_kernels": ["scale/plain/85x47", "scale/"],
    "unpack_kernels": ["*Sketches/hip_*", "*EveryLayout/hip_*"], # filters of the program images
}


class Lab:
    def __init__(self, build, runtime, arch, wave):
        self.tests, self.arch = Path(build).resolve() / "tests", arch
        runtime = runtime or str(self.tests / "amdisa/libamdhip64_isa.so")
        self.env = {**os.environ, "VMAFGPU_HIP_LIBRARY": runtime, "VMAFGPU_STANDIN_ARCH": arch,
                    "VMAFGPU_TEST_DEVICES": "hip:0",
                    "VMAFGPU_STANDIN_WAVE": str(wave or (64 if arch.startswith("gfx9") else 32)),
                    "VMAFGPU_CUDA_LIBRARY": "none", "VMAFGPU_ISA_LIMIT": "1000000"}

    def run(self, case, **extra):
        settings, name = settings_of(case)
        command = [self.tests / "check/check", "--device=hip:0", "--slow", "--stop", name]
        if name.startswith("*"):
            command = [self.tests / "unit/images", "--gtest_fail_fast", "--gtest_filter=" + name]
        return subprocess.run(command, capture_output=True, env={**self.env, **settings, **extra}, check=False,
                              text=True, errors="replace")

    def used(self, case):
        """(object, word) -> its unit, of all words that are carried out; and the seconds."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "counts"
            begin = time.monotonic()
            status = self.run(case, VMAFGPU_ISA_COUNTS=str(path)).returncode
            seconds = time.monotonic() - begin
            if status != 0 or not path.exists():
                sys.exit(f"{self.arch}: {case} fails with status {status} before anything is knocked out")
            words = {}
            for line in path.read_text().splitlines():
                name, _, word, unit, *_ = line.split("\t")
                for half in word.removeprefix("dual ").split("+"):
                    words[name.split("@")[0], half] = unit
            return words, seconds

    def notice(self, word, places):
        """How the word's absence shows: "sums" or "stop" of the interpreter; None: not at all.
        places: [(seconds, object, case), ...]"""
        for _, name, case in sorted(places):
            done = self.run(case, VMAFGPU_ISA_KNOCKOUT=f"{word}@{name}")
            if done.returncode != 0:
                return "stop" if "machine code of" in done.stdout + done.stderr else "sums"
        return None


def survey(lab, pool, objects):
    """(word, object) -> [(seconds, object, case), ...]; word -> unit"""
    places, units = collections.defaultdict(list), {}
    cases = sorted({case for name in objects for case in CASES[name]})
    for case, (words, seconds) in zip(cases, pool.map(lab.used, cases)):
        if strange := {name for name, _ in words} - set(CASES) - {"selftest_kernels"}:
            sys.exit(f"{case} runs {', '.join(sorted(strange))}, for which CASES has nothing")
        for (name, word), unit in words.items():
            if name in objects and case in CASES[name]:
                units[word] = unit
                places[word, name].append((seconds, name, case))
    return places, units


def report(lab, title, keys, how, places):
    missed = [key for key in keys if not how[key]]
    for key in missed:
        print(f"{lab.arch}: {' of '.join(filter(None, key))} does nothing, and nothing is noticed "
              f"by {', '.join(sorted({case for _, _, case in places[key]}))}")
    kinds = collections.Counter(how[key] for key in keys)
    found = len(keys) - len(missed)
    print(f"{lab.arch}: {title}: {found} of {len(keys)} noticed ({100 * found / max(1, len(keys)):.1f} %), "
          f"{kinds['sums']} by wrong results, {kinds['stop']} since the interpreter stopped")
    return bool(keys) and found >= 0.95 * len(keys)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("arch")
    parser.add_argument("--runtime")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--wave", type=int)
    parser.add_argument("objects", nargs="*")
    args = parser.parse_args()
    lab = Lab(args.build, args.runtime, args.arch, args.wave)
    objects = args.objects or list(CASES)
    begin = time.monotonic()
    with ThreadPoolExecutor(args.jobs) as pool:
        found, units = survey(lab, pool, objects)
        places = collections.defaultdict(list)
        for (word, name), where in found.items():
            places[word, name if args.each else ""] += where
        keys = sorted(key for key in places if units[key[0]] != "hint")
        how = dict(zip(keys, pool.map(lambda key: lab.notice(key[0], places[key]), keys)))
    waits = [key for key in keys if units[key[0]] == "wait"]
    print(f"{lab.arch}: hints, not knocked out: "
          f"{', '.join(sorted(word for word, unit in units.items() if unit == 'hint'))}")
    report(lab, "waits and barriers", waits, how, places)
    is_good = report(lab, f"words of {len(objects)} code objects", [key for key in keys if key not in waits],
                     how, places)
    print(f"{lab.arch}: {time.monotonic() - begin:.0f} seconds")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
