# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Where every frame of a video is: exact times and keyframes, so that a task can begin in the middle.

Cached in the work folder by the content of the video.
"""
import json
import pathlib
from typing import Any, Callable, Dict, List, Optional, Tuple

from vmaf_gpu.batch import files
from vmaf_gpu.batch.calls import start
from vmaf_gpu.batch.errors import BAD_INPUT, BatchError
from vmaf_gpu.batch.programs import Programs, output_of

SCHEMA = "vmaf_gpu.index/4"
_STREAM = ("codec_name,profile,pix_fmt,width,height,sample_aspect_ratio,time_base,avg_frame_rate,color_range,"
           "field_order")
# What the first frame says, in ffprobe's words and in those of vmaf_gpu --tags_ref.
_TAGS = {"pix_fmt": "format", "color_range": "range", "color_space": "matrix", "color_primaries": "primaries",
         "color_transfer": "transfer", "interlaced_frame": "interlaced", "sample_aspect_ratio": "sar"}
# What the container cuts off, in ffprobe's words from FFmpeg 7.1 on; and ffmpeg does so.
_CROPPING = {"crop_left": "width", "crop_right": "width", "crop_top": "height", "crop_bottom": "height"}
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
                                     f"stream={_STREAM}:stream_side_data=rotation,{','.join(_CROPPING)}:format=format_name,duration:"
                                     f"frame={','.join(_TAGS)}:frame_side_data=side_data_type",
                                     "-read_intervals", "%+#4", "-of", "json"])
    try:
        value = json.loads(text)
        stream = value["streams"][0]
        stored = f"{stream['width']}x{stream['height']}"
        for one in stream.get("side_data_list", []):
            for name, side in _CROPPING.items():
                stream[side] -= int(one.get(name, 0))
        angles = [int(one.get("rotation", 0)) % 360 for one in stream.get("side_data_list", [])]
        if any(angle % 180 == 90 for angle in angles):  # ffmpeg turns the pictures before the first filter
            stream["width"], stream["height"] = stream["height"], stream["width"]
        stream["tags"] = {**_tags(value.get("frames") or [stream], any(angles)), **({} if any(angles) else {"stored": stored})}
        return {**{name: stream.get(name) for name in (*_STREAM.split(","), "tags")},
                "format": value.get("format", {}).get("format_name"),
                "duration": float(value.get("format", {}).get("duration", 0) or 0)}
    except (ValueError, KeyError, IndexError, TypeError):
        raise BatchError(BAD_INPUT, f"{path}: has no video stream") from None


def _packets(programs: Programs, path: pathlib.Path, kind: str) -> List[Tuple[Optional[int], bool]]:
    """Time and keyframe flag of each packet that becomes a frame; or of frames, by decoding everything: for videos whose
    packets are not frames."""
    entries = "frame=key_frame,pts" if kind == "frames" else "packet=pts,flags"
    rows = [line.split(",") for line in _ffprobe(programs, path, ["-show_entries", entries, "-of", "csv=p=0"]).splitlines()]
    if kind == "frames":
        found = [(row[1], row[0] == "1") for row in rows if len(row) >= 2 and row[0] in ("0", "1")]
    else:
        found = [(row[0], "K" in row[1]) for row in rows if len(row) >= 2 and "D" not in row[1]]  # D: left out by an edit list
    return [(int(time) if time.lstrip("-").isdigit() else None, is_key) for time, is_key in found]


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


def make(programs: Programs, path: pathlib.Path, kind: str) -> Dict[str, Any]:
    asked = start(_stream, programs, path)
    packets = _packets(programs, path, kind)
    stream = asked.result()
    if not packets:
        raise BatchError(BAD_INPUT, f"{path}: has no frames")
    pts, keys, reason = _order(packets)
    if stream["format"] in _UNTIMED:
        pts, keys, reason = [], [], f"the format {stream['format']} has no times"
    count = len(pts) if not reason else _count(programs, path)
    return {"schema": SCHEMA, "kind": kind, "stream": stream, "count": count, "pts": pts, "keys": keys,
            "reason": reason}


def cached(programs: Programs, path: pathlib.Path, content: str, folder: pathlib.Path, kind: str,
           check: Callable[[], None] = lambda: None) -> Dict[str, Any]:
    """The index of a video, made if the folder has none, or a damaged one. check: whether it is still that content."""
    try:
        return load(content, folder, kind)
    except BatchError:
        found = make(programs, path, kind)
        check()
        files.write_json(folder / f"{content}.{kind}.json", found)
        return found


def load(content: str, folder: pathlib.Path, kind: str) -> Dict[str, Any]:
    return files.read_json(folder / f"{content}.{kind}.json", SCHEMA, stream=dict, count=int, pts=list, keys=list, reason=str)
