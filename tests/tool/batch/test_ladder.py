#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The plot of a ladder (package matplotlib) and its BD-rate against another (package bjontegaard); without the packages,
what to install is said before anything is scored.

    test_ladder.py TOOL [--all]      --all: without the packages it fails
"""
import csv
import importlib.util
import re
import sys

import lab

sys.path.insert(0, str(lab.PACKAGES))
from vmaf_gpu.batch import files, plan as plans  # noqa: E402
from vmaf_gpu.batch.engines import local  # noqa: E402

RATES = (22, 28, 34, 40)


def need(name, is_demanded):
    if importlib.util.find_spec(name) is not None:
        return True
    lab.expect(not is_demanded, f"the package {name}")
    print(f"SKIPPED: {name} is not installed")
    return False


def check_refused(table, ladder):
    for words, told in (("--plot", "x.gif"), "expected a name that ends in .svg, .png, .pdf"), \
                       (("--plot", table.folder), "is no file"), (("--plot", ladder[1]), "which is read"), \
                       (("--format", "json"), "unrecognized arguments: --format json"):
        said = table.run("ladder", *ladder, *words, *table.programs, "--work", table.work(), status=64)[1]
        lab.expect(told in said, f"{words} is refused", said)
    lab.expect(ladder[1].stat().st_size > 1000, "the rendition is as it was")
    hidden = "sys.modules['matplotlib'] = sys.modules['bjontegaard'] = None\n"
    for words, told in (("--plot", table.folder / "x.svg"), "vmaf-gpu[plot]"), (("--against", ladder[0]), "vmaf-gpu[bdrate]"):
        work = table.work()
        said = table.run("ladder", *ladder, *words, *table.programs, "--work", work, status=64, before=hidden)[1]
        lab.expect(told in said and not work.exists(), f"{words[0]} without its package", said)


def check_plot(table, ladder, work):
    """All points are in the drawing, and drawing again gives the same bytes."""
    for kind, start in ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"):
        path = table.folder / f"plot.{kind}"
        table.run("ladder", *ladder, "--plot", path, "--work", work, *table.programs)
        lab.expect(path.read_bytes().startswith(start), kind, path.read_bytes()[:20])
    text = path.read_text()
    curve = re.search(r'<g id="line2d_\d+">\s*<path d="(M[^"]*)"[^>]*stroke: #1f77b4', text)
    lab.expect(curve and len(re.findall("[ML]", curve[1])) == len(RATES), "the points of the curve", curve and curve[1])
    lab.expect("kbit/s" in text and "ref.mkv" in text, "labels")
    table.run("ladder", *ladder, "--plot", path, "--work", work, *table.programs)
    lab.expect(path.read_text() == text, "the same drawing again")
    path.unlink()
    table.run("ladder", *ladder, "--plot", path, "--work", work, *table.programs, status=141, before=lab.UNREAD)
    lab.expect(path.exists(), "a drawing although nobody reads the table", "none")


def check_bd_rate(table, ladder, work, output, can_plot):
    """Against itself nothing; against a ladder of twice the rates half of the bits."""
    said = table.run("ladder", *ladder, "--against", output, "--work", work, *table.programs)[1]
    lab.expect(re.search(r"^BD-rate \(vmaf\): -?0\.000 %$", said, re.M), "against itself", said)
    rows = list(csv.DictReader(output.open()))
    other = table.folder / "$x_[1].csv"
    with other.open("w") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "kbps": 2 * float(row["kbps"])} for row in rows)
    path = table.folder / "both.svg"
    said = table.run("ladder", *ladder, "--against", other, *(["--plot", path] if can_plot else []), "--work", work,
                     *table.programs)[1]
    lab.expect("BD-rate (vmaf): -50.000 %" in said, "against twice the rates", said)
    lab.expect(not can_plot or other.name in path.read_text() and "this ladder" in path.read_text(), "both in the plot")
    for text in "", "kbps\n1\n", "kbps,vmaf\nx,1\n", "kbps,vmaf\n1\n":
        other.write_text(text)
        said = table.run("ladder", *ladder, "--against", other, "--work", work, *table.programs, status=64)[1]
        lab.expect("cannot be compared" in said, f"a table {text!r}", said)


def check_status(table, ladder):
    """All renditions of a task that runs are under way, although it reports once."""
    work = table.plan(100, *({"ref": ladder[0], "dis": path} for path in ladder[1:3]))
    folder = plans.Folder(work)
    plan = plans.load(folder)
    first, second = plan["tasks"]
    first["members"] += second["members"]
    plan["tasks"] = [first]
    files.write_json(folder.plan, {**plan, "digest": plans.digest(plan)})
    folder.side(first["members"][0]["key"], "progress").write_text("frame=5\n")
    said = table.run("status", work)[1]
    lab.expect("0 of 2 parts, 2 running, 0 failed; 10 of 24 pairs" in said, "two renditions of one task", said)
    pool = local.Pool(work, local.Slots("1", ["cpu"]), [], is_quiet=True)
    folder.side(first["members"][0]["key"], "progress").write_text("frame=8\n")
    pool.began -= 3
    said = "".join(map(str, pool.progress()))
    lab.expect(re.fullmatch(r"16 of 24 frames, (2\.00|1\.\d\d) FPS, 0:00:0\d left; 0 of 2 parts", said), "the line of a pool", said)


def main():
    is_demanded = "--all" in sys.argv
    with lab.prepared() as table:
        ladder = [table.reference(seconds=0.4)]
        for crf in RATES:
            ladder.append(table.folder / f"crf{crf}.mp4")
            lab.ffmpeg("-i", ladder[0], "-c:v", "libx264", "-preset", "ultrafast", "-crf", crf, ladder[-1])
        check_refused(table, ladder)
        check_status(table, ladder)
        work, output = table.work(), table.folder / "ladder.csv"
        table.run("ladder", *ladder, "-o", output, "--work", work, "--devices", "cpu", *table.programs)
        can_plot = need("matplotlib", is_demanded)
        if can_plot:
            check_plot(table, ladder, work)
        if need("bjontegaard", is_demanded):
            check_bd_rate(table, ladder, work, output, can_plot)
    return lab.finish("plot and BD-rate", 15)


if __name__ == "__main__":
    sys.exit(main())
