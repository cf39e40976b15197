# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the engines have in common that only write a request: options, names, and the command in a container."""
import argparse
import pathlib
import subprocess
from typing import Callable, List, Tuple

from vmaf_gpu.batch import plan as plans
from vmaf_gpu.batch.engines import worker
from vmaf_gpu.batch.errors import DONE, TRANSIENT, USAGE, BatchError


def parser(engine: str) -> worker.Parser:
    made = worker.Parser(engine)
    made.add_argument("--image", required=True)
    made.add_argument("--command", default="vmaf-gpu")
    made.add_argument("--name")
    made.add_argument("--apply", action="store_true")
    return made


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


def load(options: argparse.Namespace, work: pathlib.Path, most: int, engine: str) -> Tuple[int, str]:
    """Tasks of the plan, and the name of the job: that of the same plan is the same, so that it is not started twice."""
    plan = plans.load(plans.Folder(work))
    count = len(plan["tasks"])
    if count > most:
        raise BatchError(USAGE, f"the engine {engine}: the plan has {count} tasks, and one job can have {most}; "
                                "plan with more --frames-per-task, or make several plans")
    return count, options.name or f"vmaf-gpu-{plans.digest(plan)[:12]}"


def call(words: List[str], text: str = "") -> int:
    """kubectl or aws, with the user's configuration."""
    try:
        code = subprocess.run(words, input=text, text=True, check=False).returncode
    except OSError as error:
        raise BatchError(USAGE, f"cannot start {words[0]}: {error.strerror}") from None
    return DONE if code == 0 else TRANSIENT
