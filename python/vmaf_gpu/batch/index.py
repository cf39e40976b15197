# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Where every frame of a video is: exact times and keyframes, so that a task can begin in the middle.

Cached in the work folder by the content of the video.
"""
import pathlib
import re
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Tuple

from vmaf_gpu import _probe
from vmaf_gpu.batch import files
from vmaf_gpu.batch.calls import start
from vmaf_gpu.batch.errors import BAD_INPUT, BatchError
from vmaf_gpu.batch.programs import Programs, output_of

SCHEMA = "vmaf_gpu.index/4"
_STREAM = ("codec_name", "time_base", "avg_frame_rate")
# Formats without times of their own: what ffmpeg makes up is not the same after a seek.
UNTIMED = {"h264", "hevc", "vvc", "m4v", "mpegvideo", "obu", "vc1", "dirac", "cavsvideo", "avs2", "avs3", "h261",
            "h263", "mjpeg", "rawvideo"}
_TIMEOUT = 24 * 3600.0


def _unread(path: pathlib.Path, reason: str) -> BatchError:
    reason = reason.replace(f"{path}: ", "")
    if re.search(r"%\d*d", str(path)) and path.exists():
        reason = f"ffmpeg takes %d in a name for the numbers of pictures: rename it ({reason})"
    return BatchError(BAD_INPUT, f"{path}: {reason}")


def _ffprobe(programs: Programs, path: pathlib.Path, stream: str, words: List[str]) -> str:
    done = output_of([programs.ffprobe, "-v", "error", "-select_streams", stream, *words, str(path)], str(path),
                     _TIMEOUT)
    if done.returncode != 0:
        raise _unread(path, done.stderr.strip().split("\n")[-1] or "ffprobe cannot read it")
    return done.stdout


def _probed(programs: Programs, path: pathlib.Path, stream: Optional[int]) -> _probe.Probed:
    """What the ffmpeg that will decode the video says of it."""
    done = output_of(_probe.words(programs.ffmpeg, str(path), stream), str(path), _TIMEOUT)
    found = _probe.read(done.stderr, stream)
    if found.reason:
        raise _unread(path, found.reason)
    return found


def is_turned(programs: Programs, path: pathlib.Path, stream: int) -> bool:
    """Whether ffmpeg turns the pictures, which costs a process and matters only where they are converted."""
    return _probe.is_turned(output_of(_probe.words_of_graph(programs.ffmpeg, str(path), stream), str(path), _TIMEOUT).stderr)


def _fields(line: str) -> Dict[str, str]:
    """Fields of a line of ffprobe's format `compact`, which escapes no name or number."""
    return dict(field.split("=", 1) for field in line.split("|")[1:] if "=" in field)


def _stream(listing: str, found: _probe.Probed) -> Dict[str, Any]:
    """What is known of the stream that ffmpeg takes. Sizes and pixel format are those behind what it does by itself."""
    lines = [_fields(line) for line in re.findall(r"^(?:stream|format)\|.*", listing, re.M)]
    stream = next((line for line in lines if line.get("index") == str(found.stream)), {})
    form = next((line for line in lines if "format_name" in line), {})
    width, _, height = found.tags["size"].partition("x")
    duration = form.get("duration", "0")
    return {**{name: stream.get(name) for name in _STREAM}, "index": found.stream, "tags": found.tags,
            "width": int(width), "height": int(height), "pix_fmt": found.tags["format"], "format": form.get("format_name"),
            "duration": float(duration) if re.match(r"[\d.]+$", duration) else 0.0}


def _packets(listing: str, stream: int) -> List[Tuple[Optional[int], bool]]:
    """Time and keyframe flag of each packet that becomes a frame; or of frames."""
    # D: left out by an edit list
    rows = re.findall(rf"^packet\|stream_index={stream}\|pts=(\S+?)\|flags=([^D\s]*)$", listing, re.M)
    found = [(time, "K" in flags) for time, flags in rows]
    rows = re.findall(rf"^frame\|stream_index={stream}\|key_frame=([01])\|pts=([^|\s]+)", listing, re.M)
    found += [(time, is_key == "1") for is_key, time in rows]
    return [(int(time) if time.lstrip("-").isdigit() else None, is_key) for time, is_key in found]


def _order(packets: List[Tuple[Optional[int], bool]], are_frames: bool) -> Tuple[List[int], List[int], str]:
    """Times in ascending order, the numbers of keyframes, and why there is no index, or "". Frames are decoded in order."""
    times = sorted((time, is_key) for time, is_key in packets if time is not None)
    pts = [time for time, _ in times]
    keys = [number for number, (_, is_key) in enumerate(times) if is_key]
    if len(times) < len(packets):
        return [], [], f"{len(packets) - len(times)} of {len(packets)} packets have no time"
    if len(set(pts)) < len(pts):
        return [], [], "several packets have the same time"
    if are_frames and pts != [time for time, _ in packets]:
        return [], [], "its frames go back in time"  # damage: ffmpeg may give them other times
    if not keys:
        return [], [], "no packet is marked as a keyframe"
    return pts, keys, ""


def _are_fields(stream: Dict[str, Any], pts: List[int]) -> bool:
    """Whether packets are fields, of which two give a frame, as in interlaced H.264 of cameras: they come too soon."""
    tags, rate = stream["tags"], stream["tags"].get("rate", "0/0").split("/")
    if tags.get("interlaced") != "1" or int(rate[1]) == 0:
        return False
    frame = 1 / (Fraction(int(rate[0]), int(rate[1])) * Fraction(stream["time_base"]))
    return any(after - before < frame * 3 / 4 for before, after in zip(pts, pts[1:]))


def _count(programs: Programs, path: pathlib.Path, stream: int) -> int:
    text = _ffprobe(programs, path, str(stream), ["-count_frames", "-show_entries", "stream=nb_read_frames", "-of",
                                                  "csv=p=0"])
    words = text.replace(",", " ").split()
    if not words or not words[0].isdigit():
        raise BatchError(BAD_INPUT, f"{path}: no frame can be decoded")
    return int(words[0])


def make(programs: Programs, path: pathlib.Path, kind: str, named: Optional[int] = None) -> Dict[str, Any]:
    """named: the stream that the user wants. kind: packets; or frames, by decoding everything: for videos whose packets
    are not frames."""
    asked = start(_probed, programs, path, named)
    entries = "frame=stream_index,key_frame,pts" if kind == "frames" else "packet=stream_index,pts,flags"
    listing = _ffprobe(programs, path, "v", ["-show_entries", f"{entries}:stream=index,{','.join(_STREAM)}:"
                                             "format=format_name,duration", "-of", "compact"])
    found = asked.result()
    stream, packets = _stream(listing, found), _packets(listing, found.stream)
    if not packets:
        raise BatchError(BAD_INPUT, f"{path}: has no frames")
    pts, keys, reason = _order(packets, kind == "frames")
    if kind == "packets" and _are_fields(stream, pts):
        return make(programs, path, "frames", named)
    if stream["format"] in UNTIMED:
        pts, keys, reason = [], [], f"the format {stream['format']} has no times"
    count = len(pts) if not reason else _count(programs, path, found.stream)
    return {"schema": SCHEMA, "kind": kind, "stream": stream, "count": count, "pts": pts, "keys": keys,
            "reason": reason}


def _file(content: str, folder: pathlib.Path, kind: str, named: Optional[int]) -> pathlib.Path:
    return folder / (f"{content}.{kind}.json" if named is None else f"{content}.{kind}.{named}.json")


def cached(programs: Programs, path: pathlib.Path, content: str, folder: pathlib.Path, kind: str, named: Optional[int],
           check: Callable[[], None] = lambda: None) -> Dict[str, Any]:
    """The index of a video, made if the folder has none, or a damaged one. check: whether it is still that content."""
    try:
        return load(content, folder, kind, named)
    except BatchError:
        found = make(programs, path, kind, named)
        check()
        files.write_json(_file(content, folder, kind, named), found)
        return found


def load(content: str, folder: pathlib.Path, kind: str, named: Optional[int]) -> Dict[str, Any]:
    return files.read_json(_file(content, folder, kind, named), SCHEMA, stream=dict, count=int, pts=list, keys=list, reason=str)
