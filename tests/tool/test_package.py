#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The package of Python, as it is installed: a Python without other libraries loads it, and its scores, log and warnings
are those of the tool. All else: tests/tool/python.

    test_package.py TOOL LIBRARY CHECKOUT
"""
import json
import pathlib
import shutil
import subprocess
import sys

import runs
from runs import expect

TOOL, LIBRARY, CHECKOUT = map(pathlib.Path, sys.argv[1:])
SCORES = """
import json, sys, warnings
import vmaf_gpu
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    found = vmaf_gpu.score("r.y4m", "d.y4m", device="cpu", features="psnr")
json.dump({"frames": [pair.scores for pair in found.frames], "score": found.score,
           "warnings": [str(one.message) for one in said]}, sys.stdout)
"""


def install(folder):
    """A copy of what meson installs; the videos."""
    package = folder / "vmaf_gpu"
    shutil.copytree(CHECKOUT / "python/vmaf_gpu", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(CHECKOUT / "include/vmaf_gpu", package / "include")
    shutil.copy(CHECKOUT / "python/native/helpers.h", package / "include")
    shutil.copy(LIBRARY, package)
    for name, step in ("r", 3), ("d", 4):
        pictures = (bytes((x * step + 7 * n) & 255 for x in range(64)) * 64 + bytes([128]) * 2048 for n in range(30))
        (folder / f"{name}.y4m").write_bytes(runs.y4m(64, 64, pictures))
    return folder


def check_scores(folder):
    done = subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{SCORES}"],
                          cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    expect(done.returncode == 0, "a score", done.stderr)
    mine = json.loads(done.stdout or "{}")
    subprocess.run([TOOL.resolve(), "-r", "r.y4m", "-d", "d.y4m", "--backend", "cpu", "--pair", "auto", "--feature", "psnr",
                    "--json", "--precision", "max", "-q", "-o", "log"], cwd=folder, check=True, timeout=60)
    log = json.loads((folder / "log").read_text())
    expect(mine.get("frames") == [frame["metrics"] for frame in log["frames"]], "values of each pair", (mine, log["frames"]))
    expect(mine.get("score") == log["pooled_metrics"]["vmaf"]["mean"], "the score", mine)
    expect(mine.get("warnings") == log["vmaf_gpu"]["warnings"] != [], "warnings", (mine, log["vmaf_gpu"]))


if __name__ == "__main__":
    sys.exit(runs.run_checks("package of Python", 4, install, check_scores))
