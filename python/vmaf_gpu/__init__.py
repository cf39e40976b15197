# SPDX-License-Identifier: BSD-2-Clause-Patent
"""VMAF on CUDA, HIP and CPU, equal to the last bit with libvmaf. docs/python.md is the manual.

    >>> import vmaf_gpu
    >>> vmaf_gpu.score("reference.mkv", "distorted.mkv").score  # doctest: +SKIP

The native module is loaded with the first name that needs it, so that ``vmaf_gpu.batch`` runs where
it cannot be.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._errors import (DecoderError, DeviceError, Error, InvalidArgument, MismatchError, OutOfMemory,
                          OutputError, UsageError)
    from ._frames import FrameTypeError
    from ._results import Device, MergedRun, PairScores, Scores
    from ._score import LengthWarning, score
    from ._scorer import Model, Scorer, devices, merge, models, unusable_devices

_PLACES = {
    "_errors": ("DecoderError", "DeviceError", "Error", "InvalidArgument", "MismatchError",
                "OutOfMemory", "OutputError", "UsageError"),
    "_frames": ("FrameTypeError",),
    "_results": ("Device", "MergedRun", "PairScores", "Scores"),
    "_score": ("LengthWarning", "score"),
    "_scorer": ("Model", "Scorer", "devices", "merge", "models", "unusable_devices"),
}
_HOME = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "DecoderError", "Device", "DeviceError", "Error", "FrameTypeError", "InvalidArgument",
    "LengthWarning", "MergedRun", "MismatchError", "Model", "OutOfMemory", "OutputError", "PairScores",
    "Scorer", "Scores", "UsageError", "__version__", "devices", "merge", "models", "score",
    "unusable_devices",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("._native", __name__).version()
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("." + _HOME[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))


if TYPE_CHECKING:
    __version__: str
