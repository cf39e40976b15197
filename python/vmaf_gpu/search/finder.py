# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The answer for a target: on the whole video, or by samples that the whole video confirms."""
import argparse
import dataclasses
import pathlib
import re
import shlex
from typing import Any, Callable, Dict, List, Optional

from vmaf_gpu.batch import scoring, specs
from vmaf_gpu.batch.programs import Programs
from vmaf_gpu.search import bracket, sampling, store, trial
from vmaf_gpu.search.source import Source, sizes_of

SECONDS = 2  # length of a sample


def metric_of(options: argparse.Namespace) -> trial.Metric:
    """That of --model, or of --metric."""
    if not options.model:
        return trial.METRICS[options.metric]
    name = re.search(r":name=([^:]+)", options.model)
    return trial.Metric((options.model,), column=name[1] if name else "vmaf")


@dataclasses.dataclass
class Video:
    """The reference, read once."""

    path: pathlib.Path
    found: Dict[str, Any]  # its index
    content: str
    strata: Optional[List[sampling.Stratum]] = None

    def choose(self, programs: Programs, wanted: int) -> bool:
        """Chooses the samples. Returns False if there are not enough frames."""
        over, _, under = str(self.found["stream"]["avg_frame_rate"]).partition("/")
        length = max(1, round(SECONDS * float(over or 25) / max(1.0, float(under or 1))))
        sizes = sizes_of(programs, self.path)[:self.found["count"]]
        self.strata = sampling.choose(sizes, length, wanted, self.content)
        return self.strata is not None


class Search:
    """A search with one size of the encoded video."""

    def __init__(self, options: argparse.Namespace, request: scoring.Request, video: Video, recipe: trial.Recipe,
                 report: Callable[[str, bool], None], folder: pathlib.Path) -> None:
        self.options, self.request, self.video, self.recipe = options, request, video, recipe
        self.report, self.metric = report, metric_of(options)
        self.scale, self.knob, coder = recipe.scale, recipe.encoder.knob, recipe.coder
        whole = Source(coder, video.path, video.found, folder, options.vf)
        self.print = self.recipe.fingerprint(whole)
        self.whole = self._trials(whole)
        self.samples = self._trials(Source(coder, video.path, video.found, folder, options.vf, video.strata)) \
            if video.strata else None

    def _trials(self, source: Source) -> trial.Trials:
        knob, programs, options = self.knob, self.request.programs, self.options
        key = {"content": self.video.content, "vf": source.chain, "encoder": options.encoder, "print": self.print,
               "named": self.recipe.named, "frames": options.frames,
               "recipe": [options.preset, options.pix_fmt, self.scale, *options.words], "knob": [knob.option, *knob.more],
               "ffmpeg": self.recipe.coder.version, "versions": programs.versions, "hwaccel": options.hwaccel,
               "models": self.request.keys["models"], "files": specs.model_digests(self.request.keys["models"]), "features": self.metric.features,
               "column": self.metric.column, "strata": [dataclasses.asdict(one) for one in source.strata or []]}
        cache = pathlib.Path(options.cache) if options.cache else store.default_folder()
        if self.recipe.named is None:  # other files of these names would get the points
            cache = source.folder / "points"
        keep = pathlib.Path(options.keep).absolute() if options.keep else None
        return trial.Trials(self.recipe, source, store.Store(cache, key), self.request, self.metric.column, options.pool,
                            self.report, keep)

    def _on(self, trials: trial.Trials, target: float) -> int:
        return bracket.search(trials.measure, trials.known(), target, self.knob.count,
                              self.knob.nearest(self.knob.guess), self.metric.ceiling).low

    def made(self) -> int:
        """Trials so far."""
        return self.whole.made + (self.samples.made if self.samples else 0)

    def answer(self, target: float) -> Dict[str, Any]:
        """The answer for one target, or the best value if none reaches it."""
        before, trials = self.made(), self.whole
        if self.samples is None:
            notch = self._on(self.whole, target)
        elif self.options.no_verify:
            trials, notch = self.samples, self._on(self.samples, target)
        else:
            notch = self._verified(self.samples, target)
        shown = max(notch, 0)
        return {"target": target, "is_reached": notch >= 0, "scale": self.scale, **self._point(trials, shown),
                "trials": self.made() - before, "text": trials.describe(shown), "command": shlex.join(self._command(shown))}

    def _verified(self, samples: trial.Trials, target: float) -> int:
        """The samples' answer on the whole video. Where both were scored, the difference corrects the samples' target;
        the answer reaches the target, and by the samples the next value does not."""
        known, shift = self.whole.known(), 0.0
        if known and samples.known():
            near = min(known, key=lambda notch: abs(known[notch] - target))
            shift = samples.measure(near) - known[near]
        while True:
            found = bracket.bracket(known, target, self.knob.count)
            wanted = self._on(samples, target + shift)
            if found.is_closed or 0 <= found.low and wanted <= found.low:
                return found.low
            notch = min(max(wanted, found.low + 1), found.high - 1)
            known[notch] = self.whole.measure(notch)
            shift = samples.measure(notch) - known[notch]

    def _command(self, notch: int) -> List[str]:
        filters = [*([self.options.vf] if self.options.vf else []), *self.recipe.filters()]
        return [self.recipe.coder.path, *self.recipe.encoder.before, "-i", self.options.reference, "-map",
                f"0:{self.whole.source.index}", "-map", "0:a?", "-c:a", "copy",
                *(["-vf", ",".join(filters)] if filters else []), "-fps_mode", "passthrough",
                *self.whole.source.timing(), *self.recipe.options(self.knob.words(notch)), "OUTPUT.mkv"]

    def _point(self, trials: trial.Trials, notch: int) -> Dict[str, Any]:
        point = trials.points[notch]
        entry = {**dataclasses.asdict(point), "score": point.scores[self.options.pool], "kbps": trials.kbps(point),
                 "is_estimate": trials is not self.whole}
        if trials is not self.whole:  # an estimate of the whole, at the rate of the samples
            entry["bytes"] = round(point.bytes * self.video.found["count"] / point.frames)
        return entry

    def points(self) -> List[Dict[str, Any]]:
        return [{"scale": self.scale, **self._point(trials, notch)} for trials in (self.whole, self.samples)
                if trials is not None for notch in sorted(trials.points)]
