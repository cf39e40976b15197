#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Read the logs back with parsers that are not ours: parse_logs.py UNIT_BINARY

Runs the unit test ReportForParsers.WritesLogs, which leaves one history in all
formats in $VMAFGPU_LOG_FOLDER, and compares what Python's json, csv and
XML readers make of them with the values they were made from.
"""
import csv
import html.parser
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

NAMES = ["integer_adm2", "a,\"b\" <c> & d", "name with ü"]
VALUES = {0: [0.96208412, 1 / 3, 84.50786657180393], 7: [-1e-9, 1e15, float("nan")]}


def same(a, b):
    return a == b or (a != a and b != b)


def check(what, got, wanted):
    if len(got) != len(wanted) or not all(same(a, b) for a, b in zip(got, wanted)):
        raise SystemExit(f"{what}: got {got}, not {wanted}")


def check_json(path):
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    check("json frames", [f["frameNum"] for f in log["frames"]], list(VALUES))
    for frame in log["frames"]:
        values = [frame["metrics"][name] for name in NAMES]
        check("json", [float("nan") if v is None else v for v in values],
              VALUES[frame["frameNum"]])
    check("json pooled", list(log["pooled_metrics"]), NAMES)
    check("json counts", [log["repeated_main"], log["repeated_reference"]], [5, 0])


def check_xml(path):
    root = ElementTree.parse(path).getroot()
    params = root.find("params").attrib
    check("xml size", [params["qualityWidth"], params["qualityHeight"]], ["576", "324"])
    for frame in root.find("frames"):
        number = int(frame.attrib.pop("frameNum"))
        check("xml", [float(v) for v in frame.attrib.values()], VALUES[number])
    check("xml frames", [len(root.find("frames"))], [len(VALUES)])
    check("xml text", root.find("incomplete").attrib["reason"], "cut \ufffd\ufffd\ufffd")
    check("xml pooled", [m.attrib["name"] for m in root.find("pooled_metrics")], NAMES)


def check_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    check("csv head", rows[0], ["Frame"] + NAMES + [""])
    for row in rows[1:]:
        check("csv", [float(v) for v in row[1:-1]], VALUES[int(row[0])])
    check("csv rows", [len(rows)], [1 + len(VALUES)])


def check_sub(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line, (number, values) in zip(lines, VALUES.items()):
        start = f"{{{number}}}{{{number + 1}}}frame: {number}|"
        if not line.startswith(start):
            raise SystemExit(f"sub: {line!r} does not begin with {start!r}")
        fields = [field.rsplit(": ", 1) for field in line[len(start):].split("|")[:-1]]
        check("sub names", [name for name, _ in fields], NAMES)
        check("sub", [float(value) for _, value in fields], values)
    check("sub lines", [len(lines)], [len(VALUES)])


class Page(html.parser.HTMLParser):
    """Checks that tags nest and that nothing points outside; collects table cells."""
    VOID = {"meta"}

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.curves = [], [], 0

    def handle_starttag(self, tag, attrs):
        if {"href", "src", "xlink:href", "onload"} & {name for name, _ in attrs}:
            raise SystemExit(f"html: <{tag} {attrs}> refers to something else")
        self.curves += tag == "svg"
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise SystemExit(f"html: </{tag}> at {self.getpos()} closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def check_html(path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    check("html open tags", page.open, [])
    check("html curves", [page.curves], [len(NAMES) + 1])  # curves, and a histogram
    count = len(VALUES)
    worst = page.rows[1:1 + count]
    features = page.rows[2 + count:2 + 2 * count]
    pooled = {row[0]: row[1:] for row in page.rows[3 + 2 * count:]}
    check("html pooled", sorted(pooled), sorted(NAMES))
    check("html min of the first", [float(pooled[NAMES[0]][2])], [VALUES[7][0]])
    check("html worst", [[int(row[0]), row[1]] for row in worst], [[7, "–"], [0, "0:00:12.500"]])
    for row, more in zip(worst, features):
        check("html worst values", [float(value) for value in row[2:] + more[2:]],
              [VALUES[int(row[0])][i] for i in (2, 0, 1)])
        check("html worst frames", row[:2], more[:2])


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "--gtest_filter=ReportForParsers.WritesLogs"], check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, VMAFGPU_LOG_FOLDER=folder))
        for name, function in (("json", check_json), ("xml", check_xml), ("csv", check_csv),
                               ("sub", check_sub), ("html", check_html)):
            function(os.path.join(folder, "log." + name))


if __name__ == "__main__":
    main()
