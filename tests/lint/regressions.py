#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""docs/history/regressions.md against the tree: every number from 1 to 58 is a row, every
test that it names exists, and every test with a number in its name is in its row.

    tests/lint/regressions.py [--root DIR]

Prints one line per fault and the rows that are still open; exits 1 if there is a fault.
"""
import argparse
import fnmatch
import re
import sys
from pathlib import Path

NUMBERS = range(1, 59)
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+) \|$", re.M)
NAMED = re.compile(r"`([a-z]+):([^`]+)`")
REASON = re.compile(r"^(cannot occur|open): \S")


def found(root, folder, glob, pattern):
    """Names that `pattern` finds in the files of a folder."""
    names = set()
    for path in sorted((root / folder).glob(glob)):
        for match in re.finditer(pattern, path.read_text(encoding="utf-8"), re.M):
            names.add(".".join(match.groups()))
    return names


def tests_of(root):
    """The tests that the tree has, by the prefix that the document uses."""
    gtest = r"^TEST(?:_F|_P)?\((\w+), (\w+)\)"
    python = r"^    def (test_\w+)\("
    driver = found(root, "tests/device", "test_driver_*.cpp", gtest)
    cuda = found(root, "tests/device", "test_cuda_*.cpp", gtest)
    return {
        "unit": found(root, "tests/unit", "*.cpp", gtest),
        "golden": found(root, "tests/golden", "*.cpp", gtest),
        "emu": found(root, "tests/device", "*.cpp", gtest) - driver - cuda,
        "driver": driver,
        "cuda": cuda,
        "planted": found(root, "tests/planted", "*.py", r"[Dd]efect\('(\w+)'"),
        "check": found(root, "tests/check", "meson.build", r"^ *'(reg\d\d [^']+)'"),
        "tool": found(root, "tests/tool", "*.py", python),
        "filter": found(root, "tests/filter", "*.sh", r"^ *expect(?:_refusal)? '(reg\d\d [^']+)'"),
        "fate": {name.replace("$(2)", "").replace("fate-", "", 1) for name in
                 found(root, "fate", "*.mak", r"^(fate-\S+?):")},
        "gpu": found(root, "tests", "gpu.sh", r"^(\w+)\(\) \{"),
        "lint": found(root, "tests/lint", "*.py", r"^    def (check_\w+)\("),
    }


def check_row(number, text, tests):
    faults = []
    named = NAMED.findall(text)
    if not named and not REASON.match(text):
        faults.append(f"row {number} names no test and gives no reason")
    for prefix, name in named:
        if prefix not in tests:
            faults.append(f"row {number}: unknown prefix '{prefix}:'")
        elif not fnmatch.filter(tests[prefix], name):
            faults.append(f"row {number}: no test {prefix}:{name}")
    return faults


def check_strays(rows, tests):
    """A test that has a number in its name is for that row; it may serve others too."""
    faults = []
    for prefix, names in tests.items():
        for name in sorted(names):
            number = re.search(r"reg(\d\d)[_ ]", name)
            if number is None:
                continue
            row = NAMED.findall(rows.get(int(number.group(1)), ""))
            if not any(p == prefix and fnmatch.fnmatchcase(name, n) for p, n in row):
                faults.append(f"{prefix}:{name} is not in row {int(number.group(1))}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    entries = ROW.findall((root / "docs/history/regressions.md").read_text(encoding="utf-8"))
    rows = {int(number): text for number, _, text in entries}
    tests = tests_of(root)

    faults = [f"row {n} is missing" for n in NUMBERS if n not in rows]
    faults += [f"row {n} is not one of the list" for n in rows if n not in NUMBERS]
    if len(entries) != len(rows):
        faults.append("a number occurs twice")
    for number, text in rows.items():
        faults += check_row(number, text, tests)
    faults += check_strays(rows, tests)
    for fault in faults:
        print(fault)
    still_open = [n for n, text in rows.items() if text.startswith("open:")]
    print(f"regressions: {len(rows)} rows, {len(still_open)} open {still_open}, "
          f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
