#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Prints words.txt and, in its form, programs of all comparisons.

    comparisons.py words.txt > OUT.txt
"""
import sys
from pathlib import Path

NAN = {"f32": "0x7fc00000", "f64": "0x7ff8000000000000"}
SHORTS, LONGS = ("0x1234fffe", "3", "0x99990004"), ("-0x300000000", "0x200000000", "0x300000000")
REALS = "-2.5", "1.5", "3.5"
# Less, equal and greater than the second value; the upper halves of 16 bits do not count.
VALUES = {"i16": SHORTS, "u16": ("0x99990002", "3", "0x1234fffe"), "i32": ("-2", "3", "4"), "u32": ("2", "3", "-2"),
          "i64": LONGS, "u64": ("0x100000005", "0x200000000", "-0x300000000"),
          "f32": (*REALS, NAN["f32"]), "f64": (*REALS, NAN["f64"])}
# Whether they hold for less, equal, greater, and a NaN.
ORDERED = {"lt": "1000", "eq": "0100", "le": "1100", "gt": "0010", "ge": "0110"}
WHOLE = {**ORDERED, "ne": "101"}
REAL = {**ORDERED, "lg": "1010", "o": "1110", "u": "0001", "nlt": "0111", "nle": "0011", "ngt": "1101", "nge": "1001",
        "nlg": "0101", "neq": "1011"}
SCALAR = {"i32": {**ORDERED, "lg": "101"}, "u32": {**ORDERED, "lg": "101"}, "u64": {"eq": "010", "lg": "101"},
          "f32": {**ORDERED, **{name: REAL[name] for name in ("lg", "neq", "nge", "ngt")}}}
# A value of each class of v_cmp_class_f64, from bit 0 on.
CLASSES = ("0x7ff0000000000001", "0x7ff8000000000000", "-inf", "-1.5", "0x8000000000000001", "0x8000000000000000", "0.0", "1",
           "1.5", "inf")


def rows(kind, predicates, letter):
    """Each predicate of a type: its name, two operands, what they hold, whether it is true."""
    first, second = (f"{letter}[{n}:{n + 1}]" if kind.endswith("64") else f"{letter}{n}" for n in (2, 4))
    for name, truth in predicates.items():
        for value, digit in zip(VALUES[kind], truth):
            yield f"{name}_{kind}", f"{first}, {second}", f"{first}={value} {second}={VALUES[kind][1]}", digit == "1"


def main(path):
    print(Path(path).read_text(), end="")
    masks = "0", "all"
    for kind in VALUES:
        for name, operands, before, is_true in rows(kind, REAL if kind in NAN else WHOLE, "v"):
            print(f"*: v_cmp_{name} MASK6, {operands} | {before} mask6={masks[not is_true]} | mask6={masks[is_true]}")
            print(f"10-: v_cmpx_{name} {operands}; v_mov_b32 v0, 1 | v0=0 {before} | v0={is_true:d} exec={masks[is_true]}")
    for kind, predicates in SCALAR.items():
        for name, operands, before, is_true in rows(kind, predicates, "s"):
            print(f"{12 if kind == 'f32' else '*'}: s_cmp_{name} {operands} | {before} scc={not is_true:d} | scc={is_true:d}")
    for bit, value in enumerate(CLASSES):
        for mask, is_true in (1 << bit, True), (1023 ^ 1 << bit, False):
            before, word = f"v[2:3]={value} v4={mask}", "class_f64"
            print(f"*: v_cmp_{word} MASK6, v[2:3], v4 | {before} mask6={masks[not is_true]} | mask6={masks[is_true]}")
            print(f"10-: v_cmpx_{word} v[2:3], v4; v_mov_b32 v0, 1 | v0=0 {before} | v0={is_true:d} exec={masks[is_true]}")


if __name__ == "__main__":
    main(sys.argv[1])
