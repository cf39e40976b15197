# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Calls beside each other, for work that is done by other programs or without Python's lock.

The threads are daemons: a signal ends the program without waiting for a video that is being read. programs.py ends
the processes that they have started.
"""
import collections
import os
import threading
from concurrent.futures import Future
from typing import Any, Callable, Deque, Iterable, Iterator


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start(function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
    """Its result() waits, and raises what the call raised."""
    future: "Future[Any]" = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # pylint: disable=broad-exception-caught
            future.set_exception(error)
    threading.Thread(target=work, daemon=True).start()
    return future


def in_order(most: int, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """What it makes of each item; so many are under way at a time, ahead of the one that is waited for."""
    waiting: Deque["Future[Any]"] = collections.deque()
    for item in items:
        waiting.append(start(function, item))
        if len(waiting) == most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
