# SPDX-License-Identifier: BSD-2-Clause-Patent
"""One trial: encode, score, and keep the point."""
import dataclasses
import json
import math
import pathlib
import re
import shutil
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from vmaf_gpu.batch import manifest, merging, plan as plans, scoring, status
from vmaf_gpu.batch.errors import BAD_INPUT, USAGE, BatchError
from vmaf_gpu.search import sampling
from vmaf_gpu.search.encoders import Coder, Encoder
from vmaf_gpu.search.goals import POOLS, RUN, Goal, Metric
from vmaf_gpu.search.reporter import Reporter
from vmaf_gpu.search.source import MESSAGES, Source, run_ffmpeg
from vmaf_gpu.search.store import Point, Store

_UNUSED = re.compile(r"Codec AVOption ([^\s:]+).* has not been used for any stream")
_REPLACED = re.compile(r"Incompatible pixel format '([^']*)' for codec '[^']*', auto-selecting format '([^']*)'")
_FRAMES = 3  # frames that tell one version of an encoder from another


@dataclasses.dataclass
class Recipe:
    """How a trial is encoded."""

    coder: Coder
    name: str
    encoder: Encoder
    preset: Optional[str]
    pix_fmt: Optional[str]
    scale: Optional[str]
    words: List[str]  # the user's options for the encoder
    first: Tuple[str, ...]  # the quality option of the fingerprint: no narrower range changes it
    named: Optional[List[str]]  # what store.named_files() returns

    def filters(self) -> List[str]:
        steps = [f"scale={self.scale.replace('x', ':')}:flags=bicubic+accurate_rnd+bitexact"] if self.scale else []
        return steps + ([self.encoder.upload] if self.encoder.upload else [])

    def options(self, quality: Sequence[str]) -> List[str]:
        """Options behind the input and its filters. quality: words of the knob."""
        words = ["-pix_fmt", self.pix_fmt] if self.pix_fmt else []
        words += ["-c:v", self.name, *quality]
        words += [f"-{self.encoder.preset}", self.preset] if self.preset else []
        return _merged(words + self.words, self.encoder.knob.fractions)

    def command(self, path: pathlib.Path, stream: int, chain: str, quality: Sequence[str], output: pathlib.Path,
                *more: str) -> List[str]:
        filters = [*([chain] if chain else []), *self.filters()]
        # -n: a word of the user that is an output replaces nothing
        return [self.coder.path, "-nostdin", "-hide_banner", *MESSAGES, "-n", *self.encoder.before, "-i", str(path),
                "-map", f"0:{stream}", *(["-vf", ",".join(filters)] if filters else []), "-fps_mode", "passthrough",
                *self.options(quality), *more, "-f", "matroska", str(output)]

    def first_frames(self, source: Source, quality: Sequence[str]) -> pathlib.Path:
        """Some encoded frames. They show early what the encoder refuses, and that its version changed."""
        path = source.folder / "first.mkv"
        path.unlink(missing_ok=True)
        said: List[str] = []
        run_ffmpeg(self.command(source.reference, source.index, source.chain, quality, path, *source.timing(),
                                "-frames:v", str(_FRAMES), "-fflags", "+bitexact"),
                   f"{self.name} cannot encode {source.reference} with these options", USAGE, lambda: None,
                   said.append)
        self._check_said(said)
        return path

    def _check_said(self, lines: List[str]) -> None:
        """Refuses options of the user that ffmpeg ignores or replaces, which it says in a warning."""
        own = {self.encoder.preset: "--preset"} if self.preset else {}
        own.update({"pix_fmt": "--pix-fmt"} if self.pix_fmt else {})
        own.update({word[1:].partition(":")[0]: f"{word} behind --" for word in self.words[::2]})
        for line in lines:
            unused, replaced = _UNUSED.search(line), _REPLACED.search(line)
            if unused is not None and unused[1] in own:
                raise BatchError(USAGE, f"{own[unused[1]]}: {self.name} has no option {unused[1]}")
            if replaced is not None and "pix_fmt" in own:
                raise BatchError(USAGE, f"{own['pix_fmt']}: {self.name} does not take {replaced[1]}, ffmpeg would choose {replaced[2]}")


def doubts(warnings: List[str]) -> List[str]:
    """Without what asks whether the right file was named: a trial encodes the reference itself, and not every encoder has grey."""
    return [text for text in warnings if not text.startswith("reference is grey, main has colour")]


def _merged(words: List[str], name: str) -> List[str]:
    """The option of this name once, with all its values: of two, ffmpeg takes the last one."""
    at = [number for number, word in enumerate(words) if name and word == f"-{name}"]
    if len(at) < 2:
        return words
    others = [word for number, word in enumerate(words) if number not in at and number - 1 not in at]
    return [*others, words[at[0]], ":".join(words[number + 1] for number in at)]


def _pooled(metric: Metric, line: Dict[str, Any], log: Dict[str, Any]) -> Dict[str, Optional[float]]:
    """The scores of a run by pool; None: infinite. line: its line of results."""
    if metric.column not in line["pooled"]:
        raise BatchError(USAGE, f"there is no score {metric.column}; there are {', '.join(line['pooled'])}")
    found = {**line["pooled"][metric.column], **merging.percentiles(_values(metric, log))}
    found.update({RUN: line["aggregate"][metric.run]} if metric.run else {})
    is_infinite = metric.ceiling is None  # a mean that is not there: that of equal pictures
    return {pool: found.get(pool) for pool in (*POOLS, *([RUN] if metric.run else []))
            if found.get(pool) is not None or is_infinite}


def _values(metric: Metric, log: Dict[str, Any]) -> List[float]:
    """The scores of the frames."""
    values = [frame["metrics"][metric.column] for frame in log["frames"]]
    return [math.inf if value is None else float(value) for value in values]


def _check_mean(metric: Metric, values: List[float]) -> None:
    """Refuses a mean that a few frames without a difference make infinite, so that any value would reach it."""
    infinite = sum(map(math.isinf, values))
    if 0 < infinite < len(values):
        raise BatchError(USAGE, f"the mean of {metric.name} is infinite, since {infinite} of {len(values)} frames are equal to the "
                                f"reference: ask for another pool, as {metric.name}.perc5, or leave out --samples")


class Trials:
    """All trials of one source."""

    def __init__(self, recipe: Recipe, source: Source, store: Store, request: scoring.Request, goals: Sequence[Goal],
                 report: Reporter, keep: Optional[pathlib.Path] = None) -> None:
        self.recipe, self.source, self.store, self.request = recipe, source, store, request
        self.goals, self.report, self.keep = goals, report, keep  # goals: all scores that a point has to have
        self.points: Dict[int, Point] = {}
        self.made = 0

    def measure(self, notch: int) -> Point:
        if notch not in self.points:
            value = self.recipe.encoder.knob.value(notch)
            self.made += 1
            self.points[notch] = self._make(notch, value)
            why = self.store.put(self.points[notch])
            self.report.warn("search", [why] if why else [])
            self.report.warn(f"{self.recipe.encoder.knob.option} {value}", self.points[notch].warnings)
            size = f"{self.recipe.scale}, " if self.recipe.scale else ""
            self.report(f"{'samples' if self.source.strata else 'trial'}: {size}{self.describe(notch)}", True)
        return self.points[notch]

    @property
    def metrics(self) -> List[Metric]:
        return list(dict.fromkeys(goal.metric for goal in self.goals))

    def describe(self, notch: int) -> str:
        """A point in words."""
        point, knob = self.points[notch], self.recipe.encoder.knob
        told = {goal.name: f"{goal.name} {self.score(point, goal)}" for goal in self.goals}
        return f"{knob.option} {point.value}: {', '.join(told.values())}, {self.kbps(point):.0f} kbit/s"

    @staticmethod
    def score(point: Point, goal: Goal) -> str:
        """A score in words."""
        error = point.errors.get(goal.metric.name)
        return f"{goal.of(point):.3f}" + (f" +- {error:.2f}" if error else "")

    def kbps(self, point: Point) -> float:
        """The point's rate in kbit/s, at the mean frame rate of the reference."""
        over, _, under = self.source.rate.partition("/")
        return point.bytes * 8 / 1000 * int(over) / int(under or 1) / self._total()

    def bytes_of(self, point: Point) -> int:
        """Bytes of the whole video, at the rate of the samples if there are any."""
        return round(point.bytes * self.source.found["count"] / point.frames) if self.source.strata else point.bytes

    def known(self) -> Dict[int, Point]:
        """Points of earlier searches."""
        for notch in range(self.recipe.encoder.knob.count):
            point = self.store.get(self.recipe.encoder.knob.value(notch))
            is_kept = self.keep is None or (self.keep / self._name(self.recipe.encoder.knob.value(notch))).exists()
            is_fit = point is not None and (point.is_sound or not self.request.options.strict)
            if is_fit and point is not None and all(goal.is_in(point) for goal in self.goals) and is_kept:
                self.points[notch] = point
        return self.points

    def _name(self, value: str) -> str:
        """The name of a trial's file. Other options or another video of that name have another one."""
        words = [self.source.reference.stem[:80], self.store.folder.name[:8], self.recipe.scale or "", self.recipe.name,
                 self.recipe.encoder.knob.option.replace(":", "") + value, "samples" if self.source.strata else "", "mkv"]
        return ".".join(word for word in words if word)

    def _make(self, notch: int, value: str) -> Point:
        started = time.time()
        encoded, lost = self.source.folder / self._name(value), self.source.doubts()
        if lost and self.request.options.strict:
            raise BatchError(BAD_INPUT, f"strict: {lost[0]}")
        try:
            self._encode(notch, value, encoded)
            size = encoded.stat().st_size
            line, log = self._scored(encoded, value)
            scores = self._scores(line, log)
            errors: Dict[str, float] = {}
            for metric in self.metrics if self.source.strata else ():
                scores[metric.name]["mean"], errors[metric.name] = self._estimate(log, metric)
            if self.keep is not None:
                shutil.move(str(encoded), str(self.keep / encoded.name))
            return Point(value, scores, size, len(log["frames"]), time.time() - started, errors, line["warnings"] + lost, line["is_sound"] and not lost)
        finally:
            encoded.unlink(missing_ok=True)

    def _encode(self, notch: int, value: str, encoded: pathlib.Path) -> None:
        progress, total, knob = encoded.with_suffix(".progress"), self._total(), self.recipe.encoder.knob

        def watch() -> None:
            done = status.frames_done(progress) if progress.exists() else 0
            self.report(f"trial: {knob.option} {value}: encoded {done} of {total} frames", False)

        try:
            run_ffmpeg(self.recipe.command(self.source.path(), self.source.stream, "", knob.words(notch), encoded,
                                           *self.source.timing(), "-progress", f"file:{progress}"),
                       f"the trial {knob.option} {value} of {self.recipe.name}", BAD_INPUT, watch)
        finally:
            progress.unlink(missing_ok=True)

    def _total(self) -> int:
        if self.source.strata:
            return sum(end - first for stratum in self.source.strata for first, end in stratum.chosen)
        return int(self.source.found["count"])

    def _scored(self, encoded: pathlib.Path, value: str) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """The line of results, and the log of all frames."""
        # By number: an encoder that leaves frames out is refused.
        pair = scoring.pair_of(self.request, str(self.source.path()), str(encoded), id="trial", stream_ref=self.source.named,
                               pair="index")
        work = self.source.folder / "work"
        pairs = manifest.finish([pair], pathlib.Path.cwd(), ["the trial"])
        code, problems = scoring.run(self.request, pairs, work, warns=False)
        if code:
            raise BatchError(code, f"the trial {value} has no score: {'; '.join(problems) or 'stopped'}")
        line = scoring.lines_of(work)[0]
        # What is known when planning is of tags and sizes, which --strict takes.
        found = set(line["warnings"]) - set(plans.load(plans.Folder(work))["pairs"][0]["warnings"])
        line["warnings"] = doubts(line["warnings"])
        line["is_sound"] = self.request.options.strict or not found
        return line, json.loads((work / "results" / "trial.json").read_text())

    def _scores(self, line: Dict[str, Any], log: Dict[str, Any]) -> Dict[str, Dict[str, Optional[float]]]:
        """The pooled scores of each metric."""
        for metric in dict.fromkeys(goal.metric for goal in self.goals if goal.pool == "mean" and goal.metric.ceiling is None):
            _check_mean(metric, _values(metric, log))
        scores = {metric.name: _pooled(metric, line, log) for metric in self.metrics}
        missing = [goal for goal in self.goals if goal.pool not in scores[goal.metric.name]]
        if missing:
            known = ", ".join(scores[missing[0].metric.name])
            raise BatchError(USAGE, f"there is no {missing[0].pool} of {missing[0].metric.name}; there is {known or 'no score'}")
        return scores

    def _estimate(self, log: Dict[str, Any], metric: Metric) -> Tuple[Optional[float], float]:
        """Frames of the log are those of the stretches, one stretch after the other."""
        values = _values(metric, log)
        assert self.source.strata is not None
        if len(values) != self._total():
            raise BatchError(USAGE, f"--samples: {self._total()} frames were chosen, and {len(values)} were scored; a "
                                    "filter of --vf drops frames or adds some")
        chosen = sorted((first, end, number) for number, stratum in enumerate(self.source.strata)
                        for first, end in stratum.chosen)
        means: List[List[float]] = [[] for _ in self.source.strata]
        at = 0
        for first, end, number in chosen:
            means[number].append(sum(values[at:at + end - first]) / (end - first))
            at += end - first
        mean, half = sampling.estimate(self.source.strata, means)
        return (mean, half) if math.isfinite(mean) else (None, 0.0)
