#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation tests of workflows.py: each fault, planted in a copy of the workflows, must be reported; the copy without
it must not.

    tests/lint/test_workflows.py [--root DIR]
"""
import shutil
import sys

import mutations

CI, RELEASE = ".github/workflows/ci.yml", ".github/workflows/release.yml"

DEFECTS = [
    (CI, r"run: scripts/demo\.sh", "run: apt-get update", "ci.yml:21: a step runs one script"),
    (CI, r"run: scripts/demo\.sh", "run: |", "ci.yml:21: a step runs one script"),
    (CI, r"run: scripts/demo\.sh", "run: scripts/demo.sh || true", "ci.yml:21: a step runs one script"),
    (CI, r"run: scripts/test\.sh", "run: scripts/tests.sh", "no program: scripts/tests.sh"),
    (CI, r"in-debian\.sh scripts/test\.sh", "in-debian.sh scripts/ci/tests.sh", "no program: scripts/ci/tests.sh"),
    (CI, r"@[0-9a-f]{40} # v", "@v", "ci.yml:18: not pinned"),
    (RELEASE, r"(artifact@[0-9a-f]{39})[0-9a-f]", r"\1", "not pinned"),
    (RELEASE, r" # v4\.\d+\.\d+", "", "not pinned"),
]


def copy(source, root):
    for path in source.iterdir():
        if path.name == ".github":
            shutil.copytree(path, root / path.name)
        else:
            (root / path.name).symlink_to(path)


if __name__ == "__main__":
    sys.exit(mutations.main(__doc__, copy, [("workflows.py", *defect) for defect in DEFECTS]))
