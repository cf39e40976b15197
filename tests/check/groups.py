#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""`check --list-groups` and the build agree: each feature folder has cases on every kind
of device, and there are no others but the engine's. A group that is used as a filter
selects itself alone; the first of each feature is tried. A filter that selects nothing is a failure. Runs no case.

    groups.py CHECK FEATURE...      FEATURE: the first word of cases' names
"""
import subprocess
import sys


def groups(check, *args):
    done = subprocess.run([check, "--list-groups", *args], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout.split()


def main(check, *wanted):
    faults = []
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
