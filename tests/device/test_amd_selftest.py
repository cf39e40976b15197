#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/amd-selftest.sh on the HIP backend's stand-in runtime, since nobody here has a
card to try it with: its report has a line for every feature and no failure; on a runtime
that fails it says so and exits non-zero. Says nothing about AMD GPUs.

    test_amd_selftest.py BUILD_DIR STANDIN FEATURE...
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/amd-selftest.sh"


def run(build, standin, report, **env):
    done = subprocess.run([str(SCRIPT)], capture_output=True, text=True, check=False,
                          env={**os.environ, "BUILD": build, "TRIAL": "1", "REPORT": str(report),
                               "VMAFGPU_HIP_LIBRARY": standin, **env})
    return done.returncode, report.read_text()


def main(build, standin, *features):
    faults = []
    with tempfile.TemporaryDirectory() as name:
        report = pathlib.Path(name, "report.txt")
        status, text = run(build, standin, report)
        checks = [*features, "vif without matrices"]
        wanted = {f"hip:0 check {check}" for check in checks} | {"hip:0 golden"}
        ok = set(re.findall(r"^ok (.+)$", text, re.M))
        if status != 0 or "FAILED" in text or ok != wanted:
            faults.append(f"status {status}, ok: {sorted(ok)}, wanted: {sorted(wanted)}")
        passed = [int(count) for count in re.findall(r"^check: (\d+) passed, 0 failed", text, re.M)]
        if len(passed) != len(checks) or min(passed) == 0:
            faults.append(f"cases passed, by check: {passed}")
        if len(re.findall(r"^64x48 \d+ bit: [\d.]+ [\d.]+ *$", text, re.M)) != 2:
            faults.append("no table of speeds")
        if faults:
            faults.append(text)
        status, text = run(build, standin, report, VMAFGPU_STANDIN_FAIL="hipModuleLoadData#*=999")
        failed = set(re.findall(r"^FAILED (.+)$", text, re.M))
        if status == 0 or not wanted <= failed:
            faults.append(f"of a broken runtime: status {status}, failed: {sorted(failed)}\n{text}")
    for fault in faults:
        print(fault)
    print(f"amd-selftest: {sum(passed)} cases of {len(passed)} checks, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
