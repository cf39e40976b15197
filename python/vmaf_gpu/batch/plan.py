# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The plan: which tasks there are. Written once, read by every worker."""
import dataclasses
import hashlib
import json
import pathlib
import re
import sys
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Optional, Tuple

from vmaf_gpu.batch import files, index, remote, specs
from vmaf_gpu.batch.calls import in_order
from vmaf_gpu.batch.errors import BAD_INPUT, USAGE, BatchError, Undecoded, counted, spelled
from vmaf_gpu.batch.programs import Programs

SCHEMA = "vmaf_gpu.plan/4"
_GOPS = 10  # a chunk decodes about one and a half groups of pictures more than it scores
_READERS = 4  # a file is hashed at over 1 GB/s, so that more would wait for the disk
_LEAST_JUDGED = 12  # pairs of a part that the engine judges by their pictures: Agreement::kLeastOfPart
_SECONDS = 20.0  # what a task takes at least, so that starting a process costs little


@dataclasses.dataclass
class Options:
    """What plan may choose; None means: by itself."""

    frames_per_task: Optional[int] = None
    frames: str = "equal"
    runner: str = "auto"
    index: str = "packets"
    hwaccel: Optional[str] = None
    strict: bool = False
    words: specs.Words = specs.Words()  # advice is in them
    pixels_per_second: float = 4e7  # rate of one process, for the size of chunks
    workers: int = 1  # processes that wait for tasks: a long video gets as many chunks at least


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


class Folder:
    """The paths of a work folder."""

    def __init__(self, work: pathlib.Path) -> None:
        self.work = work.absolute()
        self.plan = self.work / "plan.json"
        self.index = self.work / "index"
        self.parts = self.work / "parts"
        self.results = self.work / "results"

    def create(self) -> None:
        for folder in (self.work, self.index, self.parts, self.results):
            folder.mkdir(parents=True, exist_ok=True)

    def part(self, key: str) -> pathlib.Path:
        return self.parts / f"{key}.part"

    def side(self, key: str, kind: str) -> pathlib.Path:
        """KEY.meta.json: how a part was made; KEY.error.json: why it was not; KEY.progress; KEY.start."""
        return self.parts / f"{key}.{kind}"


def _trim_of(pair: Dict[str, Any], counts: Dict[str, int], frames: str) -> Tuple[int, int]:
    """The first frame and the number of pairs."""
    if _is_whole(pair):
        return 0, counts["dis"]  # at most
    base, end = 0, None
    if pair["trim"]:
        first, _, last = pair["trim"].partition(":")
        base, end = int(first), int(last) if last else None
    least = min(counts.values())
    if end is None and counts["ref"] != counts["dis"] and frames != "min":
        raise Undecoded(BAD_INPUT, f"{pair['id']}: {pair['ref']} has {counted(counts['ref'], 'frame')}, {pair['dis']} {counts['dis']}, so "
                                   "that pair index would compare others from some frame on: pair auto finds which belong "
                                   f"together; if both begin with the same picture, --frames min scores the first {least}")
    end = least if end is None else end
    if not base < end <= least:
        raise BatchError(BAD_INPUT, f"{pair['id']}: trim {pair['trim']}: the videos have only {least} common frames")
    return base, end - base


def _is_whole(pair: Dict[str, Any]) -> bool:
    """Whether pairs are known only when all is decoded: one task, without chunks."""
    return pair["pair"] != "index" or pair["offset"] is not None


def _seconds(found: Dict[str, Any]) -> List[Fraction]:
    """Times of frames since the first."""
    unit, pts = Fraction(found["stream"]["time_base"]), found["pts"]
    return [(time - pts[0]) * unit for time in pts]


def difference(videos: Dict[str, Dict[str, Any]]) -> str:
    """"": by their times the n-th frame of one video belongs to the n-th of the other; or why not. Containers round."""
    main, other = videos["dis"], videos["ref"]
    if main["count"] != other["count"]:
        return f"main has {counted(main['count'], 'frame')}, reference {other['count']}"
    formats = {video["stream"]["format"] for video in (main, other)}
    if formats & index.UNTIMED:
        return ""  # no times that could say otherwise
    reason = main["reason"] or other["reason"]
    if reason:
        return str(reason)
    times = [_seconds(video) for video in (main, other)]
    unit = sum(Fraction(video["stream"]["time_base"]) for video in (main, other))
    steps = [after - before for one in times for before, after in zip(one, one[1:])]
    most = min([unit, *(step / 4 for step in steps)])
    apart = next((n for n, (one, two) in enumerate(zip(*times)) if abs(one - two) > most), None)
    return "" if apart is None else f"frame {apart} of main is at {float(times[0][apart]):g} s, that of reference at " \
                                    f"{float(times[1][apart]):g} s"


def _guessed_rates(streams: Dict[str, Dict[str, Any]]) -> List[str]:
    """A raw stream has no times, so that a program guesses its rate, unless the coded video tells it."""
    words = {name: stream["tags"].get("rate", stream["avg_frame_rate"]).split("/") for name, stream in streams.items()}
    rates = {name: int(count) / max(int(seconds), 1) for name, (count, seconds) in words.items()}
    is_guess = any(stream["format"] in index.UNTIMED for stream in streams.values())
    if not is_guess or abs(rates["dis"] - rates["ref"]) <= 0.02 * max(rates.values()):
        return []
    return [f"main has {rates['dis']:g} frames/s and reference {rates['ref']:g}, but raw streams have no times: paired by number"]


class Videos:
    """What the plan says of each video, which is read once; several files at a time."""

    def __init__(self, programs: Programs, folder: Folder, kind: str,
                 wanted: List[Tuple[str, Optional[int]]]) -> None:
        self.programs, self.folder, self.kind = programs, folder, kind
        self.found: Dict[Tuple[str, Optional[int]], Dict[str, Any]] = {}
        self.files = in_order(_READERS, self._file, [one for one in dict.fromkeys(wanted) if not remote.is_url(one[0])])

    def index_of(self, video: Dict[str, Any]) -> Dict[str, Any]:
        return index.load(video["identity"]["content"], self.folder.index, self.kind, video["named"])

    def get(self, path: str, named: Optional[int]) -> Dict[str, Any]:
        """named: the stream that the user wants."""
        while (path, named) not in self.found:
            video = self._object(path, named) if remote.is_url(path) else next(self.files)
            self.found[video["path"], video["named"]] = video
        return self.found[path, named]

    def _file(self, wanted: Tuple[str, Optional[int]]) -> Dict[str, Any]:
        path, named = wanted
        place = pathlib.Path(path)
        identity = files.identify(place)
        found = index.cached(self.programs, place, identity["content"], self.folder.index, self.kind, named,
                             lambda: files.check_stamp(place, identity))
        return _video(path, named, identity, found)

    def _object(self, url: str, named: Optional[int]) -> Dict[str, Any]:
        with remote.Fetcher() as fetcher:
            place, identity = fetcher.get(url)
            try:
                found = index.cached(self.programs, place, identity["content"], self.folder.index, self.kind, named)
            except BatchError as error:
                raise BatchError(error.code, error.text.replace(str(place), url)) from None
            if index.is_turned(self.programs, place, found["stream"]["index"]):  # asked now: a fetched file is removed later
                found["stream"]["tags"]["turned"] = "1"
        return _video(url, named, identity, found)


def _video(path: str, named: Optional[int], identity: Dict[str, Any], found: Dict[str, Any]) -> Dict[str, Any]:
    """Without its index: there may be thousands, each with all of its times."""
    return {"path": path, "named": named, "identity": identity, "count": found["count"], "gop": found["count"] / max(1, len(found["keys"])),
            "reason": found["reason"], "stream": found["stream"]}


def _grain_warnings(asked: str, main: str) -> List[str]:
    if asked == "off" and main == "none":
        return ["no film grain is known of the first frames of main: grain off may change nothing"]
    if asked == "score" and main == "off":
        return ["the hardware decoder leaves the film grain of main off: without --hwaccel it is added"]
    return []


class Maker:
    """Makes a plan."""

    def __init__(self, programs: Programs, videos: Videos, options: Options) -> None:
        self.programs, self.videos, self.options = programs, videos, options
        self.versions = programs.versions
        self.runner = programs.choose_runner(options.runner)

    def pair(self, pair: Dict[str, Any], base_folder: pathlib.Path) -> Dict[str, Any]:
        videos = {name: self.videos.get(pair[name], pair[f"stream_{name}"]) for name in ("ref", "dis")}
        rule, why_whole = self._choose_rule(pair, videos)
        is_chosen = (pair["pair"], rule) == ("auto", "index")
        pair = {**pair, "pair": rule}
        base, count = _trim_of(pair, {name: video["count"] for name, video in videos.items()}, self.options.frames)
        models = specs.name_models([specs.model_spec(text, base_folder) for text in pair["models"]])
        if not models and not pair["features"]:
            raise BatchError(USAGE, f"{pair['id']}: neither models nor features are given")
        made = {**pair, "models": models, "base": base, "count": count, **videos}
        made["film_grain"] = specs.film_grain(made, self.options.hwaccel)
        streams = {name: video["stream"] for name, video in videos.items()}
        made["history"] = list(self.programs.history(specs.tool_words(made)))  # first: it refuses unknown models
        found, warnings = specs.conversions(self.programs, made, streams, self.options.words)
        made["warnings"] = [*warnings, *(_guessed_rates(streams) if is_chosen else []),
                            *_grain_warnings(pair["grain"], made["film_grain"]["dis"])]
        made["why_whole"] = why_whole
        made["chains"] = specs.chains(pair, streams, found.filters,
                                      self.options.hwaccel is not None and self.runner == "filter")
        if _is_whole(pair):
            self._check_whole(pair, why_whole)
        if self.runner == "filter":
            specs.filter_options(made)
        made["digest"] = self._digest(made)
        return made

    def _choose_rule(self, pair: Dict[str, Any], videos: Dict[str, Dict[str, Any]]) -> Tuple[str, str]:
        """Index where auto would pair the n-th frames, since that can be cut into chunks; or auto, and why. The tool sees
        no times, so that it cannot follow them."""
        if pair["pair"] != "auto":
            return pair["pair"], ""
        if pair["offset"] is not None:
            return "auto" if self.runner == "filter" else "index", ""
        if pair["trim"] or self.options.frames == "min":
            return "index", ""
        why = difference({name: {**self.videos.index_of(video), **video} for name, video in videos.items()})
        if why and self.runner == "tool" and any(video["reason"] for video in videos.values()) and \
                videos["ref"]["count"] == videos["dis"]["count"]:
            why = ""
        return "auto" if why else "index", why

    def _check_whole(self, pair: Dict[str, Any], why: str) -> None:
        rule = f"pair {pair['pair']}" if pair["offset"] is None else "offset"
        if self.options.frames_per_task is not None:
            raise BatchError(USAGE, f"{pair['id']}: {why}{'; ' if why else ''}{rule} cannot be cut into chunks, as its pairs are "
                                    "known only when all is decoded: leave out --frames-per-task, or use pair index")
        if self.runner != "filter" and pair["pair"] != "index":
            reason = self.programs.filter_state or "the runner is the tool"
            raise BatchError(USAGE, f"{pair['id']}: {why}{'; ' if why else ''}{rule} is done by the filter vmaf_gpu in ffmpeg: "
                                    f"{reason}")

    def _digest(self, pair: Dict[str, Any]) -> str:
        """A hash of all that determines the scores of a pair but the range."""
        names = ["models", "features", "subsample", "compat", "base", "count", "chains"]
        # parts of earlier plans still count
        defaults = {"pair": "index", "offset": None, "grain": "score", "stream_ref": None, "stream_dis": None}
        names += [name for name, value in defaults.items() if pair[name] != value]
        more = {"strict": True} if self.options.strict else {}
        return digest({**{name: pair[name] for name in names}, **more, "models_content": specs.model_digests(pair["models"]),
                       "ref": pair["ref"]["identity"]["content"], "dis": pair["dis"]["identity"]["content"],
                       "runner": self.runner, "hwaccel": self.options.hwaccel, "versions": self.versions})

    def _borders(self, pairs: List[Dict[str, Any]]) -> Iterator[Tuple[int, int]]:
        count = pairs[0]["count"]
        videos = [pair[name] for pair in pairs for name in ("ref", "dis")]
        stream = pairs[0]["ref"]["stream"]
        pixels = (stream["width"] or 1) * (stream["height"] or 1) * len(pairs)
        gops = _GOPS * max(video["gop"] for video in videos)
        size = self.options.frames_per_task or max(gops, min(_SECONDS * self.options.pixels_per_second / pixels,
                                                             count / self.options.workers))
        if self.options.frames_per_task is None and any(video["reason"] or remote.is_url(video["path"])
                                                        for video in videos):
            size = count  # every chunk would decode from the start, or fetch all of it
        parts = max(1, -(-count // max(1, int(size))) if self.options.frames_per_task else round(count / size))
        for number in range(parts):
            if self.options.frames_per_task:
                yield number * int(size), min(count, (number + 1) * int(size))
            else:
                yield number * count // parts, (number + 1) * count // parts

    def tasks(self, pairs: List[Dict[str, Any]], numbers: List[int]) -> Iterator[Dict[str, Any]]:
        """Tasks of pairs that share their reference, or of one pair."""
        if _is_whole(pairs[0]):
            yield self._whole_task(pairs, numbers)
            return
        before = max(pair["history"][0] for pair in pairs)
        after = max(pair["history"][1] for pair in pairs)
        count, subsample = pairs[0]["count"], pairs[0]["subsample"]
        for begin, end in self._borders(pairs):
            first = max(0, begin - before)
            first -= first % subsample
            task = {"first": first, "begin": begin, "end": end, "stop": min(count, end + after)}
            keys = [digest({"pair": pair["digest"], **task}) for pair in pairs]
            yield {**task, **_members(numbers, keys, pairs, task["stop"] - first)}

    def _whole_task(self, pairs: List[Dict[str, Any]], numbers: List[int]) -> Dict[str, Any]:
        """How many pairs there are is not known before."""
        count = max(pair["count"] for pair in pairs)
        return {"whole": True, "first": 0, "begin": 0, "end": count, "stop": count,
                **_members(numbers, [digest({"pair": pair["digest"], "whole": True}) for pair in pairs], pairs, count)}


def _members(numbers: List[int], keys: List[str], pairs: List[Dict[str, Any]], frames: int) -> Dict[str, Any]:
    stream = pairs[0]["ref"]["stream"]
    return {"members": [{"pair": number, "key": key} for number, key in zip(numbers, keys)],
            "cost": frames * len(pairs) * (stream["width"] or 1) * (stream["height"] or 1)}


def _groups(pairs: List[Dict[str, Any]], runner: str) -> List[List[int]]:
    """Pairs of one group with the same reference and range are scored together, by the filter."""
    found: Dict[Any, List[int]] = {}
    for number, pair in enumerate(pairs):
        name: Any = number
        if pair["group"] is not None and runner == "filter":
            name = (pair["group"], pair["ref"]["identity"]["content"], pair["stream_ref"], pair["pair"], pair["offset"],
                    pair["base"], pair["subsample"], 0 if _is_whole(pair) else pair["count"], pair["chains"]["ref"])
        found.setdefault(name, []).append(number)
    return list(found.values())


def _made(maker: Maker, pair: Dict[str, Any], base_folder: pathlib.Path) -> Dict[str, Any]:
    """An error of the manifest begins with its line."""
    where = pair.get("where")
    try:
        return maker.pair({name: value for name, value in pair.items() if name != "where"}, base_folder)
    except BatchError as error:
        if where and error.code == USAGE:
            error.text = f"{where}: {error.text}"
        raise


def make(programs: Programs, pairs: List[Dict[str, Any]], work: pathlib.Path, options: Options,
         base_folder: pathlib.Path) -> Dict[str, Any]:
    """Reads the videos and writes WORK/plan.json."""
    if options.strict and options.frames_per_task is not None and options.frames_per_task < _LEAST_JUDGED:
        raise BatchError(USAGE, f"strict: pictures of chunks of {options.frames_per_task} pairs are not compared, which takes "
                                f"{_LEAST_JUDGED}: use --frames-per-task {_LEAST_JUDGED} or more")
    folder = Folder(work)
    folder.create()
    wanted = [(pair[name], pair[f"stream_{name}"]) for pair in pairs for name in ("ref", "dis")]
    maker = Maker(programs, Videos(programs, folder, options.index, wanted), options)
    made = [_made(maker, pair, base_folder) for pair in pairs]
    tasks: List[Dict[str, Any]] = []
    for numbers in _groups(made, maker.runner):
        tasks += maker.tasks([made[number] for number in numbers], numbers)
    tasks.sort(key=lambda task: -task["cost"])
    plan = {"schema": SCHEMA, "runner": maker.runner, "versions": programs.versions, "index": options.index,
            "hwaccel": options.hwaccel, "strict": options.strict, "frames": options.frames, "pairs": made, "tasks": tasks}
    plan["digest"] = digest(plan)
    files.write_json(folder.plan, plan)
    return plan


def say_warning(subject: str, text: str) -> None:
    """Prints it."""
    print(f"vmaf-gpu: {subject}: warning: {spelled(text)}", file=sys.stderr)


def warn(plan: Dict[str, Any]) -> None:
    """Says what is doubtful about the comparisons of a plan."""
    told = set()
    for pair in plan["pairs"]:
        for text in pair["warnings"]:
            about = (pair["ref"]["path"], pair["dis"]["path"], pair["grain"], text)
            if about not in told:  # windows of one video
                say_warning(pair["id"], text)
            told.add(about)
        if pair["why_whole"]:
            print(f"vmaf-gpu: {pair['id']}: one task, pair auto: {pair['why_whole']}", file=sys.stderr)


def load(folder: Folder) -> Dict[str, Any]:
    if not folder.plan.exists():
        raise BatchError(USAGE, f"{folder.work}: has no plan.json; make it with vmaf-gpu plan")
    plan = files.read_json(folder.plan, SCHEMA)
    stored = plan.pop("digest", None)
    if stored != digest(plan):
        raise BatchError(USAGE, f"{folder.plan}: was changed or is damaged; plan again")
    return plan


def keys_of(plan: Dict[str, Any]) -> List[str]:
    return [member["key"] for task in plan["tasks"] for member in task["members"]]


def tasks_of_pair(plan: Dict[str, Any], number: int) -> List[Tuple[Dict[str, Any], str]]:
    """The tasks of a pair and its keys, in the order of the video."""
    found = [(task, member["key"]) for task in plan["tasks"] for member in task["members"]
             if member["pair"] == number]
    return sorted(found, key=lambda item: item[0]["begin"])
