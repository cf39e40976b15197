# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The command vmaf-gpu. Exit statuses: errors.py."""
import argparse
import contextlib
import dataclasses
import io
import os
import pathlib
import sys
import time
import traceback
from typing import Any, Iterator, List, NoReturn, Optional, TextIO, cast

from vmaf_gpu._results import format_of
from vmaf_gpu.batch import engines, manifest, merging, plan as plans, runner, scoring, specs, status, tables
from vmaf_gpu.batch import task as tasks
from vmaf_gpu.batch.engines import local
from vmaf_gpu.batch.errors import DONE, UNREAD, USAGE, BatchError, code_of_os_error, counted, option
from vmaf_gpu.batch.programs import Programs, find, output_of
from vmaf_gpu.search import command as search, sampling, windows

_INTERVAL = 2.0  # seconds from one status to the next
# Options of score and ladder that are keys of a manifest.
_KEYS = ("subsample", "display", "scaler", "pair", "offset", "grain", "stream_ref", "stream_dis")


class Parser(argparse.ArgumentParser):
    """argparse exits with 2; here that is 64. And --scale is not --scaler."""

    def __init__(self, *words: Any, **settings: Any) -> None:
        super().__init__(*words, allow_abbrev=False, **settings)

    def print_help(self, file: Any = None) -> None:
        """argparse keeps quiet of errors."""
        print(self.format_help(), end="", file=file, flush=True)

    def error(self, message: str) -> NoReturn:
        print(f"vmaf-gpu: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


def _version() -> str:
    """What the tool says of both: its version, and where to report bugs."""
    return output_of([find("vmaf_gpu", None), "--version"], "vmaf_gpu").stdout


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(_version(), end="")
        parser.exit()


def _explain_fault() -> None:
    """What Python says of an error that is nobody's but ours, then where to report it."""
    traceback.print_exc()
    try:
        where = _version().partition("\n")[2].strip()
    except (BatchError, OSError):
        where = "Report bugs to whoever gave you this build."
    print(f"vmaf-gpu: internal error. {where}", file=sys.stderr)


def _programs(options: argparse.Namespace) -> Programs:
    return Programs(options.ffmpeg, options.tool, options.ffprobe)


def _common(options: argparse.Namespace) -> List[str]:
    """Words that tasks need as well."""
    words: List[str] = []
    for name in ("ffmpeg", "ffprobe", "tool"):
        value = getattr(options, name)
        words += [f"--{name}", os.path.abspath(value) if os.sep in value else value] if value else []
    return words


_WHOLE = option("a whole number from 0", r"\d+", int)
_COUNT = option("a whole number from 1", r"\d+", int, 1)
_OFFSET = option("a whole number, or auto", r"-?\d{1,9}|auto", lambda text: text if text == "auto" else int(text))
_PRECISION = option("6 to 17, or max", r"[6-9]|1[0-7]|max")
_FORM = "|".join(merging.FORMATS)
_FORMATS = option(f"some of {','.join(merging.FORMATS)}", f"({_FORM})(,({_FORM}))*", lambda text: text.split(","))


def _frames(text: str) -> Optional[int]:
    return None if text == "auto" else int(_COUNT(text))


def plan_options(options: argparse.Namespace) -> plans.Options:
    return plans.Options(options.frames_per_task, options.frames, options.runner, options.index, options.hwaccel, options.strict)


def _plan(options: argparse.Namespace) -> int:
    path = pathlib.Path(options.manifest)
    pairs = manifest.read(path)
    chosen = dataclasses.replace(plan_options(options), words=specs.Words(is_manifest=True))
    plan = plans.make(_programs(options), pairs, pathlib.Path(options.work), chosen, path.absolute().parent)
    plans.warn(plan)
    count = len(plan["tasks"])
    print(f"{counted(len(plan['pairs']), 'pair')}, {counted(count, 'task')} (0 to {count - 1}), runner {plan['runner']}")
    odd = sorted({f"{video['path']}: {video['reason']}" for pair in plan["pairs"]
                  for video in (pair["ref"], pair["dis"]) if video["reason"]})
    if odd:
        print("decoded from the start: " + "; ".join(odd[:3]))
    return DONE


def _task(options: argparse.Namespace) -> int:
    number = tasks.index_from_environment() if options.number is None else options.number
    settings = runner.Settings(options.device, options.threads, options.decoder_threads)
    worker = tasks.Worker(_programs(options), pathlib.Path(options.work), settings, options.always_hash)
    return tasks.run_until_stopped(lambda: worker.run(number))


def _merge(options: argparse.Namespace) -> int:
    work = pathlib.Path(options.work)
    if options.parquet:
        tables.need_pyarrow()
    merger = merging.Merger(_programs(options), work, options.formats, options.precision)
    code = merger.run(options.parquet)
    for problem in merger.problems:
        print(f"vmaf-gpu: {problem}", file=sys.stderr)
    merging.warn(merger.lines)
    if options.parquet:
        tables.write(work, merger.lines, merger.frames)
    if merger.lines:
        print(f"{counted(len(merger.lines), 'pair')}: {work / 'results.jsonl'}, and in {', '.join(options.formats)} {work / 'results'}")
    return code


def _status(options: argparse.Namespace) -> int:
    work = pathlib.Path(options.work)
    while True:
        print("\n".join(status.lines(work)), flush=True)
        if not options.watch or status.is_ended(work):
            return DONE
        time.sleep(_INTERVAL)


def _submit(options: argparse.Namespace) -> int:
    engine = engines.find(options.engine)
    return tasks.run_until_stopped(
        lambda: int(engine.submit(pathlib.Path(options.work), options.words, _common(options))))


def _request(options: argparse.Namespace, form: str, precision: str, **keys: Any) -> scoring.Request:
    programs = _programs(options)
    slots = local.make_slots(options.jobs, options.devices, programs)
    return scoring.Request(programs, slots, _common(options), plan_options(options), options.work, options.output, form, precision,
                           options.quiet, keys)


def _score_request(options: argparse.Namespace) -> scoring.Request:
    form = options.format or format_of(options.output or "", merging.FORMATS)
    return _request(options, form, options.precision, models=options.model or ["vmaf_v0.6.1"],
                    features=options.feature or [], **{name: getattr(options, name) for name in _KEYS})


def _score(options: argparse.Namespace) -> int:
    request, seconds = _score_request(options), search.sample_length(options)
    if options.samples:
        return tasks.run_until_stopped(lambda: windows.score(request, options.distorted, options.reference, options.samples, seconds))
    return tasks.run_until_stopped(lambda: scoring.score(request, options.distorted, options.reference))


def _ladder(options: argparse.Namespace) -> int:
    request = _score_request(options)
    return tasks.run_until_stopped(
        lambda: scoring.ladder(request, options.reference, options.renditions, options.against, options.plot))


def _search(options: argparse.Namespace) -> int:
    request = _request(options, "json", "max", display="ref")
    request.options.words = specs.Words(vf=options.vf)
    return tasks.run_until_stopped(lambda: search.run(options, request))


def _add_programs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("programs (default: beside Python, then PATH)")
    group.add_argument("--ffmpeg", metavar="PATH")
    group.add_argument("--ffprobe", metavar="PATH", help="default: the one beside ffmpeg")
    group.add_argument("--tool", metavar="PATH", help="the tool vmaf_gpu")


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frames-per-task", type=_frames, default=None, metavar="N|auto")
    parser.add_argument("--frames", choices=("equal", "min"), default="equal",
                        help="min: videos of different length are scored as far as both go")
    parser.add_argument("--runner", choices=("auto", "filter", "tool"), default="auto",
                        help="filter: ffmpeg with the filter vmaf_gpu; tool: any ffmpeg, and the tool")
    parser.add_argument("--index", choices=("packets", "frames"), default="packets",
                        help="frames: decode every video when planning, for videos whose packets are not frames")
    parser.add_argument("--strict", action="store_true",
                        help="no score of frames that have no partner, are damaged, or do not belong together")
    parser.add_argument("--hwaccel", metavar="NAME", help="decode with this -hwaccel of ffmpeg")


def _add_score(parser: argparse.ArgumentParser, *more_grain: str) -> None:
    parser.add_argument("--model", action="append", metavar="SPEC", help="as for vmaf_gpu; may be repeated")
    parser.add_argument("--feature", action="append", metavar="SPEC")
    parser.add_argument("--subsample", type=_COUNT, default=1, metavar="N")
    parser.add_argument("--display", metavar="WxH", help="scale the distorted video to this size")
    parser.add_argument("--scaler", choices=manifest.SCALERS, default="bicubic")
    parser.add_argument("--pair", choices=manifest.PAIRINGS, default="auto",
                        help="auto: the n-th frames where times agree, else by times and pictures, in one task; time: frames "
                             "of the same time; index: always the n-th")
    parser.add_argument("--offset", type=_OFFSET, metavar="N",
                        help="the first distorted frame meets frame N of the reference; auto: found from the pictures")
    parser.add_argument("--grain", choices=(*manifest.GRAINS, *more_grain), default="score",
                        help="film grain of the distorted video: scored as the decoder adds it, or off" + ", or both ways" * bool(more_grain))
    _add_stream(parser, "ref", "the reference")
    _add_stream(parser, "dis", "the distorted video")
    parser.add_argument("--work", metavar="FOLDER", help="keep parts and results there")
    parser.add_argument("--output", "-o", metavar="FILE", help="the log, or the table of a ladder, which is CSV")
    parser.add_argument("--precision", type=_PRECISION, default="6", metavar="N|max")
    _add_machine(parser)


def _add_stream(parser: argparse.ArgumentParser, name: str, video: str) -> None:
    parser.add_argument(f"--stream-{name}", type=_WHOLE, default=None, metavar="N",
                        help=f"stream of {video}, as ffmpeg counts them from 0; default: what ffmpeg would encode")


def _add_machine(parser: argparse.ArgumentParser, quiet: str = "print warnings and errors alone; scores are in --output") -> None:
    parser.add_argument("--jobs", default="auto", metavar="N|auto")
    parser.add_argument("--devices", metavar="LIST", help="all, cpu, or selectors as in cuda:0,cuda:1")
    parser.add_argument("--quiet", "-q", action="store_true", help=quiet)
    _add_plan(parser)
    _add_programs(parser)


def _add_steps(commands: "argparse._SubParsersAction[Parser]") -> None:
    plan = commands.add_parser("plan", help="read the videos of a manifest and cut them into tasks")
    plan.add_argument("manifest")
    plan.add_argument("work")
    _add_plan(plan)
    task = commands.add_parser("task", help="run one task")
    task.add_argument("work")
    task.add_argument("number", nargs="?", type=int, help=f"default: {', '.join(tasks.INDEX_NAMES)}")
    task.add_argument("--device", metavar="SELECTOR")
    task.add_argument("--threads", type=_WHOLE, default=0, metavar="N", help="of the CPU backend; 0: all")
    task.add_argument("--decoder-threads", type=_COUNT, default=2, metavar="N")
    task.add_argument("--always-hash", action="store_true", help="read all of each input before trusting it")
    merge = commands.add_parser("merge", help="put the parts together and write results")
    merge.add_argument("work")
    merge.add_argument("--parquet", action="store_true", help="results.parquet and frames.parquet, too")
    merge.add_argument("--formats", type=_FORMATS, default=["json"], metavar="LIST",
                       help="of results/: some of json,xml,csv,html")
    merge.add_argument("--precision", type=_PRECISION, default="6", metavar="N|max")
    show = commands.add_parser("status", help="how far a plan is")
    show.add_argument("work")
    show.add_argument("--watch", action="store_true")
    submit = commands.add_parser("submit", help="start all tasks", epilog="options of the engine follow --")
    submit.add_argument("work")
    submit.add_argument("--engine", default="local", help=", ".join(engines.ENGINES))
    for parser, action in ((plan, _plan), (task, _task), (merge, _merge), (show, _status), (submit, _submit)):
        parser.set_defaults(action=action)
        _add_programs(parser)


def parser_of_command() -> argparse.ArgumentParser:
    parser = Parser(prog="vmaf-gpu", description="VMAF of long videos and of many, with many processes.")
    parser.add_argument("--version", nargs=0, action=_Version, help="print the version and where to report bugs, and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    score = commands.add_parser("score", help="score one video with all of this machine")
    score.add_argument("distorted")
    score.add_argument("reference")
    search.add_samples(score, f"score N windows of {sampling.SECONDS:g} s (16): the mean of the whole and its interval")
    score.set_defaults(action=_score)
    _add_score(score, "both")
    score.add_argument("--format", choices=merging.FORMATS, help="of the log; default: csv, html or xml if its name ends so, else json")
    ladder = commands.add_parser("ladder", help="score renditions; their reference is decoded once")
    ladder.add_argument("reference")
    ladder.add_argument("renditions", nargs="+")
    ladder.add_argument("--against", metavar="TABLE", help="BD-rate against the table of another ladder")
    ladder.add_argument("--plot", metavar="FILE", help="draw scores over rates: .svg, .png or .pdf")
    ladder.set_defaults(action=_ladder, format="json")
    _add_score(ladder)
    finder = commands.add_parser("search", help="find the quality of an encoder that reaches a score",
                                 epilog="options of the encoder follow --")
    search.add_options(finder)
    finder.add_argument("--work", metavar="FOLDER", help="for temporary files")
    _add_stream(finder, "ref", "the reference")
    finder.set_defaults(action=_search, output=None)
    _add_machine(finder, "print answers, warnings and errors alone")
    _add_steps(commands)
    return parser


# Two programs have nearly one name: how the other one's command lines begin.
_WORDS_OF_TOOL = ("report", "-r", "--reference", "-d", "--distorted", "-m", "--model", "-v", "--list-devices")


def _refuse_tool(words: List[str]) -> None:
    word = words[0].partition("=")[0] if words else ""
    if word in _WORDS_OF_TOOL:
        kind, command = ("an option", "vmaf_gpu --help") if word.startswith("-") else ("a command", f"vmaf_gpu {word} --help")
        raise BatchError(USAGE, f"{word} is {kind} of another program, vmaf_gpu with an underscore: {command}")


class _Output:
    """Standard output, whose errors name it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = "standard output"
            raise

    def write(self, text: str) -> int:
        with self._named():
            return self._stream.write(text)

    def flush(self) -> None:
        with self._named():
            self._stream.flush()


def _flushed(code: int) -> int:
    """The status, once all that was printed has arrived."""
    if sys.stdout is None:  # closed when the program began: Python prints nothing then
        return code
    try:
        sys.stdout.flush()
        return code
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes again at its end
        if isinstance(error, BrokenPipeError):
            return UNREAD
        print(f"vmaf-gpu: standard output: {error.strerror}", file=sys.stderr)
        return code or code_of_os_error(error, USAGE)


def _use_utf8() -> None:
    """Starts this process again in Python's UTF-8 mode, if the locale has another encoding: plans, logs and workers have
    names in UTF-8. The words come from the system, since decoding may have changed them."""
    if "utf8" in sys._xoptions or sys.getfilesystemencoding() == "utf-8":  # pylint: disable=protected-access
        return
    words = pathlib.Path("/proc/self/cmdline").read_bytes().split(b"\0")[1:-1]
    os.execv(sys.executable, [os.fsencode(sys.executable), b"-X", b"utf8", *words])


def main(words: Optional[List[str]] = None) -> int:
    if sys.stderr is None:  # closed: what is said is lost, not the result
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):  # names of files may be no text
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is not None:
        sys.stdout = cast(TextIO, _Output(sys.stdout))
    given = list(sys.argv[1:] if words is None else words)
    at = given.index("--") if given[:1] in (["submit"], ["search"]) and "--" in given else len(given)
    try:
        if words is None:
            _use_utf8()
        _refuse_tool(given)
        options = parser_of_command().parse_args(given[:at])
        options.words = given[at + 1:]
        return _flushed(int(options.action(options)))
    except BatchError as error:
        print(f"vmaf-gpu: {error.text}", file=sys.stderr)
        return error.code
    except BrokenPipeError:
        return _flushed(UNREAD)
    except OSError as error:
        print(f"vmaf-gpu: {error.filename or 'files'}: {error.strerror}", file=sys.stderr)
        return code_of_os_error(error, USAGE)  # what is wrong with a video is a BatchError
    except KeyboardInterrupt:
        return 130
    except Exception:  # pylint: disable=broad-exception-caught
        _explain_fault()
        return 1  # as Python does
