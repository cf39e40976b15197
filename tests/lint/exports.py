#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A shared build exports vmafgpu_ functions, every one of the headers, and nothing else.

    tests/lint/exports.py LIBRARY HEADER...
"""
import re
import subprocess
import sys


def main():
    library, *headers = sys.argv[1:]
    listing = subprocess.run(["nm", "--dynamic", "--defined-only", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    declared = set()
    for header in headers:
        with open(header, encoding="utf-8") as file:
            declared |= set(re.findall(r"^VMAFGPU_API [^;(]*?\b(vmafgpu_\w+)\(", file.read(), re.M))
    faults = [f"not exported: {name}" for name in sorted(declared - exported)]
    faults += [f"exported without being public: {name}" for name in sorted(exported - declared)]
    if not declared:
        faults.append(f"no VMAFGPU_API function found in {headers}")
    for fault in faults[:20]:
        print(fault)
    print(f"exports: {len(declared)} public functions, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
