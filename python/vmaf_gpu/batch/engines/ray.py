# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tasks as Ray tasks. Needs the package ray; run() is for programs that use Ray themselves.

A task that fails by the machine's fault raises RuntimeError, and Ray tries it again, as it does when a worker or a
node is lost. One that fails for good raises ValueError and is not tried again.
"""
import logging
import os
import pathlib
import subprocess
from typing import Any, Dict, List, Optional

from vmaf_gpu.batch import plan as plans
from vmaf_gpu.batch.engines import worker
from vmaf_gpu.batch.errors import BAD_INPUT, DONE, NOT_REPRODUCIBLE, TRANSIENT, USAGE, BatchError

_FOR_GOOD = (USAGE, BAD_INPUT, NOT_REPRODUCIBLE)


class ForGood(ValueError):
    """Ends a task for good; keeps its exit status."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.code = code


def run_task(words: List[str], path: str) -> int:
    """Runs in a worker of Ray."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, env={**os.environ, "PYTHONPATH": path})
    if done.returncode == DONE:
        return DONE
    text = f"status {done.returncode}: {done.stdout.strip()[-500:]}"
    if done.returncode in _FOR_GOOD:
        raise ForGood(done.returncode, text)
    raise RuntimeError(text)


def _code_of(error: BaseException) -> int:
    """The exit status that an exception of Ray stands for: the cause of a task's error, or a lost worker."""
    cause = getattr(error, "cause", error)
    return cause.code if isinstance(cause, ForGood) else TRANSIENT


def run(work: pathlib.Path, common: List[str], num_gpus: Optional[float] = None, num_cpus: float = 1.0,
        retries: int = worker.RETRIES) -> Dict[int, int]:
    """Runs the tasks that lack parts on the cluster that Ray is connected to. Exit statuses by task.

    num_gpus: of a task; fractions let several share one; None: one if the cluster has any.
    """
    import ray

    folder = plans.Folder(work)
    plan = plans.load(folder)
    if num_gpus is None:
        num_gpus = 1.0 if dict(ray.cluster_resources()).get("GPU") else 0.0  # type: ignore[no-untyped-call]
    options: Dict[str, Any] = {"num_cpus": num_cpus, "max_retries": retries, "retry_exceptions": [RuntimeError]}
    remote = ray.remote(run_task).options(**options, **({"num_gpus": num_gpus} if num_gpus else {}))
    threads = str(max(1, int(num_cpus)))
    codes: Dict[int, int] = {}
    running = {remote.remote(worker.command("task", work, str(number), *common, "--threads", threads, "--decoder-threads",
                                            threads), worker.python_path()): number
               for number in worker.pending(folder, plan)}
    while running:
        for ended in ray.wait(list(running))[0]:
            number = running.pop(ended)
            try:
                codes[number] = ray.get(ended)
            except ray.exceptions.RayError as error:
                codes[number] = _code_of(error)
    return codes


def submit(work: pathlib.Path, words: List[str], common: List[str]) -> int:
    """Waits for all tasks. The worst exit status."""
    try:
        import ray
    except ImportError:
        raise BatchError(USAGE, "the engine ray needs the package ray: pip install ray") from None
    parser = worker.Parser("ray")
    parser.add_argument("--address")
    parser.add_argument("--num-gpus", type=float)
    parser.add_argument("--num-cpus", type=float, default=1.0)
    parser.add_argument("--retries", type=int, default=worker.RETRIES)
    options = parser.parse_args(words)
    ray.init(address=options.address, log_to_driver=False, logging_level=logging.WARNING,
             runtime_env={"env_vars": {"PYTHONPATH": worker.python_path()}})
    try:
        codes = run(work, common, options.num_gpus, options.num_cpus, options.retries)
    finally:
        ray.shutdown()
    return max(codes.values(), default=DONE)
