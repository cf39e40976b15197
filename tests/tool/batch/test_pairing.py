#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""pair index and pair time: a video that lacks a frame in the middle is refused by index, or misjudged where its
counts are equal; by time, its scores are those of a reference that lacks the frame, too. Chunks are refused.

    test_pairing.py TOOL [--ffmpeg FFMPEG_WITH_FILTER]      without it: only what is refused
"""
import csv
import json
import re
import shlex
import subprocess
import sys

import lab

LOST = 13  # the frame that is missing


def make(table, name, source, filters, *words):
    path = table.folder / name
    lab.ffmpeg("-i", source, "-vf", filters, "-fps_mode", "passthrough", "-c:v", "ffv1", *words, path)
    return path


def clips(table):
    """A reference; a distorted video without a frame; the same with one more at the end; a reference without it."""
    reference = table.reference(seconds=0.8)
    lost = f"select=not(eq(n\\,{LOST}))"
    longer = make(table, "longer.mkv", reference, "tpad=stop=1:stop_mode=clone,avgblur=1")
    return {"ref": reference, "short": make(table, "short.mkv", reference, f"avgblur=1,{lost}"),
            "even": make(table, "even.mkv", longer, f"{lost}"), "equal": make(table, "equal.mkv", reference, lost),
            "late": make(table, "late.mkv", reference, f"avgblur=1,{lost}", "-output_ts_offset", "1000")}


def check_named(table, found, said):
    """The command that is named finds the frames that belong together."""
    named = re.search(r'"(\S*(?:vmaf_gpu --pair auto|ffmpeg -i) .*)" looks for it', said)
    lab.expect("24 frames" in said and "23" in said and named is not None, "index and another number of frames", said)
    words = shlex.split(named[1])
    lab.expect(("-lavfi" in words) == (len(table.programs) > 2), "the filter, where it is", words)
    done = subprocess.run([*words[:1], *(["-nostdin"] if "-lavfi" in words else []), *words[1:]], capture_output=True,
                          text=True, check=False)
    if "-lavfi" not in words:
        lab.expect(done.returncode == 0, "the command that is named", done.stderr)
        return
    least = table.run("score", found["short"], found["ref"], "--frames", "min", "--devices", "cpu", "--work", table.work(),
                      *table.programs)[1]
    lab.expect(done.returncode == 0 and float(done.stderr.split("VMAF score: ")[1].split()[0]) > float(least.split("vmaf: ")[1].split()[0]) + 3,
               "the command that is named", (done.stderr, least))


def check_refused(table, found):
    pair = {"id": "p", "ref": found["ref"], "dis": found["short"]}
    said = table.run("plan", table.manifest(pair), table.work(), *table.programs, status=65)[1]
    check_named(table, found, said)
    pair["pair"] = "time"
    for more, words, told in (({"trim": "0:9"}, [], "trim counts frames"), ({}, ["--frames-per-task", "8"], "into chunks"),
                              ({}, ["--runner", "tool"], "by the filter"), ({"pair": "auto"}, [], "index or time")):
        said = table.run("plan", table.manifest({**pair, **more}), table.work(), *table.programs, *words, status=64)[1]
        lab.expect(told in said, f"{more} {words}", said)


def check_score(table, found):
    expected = table.whole(make(table, "short2.mkv", found["short"], "null"), found["equal"])
    for name, unpaired in ("short", (0, 1)), ("late", (0, 1)), ("even", (1, 1)):
        log, work = table.folder / "log.csv", table.work()
        said = table.run("score", found[name], found["ref"], "--pair", "time", "--format", "csv", "--precision", "max",
                         "-o", log, "--work", work, "--devices", "cpu", *table.programs)[1]
        lab.expect(log.read_text() == expected, f"{name}: the scores of a reference that lacks the frame", "other scores")
        line = json.loads((work / "results.jsonl").read_text())
        lab.expect(line["frames"] == 23 and line["pairing"]["rule"] == "time" and line["chunks"] == 1, "the line", line)
        lab.expect(f"23 pairs by time; without partner: {unpaired[0]} of " in said and
                   f"and {unpaired[1]} of 24 reference frames" in said, f"{name}: frames without a partner", said)
    table.merge(work)
    said = table.run("score", found["even"], found["ref"], "--devices", "cpu", "--work", table.work(), *table.programs)[1]
    by_number = float(said.split("vmaf: ")[1].split()[0])
    lab.expect(by_number < line["pooled"]["vmaf"]["mean"] - 3, "index misjudges it", (by_number, line["pooled"]["vmaf"]))


def check_ladder(table, found):
    """Renditions with other frames, in one task, beside pairs by number."""
    output, work = table.folder / "ladder.csv", table.work()
    table.run("ladder", found["ref"], found["short"], found["even"], found["ref"], "--pair", "time", "-o", output, "--work",
              work, "--devices", "cpu", *table.programs)
    plan = json.loads((work / "plan.json").read_text())
    lab.expect([len(task["members"]) for task in plan["tasks"]] == [3], "one task", plan["tasks"])
    rows = {row["id"]: float(row["vmaf"]) for row in csv.DictReader(output.open())}
    lab.expect(rows["short"] == rows["even"] < rows["ref"], "scores of the renditions", rows)
    work = table.work()
    pairs = [{"id": name, "ref": found["ref"], "dis": found[name], "pair": rule} for name, rule in
             (("short", "time"), ("even", "index"))]
    table.run("plan", table.manifest(*pairs), work, *table.programs)
    table.submit(work)
    table.merge(work)
    lab.expect((work / "results" / "short.csv").exists() and (work / "results" / "even.csv").exists(), "both rules")


def main():
    options = lab.options()
    with lab.prepared(options.tool, options.ffmpeg) as table:
        found = clips(table)
        check_refused(table, found)
        if options.ffmpeg:
            check_score(table, found)
            check_ladder(table, found)
    return lab.finish("pairing", 20 if options.ffmpeg else 10)


if __name__ == "__main__":
    sys.exit(main())
