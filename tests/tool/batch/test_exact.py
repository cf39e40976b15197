#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Logs merged from chunks equal the log of one run byte for byte but for fps: models, features, subsampling,
chunks down to one pair; ladders, crops, trims, depths; the environment variables of array jobs.

    test_exact.py TOOL [--all] [--ffmpeg FFMPEG_WITH_FILTER]
"""
import csv
import json
import os
import subprocess
import sys

import lab

LARGE = "288x288"  # least size for CAMBI and SpEED-chroma
CASES = {
    "two models": ({"models": ["vmaf_v0.6.1", "vmaf_v0.6.1neg"]}, (1, 7)),
    "subsample": ({"subsample": 4}, (5,)),
    "hfr": ({"models": ["vmaf_v1.0.16_hfr_3d0h"]}, (7,)),
    "features": ({"features": ["psnr=enable_apsnr=true", "xpsnr"]}, (9,)),
    "no pair beside a chunk": ({"models": [], "features": ["psnr"]}, (9, 100)),
}
MORE = {
    "v1": ({"models": ["vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_5d0h"]}, (1, 8)),
    "v1, subsample": ({"models": ["vmaf_v1.0.16_3d0h"], "subsample": 3}, (4,)),
    "hfr, chunks of one": ({"models": ["vmaf_v1.0.16_hfr_3d0h"]}, (1, 3)),
    "hfr, subsample": ({"models": ["vmaf_v1.0.16_hfr_3d0h"], "subsample": 3}, (5,)),
    "bootstrap": ({"models": ["vmaf_b_v0.6.3"]}, (1, 7)),
    "bootstrap, subsample": ({"models": ["vmaf_b_v0.6.3"], "subsample": 5}, (7,)),
    "old motion": ({"compat": "3.1"}, (6,)),
    "four models": ({"models": ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_b_v0.6.3"]}, (11,)),
}


def tool_words(case):
    """Returns the tool's arguments for a case, written out by hand."""
    models = case.get("models", ["vmaf_v0.6.1"])
    words = [] if models else ["--no_prediction"]
    for model in models:
        words += ["--model", f"version={model}" + (f":name={model}" if len(models) > 1 else "")]
    for feature in case.get("features", []):
        words += ["--feature", feature]
    return [*words, "--subsample", str(case.get("subsample", 1)), "--compat", case.get("compat", "3.2")]


def clips(table):
    reference = table.reference(seconds=1, size=LARGE)
    clip = table.folder / "clip.mp4"
    if not clip.exists():
        lab.ffmpeg("-i", reference, "-c:v", "libx264", "-crf", "32", "-x264-params",
                   "keyint=6:min-keyint=6:scenecut=0:threads=1:bframes=2:open-gop=1", clip)
    return {"id": "p", "ref": reference, "dis": clip}


def whole(table, clip, reference, words, form="json"):
    path = table.folder / f"whole.{form}"
    subprocess.run([table.tool, "-q", "-r", reference, "-d", clip, f"--{form}", "--precision", "max", "-o", path,
                    *words], check=True, timeout=300)
    text = path.read_text()
    for video in reference, clip:  # in advice about the inputs, the plan quotes only what needs it
        text = text.replace(f'-i \\"{video}\\"', f"-i {video}")
    return lab.without_rate(text)


def check_cases(table, cases, form):
    """The filter's JSON says which options it had, so that there the CSV is compared; it has always a model."""
    cases = {what: case for what, case in cases.items() if form == "json" or case[0].get("models") != []}
    for what, (case, sizes) in cases.items():
        pair = {**clips(table), **case}
        expected = whole(table, pair["dis"], pair["ref"], tool_words(case), form)
        for size in sizes:
            work = table.plan(size, pair)
            table.submit(work)
            table.merge(work)
            found = lab.without_rate((work / "results" / f"p.{form}").read_text())
            lab.expect(found == expected, f"{what} in chunks of {size}", "other bytes")
    print(f"  {sum(len(sizes) for _, sizes in cases.values())} logs compared", flush=True)


def check_history(table):
    """A worker that gives the engine fewer pairs than it asks for gets no part."""
    before = ("from vmaf_gpu.batch.programs import Programs\nask = Programs.history\n"
              "Programs.history = lambda self, words: (ask(self, words)[0] - 1, ask(self, words)[1] - {})\n")
    for less in 0, 1:
        work = table.work()
        table.run("plan", table.manifest(clips(table)), work, "--frames-per-task", 10, *table.programs,
                  before=before.format(less))
        statuses = {code for code, _ in table.tasks(work, status=None)}
        lab.expect(statuses - {0}, "too few pairs around a chunk", statuses)
        table.merge(work, status=1)


def check_ladder(table):
    """Each rung has the scores of its own run, scaled as the plan says."""
    pair = clips(table)
    rungs = []
    for size in "288x288", "216x216", "144x144":
        path = table.folder / f"r{size}.mp4"
        lab.ffmpeg("-i", pair["ref"], "-vf", f"scale={size}", "-c:v", "libx264", "-crf", "28", path)
        rungs.append(path)
    work = table.work()
    table.run("ladder", pair["ref"], *rungs, "--work", work, "-o", table.folder / "ladder.csv", "--frames-per-task", 12,
              "--precision", "max", "--devices", "cpu", *table.programs)
    table.merge(work)
    rows = {row["id"]: row for row in csv.DictReader((table.folder / "ladder.csv").open())}
    for path in rungs:
        scaled = table.folder / "scaled.y4m"
        lab.ffmpeg("-i", path, "-vf", "scale=288:288:flags=bicubic+accurate_rnd+bitexact", scaled)
        expected = whole(table, scaled, pair["ref"], [], "csv")
        lab.expect((work / "results" / f"{path.stem}.csv").read_text() == expected, f"rung {path.stem}", "other scores")
        lab.expect(float(rows[path.stem]["kbps"]) > 0, "the rate", rows[path.stem])
    tasks = json.loads((work / "plan.json").read_text())["tasks"]
    together = 3 if "--ffmpeg" in table.programs else 1  # by the filter
    lab.expect(all(len(task["members"]) == together for task in tasks), "rungs are scored together", len(tasks))


def check_pictures(table):
    """Crops, trims, scaled and deeper inputs."""
    pair = clips(table)
    deep = table.folder / "deep.mkv"
    lab.ffmpeg("-i", pair["ref"], "-pix_fmt", "yuv420p10le", "-c:v", "ffv1", deep)
    wide = table.folder / "wide.mkv"
    lab.ffmpeg("-i", pair["dis"], "-vf", "pad=320:310:20:10", "-c:v", "ffv1", wide)
    for what, more, dis, ref in (
            ("trim", {"trim": "5:23"}, ("trim=start_frame=5:end_frame=23", pair["dis"]),
             ("trim=start_frame=5:end_frame=23", pair["ref"])),
            ("crop", {"crop": "288:288:20:10", "dis": wide}, ("crop=288:288:20:10:exact=1", wide), ("null", pair["ref"])),
            ("depth", {"ref": deep, "pix_fmt": "yuv420p10le"}, ("scale=flags=bicubic+accurate_rnd+bitexact,format=yuv420p10le", pair["dis"]),
             ("null", deep)),
            ("display", {"display": "320x240"}, ("scale=320:240:flags=bicubic+accurate_rnd+bitexact", pair["dis"]),
             ("scale=320:240:flags=bicubic+accurate_rnd+bitexact", pair["ref"]))):
        for name, (filters, path) in (("dis.y4m", dis), ("ref.y4m", ref)):
            lab.ffmpeg("-i", path, "-vf", filters, "-fps_mode", "passthrough", "-strict", "-1", table.folder / name)
        expected = whole(table, table.folder / "dis.y4m", table.folder / "ref.y4m", [], "csv")
        work = table.plan(8, {**pair, **more})
        table.submit(work)
        table.merge(work)
        lab.expect((work / "results" / "p.csv").read_text() == expected, what, "other scores")


def check_rates(table):
    """Times that count frames, as in Y4M and AVI, where N / 25 / (1 / 25) is no whole number; and the rate, which xpsnr
    reads, also where the time base is not of it."""
    for dis, ref, codec in ("dis.avi", "ref25.y4m", "mpeg4"), ("dis25.mkv", "ref25.mkv", "ffv1"):
        dis, ref = table.folder / dis, table.folder / ref
        lab.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25,noise=alls=12:allf=t:all_seed=3", "-frames:v", 60, "-pix_fmt",
                   "yuv420p", *([] if ref.suffix == ".y4m" else ["-c:v", "ffv1"]), ref)
        lab.ffmpeg("-i", ref, "-vf", "boxblur=1", "-c:v", codec, dis)
        expected = whole(table, dis, ref, ["--feature", "xpsnr"], "csv")
        # An ffmpeg that has the filter also decodes for the tool.
        for runner in ("tool", "filter") if "--ffmpeg" in table.programs else ("tool",):
            log = table.folder / f"rates-{dis.name}-{runner}.csv"
            table.run("score", dis, ref, "-o", log, "--format", "csv", "--precision", "max", "--feature", "xpsnr", "--devices",
                      "cpu", "--work", table.work(), "--runner", runner, *table.programs)
            lab.expect(log.exists() and log.read_text() == expected, f"{dis.name} by the {runner}", "other scores")


def check_colours(table):
    """What ssimulacra2 reads of the tags, which Y4M does not have: the matrix behind a conversion; HDR and alpha are refused."""
    is_new = "--ffmpeg" in table.programs  # FFmpeg before 7.0 converts nothing
    runner = ["--runner", "tool", "--feature", "ssimulacra2", "--devices", "cpu", *table.programs]
    for name, form, tags, refusal in (("pq", "yuv420p", "color_trc=smpte2084", "made for SDR"),
                                      ("wide", "yuv420p", "color_primaries=bt2020", "made for SDR"),
                                      ("alpha", "yuva444p", "range=tv", "takes no pictures with alpha"),
                                      ("rgb", "gbrp", "colorspace=bt709", "")):
        ref, dis, log, right = (table.folder / f"{name}-{end}" for end in ("ref.mkv", "dis.mkv", "log.csv", "right.csv"))
        lab.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", 3, "-vf", f"format={form},setparams={tags}", "-c:v",
                   "ffv1", ref)
        lab.ffmpeg("-i", ref, "-vf", f"boxblur=1,format={form},setparams={tags}", "-c:v", "ffv1", dis)
        if refusal:
            for which in "tool", *(["filter"] if is_new else []):
                said = table.run("score", dis, ref, "--work", table.work(), *runner, "--runner", which, status=65)[1]
                lab.expect(refusal in said, f"ssimulacra2 of {name} by the {which}", said)
        elif is_new:
            table.run("score", dis, ref, "-o", log, "--format", "csv", "--precision", "max", "--work", table.work(), *runner)
            subprocess.run([table.tool, "-q", "-r", ref, "-d", dis, "--csv", "--precision", "max", "-o", right, "--feature",
                            "ssimulacra2"], check=True, timeout=300,
                           env={**os.environ, "VMAF_GPU_FFMPEG": table.programs[table.programs.index("--ffmpeg") + 1]})
            lab.expect(log.exists() and log.read_text() == right.read_text(), "ssimulacra2 of RGB", "other scores")


def check_failed(table, work):
    """What has failed takes no time."""
    lab.expect("left at this rate" in table.run("status", work)[1], "a part is missing")
    key = json.loads((work / "plan.json").read_text())["tasks"][2]["members"][0]["key"]
    (work / "parts" / f"{key}.error.json").write_text(json.dumps({"schema": "vmaf_gpu.error/1", "code": 65, "text": "x", "tail": "", "id": "p",
                                                                  "begin": 20, "end": 30}))
    said = table.run("status", work)[1]
    lab.expect("1 failed" in said and "left at this rate" not in said, "a part has failed", said)


def check_commands(table):
    """score, the index in the environment, CSV manifests, and what is not done twice."""
    pair = clips(table)
    expected = whole(table, pair["dis"], pair["ref"], [], "csv")
    log = table.folder / "score.csv"
    said = table.run("score", pair["dis"], pair["ref"], "-o", log, "--precision", "max",
                     "--frames-per-task", 11, "--devices", "cpu", "--work", table.work(), *table.programs)[1]
    lab.expect(log.read_text() == expected and "vmaf: " in said, "score", said)
    path = table.folder / "m.csv"
    path.write_text(f"id,ref,dis,models\np,{pair['ref']},{pair['dis']},vmaf_v0.6.1\n")
    work = table.work()
    table.run("plan", path, work, "--frames-per-task", 10, *table.programs)
    for name, number in (("SLURM_ARRAY_TASK_ID", 0), ("JOB_COMPLETION_INDEX", 1), ("AWS_BATCH_JOB_ARRAY_INDEX", 2)):
        if number == 2:
            check_failed(table, work)
        table.run("task", work, *table.programs, env={name: str(number)})
    lab.expect("3 of 3 parts" in table.run("status", work)[1], "status")
    times = {part: part.stat().st_mtime_ns for part in (work / "parts").glob("*.part")}
    table.submit(work)
    lab.expect(times == {part: part.stat().st_mtime_ns for part in times} and len(times) == 3, "nothing is done twice")
    table.merge(work)
    lab.expect((work / "results" / "p.csv").read_text() == expected, "a plan from CSV", "other scores")
    line = json.loads((work / "results.jsonl").read_text())
    for kind, value in line["percentiles"]["vmaf"].items():
        told = subprocess.run([table.tool, "-r", pair["ref"], "-d", pair["dis"], "--pool", kind, "--precision", "max"],
                              capture_output=True, text=True, check=True).stderr
        lab.expect(told.endswith(f": {value!r}\n"), f"percentile {kind}", (value, told))
    lab.expect(line["frames"] == 30 and len(line["percentiles"]["vmaf"]) == 4 and line["overlap_scores_equal"] > 0, "the line of results", line)


def check_model_names(table):
    """Signs that lists of models and graphs of filters take for their own, in the name of a model's file."""
    ref, dis = table.reference(seconds=0.2), table.reference(seconds=0.2)
    model, odd = table.folder / "o'b\\c [d];e,f.json", table.folder / "c:d.json"
    for path in model, odd:
        path.write_bytes((lab.ROOT / "models/vmaf_v0.6.1neg.json").read_bytes())
    logs = []
    for runner in "tool", *(["filter"] if table.filtering else []):
        log = table.folder / f"names-{runner}.csv"
        table.run("score", dis, ref, "-o", log, "--format", "csv", "--model", model, "--model", "vmaf_v0.6.1", "--work", table.work(),
                  "--devices", "cpu", "--runner", runner, *table.programs)
        logs.append(log.read_text() if log.exists() else "")
    lab.expect(logs[0] and logs == logs[:1] * len(logs), "a model's odd name", logs)
    for words in odd, f"path={odd}", f"{odd}:name=x":
        said = table.run("score", dis, ref, "--model", words, "--work", table.work(), *table.programs, status=64)[1]
        lab.expect(f"{odd}: the path of a model must not contain ':'" in said, "a model's name with a colon", said)


def main():
    options = lab.options()
    with lab.prepared(options.tool, options.ffmpeg) as table:
        check_commands(table)
        check_cases(table, {**CASES, **(MORE if options.all else {})}, "csv" if options.ffmpeg else "json")
        check_history(table)
        check_rates(table)
        check_model_names(table)
        check_colours(table)
        if options.all:
            check_ladder(table)
            check_pictures(table)
    return lab.finish("merged logs", 30)


if __name__ == "__main__":
    sys.exit(main())
