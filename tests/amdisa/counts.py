#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What each kernel executes on an AMD GPU, counted by the interpreter: instructions that a lane
carries out, per luma sample of the pairs, and how many waves one SIMD can hold by registers and
shared memory. f64: those of VALU that work on double. matrix: those of VALU that the matrix unit
carries out beside others, in 16 cycles instead of 4. bytes: what lanes read and write of the GPU's
memory or its caches. No times: those of a GPU depend on more.

    counts.py BUILD ARCH REFERENCE.y4m DISTORTED.y4m [MODEL | feature=NAME]

BUILD has code for ARCH (-Dhip_archs=...) and the suite amdisa.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

READERS = ("llvm-readelf-21", "llvm-readelf-20", "llvm-readelf-19")
# Limits of a compute unit, or of the half of a workgroup processor: bytes of shared memory, SIMDs,
# vector registers of a lane in waves of the usual size, registers given out at once, most waves.
UNITS = {"gfx9": (65536, 4, 512, 8, 8), "gfx1": (65536, 2, 1024, 16, 16)}


def bytes_of(word):
    """Returns the bytes that a lane reads or writes of the GPU's memory."""
    known = re.search(r"_(?:[bu](8|16|32|64|96|128)|(byte|ubyte)|(short|ushort)|dwordx([234])|(x2))$",
                      word)
    if known is None:
        return 4  # dword, and atomics of 32 bits
    bits, byte, short, words, _ = known.groups()
    return int(bits) // 8 if bits else 1 if byte else 2 if short else 4 * int(words or 2)


def luma_samples(path):
    """Returns the luma samples of all frames of a y4m file with 4:2:0 and 8 bits."""
    with open(path, "rb") as file:
        header = file.readline().decode()
    width, height = (int(re.search(rf" {key}(\d+)", header).group(1)) for key in "WH")
    frame = width * height + 2 * ((width + 1) // 2 * ((height + 1) // 2)) + len("FRAME\n")
    return width * height * ((os.path.getsize(path) - len(header)) // frame)


def resources(build, arch):
    """{kernel: (vector registers, bytes of shared memory, threads)}"""
    found = {}
    for file in pathlib.Path(build, "src/engine/hip").glob(f"*@{arch}.co"):
        for reader in READERS:
            try:
                text = subprocess.run([reader, "--notes", file], capture_output=True, text=True,
                                      check=True).stdout
                break
            except FileNotFoundError:
                continue
        else:
            sys.exit("counts: none of " + ", ".join(READERS))
        for kernel in re.split(r"^  - \.", text, flags=re.M)[1:]:
            value = {key: re.search(rf"\.?{key}: +(\S+)", kernel) for key in
                     ("name", "vgpr_count", "agpr_count", "group_segment_fixed_size",
                      "max_flat_workgroup_size")}
            number = {key: int(hit.group(1)) if hit else 0 for key, hit in value.items()
                      if key != "name"}
            if value["name"]:
                found[re.findall(r"\.name: +(\S+)", kernel)[-1]] = (
                    number["vgpr_count"], number["group_segment_fixed_size"],
                    number["max_flat_workgroup_size"])
    return found


def waves_of_simd(arch, wave, registers, shared, threads):
    memory, simds, all_registers, granule, most = UNITS[arch[:4]]
    by_registers = min(most, all_registers // max(granule, -(-registers // granule) * granule))
    if not shared:
        return f"{by_registers}"
    by_memory = memory // shared * (threads / wave) / simds
    return f"{min(by_registers, by_memory):g}"


def counted(build, arch, wave, reference, distorted, what):
    library = pathlib.Path(build, "tests/amdisa/libamdhip64_isa.so").resolve()
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name, "counts")
        env = {**os.environ, "VMAFGPU_ISA_COUNTS": str(file), "VMAFGPU_HIP_LIBRARY": str(library),
               "VMAFGPU_CUDA_LIBRARY": "none", "VMAFGPU_STANDIN_ARCH": arch,
               "VMAFGPU_STANDIN_WAVE": str(wave)}
        subprocess.run([pathlib.Path(build, "tools/vmaf_gpu"), "-r", reference, "-d", distorted,
                        "--backend", "hip", *what, "-o", os.devnull, "-q"], env=env, check=True)
        counts = collections.defaultdict(collections.Counter)
        for line in file.read_text().splitlines():
            _, kernel, word, unit, _, _, lanes = line.split("\t")
            counts[kernel][unit] += int(lanes)
            if unit == "VMEM":
                counts[kernel]["bytes"] += int(lanes) * bytes_of(word)
            if "_f64" in word:
                counts[kernel]["f64"] += int(lanes)
            if word.startswith("v_mfma"):
                counts[kernel]["matrix"] += int(lanes)
    return counts


def main(build, arch, reference, distorted, model="vmaf_v0.6.1"):
    wave = 64 if arch.startswith("gfx9") else 32
    samples = luma_samples(reference)
    have = resources(build, arch)
    print(f"{'kernel':24} {'VALU':>6} {'f64':>6} {'matrix':>6} {'LDS':>6} {'VMEM':>6} {'bytes':>6} {'registers':>10} {'shared':>7} waves a SIMD")
    if model.startswith("feature="):
        what = ["--no_prediction", "--feature", model.partition("=")[2]]
    else:
        what = ["-m", f"version={model}"]
    rows = counted(build, arch, wave, reference, distorted, what)
    for kernel, units in sorted(rows.items(), key=lambda row: -row[1]["VALU"]):
        if units["VALU"] < samples or kernel not in have:
            continue
        registers, shared, threads = have[kernel]
        print(f"{kernel:24} {units['VALU'] / samples:6.1f} {units['f64'] / samples:6.1f} {units['matrix'] / samples:6.1f} "
              f"{units['LDS'] / samples:6.1f} {units['VMEM'] / samples:6.1f} {units['bytes'] / samples:6.1f} {registers:10} {shared:7} "
              f"{waves_of_simd(arch, wave, registers, shared, threads)}")


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])
