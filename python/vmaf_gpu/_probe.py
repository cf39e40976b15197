# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What ffmpeg will do with a file: which of its streams it takes, and what its first picture is behind all that ffmpeg
does to it before a filter, such as turning and cropping. tools/probe.c asks the same. Standard library only.
"""
from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

_FEWEST_FILTERS = 3  # filters that every graph has: two ends and showinfo. What turns the picture is one more
_WORDS = {"format": r" fmt:(\S+)", "range": r"color_range:([\w-]+)", "matrix": r" color_space:([\w-]+)",
          "primaries": r" color_primaries:([\w-]+)", "transfer": r" color_trc:([\w-]+)", "sar": r" sar:(\d+/\d+)",
          "size": r" s:(\d+x\d+)"}
_FLAGS = {"interlaced": r" i:[TB]", "bottom_first": r" i:B",
          "grain": r" [Ff]ilm grain parameters",  # FFmpeg 8.0 changed the words
          "own_colours": r" vdr_rpu_profile=0;.* bl_video_full_range_flag=1;"}


class Probed(NamedTuple):
    tags: Dict[str, str]  # what the stream is, in the words of vmafgpu_input_parse(); empty: see reason
    stream: int
    is_new: bool  # FFmpeg 7.0 or later
    reason: str
    is_open: bool  # ffmpeg knows the format


def _words(ffmpeg: str, level: str, path: str, stream: Optional[int]) -> List[str]:
    return [ffmpeg, "-nostdin", "-nostats", "-v", level, "-threads", "1", "-export_side_data", "film_grain", "-i", path,
            "-an", "-sn", "-dn", "-frames:v", "1", "-vf", "showinfo", "-f", "null",
            *([] if stream is None else ["-map", f"0:{stream}"]), "-"]


def words(ffmpeg: str, path: str, stream: Optional[int]) -> List[str]:
    """The command whose messages read() takes. stream: its number in the file; None: ffmpeg chooses one."""
    return _words(ffmpeg, "level+info", path, stream)


def words_of_graph(ffmpeg: str, path: str, stream: Optional[int]) -> List[str]:
    """The command whose messages is_turned() takes. Only this level tells of a graph; but its messages run into each
    other, as those of several threads."""
    return _words(ffmpeg, "debug", path, stream)


def is_turned(text: str) -> bool:
    """Whether ffmpeg turns or mirrors the picture, which takes filters of its own."""
    found = re.search(r"query_formats: (\d+) queried", text)
    return found is not None and int(found[1]) > _FEWEST_FILTERS


def are_swapped(size: Sequence[int], other: Sequence[int]) -> bool:
    """Tells whether one of two pictures lies on its side, so that it matters which one ffmpeg turns."""
    return size[0] != size[1] and tuple(size) == tuple(reversed(other))


class _Streams(NamedTuple):
    videos: List[int]
    covers: List[int]
    own: List[int]  # streams with colours that only Dolby Vision knows
    turned: List[int]  # whose size is another one before ffmpeg turns them
    crop: Dict[int, Tuple[int, int]]  # columns and rows that the container cuts off, from FFmpeg 7.1 on
    chosen: int = -1  # -1: none
    is_part: bool = False  # the chosen one is only a part of a picture


def _read_side_data(found: _Streams, stream: int, line: str) -> None:
    """What a stream has beside its packets. FFmpeg 8.0 changed the words; those before it have the first ones."""
    crop = re.match(r"\[info\] +Frame [Cc]ropping: (\d+)/(\d+)/(\d+)/(\d+)", line)
    if crop is not None:
        left, right, top, bottom = map(int, crop.groups())
        found.crop[stream] = left + right, top + bottom
    if re.match(r"\[info\] +(displaymatrix|Display Matrix): rotation of ", line):
        found.turned.append(stream)


def _stored(streams: _Streams, picture: Dict[str, str]) -> Dict[str, str]:
    """The size before the container's cropping; not that of pictures that are turned after it."""
    if streams.chosen in streams.turned or "size" not in picture:
        return {}
    width, height = map(int, picture["size"].split("x"))
    columns, rows = streams.crop.get(streams.chosen, (0, 0))
    return {"stored": f"{width + columns}x{height + rows}"}


def _streams(lines: List[str]) -> _Streams:
    found, latest, parts, has_tiles = _Streams([], [], [], [], {}), -1, set(), False
    for line in lines:
        said = re.match(r"\[info\]   Stream #0:(\d+)(.*)", line)
        dolby = re.match(r"\[info\] +DOVI configuration record: .*\bprofile: (\d+),.* compatibility id: 0", line)
        has_tiles = has_tiles or re.match(r"\[info\]   Stream group #0:\d+\S*: Tile Grid:", line) is not None
        if dolby is not None and dolby[1] in ("5", "10"):
            found.own.append(latest)
        _read_side_data(found, latest, line)
        if said is None:
            continue
        latest = int(said[1])
        if said[2].startswith(" -> #0:0"):
            is_listed = latest in found.videos + found.covers  # the streams of a group are not
            return found._replace(chosen=latest, is_part=latest in parts or has_tiles and not is_listed)
        if ": Video: " in said[2]:
            (found.covers if "(attached pic)" in said[2] else found.videos).append(latest)
            parts.update([latest] if "(dependent)" in said[2] else [])
    return found


def _picture(lines: List[str]) -> Dict[str, str]:
    """What showinfo says of the first picture, and not of the second: FFmpeg 5.1 shows that, too."""
    rate = re.search(r"^\[Parsed_showinfo_0 @ .* config in .*, frame_rate: (\d+/\d+)", "\n".join(lines), re.M)
    shown = [line for line in lines if line.startswith("[Parsed_showinfo_0 @ ")]
    begins = [at for at, line in enumerate(shown) if " n: " in line and " fmt:" in line]
    if not begins:
        return {}
    text = "\n".join(shown[begins[0]:(begins + [len(shown)])[1]])
    found = ((name, re.search(pattern, text)) for name, pattern in _WORDS.items())
    return {**({} if rate is None else {"rate": rate[1]}), **{name: match[1] for name, match in found if match is not None},
            **{name: "1" for name, pattern in _FLAGS.items() if re.search(pattern, text)}}


def _fault(streams: _Streams, has_group: bool, stream: Optional[int]) -> str:
    """What is wrong with the stream that was named or chosen. has_group: not all streams are listed."""
    listed = streams.videos + streams.covers
    if not listed and not has_group:
        return "it has no video stream"
    if stream is not None and not has_group and stream not in listed:
        covers = f", covers: {_list(streams.covers)}" if streams.covers else ""
        return f"it has no video stream {stream}; its video streams: {_list(streams.videos)}{covers}"
    if stream is None and (streams.chosen < 0 or streams.is_part):
        return ("its picture is in parts, e.g. tiles of AVIF or HEIC, each a stream of its own; make one stream of them "
                "before, or name a stream")
    return ""


def read(text: str, stream: Optional[int]) -> Probed:
    """What the messages of words() say."""
    lines = text.splitlines()
    library = re.search(r"^\[info\] +libavfilter +(\d+)", text, re.M)
    is_new = library is not None and int(library[1]) >= 10
    is_open = re.search(r"^\[info\] Input #0, ", text, re.M) is not None
    streams, picture = _streams(lines), _picture(lines)
    fault = _fault(streams, "[info]   Stream group #0:" in text, stream) if is_open else ""
    if not picture and (not fault or "in parts" in fault):
        error = re.search(r"^(?:\[[^\]]* @ [^\]]*\] )*\[(?:error|fatal)\] (.*)", text, re.M)
        fault = error[1] if error is not None else "no picture comes out"
    if fault:
        return Probed({}, -1, is_new, fault, is_open)
    videos = streams.videos + ([] if streams.chosen in streams.videos else [streams.chosen])
    flags = {"own_colours": streams.chosen in streams.own, "named": stream is not None}
    return Probed({**picture, **_stored(streams, picture), **{name: "1" for name, is_set in flags.items() if is_set},
                   "streams": _list(videos), "stream": str(streams.chosen)}, streams.chosen, is_new, "", True)


def _list(streams: List[int]) -> str:
    return ",".join(map(str, streams))
