# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What an answer has to reach: scores of metrics, and a limit of bytes. Which metrics there are, and what the words of
--target say. How a value is searched for is in bracket.py."""
import argparse
import dataclasses
import math
import pathlib
import re
from typing import Dict, List, Optional, Sequence, Tuple

from vmaf_gpu.batch.errors import USAGE, BatchError, option
from vmaf_gpu.search.bracket import Aim
from vmaf_gpu.search.store import Point

POOLS = ("mean", "harmonic_mean", "min", "perc1", "perc5", "perc10", "perc20")
RUN = "run"  # the pool of metrics that have a value of the whole run


@dataclasses.dataclass(frozen=True)
class Metric:
    """What is scored: words of the tool, and the column of its log."""

    name: str
    models: Tuple[str, ...] = ()
    features: Tuple[str, ...] = ()
    column: str = ""
    ceiling: Optional[float] = 100.0  # what equal pictures have
    run: str = ""  # the log's name of the value that FFmpeg's filter prints

    @property
    def pool(self) -> str:
        return RUN if self.run else "mean"


METRICS = {metric.name: metric for metric in (
    Metric("vmaf", ("vmaf_v0.6.1:name=vmaf",), (), "vmaf"),
    Metric("neg", ("vmaf_v0.6.1neg:name=neg",), (), "neg"),
    Metric("v1", ("vmaf_v1.0.16_3d0h:name=v1",), (), "v1"),
    Metric("ssimulacra2", (), ("ssimulacra2",), "ssimulacra2"),
    Metric("xpsnr", (), ("xpsnr",), "xpsnr_y", None, "xpsnr_run_min"),
    Metric("psnr", (), ("ffmpeg_psnr",), "ffmpeg_psnr_avg", None, "ffmpeg_psnr_run_average"),
    Metric("ssim", (), ("ffmpeg_ssim",), "ffmpeg_ssim_all", 1.0, "ffmpeg_ssim_run_all"),
    Metric("ms_ssim", (), ("float_ms_ssim",), "float_ms_ssim", 1.0))}


@dataclasses.dataclass(frozen=True)
class Goal:
    """A score, and what it has to reach."""

    metric: Metric
    pool: str
    least: float = -math.inf
    is_bare: bool = False  # a score without a name asks for an answer of its own

    @property
    def name(self) -> str:
        return self.metric.name if self.pool == self.metric.pool else f"{self.metric.name} {self.pool}"

    @property
    def aim(self) -> Aim:
        return Aim(self.least, self.metric.ceiling)

    def of(self, point: Point, _size: int = 0) -> float:
        value = point.scores[self.metric.name][self.pool]
        return math.inf if value is None else value

    def is_in(self, point: Point) -> bool:
        return self.pool in point.scores.get(self.metric.name, {})


@dataclasses.dataclass(frozen=True)
class TooLarge:
    """Reached as long as there are more bytes than the limit: behind the last such value is the best one that fits."""

    limit: int
    fall: float = 0.0  # as Knob.fall

    @property
    def aim(self) -> Aim:
        return Aim(math.log2(self.limit + 0.5), None, self.fall)  # the logarithm is nearly a straight line over the values

    def of(self, _point: Point, size: int) -> float:
        return math.log2(size)

    def is_in(self, _point: Point) -> bool:
        return True


# ------------------------------------------------------------------ from the command line

_SCORE = option("a score, -10000 to 1000", r"[-+]?(\d+\.?\d*|\.\d+)", float, -10000, 1000)  # ssimulacra2 may be far below 0
_POOL = "|".join(POOLS)
_NAMED = re.compile(rf"(?:({'|'.join(METRICS)})(?:\.({_POOL}))?|({_POOL}))=(.+)")


def target(text: str) -> Tuple[Optional[str], Optional[str], float]:
    """The type of --target: a metric and a pool, if they are named, and the score."""
    named = _NAMED.fullmatch(text)
    if named is None and "=" in text:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not allowed; expected a score of {', '.join(METRICS)}, of a pool ({', '.join(POOLS)}) or of both, "
            "as in xpsnr=40, perc5=88 or neg.min=70")
    return (named[1], named[2] or named[3], _SCORE(named[4])) if named else (None, None, _SCORE(text))


def main_metric(options: argparse.Namespace) -> Metric:
    """That of --model, or of --metric."""
    if not options.model:
        return METRICS[options.metric or "vmaf"]
    named = re.search(r":name=([^:]+)", options.model)
    stem = pathlib.Path(re.sub("^(version|path)=", "", options.model).partition(":")[0]).name
    column = named[1] if named else re.sub(r"[.]json$", "", stem)
    return Metric(column, (options.model if named else f"{options.model}:name={column}",), (), column)


def shown(options: argparse.Namespace) -> Goal:
    """The score by which values are compared, whatever it has to reach."""
    metric = main_metric(options)
    return Goal(metric, options.pool or metric.pool)


def asked(options: argparse.Namespace) -> List[List[Goal]]:
    """What has to hold together, for each answer: a score without a name asks for an answer of its own, those with names
    are conditions of all."""
    first = shown(options)
    conditions = []
    for name, pool, least in options.target:
        if name or pool:
            metric = METRICS[name] if name and name != first.metric.name else first.metric
            conditions.append(Goal(metric, pool or (first if metric == first.metric else metric).pool, least))
    scores = dict.fromkeys(least for name, pool, least in options.target if not name and not pool)
    return [[dataclasses.replace(first, least=least, is_bare=True), *conditions] for least in scores] or [conditions]


def shown_of(options: argparse.Namespace) -> List[Goal]:
    """All scores that are shown, whatever they have to reach; the first one is that of shown()."""
    named = [Goal(goal.metric, goal.pool) for goals in asked(options) for goal in goals]
    return list(dict.fromkeys([shown(options), *named]))


def _check_range(goal: Goal) -> None:
    """Models that a user names may have another range, and ssimulacra2 has no least score."""
    most, least = goal.metric.ceiling, -math.inf if goal.metric.name == "ssimulacra2" else 0.0
    if goal.metric in METRICS.values() and most is not None and not least <= goal.least <= most:
        scores = f"at most {most:g}" if math.isinf(least) else f"from {least:g} to {most:g}"
        raise BatchError(USAGE, f"--target {goal.least:.10g}: scores of {goal.metric.name} are {scores}")


def check(options: argparse.Namespace, goals: Sequence[Goal]) -> None:
    """Refuses pools that cannot be, and scores that no video has."""
    for together in asked(options):
        for goal in together:
            _check_range(goal)
    for goal in goals:
        if goal.metric.name == "ssimulacra2" and goal.pool == "harmonic_mean":
            raise BatchError(USAGE, f"{goal.name}: scores of ssimulacra2 may be below 0, of which there is no harmonic mean")
        if options.samples and goal.pool != "mean":
            mean = f"; {goal.metric.name}.mean is one" if goal.pool == RUN else ""
            raise BatchError(USAGE, f"--samples tells means, and {goal.name} is none{mean}")


def scored(goals: Sequence[Goal]) -> Dict[str, List[str]]:
    """Models and features of one run that has all these scores. The filter wants a model."""
    models = dict.fromkeys(model for goal in goals for model in goal.metric.models)
    features = dict.fromkeys(feature for goal in goals for feature in goal.metric.features)
    return {"models": list(models) or ["vmaf_v0.6.1"], "features": list(features)}
