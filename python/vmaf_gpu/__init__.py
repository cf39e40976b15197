# SPDX-License-Identifier: BSD-2-Clause-Patent
"""VMAF on CUDA, HIP and CPU, equal to the last bit with libvmaf. docs/user/python.md is the manual.

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
    from ._progress import Progress
    from ._results import Device, MergedRun, PairScores, Scores
    from ._score import score
    from ._scorer import Model, Scorer, ScoreWarning, devices, merge, models, unusable_devices

__all__ = [
    "DecoderError", "Device", "DeviceError", "Error", "FrameTypeError", "InvalidArgument",
    "MergedRun", "MismatchError", "Model", "OutOfMemory", "OutputError", "PairScores",
    "Progress", "ScoreWarning", "Scorer", "Scores", "UsageError", "__version__", "devices", "merge", "models", "score",
    "unusable_devices",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("._native", __name__).VERSION
    # In this order: the first ones need no native module.
    for module in ("_errors", "_frames", "_progress", "_results", "_score", "_scorer") if name in __all__ else ():
        found = vars(importlib.import_module("." + module, __name__))
        if name in found:
            globals()[name] = found[name]
            return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))


if TYPE_CHECKING:
    __version__: str
