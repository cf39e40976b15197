# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the tests of the lints share: each fault, planted in a copy of the tree, must be reported; the copy without it
must not."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def report(lint, root):
    done = subprocess.run([sys.executable, Path(__file__).with_name(lint), "--root", root],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def plant(path, pattern, replacement, check):
    """check() while the file, which may be a new one, is changed; and how many places were."""
    before = path.read_text(encoding="utf-8") if path.exists() else None
    after, count = re.subn(pattern, replacement, before or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(after, encoding="utf-8")
    found = check()
    if before is None:
        path.unlink()
    else:
        path.write_text(before, encoding="utf-8")
    return found, count


def main(doc, copy, defects):
    """defects: lint, file, what is replaced (a regular expression), by what, what the report must say"""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    source = parser.parse_args().root.resolve()
    lints = sorted({defect[0] for defect in defects})
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        root = Path(work).resolve()
        copy(source, root)
        for lint in lints:
            status, text = report(lint, root)
            if status != 0:
                failed += 1
                print(f"{lint}: the tree as it is has faults:\n{text}")
        for lint, name, pattern, replacement, expected in defects:
            (status, text), count = plant(root / name, pattern, replacement, lambda: report(lint, root))
            if count == 0 or status != 1 or expected not in text:
                failed += 1
                print(f"{name}: '{pattern}' -> '{replacement}' ({count} places) is not reported as '{expected}':\n{text}")
    print(f"{len(defects) + len(lints) - failed} passed, {failed} failed")
    return 1 if failed else 0
