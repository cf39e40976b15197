# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How far a run is, on standard error as the tool shows it (tools/output.c): a bar on a terminal, elsewhere a line
every few seconds. Standard library only.
"""
from __future__ import annotations

import sys
import time
from typing import Callable, NamedTuple, Optional

_BAR_INTERVAL, _LINE_INTERVAL = 0.2, 5.0  # seconds
_WIDTH = 20


class Progress(NamedTuple):
    """How far a run is; str() gives it in the words of the tool. total 0: not known; left -1: likewise."""

    done: int
    total: int
    rate: float  # frames per second
    left: float  # seconds

    def __str__(self) -> str:
        text = f"{self.done}{f' of {self.total}' if self.total else ''} frames, {self.rate:.2f} FPS"
        left = int(self.left + 0.5)
        return text if self.left < 0 else f"{text}, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"


class Meter:
    """Shows it under the name of a program, or tells it to a function in the rhythm of a bar."""

    def __init__(self, name: str, tell: Optional[Callable[[Progress], object]] = None) -> None:
        self._name, self._tell, self._is_terminal = name, tell, tell is None and sys.stderr.isatty()
        self._interval = _BAR_INTERVAL if tell or self._is_terminal else _LINE_INTERVAL
        self._latest, self._has_line = time.monotonic(), False

    def is_due(self) -> bool:
        return time.monotonic() - self._latest >= self._interval

    def show(self, progress: Progress, more: str = "") -> None:
        """more: what the program adds to the line."""
        self._latest, self._has_line = time.monotonic(), True
        if self._tell is not None:
            self._tell(progress)
        elif self._is_terminal:
            done = min(_WIDTH, progress.done * _WIDTH // progress.total) if progress.total else 0
            bar = f"[{'#' * done}{'-' * (_WIDTH - done)}] " if progress.total else ""
            print(f"\r{bar}{progress}{more}\033[K", end="", file=sys.stderr, flush=True)
        else:
            print(f"{self._name}: {progress}{more}", file=sys.stderr, flush=True)

    def end(self, last: Optional[Progress] = None) -> None:
        """The last line, of which a short run has none but on a terminal. None: what a terminal shows goes."""
        if last is not None and (self._tell or self._is_terminal or self._has_line):
            self.show(last)
        if self._is_terminal:
            print("\r\033[K" if last is None else "\n", end="", file=sys.stderr, flush=True)
