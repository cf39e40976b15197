#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""`vmaf_gpu report`: figures are read back from the page (cells, curves, plot, texts under the
pointer) and compared with the logs. Made-up logs: three encodes, scores beyond 100, two hours.

    test_report.py TOOL [--keep FOLDER] [unittest options]

FOLDER gets the pages, to be looked at.
"""
import html.parser
import json
import os
import re
import sys
import unittest

import runs

TOOL = sys.argv[1]
KEEP = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == "--keep" else None
OPTIONS = sys.argv[4 if KEEP else 2:]
FPS = 25
METHODS = ["mean", "harmonic mean", "min", "1 %", "5 %", "10 %", "20 %", "max"]


class Page(html.parser.HTMLParser):
    """Elements in the order of their ends: tag, attrs, text, children."""
    VOID = {"meta", "input"}

    def __init__(self, text):
        super().__init__()
        self.stack, self.all = [], []
        self.feed(text)
        self.close()
        assert not self.stack, self.stack

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not {"href", "src", "onload"} & set(attrs), f"<{tag} {attrs}> refers to more"
        assert tag != "script"
        if tag not in self.VOID:
            self.stack.append({"tag": tag, "attrs": attrs, "text": "", "children": []})
            if len(self.stack) > 1:
                self.stack[-2]["children"].append(self.stack[-1])

    def handle_endtag(self, tag):
        element = self.stack.pop()
        assert element["tag"] == tag, f"</{tag}> closes <{element['tag']}>"
        self.all.append(element)

    def handle_data(self, data):
        if self.stack:
            self.stack[-1]["text"] += data

    def find(self, tag, style=None):
        return [e for e in self.all if e["tag"] == tag and
                (style is None or e["attrs"].get("class") == style)]

    def charts(self):
        return {svg["attrs"]["aria-label"]: Chart(svg) for svg in self.find("svg")}


class Chart:
    """Turns places of the drawing back into values, by the ticks of its axes."""

    def __init__(self, svg):
        self.parts = svg["children"]
        texts = [part for part in self.parts if part["tag"] == "text"]
        kind = lambda part: part["attrs"]["class"].split()[1]
        self.x = self.axis([(float(t["attrs"]["x"]), float(t["text"].split(" · ")[0]))
                            for t in texts if kind(t) == "x"])
        self.y = self.axis([(float(t["attrs"]["y"]) - 4, float(t["text"]))
                            for t in texts if kind(t) == "y"])
        self.height = float(svg["attrs"]["viewbox"].split()[3])

    @staticmethod
    def axis(ticks):
        (a, low), (b, high) = ticks[0], ticks[-1]
        return lambda place: low + (place - a) / (b - a) * (high - low)

    def curves(self):
        """Returns the points of each curve as (frame, value)."""
        result = []
        for part in self.parts:
            if part["tag"] != "path" or part["attrs"]["class"] == "band":
                continue
            points = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", part["attrs"]["d"])
            for x, y in points:
                assert 0 <= float(x) <= 1000 and 0 <= float(y) <= self.height, (x, y)
            result.append([(self.x(float(x)), self.y(float(y))) for x, y in points])
        return result

    def marks(self):
        """What the pointer can be over, and the lines that it then shows."""
        return [(mark, [line["text"] for line in tip["children"]])
                for mark, tip in (part["children"] for part in self.parts if part["tag"] == "g")]

    def tips(self):
        return [lines for _, lines in self.marks()]


def make_log(scores, model="vmaf_v0.6.1", digest="0", title=None, extra=None):
    times = [i / FPS for i in range(len(scores))]
    run = {"version": "0", "backend": "cpu", "device": "none", "width": 1920, "height": 1080,
           "depth": 8, "chroma": "4:2:0", "compat": "3.2", "subsample": 1,
           "models": [{"name": "vmaf", "source": model, "digest": digest * 64, "options": {}}],
           "features": [], "warnings": extra or []}
    if title:
        run["title"] = title
    return {"version": "0", "fps": 1, "frames": [
        {"frameNum": i, "metrics": {"integer_adm2": score / 100, "vmaf": score}, "time": time}
        for i, (score, time) in enumerate(zip(scores, times))],
            "pooled_metrics": {}, "aggregate_metrics": {}, "schema_version": 1, "vmaf_gpu": run}


def wave(base, count):
    return [base + (i * 37 % 100) / 20 for i in range(count)]


class Report(runs.Case):
    program, options = TOOL, ("report",)

    def path(self, name, log=None):
        if log is None:
            return super().path(name)
        return super().path(name, (log if isinstance(log, str) else json.dumps(log)).encode())

    def page(self, name, *args):
        path = self.path(name)
        self.run_tool(*args, "-o", path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if KEEP:
            with open(os.path.join(KEEP, name), "w", encoding="utf-8") as file:
                file.write(text)
        return Page(text), text

    def check_curve(self, points, scores, tolerance):
        self.assertEqual(len(points), len(scores))
        for i, (frame, value) in enumerate(points):
            self.assertAlmostEqual(frame, i, delta=0.02 * len(scores))
            self.assertAlmostEqual(value, scores[i], delta=tolerance)

    def rows(self, page):
        table = next(t for t in page.find("table") if "class" not in t["attrs"])
        return [["".join(e["text"] for e in (cell, *cell["children"])).strip() for cell in row["children"]]
                for row in table["children"]]

    def facts(self, page):
        (table,) = page.find("table", "facts")
        return [[cell["text"] for cell in row["children"]] for row in table["children"]]

    def test_three_encodes(self):
        scores = {name: wave(base, 300) for name, base in (("low", 70), ("mid", 84), ("high", 94))}
        logs = [self.path(f"{name}.json", make_log(scores[name], title=name)) for name in scores]
        page, text = self.page("three.html", *logs, "--rates", "800,2000,6000.5", "--title", "a & b")
        self.assertEqual([e["text"] for e in page.find("h1")], ["a & b"])
        self.assertEqual(page.find("ul"), [])
        head, *rows = self.rows(page)
        self.assertEqual(head, ["log", "kbit/s", "frames"] + METHODS)
        for row, (name, values), rate in zip(rows, scores.items(), (800, 2000, 6000.5)):
            self.assertEqual([row[0], float(row[1]), int(row[2])], [name, rate, 300])
            self.assertAlmostEqual(float(row[3]), sum(values) / 300, delta=1e-6)
            self.assertAlmostEqual(float(row[5]), min(values), delta=1e-6)
            self.assertAlmostEqual(float(row[10]), max(values), delta=1e-6)
        self.assertEqual(len(rows), 3)
        charts = page.charts()
        self.assertEqual(set(charts), {"vmaf over time", "vmaf over kbit/s"})
        curves = charts["vmaf over time"].curves()
        self.assertEqual(len(curves), 3)
        for curve, values in zip(curves, scores.values()):
            self.check_curve(curve, values, 0.05)
        tips = charts["vmaf over time"].tips()
        self.assertEqual(len(tips), 300)
        self.assertEqual(tips[7],
                         ["frame 7, 0:00:00.280"] +
                         [f"{name}: {values[7]:.6f}" for name, values in scores.items()])
        plot = charts["vmaf over kbit/s"]
        dots = [mark["attrs"] for mark, _ in plot.marks()]
        for dot, values, rate in zip(dots, scores.values(), (800, 2000, 6000.5)):
            self.assertAlmostEqual(plot.x(float(dot["cx"])), rate, delta=1)
            self.assertAlmostEqual(plot.y(float(dot["cy"])), sum(values) / 300, delta=0.05)
        self.assertEqual([t.split(":")[0] for (t,) in plot.tips()], list(scores))
        self.assertEqual([row.count("checked") for row in text.split("</tr>") if "<input" in row], [1, 1, 1])

    def test_beyond_100(self):
        scores = wave(104, 200)
        page, _ = self.page("beyond.html", self.path("a.json", make_log(scores)))
        self.check_curve(page.charts()["vmaf over time"].curves()[0], scores, 0.05)
        flat = [110.0] * 50
        page, _ = self.page("flat.html", self.path("b.json", make_log(flat)))
        self.check_curve(page.charts()["vmaf over time"].curves()[0], flat, 0.05)

    def test_feature(self):
        """A log without models is about its series, whose values may be below 0."""
        logs = []
        for name, values in ("a", [80.5, -1600.25, 12.0]), ("b", [90.0, 91.0, 92.0]):
            log = make_log(values)
            log["vmaf_gpu"]["models"] = []
            for frame, value in zip(log["frames"], values):
                frame["metrics"] = {"ssimulacra2": value}
            logs.append(self.path(f"{name}.json", log))
        page, _ = self.page("feature.html", *logs)
        self.assertEqual([e["text"] for e in page.find("h1")], ["ssimulacra2 report"])
        _, first, second = self.rows(page)
        self.assertEqual(first[3:6], ["-502.583333", "–", "-1600.250000"])
        self.assertEqual(second[3:6], ["91.000000", "90.992753", "90.000000"])
        self.check_curve(page.charts()["ssimulacra2 over time"].curves()[0], [80.5, -1600.25, 12.0], 10)

    def test_two_hours(self):
        scores = wave(80, 2 * 3600 * FPS)
        scores[100000] = 3.0
        page, text = self.page("film.html", self.path("a.json", make_log(scores)))
        self.assertLess(len(text), 300000)
        tips = page.charts()["vmaf over time"].tips()
        self.assertEqual(len(tips), 460)
        found = [t for (t,) in tips if "(3.000000 to" in t]
        self.assertEqual(len(found), 1)
        first, last = map(int, re.match(r"frame (\d+) to (\d+),", found[0]).groups())
        self.assertTrue(first <= 100000 <= last)
        ticks = [t["text"] for t in page.charts()["vmaf over time"].parts if t["tag"] == "text"]
        self.assertIn("100000 · 1:06:40", ticks)
        # A narrow screen shows only these; the others are "tick x minor".
        kept = [t["text"] for t in page.charts()["vmaf over time"].parts
                if t["attrs"]["class"] == "tick x"]
        self.assertEqual(kept, ["50000 · 0:33:20", "100000 · 1:06:40", "150000 · 1:40:00"])
        self.assertEqual(self.rows(page)[1], ["100000", "1:06:40.000", "3.000000"])

    def test_doubtful_comparisons_are_said(self):
        a = self.path("a.json", make_log(wave(80, 30), extra=["8 bit <or not>"]))
        b = self.path("b.json", make_log(wave(81, 20), model="vmaf_4k_v0.6.1", digest="1"))
        page, _ = self.page("doubt.html", a, b, "--labels", "x,y")
        self.assertEqual([e["text"] for e in page.find("li")], [
            "The scores vmaf were computed by different models or options.",
            "y has 20 scored frames, x has 30.", "x: 8 bit <or not>"])
        self.assertNotIn("vmaf over kbit/s", page.charts())

    def test_what_all_have_is_said_once(self):
        logs = [make_log(wave(base, 30)) for base in (80, 81, 82)]
        paths = [self.path(f"{i}.json", log) for i, log in enumerate(logs)]
        wanted = ["model vmaf: vmaf_v0.6.1 (digest 000000000000)", "pictures: 1920×1080, 8 bit", "computed as: libvmaf 3.2",
                  "computed on: cpu (none)"]
        page, _ = self.page("alike.html", *paths)
        self.assertEqual(self.facts(page), [["all", "; ".join(wanted)]])
        logs[1]["vmaf_gpu"]["device"] = "other"
        self.path("1.json", logs[1])
        page, _ = self.page("unlike.html", *paths)
        self.assertEqual(self.facts(page), [["all", "; ".join(wanted[:3])], ["0.json", wanted[3]],
                                            ["1.json", "computed on: cpu (other)"], ["2.json", wanted[3]]])

    def test_incomplete_log_is_said(self):
        log = make_log(wave(80, 30))
        log["incomplete"] = "No <memory>"
        page, _ = self.page("incomplete.html", self.path("a.json", log))
        self.assertEqual([e["text"] for e in page.find("p", "amber")], ["Incomplete: No <memory>"])
        page, _ = self.page("two.html", self.path("a.json", log), self.path("b.json", make_log(wave(80, 30))))
        self.assertEqual([e["text"] for e in page.find("li")], ["a.json: incomplete: No <memory>"])

    def test_log_of_libvmaf(self):
        log = make_log([90.5, 91.5])
        for key in ("schema_version", "vmaf_gpu"):
            del log[key]
        for frame in log["frames"]:
            del frame["time"]
        path = self.path("name <1>.json", log)
        page, _ = self.page("libvmaf.html", path, path)
        self.assertEqual(self.rows(page)[1][:4], ["name <1>.json", "–", "2", "91.000000"])
        page, text = self.page("one.html", path)
        self.assertEqual(page.find("table", "facts"), []) # nothing is known of it
        self.assertNotIn("0×0", text)
        log["frames"][1]["metrics"]["vmaf"] = None
        page, _ = self.page("nan.html", self.path("nan.json", log))
        self.assertIn("frame 1: not a finite number below 1e15",
                      [t for (t,) in page.charts()["vmaf over time"].tips()])

    def test_faults(self):
        good = self.path("good.json", make_log([90, 91]))
        page = ["-o", self.path("page.html")]
        frame = {"frameNum": 0, "metrics": {"vmaf": 1}}
        cases = [
            ([], "needed"), ([good], "needed"), (page, "needed"),
            (["/no/such.json", *page], "/no/such.json"),
            ([self.path("empty.json", ""), *page], "empty"),
            ([self.path("text.json", "{"), *page], "not a JSON log"),
            ([self.path("list.json", "[1]"), *page], "no frames"),
            ([self.path("none.json", {"frames": []}), *page], "no frame was scored"),
            ([self.path("bare.json", {"frames": [{"metrics": {"vmaf": 1}}]}), *page], "frameNum"),
            ([self.path("twice.json", {"frames": [frame, frame]}), *page], "out of order"),
            ([good, good, "--rates", "1", *page], "--rates"),
            ([good, "--rates", "-1", *page], "-1"), ([good, "--rates", "nan", *page], "nan"),
            ([good, "--labels", "a,b", *page], "--labels"),
            ([good] * 17 + page, "16"), ([good, "-o", "/no/such/page.html"], "/no/such/page.html"),
            ([self.folder, *page], self.folder),
        ]
        for args, expected in cases:
            _, text = self.run_tool(*args, code=1)
            self.assertIn(expected, text, args)
            self.assertFalse(os.path.exists(page[1]), args)
        self.assertIn("--rates", self.run_tool("--help")[0])


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *OPTIONS], exit=False)
    if program.result.testsRun == 0:
        sys.exit("no test was selected")
    sys.exit(0 if program.result.wasSuccessful() else 1)
