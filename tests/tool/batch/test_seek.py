#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Chunks of videos of many codecs and containers: merged scores are those of a run in one piece, to the last
digit, or there is no result. Clips are made here.

    test_seek.py TOOL [--all] [--ffmpeg FFMPEG_WITH_FILTER]
"""
import json
import sys

import lab

# Seeks too late by design: one keyframe back, no second try, and nobody listens to the decoder.
UNDER_SEEK = """
import vmaf_gpu.batch.cuts as cuts, bisect
cuts.BACKS = (2,)
cuts._target = lambda index, first, back, threads: (
    (lambda at: (index["keys"][at], index["count"]) if at > 0 else (-1, -1))(
        bisect.bisect_right(index["keys"], first) - 1))
_make = cuts.make
def make(index, *more):
    pts = index["pts"]
    return _make({**index, "pts": pts + [pts[-1] + 10**9]} if pts else index, *more)
cuts.make = make
cuts.Watch.fault = lambda self: ""
"""


def backs(work):
    """How often each roll-in was used."""
    found = {}
    for path in (work / "parts").glob("*.meta.json"):
        back = json.loads(path.read_text())["back"]
        found[back] = found.get(back, 0) + 1
    return found


def score(table, work, before=""):
    """Tasks and merge until nothing is left to try; None if there is no result."""
    if not (work / "plan.json").exists():
        return None
    for _ in range(3):
        for code, _text in table.tasks(work, status=None, before=before):
            if code not in (0, 65, 70):
                lab.expect(False, "an exit status of a task", code)
        code, text = table.merge(work, status=None)
        if code == 0:
            return (work / "results" / "p.csv").read_text()
        if before:
            return None
    lab.expect(False, "merged", text)
    return None


def check_clip(table, name, sizes):
    made = table.clip(name)
    if made is None:
        print(f"SKIPPED {name}: ffmpeg cannot encode it")
        return
    whole = table.whole(*made)
    for size in sizes:
        work = table.plan(size, {"id": "p", "ref": made[1], "dis": made[0]})
        merged = score(table, work)
        lab.expect(merged == whole, f"{name} in chunks of {size}", backs(work))
        print(f"  {name} {size}: equal {merged == whole}, decoded from 2, 4, 8 keyframes back or 0 (start): {backs(work)}",
              flush=True)


def check_under_seek(table, names, sizes):
    """A worker that seeks too late: reported or right, never wrong."""
    reported = silent = right = 0
    for name in names:
        made = table.clip(name)
        whole = table.whole(*made)
        for size in sizes:
            work = table.plan(size, {"id": "p", "ref": made[1], "dis": made[0]})
            merged = score(table, work, UNDER_SEEK)
            reported += merged is None
            silent += merged not in (None, whole)
            right += merged == whole
    print(f"  planted under-seeks: {reported} reported, {right} right by luck, {silent} silently wrong")
    lab.expect(silent == 0, "silently wrong", silent)
    lab.expect(reported > 0, "reported", reported)


def main():
    options = lab.options(clip={"action": "append"})
    with lab.prepared(options.tool, options.ffmpeg) as table:
        for name in options.clip or (lab.CLIPS if options.all else lab.SHORT):
            check_clip(table, name, (7, 20, 41) if options.all else (23,))
        check_under_seek(table, ("refresh.mp4", "open.ts", "hevc.ts", "open.mp4") if options.all else ("refresh.mp4",),
                         (20, 31) if options.all else (31,))
    return lab.finish("chunks of many kinds of videos", 12)


if __name__ == "__main__":
    sys.exit(main())
