#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Reads a JSON log of the filter, of the tool or of Python into a pandas table: a row a frame, a column a score.

    log_to_pandas.py LOG.json
"""
import json
import sys

import pandas


def read_log(path):
    with open(path, encoding="utf-8") as file:
        frames = json.load(file)["frames"]
    return pandas.DataFrame([frame["metrics"] for frame in frames],
                            index=pandas.Index([frame["frameNum"] for frame in frames], name="frame"))


def main(path):
    table = read_log(path)
    print(table["vmaf"].describe(percentiles=[0.01, 0.05, 0.5]))
    print(table.nsmallest(3, "vmaf"))


if __name__ == "__main__":
    main(*sys.argv[1:])
