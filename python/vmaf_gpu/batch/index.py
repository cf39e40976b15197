# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Where every frame of a video is: exact times and keyframes, so that a task can begin in the middle.

Cached in the work folder by the content of the video.
"""
import json
import pathlib
from typing import Any, Dict, List, Optional, Tuple

from vmaf_gpu.batch import files
from vmaf_gpu.batch.calls import Calls
from vmaf_gpu.batch.errors import BAD_INPUT, BatchError
from vmaf_gpu.batch.programs import Programs, output_of

SCHEMA = "vmaf_gpu.index/3"
_STREAM = ("codec_name,profile,pix_fmt,width,height,sample_aspect_ratio,time_base,avg_frame_rate,color_range,"
           "field_order")
# What the first frame says, in ffprobe's words and in those of vmaf_gpu --tags_ref.
_TAGS = {"pix_fmt": "format", "color_range": "range", "color_space": "matrix", "color_primaries": "primaries",
         "color_transfer": "transfer", "interlaced_frame": "interlaced", "sample_aspect_ratio": "sar"}
# Formats without times of their own: what ffmpeg makes up is not the same after a seek.
_UNTIMED = {"h264", "hevc", "vvc", "m4v", "mpegvideo", "obu", "vc1", "dirac", "cavsvideo", "avs2", "avs3", "h261",
            "h263", "mjpeg", "rawvideo"}
_TIMEOUT = 24 * 3600.0


def _ffprobe(programs: Programs, path: pathlib.Path, words: List[str]) -> str:
    done = output_of([programs.ffprobe, "-v", "error", "-select_streams", "v:0", *words, str(path)], str(path),
                     _TIMEOUT)
    if done.returncode != 0:
        reason = (done.stderr.strip().split("\n")[-1] or "ffprobe cannot read it").replace(f"{path}: ", "")
        raise BatchError(BAD_INPUT, f"{path}: {reason}")
    return done.stdout


def _tags(frames: List[Dict[str, Any]], is_turned: bool) -> Dict[str, str]:
    found = {ours: str(frames[0].get(name, "")) for name, ours in _TAGS.items()}
    found["sar"] = found["sar"].replace(":", "/")
    has_grain = any("grain" in one.get("side_data_type", "") for frame in frames for one in frame.get("side_data_list", []))
    return {**{name: text for name, text in found.items() if text not in ("", "N/A")}, "turned": str(int(is_turned)),
            **({"grain": "1"} if has_grain else {})}


def _stream(programs: Programs, path: pathlib.Path) -> Dict[str, Any]:
    # The first frame may need several packets, but no second thread, whose start takes longer.
    # Film grain is reported only if it is left off.
    text = _ffprobe(programs, path, ["-threads", "1", "-export_side_data", "film_grain", "-show_entries",
                                     f"stream={_STREAM}:stream_side_data=rotation:format=format_name,duration:"
                                     f"frame={','.join(_TAGS)}:frame_side_data=side_data_type",
                                     "-read_intervals", "%+#4", "-of", "json"])
    try:
        value = json.loads(text)
        stream = value["streams"][0]
        angles = [int(one.get("rotation", 0)) % 360 for one in stream.get("side_data_list", [])]
        if any(angle % 180 == 90 for angle in angles):  # ffmpeg turns the pictures before the first filter
            stream["width"], stream["height"] = stream["height"], stream["width"]
        stream["tags"] = _tags(value.get("frames") or [stream], any(angles))
        return {**{name: stream.get(name) for name in (*_STREAM.split(","), "tags")},
                "format": value.get("format", {}).get("format_name"),
                "duration": float(value.get("format", {}).get("duration", 0) or 0)}
    except (ValueError, KeyError, IndexError, TypeError):
        raise BatchError(BAD_INPUT, f"{path}: has no video stream") from None


def _packets(programs: Programs, path: pathlib.Path) -> List[Tuple[Optional[int], bool]]:
    """Time and keyframe flag of each packet that becomes a frame."""
    text = _ffprobe(programs, path, ["-show_entries", "packet=pts,flags", "-of", "csv=p=0"])
    found: List[Tuple[Optional[int], bool]] = []
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) < 2 or "D" in fields[1]:  # an edit list leaves it out
            continue
        found.append((int(fields[0]) if fields[0].lstrip("-").isdigit() else None, "K" in fields[1]))
    return found


def _frames(programs: Programs, path: pathlib.Path) -> List[Tuple[Optional[int], bool]]:
    """The same by decoding everything: for videos whose packets are not frames."""
    text = _ffprobe(programs, path, ["-show_entries", "frame=key_frame,pts", "-of", "csv=p=0"])
    found: List[Tuple[Optional[int], bool]] = []
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) >= 2 and fields[0] in ("0", "1"):
            found.append((int(fields[1]) if fields[1].lstrip("-").isdigit() else None, fields[0] == "1"))
    return found


def _order(packets: List[Tuple[Optional[int], bool]]) -> Tuple[List[int], List[int], str]:
    """Times in ascending order, the numbers of keyframes, and why there is no index, or ""."""
    times = sorted((time, is_key) for time, is_key in packets if time is not None)
    pts = [time for time, _ in times]
    keys = [number for number, (_, is_key) in enumerate(times) if is_key]
    if len(times) < len(packets):
        return [], [], f"{len(packets) - len(times)} of {len(packets)} packets have no time"
    if len(set(pts)) < len(pts):
        return [], [], "several packets have the same time"
    if not keys:
        return [], [], "no packet is marked as a keyframe"
    return pts, keys, ""


def _count(programs: Programs, path: pathlib.Path) -> int:
    text = _ffprobe(programs, path, ["-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0"])
    words = text.replace(",", " ").split()
    if not words or not words[0].isdigit():
        raise BatchError(BAD_INPUT, f"{path}: no frame can be decoded")
    return int(words[0])


def make(programs: Programs, path: pathlib.Path, kind: str = "packets") -> Dict[str, Any]:
    with Calls(2) as calls:
        asked = calls.start(_stream, programs, path)
        listed = calls.start(_frames if kind == "frames" else _packets, programs, path)
        stream, packets = asked.result(), listed.result()
    if not packets:
        raise BatchError(BAD_INPUT, f"{path}: has no frames")
    pts, keys, reason = _order(packets)
    if stream["format"] in _UNTIMED:
        pts, keys, reason = [], [], f"the format {stream['format']} has no times"
    count = len(pts) if not reason else _count(programs, path)
    return {"schema": SCHEMA, "kind": kind, "stream": stream, "count": count, "pts": pts, "keys": keys,
            "reason": reason}


def _is_whole(index: Dict[str, Any]) -> bool:
    pts, keys, count = index.get("pts"), index.get("keys"), index.get("count")
    return (isinstance(pts, list) and isinstance(keys, list) and isinstance(count, int) and
            isinstance(index.get("stream"), dict) and (not pts or len(pts) == count))


def cached(programs: Programs, path: pathlib.Path, content: str, folder: pathlib.Path,
           kind: str = "packets") -> Dict[str, Any]:
    """The index of a video, made if the folder has none."""
    name = folder / f"{content}.{kind}.json"
    try:
        index = files.read_json(name, SCHEMA)
        if _is_whole(index):
            return index
    except BatchError:
        pass  # none yet, or a damaged one: made again
    index = make(programs, path, kind)
    store(index, content, folder)
    return index


def store(index: Dict[str, Any], content: str, folder: pathlib.Path) -> None:
    files.write_json(folder / f"{content}.{index['kind']}.json", index)


def load(content: str, folder: pathlib.Path, kind: str) -> Dict[str, Any]:
    index = files.read_json(folder / f"{content}.{kind}.json", SCHEMA)
    if not _is_whole(index):
        raise BatchError(64, f"{folder / content}: the index is damaged; plan again")
    return index
