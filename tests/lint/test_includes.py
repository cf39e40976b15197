#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation tests of includes.py: each forbidden include, planted in a copy of src/engine,
must be reported; the copy without it must not.

    tests/lint/test_includes.py [--root DIR]
"""
import shutil
import sys

import mutations

# file, the include planted at its end, what the report must say
DEFECTS = [
    ("picture/picture.h", "core/engine.h", "picture/ must not see"),
    ("features/vif/vif.cpp", "cuda/cuda_device.h", "features/ must not see"),
    ("features/vif/vif.cpp", "features/adm/adm.h", "features/ must not see"),
    ("cuda/cuda_device.cpp", "hip/hip_device.h", "cuda/ must not see"),
    ("gpu/batch_runner.cpp", "hip/hip_device.h", "gpu/ must not see"),
    ("core/engine.cpp", "gpu/device_executor.h", "core/ must not see"),
    ("plan/executor.h", "core/engine.h", "a circle of includes: core/engine, core/open_executor"),
    ("features/feature.h", "features/registry.h", "a circle of includes"),
    ("base/error.h", "inputs/pixel_format.h", "a circle of rooms: base, inputs"),
    ("gpu/selftest.cpp", "cuda_hip/call_name.h", "gpu/ must not see"),
    ("pairing/rule.h", "parts/run_facts.h", "pairing/ must not see"),
    ("device/device.h", "device/no_such_file.h", "is no file here"),
]


def copy(source, root):
    shutil.copytree(source / "src/engine", root / "src/engine")


if __name__ == "__main__":
    sys.exit(mutations.main(__doc__, copy, [
        *(("includes.py", f"src/engine/{name}", r"\Z", f'#include "{include}"\n', expected)
          for name, include, expected in DEFECTS),
        ("includes.py", "src/engine/elsewhere/new.h", r"\Z", "#pragma once\n", "is on no floor"),
    ]))
