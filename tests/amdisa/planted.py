#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Plants defects in AMD machine code, which `check` must notice: in the sources, compiled
for the target (hard-coded wave sizes, lost carries, missing barriers and fences), and in
the disassembly: a barrier, or one counter of a wait, that is left out, one at a time.

Only waits that ended an access in the case are left out. Such a wait can still be one too many:
another one comes before the register is used, or the store is needed. Then nothing is wrong on
the ways that the case took, and nothing is noticed. At most a quarter may be like that. Of waits
for stores on GFX9 it is half: their counter counts loads, too, perhaps of another way.

A left-out barrier is noticed if it separates accesses of two waves to shared memory in the case
(races.h). At most half may separate none: the first one of a sum whose memory was not used
before, one next to another, or one of a large picture's tiles.

    planted.py [--waits N] [--kind KIND] [--jobs N] [--wave N] --build BUILD ARCH [NAME...]
    --waits N    of each object's barriers and waits, about N of each kind are left out in turn
                 (default 4); 0: all
    --kind KIND  only those: barrier, "vector load", "vector store", "LDS load", "LDS store" or
                 "scalar load", and no changed sources
    --jobs N     so many at a time (default 1)
    --wave N     the wave's size, if it is not the usual one of ARCH
"""
import argparse
import collections
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REDUCE = "simt/reduce.h"
DIALECT = "simt/hip_dialect.h"
SUM = "v += shfl_xor(v, mask);"
SPLIT_SUM = """{ const T w = shfl_xor(v, mask); const uint64_t high = ~UINT64_C(0) << 32;
            v = sizeof(T) < 8 ? v + w : static_cast<T>(((static_cast<uint64_t>(v) & high) +
                (static_cast<uint64_t>(w) & high)) | static_cast<uint32_t>(v + w)); }"""
ADD = "return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);"
SPLIT_ADD = """auto *parts = reinterpret_cast<uint32_t *>(p);
    for (unsigned i = 0; i < sizeof(T) / 4; ++i)
        __hip_atomic_fetch_add(parts + i, static_cast<uint32_t>(static_cast<uint64_t>(v) >> (32 * i)),
                               __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return v;"""


@dataclass
class Source:
    name: str
    unit: str   # the kernel source that is compiled
    path: str   # file that is changed
    old: str
    new: str
    case: str


SOURCES = [
    Source("wave_of_32", "motion", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 32;",
           "motion/default/129x65/8bit"),
    Source("wave_of_64", "motion", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 64;",
           "motion/default/129x65/8bit"),
    Source("wave_of_32_in_vif", "vif", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 32;",
           "VMAFGPU_MATRIX=0 vif/default/129x65/8bit"),
    Source("wave_of_64_in_vif", "vif", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 64;",
           "VMAFGPU_MATRIX=0 vif/default/129x65/8bit"),
    Source("carry_lost_in_ssim", "ssim", REDUCE, SUM, SPLIT_SUM, "ssim/full"),
    Source("carry_lost_in_psnr", "psnr", DIALECT, ADD, SPLIT_ADD, "psnr/default"),
    Source("no_barrier_in_sums", "motion", REDUCE, "wave_sums[wave_id()] = of_wave;\n    barrier();",
           "wave_sums[wave_id()] = of_wave;", "motion/default/129x65/8bit"),
    Source("no_barriers_in_vif", "vif", DIALECT, "    __builtin_amdgcn_s_barrier();\n", "",
           "VMAFGPU_MATRIX=0 vif/default/129x65/8bit"),
    Source("no_barriers_in_vif_matrix", "vif_matrix", DIALECT, "    __builtin_amdgcn_s_barrier();\n",
           "", "vif/default/129x65/8bit"),
    Source("no_barriers_in_cambi", "cambi", DIALECT, "    __builtin_amdgcn_s_barrier();\n", "",
           "cambi/default"),
    Source("no_fence_before_barriers", "vif", DIALECT,
           '''    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();''', "    __builtin_amdgcn_s_barrier();",
           "VMAFGPU_MATRIX=0 vif/default/129x65/8bit"),
]
# Objects whose barriers and waits are left out, and the cases that run them. Some targets have no code object of
# vif_matrix.
TEXTS = {
    "motion": "motion/default/33x47/8bit",
    "vif": "VMAFGPU_MATRIX=0 vif/plain+neg/65x33/8bit",
    "vif_matrix": "vif/plain+neg/65x33/8bit",
    "adm": "adm/plain+neg/65x33/8bit",
    "cambi": "cambi/default/63x216",
    "ssim": "ssim/full/75x27",
    "speed_chroma": "speed_chroma/default/160x160",
    "psnr": "psnr/default/33x47",
    "float_sums": "float_psnr/plain/33x48",
    "float_ansnr": "float_ansnr/plain/33x48",
    "scale": "scale/plain/85x47",
}
# Cases in which an unnoticed fault is tried again: larger pictures, other ways through the kernels.
WIDER = {
    "vif": "VMAFGPU_MATRIX=0 vif/plain+neg/319x181",
    "vif_matrix": "vif/plain+neg/319x181",
    "cambi": "cambi/v1",
    "speed_chroma": "speed_chroma/bicubic",
    "float_ansnr": "float_ansnr/",
}
# Kinds of accesses by their bit in the coverage.
KINDS = {1: "vector load", 2: "vector store", 4: "LDS load", 8: "LDS store", 16: "scalar load"}
# Accesses that each counter counts: on GFX9, on GFX10 and 11, on GFX12.
COUNTERS = {
    "gfx9": {"vmcnt": 1 | 2, "lgkmcnt": 4 | 8 | 16},
    "gfx10": {"vmcnt": 1, "vscnt": 2, "lgkmcnt": 4 | 8 | 16},
    "gfx11": {"vmcnt": 1, "vscnt": 2, "lgkmcnt": 4 | 8 | 16},
    "gfx12": {"loadcnt": 1, "storecnt": 2, "dscnt": 4 | 8, "kmcnt": 16},
}


def settings_of(case):
    """The environment and the name of "VARIABLE=value vif/plain"."""
    *settings, name = case.split()
    return dict(setting.split("=", 1) for setting in settings), name


def without_counters(text):
    """(counter, the wait without it) of each counter that a wait names."""
    nothing = "s_nop 0"
    if text.startswith("s_waitcnt "):
        parts = re.findall(r"(\w+)\((\d+)\)", text)
        for name, _ in parts:
            rest = " ".join(f"{other}({most})" for other, most in parts if other != name)
            yield name, f"s_waitcnt {rest}" if rest else nothing
    elif text.startswith("s_waitcnt_vscnt"):
        yield "vscnt", nothing
    elif found := re.match(r"s_wait_(\w+)cnt_dscnt (\w+)", text):
        most = int(found[2], 0)
        yield found[1] + "cnt", f"s_wait_dscnt {most & 0x3f:#x}"
        yield "dscnt", f"s_wait_{found[1]}cnt {most >> 8 & 0x3f:#x}"
    elif found := re.match(r"s_wait_(\w+cnt) ", text):
        yield found[1], nothing


class Bench:
    def __init__(self, build, arch, wave):
        self.build, self.arch = Path(build).resolve(), arch
        self.wave = str(wave or (64 if arch.startswith("gfx9") else 32))
        self.texts = self.build / "tests/amdisa"
        self.env = {**os.environ, "VMAFGPU_STANDIN_ARCH": arch, "VMAFGPU_CUDA_LIBRARY": "none",
                    "VMAFGPU_STANDIN_WAVE": self.wave, "VMAFGPU_ISA_LIMIT": "2000000",
                    "VMAFGPU_HIP_LIBRARY": str(self.texts / "libamdhip64_isa.so")}

    def check(self, case, **extra):
        """"pass", or the first line that says what failed."""
        settings, name = settings_of(case)
        done = subprocess.run([self.build / "tests/check/check", "--device=hip:0", "--slow", "--stop",
                               name],
                              capture_output=True, text=True, errors="replace", check=False,
                              env={**self.env, **settings, **extra})
        if done.returncode == 0:
            return "pass"
        lines = (done.stderr + done.stdout).splitlines()
        return next((line for line in lines if "machine code of" in line or "FAILED" in line),
                    f"status {done.returncode}")

    def compile(self, defect, folder):
        """The object and its text from changed sources, with the build's own command."""
        engine = Path(folder) / "engine"
        shutil.copytree(ROOT / "src/engine", engine)
        path = engine / defect.path
        text = path.read_text()
        if text.count(defect.old) != 1:
            sys.exit(f"{defect.path} has this {text.count(defect.old)} times instead of once:\n{defect.old}")
        path.write_text(text.replace(defect.old, defect.new))
        name = f"{defect.unit}_kernels@{self.arch}"
        built = f"src/engine/hip/{name}.co"
        command = subprocess.run(["ninja", "-t", "commands", "-s", built], cwd=self.build, text=True,
                                 capture_output=True, check=True).stdout.strip()
        original = str(ROOT / "src/engine")
        words = []
        for word in shlex.split(command):
            place = os.path.normpath(self.build / word)
            words.append(place.replace(original, str(engine), 1) if place.startswith(original) else word)
        words[words.index("-MF") + 1] = str(Path(folder) / "d")
        words[words.index("-o") + 1] = str(Path(folder) / f"{name}.co")
        subprocess.run(words, cwd=self.build, check=True)
        return name

    def texts_in(self, folder, name=None, text=None):
        for path in self.texts.glob(f"*@{self.arch}.s"):
            os.symlink(path, Path(folder) / path.name)
        if name:
            (Path(folder) / f"{name}.s").unlink()
            (Path(folder) / f"{name}.s").write_text(text)

# Kinds of waits, and targets, of which some are needed on another way through the kernel only, or when a loop
# runs once more. For GFX12 clang waits before a load for one of another branch into the same register.
LOOSE = (("barrier", "gfx"), ("vector store", "gfx9"), ("vector load", "gfx12"))


def run_source(bench, defect, disassembler):
    with tempfile.TemporaryDirectory() as folder:
        name = bench.compile(defect, folder)
        text = subprocess.run([disassembler, "-d", "--no-show-raw-insn",
                               str(Path(folder) / f"{name}.co")], capture_output=True, text=True,
                              check=True).stdout
        bench.texts_in(folder, name, text)
        return bench.check(defect.case, VMAFGPU_ISA_OBJECTS=folder, VMAFGPU_ISA_TEXTS=folder)


def places(bench, unit, case):
    """kind -> [(address, what stands there instead), ...], of what the case runs through; and how
    many counters of waits ended nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "coverage"
        if bench.check(case, VMAFGPU_ISA_COVERAGE=str(path)) != "pass":
            sys.exit(f"{case} fails before anything is planted")
        found, idle = collections.defaultdict(list), 0
        counters = COUNTERS[bench.arch[:4] if bench.arch.startswith("gfx9") else bench.arch[:5]]
        for line in path.read_text().splitlines():
            name, address, _, ended, text = line.split("\t")
            if not name.startswith(unit + "_kernels@"):
                continue
            if text in ("s_barrier", "s_barrier_wait 0xffff", "s_barrier_wait -1"):
                found["barrier"].append((int(address, 16), "s_nop 0"))
            for counter, rest in without_counters(text):
                kinds = int(ended) & counters.get(counter, 0)
                idle += kinds == 0
                for bit, kind in KINDS.items():
                    if kinds & bit:
                        found[kind].append((int(address, 16), rest))
        return found, idle


def run_text(bench, unit, place, case):
    name = f"{unit}_kernels@{bench.arch}"
    lines = (bench.texts / f"{name}.s").read_text().splitlines()
    at = [i for i, line in enumerate(lines) if f"// {place[0]:012X}" in line]
    lines[at[0]] = f"\t{place[1]} " + lines[at[0]][lines[at[0]].index("//"):]
    with tempfile.TemporaryDirectory() as folder:
        bench.texts_in(folder, name, "\n".join(lines) + "\n")
        return bench.check(case, VMAFGPU_ISA_TEXTS=folder)


def run_texts(bench, pool, unit, args, totals):
    """Returns how many of what was left out are faults: more than may be one too many."""
    case, faults = TEXTS[unit], 0
    found, idle = places(bench, unit, case)
    totals["idle"][0] += idle
    for kind, everything in found.items():
        if args.kind not in (None, kind):
            continue
        step = max(1, len(everything) // args.waits) if args.waits else 1
        chosen = everything[step // 2::step]
        results = pool.map(lambda place: run_text(bench, unit, place, case), chosen)
        missed = [place for place, result in zip(chosen, results) if result == "pass"]
        if unit in WIDER:
            results = pool.map(lambda place: run_text(bench, unit, place, WIDER[unit]), missed)
            missed = [place for place, result in zip(missed, results) if result == "pass"]
        is_loose = any(kind == loose and bench.arch.startswith(begin) for loose, begin in LOOSE)
        faults += max(0, len(missed) - len(chosen) // (2 if is_loose else 4))
        totals[kind][0] += len(chosen)
        totals[kind][1] += len(chosen) - len(missed)
        where = ", ".join(f"{address:#x}" for address, _ in missed)
        print(f"{bench.arch}: {unit}: {len(chosen) - len(missed)} of {len(chosen)} noticed without a "
              f"{'barrier' if kind == 'barrier' else 'wait for a ' + kind}"
              f"{'; not: ' + where if missed else ''}", flush=True)
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--waits", type=int, default=4)
    parser.add_argument("--kind", choices=["barrier", *KINDS.values()])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--wave", type=int)
    parser.add_argument("--objdump", default="llvm-objdump-19")
    parser.add_argument("arch")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    bench = Bench(args.build, args.arch, args.wave)
    faults = ran = 0
    for defect in SOURCES:
        # Nothing is wrong then. Before a barrier of GFX10 to 12 the compiler waits of its own accord.
        is_right = defect.name.startswith("wave_of_" + bench.wave) or (
            defect.name == "no_fence_before_barriers" and args.arch.startswith("gfx1"))
        is_there = (bench.texts / f"{defect.unit}_kernels@{args.arch}.s").exists()
        if (args.names and defect.name not in args.names) or args.kind or is_right or not is_there:
            continue
        result = run_source(bench, defect, args.objdump)
        ran += 1
        faults += result == "pass"
        print(f"{args.arch}: {defect.name}: {'NOT NOTICED' if result == 'pass' else result}", flush=True)
    totals = collections.defaultdict(lambda: [0, 0])
    with ThreadPoolExecutor(args.jobs) as pool:
        for unit in TEXTS:
            if not args.names or unit in args.names:
                faults += run_texts(bench, pool, unit, args, totals)
    idle = totals.pop("idle", [0])[0]
    for kind, (planted, noticed) in sorted(totals.items()):
        print(f"{args.arch}: {kind}: {noticed} of {planted} noticed")
    print(f"{args.arch}: {idle} counters of waits ended nothing and were left as they are")
    ran += sum(planted for planted, _ in totals.values())
    print(f"{args.arch}: {ran} defects planted, {faults} faults")
    return 0 if ran > 0 and faults == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
