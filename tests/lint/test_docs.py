#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation tests of docs.py: each fault, planted in a copy of the documents, must be reported; the
copy without it must not.

    tests/lint/test_docs.py [--root DIR]
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COPIED = ("README.md", "CONTRIBUTING.md", "docs")

# file, what is replaced (a regular expression), by what, what the report must say
DEFECTS = [
    ("docs/guide.md", r"\]\(pairing\.md\)", "](pairings.md)", "a link leads to no file: pairings.md"),
    ("docs/filter.md", r"models\.md#built-in-models", "models.md#builtin", "a link leads to no heading"),
    ("docs/history/test-runs.md", r"\]\(\.\./testing\.md\)", "](testing.md)", "test-runs.md:3: a link leads to no file"),
    ("docs/architecture.md", r"\[CAMBI\]\(numerics-cambi\.md\)", "CAMBI", "numerics-cambi.md:1: more than 2 clicks"),
    ("docs/architecture.md", r"\| `emu/` .*\n", "", "the folders of src/engine are"),
    ("docs/architecture.md", r"\| `emu/` (.*\n)", r"| `emulator/` \1", "the folders of src/engine are"),
    ("docs/testing.md", r"\| `VMAFGPU_CPU_LEVEL` .*\n", "", "reads VMAFGPU_CPU_LEVEL, which no page explains"),
    ("docs/install.md", r"\Z", "\nA " + "very " * 50 + "long sentence.\n", "53 words in one sentence"),
    ("docs/install.md", r"\Z", "\n" + "Many words. " * 20000, "more than 35000: what was"),
    ("docs/install.md", r"\Z", "\nlibvmaf f85a8536\n", "the revision of libvmaf is not written as"),
    ("README.md", r"\Z", "\n" * 130, "more than 120 lines"),
]


def report(root):
    done = subprocess.run([sys.executable, Path(__file__).with_name("docs.py"), "--root", root],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def copy(source, root):
    for path in source.iterdir():
        if path.name not in COPIED:
            (root / path.name).symlink_to(path)
        elif path.is_dir():
            shutil.copytree(path, root / path.name)
        else:
            shutil.copy(path, root / path.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    source = parser.parse_args().root.resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        root = Path(work).resolve()
        copy(source, root)
        status, text = report(root)
        if status != 0:
            failed += 1
            print(f"FAILED: a fault without a defect\n{text}")
        for name, pattern, replacement, expected in DEFECTS:
            path = root / name
            before = path.read_text(encoding="utf-8")
            after, count = re.subn(pattern, replacement, before, count=1)
            path.write_text(after, encoding="utf-8")
            status, text = report(root)
            path.write_text(before, encoding="utf-8")
            if count != 1 or status != 1 or expected not in text:
                failed += 1
                print(f"FAILED: {name}: {pattern} replaced {count} times, status {status}, no '{expected}' in:\n{text}")
    print(f"docs notice: {len(DEFECTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
