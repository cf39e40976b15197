# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Finds where a video's pictures become others, from what ffmpeg's filter showinfo prints. Standard library only."""
from __future__ import annotations

import re
from typing import List, Optional

_FRAME = re.compile(r" pts_time:(\S+)")
_PICTURE = re.compile(r"\bfmt:(\S+) .*\bs:(\d+x\d+) ")
_COLOURS = re.compile(r"\] (?:\[info\] )?color_range:(\S+) color_space:(\S+)")


def _difference(stream: int, first: List[str], shown: List[str]) -> str:
    """The difference in words, and the command that makes one video of both, where there is one."""
    at = next(at for at in range(4) if first[at] != shown[at])
    more = first[at].replace("range ", ":out_range=").replace("matrix ", ":out_color_matrix=") if at > 1 else ""
    advice = (f"; make it one video first, e.g. ffmpeg -i INPUT -map 0:{stream} -vf scale={first[0].replace('x', ':')}{more} "
              f"-pix_fmt {first[1]} -fps_mode passthrough -c:v ffv1 FILE.mkv")
    return f"changes from {first[at]} to {shown[at]} at {shown[4]} s{'' if 'unknown' in more else advice}"


class Changes:
    """Reads the lines of showinfo. A name counts if the next picture has it, too, or if it is the last: another thread of
    ffmpeg may write into a line."""

    def __init__(self, stream: int, origin: float = 0.0) -> None:
        self._stream = stream  # as ffmpeg counts all streams of the file
        self._origin = origin  # seconds; times that are told count from there
        self._shown = ["", "", "", "", ""]  # size, format, range, matrix, time
        self._first: Optional[List[str]] = None
        self._latest: List[str] = []
        self.found = ""  # "changes from 640x360 to 320x180 at 3.96 s; ..."

    def line(self, text: str) -> None:
        colours = _COLOURS.search(text)
        if colours is not None:  # the end of what is said of a picture
            self._shown[2:4] = [f"range {colours[1]}", f"matrix {colours[2]}"]
            self._add(list(self._shown))
            return
        time, picture = _FRAME.search(text), _PICTURE.search(text)
        if time is not None:
            self._shown[4] = f"{round(float(time[1]) - self._origin, 6):g}" if time[1] != "NOPTS" else "?"
        if picture is not None:
            self._shown[:2] = [picture[2], picture[1]]

    def _add(self, shown: List[str]) -> None:
        if shown[:4] == self._latest[:4]:
            self._first = self._first or shown
            self._compare(self._first, self._latest)
            return
        if self._first is not None and shown[0] != self._first[0]:
            self._compare(self._first, shown)
        self._latest = shown

    def _compare(self, first: List[str], shown: List[str]) -> None:
        if shown[:4] != first[:4] and not self.found:
            self.found = _difference(self._stream, first, shown)

    def end(self) -> str:
        """found, with the last picture."""
        if self._first is not None:
            self._compare(self._first, self._latest)
        return self.found
