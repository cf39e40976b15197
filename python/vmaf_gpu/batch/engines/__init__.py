# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What starts tasks. An engine is a module with submit(work, words, common) -> exit status.

words are the options behind "--"; common are the words that every task needs (paths of programs and so on).
A module is imported only when it is asked for, so that its packages are needed only then.
"""
import importlib
from typing import Any

from vmaf_gpu.batch.errors import USAGE, BatchError

ENGINES = ("local", "slurm", "ray")


def find(name: str) -> Any:
    if name not in ENGINES:
        raise BatchError(USAGE, f"the engine '{name}' is unknown; known are {', '.join(ENGINES)}")
    return importlib.import_module(f"{__name__}.{name}")
