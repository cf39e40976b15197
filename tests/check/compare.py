# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Judging one backend's results against the plain code's: equal to the last bit or
failed; nothing in between."""
import math
import struct

from cases import word_of


def double_of(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


def show(kind, text):
    return repr(double_of(text)) if kind == "scores" else str(int(text, 16))


def wrong_backend(asked, got):
    """Why a result does not come from the backend that was asked for, or ''."""
    name = asked.split("@")[0]
    if got.get("backend") == name or got.get("selector") == name or \
            str(got.get("selector", "")).split(":")[0] == name:
        return ""
    return f"ran on {got.get('backend')} ({got.get('selector')}) instead of {name}"


def first_difference(job, expected, got):
    """The first row and column that differ, as a dictionary, or None."""
    for frame, (left, right) in enumerate(zip(expected["rows"], got["rows"])):
        for column, name in enumerate(expected["names"]):
            if left[column] == right[column]:
                continue
            where = {"frame": frame, "name": name, "expected": show(job["kind"], left[column]),
                     "got": show(job["kind"], right[column]),
                     "expected_bits": left[column], "got_bits": right[column]}
            if job["kind"] == "sums":
                part = name.split(".")[0] + "."
                words = sum(other.startswith(part) for other in expected["names"])
                where["scale"], where["member"], where["stage"] = word_of(
                    job["feature"], words, name)
            return where
    return None


def not_finite(result):
    for frame, row in enumerate(result["rows"]):
        for column, text in enumerate(row):
            if not math.isfinite(double_of(text)):
                return f"frame {frame}: {result['names'][column]} is {double_of(text)}"
    return ""


def count_differences(expected, got):
    return sum(a != b for left, right in zip(expected["rows"], got["rows"])
               for a, b in zip(left, right))


def shape_fault(job, result):
    """Why a result cannot be read as a table of words, or ''."""
    rows, names = result.get("rows"), result.get("names")
    if not isinstance(rows, list) or not isinstance(names, list) or not names:
        return "no table of results"
    if len(rows) != job["clip"]["frames"]:
        return f"{len(rows)} rows for {job['clip']['frames']} frames"
    for frame, row in enumerate(rows):
        if len(row) != len(names):
            return f"frame {frame}: {len(row)} values for {len(names)} names"
    return ""


def judge(job, asked, expected, got):
    """('equal' | 'refused' | 'failed', why, where)."""
    if expected is None or got is None:
        return "failed", "no result" if got is None else "no reference", None
    if "error" in expected:
        if got.get("error") and got.get("code") == expected.get("code"):
            return "refused", expected["error"], None
        return "failed", f"the reference refuses ({expected['error']}), {asked} does not", None
    if "error" in got:
        return "failed", got["error"], None
    for result in (expected, got):
        fault = shape_fault(job, result)
        if fault:
            return "failed", fault, None
    fault = wrong_backend(asked, got)
    if fault:
        return "failed", fault, None
    if got["names"] != expected["names"]:
        missing = [name for name in expected["names"] if name not in got["names"]]
        added = [name for name in got["names"] if name not in expected["names"]]
        return "failed", f"series differ: missing {missing}, not expected {added}", None
    if job["kind"] == "scores":
        for result in (expected, got):
            fault = not_finite(result)
            if fault:
                return "failed", fault, None
    where = first_difference(job, expected, got)
    if where is not None:
        return "failed", f"{count_differences(expected, got)} values differ", where
    return "equal", "", None
