#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Check what AMD code objects say of themselves, and print it as a table.

    code_objects.py [--markdown] FILE.co...      names are SOURCE@ARCH.co

Fails unless each is for the architecture in its name and has its wave size, every
architecture has the same kernels, and no kernel exceeds the bounds below. Reads ELF
and MessagePack itself: Debian's modules for that are not seen by other Pythons, and
the tests should not read with the code that the engine reads with.
"""
import argparse
import pathlib
import struct
import sys

# Shared memory (LDS) of a block, all architectures.
MAX_LDS = 64 * 1024
# Scratch memory of a thread in bytes. Registers that do not fit spill there: slow.
MAX_SCRATCH = 0
# Kernels that use some, with what they may: (kernel, architecture or "*") -> bytes. ADM's
# scale 1 indexes a small array by a variable (no register is spilled); elsewhere the
# compiler keeps that in LDS.
KNOWN_SCRATCH = {(kernel, arch): 48 for kernel in ("adm_scale1_plain", "adm_scale1_both")
                 for arch in ("gfx900", "gfx902", "gfx906", "gfx908", "gfx90c", "gfx9-generic")}
# The compiler takes all registers, since LDS allows no second block beside one, and then lacks two.
KNOWN_SCRATCH.update({(kernel, "*"): 12 for kernel in ("ssim_core_u8", "ssim_core_u16")})


class Reader:
    """The part of MessagePack that metadata notes use."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def text(self, length):
        return self.take(length).decode()

    def mapping(self, count):
        result = {}
        for _ in range(count):
            key = self.value()
            result[key] = self.value()
        return result

    def sequence(self, count):
        return [self.value() for _ in range(count)]

    def value(self):
        tag = self.number("B")
        if tag < 0x80:
            return tag
        if tag < 0x90:
            return self.mapping(tag & 15)
        if tag < 0xa0:
            return self.sequence(tag & 15)
        if tag < 0xc0:
            return self.text(tag & 31)
        plain = {0xc0: None, 0xc2: False, 0xc3: True}
        if tag in plain:
            return plain[tag]
        numbers = {0xcc: "B", 0xcd: "H", 0xce: "I", 0xcf: "Q", 0xd0: "b", 0xd1: "h", 0xd2: "i",
                   0xd3: "q", 0xca: "f", 0xcb: "d"}
        if tag in numbers:
            return self.number(numbers[tag])
        sized = {0xd9: ("B", self.text), 0xda: ("H", self.text), 0xdb: ("I", self.text),
                 0xdc: ("H", self.sequence), 0xdd: ("I", self.sequence),
                 0xde: ("H", self.mapping), 0xdf: ("I", self.mapping)}
        if tag not in sized:
            raise ValueError("MessagePack tag 0x%x" % tag)
        form, read = sized[tag]
        return read(self.number(form))


def metadata(data):
    """The note of type 32, owner AMDGPU: {"amdhsa.target": ..., "amdhsa.kernels": [...]}."""
    if data[:4] != b"\x7fELF" or struct.unpack_from("<H", data, 18)[0] != 224:
        raise ValueError("not an ELF file for AMD GPUs")
    sections_at, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    for i in range(count):
        kind, = struct.unpack_from("<I", data, sections_at + i * size + 4)
        at, length = struct.unpack_from("<QQ", data, sections_at + i * size + 24)
        end = at + length
        while kind == 7 and at + 12 <= end:
            name_bytes, note_bytes, note = struct.unpack_from("<III", data, at)
            name_at = at + 12
            note_at = name_at + (name_bytes + 3) // 4 * 4
            if note == 32 and data[name_at:name_at + 7] == b"AMDGPU\0":
                return Reader(data[note_at:note_at + note_bytes]).value()
            at = note_at + (note_bytes + 3) // 4 * 4
    raise ValueError("no metadata note")


def expected_wave(arch):
    return 64 if arch[3] == "9" else 32


def arch_order(arch):
    if arch.endswith("-generic"): # gfx10-3-generic
        major, _, minor = arch[3:-len("-generic")].partition("-")
        return int(major), int(minor or -1), -1
    return int(arch[3:-2]), int(arch[-2], 16), int(arch[-1], 16)


def read(path):
    source, at, arch = path.stem.partition("@")
    if not at:
        sys.exit("%s: the name is not SOURCE@ARCH.co" % path)
    notes = metadata(path.read_bytes())
    return source, arch, notes["amdhsa.target"], notes["amdhsa.kernels"], abi(path.read_bytes())


def abi(data):
    """Code object version, and the version of a family's code (0: code for one architecture)."""
    return data[8] + 2, struct.unpack_from("<I", data, 48)[0] >> 24


def check(source, arch, target, kernels, versions):
    problems = []
    # ROCm 5 loads version 4; a family's code is of version 6 and says its own version.
    if versions != ((6, 1) if arch.endswith("-generic") else (4, 0)):
        problems.append("%s@%s: code object version %d, family version %d" % (source, arch, *versions))
    if target != "amdgcn-amd-amdhsa--" + arch:
        problems.append("%s@%s: compiled for %s" % (source, arch, target))
    for kernel in kernels:
        where = "%s on %s" % (kernel[".name"], arch)
        if kernel[".wavefront_size"] != expected_wave(arch):
            problems.append("%s: waves of %d" % (where, kernel[".wavefront_size"]))
        if kernel[".group_segment_fixed_size"] > MAX_LDS:
            problems.append("%s: %d bytes of LDS" % (where, kernel[".group_segment_fixed_size"]))
        bound = KNOWN_SCRATCH.get((kernel[".name"], arch),
                                  KNOWN_SCRATCH.get((kernel[".name"], "*"), MAX_SCRATCH))
        if kernel[".private_segment_fixed_size"] > bound:
            problems.append("%s: %d bytes of scratch, allowed are %d" %
                            (where, kernel[".private_segment_fixed_size"], bound))
        if kernel.get(".uses_dynamic_stack"):
            problems.append("%s: unbounded stack" % where)
    return problems


def row(arch, kernel):
    return [kernel[".name"], arch, kernel[".wavefront_size"], kernel[".vgpr_count"],
            kernel.get(".agpr_count", 0), kernel[".sgpr_count"],
            kernel[".group_segment_fixed_size"], kernel[".private_segment_fixed_size"],
            kernel.get(".vgpr_spill_count", 0), kernel.get(".sgpr_spill_count", 0),
            kernel[".kernarg_segment_size"]]


HEAD = ["kernel", "target", "wave", "VGPR", "AGPR", "SGPR", "LDS", "scratch", "VGPR spills",
        "SGPR spills", "arguments"]


def span(values):
    low, high = min(values), max(values)
    return str(low) if low == high else "%d-%d" % (low, high)


def print_markdown(rows):
    """Returns one line a kernel, with least and most over the architectures of each wave size."""
    head = ["kernel"] + ["%s, wave %d" % (what, wave) for what in ("VGPR", "SGPR")
                         for wave in (64, 32)] + ["LDS", "scratch", "SGPR spills", "arguments"]
    print("| " + " | ".join(head) + " |\n|---" + "|---:" * (len(head) - 1) + "|")
    for name in sorted({r[0] for r in rows}):
        of_name = [r for r in rows if r[0] == name]
        cells = [name]
        for column in (3, 5):
            for wave in (64, 32):
                values = [r[column] for r in of_name if r[2] == wave]
                cells.append(span(values) if values else "-")
        cells += [span([r[column] for r in of_name]) for column in (6, 7, 9, 10)]
        print("| " + " | ".join(cells) + " |")
    print("\nArchitectures: " + " ".join(sorted({r[1] for r in rows}, key=arch_order)) + ".")


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("objects", nargs="+", type=pathlib.Path)
    args = parser.parse_args(argv)
    problems, rows, names = [], [], {}
    for path in args.objects:
        source, arch, target, kernels, versions = read(path)
        problems += check(source, arch, target, kernels, versions)
        names.setdefault(source, {})[arch] = sorted(kernel[".name"] for kernel in kernels)
        rows += [row(arch, kernel) for kernel in kernels]
    for source, per_arch in names.items():
        if len({tuple(kernels) for kernels in per_arch.values()}) != 1:
            problems.append("%s: not the same kernels on every architecture" % source)
    rows.sort(key=lambda r: (r[0], arch_order(r[1])))
    if args.markdown:
        print_markdown(rows)
    else:
        print("%-22s %-8s" % tuple(HEAD[:2]) + "".join("%12s" % h for h in HEAD[2:]))
        print("\n".join("%-22s %-8s" % tuple(r[:2]) + "".join("%12s" % c for c in r[2:])
                        for r in rows))
    for problem in problems:
        print("FAILED: " + problem)
    print("%d code objects, %d kernels on %d architectures, %d problems" % (
        len(args.objects), len({r[0] for r in rows}), len({r[1] for r in rows}), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
