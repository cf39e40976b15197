# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What engines share: their options, the command of a worker, the tasks that are left, and the rule of trying again."""
import argparse
import os
import pathlib
import sys
from typing import Any, Dict, List, NoReturn

from vmaf_gpu.batch import parts, plan as plans
from vmaf_gpu.batch.errors import USAGE, BatchError

RETRIES = 2  # more tries of a task that ended with "try again"


class Parser(argparse.ArgumentParser):
    """Options behind "--"."""

    def __init__(self, engine: str) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self.engine = engine

    def error(self, message: str) -> NoReturn:
        known = ", ".join(action.option_strings[0] for action in self._actions)
        raise BatchError(USAGE, f"the engine {self.engine}: {message}; it knows {known}")


def python_path() -> str:
    """PYTHONPATH with which a worker finds this package."""
    package = str(pathlib.Path(__file__).resolve().parents[3])
    return os.pathsep.join([package] + ([os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []))


def command(step: str, work: pathlib.Path, *words: str) -> List[str]:
    """A step of vmaf-gpu, run with this Python."""
    return [sys.executable, "-m", "vmaf_gpu.batch", step, str(work.absolute()), *words]


def pending(folder: plans.Folder, plan: Dict[str, Any]) -> List[int]:
    """The tasks that lack parts."""
    return [number for number, task in enumerate(plan["tasks"])
            if any(parts.find(folder, task, member["key"]) is None for member in task["members"])]


def retrying(shell: str) -> str:
    """Shell that runs a task, and again if it was the machine's fault.

    Statuses above 128 are of killed processes, 1 is of an interpreter that failed. After SIGTERM nothing is
    tried again: the scheduler wants the place.
    """
    return f"""trap 'exit 75' TERM
left={RETRIES}
while :; do
  status=0
  {shell} || status=$?
  if [ "$status" -ne 1 ] && [ "$status" -ne 75 ] && [ "$status" -le 128 ] || [ "$left" -eq 0 ]; then
    exit "$status"
  fi
  left=$((left - 1))
  echo "vmaf-gpu: status $status, trying again"
done
"""
