# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu score --samples: windows of two videos, chosen as search chooses its samples, and what they say of the whole.

A window is scored with the pairs before and behind it that its scores depend on, so that they are those of the whole run.
"""
import dataclasses
import json
import math
import pathlib
import re
import sys
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Tuple

from vmaf_gpu.batch import files, index, manifest, plan as plans, remote, scoring, specs
from vmaf_gpu.batch.errors import BAD_INPUT, DONE, USAGE, BatchError, counted
from vmaf_gpu.search import sampling
from vmaf_gpu.search.source import sizes_of

SCHEMA = "vmaf_gpu.samples/1"


@dataclasses.dataclass
class Window:
    """Pairs begin to end - 1, which need the pairs first to stop - 1."""

    stratum: int
    begin: int
    end: int
    first: int
    stop: int

    @property
    def id(self) -> str:
        return f"score.{self.begin}-{self.end - 1}"


def _check(request: scoring.Request, *videos: str) -> None:
    """Refuses what says which frames are compared only when all is decoded."""
    keys = request.keys
    for option, is_given in (("--pair time", keys["pair"] == "time"), ("--offset", keys["offset"] is not None),
                             ("--subsample", keys["subsample"] != 1), ("--grain both", keys["grain"] == "both"),
                             (f"the format {request.format}", request.format != "json")):
        if is_given:
            raise BatchError(USAGE, f"--samples cannot be with {option}: leave out one of both")
    for video in videos:
        if remote.is_url(video):
            raise BatchError(USAGE, f"{video}: --samples reads windows of files; fetch it first")
    scoring.check_output("--output", request.output, *videos, ours=re.compile(rb'^{\s*"estimates": '))


def _indices(request: scoring.Request, distorted: str, reference: str) -> Dict[str, Dict[str, Any]]:
    """Both videos; BatchError if the n-th frames do not belong together."""
    keys, kind = request.keys, request.options.index
    found = {name: index.make(request.programs, pathlib.Path(path), kind, keys[f"stream_{name}"])
             for name, path in (("dis", distorted), ("ref", reference))}
    counts = {video["count"] for video in found.values()}
    why = plans.difference(found) if keys["pair"] == "auto" or len(counts) > 1 else ""
    if why and request.options.frames != "min":
        way = "--frames min" if len(counts) > 1 else "--pair index"
        raise BatchError(BAD_INPUT, f"--samples compares the n-th frames: {why}; score them without --samples, or with {way} if "
                                    "both begin with the same picture")
    if len(counts) > 1:
        print(f"vmaf-gpu: warning: {why}: the first {min(counts)} frames are compared", file=sys.stderr)
    return found


def _windows(request: scoring.Request, found: Dict[str, Dict[str, Any]], reference: str, wanted: int,
             seconds: float) -> Tuple[List[sampling.Stratum], List[Window], int]:
    """The strata, the windows in the order of time, and the number of pairs of the whole."""
    count, stream = min(video["count"] for video in found.values()), found["ref"]["stream"]
    sizes = sizes_of(request.programs, pathlib.Path(reference), stream["index"])[:count]
    strata = sampling.choose(sizes, sampling.length_of(stream, seconds), wanted, files.identify(pathlib.Path(reference))["content"])
    if strata is None:
        raise BatchError(USAGE, f"{count} frames are too few for {wanted} windows of {seconds:g} s and as many between them: "
                                "leave out --samples, or ask for fewer or shorter ones")
    models = specs.name_models([specs.model_spec(text, pathlib.Path.cwd()) for text in request.keys["models"]])
    before, after = request.programs.history(specs.tool_words({**manifest.DEFAULTS, **request.keys, "models": models}))
    return strata, sorted((Window(number, begin, end, max(0, begin - before), min(count, end + after))
                           for number, stratum in enumerate(strata) for begin, end in stratum.chosen),
                          key=lambda window: window.begin), count


_OF_PAIRS = re.compile(r"from pair (\d+) \(\S+ s\) on, the pictures of (\d+) pairs?(?= )")


def _of_whole(window: Window, text: str, time_of: Callable[[int], float]) -> Optional[str]:
    """A warning of a window, with numbers of the whole and without the pairs beside the window; None: it is of those alone."""
    found = _OF_PAIRS.match(text)
    if found is None:
        return re.sub(r"^\d+ frames? of (\w+) (is|are) damaged", r"frames of \1 are damaged", text)
    first = window.first + int(found[1])
    begin, end = max(first, window.begin), min(first + int(found[2]), window.end)
    # The time in the text is the window's own with some runners.
    return f"from pair {begin} ({time_of(begin):.3f} s) on, the pictures of {counted(end - begin, 'pair')}{text[found.end():]}" if begin < end else None


def _times(video: Dict[str, Any]) -> Callable[[int], float]:
    """The time of each frame from the first one on."""
    pts, stream = video["pts"], video["stream"]
    unit = float(Fraction(stream["time_base"]))
    return lambda number: (pts[number] - pts[0]) * unit if pts else number / float(Fraction(sampling.rate_of(stream)))


def _worded(windows: List[Window], distorted: Dict[str, Any]) -> Callable[[Dict[str, Any]], List[str]]:
    """The warnings of a line of results in numbers of the whole."""
    by_id, time_of = {window.id: window for window in windows}, _times(distorted)

    def worded(line: Dict[str, Any]) -> List[str]:
        made = (_of_whole(by_id[line["id"]], text, time_of) for text in line["warnings"])
        return [text for text in made if text is not None]
    return worded


def _warnings(lines: List[Dict[str, Any]]) -> List[str]:
    """The warnings of all windows, each once."""
    return list(dict.fromkeys(text for line in lines for text in line["warnings"]))


def _frames(work: pathlib.Path, window: Window) -> List[Dict[str, Any]]:
    """The frames of a window, with their numbers in the whole."""
    log = json.loads((work / "results" / f"{window.id}.json").read_text())
    return [{"frameNum": number, "metrics": frame["metrics"]} for number, frame in enumerate(log["frames"], window.first)
            if window.begin <= number < window.end]


def _ranges(work: pathlib.Path) -> Dict[str, Tuple[float, float]]:
    """The least and the greatest score of each model, as all parts have them."""
    folder = plans.Folder(work)
    part = json.loads(folder.part(plans.keys_of(plans.load(folder))[0]).read_text())
    return {part["columns"][at]: (float(least), float(most)) for at, (least, most) in zip(part["models"], part["ranges"])}


def _estimates(strata: List[sampling.Stratum], windows: List[Window], frames: List[List[Dict[str, Any]]],
               ranges: Dict[str, Tuple[float, float]]) -> Dict[str, Any]:
    """Mean of the whole and its 95 % interval, for each column; null: not finite. No mean is outside the range of its score."""
    made = {}
    for name in frames[0][0]["metrics"]:
        means: List[List[float]] = [[] for _ in strata]
        for window, inside in zip(windows, frames):
            values = [math.inf if frame["metrics"][name] is None else frame["metrics"][name] for frame in inside]
            means[window.stratum].append(sum(values) / len(values))
        mean, half = sampling.estimate(strata, means)
        is_finite = math.isfinite(mean) and math.isfinite(half)
        least, most = ranges.get(name, (-math.inf, math.inf))
        ends = [max(least, mean - half), min(most, mean + half)]
        made[name] = {"mean": mean, "interval_95": ends} if is_finite else {"mean": None, "interval_95": None}
    return made


def _document(windows: List[Window], frames: List[List[Dict[str, Any]]], estimates: Dict[str, Any], count: int,
              seconds: float) -> Dict[str, Any]:
    """For --output. seconds: of the tasks, each of which starts processes and decodes from some frames before."""
    scored = sum(window.stop - window.first for window in windows)
    return {"schema": SCHEMA, "frames_of_whole": count, "seconds": seconds, "seconds_of_whole": seconds * count / scored,
            "estimates": estimates, "windows": [{"first": window.begin, "last": window.end - 1} for window in windows],
            "frames": [frame for inside in frames for frame in inside]}


def _say(document: Dict[str, Any], names: List[str]) -> None:
    for name in names:
        found = document["estimates"][name]
        if found["mean"] is None:
            print(f"{name}: no finite mean")
            continue
        low, high = found["interval_95"]
        print(f"{name}, 95 % interval of the mean: {low:.6f} to {high:.6f}\n{name}: {found['mean']:.6f}")
    scored, count = len(document["frames"]), document["frames_of_whole"]
    print(f"{len(document['windows'])} windows, {scored} of {count} frames ({100 * scored / count:.1f} %), in "
          f"{document['seconds']:.1f} s; all frames would take at most about {document['seconds_of_whole']:.0f} s")


def score(request: scoring.Request, distorted: str, reference: str, wanted: int, seconds: float) -> int:
    _check(request, distorted, reference)
    distorted, reference = (str(pathlib.Path(video).absolute()) for video in (distorted, reference))
    found = _indices(request, distorted, reference)
    strata, windows, count = _windows(request, found, reference, wanted, seconds)
    request.options.frames_per_task = request.options.frames_per_task or count
    request.precision = "max"
    pairs = manifest.finish([scoring.pair_of(request, reference, distorted, id=window.id, trim=f"{window.first}:{window.stop}",
                                             pair="index") for window in windows], pathlib.Path.cwd(), ["a window"] * len(windows))
    with scoring.scored(request, pairs, _worded(windows, found["dis"])) as (code, work, lines):
        if code == DONE:
            frames = [_frames(work, window) for window in windows]
            seconds = sum(line["seconds"] for line in lines) / min(len(windows), request.slots.total)
            document = _document(windows, frames, _estimates(strata, windows, frames, _ranges(work)), count, seconds)
            document["warnings"] = _warnings(lines)
            if request.output:
                files.write_json(pathlib.Path(request.output).absolute(), document)
            names = list(lines[0]["percentiles"])
    if code == DONE and not request.is_quiet:  # last: nobody may read it
        _say(document, names)
    return code
