#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation tests of includes.py: each forbidden include, planted in a copy of src/engine,
must be reported; the copy without it must not.

    tests/lint/test_includes.py [--root DIR]
"""
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# file, the include planted at its end, what the report must say
DEFECTS = [
    ("base/picture.h", "core/engine.h", "the layer base/ must not see"),
    ("features/vif/vif.cpp", "cuda/cuda_device.h", "the layer features/ must not see"),
    ("features/vif/vif.cpp", "features/adm/adm.h", "the layer features/ must not see"),
    ("cuda/cuda_device.cpp", "hip/hip_device.h", "the layer cuda/ must not see"),
    ("gpu/batch_runner.cpp", "hip/hip_device.h", "the layer gpu/ must not see"),
    ("core/engine.cpp", "gpu/device_executor.h", "the layer core/ must not see"),
    ("core/executor.h", "core/engine.h", "a circle of includes: core/engine, core/executor"),
    ("features/feature.h", "features/registry.h", "a circle of includes"),
    ("device/device.h", "device/no_such_file.h", "is no file here"),
]


def report(root):
    done = subprocess.run([sys.executable, Path(__file__).with_name("includes.py"), "--root", root],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    source = parser.parse_args().root.resolve() / "src/engine"
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        copy = Path(work) / "src/engine"
        shutil.copytree(source, copy)
        status, text = report(work)
        if status != 0:
            failed += 1
            print(f"the tree as it is has faults:\n{text}")
        for name, include, expected in DEFECTS:
            path = copy / name
            original = path.read_text()
            path.write_text(original + f'#include "{include}"\n')
            status, text = report(work)
            path.write_text(original)
            if status == 0 or expected not in text:
                failed += 1
                print(f"{name} including {include}: not reported as '{expected}':\n{text}")
        # A folder that the table lacks.
        (copy / "elsewhere").mkdir()
        (copy / "elsewhere/new.h").write_text("#pragma once\n")
        status, text = report(work)
        if status == 0 or "is not in the table of layers" not in text:
            failed += 1
            print(f"a new folder is not reported:\n{text}")
    print(f"{len(DEFECTS) + 2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
