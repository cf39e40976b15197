#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""`check --list-groups` and the build agree: each feature folder has cases on every kind
of device, and there are no others but the engine's. A group that is used as a filter
selects itself alone; the first of each feature is tried. A filter that selects nothing is a failure. Two halves are
all cases, by psnr's, which are run.

    groups.py CHECK FEATURE...      FEATURE: the first word of cases' names
"""
import re
import subprocess
import sys


def groups(check, *args):
    done = subprocess.run([check, "--list-groups", *args], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout.split()


def cases_of(check, *args):
    """How many of psnr's cases passed."""
    done = subprocess.run([check, "--device=cpu", *args, "psnr/"], capture_output=True, text=True, check=False)
    return int(re.search(r"^check: ([0-9]+) passed, 0 failed", done.stdout, re.M)[1])


def main(check, *wanted):
    faults = []
    both = [cases_of(check, f"--half={half}") for half in (0, 1)]
    if sum(both) != cases_of(check) or min(both) < 0.4 * sum(both):
        faults.append(f"two halves have {both} cases")
    for args in (["--device=cpu"], ["--device=cuda:0"], ["--device=emu32"],
                 ["--device=hip:0", "--slow"]):
        status, listed = groups(check, *args)
        found = {group.split("/")[0] for group in listed}
        if status != 0 or found != set(wanted):
            faults.append(f"{args}: status {status}, features {sorted(found)}, "
                          f"the build has {sorted(wanted)}")
        firsts = {group.split("/")[0]: group for group in reversed(listed)}
        for group in firsts.values():
            if groups(check, *args, group) != (0, [group]):
                faults.append(f"{args}: as a filter, {group} does not select itself alone")
    if groups(check, "no such case") != (1, []):
        faults.append("a filter that selects nothing is not a failure")
    for fault in faults:
        print(fault)
    print(f"groups: {len(groups(check)[1])} groups of {len(wanted)} features, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
