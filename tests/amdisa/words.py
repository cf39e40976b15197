#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Assembles the programs of words.txt for one target and prints their disassembly, which
test_words.cpp reads beside them. Each program ends with s_endpgm.

    words.py LLVM_MC LLVM_OBJDUMP TARGET WAVE_SIZE words.txt > OUT.s
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def generation(target):
    return int(target[3:-2]) if len(target) > 6 else 9


def applies(condition, target, wave):
    """"9", "10-11", "11-@32", "gfx90a", "*", and lists of these by commas."""
    condition, _, size = condition.partition("@")
    if size and int(size) != wave:
        return False
    for part in condition.split(","):
        found = re.fullmatch(r"(\d+)(-(\d*))?", part)
        if part in ("*", target):
            return True
        if found:
            last = int(found[3] or 99) if found[2] else int(found[1])
            if int(found[1]) <= generation(target) <= last:
                return True
    return False


WAITS = {"WAITV": ("s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0"),
         "WAITL": ("s_waitcnt lgkmcnt(0)", "s_wait_dscnt 0x0"),
         "WAITK": ("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0"),
         "WAITF": ("s_waitcnt vmcnt(0) lgkmcnt(0)", "s_wait_loadcnt_dscnt 0x0")}


def assembly(text, wave, is_new):
    for name, waits in WAITS.items():
        text = text.replace(name, waits[is_new])
    text = text.replace("!", "")
    text = text.replace("bMASK", f"b{wave}")
    for name in ("vcc", "exec"):
        text = text.replace(name.upper(), name if wave == 64 else name + "_lo")
    return re.sub(r"MASK(\d+)", lambda m: f"s[{m[1]}:{int(m[1]) + 1}]" if wave == 64 else f"s{m[1]}",
                  text)


def main(assembler, disassembler, target, wave, path):
    wave = int(wave)
    programs = [".text", "words:"]
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        condition, rest = line.split(":", 1)
        if applies(condition, target, wave):
            program = assembly(rest.split(" | ")[0], wave, generation(target) > 11)
            programs += [f"# {number}", *(part.strip() for part in program.split(";")), "s_endpgm"]
    with tempfile.TemporaryDirectory() as folder:
        source, built = Path(folder) / "words.s", Path(folder) / "words.o"
        source.write_text("\n".join(programs) + "\n")
        size = [f"-mattr=+wavefrontsize{wave}"] if generation(target) > 9 else []
        subprocess.run([assembler, "-triple=amdgcn-amd-amdhsa", f"-mcpu={target}", *size,
                        "-filetype=obj", "-o", built, source], check=True)
        flags = [f"--mattr=+wavefrontsize{wave}"] if size else []
        subprocess.run([disassembler, "-d", "--no-show-raw-insn", f"--mcpu={target}", *flags,
                        built], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
