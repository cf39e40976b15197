# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tasks as a Slurm array job, and a job that merges after it.

A task that fails by the machine's fault is tried again in its place, as a requeued one waits for minutes. Slurm
requeues those of lost nodes. The merging job runs whatever became of the tasks, and says what is missing.
"""
import pathlib
import re
import shlex
import subprocess
from typing import List, Tuple

from vmaf_gpu.batch import plan as plans
from vmaf_gpu.batch.engines import worker
from vmaf_gpu.batch.errors import DONE, MISSING, TRANSIENT, USAGE, BatchError, counted
from vmaf_gpu.batch.programs import output_of

_SMALLEST_ARRAY = 1001  # Slurm's default of MaxArraySize
_OF_TASKS_ONLY = re.compile(r"--(gres|gpus(-per-\w+)?|cpus-per-gpu|mem-per-gpu|gpu-\w+|tres-per-\w+)(=|$)|-G")
_OURS = re.compile(r"(--array|--dependency|--parsable|--wrap)(=|$)|-[ad]")


def _largest_array() -> int:
    found = re.search(r"MaxArraySize\s*=\s*(\d+)", output_of(["scontrol", "show", "config"], "Slurm").stdout)
    return int(found[1]) if found else _SMALLEST_ARRAY


def ranges(numbers: List[int]) -> str:
    """0-4,7 for what sbatch calls an array."""
    text: List[str] = []
    for number in numbers:
        if text and int(text[-1].split("-")[-1]) == number - 1:
            text[-1] = f"{text[-1].split('-')[0]}-{number}"
        else:
            text.append(str(number))
    return ",".join(text)


def arrays(numbers: List[int], largest: int) -> List[Tuple[int, List[int]]]:
    """Offsets, and indices below MaxArraySize."""
    found = [(at, [number - at for number in numbers if at <= number < at + largest])
             for at in range(0, max(numbers) + 1, largest)]
    return [(at, some) for at, some in found if some]


def task_script(work: pathlib.Path, common: List[str], offset: int) -> str:
    task = (f'{shlex.join(worker.command("task", work))} "$((SLURM_ARRAY_TASK_ID + {offset}))" {shlex.join(common)} '
            '--threads "$cores" --decoder-threads "$cores"')
    return (f"#!/bin/sh\nexport PYTHONPATH={shlex.quote(worker.python_path())}\n"
            f'cores="${{SLURM_CPUS_ON_NODE:-1}}"\n{worker.retrying(task)}')


def merge_script(work: pathlib.Path, common: List[str]) -> str:
    return (f"#!/bin/sh\nexport PYTHONPATH={shlex.quote(worker.python_path())}\n"
            f"exec {shlex.join(worker.command('merge', work, *common))}\n")


def without_devices(words: List[str]) -> List[str]:
    """Options for the merging job, which needs no GPU."""
    kept: List[str] = []
    skips = False
    for word in words:
        if not skips and _OF_TASKS_ONLY.match(word):
            skips = word == "-G" or word.startswith("--") and "=" not in word
        elif not skips:
            kept.append(word)
        else:
            skips = False
    return kept


def _sbatch(script: str, words: List[str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(["sbatch", "--parsable", *words], input=script, capture_output=True, text=True,
                              check=False)
    except OSError as error:
        raise BatchError(USAGE, f"Slurm: cannot start sbatch: {error.strerror}") from None


def _job_of(done: "subprocess.CompletedProcess[str]") -> str:
    found = re.match(r"(\d+)", done.stdout)
    if found is None:
        code = TRANSIENT if re.search("Unable to contact|timed out|temporarily", done.stderr) else USAGE
        raise BatchError(code, f"Slurm: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no job'}")
    return found[1]


def submit(work: pathlib.Path, words: List[str], common: List[str]) -> int:
    parser = worker.Parser("slurm")
    parser.add_argument("--at-once", type=int)
    parser.add_argument("--wait", action="store_true")
    options, rest = parser.parse_known_args(words)
    refused = [word for word in rest if _OURS.match(word)]
    if refused:
        raise BatchError(USAGE, f"the engine slurm: {refused[0]} is not allowed; --at-once N limits how many tasks run")
    folder = plans.Folder(work)
    left = worker.pending(folder, plans.load(folder))
    logs = folder.work / "slurm"
    if "\\" in str(logs):
        raise BatchError(USAGE, f"{folder.work}: Slurm takes no backslash in the path of messages; use another folder")
    logs.mkdir(exist_ok=True)
    pattern = str(logs).replace("%", "%%")
    jobs: List[str] = []
    for offset, numbers in arrays(left, _largest_array()) if left else []:
        limit = f"%{options.at_once}" if options.at_once else ""
        jobs.append(_job_of(_sbatch(task_script(work, common, offset), [
            "--job-name=vmaf-gpu", "--requeue", "--open-mode=append", f"--output={pattern}/%A_%a.txt", *rest,
            f"--array={ranges(numbers)}{limit}"])))
    print(counted(len(left), "task") + (f" as job {', '.join(jobs)}" if jobs else ""), flush=True)
    after = [f"--dependency=afterany:{':'.join(jobs)}"] if jobs else []
    done = _sbatch(merge_script(work, common), [
        "--job-name=vmaf-gpu-merge", f"--output={pattern}/merge-%j.txt", *without_devices(rest), *after,
        *(["--wait"] if options.wait else [])])
    job = _job_of(done)
    print(f"merge as job {job}; it writes {logs}/merge-{job}.txt", flush=True)
    if not options.wait:
        return DONE
    log = logs / f"merge-{job}.txt"
    print(log.read_text() if log.exists() else "", end="")
    return MISSING if done.returncode == 1 else done.returncode
