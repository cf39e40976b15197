#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Shows that a change, such as a move of files, leaves the engine's machine code as it was.

    scripts/ci/compare-objects.py BEFORE AFTER      two folders in which Meson built with the same options

Kernel images of GPUs are equal byte by byte. Those of nvcc depend on the path of the sources, so build both in
one place. An object file is equal if it has the same sections that are loaded, with the same contents, relocations
and symbols. Their order may differ, because functions come in the order of the headers that define them. The
objects' own names and those of their sources do not count.
Prints what differs; exits 1 if anything does.
"""
import argparse
import hashlib
import struct
import sys
from collections import Counter
from pathlib import Path

IMAGES = (".co", ".ptx", ".fatbin")
SHF_ALLOC, SHT_SYMTAB, SHT_RELA, SHT_NOBITS, STT_SECTION, STT_FILE = 2, 2, 4, 8, 3, 4


class Elf:
    """An object file of a 64-bit little-endian machine, as what the linker gets from it."""

    def __init__(self, path):
        self.data = path.read_bytes()
        if self.data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{path} is no ELF object of 64 bits")
        at, size, count, names = struct.unpack_from("<Q10xHHH", self.data, 40)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, at + i * size) for i in range(count)]
        self.names = [self.text(self.sections[names], section[0]) for section in self.sections]
        self.symbols = [symbol for section in self.sections if section[1] == SHT_SYMTAB
                        for symbol in self.symbols_of(section)]

    def content(self, section):
        return b"" if section[1] == SHT_NOBITS else self.data[section[4]:section[4] + section[5]]

    def text(self, section, at):
        begin = section[4] + at
        return self.data[begin:self.data.index(b"\0", begin)].decode()

    def symbols_of(self, table):
        """(name, type and binding, section, value, size)"""
        for at in range(table[4], table[4] + table[5], 24):
            name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
            place = self.names[index] if index < len(self.names) else str(index)
            yield self.text(self.sections[table[6]], name), info, place, value, size

    def relocations(self, number):
        """Of a section: where, of which kind, to what."""
        found = []
        for section in self.sections:
            if section[1] == SHT_RELA and section[7] == number:
                for at in range(section[4], section[4] + section[5], 24):
                    place, info, addend = struct.unpack_from("<QQq", self.data, at)
                    name, kind, target, _, _ = self.symbols[info >> 32]
                    found.append((place, info & 0xffffffff, target if kind & 15 == STT_SECTION else name, addend))
        return sorted(found)

    def parts(self):
        """What has to be equal, in any order."""
        found = [("symbol", *symbol) for symbol in self.symbols
                 if symbol[1] & 15 not in (STT_SECTION, STT_FILE)]
        for number, section in enumerate(self.sections):
            if section[2] & SHF_ALLOC:
                found.append(("section", self.names[number], section[1:3], section[5],
                              hashlib.sha256(self.content(section)).hexdigest(), self.relocations(number)))
        return sorted(map(repr, found))


def objects(folder):
    """{digest: names} of the engine's objects."""
    found = {}
    for path in sorted(folder.glob("src/engine/*.p/*.o")):
        digest = hashlib.sha256("\n".join(Elf(path).parts()).encode()).hexdigest()
        found.setdefault(digest, []).append(path.name)
    return found


def images(folder):
    return {path.name: path.read_bytes() for path in (folder / "src/engine").rglob("*") if path.suffix in IMAGES}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    args = parser.parse_args()
    faults = []
    before, after = images(args.before), images(args.after)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            faults.append(f"{name}: the kernel image differs or is on one side only")
    old, new = objects(args.before), objects(args.after)
    one, other = (Counter({digest: len(names) for digest, names in side.items()}) for side in (old, new))
    faults += [f"{old[digest][0]}: no object after is equal" for digest in one - other]
    faults += [f"{new[digest][0]}: no object before is equal" for digest in other - one]
    print("\n".join(faults + [f"{len(before)} kernel images and {one.total()} objects before, {len(faults)} differences"]))
    return 1 if faults or not before or not one else 0


if __name__ == "__main__":
    sys.exit(main())
