# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the engines have in common that only write a request: options, names, and the command in a container."""
import argparse
import pathlib
import subprocess
from typing import Callable, List

from vmaf_gpu.batch import plan as plans
from vmaf_gpu.batch.errors import DONE, TRANSIENT, USAGE, BatchError


class Parser(argparse.ArgumentParser):
    """Options behind "--"."""

    def __init__(self, engine: str) -> None:
        super().__init__(prog=f"vmaf-gpu submit WORK --engine {engine} --", add_help=False, allow_abbrev=False,
                         exit_on_error=False)
        self.engine = engine
        self.add_argument("--image", required=True)
        self.add_argument("--command", default="vmaf-gpu")
        self.add_argument("--name")
        self.add_argument("--apply", action="store_true")

    def error(self, message: str) -> "None":  # type: ignore[override]
        raise BatchError(USAGE, f"the engine {self.engine}: {message}")

    def read(self, words: List[str]) -> argparse.Namespace:
        try:
            return self.parse_args(words)
        except argparse.ArgumentError as error:
            raise BatchError(USAGE, f"the engine {self.engine}: {error}") from None


def task_words(options: argparse.Namespace, work: pathlib.Path, common: List[str],
               literal: Callable[[str], str] = str) -> List[str]:
    """The worker takes its number from the environment. literal keeps a word from being expanded."""
    words = ["task", str(work.absolute()), *common]
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise BatchError(USAGE, f"{word}: is not UTF-8, which a request has to be; use another path") from None
    return [*options.command.split(), *map(literal, words)]


def check_size(count: int, most: int, engine: str) -> None:
    if count > most:
        raise BatchError(USAGE, f"the engine {engine}: the plan has {count} tasks, and one job can have {most}; "
                                "plan with more --frames-per-task, or make several plans")


def name_of(options: argparse.Namespace, plan_digest: str) -> str:
    """The same plan has the same name, so that it is not started twice by accident."""
    return options.name or f"vmaf-gpu-{plan_digest[:12]}"


def load(work: pathlib.Path) -> "tuple[int, str]":
    """Tasks of the plan, and its digest."""
    plan = plans.load(plans.Folder(work))
    return len(plan["tasks"]), plans.digest(plan)


def call(words: List[str], text: str = "") -> int:
    """kubectl or aws, with the user's configuration."""
    try:
        code = subprocess.run(words, input=text, text=True, check=False).returncode
    except OSError as error:
        raise BatchError(USAGE, f"cannot start {words[0]}: {error.strerror}") from None
    return DONE if code == 0 else TRANSIENT
