#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Stands between the parity gate and parity_probe and spoils the answers of one backend,
as a broken backend would. For test_parity.py.

    PARITY_PROBE=... PARITY_SPOIL=HOW [PARITY_SPOILED=BACKEND] doctored_probe.py COMMAND ...
"""
import json
import os
import subprocess
import sys
import time

HOW = os.environ.get("PARITY_SPOIL", "")
NAN, INFINITY = "7ff8000000000000", "7ff0000000000000"


def flip(row, column):
    row[column] = f"{int(row[column], 16) ^ 1:016x}"


def column_of(result, name):
    return result["names"].index(name)


def spoil(result):
    """The answer that the gate gets to see; None for none."""
    scores = any(name.startswith("integer_") for name in result["names"])
    last = result["rows"][-1]
    if HOW == "feature bit" and scores:
        flip(last, column_of(result, "integer_adm_scale2"))
    elif HOW == "vmaf bit" and scores:
        flip(last, column_of(result, "vmaf_v0.6.1"))
    elif HOW == "sums bit" and not scores:
        flip(last, 17 % len(last))
    elif HOW == "nan" and scores:
        last[0] = NAN
    elif HOW == "infinity" and scores:
        last[0] = INFINITY
    elif HOW == "missing series":
        result["names"].pop()
        for row in result["rows"]:
            row.pop()
    elif HOW == "renamed series":
        result["names"][0] += "_"
    elif HOW == "short row":
        last.pop()
    elif HOW == "missing frame":
        result["rows"].pop()
    elif HOW == "other backend":
        result["backend"] = result["selector"] = "cpu"
    elif HOW == "no table":
        del result["rows"]
    elif HOW == "error":
        return {"id": result["id"], "error": "device lost", "code": 5}
    elif HOW == "no answer":
        return None
    return result


def main():
    args = sys.argv[1:]
    is_spoiled = args[0] == "run" and args[1] == os.environ.get("PARITY_SPOILED", "emu32")
    done = subprocess.run([os.environ["PARITY_PROBE"], *args], stdout=subprocess.PIPE, text=True,
                          check=False)
    if is_spoiled and HOW == "hang":
        time.sleep(60)
    for line in done.stdout.splitlines():
        if is_spoiled and HOW == "not json":
            line = "{"
        elif is_spoiled:
            result = spoil(json.loads(line))
            line = "" if result is None else json.dumps(result)
        if line:
            print(line)
    return 9 if is_spoiled and HOW == "exit status" else done.returncode


if __name__ == "__main__":
    sys.exit(main())
