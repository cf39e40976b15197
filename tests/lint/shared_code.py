#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How much of the two GPU backends' host code is the same: statements of src/engine/cuda
and src/engine/hip that are equal once the vendor's words are renamed. Equal statements
belong in src/engine/driver. The kernel dialects, the tables of entry points and HIP's
reader of code objects have no counterpart and are left out.

    tests/lint/shared_code.py [--root DIR] [--max N] [--list]

Exits 1 if more than N statements are equal.
"""
import argparse
import re
import sys
from collections import Counter
from pathlib import Path

LEFT_OUT = ("_dialect.h", "_api.h", "_image.h", "_image.cpp")
RENAMED = ((r"VMAFGPU_(CUDA|HIP)", "VMAFGPU_VENDOR"), (r"\b(cuda|hip)(?=[_/]|\b)", "vendor"),
           (r"Cuda|Hip", "Vendor"), (r"\b(CUDA|HIP)", "VENDOR"), (r"\b(cu|hip)(?=[A-Z])", "vendor"),
           (r"\b(driver|runtime)", "library"), (r"Driver|Runtime", "Library"))


def statements(folder):
    """Returns what stands between semicolons and braces, without comments and directives."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix not in {".cpp", ".h"} or path.name.endswith(LEFT_OUT):
            continue
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for pattern, word in RENAMED:
            text = re.sub(pattern, word, text)
        found += [" ".join(part.split()) for part in re.split("[;{}]", text)
                  if re.search(r"\w", part)]
    return Counter(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--max", type=int)
    parser.add_argument("--list", action="store_true", help="print the equal statements")
    args = parser.parse_args()
    engine = args.root / "src/engine"
    cuda, hip = statements(engine / "cuda"), statements(engine / "hip")
    equal = cuda & hip
    if args.list:
        for text, count in sorted(equal.items()):
            print(f"{count} {text}")
    count = sum(equal.values())
    print(f"equal statements: {count} of {sum(cuda.values())} in cuda, {sum(hip.values())} in hip")
    if not cuda or not hip:
        print("no statements found")
        return 1
    return 1 if args.max is not None and count > args.max else 0


if __name__ == "__main__":
    sys.exit(main())
