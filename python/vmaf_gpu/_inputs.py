# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Two files, converted by ffmpeg where the engine says so (vmaf_gpu/inputs.h), so that scores are those of the
FFmpeg filter. Standard library only.
"""
from __future__ import annotations

import contextlib
import os
import re
import subprocess
from ctypes import byref
from typing import Any, NamedTuple, Optional, Sequence

from . import _native, _probe
from ._errors import DecoderError, InvalidArgument
from ._scorer import WARNING, models as builtin_models, pass_message
from ._shell import in_shell
from ._video import VideoReader, find_ffmpeg, is_y4m, name_of


def _start(words: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            errors="replace", start_new_session=True)


def _ask(path: str, stream: Optional[int]) -> "subprocess.Popen[str]":
    return _start(_probe.words(find_ffmpeg(), name_of(path), stream))


def _is_turned(path: str, stream: int) -> bool:
    if is_y4m(path):
        return False
    with _start(_probe.words_of_graph(find_ffmpeg(), name_of(path), stream)) as process:
        return _probe.is_turned(process.communicate()[1])


def _finish(process: "subprocess.Popen[str]", path: str, stream: Optional[int] = None) -> _probe.Probed:
    found = _probe.read(process.communicate()[1], stream)
    if found.reason:
        reason = found.reason.replace(f"{name_of(path)}: ", "")
        raise DecoderError(f"{path}: {'' if found.is_open else 'not a Y4M file, and ffmpeg cannot read it: '}{reason}")
    return found


class Input(NamedTuple):
    """How a file is read."""

    filter: str = ""  # the filter by which ffmpeg converts it
    stream: int = 0
    tags: str = ""  # "": not known


def _quoted(path: str) -> str:
    """A file in a command: in the quotes of the tool, which are in its logs. ffmpeg takes what is before a colon for a protocol."""
    word = f"file:{path}" if ":" in path else path
    return in_shell(word) if re.search("[\"$`\\\\!\ud800-\udfff]", word) else f'"{word}"'


def _words(advice: Any, paths: Sequence[str], maps: Sequence[str]) -> str:
    """Advice for those who call score(). What it has no argument for is done by FFmpeg, which makes another file."""
    filters, options = ([one.decode() for one in words] for words in (advice.filter, advice.option))
    ways = [f'model="{advice.model.decode()}"'] if advice.model else []
    for path, stream, option, name, wanted in zip(paths, maps, options, ("MAIN", "REFERENCE"), filters):
        wanted = f' -vf "{wanted}"' if wanted and not any(options) else ""
        if option or wanted:
            ways.append(f"ffmpeg {option}{' ' if option else ''}-i {_quoted(path)}{stream}{wanted} -c:v ffv1 {name}.mkv")
    text: str = advice.text.decode()
    return f"{text}, e.g. {', and '.join(ways)}" if ways else text


def _map_of(stream: Optional[int]) -> str:
    """The words of a command for a stream that the user named, which ffmpeg may not choose by itself."""
    return "" if stream is None else f" -map 0:{stream}"


def _planned(inputs: Any, paths: Sequence[str], streams: Sequence[Optional[int]]) -> list[str]:
    """Warnings. paths, streams: of main and of the reference."""
    maps = [_map_of(stream) for stream in streams]
    said = _native.plan(inputs, lambda advice: _words(advice, paths, maps))
    for one in said:
        pass_message(*one)
    return [text for level, text in said if level == WARNING]


def _is_pipe(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _find(paths: Sequence[str], streams: Sequence[Optional[int]]) -> tuple[list[Input], Optional[bool]]:
    """Finds what each file is, without its filter; the probes run at once. Also whether ffmpeg is new, if it was asked."""
    others = [path for path in paths if not is_y4m(path)]  # all are opened before a process is started
    for path, stream in zip(paths, streams):
        if stream and path not in others:
            raise InvalidArgument(f"{path}: stream {stream}: a Y4M file has only stream 0")
    made, is_new = [], None
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(_ask(path, stream)) if path in others else None
                  for path, stream in zip(paths, streams)]
        for path, stream, probe in zip(paths, streams, probes):
            if probe is not None:
                found = _finish(probe, path, stream)
                is_new = found.is_new
                made.append(Input("", found.stream, ":".join(f"{name}={text}" for name, text in found.tags.items())))
                continue
            with VideoReader(path) as reader:
                made.append(Input(tags=reader.format.tags))
    return made, is_new


def alone(path: str, stream: Optional[int]) -> Input:
    """A file that is not converted, whatever it is compared with. A pipe can be read only once."""
    return Input() if _is_pipe(path) else Input(stream=_find([path], [stream])[0][0].stream)


def _of_one_size(path: str, tags: str, filter_of_it: str) -> str:
    """A size that changes later is an error, as in the filter: ffmpeg would scale it to the first one."""
    size = re.search(r"\bsize=(\d+)x(\d+)", tags)
    if size is None or is_y4m(path):
        return filter_of_it
    crop = f"crop=w='if(eq(iw,{size[1]})*eq(ih,{size[2]}),iw,0)':h=ih:x=0:y=0:exact=1"
    return f"{filter_of_it},{crop}" if filter_of_it else crop


def plan(reference: str, distorted: str, models: Sequence[str], formats: str,
         streams: Sequence[Optional[int]] = (None, None)) -> tuple[Input, Input, list[str]]:
    """For the reference and the distorted file, and warnings of what makes their comparison doubtful. streams: of
    the reference and of the distorted file; None: ffmpeg chooses."""
    if formats not in ("convert", "asis"):
        raise InvalidArgument(f"formats is {formats!r}; expected 'convert' or 'asis'")
    if _is_pipe(reference) or _is_pipe(distorted):
        return alone(reference, streams[0]), alone(distorted, streams[1]), []
    (main, other), is_new = _find((distorted, reference), (streams[1], streams[0]))
    known = [name.encode() for name in models if name in builtin_models()]
    inputs = _native.inputs_of(main.tags, other.tags, formats == "asis", models=known, model_count=len(known))
    _native.throw_if(_native.lib.vmafgpu_inputs_plan(byref(inputs)))
    if inputs.needs_ffmpeg_7 or _probe.are_swapped(*((one.width, one.height) for one in inputs.input)):  # it matters only then
        inputs.input[_native.constants["VMAFGPU_MAIN"]].is_turned = _is_turned(distorted, main.stream)
        inputs.input[_native.constants["VMAFGPU_REFERENCE"]].is_turned = _is_turned(reference, other.stream)
    warnings = _planned(inputs, (distorted, reference), (streams[1], streams[0]))
    of_main, of_reference = (one.value.decode() for one in inputs.filter)
    if inputs.needs_ffmpeg_7 and is_new is None:
        with _ask(distorted, None) as process:
            is_new = _finish(process, distorted).is_new
    if inputs.needs_ffmpeg_7 and not is_new:
        path, stream, text = (distorted, streams[1], of_main) if of_main else (reference, streams[0], of_reference)
        raise DecoderError(f"{path} has to be converted, by FFmpeg 7.0 or later (VMAF_GPU_FFMPEG names one), e.g. "
                           f'ffmpeg -i INPUT{_map_of(stream)} -vf "{text}" -c:v ffv1 FILE.mkv; formats="asis" compares the samples '
                           "as they are")
    return (other._replace(filter=_of_one_size(reference, other.tags, of_reference)),
            main._replace(filter=_of_one_size(distorted, main.tags, of_main)), warnings)
