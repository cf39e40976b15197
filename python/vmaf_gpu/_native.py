# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The engine: its C API, a context of it, and where the samples of an array lie. Users import vmaf_gpu."""
from __future__ import annotations

import ctypes
import errno
import os
import pathlib
import traceback
from ctypes import byref
from typing import Any, Callable, Container, Iterator, Optional, Sequence

from ._declare import Api
from ._errors import InvalidArgument, UsageError, from_code
from ._progress import Progress

_FOLDER = pathlib.Path(__file__).parent
if not (_FOLDER / "libvmaf_gpu_python.so").exists():
    raise ImportError(f"{_FOLDER} has no libvmaf_gpu_python.so: it is no installed package; see docs/user/python.md")
lib = ctypes.CDLL(str(_FOLDER / "libvmaf_gpu_python.so"))
_API = Api(lib, [_FOLDER / "include" / f"{name}.h"
                 for name in ("vmaf_gpu", "aggregate", "inputs", "report", "pairing", "run", "helpers")])
constants = _API.constants


def named(prefix: str) -> dict[str, int]:
    """The constants that begin so, by the rest of their names, as users write it."""
    return {name[len(prefix):].lower(): value for name, value in constants.items() if name.startswith(prefix)}


VERSION: str = lib.vmafgpu_version().decode()
_Held, _Picture, _Result = (_API.structs[name] for name in ("PythonHeld", "VmafGpuPicture", "VmafGpuResult"))
_ADVISE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_LOG, _RELEASE = (ctypes.cast(function, ctypes.c_void_p) for function in (lib.vmafgpu_python_log, lib.vmafgpu_python_release))
# Members of VmafGpuPairing, as the log names them.
_PAIRING = ("rule", "start", "pairs", "by_number", "corrections", "start_offset", "shift", "distance_median",
            "distance_largest", "warnings", "elsewhere", "unrelated")


def text_of(value: Any) -> bytes:
    """A text as C takes it. Names of files may be bytes or paths."""
    text = os.fsencode(value)
    if b"\0" in text:
        raise ValueError("embedded null byte")
    return text


def _decoded(text: bytes) -> str:
    """A name of a file in it may not be UTF-8."""
    return text.decode(errors="backslashreplace")


def name_of(path: Any) -> str:
    """A path as the engine's messages have it."""
    return _decoded(text_of(path))


def make(name: str, default: Any = None, /, **values: Any) -> Any:
    """A struct of the API, set by the function `default`, then by values. A list becomes an array. What pointers lead to
    lives as long as the struct."""
    made = _API.structs[name]()
    made.kept, kinds = [], dict(made._fields_)
    if default is not None:
        default(byref(made))
    elif hasattr(made, "struct_size"):
        made.struct_size = ctypes.sizeof(made)
    for field, value in values.items():
        if isinstance(value, list):
            made.kept.append(value)
            kind = type(value[0]) if value else ctypes.c_int
            value = ({bytes: ctypes.c_char_p, int: ctypes.c_int64}.get(kind, kind) * len(value))(*value)
        if isinstance(value, (ctypes.Structure, ctypes.Array)):
            made.kept.append(value)
            value = ctypes.addressof(value)
        # ctypes takes an integer for a text, too: its address.
        setattr(made, field, text_of(value) if kinds[field] is ctypes.c_char_p and value is not None else value)
    return made


def values_of(struct: Any) -> dict[str, Any]:
    """Numbers and texts by the names of fields."""
    found = {name: getattr(struct, name) for name, *_ in struct._fields_}
    return {name: _decoded(value) if isinstance(value, bytes) else value for name, value in found.items()}


def checked(function: Any, *arguments: Any) -> int:
    """A function whose last argument is for the error."""
    error = make("VmafGpuError")
    return throw_if(function(*arguments, byref(error)), error.text)


def throw_if(status: int, text: bytes = b"") -> int:
    if status < 0:
        raise from_code(status, _decoded(text or lib.vmafgpu_strerror(status)))
    return status


def texts(function: Any, *arguments: Any) -> list[str]:
    """What it gives for 0, 1 ..."""
    found: list[str] = []
    while (text := function(*arguments, len(found))) is not None:
        found.append(_decoded(text))
    return found


def _messages(notes: ctypes.c_void_p) -> Iterator[tuple[int, str]]:
    text = ctypes.c_char_p()
    while (level := lib.vmafgpu_python_message(notes, byref(text))) >= 0:
        yield level, _decoded(text.value or b"")


class Model:
    """A loaded model."""

    def __init__(self, name_or_path: Any) -> None:
        self.handle = ctypes.c_void_p()
        checked(lib.vmafgpu_model_load, byref(self.handle), text_of(name_or_path))

    def set_option(self, key: str, value: str) -> None:
        checked(lib.vmafgpu_model_option, self.handle, text_of(key), text_of(value))

    def __del__(self) -> None:
        lib.vmafgpu_model_free(byref(self.handle))


class Output:
    """A file that is written at the end, and has its name from the beginning. Without finish() an older file stays."""

    def __init__(self, path: Any, overwrite: bool) -> None:
        self.handle = ctypes.c_void_p()
        checked(lib.vmafgpu_output_open, byref(self.handle), text_of(path), b"log",
                constants["VMAFGPU_OUTPUT_OVERWRITE"] if overwrite else 0)

    @property
    def path(self) -> str:
        return _decoded(lib.vmafgpu_output_path(self.handle))

    def finish(self) -> None:
        checked(lib.vmafgpu_output_finish, self.handle, 1)

    def __del__(self) -> None:
        lib.vmafgpu_output_close(byref(self.handle))


class Context:
    """A VmafGpuContext, and the objects whose memory it reads. One call at a time, by any thread of the process that
    has opened it: Scorer sees to that.

    settings: VmafGpuSettings. log: called with (level, text) when a call is over. keeps_scores: if False, no log will be
    written, and memory does not grow.
    """

    def __init__(self, settings: Any, log: Callable[[int, str], None], keeps_scores: bool) -> None:
        self._handle, self._pid, self._log = ctypes.c_void_p(), os.getpid(), log
        self._held: dict[int, tuple[Any, Any]] = {}
        self._checked = 0  # pictures whose depth was checked
        self._notes = ctypes.c_void_p(lib.vmafgpu_python_notes())
        settings.log, settings.log_opaque = _LOG, self._notes
        settings.log_level = constants["VMAFGPU_LOG_VERBOSE"]
        self.width, self.height = settings.width, settings.height
        error = make("VmafGpuError")
        status = lib.vmafgpu_open(byref(self._handle), byref(settings), byref(error))
        if status == 0 and not keeps_scores:
            status = lib.vmafgpu_stream_log(self._handle, None)
        self._take_notes()
        throw_if(status, error.text)

    def __del__(self) -> None:
        self.close()
        lib.vmafgpu_python_notes_free(self._notes)

    def close(self) -> None:
        # The threads of the engine are not in the child of a fork: what is left there is lost.
        if self._pid == os.getpid():
            lib.vmafgpu_close(byref(self._handle))
            self._take_notes()
            self._held.clear()  # releases arrays that Ctrl-C has left, here or in a call before

    @property
    def held(self) -> int:
        return len(self._held)

    def _take_notes(self) -> None:
        """Destructors of arrays and handlers of logging are code of the user, who may call again."""
        while (held := lib.vmafgpu_python_released(self._notes)) is not None:
            self._held.pop(held, None)
        for level, text in _messages(self._notes):
            try:
                self._log(level, text)
            except Exception:  # a handler's error; Ctrl-C goes on to the caller
                traceback.print_exc()

    @property
    def _open_handle(self) -> Any:
        if not self._handle:
            raise UsageError("the Scorer is closed", errno.EBADF)
        return self._handle

    def _judge(self, status: int, allowed: Container[int]) -> int:
        self._take_notes()
        return status if status in allowed else throw_if(status, lib.vmafgpu_error_text(self._handle))

    def run(self, function: Any, *arguments: Any, allowed: Container[int] = ()) -> int:
        """A call, in which other threads of Python run. Raises for what is negative and not allowed."""
        return self._judge(function(self._open_handle, *arguments), allowed)

    def texts(self, function: Any) -> list[str]:
        return texts(function, self._open_handle)

    def picture(self, picture: Any) -> Any:
        """A VmafGpuPicture, whose samples are checked if it is one of the first: what is wrong is in all of them."""
        held = _Held(self._notes)
        made = _Picture(self.width, self.height, picture.depth, picture.shift, int(picture.is_device), 0, picture.planes,
                        _RELEASE, ctypes.addressof(held))
        made.kept = held, picture.owner
        if picture.depth > 8 and not picture.is_device and self._checked < 2:
            self._checked += 1
            if lib.vmafgpu_python_bits(byref(made)) >> picture.depth:
                raise InvalidArgument(f"a picture has samples above {(1 << picture.depth) - 1}, the largest of "
                                      f"{picture.depth} bits: give another depth or, if its samples are shifted up as in "
                                      "P010, shift", errno.EINVAL)
        return made

    def _give(self, pictures: Sequence[Any], function: Any, *arguments: Any) -> bool:
        """Hand pictures to the engine, which reads them until it releases them. Returns False if it takes none now."""
        handle = self._open_handle
        self._held.update((made.opaque, made.kept) for made in pictures)
        status = function(handle, *arguments)
        if status != 0:
            for made in pictures:
                del self._held[made.opaque]
        return self._judge(status, (-errno.EAGAIN,)) == 0

    def submit(self, reference: Any, distorted: Any) -> bool:
        both = self.picture(reference), self.picture(distorted)
        return self._give(both, lib.vmafgpu_submit, *map(byref, both), 0)

    def push(self, number: int, picture: Any, time: int, is_damaged: bool) -> bool:
        made = self.picture(picture)
        flags = constants["VMAFGPU_PUSH_DAMAGED"] if is_damaged else 0
        return self._give([made], lib.vmafgpu_push, number, byref(made), time, flags, 0)

    def collect(self, wait: bool) -> Optional[tuple[int, Optional[list[float]]]]:
        """(index, scores) of the next pair; None: not final yet, or there is none."""
        result = _Result()
        if self.run(lib.vmafgpu_collect, byref(result), int(wait), allowed=(-errno.EAGAIN, -errno.ENODATA)):
            return None
        scores = ctypes.cast(result.scores, ctypes.POINTER(ctypes.c_double))
        return result.index, scores[:result.score_count] if result.scored else None

    def value(self, function: Any, *arguments: int) -> Optional[float]:
        """What a function gives behind its arguments; None: there is none."""
        found = ctypes.c_double()
        status = self.run(function, *arguments, byref(found), allowed=(-errno.ENODATA,))
        return found.value if status == 0 else None

    def history(self) -> tuple[int, int]:
        before, after = ctypes.c_int64(), ctypes.c_int64()
        self.run(lib.vmafgpu_history, byref(before), byref(after))
        return before.value, after.value

    def progress(self, total: int) -> Progress:
        found = make("VmafGpuProgress", total=total)
        self.run(lib.vmafgpu_run_progress, byref(found))
        return Progress(found.done, found.total, found.rate, found.left)

    def write_log(self, log: Any) -> None:
        self.run(lib.vmafgpu_run_write, byref(log))

    def finish(self) -> dict[str, Any]:
        """Counts the frames: what became of them, by the keys of the log, and "fault"."""
        pairing = make("VmafGpuPairing")
        self.run(lib.vmafgpu_finish, constants["VMAFGPU_FINISH_END"])
        self.run(lib.vmafgpu_pairing, byref(pairing))
        found = {name: value for name, value in values_of(pairing).items() if name in _PAIRING}
        if pairing.has_offset:
            found["offset"] = pairing.offset
        if pairing.elsewhere + pairing.unrelated:
            found["mismatch"] = {name: getattr(pairing, f"mismatch_{name}") for name in ("pair", "time", "offset")}
        inputs = {side: pairing.of[constants[f"VMAFGPU_{side.upper()}"]] for side in ("main", "reference")}
        for side, counts in inputs.items():
            found.update({f"{side}_frames": counts.frames, f"repeated_{side}": counts.repeated,
                          f"unpaired_{side}": dict(zip(("begin", "middle", "end"), counts.unpaired))})
        for name in "without_time", "backward_time", "damaged", "film_grain":
            found[name] = {side: getattr(counts, name) for side, counts in inputs.items()}
        return {**found, "fault": _decoded(lib.vmafgpu_pairing_fault(self._handle))}


def inputs_of(main: str, reference: str, is_as_is: bool, **values: Any) -> Any:
    """VmafGpuInputs, from texts in the words of vmafgpu_input_parse(); before vmafgpu_inputs_plan()."""
    made = make("VmafGpuInputs", lib.vmafgpu_inputs_default, is_as_is=int(is_as_is), **values)
    for text, one in (main, made.input[constants["VMAFGPU_MAIN"]]), (reference, made.input[constants["VMAFGPU_REFERENCE"]]):
        throw_if(lib.vmafgpu_input_parse(byref(one), text_of(text)), text_of(text))
    return made


def plan(inputs: Any, words: Callable[[Any], str]) -> list[tuple[int, str]]:
    """What FFmpeg has to convert, and what the engine says of the inputs: (level, text) of each advice, in the caller's
    words. Raises for what cannot be compared."""
    said: list[tuple[int, str]] = []

    @_ADVISE
    def advise(_opaque: Any, address: int) -> None:
        advice = _API.structs["VmafGpuAdvice"].from_address(address)
        said.append((advice.level, words(advice)))

    inputs.advise = ctypes.cast(advise, ctypes.c_void_p)
    throw_if(lib.vmafgpu_inputs_plan(byref(inputs)))
    error = make("VmafGpuError")
    status = lib.vmafgpu_inputs_check(byref(inputs), byref(error))
    refused = [text for level, text in said if level == constants["VMAFGPU_LOG_ERROR"]]
    if status < 0:
        raise from_code(status, refused[0] if refused else _decoded(error.text))
    return said
