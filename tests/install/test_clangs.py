#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tools/gpu_compiler.sh with each real clang of this machine alone in PATH, the others hidden: from 15 on
it compiles the hardest kernel if its linker is there, and an older one is passed over. What each clang
computes is not tested here.

    test_clangs.py
"""
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True

from machine import ROOT, Machine, link_programs  # noqa: E402

LOWEST = 15


def main():
    found = sorted((int(name[6:]), name) for name in os.listdir("/usr/bin") if re.fullmatch(r"clang-\d+", name))
    if not any(version >= LOWEST for version, _ in found):
        print(f"clangs: no clang of {LOWEST} or later is installed (scripts/setup.sh)")
        return 1
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = link_programs(folder / "programs")
        for version, clang in found:
            m = Machine(folder / clang, programs)
            (m.bin / "clang").symlink_to(f"/usr/bin/{clang}")
            has_linker = os.path.exists(f"/usr/lib/llvm-{version}/bin/ld.lld")
            for kind, passes in (("hip", version >= LOWEST and has_linker), ("ptx", version >= LOWEST)):
                out, _ = m.run(ROOT / "tools/gpu_compiler.sh", kind, status=0 if passes else 1)
                wanted = f"use {m.bin}/clang\n" if passes else "skip clang: "
                if not out.startswith(wanted):
                    print(f"FAILED {clang} {kind}: {out}wanted: {wanted}")
                    faults += 1
                print(f"{clang} {kind}: {out.strip()}")
    print(f"clangs: {len(found)} compilers, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
