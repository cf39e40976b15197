#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Check the PTX that clang makes of the kernels, and print what ptxas makes of it.

    ptx.py [--ptxas PTXAS] [--registers] FILE.ptx...      names are SOURCE@TARGET.ptx

Every floating-point instruction must name its rounding: then the driver's compiler may not fuse
or approximate it. The only fused ones are those of the word divide(). Every file must be for the
target in its name, in a version of PTX that the oldest accepted driver reads, and call nothing.
With ptxas, which comes with nvcc, each capability's files are compiled for it, as the engine
would choose them, and each target for the least capability that ptxas knows.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

# The PTX version of CUDA 11.0, see kMinimumVersion in cuda_loader.cpp.
NEWEST_VERSION = (7, 0)
# Estimates that the kernels correct, written out in cuda_dialect.h.
ESTIMATES = {"rcp.approx.ftz.f32", "rcp.approx.ftz.f64"}
# Fused operations of one divide() with its estimate.
FUSED_PER_ESTIMATE = 7
# Words that round downwards. clang 19 makes a conversion to nearest of its own builtin for the
# first: what names a rounding may still name the wrong one.
DOWNWARDS = {"cvt.rz.f32.u32", "add.rz.f64"}
USERS_OF_DOWNWARDS = {"selftest_kernels", "vif_kernels", "vif_matrix_kernels"}
# Local memory of a thread in bytes: the matrix kernels need up to 256. Without the options that
# ptx/meson.build explains they took 920, and VIF ran at half its speed.
MAX_STACK = 320
ROUNDINGS = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"}
# Exact by definition: no rounding to name.
EXACT = {"abs", "neg", "min", "max", "mov", "ld", "ldu", "st", "setp", "set", "selp", "slct",
         "copysign", "testp", "shfl", "atom", "red", "cvta", "bfind"}
FLOAT = re.compile(r"\.(?:f16|f32|f64|bf16|f16x2|tf32)(?:\.|$)")
INSTRUCTION = re.compile(r"^(?:@!?%\w+\s+)?([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_:]+)*)\s+[^:]*;")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")


def statements(text):
    """Lines without comments and labels; what a { begins stands on a line of its own."""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.split("//")[0].strip().strip("{}").strip()
        if line:
            yield number, line


def is_exact_conversion(types):
    """Returns whether a conversion needs no rounding: from a float to a wider one, or between integers."""
    floats = [t for t in types if t in ("f16", "f32", "f64")]
    if not floats:
        return True
    return len(types) == 2 and len(floats) == 2 and int(types[0][1:]) > int(types[1][1:])


def problem_of(instruction):
    """Returns the fault of an instruction such as "mul.rn.f32", or None."""
    parts = instruction.split(".")
    name = parts[0]
    if name in ("call", "brx", "trap", "alloca", "vprintf"):
        return "no kernel calls anything"
    if instruction in ESTIMATES:
        return None
    if {"ftz", "approx", "full", "sat"} & set(parts):
        return "rounds as no IEEE operation does"
    if name == "cvt":
        types = [part for part in parts if re.fullmatch(r"[fusb]\d+", part)]
        if is_exact_conversion(types) or ROUNDINGS & set(parts):
            return None
        return "does not name its rounding"
    if not FLOAT.search(instruction) or name in EXACT or ROUNDINGS & set(parts):
        return None
    return "does not name its rounding"


def target_of(path):
    """80 of "vif_kernels@80.ptx" and of "vif_kernels@80s.ptx", which is for scarce doubles."""
    return int(path.stem.partition("@")[2].rstrip("s"))


def check_head(path, text):
    """Returns the faults of a file as a whole."""
    target = str(target_of(path))
    problems = []
    version = re.search(r"^\.version (\d+)\.(\d+)$", text, re.M)
    if not version or tuple(map(int, version.groups())) > NEWEST_VERSION:
        problems.append("%s: PTX version %s" % (path.name, version and version.group()))
    if not re.search(r"^\.target sm_%s$" % target, text, re.M):
        problems.append("%s: not for the target in its name" % path.name)
    if not re.search(r"^\.address_size 64$", text, re.M):
        problems.append("%s: no addresses of 64 bits" % path.name)
    if ".entry" not in text:
        problems.append("%s: no kernel in it" % path.name)
    if re.search(r"^\s*\.extern|^\.func|^\.visible \.func", text, re.M):
        problems.append("%s: needs or has a function" % path.name)
    return problems


def check(path):
    """Problems of a file, and the numbers of its floating-point instructions by kind."""
    text = path.read_text()
    problems, counts = check_head(path, text), collections.Counter()
    for number, line in statements(text):
        match = INSTRUCTION.match(line)
        if not match:
            continue
        instruction = match.group(1)
        if FLOAT.search(instruction) and instruction.split(".")[0] not in EXACT:
            counts[instruction] += 1
        problem = problem_of(instruction)
        if problem:
            problems.append("%s:%d: %s %s" % (path.name, number, instruction, problem))
    fused = sum(count for name, count in counts.items() if name.startswith(("fma", "mad")))
    divisions = counts["rcp.approx.ftz.f64"]
    if fused != FUSED_PER_ESTIMATE * divisions or fused != counts["fma.rn.f64"]:
        problems.append("%s: %d fused operations, %d divisions of %d each"
                        % (path.name, fused, divisions, FUSED_PER_ESTIMATE))
    if path.stem.partition("@")[0] in USERS_OF_DOWNWARDS:
        problems += ["%s: no %s" % (path.name, name) for name in sorted(DOWNWARDS)
                     if counts[name] == 0]
    return problems, counts


def capabilities(ptxas):
    text = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=True).stdout
    return sorted({int(n) for n in re.findall(r"'sm_(\d+)'", text)})


def assemble(ptxas, path, capability):
    """(kernel, registers, stack, spill stores, spill loads) of a file, or its problem."""
    done = subprocess.run([ptxas, "-v", "-arch=sm_%d" % capability, str(path), "-o", "/dev/null"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [], ["%s for sm_%d: %s" % (path.name, capability, done.stderr.split("\n")[0])]
    rows, kernel, spills = [], "", (0, 0, 0)
    for line in done.stderr.split("\n"):
        entry = re.search(r"entry function '(\w+)'", line)
        kernel = entry.group(1) if entry else kernel
        found = SPILLS.search(line)
        spills = tuple(map(int, found.groups())) if found else spills
        used = re.search(r"Used (\d+) registers", line)
        if used:
            rows.append((kernel, int(used.group(1)), *spills))
    return rows, [] if rows else ["%s for sm_%d: ptxas names no kernel" % (path.name, capability)]


def pairs_to_assemble(files, known):
    """(file, capability) as the engine chooses them, and each target's least capability."""
    targets = {target_of(path) for path in files}
    pairs = {(max(t for t in targets if t <= sm), sm) for sm in known if sm >= min(targets)}
    pairs |= {(t, min(sm for sm in known if sm >= t)) for t in targets if t <= max(known)}
    return [(path, sm) for path in files for target, sm in sorted(pairs)
            if target_of(path) == target]


def assemble_all(ptxas, files, jobs):
    """Rows (target, capability, kernel, registers, ...), problems, number of runs."""
    known = capabilities(ptxas)
    if not known:
        return [], ["%s names no capabilities" % ptxas], 0
    work = pairs_to_assemble(files, known)
    rows, problems = [], []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (path, sm), (found, bad) in zip(work, pool.map(
                lambda one: assemble(ptxas, *one), work)):
            rows += [(target_of(path), sm, *row) for row in found]
            problems += bad + ["%s for sm_%d: %s has %d bytes of stack" % (path.name, sm, *row[:3:2])
                               for row in found if row[2] > MAX_STACK]
    return rows, problems, len(work)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ptxas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--registers", action="store_true", help="print what ptxas says")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    return parser.parse_args(argv)


def main(argv):
    args = parse(argv)
    counts, problems = collections.Counter(), []
    for path in args.files:
        bad, of_file = check(path)
        problems += bad
        counts += of_file
    total = sum(counts.values())
    if total == 0:
        problems.append("no floating-point instruction found: this test reads something else")
    print("%d files, %d floating-point instructions of %d kinds"
          % (len(args.files), total, len(counts)))
    if args.ptxas and not problems:
        rows, bad, runs = assemble_all(args.ptxas, args.files, args.jobs)
        problems += bad
        print("%d runs of ptxas, %d kernels" % (runs, len(rows)))
        if args.registers:
            for row in rows:
                print("target %d on sm_%d: %-24s %3d registers, %d/%d/%d" % row)
    for problem in problems[:40]:
        print("FAILED: " + problem)
    print("%d problems" % len(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
