# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a search prints while it runs."""
import re
import sys
from typing import List, Set

from vmaf_gpu.batch import plan as plans


class Reporter:
    """Lines that stay, one that changes, and warnings, each once."""

    def __init__(self, is_quiet: bool) -> None:
        self._is_quiet, self._is_terminal = is_quiet, sys.stderr.isatty()
        self._shown = 0
        self._told: Set[str] = set()

    def __call__(self, text: str, stays: bool) -> None:
        if self._is_quiet or not (stays or self._is_terminal):
            return
        print(self._clear() + text, end="\n" if stays else "", file=sys.stderr, flush=True)
        self._shown = 0 if stays else len(text)

    def _clear(self) -> str:
        return "\r" + " " * self._shown + "\r" if self._is_terminal else ""

    def warn(self, subject: str, texts: List[str]) -> None:
        """Numbers of frames, and addresses in FFmpeg's words, differ from trial to trial of one fault."""
        for text in texts:
            about = re.sub(r"0x[0-9a-f]+|\d+", "", text)
            if about not in self._told:
                print(self._clear(), end="", file=sys.stderr, flush=True)
                plans.say_warning(subject, text)
            self._told.add(about)
