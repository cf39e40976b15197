#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation tests of docs.py: each fault, planted in a copy of the documents, must be reported; the
copy without it must not.

    tests/lint/test_docs.py [--root DIR]
"""
import shutil
import sys

import mutations

COPIED = ("README.md", "CONTRIBUTING.md", "docs")

DEFECTS = [
    ("docs/user/guide.md", r"\]\(pairing\.md\)", "](pairings.md)", "a link leads to no file: pairings.md"),
    ("docs/user/filter.md", r"models\.md#built-in-models", "models.md#builtin", "a link leads to no heading"),
    ("docs/history/test-runs.md", r"\]\(\.\./develop/testing\.md\)", "](testing.md)", "test-runs.md:3: a link leads to no file"),
    ("docs/README.md", r"\[cambi\.md\]\(numerics/cambi\.md\)", "CAMBI", "cambi.md:1: docs/README.md does not lead to it"),
    ("README.md", r"\(docs/README\.md\)", "(docs/user/guide.md)", "no link leads to docs/README.md"),
    ("docs/develop/architecture.md", r"\| 5 \| `plan/` .*\n", "", "the rooms of src/engine and their floors"),
    ("docs/develop/architecture.md", r", `emu/`(.*\n)", r", `emulator/` \1", "the rooms of src/engine and their floors"),
    ("docs/develop/testing.md", r"\| `VMAFGPU_CPU_LEVEL` .*\n", "", "reads VMAFGPU_CPU_LEVEL, which no page explains"),
    ("docs/user/install.md", r"\Z", "\nA " + "very " * 50 + "long sentence.\n", "53 words in one sentence"),
    ("docs/user/install.md", r"\Z", "\n" + "Many words. " * 20000, "more than 35000: what was"),
    ("docs/user/install.md", r"\Z", "\nlibvmaf f85a8536\n", "the revision of libvmaf is not written as"),
    ("README.md", r"images/comparison-dark\.png", "images/dark.png", "a link leads to no file: docs/images/dark.png"),
    ("README.md", r"\Z", "\n" * 130, "more than 100 lines"),
]


def copy(source, root):
    for path in source.iterdir():
        if path.name not in COPIED:
            (root / path.name).symlink_to(path)
        elif path.is_dir():
            shutil.copytree(path, root / path.name)
        else:
            shutil.copy(path, root / path.name)


if __name__ == "__main__":
    sys.exit(mutations.main(__doc__, copy, [("docs.py", *defect) for defect in DEFECTS]))
