#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Plants defects in AMD machine code, which `check` must notice: in the sources, compiled
for the target (hard-coded wave sizes, lost carries, missing barriers and fences), and in
the disassembly (a wait or a barrier that is left out, one at a time, of those that the
case runs through).

    planted.py [--waits N] --build BUILD ARCH [NAME...]
    --waits N    of each object's waits, N are left out in turn (default 4); 0: all
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REDUCE = "simt/reduce.h"
DIALECT = "hip/hip_dialect.h"
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
    path: str   # of the file that is changed
    old: str
    new: str
    case: str


SOURCES = [
    Source("wave_of_32", "motion", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 32;",
           "motion/default/129x65/8bit"),
    Source("wave_of_64", "motion", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 64;",
           "motion/default/129x65/8bit"),
    Source("wave_of_32_in_vif", "vif", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 32;",
           "vif/default/129x65/8bit"),
    Source("wave_of_64_in_vif", "vif", DIALECT, "return __AMDGCN_WAVEFRONT_SIZE;", "return 64;",
           "vif/default/129x65/8bit"),
    Source("carry_lost_in_ssim", "ssim", REDUCE, SUM, SPLIT_SUM, "ssim/full"),
    Source("carry_lost_in_psnr", "psnr", DIALECT, ADD, SPLIT_ADD, "psnr/default"),
    Source("no_barrier_in_sums", "motion", REDUCE, "wave_sums[wave_id()] = of_wave;\n    barrier();",
           "wave_sums[wave_id()] = of_wave;", "motion/default/129x65/8bit"),
    Source("no_barriers_in_vif", "vif", DIALECT, "    __builtin_amdgcn_s_barrier();\n", "",
           "vif/default/129x65/8bit"),
    Source("no_barriers_in_cambi", "cambi", DIALECT, "    __builtin_amdgcn_s_barrier();\n", "",
           "cambi/default"),
    Source("no_fence_before_barriers", "vif", DIALECT,
           '''    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();''', "    __builtin_amdgcn_s_barrier();",
           "vif/default/129x65/8bit"),
]
# Whose barriers and waits are left out, and what runs through them.
TEXTS = {
    "motion": "motion/default/129x65/8bit",
    "vif": "vif/plain+neg/129x65/8bit",
    "adm": "adm/plain+neg/129x65/8bit",
    "cambi": "cambi/default",
    "ssim": "ssim/full",
    "speed_chroma": "speed_chroma/default",
}
WAIT = re.compile(r"s_wait(?!cnt_depctr)\w*")


class Bench:
    def __init__(self, build, arch):
        self.build, self.arch = Path(build).resolve(), arch
        self.texts = self.build / "tests/amdisa"
        self.env = {**os.environ, "VMAFGPU_STANDIN_ARCH": arch, "VMAFGPU_CUDA_LIBRARY": "none",
                    "VMAFGPU_STANDIN_WAVE": self.wave(), "VMAFGPU_ISA_LIMIT": "2000000",
                    "VMAFGPU_HIP_LIBRARY": str(self.texts / "libamdhip64_isa.so")}

    def wave(self):
        return "64" if self.arch.startswith("gfx9") else "32"

    def check(self, case, **extra):
        """"pass", or the first line that says what failed."""
        done = subprocess.run([self.build / "tests/check/check", "--device=hip:0", "--slow", case],
                              capture_output=True, text=True, errors="replace", check=False,
                              env={**self.env, **extra})
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


def run_source(bench, defect, disassembler):
    with tempfile.TemporaryDirectory() as folder:
        name = bench.compile(defect, folder)
        text = subprocess.run([disassembler, "-d", "--no-show-raw-insn",
                               str(Path(folder) / f"{name}.co")], capture_output=True, text=True,
                              check=True).stdout
        bench.texts_in(folder, name, text)
        return bench.check(defect.case, VMAFGPU_ISA_OBJECTS=folder, VMAFGPU_ISA_TEXTS=folder)


def places(bench, unit, case):
    """Addresses of waits and barriers that the case runs through."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "coverage"
        if bench.check(case, VMAFGPU_ISA_COVERAGE=str(path)) != "pass":
            sys.exit(f"{case} fails before anything is planted")
        found = {"wait": [], "barrier": []}
        for line in path.read_text().splitlines():
            name, address, _, text = line.split("\t")
            if not name.startswith(unit + "_kernels@"):
                continue
            if text.startswith("s_barrier"):
                found["barrier"].append(int(address, 16))
            elif WAIT.match(text):
                found["wait"].append(int(address, 16))
        return found


def run_text(bench, unit, address, case):
    name = f"{unit}_kernels@{bench.arch}"
    lines = (bench.texts / f"{name}.s").read_text().splitlines()
    at = [i for i, line in enumerate(lines) if f"// {address:012X}" in line]
    lines[at[0]] = "\ts_nop 0 " + lines[at[0]][lines[at[0]].index("//"):]
    with tempfile.TemporaryDirectory() as folder:
        bench.texts_in(folder, name, "\n".join(lines) + "\n")
        return bench.check(case, VMAFGPU_ISA_TEXTS=folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--waits", type=int, default=4)
    parser.add_argument("--objdump", default="llvm-objdump-19")
    parser.add_argument("arch")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    bench = Bench(args.build, args.arch)
    faults = ran = 0
    for defect in SOURCES:
        is_right = defect.name.startswith("wave_of_" + bench.wave()) # nothing is wrong then
        if (args.names and defect.name not in args.names) or is_right:
            continue
        result = run_source(bench, defect, args.objdump)
        ran += 1
        faults += result == "pass"
        print(f"{args.arch}: {defect.name}: {'NOT NOTICED' if result == 'pass' else result}", flush=True)
    for unit, case in TEXTS.items():
        if args.names and unit not in args.names:
            continue
        for kind, addresses in places(bench, unit, case).items():
            step = max(1, len(addresses) // args.waits) if args.waits else 1
            chosen = addresses[step // 2::step]
            missed = [address for address in chosen
                      if run_text(bench, unit, address, case) == "pass"]
            ran += len(chosen)
            # Some are needed on another way through the kernel only, or when a loop runs once more.
            faults += max(0, len(missed) - len(chosen) // (2 if kind == "barrier" else 4))
            where = ", ".join(f"{address:#x}" for address in missed)
            print(f"{args.arch}: {unit}: {len(chosen) - len(missed)} of {len(chosen)} left-out "
                  f"{kind}s noticed{'; not: ' + where if missed else ''}", flush=True)
    print(f"{args.arch}: {ran} defects planted, {faults} faults")
    return 0 if ran > 0 and faults == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
