# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The exceptions of vmaf_gpu, and which of them an error code of the engine becomes.

Needs neither the native module nor numpy.
"""
from __future__ import annotations

import errno


class Error(Exception):
    """What the engine refused or could not do. Its text says what was wrong and what is allowed.

    ``code`` is the errno value, such as ``errno.EINVAL``.
    """

    _usual_code = errno.EINVAL

    def __init__(self, text: str, code: int = 0) -> None:
        super().__init__(text)
        self.code = code or self._usual_code

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (str(self), self.code)


class InvalidArgument(Error, ValueError):
    """A setting, a frame or a file is not one that is allowed."""


class OutOfMemory(Error, MemoryError):
    """No memory on the host or on the device. The Scorer stays usable."""

    _usual_code = errno.ENOMEM


class DeviceError(Error, RuntimeError):
    """The device does not exist, is not in this build, or was lost (``code`` is ``errno.EIO``)."""

    _usual_code = errno.ENODEV


class UsageError(Error, RuntimeError):
    """A Scorer that is closed, or was opened in another process."""


class OutputError(Error, OSError):
    """A log could not be written, or a file could not be read."""

    _usual_code = errno.EIO

    def __str__(self) -> str:
        return str(self.args[0])


class DecoderError(Error, RuntimeError):
    """ffmpeg is missing (``code`` is ``errno.ENOENT``), or could not read a file (``errno.EIO``)."""

    _usual_code = errno.EIO


class MismatchError(Error, RuntimeError):
    """Two parts of a run have different scores for the same pair: one of them is wrong."""

    _usual_code = errno.EBADMSG


_CLASSES: dict[int, type[Error]] = {
    errno.EINVAL: InvalidArgument,
    errno.ENOMEM: OutOfMemory,
    errno.ENODEV: DeviceError,
    errno.ENOSYS: DeviceError,
    errno.EIO: DeviceError,
    errno.EBUSY: UsageError,
    errno.EBADF: UsageError,
    errno.EBADMSG: MismatchError,
}


def from_code(code: int, text: str) -> Error:
    """The exception for a negative errno value; other codes than those above are of files."""
    return _CLASSES.get(-code, OutputError)(text, -code)
