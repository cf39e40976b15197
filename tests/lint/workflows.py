#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
""".github/workflows: a step runs one script of scripts/, so that nothing is known there only, or uses an action
that is pinned by its commit, with the version as a comment. Whether the files are valid is asked by lint.sh.

    tests/lint/workflows.py [--root DIR]

Prints one line per fault; exits 1 if there is any.
"""
import argparse
import os
import re
import sys
from pathlib import Path

STEP = re.compile(r"^\s*(?:- )?(run|uses): *(.*)$")
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
SCRIPT = re.compile(r"(?:sudo )?(scripts/[\w./-]+\.sh)((?: [\w./-]+| \$\{\{ [\w.]+ \}\})*)$")


def faults_of(root, path):
    """Fault texts; one None for each step that has none."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        step = STEP.match(line)
        if step is None:
            continue
        kind, text = step[1], step[2].strip()
        place = f"{path.relative_to(root)}:{number}"
        script = SCRIPT.match(text)
        if kind == "uses":
            yield None if PINNED.match(text) else f"{place}: not pinned as OWNER/NAME@COMMIT # vN.N.N: {text}"
        elif script is None:
            yield f"{place}: a step runs one script of scripts/, not: {text}"
        else:
            names = [script[1], *re.findall(r"scripts/[\w./-]+\.sh", script[2])]
            absent = [name for name in names if not os.access(root / name, os.X_OK)]
            yield f"{place}: no program: {absent[0]}" if absent else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    found = [fault for path in sorted((root / ".github/workflows").glob("*.yml")) for fault in faults_of(root, path)]
    faults = [fault for fault in found if fault]
    for fault in faults:
        print(fault)
    print(f"workflows: {len(found)} steps, {len(faults)} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main())
