# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scorer: frames in, scores out. How frames are read is in _frames.py; files are in _video.py."""
from __future__ import annotations

import atexit
import errno
import logging
import operator
import os
import sys
import threading
import warnings as python_warnings
import weakref
from collections import deque
from ctypes import byref, c_char_p, c_double, c_int64, c_void_p, create_string_buffer
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Callable, ContextManager, Iterable, Mapping, NoReturn, Optional, Sequence, Union

from . import _native
from ._errors import InvalidArgument, OutputError, UsageError
from ._frames import MATRICES, Format, picture_of
from ._native import lib
from ._progress import Progress
from ._results import Device, MergedRun, PairScores, format_of

_LOG = logging.getLogger("vmaf_gpu")
_LOG.addHandler(logging.NullHandler())
WARNING = _native.constants["VMAFGPU_LOG_WARNING"]
_FORMATS = "json", "xml", "csv", "csv_strict", "sub", "html", "part"
_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)
_CHROMA = _native.named("VMAFGPU_CHROMA_")
_COMPAT = {name.replace("_", "."): value for name, value in _native.named("VMAFGPU_COMPAT_").items()}
_PAIR = _native.named("VMAFGPU_PAIR_")
_POOLS = _native.named("VMAFGPU_POOL_")
_INPUTS = {"distorted": _native.constants["VMAFGPU_MAIN"], "reference": _native.constants["VMAFGPU_REFERENCE"]}
_INPUT_FIELDS = "time_base_num", "time_base_den", "rate_num", "rate_den"
_NO_TIME = -2 ** 63
_NANOSECOND = Fraction(1, 10 ** 9)
USUAL_RATE = 25  # for the times in messages, where no rate is known

ModelSpec = Union[str, "Model"]
Rate = Union[int, Fraction, None]
FeatureSpec = Union[str, "tuple[str, Mapping[str, object]]"]
Features = Union[str, Mapping[str, Mapping[str, object]], Iterable[FeatureSpec]]


@dataclass(frozen=True)
class Model:
    """A model with options.

    ``source``: name of a built-in model (``models()``), or path of a JSON file in libvmaf's format.
    ``name``: of its score in results; default "vmaf" for the first model, else the source.
    ``options``: "disable_clip", "enable_transform", or "FEATURE.OPTION", such as
    ``{"adm.adm_enhn_gain_limit": 1.2}``.
    """

    source: str
    name: Optional[str] = None
    options: Mapping[str, object] = field(default_factory=dict)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _integer(value: Any, what: str, bits: int = 32, is_signed: bool = True) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}: an integer is needed") from None
    low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if is_signed else (0, 2 ** bits - 1)
    if not low <= number <= high:
        raise InvalidArgument(f"{what} is {number}: {low} to {high} is allowed")
    return number


def _specs(model: Union[ModelSpec, Sequence[ModelSpec], None]) -> list[ModelSpec]:
    one = (str, os.PathLike, Model)
    specs = [] if model is None else [model] if isinstance(model, one) or not isinstance(model, Iterable) else list(model)
    if not all(isinstance(spec, one) for spec in specs):
        raise TypeError(f"model is {model!r}: a name, a path, a Model, or a list of them is needed")
    return specs


def sources_of(model: Union[ModelSpec, Sequence[ModelSpec], None]) -> list[str]:
    """Names or paths of models, as a Scorer takes them."""
    return [spec.source if isinstance(spec, Model) else os.fspath(spec) for spec in _specs(model)]


def _load(spec: ModelSpec, is_first: bool) -> _native.Model:
    model = Model(os.fspath(spec)) if not isinstance(spec, Model) else spec
    try:
        loaded = _native.Model(model.source)
    except OutputError as error:
        # A name of no built-in model; a path has to be one.
        if "/" in model.source or model.source.endswith(".json"):
            raise
        raise InvalidArgument(str(error), error.code) from None
    if model.name is not None or not is_first:
        loaded.set_option("name", model.name if model.name is not None else model.source)
    for key, value in model.options.items():
        loaded.set_option(key, _text(value))
    return loaded


def _features(given: Features) -> list[Any]:
    if not isinstance(given, Iterable):
        raise TypeError(f"features is {given!r}: a name, or a list of names and options is needed")
    specs: Iterable[FeatureSpec] = [given] if isinstance(given, str) else given.items() if isinstance(given, Mapping) else given
    return [_native.make("VmafGpuFeature", name=name, options=options) for name, options in map(_feature, specs)]


def _feature(spec: FeatureSpec) -> tuple[str, Optional[str]]:
    """"psnr", "psnr=enable_apsnr=true", or ("psnr", {"enable_apsnr": True})."""
    if isinstance(spec, str):
        name, _, options = spec.partition("=")
        return name, options or None
    if not isinstance(spec, (tuple, list)) or len(spec) != 2 or not isinstance(spec[1], Mapping):
        raise TypeError(f"features has {spec!r}: \"name\", \"name=options\" or (\"name\", {{option: value}}) is needed")
    name, values = spec
    escaped = {key: _text(value).replace("\\", "\\\\").replace(":", "\\:")
               for key, value in values.items()}
    return name, ":".join(f"{key}={value}" for key, value in escaped.items()) or None


def _pair_of(value: Union[int, Sequence[int]], what: str) -> tuple[int, int]:
    both = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    if len(both) != 2:
        raise InvalidArgument(f"{what} is {value!r}: a number, or one for the reference and one for the "
                              "distorted frames")
    return _integer(both[0], what), _integer(both[1], what)


def _input_of(base: Any, rate: Any) -> Any:
    """What an input declares: seconds of a unit of time, and frames per second."""
    try:
        values = [*Fraction(base).as_integer_ratio(), *Fraction(rate or 0).as_integer_ratio()]
    except (ValueError, OverflowError):  # not a number, infinite
        values = [0]
    if values[0] <= 0 or values[2] < 0:
        raise InvalidArgument(f"time_base is {base}, rate {rate}: more than 0 is needed")
    if max(values) >= 1 << 31:
        raise InvalidArgument(f"time_base is {base}, rate {rate}: give a ratio, Fraction(30000, 1001) in place of 29.97")
    return _native.make("VmafGpuPairingInput", **dict(zip(_INPUT_FIELDS, values)))


def _pairing_of(pair: Optional[str], offset: Union[int, str, None], window: Optional[int], time_base: Any,
                rate: Any, is_part: bool, frame_rate: int) -> Any:
    """VmafGpuPairingSettings. Pairs that come by push() are pairs by number, which the engine judges."""
    if pair is None:
        if offset is not None or window is not None:
            raise InvalidArgument(f"{'offset' if window is None else 'offset_window'} needs pair")
        pair, rate, time_base = "index", max(frame_rate, 0), Fraction(1, frame_rate if frame_rate > 0 else USUAL_RATE)
    bases, rates = (list(one) if isinstance(one, (tuple, list)) else [one, one] for one in (time_base, rate))
    if len(bases) != 2 or len(rates) != 2:
        raise InvalidArgument("time_base and rate: one value, or one for the reference and one for the "
                              "distorted frames")
    how = "NONE" if offset is None else "AUTO" if offset == "auto" else "GIVEN"
    return _native.make("VmafGpuPairingSettings", _native.lib.vmafgpu_pairing_default,
                        rule=_choice(pair, _PAIR, "pair"), has_offset=_native.constants[f"VMAFGPU_OFFSET_{how}"],
                        offset=_integer(offset, "offset", 64) if how == "GIVEN" else 0,
                        is_part=int(is_part), offset_window=-1 if window is None else _integer(window, "offset_window"),
                        input=(_input_of(bases[1], rates[1]), _input_of(bases[0], rates[0])))


def _choice(value: str, known: Mapping[str, int], what: str) -> int:
    """Names are taken in any case, as by the filter."""
    name = value.lower() if isinstance(value, str) else value
    if name not in known:
        raise InvalidArgument(f"{what} is {value!r}: {', '.join(known)} are known")
    return known[name]


class ScoreWarning(UserWarning):
    """What makes a score doubtful, in the words of the engine."""


def warn(texts: Iterable[str], kind: type[ScoreWarning] = ScoreWarning) -> None:
    """Warns as if from the line of the user that called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    for text in texts:
        python_warnings.warn(text, kind, stacklevel=level)


def pass_message(level: int, text: str) -> None:
    _LOG.log(_LEVELS[level], "%s", text)


def _keep_message(warnings: list[str], level: int, text: str) -> None:
    if level == WARNING and text not in warnings:
        warnings.append(text)
    pass_message(level, text)


class _Guard:
    """One thread at a time, the others wait. A thread that comes again gets an error.

    The lock's own methods enter and leave: Ctrl-C cannot come within them, so that it is never left locked.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def lock(self) -> ContextManager[Any]:
        """The lock for a with statement."""
        if self._lock._is_owned():  # type: ignore[attr-defined]
            raise UsageError("the Scorer is used by code that one of its own calls runs")
        return self._lock

    def run_within(self, seconds: float, call: Callable[[], None]) -> None:
        """Run it when no other thread is inside any more, or not at all."""
        if self._lock.acquire(timeout=seconds):
            try:
                call()
            finally:
                self._lock.release()


_open_scorers: "weakref.WeakSet[Scorer]" = weakref.WeakSet()
_is_exiting = False


def _close_all() -> None:
    """Closes all before the interpreter ends: no thread may be inside the engine then, waiting for the GIL."""
    global _is_exiting
    _is_exiting = True
    for scorer in list(_open_scorers):
        if scorer._pid == os.getpid():
            scorer._guard.run_within(30, scorer._context.close)


atexit.register(_close_all)


class Scorer:
    """Scores pairs of frames as they come.

    width, height: of luma, in samples; 17 to 65535.
    depth: bits per sample, 8 to 16; two numbers if reference and distorted frames differ. Depth 8 is
        uint8, all others are uint16.
    chroma: "420", "422", "444", or "400" for luma alone.
    model: a built-in name, the path of a JSON file, a Model, a sequence of these, or None for
        features only.
    features: more to compute, named as in libvmaf: "psnr", "psnr=enable_apsnr=true", or
        ("psnr", {"enable_apsnr": True}).
    device: "auto", "cpu", "cuda", "cuda:1", "hip", or a PCI id. See devices().
    shift: unused low bits of a stored sample: 6 for P010, 4 for P012. Two numbers as with depth.
    matrix, full_range: of RGB frames: "bt601", "bt709" or "bt2020".
    subsample: score every n-th pair. threads: of the CPU; 0: as many as allowed.
    ring_depth: pairs in flight, 1 to 64.
    chunk: (begin, end) or (begin, end, total): the pairs of the whole run that this Scorer counts; end
        None: up to the last. See first_pair and last_pair.
    frame_rate: whole frames per second, for xpsnr; 0: unknown.
    shots: if True, logs in JSON and HTML have the shots, found from the pictures; or the path of a file with
        the first pair of each, one a line.
    compat: "3.2" or "3.1": which libvmaf the motion feature equals.
    pair: "auto", "time", "index" or "framesync": frames come one by one, by push_frame(), and the engine
        pairs them by this rule; None: pairs come by push().
    offset: with pair: number of the reference frame that the first distorted frame meets; "auto": it is
        found from the pictures, up to offset_window seconds, 1 to 60 (default 5), away. InvalidArgument comes
        with the frames if none fits.
    time_base: with pair: seconds that a unit of the frames' times lasts, a Fraction; two if the reference
        and the distorted frames differ. rate: their frames per second, likewise; None: unknown.
    keep_scores: if False, memory does not grow with the number of pairs, log() cannot be called, and there are
        no percentiles of long runs: pool_all() leaves them out.
    stream: of frames in device memory: the CUDA or HIP stream, as a number, on which they are ready;
        0: the default stream. native_context: a CUcontext that is not the device's primary one.

    Attributes: names of the scores, in the order of logs; model_names, those of the models; device, which
    computes; history: how many earlier and later pairs the scores of one pair depend on; first_pair: number in
    the whole run of the pair that has to be pushed first, 0 without chunk; last_pair: of the first pair that
    need not be pushed any more, None: push all there are; pushed: how many pairs were.

    InvalidArgument (a ValueError) if a setting is not allowed, DeviceError if the device is not there.
    Several threads may use one Scorer; each call waits for the other's. It cannot be pickled, and not
    be used in the child of a fork.
    """

    names: tuple[str, ...]
    model_names: tuple[str, ...]
    device: Device
    history: tuple[int, int]
    first_pair: int
    last_pair: Optional[int]
    pushed: int
    _met: "deque[tuple[int, int]]"
    _report: dict[str, Any]

    def __init__(self, width: int, height: int, *, depth: Union[int, Sequence[int]] = 8,
                 chroma: str = "420",
                 model: Union[ModelSpec, Sequence[ModelSpec], None] = "vmaf_v0.6.1",
                 features: Features = (), device: str = "auto",
                 shift: Union[int, Sequence[int]] = 0, matrix: Optional[str] = None,
                 full_range: bool = False, subsample: int = 1, threads: int = 0, ring_depth: int = 4,
                 chunk: Optional[Sequence[Optional[int]]] = None, frame_rate: int = 0,
                 compat: str = "3.2", keep_scores: bool = True, self_test: bool = True,
                 stream: int = 0, native_context: int = 0, pair: Optional[str] = None,
                 offset: Union[int, str, None] = None, offset_window: Optional[int] = None, shots: Union[bool, str, "os.PathLike[str]"] = False,
                 time_base: Union[Fraction, Sequence[Fraction]] = _NANOSECOND,
                 rate: Union[Rate, Sequence[Rate]] = None) -> None:
        if _is_exiting:
            raise UsageError("the interpreter is ending")
        self._guard = _Guard()
        self._pid = os.getpid()
        depths, shifts = _pair_of(depth, "depth"), _pair_of(shift, "shift")
        if matrix is not None and matrix not in MATRICES:
            raise InvalidArgument(f"matrix is {matrix!r}: {', '.join(MATRICES)} are known")
        loaded = [_load(spec, i == 0) for i, spec in enumerate(_specs(model))]
        if not isinstance(device, str):
            raise TypeError(f"device is {device!r}: a string is needed")
        numbers = {"width": width, "height": height, "ring_depth": ring_depth, "threads": threads,
                   "subsample": subsample, "frame_rate": frame_rate}
        made = _features(features)
        settings: dict[str, Any] = {
            **{key: _integer(value, key) for key, value in numbers.items()}, "depth": max(depths),
            "chroma": _choice(chroma, _CHROMA, "chroma"), "device": device.lower(),
            "models": [one.handle for one in loaded], "model_count": len(loaded),
            "features": made, "feature_count": len(made),
            "compat": _choice(compat, _COMPAT, "compat"), "self_test": int(bool(self_test)),
            "native_context": _integer(native_context, "native_context", 64, False),
            "native_stream": _integer(stream, "stream", 64, False),
            "shots": str(int(shots)) if isinstance(shots, bool) else shots}
        self._chunk, self.first_pair, self.last_pair = _chunk_of(chunk, settings)
        pairing = _pairing_of(pair, offset, offset_window, time_base, rate, chunk is not None, settings["frame_rate"])
        self._pair = pair
        self._warnings: list[str] = []
        # Its log holds no Scorer.
        self._context = _context_of({**settings, "chunk": self._chunk, "pairing": pairing},
                                    partial(_keep_message, self._warnings), keep_scores)
        self._opening_warnings = len(self._warnings)
        self._told = 0
        self._set_matrix(matrix, full_range)
        self._keeps_scores = keep_scores
        self.names = tuple(self._context.texts(lib.vmafgpu_score_name))
        self.model_names = tuple(self.names[self._context.run(lib.vmafgpu_model_score, i)] for i in range(len(loaded)))
        self.history = self._context.history()
        found = _native.make("VmafGpuDevice")
        self._context.run(lib.vmafgpu_device_info, byref(found))
        self.device = _device_of(found)
        coefficients = None if matrix is None else (*MATRICES[matrix], full_range)
        number = self.device.selector.rpartition(":")[2]
        self._formats = [
            Format(settings["width"], settings["height"], chroma, depths[i], shifts[i],
                   self._context.run(lib.vmafgpu_needs_chroma) == 1, coefficients, self.device.backend,
                   int(number) if number.isdigit() else -1, settings["native_stream"])
            for i in (0, 1)]
        self._results: "deque[PairScores]" = deque()
        self._forget_pairs()
        _open_scorers.add(self)

    def _set_matrix(self, matrix: Optional[str], full_range: bool) -> None:
        if matrix is not None:
            name = {"bt601": "smpte170m", "bt2020": "bt2020nc"}.get(matrix, matrix)
            tags = f"matrix={name}:range={'pc' if full_range else 'tv'}"
            self.set_inputs(tags, tags, True)

    def set_inputs(self, main: str, reference: str, is_as_is: bool) -> None:
        """Set what the pictures are before the first pair, for features that read colours: "matrix=bt709:range=tv",
        in FFmpeg's names. is_as_is: nothing is converted; else FFmpeg makes the two alike."""
        with self._used():
            inputs = _native.inputs_of(main, reference, is_as_is)
            _native.throw_if(lib.vmafgpu_inputs_plan(byref(inputs)))
            error = _native.make("VmafGpuError")
            status = self._context.run(lib.vmafgpu_set_inputs, byref(inputs), byref(error), allowed=range(-4096, 0))
            _native.throw_if(status, error.text)

    # ------------------------------------------------------------- properties

    @property
    def held(self) -> int:
        """How many frames the engine still reads. Their arrays must not be changed."""
        return self._context.held

    # ------------------------------------------------------------------ calls

    def push(self, reference: Any, distorted: Any) -> None:
        """Start one pair; wait only if ring_depth pairs are in flight.

        A frame is (y, u, v), (y, uv) as in NV12, y alone if no feature reads chroma, or RGB of shape
        (height, width, 3) if matrix was given. Each plane is an array of shape (rows, columns), or
        (rows, columns, 2) for uv. The arrays are kept, not copied: do not change them while the
        engine reads them, see held.

        InvalidArgument: the frame is not what the Scorer was opened for. OutOfMemory: the pair was not
        taken; the Scorer stays usable. DeviceError: the device is lost.
        """
        with self._used():
            if self._pair is not None:
                raise UsageError("this Scorer was opened with pair: push_frame() takes its frames")
            first = picture_of(reference, self._formats[0], "the reference")
            second = picture_of(distorted, self._formats[1], "the distorted frame")
            while not self._context.submit(first, second):
                self._collect(True)
            self.pushed += 1

    def push_frame(self, which: str, frame: Any, time: Optional[int] = None, *,
                   damaged: bool = False) -> None:
        """Add the next frame of "reference" or "distorted"; the engine pairs it by the rule ``pair``.

        time: in units of time_base; None: it has none, and one is assumed from rate. damaged: its decoder
        reported errors, which is counted. Frames, errors and what is kept are as with push(). UsageError if
        one input is too far ahead of the other: see needs.
        """
        with self._used():
            number = self._paired(which)
            is_reference = which == "reference"
            picture = picture_of(frame, self._formats[0 if is_reference else 1],
                                 "the reference" if is_reference else "the distorted frame")
            at = _NO_TIME if time is None else _integer(time, "time", 64)
            while not self._context.push(number, picture, at, damaged):
                if not self._advance():
                    raise UsageError(f"too many frames of \"{which}\" wait: push frames of the other "
                                     "input, or end() it")
            self._advance()

    def end(self, which: str) -> None:
        """Say that "reference" or "distorted" has no more frames. flush() says it of both."""
        with self._used():
            self._context.run(lib.vmafgpu_push_end, self._paired(which))
            self._advance()

    @property
    def needs(self) -> tuple[str, ...]:
        """Which of "reference" and "distorted" has to bring a frame, or its end, before more can be paired."""
        return tuple(name for name, number in _INPUTS.items() if self._needs >> number & 1)

    @property
    def warnings(self) -> list[str]:
        """What makes the scores doubtful, in the words of the engine. flush() gives each as a ScoreWarning, once."""
        return list(self._warnings)

    @property
    def pairing(self) -> Mapping[str, Any]:
        """What became of the frames of both inputs, by the keys of the log; empty before flush(). push() pairs by "index".

        ``fault`` is the first reason why they are not all paired, once and with times; "" if there is none.
        """
        return dict(self._report)

    def progress(self, total: int = 0) -> Progress:
        """How far the run is. total: pairs that will come; 0: not known."""
        with self._used():
            return self._context.progress(_integer(total, "total", 64))

    def results(self) -> list[PairScores]:
        """The pairs whose scores have become final since the last call, in order. Does not wait.

        A pair's scores may depend on later pairs: see history and flush().
        """
        with self._used():
            self._collect_final()
            return self._taken()

    def flush(self) -> list[PairScores]:
        """End the clip: wait until every pair is final, and return what results() would.

        Frames that are pushed later begin another clip: motion is not measured across the gap. With
        pair there can be none. What became of the frames is counted, logged, and in pairing. What the engine warns
        of is a ScoreWarning: pictures that do not belong together, for instance.
        """
        with self._used():
            if self._pair is not None:
                for number in _INPUTS.values():
                    self._context.run(lib.vmafgpu_push_end, number)
                self._advance()
            self._context.run(lib.vmafgpu_flush)
            while self._collect(True):
                pass
            self._report = self._context.finish()
            new, self._told = self._warnings[self._told:], len(self._warnings)
        warn(new)  # a user who makes errors of warnings still gets the pairs, by results()
        with self._used():
            return self._taken()

    def pooled(self, name: Optional[str] = None, method: str = "mean") -> float:
        """A score of all pairs that are final, pooled: call flush() before.

        name: one of names; None: the first model's. method: "mean", "harmonic_mean", "min", "max",
        "perc1", "perc5", "perc10", "perc20". InvalidArgument if there is no such score or no pair.
        """
        with self._used():
            self._collect_final()
            return self._pooled(name, method)

    def pool_all(self) -> dict[str, dict[str, float]]:
        """pooled() of every score by every method; empty if no pair was scored."""
        with self._used():
            self._collect_final()
            if self.names and self._context.value(lib.vmafgpu_pooled, 0, _POOLS["mean"]) is None:
                return {}
            methods = list(_POOLS)[:None if self._keeps_scores else 4]
            return {name: {method: self._pooled(name, method) for method in methods} for name in self.names}

    def aggregates(self) -> dict[str, float]:
        """Values per run instead of per pair, such as apsnr_y; empty if no feature has any."""
        with self._used():
            self._collect_final()
            names = self._context.texts(lib.vmafgpu_aggregate_name)
            found = [(name, self._context.value(lib.vmafgpu_aggregate, number)) for number, name in enumerate(names)]
            return {name: value for name, value in found if value is not None}

    def log(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None, *, precision: Union[int, str] = 6,
            overwrite: bool = False, title: Optional[str] = None,
            times: Optional[Sequence[int]] = None, time_base: tuple[int, int] = (1, 1),
            warnings: Sequence[str] = ()) -> None:
        """Write a log of all pairs that are final, in the bytes of the command-line tool's.

        format: "json", "xml", "csv", "csv_strict", "sub", "html", or "part" if chunk was given. None: csv, html, sub or xml
        if path ends so, else json.
        precision: 6 to 17 digits behind the point, or "max": as many as the double needs. overwrite: path may be a
        file that is no log. times: of the distorted frames, by the number of their pair in the run, in units of
        time_base seconds; with pair they are known, and () leaves them out. warnings: for readers of the log, beside those of this run.
        The file appears complete or not at all. OutputError (an OSError) if it cannot be written.
        """
        _check_part(format, self._chunk is not None)
        if times is None and self._pair is None:
            times = ()
        self._write_log(_log_settings(path, format, precision, overwrite, title=title, times=times, time_base=time_base,
                                      warnings=warnings))

    def reset(self) -> None:
        """Forget all pairs and begin anew."""
        with self._used():
            self._context.run(lib.vmafgpu_reset)
            del self._warnings[self._opening_warnings:]
            self._told = min(self._told, self._opening_warnings)
            self._results.clear()
            self._forget_pairs()

    def close(self) -> None:
        """Give everything back, also the arrays. More calls of close() do nothing."""
        if self._pid != os.getpid():
            return  # a thread that was in a call when the process forked has the lock for ever
        with self._guard.lock():
            self._context.close()
            _open_scorers.discard(self)

    def __enter__(self) -> "Scorer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Scorer cannot be pickled or copied: open one in each process")

    def __repr__(self) -> str:
        form = self._formats[0]
        return (f"<vmaf_gpu.Scorer {form.width}x{form.height} on {self.device.selector}, "
                f"{self.pushed} pair{'' if self.pushed == 1 else 's'}>")

    # ----------------------------------------------------------------- inside

    def _used(self) -> ContextManager[Any]:
        if self._pid != os.getpid():
            raise UsageError("the Scorer was opened in another process: after a fork each process opens "
                             "its own")
        return self._guard.lock()

    def _write_log(self, settings: Any) -> None:
        with self._used():
            self._collect_final()
            self._context.write_log(settings)

    def _forget_pairs(self) -> None:
        self.pushed = 0
        self._met, self._report = deque(), {}
        self._needs = 0 if self._pair is None else 3

    def _paired(self, which: str) -> int:
        if self._pair is None:
            raise UsageError("this Scorer was opened without pair: push() takes its frames")
        return _choice(which, _INPUTS, "which")

    def _advance(self) -> bool:
        """Pair what can be paired. Returns False if nothing could."""
        has_advanced = False
        match = _native.make("VmafGpuMatch")
        while True:
            status = self._context.run(lib.vmafgpu_next, byref(match), 1, allowed=(-errno.EAGAIN, -errno.ENODATA))
            if status == -errno.EAGAIN and match.needs == 0:
                self._collect(True)
            elif status != 0:
                self._needs = match.needs if status == -errno.EAGAIN else 0
                return has_advanced or status == -errno.ENODATA
            elif match.kind == _native.constants["VMAFGPU_MATCH_PAIR"]:
                self._met.append((match.number[_INPUTS["reference"]], match.number[_INPUTS["distorted"]]))
                self.pushed += 1
            has_advanced = True

    def _collect(self, wait: bool) -> bool:
        found = self._context.collect(wait)
        if found is None:
            return False
        index, values = found
        if self._chunk is not None and not self._chunk.begin <= index < (self._chunk.end or index + 1):
            return True  # a neighbour, whose scores are not final
        scores = None if values is None else dict(zip(self.names, values))
        self._results.append(PairScores(index, scores, self._met.popleft() if self._met else None))
        return True

    def _collect_final(self) -> None:
        while self._collect(False):
            pass

    def _taken(self) -> list[PairScores]:
        taken = list(self._results)
        self._results.clear()
        return taken

    def _pooled(self, name: Optional[str], method: str) -> float:
        if name is None and not self.model_names:
            raise InvalidArgument("no model was asked for: name one of " + ", ".join(self.names))
        name = self.model_names[0] if name is None else name
        if name not in self.names:
            raise InvalidArgument(f"no score {name!r}; there are {', '.join(self.names)}")
        method = method.lower()
        if method not in _POOLS:
            raise InvalidArgument(f"no pooling {method!r}; there are {', '.join(_POOLS)}")
        value = self._context.value(lib.vmafgpu_pooled, self.names.index(name), _POOLS[method])
        if value is None:
            raise InvalidArgument("no pair was scored: push some, and call flush()")
        return value


def _context_of(settings: Mapping[str, Any], log: Callable[[int, str], None], keeps_scores: bool) -> _native.Context:
    return _native.Context(_native.make("VmafGpuSettings", lib.vmafgpu_settings_default, **settings), log, keeps_scores)


def _chunk_of(chunk: Optional[Sequence[Optional[int]]], settings: Mapping[str, Any]) -> tuple[Any, int, Optional[int]]:
    """VmafGpuChunk, or None; the first pair to push, and the first that is not needed."""
    if chunk is None:
        return None, 0, None
    if not isinstance(chunk, Sequence) or len(chunk) not in (2, 3) or chunk[0] is None:
        raise InvalidArgument(f"chunk is {chunk!r}: (begin, end) or (begin, end, total) is needed")
    begin, end, total = (_integer(one or 0, "chunk", 64) for one in (*chunk, 0)[:3])
    if begin < 0 or (chunk[1] is not None and end <= begin):
        raise InvalidArgument(f"chunk is {chunk!r}: 0 <= begin < end is needed")
    made = _native.make("VmafGpuChunk", begin=begin, end=end, total=total)
    first, last = c_int64(), c_int64()
    _native.checked(lib.vmafgpu_run_window, byref(_native.make("VmafGpuSettings", lib.vmafgpu_settings_default, **settings)),
                    byref(made), byref(first), byref(last))
    made.first = first.value
    return made, first.value, None if last.value < 0 else last.value


def _check_part(format: Optional[str], has_chunk: bool) -> None:
    if format is not None and format.lower() == "part" and not has_chunk:
        raise InvalidArgument('the log format "part" is that of a part of a run: give chunk, too')


class RunLog:
    """The log of score(). Refuses bad settings before the work, not after it; its name is taken from then on, so that
    another run in this process or in another one does not replace it."""

    def __init__(self, path: Union[str, "os.PathLike[str]", None], format: Optional[str], precision: Union[int, str],
                 overwrite: bool, keep_scores: bool, has_chunk: bool) -> None:
        self.warnings: list[str] = []
        self._path = path
        self._output: Optional[_native.Output] = None
        if path is None:
            return
        _check_part(format, has_chunk)
        if not keep_scores:
            raise InvalidArgument("log needs the scores of all pairs: leave keep_scores out")
        self._settings = partial(_log_settings, path, format, precision, overwrite)
        self._settings()
        if os.fspath(path) != "-" and (os.path.isfile(path) or not os.path.exists(path)):  # a pipe would end
            self._output = _native.Output(path, overwrite)
            self._warn_if_renamed(_native.name_of(path), self._output.path, "another output has '{}': writing '{}'")

    def _warn_if_renamed(self, asked: str, name: str, text: str) -> None:
        if name != asked:
            self.warnings.append(text.format(asked, name))
            pass_message(WARNING, self.warnings[-1])

    def write(self, scorer: Scorer, warnings: Sequence[str], times: Optional[Sequence[int]]) -> None:
        """warnings: those of the run. Others may be new in self.warnings afterwards."""
        if self._path is None:
            return
        settings = self._settings(warnings=warnings, times=times)
        if self._output is None:
            scorer._write_log(settings)
            return
        settings.output, asked = self._output.handle, self._output.path
        scorer._write_log(settings)
        self._output.finish()
        self._warn_if_renamed(asked, self._output.path, "'{}' has become another file during the run: wrote '{}'")


def _log_settings(path: Union[str, "os.PathLike[str]"], format: Optional[str], precision: Union[int, str], overwrite: bool,
                  *, title: Optional[str] = None, times: Optional[Sequence[int]] = None,
                  time_base: tuple[int, int] = (1, 1), warnings: Sequence[str] = ()) -> Any:
    """VmafGpuLog."""
    format = (format_of(path) if format is None else format).lower()
    if format not in _FORMATS:
        raise InvalidArgument(f"log format {format!r}: {', '.join(_FORMATS)} are known")
    digits = 0 if precision == "max" else precision
    if not isinstance(digits, int) or digits != 0 and not 6 <= digits <= 17:
        raise InvalidArgument(f"precision {precision!r}: 6 to 17, or \"max\"")
    if "\0" in os.fsdecode(path):
        raise InvalidArgument(f"log is {os.fsdecode(path)!r}: no path has a NUL")
    run: dict[str, Any] = {"warnings": [_utf8(text) for text in warnings], "warning_count": len(warnings)}
    if times is not None and not len(times):
        run["time_base_num"] = -1
    elif times is not None:
        run.update(pts=[_integer(one, "times", 64) for one in times], pts_count=len(times),
                   time_base_num=_integer(time_base[0], "time_base"), time_base_den=_integer(time_base[1], "time_base"))
    return _native.make("VmafGpuLog", path=path, format=format, precision=digits, overwrite=int(bool(overwrite)),
                        title=None if title is None else _utf8(title), run=_native.make("VmafGpuRun", **run))


def _utf8(text: str) -> bytes:
    return str.encode(text, errors="backslashreplace")  # raises TypeError for anything but a str


def _device_of(found: Any) -> Device:
    return Device(**{name: value for name, value in _native.values_of(found).items() if name in Device._fields})


def devices() -> list[Device]:
    """The usable devices, best first; the CPU comes after all GPUs, emulators are last."""
    kind = type(_native.make("VmafGpuDevice"))
    found = (kind * _native.throw_if(lib.vmafgpu_devices(None, 0)))()
    return [_device_of(one) for one in found[:lib.vmafgpu_devices(found, len(found))]]


def unusable_devices() -> list[tuple[Device, str]]:
    """GPUs that a driver lists and this build cannot use, and why."""
    found: list[tuple[Device, str]] = []
    device, why = _native.make("VmafGpuDevice"), create_string_buffer(512)
    while lib.vmafgpu_unusable_device(len(found), byref(device), why, len(why)) == 0:
        found.append((_device_of(device), why.value.decode(errors="backslashreplace")))
    return found


def models() -> list[str]:
    """Names of the built-in models."""
    return _native.texts(lib.vmafgpu_model_builtin)


def merge(parts: Iterable[Union[str, "os.PathLike[str]"]],
          output: Union[str, "os.PathLike[str]", None] = None, log_fmt: Optional[str] = None, *,
          precision: Union[int, str] = 6, overwrite: bool = False) -> MergedRun:
    """Put the parts of a run together: files that log(format="part") wrote, in any order.

    output: the log of the whole run, byte for byte that of a run in one piece but for fps; None: no
    log. log_fmt: as for Scorer.log(). InvalidArgument: the parts are not those of one run, each pair once. MismatchError: two
    parts disagree on a pair, so that one of them is wrong. Each warning of the run is a ScoreWarning.
    """
    log = None if output is None else _log_settings(output, log_fmt, precision, overwrite)
    paths = [_native.text_of(part) for part in parts]
    if not paths:
        raise InvalidArgument("no parts to merge")
    opened, means = c_void_p(), {}
    _native.checked(lib.vmafgpu_merge_open, byref(opened), (c_char_p * len(paths))(*paths), len(paths))
    try:
        if log is not None:
            _native.checked(lib.vmafgpu_merge_write_log, opened, byref(log))
        warn(_native.texts(lib.vmafgpu_merge_warning, opened))
        for number, name in enumerate(_native.texts(lib.vmafgpu_merge_score_name, opened)):
            mean = c_double()
            if lib.vmafgpu_merge_pooled(opened, number, _native.constants["VMAFGPU_POOL_MEAN"], byref(mean)) == 0:
                means[name] = mean.value
        return MergedRun(lib.vmafgpu_merge_compared(opened), means)
    finally:
        lib.vmafgpu_merge_free(byref(opened))
