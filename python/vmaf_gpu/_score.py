# SPDX-License-Identifier: BSD-2-Clause-Patent
"""score(): two files, or two series of frames, in one call."""
from __future__ import annotations

import operator
import os
from contextlib import ExitStack
from fractions import Fraction
from itertools import chain, islice
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence, Union

from ._errors import InvalidArgument
from ._frames import Array, FrameTypeError, array_of
from ._inputs import Input, alone, plan
from ._progress import Meter, Progress
from ._results import PairScores, Scores
from ._scorer import USUAL_RATE, WARNING, Features, ModelSpec, RunLog, Scorer, pass_message, sources_of, warn
from ._video import VideoReader

_END = object()  # None may come in place of a frame, which is a mistake

Video = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]", Iterable[Any]]
_PATHS = (str, bytes, os.PathLike)
_MOST_REST = 1500  # frames of a series beyond the end of the other one: a camera has no end
# What score() passes on to Scorer, and does not set by itself.
_SETTINGS = (Scorer.__init__.__kwdefaults__ or {}).keys() - {"depth", "model", "features", "device", "pair", "time_base", "rate"}


def _shapes(frame: Any, what: str) -> tuple[list[Array], int, int, str]:
    """(arrays, width, height, chroma) as a frame's shapes tell."""
    parts = list(frame) if isinstance(frame, (tuple, list)) else [frame]
    arrays = [array_of(part, what=what) for part in parts]
    if not 1 <= len(arrays) <= 3 or len(arrays[0].shape) not in (2, 3):
        raise FrameTypeError(f"{what}: a frame is (y, u, v), (y, uv), y of shape (rows, columns), or RGB "
                             "of shape (rows, columns, 3)")
    height, width = arrays[0].shape[:2]
    if len(arrays) == 1:
        return arrays, width, height, "444" if len(arrays[0].shape) == 3 else "400"
    if len(arrays) == 2:
        return arrays, width, height, "420"
    columns, rows = (width + 1) // 2, (height + 1) // 2
    sizes: dict[tuple[int, ...], str] = {(rows, columns): "420", (height, columns): "422",
                                         (height, width): "444"}
    chroma = sizes.get(arrays[1].shape)
    if chroma is None:
        raise InvalidArgument(f"{what} has luma of the shape {arrays[0].shape} and chroma of "
                              f"{arrays[1].shape}, which is none of 4:2:0, 4:2:2 and 4:4:4")
    return arrays, width, height, chroma


class _Side:
    """One of the two videos."""

    def __init__(self, video: Video, what: str, stack: ExitStack, planned: Optional[Input],
                 stream: Optional[int]) -> None:
        self.what = what
        self.rate: Optional[tuple[int, int]] = None
        self.device: Optional[tuple[str, int]] = None
        self.reader: Optional[VideoReader] = None
        self.tags = ""  # "": not known
        self.count = 0  # the video's frames; 0: not known
        if isinstance(video, _PATHS):
            path = os.fsdecode(video)
            planned = planned or alone(path, stream)
            self.tags = planned.tags
            reader = self.reader = stack.enter_context(VideoReader(path, planned.filter, planned.stream))
            form = reader.format
            self.size, self.chroma, self.depth = (form.width, form.height), form.chroma, form.depth
            self.rate = (form.rate_num, form.rate_den) if form.rate_num else None
            self.frames: Iterator[Any] = iter(reader)
            self.count = reader.count()
            return
        try:
            self.frames, self.count = iter(video), operator.length_hint(video)
        except TypeError:
            raise TypeError(f"{what} is {video!r:.80}: a path, or an iterable of frames is needed") from None
        first = next(self.frames, _END)
        if first is _END:
            raise InvalidArgument(f"{what} has no frames")
        arrays, width, height, self.chroma = _shapes(first, what)
        self.size, self.device = (width, height), arrays[0].device
        self.depth = 8 if arrays[0].bits == 8 else 0
        self.frames = chain([first], self.frames)
        del first, arrays


def _depths(sides: Sequence[_Side], depth: Union[int, Sequence[int], None]) -> tuple[int, int]:
    given = (depth, depth) if depth is None or isinstance(depth, int) else tuple(depth)
    if len(given) != 2:
        raise InvalidArgument(f"depth is {depth!r}: a number, or two")
    found = []
    for side, given_depth in zip(sides, given):
        if not side.depth and not given_depth:
            raise InvalidArgument(f"{side.what} has 16-bit samples: say how many bits count, as in "
                                  "depth=10")
        found.append(side.depth or given_depth or 0)
    return found[0], found[1]


def _check(sides: Sequence[_Side]) -> None:
    first, second = sides
    if first.size != second.size:
        raise InvalidArgument("the reference is {}x{}, the distorted video {}x{}: scale one of them "
                              "first".format(*first.size, *second.size))
    if first.chroma != second.chroma:
        raise InvalidArgument(f"the reference has chroma {first.chroma}, the distorted video "
                              f"{second.chroma}: convert one of them first")


def _push_frames(scorer: Scorer, sides: Sequence[_Side]) -> Iterator[list[PairScores]]:
    """What the rule needs, the n-th frame at time n, and the results as they come."""
    counts = {"reference": scorer.first_pair, "distorted": scorer.first_pair}
    for side in sides:
        for _ in islice(side.frames, scorer.first_pair):
            pass
    while scorer.needs:
        for name in scorer.needs:
            frame = next(sides[name == "distorted"].frames, _END)
            if frame is _END:
                scorer.end(name)
                other = sides[name != "distorted"]
                if other.reader is None and not other.count:
                    other.frames = islice(other.frames, _MOST_REST)
            else:
                scorer.push_frame(name, frame, counts[name])
            counts[name] += 1
        yield scorer.results()


def _watch(progress: Union[bool, Callable[[Progress], object]], scorer: Scorer,
           sides: Sequence[_Side]) -> Callable[[bool], None]:
    """What is to be called after each pair, and with True at the end."""
    if not progress:
        return lambda is_last: None
    counts = [side.count for side in sides]
    ends = counts if scorer.last_pair is None else [*counts, scorer.last_pair]
    total = max(0, min(ends) - scorer.first_pair) if all(counts) else 0
    meter = Meter("vmaf_gpu", progress if callable(progress) else None)

    def watch(is_last: bool) -> None:
        if is_last:
            meter.end(scorer.progress(total))
        elif meter.is_due():
            meter.show(scorer.progress(total))
    return watch


def _doubts(sides: Sequence[_Side]) -> list[str]:
    """Warnings about decoders that went on after an error."""
    names = "reference", "main"
    found = [text for side, name in zip(sides, names) if side.reader is not None for text in side.reader.doubts(name)]
    for text in found:
        pass_message(WARNING, text)
    return found


def score(reference: Video, distorted: Video, *,
          model: Union[ModelSpec, Sequence[ModelSpec], None] = "vmaf_v0.6.1",
          features: Features = (),
          depth: Union[int, Sequence[int], None] = None, device: str = "auto",
          log: Union[str, "os.PathLike[str]", None] = None, log_fmt: Optional[str] = None, precision: Union[int, str] = 6,
          overwrite: bool = False, pair: Optional[str] = None, formats: str = "convert",
          stream_ref: Optional[int] = None, stream_dist: Optional[int] = None,
          progress: Union[bool, Callable[[Progress], object]] = False,
          **settings: Any) -> Scores:
    """Score a distorted video against its reference.

    reference, distorted: a path, or an iterable of frames as Scorer.push() takes them. A path may be a
        Y4M file, or any file that the ffmpeg in PATH (or the program named by VMAF_GPU_FFMPEG)
        decodes.
    pair: which frames meet, as in Scorer: None: "auto" for two files, whose frames come at the rates that
        the files tell; "index" for series of frames and with chunk. Both series are read to their ends, one
        without a length some 1,500 frames beyond the end of the other.
    formats: "convert": of two files, ffmpeg makes ranges, matrices, pixel formats and depths equal, as for the
        FFmpeg filter. "asis": they are compared as they are.
    depth: of 16-bit frames: the bits that count. Files and 8-bit frames say it themselves.
    stream_ref, stream_dist: of a file: which stream is scored, as ffmpeg counts them from 0. None: the video that
        ffmpeg would encode.
    progress: whether to show how far the run is, as the tool does; or a function that gets it as a Progress, up to
        five times a second and at the end.
    log, log_fmt, precision, overwrite: write a log as Scorer.log() does. Its name is taken from the beginning: the log of
        another run at that time gets "name.1.ext", and a warning.
    settings: those of Scorer: shift, matrix, full_range, subsample, threads, ring_depth, chunk, ...

    What makes the scores doubtful is a ScoreWarning each, and in the result's warnings. InvalidArgument, DecoderError,
    DeviceError, OutOfMemory and OutputError say what was wrong.
    """
    unknown = settings.keys() - _SETTINGS
    if unknown:
        raise TypeError(f"score() has no argument {min(unknown)!r}; beside its own, those of Scorer are allowed: "
                        f"{', '.join(sorted(_SETTINGS))}")
    run_log = RunLog(log, log_fmt, precision, overwrite, settings.get("keep_scores", True), settings.get("chunk") is not None)
    with ExitStack() as stack:
        made: tuple[Optional[Input], Optional[Input], list[str]] = (None, None, [])
        streams = stream_ref, stream_dist
        if isinstance(reference, _PATHS) and isinstance(distorted, _PATHS):
            made = plan(os.fsdecode(reference), os.fsdecode(distorted), sources_of(model), formats, streams)
        warn([*run_log.warnings, *made[2]])
        sides = [_Side(reference, "the reference", stack, made[0], streams[0]),
                 _Side(distorted, "the distorted video", stack, made[1], streams[1])]
        _check(sides)
        found = sides[0].device
        if device == "auto" and found is not None:
            device = found[0] if found[1] < 0 else f"{found[0]}:{found[1]}"
        rate = sides[1].rate or sides[0].rate
        if rate is not None:
            settings.setdefault("frame_rate", rate[0] // rate[1])
        settings.setdefault("chroma", sides[0].chroma)
        depths = _depths(sides, depth)
        if pair is None:
            pair = "auto" if sides[0].rate and sides[1].rate and settings.get("chunk") is None else "index"
        rates = [Fraction(*known) if (known := side.rate or rate) else None for side in sides]
        settings.update(pair=pair, rate=rates, time_base=[1 / (one or Fraction(USUAL_RATE)) for one in rates])
        scorer = stack.enter_context(Scorer(*sides[0].size, depth=depths, model=model, features=features,
                                            device=device, **settings))
        if sides[1].tags:
            scorer.set_inputs(sides[1].tags, sides[0].tags, formats == "asis")
        frames: list[PairScores] = []
        watch = _watch(progress, scorer, sides)
        for results in _push_frames(scorer, sides):
            frames += results
            watch(False)
        doubts = _doubts(sides)
        warn(doubts)
        frames += scorer.flush()
        if not scorer.pushed:
            raise InvalidArgument("no pictures to compare")
        watch(True)
        told = [*run_log.warnings, *made[2], *doubts]
        run_log.write(scorer, told, None if rate else ())
        late = [text for text in run_log.warnings if text not in told]
        warn(late)
        return Scores(
            names=scorer.names, model_names=scorer.model_names,
            frames=tuple(pair for pair in frames if pair.scores is not None),
            pooled=scorer.pool_all(), aggregates=scorer.aggregates(), device=scorer.device,
            width=sides[0].size[0], height=sides[0].size[1], depth=max(depths),
            chroma=settings["chroma"], history=scorer.history, pairing=scorer.pairing,
            warnings=[*told, *late, *(text for text in scorer.warnings if text not in told)])
