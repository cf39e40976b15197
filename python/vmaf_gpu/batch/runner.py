# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the processes that score one chunk: ffmpeg with the filter, or any ffmpeg that feeds the tool."""
import dataclasses
import pathlib
import re
import subprocess
import threading
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional, Tuple

from vmaf_gpu.batch import cuts, specs
from vmaf_gpu.batch.errors import BAD_INPUT, TRANSIENT, USAGE, BatchError, Undecoded, is_transient_text, spelled
from vmaf_gpu.batch.programs import ENVIRONMENT, Programs

_TAIL = 40
# Times that a muxer takes, of frames whose times say nothing any more: those of a variable rate may be equal there. Of
# packets: the filter setpts rounds down, so that two frames may get one time, and hides the rate, which xpsnr reads.
_STEADY = ["-bsf:v", "setts=ts=N"]
# Only prefixes of a line count: names and titles of videos, which ffmpeg prints, may have the same words.
_NAMES = r"(?:\[[^\[\]]* @ [^\[\]]*\] )*"
ERROR = re.compile(_NAMES + r"\[(?:error|fatal|panic)\] ")
_DAMAGED = re.compile(_NAMES + r"\[warning\] .*corrupt decoded frame")
# Another thread of ffmpeg may write into a line of showinfo. Its text then has no prefix.
_MIXED = re.compile(r"\[showinfo@\w+ @ [^\[\]]*\] \[info\] "
                    r"(?:n: .* type:\S |.*\bcolor_\w+:(?:unknown|[a-z0-9-]+(?=[A-Z]))?|User Data=[0-9a-f]*)"
                    r"(.*(?:[Ee]rror|[Ii]nvalid|missing|corrupt|prematurely).*)")
_LACKS = re.compile("chunk: (the input ended after|it begins at) pair")
# Lines of filters, encoders and muxers tell consequences.
_BEHIND = re.compile(r"\[(?:vost#|out#|fc#|enc:|vmaf_gpu|Parsed_|AVFilterGraph|graph|auto_|scale|format|null @|yuv4mpegpipe)")
_UNNAMED = re.compile(r"\[(?:error|fatal)\] (?!.*(?:[Ee]rror while decoding|packet to decoder))")
_CHANGED = re.compile(r"Reconfiguring filter graph because video parameters changed to (.*)")
_STOPPED = "chunk: it was stopped after pair"
_INPUT = re.compile(r"\[vist#(\d+):|\bof input stream #(\d+):|\bwhile decoding stream #(\d+):")
_USAGE_WORDS = ("is not allowed", "is unknown", "expected", "not supported", "there is no", "unrecognized option",
                "error initializing", "error setting option", "cannot be opened", "unknown backend", "unknown device",
                "was requested but frames are", "invalid pixel format")
# What the filter says first is the reason of what FFmpeg says later.
_FILTER_ERROR = re.compile(r"\[vmaf_gpu@\d+ @ [^\[\]]*\] \[(?:error|fatal)\] (.*)")
# Lines that say which step failed. The line before them says why.
_STEP = re.compile(_NAMES + r"\[(?:error|fatal)\] (?:Error (?:parsing global options|opening (?:in|out)put file|initializing "
                   r"(?:complex )?filters)|Failed to set value )")
_NO_DECODER = re.compile(r"\[(?:error|fatal)\] Failed to set value '(\w+)=gpu\S*' for option 'init_hw_device'")


class SeekFailed(Exception):
    """The frames are not the wanted ones; more roll-in may help."""


@dataclasses.dataclass
class Settings:
    """Settings of this worker, not of the plan: they change no score."""

    device: Optional[str] = None  # as in vmaf_gpu --list-devices
    threads: int = 0  # the engine's threads on a CPU; 0: all
    decoder_threads: int = 1


@dataclasses.dataclass
class Doubt:
    """What a decoder reported of frames that it gave."""

    time: float  # time of the first error, in seconds
    text: str
    is_damage: bool = False  # frames are marked; else it has only logged errors

    @property
    def what(self) -> str:
        return "are damaged" if self.is_damage else "may be damaged or missing"


@dataclasses.dataclass
class Work:
    """One chunk of one or more renditions of one reference."""

    task: Dict[str, Any]
    pairs: List[Dict[str, Any]]
    outputs: List[pathlib.Path]  # files of the parts, one for each pair
    progress: pathlib.Path
    cuts: Dict[str, cuts.Cut]  # "ref", "d0", "d1" ...
    doubts: Dict[str, "Doubt"] = dataclasses.field(default_factory=dict)  # inputs that were decoded in spite of errors


def _reason(lines: Iterable[str]) -> str:
    """The line that says why a process failed. What the filter says of pairs comes behind the error that ended an input."""
    of_filter = [found[1] for found in map(_FILTER_ERROR.match, lines) if found is not None]
    if of_filter:
        return of_filter[0]
    said = [line for line in lines if not re.match(r"\[vmaf_gpu@\d+ @ [^\[\]]*\] \[(?:info|warning)\] ", line)]
    errors = [line for line in said if "error" in line.lower() or "vmaf_gpu" in line] or said[-1:]
    causes = [line for line in errors if not _STEP.match(line)]
    return (causes if causes and _STEP.match(errors[-1]) else errors or [""])[-1]


def _decoder_failure(text: str) -> Optional[BatchError]:
    """A hardware decoder that is not there is a fault of the installation. FFmpeg calls it a lack of memory, so that only
    what it says before counts."""
    found = _NO_DECODER.search(text)
    if found is None:
        return None
    said = [line for line in text[:found.start()].splitlines() if ERROR.match(line)] or [found[0]]
    is_transient = is_transient_text("\n".join(line for line in said if "Device creation failed" not in line))
    return BatchError(TRANSIENT if is_transient else USAGE, f"--hwaccel {found[1]}: this ffmpeg has no such decoder, or this machine "
                      f"no device for it: {said[0]}", text)


class Process:
    """A child whose messages are read while it runs."""

    def __init__(self, name: str, words: List[str], listener: Callable[[str], None], **more: Any) -> None:
        self.name = name
        self.tail: Deque[str] = deque(maxlen=_TAIL)
        self._listener = listener
        try:
            self.child: "subprocess.Popen[bytes]" = subprocess.Popen(
                words, stderr=subprocess.PIPE, env=ENVIRONMENT, **more)
        except OSError as error:
            raise BatchError(TRANSIENT if error.errno != 2 else USAGE,
                             f"cannot start {words[0]}: {error.strerror}") from None
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.child.stderr is not None
        for line in self.child.stderr:
            text = line.decode(errors="replace").rstrip()
            if "showinfo@" not in text:
                self.tail.append(text)
            self._listener(text)

    def wait(self) -> int:
        status: int = self.child.wait()
        self._thread.join()
        return status

    def kill(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def failure(self, status: int) -> BatchError:
        # Why a backend was not chosen is no failure.
        text = "\n".join(line for line in self.tail if "chosen by auto" not in line)
        decoder = _decoder_failure(text)
        if decoder is not None:
            return decoder
        last = _reason(self.tail)
        if last.startswith("strict: "):
            last = spelled(last)
        if status < 0:
            return BatchError(TRANSIENT, f"{self.name} was killed by signal {-status}", text)
        lower = "\n".join([last, *filter(_STEP.match, self.tail)]).lower()
        code = TRANSIENT if is_transient_text(text) else BAD_INPUT
        if code == BAD_INPUT and any(words in lower for words in _USAGE_WORDS):
            code = USAGE
        return BatchError(code, f"{self.name} failed with status {status}: {last}", text)


class Listener:
    """Sorts the lines of an ffmpeg by input, and keeps what it reports of frames that count."""

    def __init__(self, watches: Dict[str, cuts.Watch]) -> None:
        self.watches = watches
        self.doubts: Dict[str, Doubt] = {}  # doubts by input; "": about one of several
        self.change = ""  # a change of an input in mid-stream, as FFmpeg 7.0 and later print it

    def __call__(self, text: str) -> None:
        found = re.match(r"\[showinfo@(\w+) ", text)
        if found is not None:
            self.watches[found[1]].line(text)
            mixed = _MIXED.match(text)
            if mixed is not None:
                self(f"[decoder @ 0] [{'warning' if 'corrupt decoded frame' in text else 'error'}] {mixed[1]}")
            return
        changed = _CHANGED.search(text)
        if changed is not None:
            time = min(one.time for one in self.watches.values())
            self.change = self.change or f"an input changes to {changed[1]} at about {time:g} s"
        is_damage = _DAMAGED.match(text) is not None
        if _BEHIND.match(text) or _UNNAMED.match(text):
            return
        if (is_damage or ERROR.match(text)) and all(watch.is_clean for watch in self.watches.values()):
            name = self._name_of(text)
            time = min(watch.time for key, watch in self.watches.items() if name in ("", key))
            doubt = self.doubts.setdefault(name, Doubt(time, text))
            doubt.is_damage |= is_damage

    def _name_of(self, text: str) -> str:
        """FFmpeg does not always say which input it is."""
        names = list(self.watches)
        found = _INPUT.search(text)
        number = 0 if len(names) == 1 else int(found[found.lastindex or 1]) if found is not None else -1
        return names[number] if 0 <= number < len(names) else ""


def _decode_words(programs: Programs, keeps_times: bool = True) -> List[str]:
    words = [programs.ffmpeg, "-nostdin", "-hide_banner", "-nostats", "-loglevel", "repeat+level+info"]
    return words + (["-copyts"] if keeps_times else [])


def _device_words(programs: Programs, plan: Dict[str, Any], settings: Settings) -> List[str]:
    """One device for all decoders of a process, the one that scores: frames do not change between devices."""
    backend, _, number = (settings.device or "").partition(":")
    name = ""
    if plan["hwaccel"] == "cuda" and backend in ("", "cuda"):
        name = f":{number or 0}"
    elif plan["hwaccel"] == "vaapi" and backend == "hip":
        name = f":{programs.render_node(settings.device or '')}"
    return ["-init_hw_device", f"{plan['hwaccel']}=gpu{name.rstrip(':')}"] if plan["hwaccel"] else []


def _input_words(plan: Dict[str, Any], settings: Settings, cut: cuts.Cut, pair: Dict[str, Any], side: str) -> List[str]:
    words = ["-threads", str(settings.decoder_threads)]
    if side == "dis" and pair["grain"] == "off":
        words += ["-export_side_data", "film_grain"]
    if plan["hwaccel"]:
        words += ["-hwaccel", plan["hwaccel"], "-hwaccel_device", "gpu"]
        if plan["runner"] == "filter":
            words += ["-hwaccel_output_format", plan["hwaccel"]]
    return words + [*cut.options, "-i", pair[side]["path"]]


def _joined(*filters: str) -> str:
    return ",".join(text for text in filters if text)


def _first_failure(failed: List[Tuple[Process, int]]) -> Tuple[Process, int]:
    """The one of several failed processes whose failure explains the others'."""
    def is_consequence(process: Process) -> bool:
        return any("broken pipe" in line.lower() for line in process.tail)

    killed = [item for item in failed if item[1] < 0 and item[1] != -13]
    decoders = [item for item in failed if item[0].name != "vmaf_gpu" and not is_consequence(item[0])]
    scorers = [item for item in failed if item[0].name == "vmaf_gpu"]
    return (killed or decoders or scorers or failed)[0]


def side_of(name: str) -> str:
    """An input in the engine's words."""
    return "reference" if name == "ref" else "main" if name else "an input"


def _check_changes(listeners: List[Listener]) -> None:
    for listener in listeners:
        for name, watch in listener.watches.items():
            if watch.changes.found:
                raise BatchError(BAD_INPUT, f"{side_of(name)} {watch.changes.found}")


def _with_cause(error: BatchError, listeners: List[Listener]) -> BatchError:
    """What comes first in time is the reason; the rest follows from it."""
    changes = [listener.change for listener in listeners if listener.change]
    if changes and _STOPPED in error.text:
        error.text = changes[0]
        return error
    found = sorted((doubt.time, name, doubt.text) for one in listeners for name, doubt in one.doubts.items())
    if error.code == BAD_INPUT and found:
        time, name, text = found[0]
        error.text = f"{side_of(name)} at {time:g} s: {text}; {error.text}"
    return error


def _index_fault(listeners: List[Listener]) -> Optional[str]:
    """Why the frames are not those that the index of the video promises; None: they are."""
    faults = ((name, watch.fault()) for listener in listeners for name, watch in listener.watches.items())
    return next((f"{side_of(name)}: {fault}" for name, fault in faults if fault), None)


def _undecoded(fault: str, listeners: List[Listener]) -> BatchError:
    return _with_cause(Undecoded(BAD_INPUT, f"{fault}; the index of the video is wrong: plan with --index frames, which decodes "
                                            "it"), listeners)


def _failure(failed: List[Tuple[Process, int]], all_from_start: bool) -> BatchError:
    """The error to raise when processes failed. More roll-in may help a decoder."""
    process, status = _first_failure(failed)
    error = process.failure(status)
    if error.code == BAD_INPUT and not all_from_start and process.name != "vmaf_gpu":
        raise SeekFailed(error.text)
    return error


def _judge(processes: List[Tuple[Process, int, Optional[Listener]]], work: Work) -> None:
    """Raises if a process failed, or if what it decoded is not what it should be. Damage is what the frames say: what is
    only logged is a doubt."""
    failed = [(process, status) for process, status, _ in processes if status != 0]
    listeners = [listener for _, _, listener in processes if listener is not None]
    all_from_start = all(cut.is_from_start for cut in work.cuts.values())
    _check_changes(listeners)
    fault = None if work.task.get("whole") else _index_fault(listeners)
    error = _failure(failed, all_from_start) if failed else None
    # That the filter lacks pairs follows from the frames.
    if error is not None and (fault is None or not _LACKS.search(error.text)):
        raise _with_cause(error, listeners)
    if fault is not None:
        raise _undecoded(fault, listeners) if all_from_start else SeekFailed(fault)
    work.doubts = {name: doubt for listener in listeners for name, doubt in listener.doubts.items()}


def _finish(started: List[Tuple[Process, Optional[Listener]]], work: Work) -> None:
    try:
        ended = [(process, process.wait(), listener) for process, listener in started]
    finally:
        for process, _ in started:
            process.kill()
    _judge(ended, work)


# ------------------------------------------------------------------ ffmpeg with the filter

def _backend(settings: Settings) -> str:
    name, _, number = (settings.device or "").partition(":")
    text = (f":backend={name}" if name else "") + (f":device={number}" if number else "")
    return text + (f":n_threads={settings.threads}" if settings.threads else "")


def filter_graph(plan: Dict[str, Any], settings: Settings, work: Work) -> str:
    task, count = work.task, len(work.pairs)
    reference = _joined(work.cuts["ref"].chain("ref"), work.pairs[0]["chains"]["ref"])
    split = "".join(f"[r{number}]" for number in range(count))
    stream = f"[0:{work.pairs[0]['ref']['stream']['index']}]"
    graph = [f"{stream}{reference},split={count}{split}" if count > 1 else f"{stream}{reference}[r0]"]
    for number, pair in enumerate(work.pairs):
        chain = _joined(work.cuts[f"d{number}"].chain(f"d{number}"), pair["chains"]["dis"])
        pairing = f"pair={pair['pair']}" + (f":offset={pair['offset']}" if pair["offset"] is not None else "")
        pairing += ":strict=1" if plan["strict"] else ""
        if not task.get("whole"):
            pairing += f":chunk={task['first']}-{task['begin']}-{task['end']}-{pair['count']}"
        graph.append(f"[{number + 1}:{pair['dis']['stream']['index']}]{chain}[d{number}]")
        graph.append(f"[d{number}][r{number}]vmaf_gpu@{number}={specs.filter_options(pair)}:{pairing}"
                     f":metadata=0:log_fmt=part:log_path={work.outputs[number].name}"
                     f"{_backend(settings)}[o{number}]")
    return ";".join(graph)


def score_with_filter(programs: Programs, plan: Dict[str, Any], settings: Settings, work: Work) -> None:
    """One process for all renditions; the reference is decoded once."""
    # Times count from the beginning of each video where no index has them, as in a command of a user.
    words = _decode_words(programs, any(cut.times is not None for cut in work.cuts.values())) + ["-progress", f"file:{work.progress}"]
    words += _device_words(programs, plan, settings)
    words += _input_words(plan, settings, work.cuts["ref"], work.pairs[0], "ref")
    for number, pair in enumerate(work.pairs):
        words += _input_words(plan, settings, work.cuts[f"d{number}"], pair, "dis")
    words += ["-filter_complex", filter_graph(plan, settings, work)]
    for number in range(len(work.pairs)):
        words += ["-map", f"[o{number}]", "-fps_mode", "passthrough", *_STEADY, "-f", "null", "-"]
    listener = Listener({name: cuts.Watch(cut) for name, cut in work.cuts.items()})
    process = Process("ffmpeg", words, listener, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                      cwd=str(work.outputs[0].parent))
    _finish([(process, listener)], work)


# ------------------------------------------------------------------ any ffmpeg, and the tool

def _decoder(programs: Programs, plan: Dict[str, Any], settings: Settings, work: Work, name: str) \
        -> Tuple[Process, Listener]:
    pair, side = work.pairs[0], "ref" if name == "ref" else "dis"
    cut = work.cuts[name]
    download = f"format={pair[side]['stream']['pix_fmt']}" if plan["hwaccel"] else ""
    words = _decode_words(programs, cut.times is not None)
    words += ["-progress", f"file:{work.progress}"] if name == "d0" else []
    words += _device_words(programs, plan, settings)
    words += _input_words(plan, settings, cut, pair, side)
    words += ["-map", f"0:{pair[side]['stream']['index']}", "-vf", _joined(cut.chain(name), download, pair["chains"][side]), "-fps_mode",
              "passthrough", *_STEADY, "-strict", "-1", "-f", "yuv4mpegpipe", "pipe:1"]
    listener = Listener({name: cuts.Watch(cut)})
    return Process("ffmpeg", words, listener, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE), listener


def _with_matrix(pair: Dict[str, Any]) -> Dict[str, Any]:
    """Y4M does not carry what ssimulacra2 reads of the tags: the matrix is an option of the feature."""
    if "ssimulacra2" not in pair["features"]:
        return pair
    sides = [pair[side]["stream"]["tags"] for side in ("ref", "dis")]
    made = (re.search(r"color_spaces=(\w+)", pair["chains"][side]) for side in ("ref", "dis"))  # the matrix that a conversion makes
    tags = [one[1] if one else side.get("matrix", "unknown") for one, side in zip(made, sides)]
    words = {"unknown": "auto", "bt709": "bt709", "smpte170m": "bt601", "bt470bg": "bt601"}
    if tags[0] != tags[1] or tags[0] not in words:
        raise BatchError(BAD_INPUT, "ssimulacra2 by --runner tool takes two videos with one matrix, bt709, smpte170m or "
                                    f"bt470bg, not {tags[0]} and {tags[1]}; use --runner filter, or the feature's option "
                                    "matrix=bt709 or bt601")
    return {**pair, "features": [f"{name}=matrix={words[tags[0]]}" if name == "ssimulacra2" else name
                                 for name in pair["features"]]}


def _start_tool(programs: Programs, plan: Dict[str, Any], settings: Settings, work: Work, ends: List[int]) -> Process:
    task, pair = work.task, work.pairs[0]
    # The last chunk has no end: with features that need no later pair, the tool would stop before it has seen that the run ends.
    end = "" if task["end"] == pair["count"] else task["end"]
    words = [programs.tool, "--quiet", "--reference", f"/dev/fd/{ends[0]}", "--distorted", f"/dev/fd/{ends[1]}",
             *specs.tool_words(_with_matrix(pair)), "--formats", "asis", "--part",
             "--output", str(work.outputs[0]), "--threads", str(settings.threads), "--pair", pair["pair"]]
    words += ["--offset", str(pair["offset"])] if pair["offset"] is not None else []
    words += ["--strict"] if plan["strict"] else []
    if not task.get("whole"):
        words += ["--chunk", f"{task['begin']}:{end}", "--chunk_first", str(task["first"])]
    if settings.device:
        words += ["--device" if ":" in settings.device else "--backend", settings.device]
    return Process("vmaf_gpu", words, lambda text: None, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   pass_fds=ends)


def score_with_tool(programs: Programs, plan: Dict[str, Any], settings: Settings, work: Work) -> None:
    """A decoder for each video, and the tool."""
    started: List[Tuple[Process, Optional[Listener]]] = []
    pipes: List[Any] = []
    try:
        for name in ("ref", "d0"):
            started.append(_decoder(programs, plan, settings, work, name))
            pipes.append(started[-1][0].child.stdout)
        started.append((_start_tool(programs, plan, settings, work, [pipe.fileno() for pipe in pipes]), None))
        for pipe in pipes:
            pipe.close()
    except BaseException:
        for process, _ in started:
            process.kill()
        raise
    _finish(started, work)


def score(programs: Programs, plan: Dict[str, Any], settings: Settings, work: Work) -> None:
    """Writes work.outputs, or raises SeekFailed or BatchError."""
    run = score_with_filter if plan["runner"] == "filter" else score_with_tool
    run(programs, plan, settings, work)
    for output in work.outputs:
        if not output.is_file():
            raise BatchError(TRANSIENT, f"no part was written to {output}")
