# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The answer for scores and a limit of bytes: on the whole video, or by samples that the whole video confirms."""
import argparse
import dataclasses
import functools
import hashlib
import math
import pathlib
from typing import Any, Dict, List, Optional, Sequence

from vmaf_gpu._shell import in_shell
from vmaf_gpu.batch import scoring, specs
from vmaf_gpu.batch.errors import USAGE, BatchError
from vmaf_gpu.batch.programs import Programs
from vmaf_gpu.search import bracket, kept, sampling, store, trial
from vmaf_gpu.search.goals import Goal, TooLarge
from vmaf_gpu.search.reporter import Reporter
from vmaf_gpu.search.source import Source, sizes_of

# What of an answer does not hold.
TARGET, SIZE = "target", "size"


@dataclasses.dataclass
class Video:
    """The reference, read once."""

    path: pathlib.Path
    found: Dict[str, Any]  # its index
    content: str
    programs: Programs
    strata: Optional[List[sampling.Stratum]] = None

    @functools.cached_property
    def sizes(self) -> List[int]:
        return sizes_of(self.programs, self.path, int(self.found["stream"]["index"]))

    def choose(self, wanted: int, seconds: float) -> bool:
        """Chooses the samples. Returns False if there are not enough frames."""
        length = sampling.length_of(self.found["stream"], seconds)
        self.strata = sampling.choose(self.sizes[:self.found["count"]], length, wanted, self.content)
        return self.strata is not None


class Search:
    """A search with one size of the encoded video."""

    def __init__(self, options: argparse.Namespace, request: scoring.Request, video: Video, recipe: trial.Recipe,
                 goals: Sequence[Goal], report: Reporter, folder: pathlib.Path) -> None:
        """goals: all scores that are shown. The first one tells which of several values is better."""
        self.options, self.request, self.video, self.recipe = options, request, video, recipe
        self.report, self.goals = report, goals
        self.scale, self.knob, coder = recipe.scale, recipe.encoder.knob, recipe.coder
        whole = Source(coder, video.path, video.found, folder, options.vf)
        first = self.recipe.first_frames(whole, recipe.first)
        self.print = hashlib.sha256(first.read_bytes()).hexdigest()
        self.missing = kept.missing(request.programs, video.path, whole.index, first, bool(options.vf or self.scale))
        self._check_step(whole)
        first.unlink()
        self.whole = self._trials(whole)
        self.samples = self._trials(Source(coder, video.path, video.found, folder, options.vf, video.strata)) \
            if video.strata else None

    def _check_step(self, source: Source) -> None:
        """Refuses fractions that the encoder rounds, or does not read, which ffmpeg does not say."""
        if self.knob.step == round(self.knob.step) or self.knob.ratio != 1.0:
            return
        begin = math.floor(self.knob.guess)
        knob = dataclasses.replace(self.knob, best=begin, worst=begin + 60, step=self.knob.step % 1)
        at = [knob.nearest(begin + more) for more in (0, 1, knob.step, 1 + knob.step)]
        low, high, between, behind = (self.recipe.first_frames(source, knob.words(notch)).read_bytes() for notch in at)
        if low != high and between in (low, high, behind):
            raise BatchError(USAGE, f"--step {self.knob.step:g}: {self.recipe.name} of {self.recipe.coder.path} takes whole numbers "
                                    f"only: frames with {self.knob.option} {knob.value(at[2])} are not between those of its "
                                    "neighbours")

    def _trials(self, source: Source) -> trial.Trials:
        knob, programs, options, keys = self.knob, self.request.programs, self.options, self.request.keys
        key = {"content": self.video.content, "vf": source.chain, "encoder": options.encoder, "print": self.print,
               "named": self.recipe.named, "frames": options.frames,
               "recipe": [options.preset, options.pix_fmt, self.scale, *options.words], "knob": [knob.option, *knob.more],
               "ffmpeg": self.recipe.coder.version, "versions": programs.versions, "hwaccel": options.hwaccel,
               "models": sorted(keys["models"], key=str), "files": sorted(specs.model_digests(keys["models"]), key=str),
               "features": sorted(keys["features"]),
               "strata": [dataclasses.asdict(one) for one in source.strata or []]}
        cache = pathlib.Path(options.cache) if options.cache else store.default_folder()
        if self.recipe.named is None:  # other files of these names would get the points
            cache = source.folder / "points"
        keep = pathlib.Path(options.keep).absolute() if options.keep else None
        return trial.Trials(self.recipe, source, store.Store(cache, key), self.request, self.goals, self.report, keep)

    @staticmethod
    def _values(trials: trial.Trials, point: store.Point, goals: Sequence[Any]) -> bracket.Values:
        return [goal.of(point, trials.bytes_of(point)) for goal in goals]

    def _on(self, trials: trial.Trials, goals: Sequence[Any], shifts: Sequence[float]) -> bracket.Bracket:
        aims = [goal.aim._replace(least=goal.aim.least + shift) for goal, shift in zip(goals, shifts)]
        points = {notch: self._values(trials, point, goals) for notch, point in trials.known().items()}
        return bracket.search(lambda notch: self._values(trials, trials.measure(notch), goals), points, aims, self.knob.count,
                              self.knob.nearest(self.knob.guess))

    def made(self) -> int:
        """Trials so far."""
        return self.whole.made + (self.samples.made if self.samples else 0)

    def _closed(self, goals: Sequence[Any], is_behind: bool) -> bracket.Bracket:
        """is_behind: the answer is the value behind the last one that reaches the goals, else that one."""
        if self.samples is None or self.options.no_verify:
            return self._on(self.samples or self.whole, goals, [0.0] * len(goals))
        return self._verified(self.samples, goals, is_behind)

    def _verified(self, samples: trial.Trials, goals: Sequence[Any], is_behind: bool) -> bracket.Bracket:
        """The samples' answer on the whole video. Where both were scored, the difference corrects what the samples have to
        reach; the answer holds on the whole, and what is beside it is known by the samples."""
        known = {notch: self._values(self.whole, point, goals) for notch, point in self.whole.known().items()}
        aims, shifts = [goal.aim for goal in goals], [0.0] * len(goals)
        if known and samples.known():
            near = min(known, key=lambda notch: abs(known[notch][0] - aims[0].least))
            shifts = self._shifts(samples, goals, near, known[near])
        while True:
            found = bracket.bracket(known, aims, self.knob.count)
            wanted = self._on(samples, goals, shifts).low + is_behind
            is_known = wanted >= found.high if is_behind else wanted <= found.low
            if found.is_closed or is_known and 0 <= (found.high if is_behind else found.low) < self.knob.count:
                return found
            notch = min(max(wanted, found.low + 1), found.high - 1)
            known[notch] = self._values(self.whole, self.whole.measure(notch), goals)
            shifts = self._shifts(samples, goals, notch, known[notch])

    def _shifts(self, samples: trial.Trials, goals: Sequence[Any], notch: int, whole: bracket.Values) -> List[float]:
        found = [one - other for one, other in zip(self._values(samples, samples.measure(notch), goals), whole)]
        return [shift if abs(shift) < 1e9 else 0.0 for shift in found]  # not of infinite scores

    def answer(self, goals: Sequence[Goal], limit: Optional[int]) -> Dict[str, Any]:
        """The answer for scores that have to hold together, within a limit of bytes: the fewest bytes if there are goals,
        else the best that fits. If there is none: what fails, and what comes nearest."""
        before, large, fits = self.made(), None, True
        notch = self._closed(goals, False).low if goals else -1
        fails = TARGET if goals and notch < 0 else None
        shown = max(notch, 0)
        if limit is not None and (notch < 0 or self._bytes(notch) > limit):
            large = notch if notch >= 0 else None
            fitting = self._closed([TooLarge(limit, self.knob.fall)], True).high
            shown, fits = min(fitting, self.knob.count - 1), fitting < self.knob.count
            fails = fails or (SIZE if goals or not fits else None)
        trials = self._trials_of_answer()
        return {"fails": fails, "is_reached": fails is None, "fits": fits, "targets": [self._goal(trials.points[shown], goal) for goal in goals],
                "limit": limit, "scale": self.scale, **self._point(trials, shown), "trials": self.made() - before,
                "text": trials.describe(shown), "command": " ".join(map(in_shell, self._command(shown))),
                "missing": self.missing,
                "too_large": None if large is None else {**self._point(trials, large), "text": trials.describe(large)}}

    def _trials_of_answer(self) -> trial.Trials:
        return self.samples if self.samples and self.options.no_verify else self.whole

    def _bytes(self, notch: int) -> int:
        trials = self._trials_of_answer()
        return trials.bytes_of(trials.points[notch])

    @staticmethod
    def _goal(point: store.Point, goal: Goal) -> Dict[str, Any]:
        return {"name": goal.name, "metric": goal.metric.name, "pool": goal.pool, "target": goal.least,
                "score": point.scores[goal.metric.name][goal.pool], "is_reached": goal.of(point) >= goal.least}

    def _command(self, notch: int) -> List[str]:
        filters = [*([self.options.vf] if self.options.vf else []), *self.recipe.filters()]
        name = self.options.reference  # ffmpeg takes what is before a colon for a protocol
        return [self.recipe.coder.path, *self.recipe.encoder.before, "-i", f"file:{name}" if ":" in name else name, "-map",
                f"0:{self.whole.source.index}", "-map", "0:a?", "-c:a", "copy",
                *(["-vf", ",".join(filters)] if filters else []), "-fps_mode", "passthrough",
                *self.whole.source.timing(), *self.recipe.options(self.knob.words(notch)), "OUTPUT.mkv"]

    def _point(self, trials: trial.Trials, notch: int) -> Dict[str, Any]:
        point, first = trials.points[notch], self.goals[0]
        size = trials.bytes_of(point)
        return {**dataclasses.asdict(point), "score": point.scores[first.metric.name][first.pool], "kbps": trials.kbps(point),
                "bytes": size, "percent": 100 * size / max(1, sum(self.video.sizes)), "is_estimate": trials is not self.whole}

    def points(self) -> List[Dict[str, Any]]:
        return [{"scale": self.scale, **self._point(trials, notch)} for trials in (self.whole, self.samples)
                if trials is not None for notch in sorted(trials.points)]
