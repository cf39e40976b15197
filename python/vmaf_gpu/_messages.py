# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What an ffmpeg says while it decodes: its errors, damaged frames, and what its filter graph takes. Standard library only."""
from __future__ import annotations

import re
import threading
from typing import IO

# Names of parts of ffmpeg come before its own words: titles of videos, which it prints, may have the same words.
_PREFIX = rb"(?:\[[^\[\]]* @ [^\[\]]*\] )*"
_ERROR = re.compile(_PREFIX + rb"\[(?:error|fatal)\] (.*)")
_DAMAGED = re.compile(_PREFIX + rb"\[warning\] .*corrupt decoded frame")
# What a graph takes. A second one is set up where the pictures change.
_GRAPH = re.compile(rb"\[graph 0 input from stream .* @ [^\[\]]*\] \[verbose\] (w:.*)")


class Messages:
    """Reads a pipe in a thread of its own, so that ffmpeg never waits, and keeps what counts. A file could become full."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self.error = ""  # the first one
        self.damaged = 0
        self.graphs: set[str] = set()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._pipe:
            line = line.rstrip()
            error, graph = _ERROR.match(line), _GRAPH.match(line)
            if error is not None:
                self.error = self.error or error[1].decode(errors="replace")
            elif graph is not None:
                self.graphs.add(re.sub(r" (?:tb|fr|sar):\S+", "", graph[1].decode(errors="replace")))
            elif _DAMAGED.match(line) is not None:
                self.damaged += 1

    def wait(self) -> None:
        """Until ffmpeg and all that it has started have said everything."""
        self._thread.join()

    def close(self) -> None:
        """After ffmpeg has ended. A program that it left behind may keep the pipe open."""
        self._thread.join(1)
        if not self._thread.is_alive():
            self._pipe.close()
