# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Calls beside each other, for work that is done by other programs or without Python's lock.

The threads are daemons: a signal ends the program without waiting for a video that is being read. programs.py ends
the processes that they have started.
"""
import os
import queue
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Callable, Optional, Tuple, Type

_Item = Optional[Tuple["Future[Any]", Callable[..., Any], Tuple[Any, ...]]]


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Calls:
    """At most so many at a time. Leaving the context does not wait for those that are under way."""

    def __init__(self, most: int) -> None:
        self._items: "queue.SimpleQueue[_Item]" = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(most)]
        for thread in self._threads:
            thread.start()

    def start(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Its result() waits, and raises what the call raised."""
        future: "Future[Any]" = Future()
        self._items.put((future, function, arguments))
        return future

    def __enter__(self) -> "Calls":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            while True:
                self._items.get_nowait()
        except queue.Empty:
            pass
        for _ in self._threads:
            self._items.put(None)

    def _work(self) -> None:
        while True:
            item = self._items.get()
            if item is None:
                return
            future, function, arguments = item
            try:
                future.set_result(function(*arguments))
            except BaseException as error:  # pylint: disable=broad-exception-caught
                future.set_exception(error)
