# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What starts tasks. An engine is a module with submit(work, words, common) -> exit status.

words are the options behind "--"; common are the words that every task needs (paths of programs and so on).
A module is imported only when it is asked for, so that its packages are needed only then.
"""
import importlib
import pathlib
from typing import Dict, List, Protocol, cast

from vmaf_gpu.batch.errors import USAGE, BatchError

ENGINES: Dict[str, str] = {
    "local": "vmaf_gpu.batch.engines.local",
    "slurm": "vmaf_gpu.batch.engines.slurm",
    "ray": "vmaf_gpu.batch.engines.ray",
    "k8s": "vmaf_gpu.batch.engines.k8s",
    "aws-batch": "vmaf_gpu.batch.engines.aws_batch",
}


class Engine(Protocol):
    """The interface of the modules."""

    def submit(self, work: pathlib.Path, words: List[str], common: List[str]) -> int:
        """Starts all tasks of the plan in work. Whether it waits for them is up to the engine."""


def find(name: str) -> Engine:
    if name not in ENGINES:
        raise BatchError(USAGE, f"the engine '{name}' is unknown; known are {', '.join(ENGINES)}")
    return cast(Engine, importlib.import_module(ENGINES[name]))
