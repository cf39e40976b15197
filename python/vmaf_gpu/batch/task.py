# SPDX-License-Identifier: BSD-2-Clause-Patent
"""One task: scores one chunk and leaves one part for each rendition, whole or not at all."""
import os
import pathlib
import signal
import time
from typing import Any, Callable, Dict, List

from vmaf_gpu.batch import cuts, files, index, parts, plan as plans, remote, runner
from vmaf_gpu.batch.errors import BAD_INPUT, DONE, NOT_REPRODUCIBLE, TRANSIENT, USAGE, BatchError, Undecoded, code_of_os_error
from vmaf_gpu.batch.programs import Programs

INDEX_NAMES = ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX")
Member = Dict[str, Any]  # a pair of a task: "pair" is its number in the plan, "key" names its part


def index_from_environment() -> int:
    for name in INDEX_NAMES:
        text = os.environ.get(name)
        if text is None:
            continue
        if not (text.isascii() and text.isdigit()):
            raise BatchError(USAGE, f"{name} is '{text}'; expected a whole number from 0")
        return int(text)
    raise BatchError(USAGE, f"give the number of the task, or set {', '.join(INDEX_NAMES[:-1])} or {INDEX_NAMES[-1]}")


class Worker:
    """Runs tasks of one plan."""

    def __init__(self, programs: Programs, work: pathlib.Path, settings: runner.Settings,
                 always_hash: bool = False) -> None:
        self.programs, self.settings, self.always_hash = programs, settings, always_hash
        self.folder = plans.Folder(work)
        self.plan = plans.load(self.folder)
        self.fetcher = remote.Fetcher()
        self.doubtful: List[Any] = []  # the rows of the latest attempt whose decoders reported errors

    def check_installation(self) -> None:
        """Parts of other versions would not fit to those of other workers."""
        for name, version in self.plan["versions"].items():
            if self.programs.versions[name] != version:
                raise BatchError(USAGE, f"the plan was made with {name} {version}, here is "
                                        f"{self.programs.versions[name]}; use one version everywhere, or plan again")
        if self.plan["runner"] == "filter":
            self.programs.choose_runner("filter")

    def run(self, number: int) -> int:
        """The exit status. Parts that are there are left as they are."""
        if not 0 <= number < len(self.plan["tasks"]):
            raise BatchError(USAGE, f"there is no task {number}; the plan has {len(self.plan['tasks'])}")
        task = self.plan["tasks"][number]
        files.clean_temporaries(self.folder.parts)
        wanted = [member for member in task["members"] if parts.find(self.folder, task, member["key"]) is None]
        if not wanted:
            return DONE
        files.check_writable(self.folder.parts)
        with remote.Fetcher() as self.fetcher:
            return self._run_members(task, wanted)

    def _run_members(self, task: Dict[str, Any], wanted: List[Member]) -> int:
        try:
            self.check_installation()
            self._check_inputs(wanted)
            self._score(task, wanted)
            return DONE
        except BatchError as error:
            if len(wanted) == 1 or error.code == USAGE:
                return self._fail(task, wanted, error)
        # Which of them is it?
        return max(self._run_members(task, [member]) for member in wanted)

    def _fail(self, task: Dict[str, Any], members: List[Member], error: BatchError) -> int:
        for member in members:
            pair = self.plan["pairs"][member["pair"]]
            record = {"schema": parts.ERROR, "code": error.code, "is_undecoded": isinstance(error, Undecoded),
                      "text": error.text, "tail": error.tail, "id": pair["id"],
                    "begin": task["begin"], "end": task["end"], "host": files.host(), "time": time.time()}
            print(f"vmaf-gpu: {parts.name_of(task, pair)}: {error.text}", flush=True)
            try:
                files.write_json(self.folder.side(member["key"], "error.json"), record)
            except OSError:
                pass  # a full disk; the message and the exit status are there
        return error.code

    def _check_inputs(self, members: List[Member]) -> None:
        seen = set()
        for member in members:
            for name in ("ref", "dis"):
                video = self.plan["pairs"][member["pair"]][name]
                if remote.is_url(video["path"]):
                    self.fetcher.local(video)
                elif video["path"] not in seen:
                    files.check_identity(pathlib.Path(video["path"]), video["identity"], self.always_hash)
                seen.add(video["path"])

    def _local(self, pair: Dict[str, Any]) -> Dict[str, Any]:
        return {**pair, **{name: self.fetcher.local(pair[name]) for name in ("ref", "dis")}}

    def _cuts(self, task: Dict[str, Any], members: List[Member], back: int) -> Dict[str, cuts.Cut]:
        made: Dict[str, cuts.Cut] = {}
        pairs = [self.plan["pairs"][member["pair"]] for member in members]
        for name, video in [("ref", pairs[0]["ref"])] + [(f"d{n}", pair["dis"]) for n, pair in enumerate(pairs)]:
            found = index.load(video["identity"]["content"], self.folder.index, self.plan["index"], video["named"])
            base = pairs[0]["base"]
            if task.get("whole"):
                made[name] = cuts.whole(found)
                continue
            # The end of the longer one is no part of a pair, but counted.
            is_open = self.plan["frames"] == "min" and not pairs[0]["trim"] and task["end"] == pairs[0]["count"]
            made[name] = cuts.make(found, base + task["first"], found["count"] if is_open else base + task["stop"], back,
                                   max(1, self.settings.decoder_threads))
        return made

    def _score(self, task: Dict[str, Any], members: List[Member]) -> None:
        """Scores with more and more roll-in until the frames are the wanted ones."""
        is_marked = any(self.folder.side(member["key"], "start").exists() for member in members)
        reasons: List[str] = []
        self.doubtful = []
        for back in (cuts.BACKS[-1:] if is_marked or task.get("whole") else cuts.BACKS):
            made = self._cuts(task, members, back)
            is_from_start = all(cut.is_from_start for cut in made.values())
            outputs = [files.temporary(self.folder.part(member["key"])) for member in members]
            work = runner.Work(task, [self._local(self.plan["pairs"][member["pair"]]) for member in members], outputs,
                               self.folder.side(members[0]["key"], "progress"), made)
            try:
                self._attempt(work, members, 0 if is_from_start else back, reasons)
                return
            except runner.SeekFailed as error:
                reasons.append(str(error))
            except OSError as error:
                raise BatchError(code_of_os_error(error, USAGE), f"{error.filename}: {error.strerror}") from None
            finally:
                for path in (*outputs, work.progress):
                    path.unlink(missing_ok=True)
        raise BatchError(NOT_REPRODUCIBLE, "no way of decoding gives the frames: " + "; ".join(reasons))

    def _attempt(self, work: runner.Work, members: List[Member], back: int, reasons: List[str]) -> None:
        files.step("before write")
        work.progress.unlink(missing_ok=True)
        started = time.time()
        runner.score(self.programs, self.plan, self.settings, work)
        made = [parts.read(output, work.task) for output in work.outputs]
        self._check_doubts(work, back, [part["rows"] for part in made])
        for number, (member, output) in enumerate(zip(members, work.outputs)):
            record = {"schema": parts.META, "back": back, "reasons": reasons, "host": files.host(),
                    "seconds": time.time() - started, "end": time.time(), "device": parts.device_of(made[number]),
                    "doubts": self._doubts(work, number),
                    "frames": work.task["stop"] - work.task["first"]}
            files.write_json(self.folder.side(member["key"], "meta.json"), record)
            files.publish(output, self.folder.part(member["key"]))
            self.folder.side(member["key"], "error.json").unlink(missing_ok=True)


    def _check_doubts(self, work: runner.Work, back: int, rows: List[Any]) -> None:
        """Errors that are only logged may be of a seek that was too late, or of the video. They are of the video if another
        seek gives the same scores, or if it was decoded from the start."""
        if work.doubts and back != cuts.START and rows != self.doubtful:
            self.doubtful = rows
            raise runner.SeekFailed(next(iter(work.doubts.values())).text)
        # As the tool does, which cannot know either what became of the frames.
        doubts = sorted(work.doubts.items(), key=lambda item: not item[1].is_damage)
        if self.plan["strict"] and doubts:
            name, doubt = doubts[0]
            raise BatchError(BAD_INPUT, f"strict: frames of {runner.side_of(name)} {doubt.what}: the decoder reported errors, the first at "
                                        f"{doubt.time:g} s: {doubt.text}")

    def _doubts(self, work: runner.Work, number: int) -> List[Any]:
        """What is doubtful in one rendition: side, time, text and whether frames are marked."""
        return [[runner.side_of(name), doubt.time, doubt.text, doubt.is_damage] for name, doubt in work.doubts.items()
                if name in ("", "ref", f"d{number}")]


class Stopped(BaseException):
    """A signal asks to end; children are killed on the way out."""


def _stop(number: int, _frame: Any) -> None:
    raise Stopped(signal.Signals(number).name)


def run_until_stopped(action: Callable[[], int]) -> int:
    """Runs an action; SIGINT, SIGTERM and SIGHUP end it cleanly with the status "try again". nohup ignores the last."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)
    try:
        return action()
    except Stopped as stopped:
        print(f"vmaf-gpu: stopped by {stopped}; run again to go on", flush=True)
        return TRANSIENT
