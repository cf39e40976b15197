# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How ffmpeg is made to hand over exactly the frames first to stop - 1 of a video.

Seeking by time is not exact: demuxers land late, and leading frames of open groups of pictures lack their
references. So a task seeks to a keyframe well before its frames, drops by exact time what it did not want, and
the frames that came are compared with the index.
"""
import bisect
import dataclasses
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

from vmaf_gpu._changes import Changes
from vmaf_gpu.batch.errors import counted

START = 0  # instead of a number of keyframes to go back: decode from the start
BACKS = (2, 4, 8, START)
_REORDERED = 16  # frames that a decoder may hold back


@dataclasses.dataclass(frozen=True)
class Cut:
    """Options and filter for one input, and what has to come out of it."""

    options: Tuple[str, ...]
    before: str  # filters for all frames that are decoded, and for those that stay
    trim: str
    times: Optional[Tuple[int, ...]]  # times of the frames that are wanted; None: only their number is known
    count: int
    clean: Optional[int]  # time of the frame from which on errors of the decoder count; None: always
    stream: int  # as ffmpeg counts all streams of the file
    origin: float = 0.0  # seconds; times that are told count from there

    @property
    def is_from_start(self) -> bool:
        return self.clean is None

    def chain(self, name: str) -> str:
        """The filters; a showinfo named after the input tells which frames pass."""
        show = f"showinfo@{name}=checksum=0"
        return f"{self.trim},{show}" if self.times is None else f"{self.before},{show},{self.trim}"


def _seconds(pts: int, time_base: str) -> str:
    """Rounded down to a microsecond, which is before the frame or at it."""
    numerator, denominator = time_base.split("/")
    micro = pts * int(numerator) * 10**6 // int(denominator)
    sign = "-" if micro < 0 else ""
    return f"{sign}{abs(micro) // 10**6}.{abs(micro) % 10**6:06d}"


def _target(index: Dict[str, Any], first: int, back: int, threads: int) -> Tuple[int, int]:
    """Frame numbers of the keyframe to seek to, and of the one from which pictures are undamaged; -1: none."""
    keys = index["keys"]
    at = bisect.bisect_right(keys, first) - 1
    clean = min(at - 1, bisect.bisect_right(keys, first - _REORDERED - threads) - 1)
    seek = clean - (back - 2)
    return (keys[seek], keys[clean]) if seek > 0 else (-1, -1)


def make(index: Dict[str, Any], first: int, stop: int, back: int, threads: int) -> Cut:
    if not index["pts"]:
        return Cut((), "", f"trim=start_frame={first}:end_frame={stop}", None, stop - first, None, index["stream"]["index"])
    pts, time_base, stream = index["pts"], index["stream"]["time_base"], index["stream"]["index"]
    times = tuple(pts[first:stop])
    before, trim = f"settb={time_base}", f"trim=start_pts={times[0]}:end_pts={times[-1] + 1}"
    seek, clean = _target(index, first, back, threads) if back != START else (-1, -1)
    origin = float(_seconds(pts[0], time_base))
    if seek < 0:
        return Cut((), before, trim, times, len(times), None, stream, origin)
    options = ("-seek_timestamp", "1", "-noaccurate_seek", "-ss", _seconds(pts[seek], time_base))
    return Cut(options, before, trim, times, len(times), pts[clean], stream, origin)


def whole(index: Dict[str, Any]) -> Cut:
    """All frames, with the times that ffmpeg gives them; the engine counts them."""
    return Cut((), "", "null", None, index["count"], None, index["stream"]["index"])


class Watch:
    """Reads what ffmpeg says about one input: which frames came, whether they become others, and which errors count."""

    _FRAME = re.compile(r" n: *(\d+) pts: *(-?\d+|NOPTS) +pts_time:(\S+)")

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        self.came: List[int] = []
        self.number = 0
        self.is_clean = cut.clean is None
        self.time = 0.0  # time of the latest frame, in seconds
        self.changes = Changes(cut.stream, cut.origin)

    def line(self, text: str) -> None:
        self.changes.line(text)
        found = self._FRAME.search(text)
        if found is None:
            return
        if found[2] != "NOPTS":
            self.time = float(found[3]) - self.cut.origin
        if self.cut.times is None:
            self.number += 1
            return
        time = int(found[2]) if found[2] != "NOPTS" else None
        if time is None:
            return
        if self.cut.clean is not None and time >= self.cut.clean:
            self.is_clean = True
        if self.cut.times[0] <= time <= self.cut.times[-1]:
            self.came.append(time)

    def fault(self) -> str:
        """"", or in which way the frames are not the ones that were wanted."""
        if self.cut.times is None:
            return "" if self.number == self.cut.count else f"{counted(self.number, 'frame')} came, not {self.cut.count}"
        if tuple(self.came) == self.cut.times:
            return ""
        return _difference(self.came, self.cut.times)


def _difference(came: Sequence[int], wanted: Sequence[int]) -> str:
    if len(came) != len(wanted):
        return f"{counted(len(came), 'frame')} came, not {len(wanted)}"
    at = next(i for i, (a, b) in enumerate(zip(came, wanted)) if a != b)
    return f"the frame with time {came[at]} came instead of {wanted[at]}"
