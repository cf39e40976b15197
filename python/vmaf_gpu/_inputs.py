# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Two files, converted by ffmpeg where the engine says so (vmaf_gpu/inputs.h), so that scores are those of the
FFmpeg filter. Standard library only.
"""
from __future__ import annotations

import os
import re
import subprocess
from typing import Any, Optional, Sequence

from . import _native
from ._errors import DecoderError, InvalidArgument
from ._scorer import WARNING, models as builtin_models, pass_message
from ._video import VideoReader, find_ffmpeg, is_y4m, name_of

_WORDS = {"format": r" fmt:(\S+)", "range": r"color_range:(\S+)", "matrix": r" color_space:(\S+)",
          "primaries": r" color_primaries:(\S+)", "transfer": r" color_trc:(\S+)", "sar": r" sar:(\d+/\d+)",
          "size": r" s:(\d+x\d+)"}


def _probe(path: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [find_ffmpeg(), "-nostdin", "-v", "info", "-export_side_data", "film_grain", "-i", name_of(path), "-map", "0:v:0",
         "-frames:v", "1", "-vf", "showinfo", "-f", "null", "-"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
        start_new_session=True)


def _probed(probe: "subprocess.Popen[str]") -> tuple[str, bool]:
    """What showinfo says of the first frame; and whether this is FFmpeg 7.0 or later."""
    text = probe.communicate()[1]
    # Not what the file says of itself: its name, or a title, is in other lines.
    shown = "\n".join(line for line in text.split("\n") if "[Parsed_showinfo_" in line and line[0] not in " IO")
    library = re.search(r"^ *libavfilter +(\d+)", text, re.M)
    is_new = library is not None and int(library[1]) >= 10
    if " fmt:" not in shown:
        return "", is_new
    found = ((name, re.search(pattern, shown)) for name, pattern in _WORDS.items())
    tags = [f"{name}={match[1]}" for name, match in found if match is not None]
    tags += ["interlaced=1"] if re.search(r" i:[TB]", shown) else []
    # FFmpeg 8.0 changed the words.
    tags += ["grain=1"] if re.search(r" [Ff]ilm grain parameters", shown) else []
    is_turned = re.search(r"^ *(displaymatrix|Display Matrix): rotation of ", text, re.M)
    tags += ["turned=1"] if is_turned is not None else []
    # Before the container's cropping; the picture is not turned yet.
    size = re.search(r" s:(\d+)x(\d+)", shown)
    crop = re.search(r"^ *Frame [Cc]ropping: (\d+)/(\d+)/(\d+)/(\d+)", text, re.M)
    left, right, top, bottom = map(int, crop.groups()) if crop is not None else [0] * 4
    if size is not None:
        tags.append(f"stored={int(size[1]) + left + right}x{int(size[2]) + top + bottom}")
    return ":".join(tags), is_new


def _words(advice: Any, paths: Sequence[str]) -> str:
    """Advice for those who call score(). What it has no argument for is done by FFmpeg, which makes another file."""
    filters, options = ([one.decode() for one in words] for words in (advice.filter, advice.option))
    ways = [f'model="{advice.model.decode()}"'] if advice.model else []
    for path, option, name, wanted in zip(paths, options, ("MAIN", "REFERENCE"), filters):
        wanted = f' -vf "{wanted}"' if wanted and not any(options) else ""
        if option or wanted:
            ways.append(f"ffmpeg {option}{' ' if option else ''}-i \"{path}\"{wanted} -c:v ffv1 {name}.mkv")
    text: str = advice.text.decode()
    return f"{text}, e.g. {', and '.join(ways)}" if ways else text


def _planned(inputs: Any, paths: Sequence[str]) -> list[str]:
    """Warnings. paths: of main and of the reference."""
    said = _native.plan(inputs, lambda advice: _words(advice, paths))
    for one in said:
        pass_message(*one)
    return [text for level, text in said if level == WARNING]


def _tags(paths: Sequence[str]) -> tuple[list[str], Optional[bool]]:
    """Of each file; the probes run at once. And whether ffmpeg is new, if it was asked."""
    others = [path for path in paths if not is_y4m(path)]  # all are opened before a process is started
    probes = [_probe(path) if path in others else None for path in paths]
    tags, is_new = [], None
    for path, probe in zip(paths, probes):
        if probe is not None:
            text, is_new = _probed(probe)
            tags.append(text)
            continue
        with VideoReader(path) as reader:
            tags.append(reader.format.tags)
    return tags, is_new


def _of_one_size(path: str, tags: str, filter_of_it: str) -> str:
    """A size that changes later is an error, as in the filter: ffmpeg would scale it to the first one."""
    size = re.search(r"\bsize=(\d+)x(\d+)", tags)
    if size is None or is_y4m(path):
        return filter_of_it
    crop = f"crop=w='if(eq(iw,{size[1]})*eq(ih,{size[2]}),iw,0)':h=ih:x=0:y=0:exact=1"
    return f"{filter_of_it},{crop}" if filter_of_it else crop


def filters(reference: str, distorted: str, models: Sequence[str],
            formats: str) -> tuple[str, str, list[str], Optional[tuple[str, str]]]:
    """For the reference and the distorted file; warnings of what makes their comparison doubtful; and the tags of
    main and of the reference, if they are known."""
    if formats not in ("convert", "asis"):
        raise InvalidArgument(f"formats is {formats!r}; expected 'convert' or 'asis'")
    if any(os.path.exists(path) and not os.path.isfile(path) for path in (reference, distorted)):
        return "", "", [], None  # a pipe can be read only once: it is compared as it is
    (main, other), is_new = _tags((distorted, reference))
    if not main or not other:
        return "", "", [], None  # what reads the files says why
    known = [name.encode() for name in models if name in builtin_models()]
    inputs = _native.inputs_of(main, other, formats == "asis", models=known, model_count=len(known))
    warnings = _planned(inputs, (distorted, reference))
    of_main, of_reference = (one.value.decode() for one in inputs.filter)
    if inputs.needs_ffmpeg_7 and is_new is None:
        is_new = _probed(_probe(distorted))[1]
    if inputs.needs_ffmpeg_7 and not is_new:
        path, text = (distorted, of_main) if of_main else (reference, of_reference)
        raise DecoderError(f"{path} has to be converted, by FFmpeg 7.0 or later (VMAF_GPU_FFMPEG names one), e.g. "
                           f'ffmpeg -i INPUT -vf "{text}" -c:v ffv1 FILE.mkv; formats="asis" compares the samples '
                           "as they are")
    of_reference, of_main = _of_one_size(reference, other, of_reference), _of_one_size(distorted, main, of_main)
    return of_reference, of_main, warnings, (main, other)
