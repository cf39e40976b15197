#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu search: the answer is that of trying every value, points are kept and used again, and what cannot be done is
said in a sentence with the right exit status.

    test_search.py TOOL [FFMPEG]      FFMPEG: one with the filter, which scores
"""
import argparse
import functools
import importlib.util
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import types

import lab
import test_damage

sys.path.insert(0, str(lab.PACKAGES))
from vmaf_gpu.batch import errors  # noqa: E402 pylint: disable=wrong-import-position
from vmaf_gpu.search import answers, bracket, command, encoders, finder, goals, sampling, store, trial  # noqa: E402 pylint: disable=wrong-import-position

NOT_REACHED, TOO_LARGE = 3, 4
FAST = ["--preset", "ultrafast"]
# Raises a signal in a trial, as Ctrl-C does.
STOP_AT = """
import os, signal
from vmaf_gpu.search import trial
make, count = trial.Trials._make, 0
def stop(self, notch, value):
    global count
    count += 1
    if count == {number}:
        os.kill(os.getpid(), signal.{name})
    return make(self, notch, value)
trial.Trials._make = stop
"""

# Tells of each lossless reference.
COUNT_WRITTEN = """
from vmaf_gpu.search import source
run = source.run_ffmpeg
def told(words, *more):
    if words[-1].endswith("filtered.mkv"):
        print("filtered.mkv is written")
    return run(words, *more)
source.run_ffmpeg = told
"""


def check_falling(chance, count):
    """On any two curves that fall the answer is the right one."""
    scores = sorted((chance.choice([100.0, chance.uniform(0, 100)]) for _ in range(count)), reverse=True)
    others = sorted((chance.choice([math.inf, chance.uniform(20, 60)]) for _ in range(count)), reverse=True)
    for target, other in (-1, 0), (0, 70), (50, 0), (93.5, 30), (100, 0), (101, 40):
        points = {}
        aims = [bracket.Aim(target, chance.choice([100.0, None])), bracket.Aim(other, None, chance.choice([0.0, 0.2]))]
        found = bracket.search(lambda notch: (scores[notch], others[notch]), points, aims, count, count // 2)
        true = max((notch for notch in range(count) if scores[notch] >= target and others[notch] >= other), default=-1)
        is_shown = (true < 0 or true in points) and (true + 1 == count or true + 1 in points)
        lab.expect(found.low == true and found.is_closed and is_shown, f"{target}, {other} in {scores}, {others}", (found, points))


def check_bracket():
    """The answer is right, and on curves of encoders it takes few trials."""
    chance = random.Random(3)
    for count in [1, 2, 3, 40, 52, 64, 256] * 20:
        check_falling(chance, count)
    most = 0
    for slope in 0.01, 0.02, 0.04, 0.08:
        for begin in 5, 10, 15, 20:
            for target in 80, 90, 93, 95, 97:
                points = {}
                bracket.search(lambda notch: (100 - slope * max(0, notch - begin)**2,), points, [bracket.Aim(target, 100.0)], 52, 26)
                most = max(most, len(points))
    lab.expect(most <= 6, "trials of a smooth curve", most)
    made = 0
    for slope in 0.12, 0.15, 0.18, 0.22:
        for limit in range(8, 19):
            points = {}
            bracket.search(lambda notch: (20 - slope * notch - 0.02 * math.sqrt(notch),), points, [bracket.Aim(limit, None, 1 / 6)], 52, 26)
            made += len(points)
    lab.expect(made <= 140, "trials of 44 sizes", made)
    lab.expect(bracket.bracket({1: (70,), 2: (90,), 4: (60,)}, [bracket.Aim(80, None)], 6) == (2, 4),
               "a miss before a hit says nothing of what is behind")
    bumpy = [90, 80, 85, 70, 75, 60]
    found = bracket.search(lambda notch: (bumpy[notch],), {}, [bracket.Aim(74, 100.0)], 6, 3)
    lab.expect(bumpy[found.low] >= 74, "scores that rise and fall", found)


def check_targets():
    """Which words ask for answers, and which are conditions of all."""
    options = types.SimpleNamespace(metric="neg", model=None, pool="perc5", samples=None)
    for words, wanted in ((["93"], [["neg perc5 93"]]), (["93", "80", "93"], [["neg perc5 93"], ["neg perc5 80"]]),
                          (["xpsnr=40"], [["xpsnr 40"]]), ([], [[]]),
                          (["93", "min=70", "80"], [["neg perc5 93", "neg min 70"], ["neg perc5 80", "neg min 70"]]),
                          (["neg=60", "vmaf=90", "xpsnr.mean=30"], [["neg perc5 60", "vmaf 90", "xpsnr mean 30"]])):
        options.target = [goals.target(word) for word in words]
        found = [[f"{goal.name} {goal.least:g}" for goal in one] for one in goals.asked(options)]
        lab.expect(found == wanted, f"--target {' '.join(words)}", found)
    for text in "", "x", "9e9", "vmaf", "vmaf=", "=9", "vmaf.=9", "vmaf.max=9", "cambi=3", "perc5.vmaf=3", "vmaf=10001", "xpsnr.run=3":
        try:
            lab.expect(False, f"--target {text} is refused", goals.target(text))
        except argparse.ArgumentTypeError:
            pass
    points = [{"is_estimate": False, "kbps": rate, "scores": {"psnr": {"run": score}}} for rate, score in ((9, None), (5, 40), (4, 41), (3, 30))]
    lab.expect(command._front(points, goals.Goal(goals.METRICS["psnr"], "run")) == [(3, 30), (4, 41)], "a curve without infinite scores")
    for spec, name in ("vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1"), ("path=a/my.json:disable_clip", "my"), ("version=vmaf_v0.6.1:name=x", "x"):
        options.model = spec
        metric = goals.main_metric(options)
        lab.expect(metric.name == metric.column == name and metric.models[0].endswith(f":name={name}"), f"--model {spec}", metric)


class Told:
    """Trials whose scores are a straight line."""

    def __init__(self, best):
        self.best, self.points = best, {}

    def measure(self, notch):
        score = self.best - 0.8 * notch
        return self.points.setdefault(notch, store.Point(str(notch), {"vmaf": {"mean": score}}, round(2**20 / 1.1**notch), 100, 0.0))

    def known(self):
        return dict(self.points)

    @staticmethod
    def bytes_of(point):
        return point.bytes


def check_second_target():
    """Samples that score two less than the whole: what the first target told of that counts for the second."""
    search = finder.Search.__new__(finder.Search)
    search.knob, search.video = encoders.ENCODERS["libx264"].knob, types.SimpleNamespace(found={"count": 100})
    search.options = types.SimpleNamespace(no_verify=False)
    search.whole, search.samples = Told(100), Told(98)
    for target in 95, 93.5:
        wanted = max(notch for notch in range(52) if 100 - 0.8 * notch >= target)
        found = search._closed([goals.Goal(goals.METRICS["vmaf"], "mean", target)], False).low
        lab.expect(found == wanted, f"target {target} by samples", (wanted, found))
    for limit in 2**30, 500000, 499999, 2**18, 10:
        wanted = min((notch for notch in range(52) if round(2**20 / 1.1**notch) <= limit), default=52)
        before = len(search.whole.points)
        found = search._closed([goals.TooLarge(limit)], True).high
        lab.expect(found == wanted and (wanted == 52 or wanted in search.whole.points), f"{limit} bytes by samples", (wanted, found))
        lab.expect(len(search.whole.points) <= before + 1, "one whole encode, as the samples have the same bytes", search.whole.points)


def check_sampling():
    """The interval has the mean of the whole in nine of ten cases."""
    chance, inside = random.Random(5), 0
    for number in range(200):
        count, busy = chance.choice([40, 150, 400]), 1.0
        levels = []
        for _ in range(count):
            busy = chance.lognormvariate(0, 0.7) if chance.random() < 0.2 else busy
            levels.append(busy * chance.lognormvariate(0, 0.15))
        sizes = [max(1, round(1000 * level * chance.uniform(0.8, 1.2))) for level in levels for _ in range(25)]
        scores = [95 - 4 * level**0.7 + chance.gauss(0, 0.8) for level in levels]
        strata = sampling.choose(sizes, 25, 16, str(number))
        mean, half = sampling.estimate(strata, [[scores[first // 25] for first, _ in one.chosen] for one in strata])
        inside += abs(mean - sum(scores) / count) <= half
    lab.expect(inside >= 180, "intervals with the mean, of 200", inside)
    lab.expect(sampling.choose([1] * 100, 25, 16, "") is None, "a short video is not sampled")
    sizes = [max(1, round(1000 * level * chance.uniform(0.9, 1.1))) for level in (1, 4, 1, 4, 2, 8, 2, 8) for _ in range(20 * 25)]
    found = sorted(first // 500 for one in sampling.choose(sizes, 25, 16, "") for first, _ in one.chosen)
    lab.expect(found == sorted([*range(8)] * 2), "two stretches of each of eight shots", found)
    lab.expect(sampling.choose([0] * 1000, 25, 8, "") is not None, "frames without bytes")
    for name, row in encoders.ENCODERS.items():
        values = [row.knob.value(notch) for notch in range(row.knob.count)]
        lab.expect(len(set(values)) == len(values) > 20, f"values of {name}", values)


def check_best():
    """A size of the picture that fits comes before one that does not, whatever the score."""
    def answer(fails, fits, score, size):
        return types.SimpleNamespace(answer=lambda _goals, _limit: {"fails": fails, "fits": fits, "score": score, "bytes": size, "trials": 1})

    target = goals.Goal(goals.METRICS["vmaf"], "mean", 93)
    for asked, found, wanted in (([target], [(finder.SIZE, False, 60, 900), (finder.SIZE, True, 55, 90)], 90),
                                 ([target], [(finder.TARGET, True, 55, 90), (finder.SIZE, False, 60, 900)], 90),
                                 ([target], [(finder.TARGET, True, 60, 90), (finder.SIZE, True, 55, 80)], 80),
                                 ([target], [(None, True, 94, 90), (None, True, 93, 80), (finder.SIZE, True, 99, 1)], 80),
                                 ([target], [(finder.SIZE, False, 60, 900), (finder.SIZE, False, 50, 800)], 800),
                                 ([target], [(finder.TARGET, True, 60, 90), (finder.TARGET, True, 50, 10)], 90),
                                 ([], [(None, True, 100, 90), (None, True, 100, 80), (None, True, 99, 1)], 80)):
        best = answers.best([answer(*one) for one in found], asked, 100)
        lab.expect(best["bytes"] == wanted and best["trials"] == len(found), f"the best of {found}", best)


def check_refused_scores():
    """A few equal frames make a mean of psnr infinite; names with colons; rates that nobody knows."""
    trial._check_mean(goals.METRICS["psnr"], [math.inf] * 3)
    trial._check_mean(goals.METRICS["psnr"], [40.0, 50.0])
    try:
        lab.expect(False, "a mean of some infinite scores", trial._check_mean(goals.METRICS["psnr"], [40.0, math.inf, 41.0]))
    except errors.BatchError as error:
        lab.expect("1 of 3 frames are equal" in str(error), "why there is no mean", error)
    for rate, length in ("0/0", 50), ("None", 50), ("", 50), ("30000/1001", 60), ("25", 50):
        lab.expect(sampling.length_of({"avg_frame_rate": rate}, 2.0) == length, f"frames of 2 s at {rate}", length)
    try:
        lab.expect(False, "fractions without a step", encoders.narrowed(encoders._row("libsvtav1").knob, (30.5, 40.0), None))
    except errors.BatchError as error:
        lab.expect("fractions need --step" in str(error), "fractions", error)


class Searches:
    """Calls of the command, each with the same cache unless it has another, and what trying each crf gives."""

    def __init__(self, table):
        self.table, self.reference = table, table.reference(seconds=1)
        self.form = "yuv420p10le" if table.filtering else "yuv420p"  # FFmpeg before 7.0 cannot make depths equal
        self.scratch = table.folder / "scratch"
        self.scratch.mkdir()

    @functools.cached_property
    def every(self):
        """Bytes and log of each crf from 20 to 44, with two models and two features."""
        return {crf: alone(self.table, self.reference, crf, "--model", "version=vmaf_v0.6.1:name=vmaf", "--model",
                           "version=vmaf_v0.6.1neg:name=neg", "--feature", "xpsnr", "--feature", "ssimulacra2")
                for crf in range(20, 45)}

    def scores(self, name="vmaf"):
        """The mean of each crf."""
        return {crf: log["pooled_metrics"][name]["mean"] for crf, (_, log) in self.every.items()}

    def run(self, *words, status=0, cache="cache", before="", options=()):
        """Returns the printed text, and the content of --json."""
        path = self.table.folder / "found.json"
        path.unlink(missing_ok=True)
        said = self.table.run("search", "--encoder", "libx264", "--cache", self.table.folder / cache, "--json", path,
                              "--devices", "cpu", *self.table.programs, *words, *(["--", *options] if options else []),
                              status=status, before=before, env={"TMPDIR": str(self.scratch)})[1]
        lab.expect(not list(self.scratch.iterdir()), "nothing of a trial stays", list(self.scratch.iterdir()))
        return said, json.loads(path.read_text()) if path.exists() else None


def alone(table, reference, crf, *words):
    """The bytes and the log of one crf, by the ffmpeg that encodes and the tool alone."""
    path, log = table.folder / "one.mkv", table.folder / "one.json"
    subprocess.run([table.filtering or "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", reference, "-c:v", "libx264", "-crf", str(crf),
                    "-preset", "ultrafast", path], check=True)
    subprocess.run([table.tool, "-q", "-r", reference, "-d", path, "--precision", "max", "--json", "-o", log, "--overwrite", *words],
                   check=True, timeout=60)
    return path.stat().st_size, json.loads(log.read_text())


def exhaustive(table, reference, values, words=(), name="vmaf"):
    """The score of each crf."""
    return {crf: alone(table, reference, crf, *words)[1]["pooled_metrics"][name]["mean"] for crf in values}


def percentile(log, name="vmaf"):
    """The fifth one of the scores of frames."""
    return statistics.quantiles([frame["metrics"][name] for frame in log["frames"]], n=20, method="inclusive")[0]


def check_answers(searches):
    """Equal to trying all, for several targets; later searches use the points of earlier ones."""
    table, limits, reference = searches.table, ["--range", "20:44"], searches.reference
    truth = searches.scores()
    targets = [90, 75, 60]
    wanted = [max((crf for crf in truth if truth[crf] >= target), default=None) for target in targets]
    lab.expect(len(set(wanted)) == 3 and None not in wanted, "targets that tell something", (truth, wanted))
    words = [word for target in targets for word in ("--target", target)]
    said, found = searches.run(reference, *FAST, *limits, *words)
    lab.expect([int(answer["value"]) for answer in found["answers"]] == wanted, "answers of all trials", (said, truth))
    for answer in found["answers"]:
        lab.expect(abs(answer["score"] - truth[int(answer["value"])]) < 1e-12, "the score is that of the tool", answer)
    for point in found["points"]:
        lab.expect(point["frames"] == 30 and point["bytes"] > 500 and 0 < point["kbps"], "points", point)
    made = sum(answer["trials"] for answer in found["answers"])
    lab.expect(made == len(found["points"]) <= 14 and found["answers"][0]["trials"] <= 7, "trials of three targets", made)
    lab.expect(f"crf {wanted[0]}" in said and f"-crf {wanted[0]} -preset ultrafast OUTPUT.mkv" in said, "what is said", said)
    check_again(searches, reference, words, int(wanted[0]))


def check_again(searches, reference, words, best):
    """Later searches."""
    limits = ["--range", "20:44"]
    again, found = searches.run(reference, *FAST, *limits, *words)
    lab.expect([answer["trials"] for answer in found["answers"]] == [0, 0, 0] and "trial:" not in again, "a second search",
               again)
    said, found = searches.run(reference, *FAST, *limits, "--target", 90, "--pool", "min")
    lab.expect(found["answers"][0]["score"] >= 90 and int(found["answers"][0]["value"]) <= best, "the minimum", said)
    said, found = searches.run(reference, *FAST, "--range", f"{best}:{best + 1}", "--target", 90)
    lab.expect(found["answers"][0]["trials"] == 0, "a narrower range has the same points", said)
    _, found = searches.run(reference, *FAST, "--range", f"{best}:{best}", "--target", 1, "--pool", "perc5")
    lab.expect(abs(found["points"][0]["score"] - percentile(searches.every[best][1])) < 1e-9, "perc5", found)
    made = searches.table.folder / "made"
    said, found = searches.run(reference, "--preset", "superfast", *limits, "--target", 75, "--work", made)
    lab.expect(found["answers"][0]["trials"] > 1, "another preset has other points", said)
    lab.expect(made.is_dir() and not list(made.iterdir()), "--work makes its folder", made)


def check_limits(searches):
    """The best that fits, alone and with a score that has to be reached."""
    reference, limits = searches.reference, ["--range", "20:44"]
    sizes, scores = {crf: size for crf, (size, _) in searches.every.items()}, searches.scores()
    packets = sum(int(line) for line in subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "packet=size", "-of", "csv=p=0", reference], capture_output=True, text=True,
        check=True).stdout.replace(",", "").split())
    for words, limit in ((["--max-size", f"{sizes[30]}"], sizes[30]), (["--max-size", f"{sizes[30] - 1}"], sizes[30] - 1),
                         (["--max-percent", f"{100 * sizes[35] / packets + 1e-6:.6f}"], sizes[35]),
                         (["--max-percent", "500", "--max-size", f"{sizes[25] / 1000}k"], sizes[25])):
        wanted = min(crf for crf in sizes if sizes[crf] <= limit)
        said, told = searches.run(reference, *FAST, *limits, *words)
        answer = told["answers"][0]
        lab.expect((answer["value"], answer["bytes"], answer["fails"]) == (str(wanted), sizes[wanted], None), f"{words} by all sizes",
                   (answer, sizes))
        lab.expect(abs(answer["percent"] - 100 * sizes[wanted] / packets) < 1e-9 and f"-crf {wanted} " in said, "percent", said)
    _, told = searches.run(reference, *FAST, *limits, "--max-size", sizes[30], "--target", f"{scores[33]}")
    lab.expect(told["answers"][0]["value"] == "33", "the fewest bytes that reach the target", told["answers"])
    said, told = searches.run(reference, *FAST, *limits, "--max-size", sizes[33], "--target", f"{scores[30]}", "--target", "1", status=TOO_LARGE)
    answer, other = told["answers"]
    lab.expect((answer["fails"], answer["value"], answer["too_large"]["value"]) == ("size", "33", "30"), "the size fails", answer)
    lab.expect(f"is not reachable in {sizes[33]} bytes: at {answer['percent']:.1f} % of the source the score is {scores[33]:.3f}" in said
               and f"-crf 33 " in said and other["fails"] is None, "what fails is said", said)
    said, told = searches.run(reference, *FAST, *limits, "--max-size", "100", status=TOO_LARGE)
    lab.expect("100 bytes is not reachable: at" in said and told["answers"][0]["value"] == "44", "nothing fits", said)
    for target, status, text in (("1", TOO_LARGE, "target 1 is not reachable in 100 bytes: at"),
                                 ("100", NOT_REACHED, "target 100 is not reached, and no value fits in 100 bytes: at")):
        said, told = searches.run(reference, *FAST, *limits, "--max-size", "100", "--target", target, status=status)
        lab.expect(text in said and "of the source, the fewest bytes, the score is" in said and not told["answers"][0]["fits"],
                   f"nothing fits, target {target}", said)
    said, told = searches.run(reference, *FAST, *limits, "--max-size", sizes[30], "--target", "100", status=NOT_REACHED)
    lab.expect("target 100 is not reached; the best that fits in" in said and told["answers"][0]["value"] == "30", "both fail", said)


def scores_of_all(searches):
    """By the names that --target has, those of each crf."""
    logs = {crf: log for crf, (_, log) in searches.every.items()}
    return {"vmaf": searches.scores(), "neg": searches.scores("neg"),
            "xpsnr": {crf: log["aggregate_metrics"]["xpsnr_run_min"] for crf, log in logs.items()},
            "perc5": {crf: percentile(log) for crf, log in logs.items()},
            "ssimulacra2.min": {crf: log["pooled_metrics"]["ssimulacra2"]["min"] for crf, log in logs.items()}}


def check_conditions(searches):
    """Scores of several metrics, of one run: the answer is the value that trying all has, and each score is that of the tool."""
    reference, limits, scores = searches.reference, ["--range", "20:44"], scores_of_all(searches)
    binding = set()
    for at in {"vmaf": 36, "neg": 33, "xpsnr": 36, "ssimulacra2.min": 36, "perc5": 36}, \
            {"vmaf": 30, "neg": 33, "xpsnr": 27, "ssimulacra2.min": 36, "perc5": 30}, \
            {"vmaf": 33, "neg": 40, "xpsnr": 33, "ssimulacra2.min": 28, "perc5": 36}:
        least = {name: scores[name][crf] for name, crf in at.items()}
        wanted = max(crf for crf in searches.every if all(scores[name][crf] >= least[name] for name in least))
        words = [f"--target={least['vmaf']}", *(f"--target={name}={value}" for name, value in least.items() if name != "vmaf")]
        said, found = searches.run(reference, *FAST, *limits, *words)
        answer = found["answers"][0]
        lab.expect(answer["value"] == str(wanted) and len(found["answers"]) == 1, f"several targets {at}", (answer, wanted))
        for goal in answer["targets"]:
            name = {"vmaf perc5": "perc5", "ssimulacra2 min": "ssimulacra2.min"}.get(goal["name"], goal["name"])
            lab.expect(abs(goal["score"] - scores[name][wanted]) < 1e-9 and goal["is_reached"], f"the {name}", (goal, scores[name][wanted]))
            lab.expect(re.search(rf"^    {re.escape(goal['name'])} +{goal['score']:.3f}  target ", said, re.M), "the table", said)
        binding.add(wanted)
    lab.expect(len(binding) == 3, "targets that tell something", binding)
    for _ in range(2):  # a long file of answers is replaced
        searches.run(reference, *FAST, *limits, *words, "--max-size", "1", "--json", searches.table.folder / "long.json", status=TOO_LARGE)
    said, found = searches.run(reference, *FAST, *limits, "--target", "20", "--target=xpsnr=200", status=NOT_REACHED)
    lab.expect("targets 20 and xpsnr 200 are not reached; the best is crf 20" in said and "target 200, missed" in said, "which one is missed", said)
    said, found = searches.run(reference, *FAST, "--range", "0:1", "--target", "psnr=200", "--target", "ssim=0.99999", "--pix-fmt", "yuv420p")
    lab.expect(found["answers"][0]["value"] == "0" and re.search(r"psnr +inf  target 200", said), "a score that is infinite", (said, found["points"]))
    lab.expect([goal["score"] for goal in found["answers"][0]["targets"]][0] is None, "no infinity in JSON", found["answers"])


def check_damage(folder, texts):
    """Points of which something is missing, or of another version."""
    path = folder / "9.json"
    good = {"schema": "vmaf_gpu.search.point/3", "value": "9", "scores": {"vmaf": {"mean": 50.0}}, "bytes": 5, "frames": 3, "seconds": 1.0,
            "errors": {}, "warnings": [], "is_sound": True}
    known = store.Store.__new__(store.Store)
    known.folder = folder
    path.write_text(json.dumps(good))
    lab.expect(known.get("9") is not None, "a good point")
    for text in *texts, json.dumps({**good, "x": 1}), json.dumps({**good, "schema": "vmaf_gpu.search.point/2"}):
        path.write_text(text)
        lab.expect(known.get("9") is None, f"a point {text}")
    path.unlink()


def check_cache(searches):
    """Points of another version, damaged ones, and a search that was stopped."""
    words = [searches.reference, *FAST, "--range", "20:44", "--target", "70"]
    said, _ = searches.run(*words, status=75, cache="stopped", before=STOP_AT.format(number=3, name="SIGINT"))
    lab.expect("run again to go on" in said, "a signal", said)
    searches.run(*words, status=75, cache="closed", before=STOP_AT.format(number=1, name="SIGHUP"))
    paths = list((searches.table.folder / "stopped").rglob("*.json"))
    lab.expect(len(paths) == 2, "points before the signal", paths)
    _, found = searches.run(*words, cache="stopped")
    whole = found["answers"][0]["value"]
    count = len(list((searches.table.folder / "stopped").rglob("*.json")))
    lab.expect(found["answers"][0]["trials"] == count - 2, "points of the stopped search are used", found)
    paths = sorted((searches.table.folder / "stopped").rglob("*.json"))
    texts = ["{", '{"schema": "vmaf_gpu.search.point/1"}', '{"schema": "vmaf_gpu.search.point/3", "value": "30"}']
    check_damage(paths[0].parent, texts)
    for number, path in enumerate(paths):
        path.write_text(texts[number % len(texts)])
    _, found = searches.run(*words, cache="stopped")
    lab.expect(found["answers"][0]["value"] == whole and found["answers"][0]["trials"] == len(paths) >= 3, "bad points", found)


def check_warnings(searches):
    """What is doubtful of a point is said again when it is known, and is in the file; --strict refuses it then, too."""
    table = searches.table
    video = test_damage.spoiled(test_damage.encode(table, "whole.mp4", *test_damage.h264(), source=searches.reference), "damaged.mp4", range(4, 29, 3))
    words, told = [video, *FAST, "--range", "36:37", "--target", "1"], r"frames? of reference (is|are) damaged: the decoder reported errors"
    for is_known in False, True:
        said, found = searches.run(*words, cache="doubts", options=["-g", "9"])
        lab.expect((found["answers"][0]["trials"] == 0) == is_known and len(re.findall("warning: .*" + told, said)) == 1 == said.count("was made for"),
                   f"warnings, known: {is_known}", said)
        lab.expect(all(re.search(told, " ".join(point.get("warnings", []))) for point in [*found["points"], *found["answers"]]),
                   "warnings in the file", found)
    said, found = searches.run(*words, "--strict", cache="doubts", options=["-g", "9"], status=65)
    lab.expect(re.search("strict: .*" + told, said) and found is None, "points of damage with --strict", said)
    filtered = [*words, "--vf", "hue=b=0.1", "--scale", "80x48", "--scale", "source"]
    said, found = searches.run(*filtered, cache="doubts")
    lab.expect(all(re.search(told, " ".join(point["warnings"])) for point in found["points"]) and len(re.findall("warning: .*" + told, said)) == 1,
               "a reference that is filtered first", (said, found["points"]))
    said, found = searches.run(*filtered, "--strict", cache="doubts", status=65)
    lab.expect(re.search("strict: .*" + told, said) and found is None, "a filtered reference with --strict", said)
    sound = [searches.reference, *FAST, "--range", "36:37", "--target", "1"]
    for _ in range(2):
        searches.run(*sound, cache="doubts")
    said, found = searches.run(*sound, "--strict", cache="doubts")
    lab.expect(found["answers"][0]["trials"] == 0 and "was made for" in said, "other points with --strict", said)


def check_full(searches):
    """A disk without space is named as the cause, and not the encoder. Its statistics are behind the error."""
    disk = searches.table.folder / "disk"
    disk.mkdir()
    for size, reference in ("4k", searches.table.reference(seconds=0.4, size="320x240", name="large.mkv")), ("100k", searches.reference):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=False, capture_output=True)
        if done.returncode != 0:
            print("SKIPPED: a full disk: a tmpfs cannot be mounted")
            return
        try:
            said, _ = searches.run(reference, "--range", "1:1", "--target", "90", "--work", disk, cache="full", status=75)
            lab.expect("No space left on device" in said and "cannot encode" not in said and "kb/s" not in said, f"a disk of {size}", said)
        finally:
            subprocess.run(["umount", disk], check=False)


def check_unkept(searches):
    """A cache that cannot be written is told once, and the search goes on; so is the default one of a quiet search."""
    full = "import errno\nfrom vmaf_gpu.search import store\nput = store.files.write_json\ndef write(path, value):\n" \
           "    if 'unkept' in str(path):\n        raise OSError(errno.ENOSPC, 'No space left on device', str(path))\n" \
           "    put(path, value)\nstore.files.write_json = write\n"
    words = [*FAST, "--range", "36:37", "--target", "1"]
    said, found = searches.run(searches.reference, *words, cache="unkept", before=full)
    lab.expect(said.count("warning: measured points are not kept: ") == 1 == said.count(": No space left on device") and len(found["points"]) > 1,
               "a full cache", said)
    said = searches.table.run("search", searches.reference, "--encoder", "libx264", *words, "--devices", "cpu", "-q", *searches.table.programs,
                              env={"HOME": "/proc", "XDG_CACHE_HOME": ""})[1]
    lab.expect(said.count("warning: measured points are not kept: /proc") == 1, "a home that cannot be written", said)


def check_gray(searches):
    """An encoder that has no grey makes colours of it, as the search wants it."""
    source = searches.table.folder / "gray.mkv"
    lab.ffmpeg("-i", searches.reference, "-pix_fmt", "gray", "-c:v", "ffv1", source)
    said, found = searches.run(source, "--encoder", "mpeg4", "--range", "5:5", "--target", "1", status=None)
    lab.expect((found is not None or "by FFmpeg 7.0 or later" in said) and "grey" not in said, "a grey source", said)
    lab.expect(trial.doubts(["a", "reference is grey, main has colour: is it the alpha plane?"]) == ["a"], "of search's own encodes")


def check_named(searches):
    """Files that filters and options name: another content has other points, although the first frames are the same."""
    table, limits = searches.table, ["--range", "34:34", "--target", "1"]
    for name, texts, words, options in (
            ("hue,[1].txt", ("0.5 hue b 0;", "0.5 hue b 3;"), ["--vf"], []),
            ("each.txt", ("20 P 30", "20 P 50"), [], ["-x264-params", f"qpfile={table.folder}/each.txt"])):
        path, made = table.folder / name, []
        words = [*words, f"sendcmd=f='{path}',hue=b=0"] if words else []
        for text in texts[0], texts[0], texts[1]:
            path.write_text(text + "\n")
            said, found = searches.run(searches.reference, *FAST, *limits, *words, options=options)
            made.append((found["answers"][0]["trials"], found["points"][0]["score"]))
        lab.expect([one[0] for one in made] == [1, 0, 1], f"a changed file {name}", (made, said))
        lab.expect(not words or made[0][1] != made[2][1], "the score of the changed file", made)
    for words, options in (["--vf", "movie=%02d.png,hue=b=0"], []), ([], ["-passlogfile", "x"]):
        made = []
        for _ in range(2):
            said, found = searches.run(searches.reference, *FAST, *limits, *words, options=options, status=None)
            made.append(found and found["answers"][0]["trials"])
        lab.expect("measured points are not kept" in said and made in ([1, 1], [None, None]), f"{words} {options}", (made, said))


def check_words():
    """The whole command of a trial by NVENC, which few machines can run."""
    recipe = trial.Recipe(types.SimpleNamespace(path="ffmpeg"), "hevc_nvenc", encoders._row("hevc_nvenc"), "p5", "p010le",
                          "1280x720", ["-tune", "hq"], (), [])
    words = recipe.command(pathlib.Path("in.mkv"), 0, "crop=8:8", recipe.encoder.knob.words(27), pathlib.Path("out.mkv"), "-an")
    lab.expect(words == ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-loglevel", "repeat+level+info", "-n", "-i", "in.mkv", "-map", "0:0", "-vf",
                         "crop=8:8,scale=1280:720:flags=bicubic+accurate_rnd+bitexact", "-fps_mode", "passthrough", "-pix_fmt",
                         "p010le", "-c:v", "hevc_nvenc", "-cq", "28", "-rc", "vbr", "-b:v", "0", "-preset", "p5", "-tune", "hq",
                         "-an", "-f", "matroska", "out.mkv"], "the words of NVENC", words)


def check_fractions():
    """SVT-AV1 reads fractions of crf among its parameters, of which ffmpeg takes one option."""
    encoder = encoders._row("libsvtav1")
    knob = encoders.narrowed(encoder.knob, (30.0, 40.0), 0.25)
    lab.expect([knob.words(notch) for notch in (0, 1, 4)] == [["-crf", "30"], ["-svtav1-params", "crf=30.25"], ["-crf", "31"]],
               "words of fractions", [knob.words(notch) for notch in range(5)])
    recipe = trial.Recipe(types.SimpleNamespace(path="ffmpeg"), "libsvtav1", encoder, "8", None, None,
                          ["-g", "50", "-svtav1-params", "tune=0"], (), [])
    for notch, wanted in (1, ["-preset", "8", "-g", "50", "-svtav1-params", "crf=30.25:tune=0"]), \
                         (0, ["-crf", "30", "-preset", "8", "-g", "50", "-svtav1-params", "tune=0"]):
        words = recipe.options(knob.words(notch))
        lab.expect(words == ["-c:v", "libsvtav1", *wanted], "parameters of the user stay", words)


def check_hardware(program):
    """Options that are said to encoders of hardware: ffmpeg lists them, and the values of those that have names."""
    generic = lab.help_of(program, "full").partition("AVCodecContext AVOptions")[2].partition("\n\n")[0]
    found = [name for name in sorted(lab.encoders(program)) if re.search("_(nvenc|qsv|vaapi|amf)$", name) and encoders._row(name)]
    for name in found:
        encoder, text = encoders._row(name), lab.help_of(program, f"encoder={name}")
        words = [*encoder.knob.words(5), f"-{encoder.preset}", None]
        for option, value in zip(words[::2], words[1::2]):
            listed = re.search(rf"^ +{option.replace('-b:v', '-b')} +<(\w+)> +E.*((?:\n     .*)*)", text + generic, re.M)
            lab.expect(listed, f"{option} of {name}", text[-500:])
            if listed and value and not value[0].isdigit():
                lab.expect(re.search(rf"^ +{value} ", listed[2], re.M), f"{option} {value} of {name}", listed[0])
    if not found:
        print(f"SKIPPED: {program} has no encoders of hardware")


def check_drawn(searches):
    """Plot, and BD-rate against another search."""
    table, limits = searches.table, [*FAST, "--range", "20:44", "--target", "90", "--target", "75", "--target", "60"]
    path, other = table.folder / "search.svg", table.folder / "other.json"
    words = [searches.reference, *limits, "--plot", path, "--against", other]
    said, found = searches.run(searches.reference, *limits)
    other.write_text(json.dumps({**found, "points": [{**one, "kbps": 2 * one["kbps"]} for one in found["points"]]}))
    if not all(importlib.util.find_spec(name) for name in ("matplotlib", "bjontegaard")):
        print("SKIPPED: matplotlib and bjontegaard are not installed")
        said = searches.run(*words, status=64)[0]
        lab.expect("pip install 'vmaf-gpu[" in said, "without the packages", said)
        return
    said, again = searches.run(*words)
    text = path.read_text()
    curve = re.search(r'<g id="line2d_\d+">\s*<path d="(M[^"]*)"[^>]*stroke: #1f77b4', text)
    lab.expect(curve and len(re.findall("[ML]", curve[1])) == len(again["points"]) and "other.json" in text, "the plot", said)
    lab.expect("BD-rate (vmaf): -50.000 %" in said, "against twice the rates", said)
    for change, told in ({"models": ["x"]}, "has scores of vmaf x"), ({"points": [{}]}, "has no points"), \
                        ({"points": []}, "cannot be compared"), \
                        ({"points": [{**one, "scores": {"vmaf": {"mean": -5.0 - number}}} for number, one in enumerate(found["points"])]},
                         "no score lies between"):
        other.write_text(json.dumps({**found, **change}))
        said = searches.run(*words, status=64)[0]
        lab.expect(told in said, f"--against with {str(change)[:40]}", said)


def check_options(searches):
    """Each option reaches the encoder or the reference."""
    table, reference = searches.table, searches.reference
    kept = table.folder / "kept"
    said, found = searches.run(reference, *FAST, "--range", "36:40", "--target", "20", "--vf", "crop=128:64", "--scale", "64x32", "--pix-fmt", searches.form,
                               "--keep", kept, options=["-g", "5"])
    lab.expect("-vf crop=128:64,scale=64:32" in said and "-g 5" in said, "the command that is said", said)
    names = [path.name for path in kept.iterdir()]
    lab.expect(len(names) == found["answers"][0]["trials"] > 0, "kept videos", names)
    searches.run(reference, *FAST, "--range", "36:40", "--target", "20", "--vf", "crop=128:64", "--scale", "64x32", "--pix-fmt", searches.form,
                 "--keep", kept, options=["-g", "6"])
    lab.expect(set(names) < {path.name for path in kept.iterdir()}, "files of other options have other names", names)
    shown = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height,pix_fmt:packet=flags", "-of",
                            "csv=p=0", kept / names[0]], capture_output=True, text=True, check=True).stdout
    lab.expect(f"64,32,{searches.form}" in shown and len(re.findall(r"^K", shown, re.M)) >= 6, "a kept video", shown)
    few = table.folder / "few: frames"  # a folder with a colon in its name
    _, found = searches.run(reference, *FAST, "--range", "30:30", "--target", "1", "--vf", "fps=12.5", "--keep", few)
    file = next(few.iterdir())
    lab.expect(found["answers"][0]["bytes"] == file.stat().st_size, "bytes of a filter that drops frames", (found, file.stat()))
    _, found = searches.run(reference, *FAST, "--by", "bitrate", "--target", "70", "--range", "100:400")
    values = [int(point["value"][:-1]) for point in found["points"]]
    chosen = int(found["answers"][0]["value"][:-1])
    lab.expect(found["option"] == "b:v" and any(chosen / 1.03 <= one < chosen for one in values), "a bitrate", found)
    said, found = searches.run(reference, *FAST, "--range", "34:40", "--scale", "80x48", "--scale", "source", "--target", "20",
                               "--vf", "hue=b=0.1", before=COUNT_WRITTEN)
    lab.expect(said.count("filtered.mkv is written") == 1, "the reference of both sizes is written once", said)
    sizes = {point["scale"] for point in found["points"]}
    lab.expect(sizes == {None, "80x48"} and found["answers"][0]["bytes"] <= min(
        point["bytes"] for point in found["points"] if point["score"] >= 20), "the best of two sizes", (said, found))
    for metric in "neg", "v1":
        large = table.reference(seconds=0.4, size="320x240", name="large.mkv")
        _, found = searches.run(large, *FAST, "--range", "34:34", "--target", "0", "--metric", metric)
        lab.expect(metric in found["models"][0], metric, found)


def check_surroundings(searches):
    """A home that is none, and a name that is no text, whose printed command works."""
    table = searches.table
    odd = pathlib.Path(os.fsdecode(os.fsencode(table.folder) + b"/in'v\xff\\1.mkv"))
    odd.write_bytes(searches.reference.read_bytes())
    words = ["search", odd, "--encoder", "libx264", *FAST, "--range", "36:37", "--target", "1", "--scale", "80x48", "--scale", "source",
             "--devices", "cpu", *table.programs]
    for name in "HOME", "XDG_CACHE_HOME":
        nowhere = {"XDG_CACHE_HOME": "", name: str(searches.reference)}
        said = table.run(*words, env={**nowhere, "TMPDIR": str(searches.scratch)})[1]
        lab.expect(said.count(f"measured points are not kept: {searches.reference}") == 1 and ": Not a directory; --cache" in said,
                   f"no {name}", said)
    command = [line for line in said.splitlines() if " -c:v libx264 " in line][0]
    found = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True).stdout.split(b"\0")
    lab.expect(os.fsencode(odd) in found, "the name in the command", (command, found))


def check_steps(searches):
    """Fractions, of encoders that take them; of others they are refused, whether ffmpeg rounds them or they are not read."""
    reference, at_hand = searches.reference, lab.encoders(searches.table.filtering or "ffmpeg")
    _, found = searches.run(reference, *FAST, "--range", "30:31", "--step", "0.25", "--target", "10")
    lab.expect(found["answers"][0]["value"] == "31", "fractions", found)
    for encoder in {"libvpx-vp9", "libsvtav1"} & at_hand:
        for step in "0.25", "0.5":
            said, found = searches.run(reference, "--encoder", encoder, "--preset", "8", "--range", "36:37", "--step", step,
                                       "--target", "1", status=None)
            told = "takes whole numbers only" in said
            values = {point["value"] for point in found["points"]} if found else set()
            lab.expect(told if encoder == "libvpx-vp9" or found is None else values == {"37"}, f"--step {step} of {encoder}", said)


def check_ssimulacra2(searches):
    """The number is that of the tool on both files, also where a process between drops the tag of the matrix."""
    table = searches.table
    tagged, encoded = table.folder / "tagged.mkv", table.folder / "encoded.mkv"
    lab.ffmpeg("-i", searches.reference, "-c:v", "ffv1", "-colorspace", "bt709", tagged)
    lab.ffmpeg("-i", tagged, "-c:v", "libx264", "-crf", "34", "-preset", "ultrafast", encoded)
    text = subprocess.run([table.tool, "-r", tagged, "-d", encoded, "-n", "--feature", "ssimulacra2", "--precision", "max"],
                          capture_output=True, text=True, check=True, timeout=60)
    truth = float(re.search(r"^ssimulacra2: (\S+)$", text.stdout + text.stderr, re.M)[1])
    _, found = searches.run(tagged, *FAST, "--range", "34:34", "--target", "0", "--metric", "ssimulacra2")
    lab.expect(abs(found["answers"][0]["score"] - truth) < 1e-12, "the score is that of the tool", (truth, found))


def check_below_0(searches):
    """Targets that are negative, or that only equal pictures reach."""
    reference, limits = searches.reference, ["--range", "36:51", "--metric", "ssimulacra2"]
    truth = exhaustive(searches.table, reference, range(36, 52), ["-n", "--feature", "ssimulacra2"], "ssimulacra2")
    targets = [sorted(truth.values())[at] - 1e-6 for at in (1, 3)] + [-9000]
    wanted = [max(crf for crf in truth if truth[crf] >= target) for target in targets]
    lab.expect(targets[1] < 0 and len(set(wanted)) == 3, "targets that tell something", truth)
    _, found = searches.run(reference, *FAST, *limits, *[f"--target={target}" for target in targets])
    lab.expect([int(answer["value"]) for answer in found["answers"]] == wanted, "answers of all trials", (found, truth))
    said, _ = searches.run(reference, *FAST, *limits, "--target", "100", status=NOT_REACHED)
    lab.expect("target 100 is not reached; the best is crf 36" in said, "100", said)
    said, _ = searches.run(reference, *FAST, *limits, "--target=-1e5", status=64)
    lab.expect("expected a score" in said, "too low a target", said)


def check_references(searches):
    """Times that are not steady, none at all, and an encoder that leaves frames out."""
    table, words = searches.table, [*FAST, "--range", "36:36", "--target", "10"]
    variable, raw = table.folder / "variable.mkv", table.folder / "raw.h264"
    lab.ffmpeg("-i", table.reference(seconds=1), "-vf", "setpts='(N+0.9*mod(N\\,2))*TB/TB/30/TB'", "-fps_mode", "passthrough",
               "-enc_time_base", "-1", "-c:v", "ffv1", variable)
    lab.ffmpeg("-i", table.reference(seconds=1), "-c:v", "libx264", "-bf", "3", raw)
    kept = table.folder / "times"
    for path in variable, raw:
        said, found = searches.run(path, *words, "--keep", kept)
        lab.expect(found and all(point["frames"] == 30 for point in found["points"]), f"frames of {path.name}", said)
    times = [subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pts", "-of", "csv=p=0", path], check=True,
                            capture_output=True, text=True).stdout.split() for path in (variable, *kept.glob("variable*"))]
    lab.expect(len(times) == 2 and times[0] == times[1] and len(set(times[0])) == 30, "times of frames", times)
    said, _ = searches.run(table.reference(seconds=1), *words, status=65, options=["-bsf:v", "noise=drop=gt(n\\,20)"])
    lab.expect("has 30 frames" in said, "an encoder that drops frames", said)


def check_samples(searches):
    """The samples' answer holds on the whole video."""
    table = searches.table
    reference = table.folder / "long.mkv"
    lab.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=160x96:r=10:d=30,noise=alls=12:allf=t:all_seed=3", "-f", "lavfi", "-i",
               "mandelbrot=s=160x96:r=10", "-filter_complex", "[1:v]trim=end=30[m];[0:v][m]concat", "-c:v", "ffv1",
               "-pix_fmt", "yuv420p", reference)
    words = [reference, *FAST, "--range", "20:44", "--target", "75"]
    _, found = searches.run(*words)
    best = int(found["answers"][0]["value"])
    said, estimated = searches.run(*words, "--samples", "8", "--no-verify", cache="samples")
    lab.expect(estimated["answers"][0]["is_estimate"] and "+-" in said, "an estimate", said)
    lab.expect(all(point["frames"] == 160 for point in estimated["points"]), "frames of samples", estimated["points"])
    said, verified = searches.run(*words, "--samples", "8", cache="samples")
    answer = verified["answers"][0]
    lab.expect(not answer["is_estimate"] and answer["score"] >= 75 and best - 1 <= int(answer["value"]) <= best,
               "an estimate that was verified", (best, answer, said))
    counting, kept = table.folder / "long.avi", table.folder / "kept.mkv"  # a time base of the rate
    lab.ffmpeg("-i", reference, "-c:v", "ffv1", counting)
    searches.run(counting, *FAST, "--range", "34:34", "--target", "1", "--samples", "8", "--no-verify", cache="counting", before=(
        "import shutil\nfrom vmaf_gpu.search import source\nmake = source.run_ffmpeg\nsource.run_ffmpeg = lambda words, *more: ("
        f"make(words, *more), words[-1].endswith('/samples.mkv') and shutil.copy(words[-1], '{kept}'))\n"))
    times = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", kept],
                           check=True, capture_output=True, text=True).stdout.split()
    lab.expect([float(time) for time in times] == [n / 10 for n in range(160)], "times of samples", times)
    said, _ = searches.run(*words, "--samples", "--pool", "min", status=64)
    lab.expect("--samples tells means, and vmaf min is none" in said, "samples and the minimum", said)
    said, _ = searches.run(table.reference(seconds=1), *FAST, "--range", "34:34", "--target", "1", "--samples")
    lab.expect("too short for 16 samples" in said, "a short video", said)


def check_refused(searches):
    table, reference = searches.table, searches.reference
    sound, failing = table.folder / "sound.mka", table.folder / "failing"
    lab.ffmpeg("-f", "lavfi", "-i", "sine=d=1", sound)
    failing.write_text("#!/bin/sh\ncase \" $* \" in *\" -frames:v \"*|*-version*|*-encoders*) exec ffmpeg \"$@\";; esac\n"
                       "echo starting >&2\necho 'the codec is tired' >&2\nexit 9\n")
    failing.chmod(0o755)
    limits = ["--range", "30:40", "--target", "50"]
    for words, status, told in (
            ([reference, "--target", "100", "--range", "20:30", *FAST], NOT_REACHED, "target 100 is not reached; the best is crf 20"),
            ([reference, "--target", "101"], 64, "--target 101: scores of vmaf are from 0 to 100"),
            ([reference, "--target", "70", "--target", "neg.min=-1"], 64, "--target -1: scores of neg are from 0 to 100"),
            ([reference, "--target", "101", "--metric", "ssimulacra2"], 64, "scores of ssimulacra2 are at most 100"),
            ([reference, "--target", "ssim=2"], 64, "--target 2: scores of ssim are from 0 to 1"),
            ([sound, *limits], 65, "has no video stream"), (["/no/such.mkv", *limits], 65, "No such file"),
            ([reference, *limits, "--encoder", "libx999"], 64, "has no encoder libx999; of those that are known it has lib"),
            ([reference, *limits, "--encoder", "huffyuv"], 64, "--by bitrate needs none"),
            ([reference, "--target", "x"], 64, "expected a score"), ([reference, *limits, "--range", "9:99"], 64, "crf goes from 0 to 51"),
            ([reference, *limits, "--preset", "warp"], 64, "warp"), ([reference, *limits, "--samples", "5"], 64, "an even number"),
            ([reference, *limits, "--model", "vmaf_v9"], 64, "vmaf_v9"), ([reference, *limits, "--vf", "nonsense"], 64, "nonsense"),
            ([reference, *limits, "--encoder", "mpeg4", "--range", "5:9", "--preset", "x"], 64, "--preset: mpeg4 has no option preset"),
            ([reference, *limits, "--encoder", "mpeg4", "--range", "5:9", "--", "-aq-mode:v", "1"], 64, "-aq-mode:v behind --: mpeg4 has no option aq-mode"),
            ([reference, *limits, "--encoder", "mpeg4", "--range", "5:9", "--pix-fmt", "rgb24"], 64, "--pix-fmt: mpeg4 does not take rgb24, ffmpeg would choose yuv420p"),
            (["http://x.invalid/a.mkv", *limits], 64, "fetch it first"), ([reference, *limits, "--json", table.folder], 64, "is no file"),
            ([reference, *limits, "--json", sound], 64, "no such result"),
            ([reference], 64, "--target, --max-percent or --max-size"), ([reference, "--target", "cambi=3"], 64, "expected a score of vmaf, neg"),
            ([reference, "--max-size", "0"], 64, "a whole number of bytes"), ([reference, "--max-size", "1.5"], 64, "a whole number of bytes"),
            ([reference, "--max-size", "1", "--range", "30:30", *FAST], TOO_LARGE, "1 byte is not reachable"),
            ([reference, "--target", "99.99999", "--range", "30:30", *FAST], NOT_REACHED, "target 99.99999 is not reached"),
            ([reference, *limits, "--range", "40:30"], 64, "--range 40:30: the smaller value comes first"),
            ([reference, *limits, "--tool", "/bin/true"], 64, "/bin/true: is not the tool vmaf_gpu, or too old"),
            ([reference, "--max-size", "1e9"], 64, "a whole number of bytes"),
            ([reference, "--max-percent", "0"], 64, "a number of percent"), ([reference, "--max-percent", "5%"], 64, "a number of percent"),
            ([reference, *limits, "--target", "xpsnr=30", "--samples"], 64, "xpsnr is none; xpsnr.mean is one"),
            ([reference, *limits, "--target", "ssimulacra2.harmonic_mean=30"], 64, "may be below 0"),
            ([reference, *limits, "--metric", "ssimulacra2", "--pool", "harmonic_mean"], 64, "may be below 0"),
            ([reference, *limits, *FAST, "--", "-tune", "film", reference], 64, "is not allowed; expected options of the encoder"),
            ([reference, *limits, *FAST, "--", "-crf", "20"], 64, "'-crf' is not allowed"),
            ([reference, *limits, *FAST, "--step", "0.001"], 64, "--step 0.001: is too small for crf; expected 0.002 or more"),
            ([reference, *limits, "--encoder-ffmpeg", failing, *FAST], 65, "    the codec is tired")):
        said, found = searches.run(*words, status=status, cache="refused")
        lab.expect(told in said, f"{words[1:]} is told", said)
        lab.expect((found is not None) == (status in (NOT_REACHED, TOO_LARGE)), "a file of points", found)


def check_help(searches):
    """What is said of an option that score has as well."""
    lab.expect("--output" not in searches.table.run("search", "--help")[1], "search has no --output")


def check_words_refused(searches):
    """An option without a value would make the next word an output, and another spelling of an option is the same option."""
    family = searches.table.folder / "family.mkv"
    family.write_bytes(b"the family")
    limits = [searches.reference, *FAST, "--range", "34:34", "--target", "1"]
    for options in (["-tune", "film", "-an", family], ["-y", family], ["-noshortest", family], ["-g", "5", "--", family],
                    ["-g", "5", "-"], ["-g"], ["-crf:v", "10"], ["-vcrf", "10"], ["-codec:v", "mpeg4"], ["-c:v:0", "mpeg4"],
                    ["-x264-params", "ref=2:crf=9"], ["-vf", "hflip"], ["-filter:v", "hflip"], ["-frames:v", "1"], ["-t", "1"],
                    ["-to", "1"], ["-ss", "1"], ["-fs", "1"], ["-/filter:v", family]):
        said, found = searches.run(*limits, options=options, status=64)
        lab.expect("is not allowed; expected options of the encoder" in said and found is None, f"{options} is refused", said)
    # An option that nobody knows yet: ffmpeg itself replaces no file. 7.1 does so with status 0.
    said, found = searches.run(*limits, options=["-an", family], status=None,
                               before="from vmaf_gpu.search import command\ncommand._REFUSED = frozenset()\n")
    lab.expect(found is None and family.read_bytes() == b"the family", "a file that is there", said)
    said, found = searches.run(*limits, options=["-qdiff", "-1", "-flags:v", "+cgop", "-b:v", "0", "-noise_reduction", "0"], status=None)
    lab.expect(found is not None, "values that begin with -, and stream specifiers", said)


def check_unread(searches):
    """Nobody reads what is printed: the file is there."""
    said, found = searches.run(searches.reference, *FAST, "--range", "34:34", "--target", "1", before=lab.UNREAD, status=141)
    lab.expect(found is not None and "roken" not in said, "a search that nobody reads", said)


def check_page(searches):
    """The commands of docs/user/search.md."""
    page, at_hand = (lab.ROOT / "docs/user/search.md").read_text(), lab.encoders(searches.table.filtering or "ffmpeg")
    for words in [line.split()[1:] for line in re.findall(r"^    (vmaf-gpu search .*)$|`(vmaf-gpu search .*?)`", page, re.M)
                  for line in line if line]:
        if words[words.index("--encoder") + 1] not in at_hand:
            print(f"SKIPPED: {' '.join(words)}: no such encoder")
            continue
        begin, _, behind = " ".join(words[1:]).replace("movie.mkv", str(searches.table.reference(seconds=1))).partition(" -- ")
        said = searches.run(*begin.split(), status=None, options=behind.split())[1]
        lab.expect(said is not None, f"the example {' '.join(words)}", said)


def check_example(searches):
    """examples/search_crf.py."""
    for target, status in ("1", 0), ("100", 1):
        done = subprocess.run([sys.executable, "-B", lab.ROOT / "examples/search_crf.py", searches.table.reference(seconds=1), "libx264",
                               target, *FAST, "--range", "33:35", "--cache", searches.table.folder / "example",
                               *searches.table.programs], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(lab.PACKAGES)})
        said = done.stdout + done.stderr
        lab.expect(done.returncode == status and ("-crf 35" in said if status == 0 else "no value has what was asked for (the target fails)" in said),
                   f"the example with {target}", said)


def main():
    check_bracket()
    check_sampling()
    check_targets()
    check_second_target()
    check_best()
    check_refused_scores()
    check_words()
    check_fractions()
    lab.need_encoder()
    with tempfile.TemporaryDirectory() as folder:
        table = lab.Lab(pathlib.Path(folder), sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
        searches = Searches(table)
        check_hardware(table.filtering or "ffmpeg")
        for check in (check_answers, check_limits, check_conditions, check_cache, check_warnings, check_full, check_unkept, check_gray, check_named, check_drawn, check_options, check_surroundings, check_steps, check_ssimulacra2, check_below_0, check_references,
                      check_samples, check_refused, check_help, check_words_refused, check_unread, check_page, check_example):
            try:
                check(searches)
            except (TypeError, KeyError, IndexError, OSError) as error:  # nothing was found, which was told
                lab.expect(False, check.__name__, repr(error))
    return lab.finish("search", 900)


if __name__ == "__main__":
    sys.exit(main())
