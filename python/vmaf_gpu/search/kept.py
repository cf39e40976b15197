# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What of a source an encoded file does not have: tags and side data of the video, and other streams. Sound and chapters
are copied, and turned pictures are encoded as they are shown."""
import json
import pathlib
import re
from typing import Any, Dict, List

from vmaf_gpu.batch.programs import Programs, output_of

_TAGS = {"sample_aspect_ratio": "sample aspect ratio", "color_range": "colour range", "color_space": "colour matrix",
         "color_transfer": "transfer characteristics", "color_primaries": "colour primaries"}
_UNKNOWN = ("", "unknown", "N/A", "0:1", "1:1", "reserved")
# The encoder or the container makes these, or they are carried out when pictures are shown.
_OWN = re.compile(r"user data unregistered|display ?matrix|cpb prop|timecode|x264|skip samples|film grain", re.I)

_ALPHA = re.compile(r"yuva|ya\d|gbrap|rgba|bgra|argb|abgr|ayuv|vuya")


def _asked(programs: Programs, path: pathlib.Path, *words: str) -> Dict[str, Any]:
    """What ffprobe says; {} if it says nothing."""
    done = output_of([programs.ffprobe, "-v", "error", *words, "-of", "json", str(path)], str(path))
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        return {}


def _video(programs: Programs, path: pathlib.Path, stream: int) -> Dict[str, Any]:
    """Tags, names of side data and the order of fields of the first frame."""
    told = _asked(programs, path, "-select_streams", str(stream), "-read_intervals", "%+#1", "-show_frames", "-show_entries",
                  f"stream=pix_fmt,{','.join(_TAGS)}:stream_side_data=side_data_type:frame=interlaced_frame,top_field_first:"
                  "frame_side_data=side_data_type")
    shown, frame = ((told.get(name) or [{}])[0] for name in ("streams", "frames"))
    data = {one.get("side_data_type", "") for part in (shown, frame) for one in part.get("side_data_list", [])}
    return {"tags": {name: str(shown.get(name, "")) for name in _TAGS}, "data": {name for name in data if not _OWN.search(name)},
            "has_alpha": bool(_ALPHA.match(str(shown.get("pix_fmt", "")))),
            "fields": ("top" if frame.get("top_field_first") else "bottom") if frame.get("interlaced_frame") else ""}


def _other_streams(programs: Programs, path: pathlib.Path, stream: int) -> List[str]:
    """Streams that are not encoded or copied."""
    streams = _asked(programs, path, "-show_entries", "stream=index,codec_type").get("streams", [])
    return [f"stream {one['index']} ({one.get('codec_type', 'unknown')})" for one in streams
            if one["index"] != stream and one.get("codec_type") != "audio"]


def missing(programs: Programs, source: pathlib.Path, stream: int, encoded: pathlib.Path, is_filtered: bool) -> List[str]:
    """Names what is lost. encoded: some frames; is_filtered: the pictures are made others, on purpose."""
    before, after = _video(programs, source, stream), _video(programs, encoded, 0)
    lost = sorted(before["data"] - after["data"])
    if not is_filtered:
        lost = [f"{words} {before['tags'][name]}" for name, words in _TAGS.items()
                if before["tags"][name] not in (*_UNKNOWN, after["tags"][name])] + lost
        lost += [f"field order ({before['fields']} first)"] if before["fields"] and before["fields"] != after["fields"] else []
    lost += ["alpha"] if before["has_alpha"] and not after["has_alpha"] else []
    return lost + _other_streams(programs, source, stream)
