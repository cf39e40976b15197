#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Print the expected numbers of test_predict.cpp's synthetic collection.

A second, plain implementation of prediction, in Python: no built-in model is a
collection, so the test makes one of vmaf_v0.6.1 with rho changed by kShift[j],
and this script says what must come out. Run by hand when the test's inputs
change; the published collection's own vectors need a file that is not here.
"""
import json
import math
import os

SHIFTS = ["-0.031", "0.012", "-0.004", "0.027", "-0.018", "0.033", "0.0007", "-0.0251"]
ROWS = [
    [0, 0, 0, 0, 0, 0],
    [0.97, 0, 0.6, 0.9, 0.94, 0.96],
    [0.9, 12.345678901234567, 0.45, 0.8, 0.86, 0.9],
    [1, 0, 1, 1, 1, 1],
    [2, 50, 2, 2, 2, 2],
]


def load():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "models", "vmaf_v0.6.1.json"),
              encoding="ascii") as file:
        return json.load(file)["model_dict"]


def raw(model, rho, row):
    slopes, intercepts = model["slopes"], model["intercepts"]
    x = [slopes[i + 1] * value + intercepts[i + 1] for i, value in enumerate(row)]
    header, vectors = model["model"].split("SV\n", 1)
    gamma = float(dict(line.split(" ", 1) for line in header.splitlines())["gamma"])
    total = 0.0
    for line in vectors.splitlines():
        words = line.split()
        sparse = {int(i): float(v) for i, v in (word.split(":") for word in words[1:])}
        distance = 0.0
        for i, value in enumerate(x):
            delta = value - sparse.get(i + 1, 0.0)
            distance = distance + delta * delta
        total = total + float(words[0]) * math.exp(-gamma * distance)
    return (total - rho - intercepts[0]) / slopes[0]


def finish(model, y, transform, clip):
    if transform:
        t = model["score_transform"]
        z = 0.0
        z = z + t["p0"]
        z = z + t["p1"] * y
        z = z + t["p2"] * y * y
        y = max(z, y)
    if clip:
        low, high = model["score_clip"]
        y = min(max(y, low), high)
    return y


def percentile(values, percent):
    t = percent * (len(values) - 1) / 100
    low, high = math.floor(t), math.ceil(t)
    if low == high:
        return values[low]
    return values[low] * (high - t) + values[high] * (t - low)


def series(model, row, transform, clip):
    base = -1.33133

    def phi(y):
        return finish(model, y, transform, clip)

    members = [raw(model, base + float(shift), row) for shift in SHIFTS]
    total = 0.0
    for y in members:
        total = total + y
    mean = total / len(members)
    squares = 0.0
    for y in members:
        squares = squares + (y - mean) * (y - mean)
    deviation = math.sqrt(squares / len(members))
    slope = (phi(mean + 0.01) - phi(mean - 0.01)) / (2.0 * 0.01)
    members.sort()
    return [phi(raw(model, base, row)), phi(raw(model, base + float(SHIFTS[0]), row)),
            phi(raw(model, base + float(SHIFTS[-1]), row)), phi(mean), deviation * slope,
            phi(percentile(members, 2.5)), phi(percentile(members, 97.5))]


def main():
    model = load()
    for transform, clip in ((False, True), (True, True), (True, False)):
        print(f"// transform {transform}, clip {clip}")
        for row in ROWS:
            print("{" + ", ".join(f"{value:.17g}" for value in series(model, row, transform, clip))
                  + "},")


if __name__ == "__main__":
    main()
