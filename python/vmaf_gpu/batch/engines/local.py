# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tasks as processes on this machine: one for each core, or several for each GPU.

How many processes keep a GPU busy depends on the video (decoders are the limit), so the pool starts with four a
GPU, which was best for 1080p on an H200, and adds one more while that makes all of them together faster.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import Dict, List, Optional, Tuple

from vmaf_gpu._progress import Meter, Progress
from vmaf_gpu._shell import in_shell
from vmaf_gpu.batch import parts, plan as plans, status
from vmaf_gpu.batch.calls import cores
from vmaf_gpu.batch.engines import worker
from vmaf_gpu.batch.errors import DONE, TRANSIENT, USAGE, BatchError, counted
from vmaf_gpu.batch.programs import ENVIRONMENT, Programs

_PAUSE = 0.05
_WINDOW = 5.0  # seconds of a measurement
_GAIN = 1.05  # one more process has to raise the rate by this factor
_FIRST_PER_DEVICE = 4
_MOST_PER_DEVICE = 8
CPU = "cpu"


class Slots:
    """How many processes run at a time, and on which device."""

    def __init__(self, jobs: str, devices: List[str]) -> None:
        self.devices: List[Optional[str]] = list(devices) or [None]
        self.has_gpu = any(name not in (None, CPU) for name in self.devices)
        self.is_adaptive = self.has_gpu and jobs == "auto"
        self.per_device = _FIRST_PER_DEVICE if self.is_adaptive else _MOST_PER_DEVICE
        self.total = int(jobs) if jobs != "auto" else _FIRST_PER_DEVICE * len(devices) if self.has_gpu else cores()
        self.best = 0.0

    def device_for(self, running: List[Optional[str]]) -> Optional[str]:
        """The one with the fewest processes."""
        return min(self.devices, key=running.count)

    def measured(self, rate: float) -> None:
        """Takes the rate of a window in which all slots were busy."""
        if not self.is_adaptive:
            return
        if rate > self.best * _GAIN and self.per_device < _MOST_PER_DEVICE:
            self.best = rate
            self.per_device += 1
        else:
            self.is_adaptive = False
            self.per_device -= 1 if rate <= self.best else 0
        self.total = self.per_device * len(self.devices)


class Pool:
    """Runs the tasks of a plan that have no parts yet."""

    def __init__(self, work: pathlib.Path, slots: Slots, common: List[str], is_quiet: bool = False) -> None:
        self.folder = plans.Folder(work)
        self.plan = plans.load(self.folder)
        self.slots, self.common = slots, common
        self.running: Dict[int, Tuple["subprocess.Popen[bytes]", Optional[str]]] = {}
        self.tries: Dict[int, int] = {}
        self.codes: Dict[int, int] = {}
        self.window: Tuple[float, float] = (time.time(), 0.0)
        self.meter = None if is_quiet else Meter("vmaf-gpu")
        self.began, self.done_before = time.time(), status.collect(work)["pairs_done"]

    def run(self) -> int:
        """The worst exit status of a task."""
        try:
            self._run(worker.pending(self.folder, self.plan))
        finally:
            self._kill()
            if self.meter is not None:
                self.meter.end()
        return max(self.codes.values(), default=DONE)

    def _run(self, waiting: List[int]) -> None:
        while waiting or self.running:
            while waiting and len(self.running) < self.slots.total:
                self._start(waiting.pop(0))
            time.sleep(_PAUSE)
            for number, (child, _) in list(self.running.items()):
                code = child.poll()
                if code is not None:
                    del self.running[number]
                    if self._ended(number, code):
                        waiting.append(number)
            self._measure(bool(waiting))
            if self.meter is not None and self.meter.is_due():
                self.meter.show(*self.progress())

    def _start(self, number: int) -> None:
        device = self.slots.device_for([used for _, used in self.running.values()])
        threads = max(1, cores() // self.slots.total)
        words = worker.command("task", self.folder.work, str(number), *self.common, "--decoder-threads", str(threads))
        words += ["--device", device] if device else []
        words += ["--threads", str(threads)] if device in (None, CPU) else []
        self.running[number] = (subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                 env={**ENVIRONMENT, "PYTHONPATH": worker.python_path()},
                                                 start_new_session=True), device)

    def _ended(self, number: int, code: int) -> bool:
        """Whether to try it again."""
        code = TRANSIENT if code < 0 or code == 1 else code  # killed: nothing is known of the videos
        self.tries[number] = self.tries.get(number, 0) + 1
        self.codes[number] = code
        return code == TRANSIENT and self.tries[number] <= worker.RETRIES

    def _measure(self, is_full: bool) -> None:
        began, pairs = self.window
        now = time.time()
        if not self.slots.is_adaptive or now - began < _WINDOW:
            return
        done = status.collect(self.folder.work)["pairs_done"]
        if is_full and len(self.running) == self.slots.total and done > pairs > 0:
            self.slots.measured((done - pairs) / (now - began))
        self.window = (now, done)

    def progress(self) -> Tuple[Progress, str]:
        """Returns how far all tasks are, at the rate since the pool began; and how many are done, if there are several."""
        found = status.collect(self.folder.work)
        done, total = int(found["pairs_done"]), found["pairs"]
        rate = (done - self.done_before) / max(0.001, time.time() - self.began)
        done_of = f"; {found['present']} of {counted(found['planned'], 'part')}" if found["planned"] > 1 else ""
        failed = f"; {len(found['failures'])} failed" if found["failures"] else ""
        return Progress(done, total, rate, (total - done) / rate if rate > 0 and done < total else -1), done_of + failed

    def failures(self) -> str:
        """How many tasks failed, why the first one did, and the command that lists them."""
        failed = sorted(number for number, code in self.codes.items() if code != DONE)
        task = self.plan["tasks"][failed[0]]
        found = (parts.error_of(self.folder, member["key"], task) for member in task["members"])
        why = next((f"{error['id']}, pairs {error['begin']} to {error['end'] - 1}: {error['text']}" for error in found if error),
                   f"task {failed[0]} ended with status {self.codes[failed[0]]}")
        return f"{len(failed)} of {counted(len(self.codes), 'task')} failed, the first: {why}; vmaf-gpu status {in_shell(str(self.folder.work))} " \
               "lists them"

    def _kill(self) -> None:
        for child, _ in self.running.values():
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        self.running.clear()


def devices_of(text: Optional[str], programs: Programs) -> List[str]:
    """all, cpu, or a list of selectors; not given: the first GPU, if there is one."""
    if text is None:
        return programs.devices()[:1]
    if text == "all":
        found = programs.devices()
        if not found:
            raise BatchError(USAGE, "--devices all: there is no usable GPU; see vmaf_gpu --list-devices")
        return found
    names = text.split(",")
    if not all(re.fullmatch(r"[a-z]+[0-9]*(:\S+)?", name) for name in names):
        raise BatchError(USAGE, f"--devices: '{text}' is not allowed; expected all, cpu, or selectors as in "
                                "cuda:0,cuda:1")
    for name in names:
        if not re.fullmatch(r"cpu|(cuda|hip)(:\d+)?", name):
            programs.check_device(name)
    return list(dict.fromkeys(names))


def make_slots(jobs: str, devices: Optional[str], programs: Programs) -> Slots:
    if jobs != "auto" and not (jobs.isascii() and jobs.isdigit() and 1 <= int(jobs) <= 4096):
        raise BatchError(USAGE, f"--jobs: '{jobs}' is not allowed; expected auto or a number from 1")
    return Slots(jobs, devices_of(devices, programs))


def submit(work: pathlib.Path, words: List[str], common: List[str]) -> int:
    parser = worker.Parser("local")
    parser.add_argument("--jobs", default="auto")
    parser.add_argument("--devices")
    options = parser.parse_args(words)
    named = dict(zip(common[::2], common[1::2]))
    programs = Programs(named.get("--ffmpeg"), named.get("--tool"), named.get("--ffprobe"))
    pool = Pool(work, make_slots(options.jobs, options.devices, programs), common)
    code = pool.run()
    if code != DONE:
        print(f"vmaf-gpu: {pool.failures()}", file=sys.stderr)
    return code
