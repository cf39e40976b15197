# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What can go wrong, as exit statuses that say whether trying again makes sense."""
import argparse
import errno
import math
import re
from typing import Any, Callable

DONE = 0
MISSING = 1  # merge: a pair has no result yet
USAGE = 64  # the command line, the manifest or the installation
BAD_INPUT = 65  # a video: never try again
NOT_REPRODUCIBLE = 70  # two chunks disagree although both were decoded from the start
TRANSIENT = 75  # files, memory, devices, killed processes: try again
UNREAD = 141  # nobody reads what is printed: the status of a program that SIGPIPE ends

_TRANSIENT_ERRNO = {errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN,
                    errno.EINTR, errno.ESTALE, errno.ETIMEDOUT, errno.ECONNRESET, errno.ENOTCONN, errno.EBUSY,
                    errno.EROFS, errno.ENOTEMPTY}

_TRANSIENT_WORDS = ("no space left", "out of memory", "cannot allocate memory", "input/output error", "disk quota",
                    "device lost", "resource temporarily unavailable", "too many open files", "stale file handle",
                    "connection reset", "timed out", "cuda error", "hip error", "cannot write")

# A GPU or its driver is not there: of the machine, too, and another one may have it. FFmpeg says the first two.
_DEVICE_WORDS = ("no such device", "device creation failed", "no cuda driver", "no usable cuda driver",
                 "cuda driver is too old", "no hip runtime", "no usable hip runtime", "the hip runtime cannot be loaded",
                 "hip runtime is too old", "no amd gpu is visible", "no cuda device", "no hip device", "no device cuda:",
                 "no device hip:", "no kernels for this gpu")


def spelled(text: str) -> str:
    """What the engine says, which spells options as the filter does. Names of files may have such words, too."""
    return re.sub(r"(?<![^\s(:])(pair|offset)=(?=[\w-])", r"--\1 ", text)


def counted(number: int, noun: str) -> str:
    """A number of things in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class BatchError(Exception):
    """An error for the user: one sentence, and the exit status."""

    def __init__(self, code: int, text: str, tail: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.tail = tail  # the last lines of the process that failed


class Undecoded(BatchError):
    """Other frames came than the packets of a video promise: an index of its frames may tell more."""


class Unreadable(BatchError):
    """A file cannot be read: nothing is known of its content."""


def code_of_os_error(error: OSError, other: int = BAD_INPUT) -> int:
    """other: USAGE for a file to be written, or a program to be started: what is wrong is not a video."""
    return TRANSIENT if error.errno in _TRANSIENT_ERRNO else other


def is_transient_text(text: str) -> bool:
    """Whether a message of ffmpeg or of the tool is of the machine, not of the videos."""
    lower = text.lower()
    return any(words in lower for words in _TRANSIENT_WORDS + _DEVICE_WORDS)


def option(expected: str, pattern: str, convert: Callable[[str], Any] = str, least: float = -math.inf,
           most: float = math.inf) -> Callable[[str], Any]:
    """The type of an option of argparse: a text of this pattern, and the limits of a number."""
    def read(text: str) -> Any:
        value = convert(text) if re.fullmatch(pattern, text, re.ASCII) else None
        if value is None or isinstance(value, (int, float)) and not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not allowed; expected {expected}")
        return value
    return read
