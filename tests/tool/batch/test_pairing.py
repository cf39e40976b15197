#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""pair auto, index and time: a video that lacks a frame in the middle is refused by index, or misjudged where its
counts are equal; by auto and by time, its scores are those of a reference that lacks the frame, too. Chunks are refused
but where the times say that auto would pair the n-th frames. Warnings of inputs are in the results as `plan` prints them.

    test_pairing.py TOOL [--ffmpeg FFMPEG_WITH_FILTER]      without it: only what is refused
"""
import csv
import json
import re
import shutil
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
            "same": make(table, "same.mkv", reference, "null"), "later": make(table, "later.mkv", reference, "trim=start_frame=4"),
            "late": make(table, "late.mkv", reference, f"avgblur=1,{lost}", "-output_ts_offset", "1000")}


def check_refused(table, found):
    pair = {"id": "p", "ref": found["ref"], "dis": found["short"], "pair": "index"}

    def plan(more, words, status):
        return table.run("plan", table.manifest({**pair, **more}), table.work(), *table.programs, *words, status=status)[1]

    said = plan({}, [], 65)
    lab.expect("24 frames" in said and "23" in said and "pair auto finds" in said and "--frames min scores the first 23" in said,
               "index and another number of frames", said)
    for more, words, told in (({"pair": "time", "trim": "0:9"}, [], "trim counts frames"),
                              ({"offset": 1, "trim": "0:9"}, [], "trim counts frames"),
                              ({"pair": "time"}, ["--frames-per-task", "8"], "into chunks"),
                              ({"pair": "auto"}, ["--frames-per-task", "8"], "main has 23 frames, reference 24; pair auto cannot be cut"),
                              ({"offset": 1}, ["--frames-per-task", "8"], "offset cannot be cut into chunks"),
                              ({}, ["--frames-per-task", "11", "--strict"], "use --frames-per-task 12 or more"),
                              ({"pair": "time"}, ["--runner", "tool"], "by the filter"),
                              ({"pair": "auto"}, ["--runner", "tool"], "main has 23 frames, reference 24; pair auto is done by the filter"),
                              ({"pair": "nearest"}, [], "auto, time or index"), ({"offset": "x"}, [], "a whole number, or auto")):
        said = plan(more, words, 64)
        lab.expect(told in said, f"{more} {words}", said)


def score(table, found, name, *words, status=0):
    """The log, the line of results and what is said."""
    log, work = table.folder / "log.json", table.work()
    log.unlink(missing_ok=True)
    said = table.run("score", found[name], found["ref"], *words, "--precision", "max", "-o", log, "--work", work, "--devices", "cpu",
                     *table.programs, status=status)[1]
    return (json.loads(log.read_text()), json.loads((work / "results.jsonl").read_text()), said) if status == 0 else said


def of_pairs(line):
    """The warnings of a line without that of these small pictures."""
    return [text for text in line["warnings"] if not text.startswith("the pictures are 160x96, but model ")]


def check_by_number(table, found):
    """No filter is needed: --frames min counts the frames of both videos; --offset says which frames meet."""
    whole = score(table, found, "same", "--runner", "tool")
    lab.expect(whole[1]["pairing"]["rule"] == "index" and of_pairs(whole[1]) == [], "auto where times agree", whole[1])
    for runner in ("tool", "filter") if len(table.programs) > 2 else ("tool",):
        for size in (), ("--frames-per-task", "12"):
            log, line, said = score(table, found, "short", "--frames", "min", "--runner", runner, *size)
            told = "main ends 1 frame (0.033 s) before reference: that frame is not in the score"
            counts = [log["pairing"][key] for key in ("pairs", "main_frames", "reference_frames")]
            lab.expect(counts == [23, 23, 24] and of_pairs(line) == [told] and f"warning: {told}" in said, f"{runner} {size}: min",
                       (counts, line["warnings"], said))
            said = score(table, found, "short", "--frames", "min", "--runner", runner, "--strict", *size, status=65)
            lab.expect(f"strict: {told}" in said, f"{runner} {size}: strict", said)
        log, line, said = score(table, found, "later", "--offset", "4", "--pair", "index", "--runner", runner)
        # The first pair has no motion here.
        lab.expect((log["pairing"]["offset"], line["frames"], [frame["metrics"]["vmaf"] for frame in log["frames"][1:]]) ==
                   (4, 20, [frame["metrics"]["vmaf"] for frame in whole[0]["frames"][5:]]), f"{runner}: offset", line)


def check_warnings(table, found):
    """What plan says of inputs is in the results and logs of each pair, once, whichever program scored them; score says it
    once. The second pair has the parts of the first one."""
    odd, copy = make(table, "odd.mkv", found["same"], "setsar=4/3", "-map", "0", "-map", "0"), table.folder / "odd copy.mkv"
    shutil.copyfile(odd, copy)
    pairs = [{"id": name, "ref": found["ref"], "dis": path} for name, path in (("odd", odd), ("copy", copy))]
    for runner in ("tool", "filter") if len(table.programs) > 2 else ("tool",):
        work = table.work()
        said = table.run("plan", table.manifest(*pairs), work, "--frames-per-task", "8", "--runner", runner, *table.programs)[1]
        table.submit(work)
        merged = table.run("merge", work, *table.programs, "--formats", "json,html")[1]
        lab.expect(f"2 pairs: {work}/results.jsonl, and in json, html {work}/results\n" in merged, f"{runner}: where results are", merged)
        for line in map(json.loads, (work / "results.jsonl").read_text().splitlines()):
            told = re.findall(rf"^vmaf-gpu: {line['id']}: warning: (.*)", said, re.M)
            lab.expect(len(told) == 3 and any("several video streams" in text for text in told), f"{runner}: what plan says", said)
            log = json.loads((work / "results" / f"{line['id']}.json").read_text())["vmaf_gpu"]["warnings"]
            again = re.findall(rf"^vmaf-gpu: {line['id']}: warning: (.*)", merged, re.M)
            lab.expect(line["warnings"] == told and log == told and again == told, f"{runner} {line['id']}: the plan's warnings, once",
                       (told, line["warnings"], log, merged))
            page = (work / "results" / f"{line['id']}.html").read_text()
            lab.expect("several video streams" in page, f"{runner}: the page has them", page[:2000])
        lab.expect(not list((work / "results").glob(".*")), "no copies of parts are left")
        found["odd"] = odd
        log, line, said = score(table, found, "odd", "--runner", runner)
        lab.expect([said.count(text) for text in line["warnings"]] == [1, 1, 1] and log["vmaf_gpu"]["warnings"] == line["warnings"],
                   f"{runner}: score", (said, line["warnings"]))


def check_merged(table, found):
    """What is known when pairs are scored is said by merge."""
    mirrored = make(table, "mirror.mkv", found["same"], "hflip")
    for runner in ("tool", "filter") if len(table.programs) > 2 else ("tool",):
        work = table.plan("auto", {"id": "p", "ref": found["ref"], "dis": mirrored}, words=["--runner", runner])
        table.submit(work)
        said = table.merge(work)[1]
        lab.expect("vmaf-gpu: p: warning: from pair 0 (0.000 s) on, the pictures of 24 pairs do not belong together" in said,
                   f"{runner}: what merge says", said)


def check_search(table):
    """The offset that was found is said."""
    reference = table.reference(seconds=2, name="search.mkv")
    found = {"ref": reference, "cut": make(table, "cut.mkv", reference, "trim=start_frame=4")}
    said = score(table, found, "cut", "--offset", "auto")[2]
    lab.expect("score: --offset auto applied --offset 4\n" in said, "the offset that was found", said)


def check_auto(table, found):
    """Frames meet by times and pictures in one task, and in chunks where the n-th frames belong together."""
    log, line, said = score(table, found, "short")
    lab.expect((line["pairing"]["rule"], line["frames"], line["chunks"]) == ("auto", 23, 1), "a frame is missing", line)
    lab.expect("one task, pair auto: main has 23 frames, reference 24" in said and
               "warning: 1 reference frame has no partner in main, at" in said, "what is said", said)
    log, line, said = score(table, found, "even")
    lab.expect(line["pairing"]["rule"] == "auto" and "one task, pair auto: frame 13 of main is at" in said, "equal counts", said)
    log, line, said = score(table, found, "late")
    lab.expect(line["pairing"]["rule"] == "auto" and line["frames"] == 23, "a late video", line)


def check_pictures(table):
    """Place, and what mends it, over all chunks. A raw stream without times is paired by number, and said."""
    found = {"ref": table.reference(seconds=3, name="long.mkv")}
    found["mirrored"] = make(table, "mirrored.mkv", found["ref"], "hflip")
    found["late"] = make(table, "late90.mkv", found["ref"], "trim=start_frame=10,setpts=PTS-STARTPTS")
    pictures = "warning: from pair 0 (0.000 s) on, the pictures of "
    for runner in ("tool", "filter") if len(table.programs) > 2 else ("tool",):
        for name, size, words in (
                ("mirrored", "30", "90 pairs do not belong together: main is mirrored (FFmpeg's filter hflip mends it)"),
                ("mirrored", "18", "90 pairs do not belong together: main is mirrored (FFmpeg's filter hflip mends it)"),
                ("mirrored", "90", "90 pairs do not belong together: main is mirrored (FFmpeg's filter hflip mends it)"),
                ("late", "80", "80 pairs agree with those that come 10 frames later in reference: use --offset 10")):
            more = ("--frames", "min", "--pair", "index", "--frames-per-task", size, "--runner", runner)
            said = score(table, found, name, *more)[2]
            lab.expect(pictures + words in said, f"{runner} {size}: {name}", said)
        said = score(table, found, "late", *more, "--strict", status=65)
        lab.expect("strict: from pair 0 (0.000 s) on" in said and "use --offset 10)" in said, f"{runner}: strict", said)
    if "libx265" in lab.encoders():
        found["raw"] = table.folder / "raw.hevc"
        lab.ffmpeg("-i", found["ref"], "-c:v", "libx265", "-x265-params", "vui-timing-info=0:log-level=error", found["raw"])
        said = score(table, found, "raw")[2]
        lab.expect("warning: main has 25 frames/s and reference 30, but raw streams have no times: paired by number" in said,
                   "a raw stream", said)
        found["told"] = table.folder / "told.hevc"
        lab.ffmpeg("-i", found["ref"], "-c:v", "libx265", "-x265-params", "log-level=error", found["told"])
        said = score(table, found, "told")[2]
        lab.expect("no times" not in said, "a raw stream whose headers tell its rate", said)
        said = score(table, found, "raw", "--pair", "index")[2]
        lab.expect("raw streams have no times" not in said, "who asks for numbers is not told of times", said)


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
    said = table.run("score", found["even"], found["ref"], "--pair", "index", "--devices", "cpu", "--work", table.work(),
                     *table.programs)[1]
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
        check_by_number(table, found)
        check_warnings(table, found)
        check_merged(table, found)
        check_search(table)
        check_pictures(table)
        if options.ffmpeg:
            check_auto(table, found)
            check_score(table, found)
            check_ladder(table, found)
    return lab.finish("pairing", 60 if options.ffmpeg else 25)


if __name__ == "__main__":
    sys.exit(main())
