#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""check --bench prints the reference's time, each target's, and the quotient.

    test_bench.py CHECK
"""
import re
import subprocess
import sys

LINE = r"    (\S+) +([\d.]+)(?: +([\d.]+) x)?\n"


def main():
    done = subprocess.run([sys.argv[1], "--bench", "--device=cpu:baseline,cpu", "skeleton/plain/1920x1080/"],
                          check=True, text=True, stdout=subprocess.PIPE)
    names, rest = re.findall(r"^(\S+), microseconds a pair$", done.stdout, re.M), done.stdout
    lines = re.findall(LINE, rest)
    faults = []
    listed = subprocess.run([sys.argv[1], "--bench", "--list-groups"], check=True, text=True, stdout=subprocess.PIPE)
    for feature in ("float_motion", "psnr", "ssimulacra2", "scale"):
        if f"{feature}/" not in listed.stdout:
            faults.append(f"{feature} is not timed")
    if len(names) != 1 or not lines or lines[0][0] != "reference":
        faults.append("not one case that begins with the reference")
    if len(lines) < 3 or any(not name.startswith("cpu:") for name, _, _ in lines[1:]):
        faults.append("no two levels")
    for name, time, speed in lines[1:]:
        quotient = float(lines[0][1]) / float(time)
        if not speed or abs(float(speed) - quotient) > 0.06 + quotient * 0.05 / float(time):
            faults.append(f"{name}: {speed} x is not {quotient}")
    print(done.stdout + "\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
