# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Plan, pool and merge in one: score and ladder."""
import contextlib
import csv
import dataclasses
import hashlib
import io
import json
import math
import os
import pathlib
import re
import sys
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from vmaf_gpu.batch import files, manifest, merging, parts, plan as plans, plot
from vmaf_gpu.batch.engines import local
from vmaf_gpu.batch.errors import (BAD_INPUT, DONE, MISSING, NOT_REPRODUCIBLE, USAGE, BatchError, Undecoded,
                                   code_of_os_error, counted)
from vmaf_gpu.batch.programs import Programs

_ROUNDS = 3
# How results begin that may be replaced: logs in four formats and tables of ladders; plots.
_RESULT = re.compile(rb'^\s*(<VMAF|<\?xml|<!DOCTYPE html|\{\s*"version": |Frame,|id,file,)')
PLOT = re.compile(rb"^\s*(<\?xml|<svg|\x89PNG|%PDF)")


@dataclasses.dataclass
class Request:
    """What score and ladder were asked for."""

    programs: Programs
    slots: local.Slots
    common: List[str]
    options: plans.Options
    work: Optional[str]
    output: Optional[str]
    format: str
    precision: str
    is_quiet: bool
    keys: Dict[str, Any]  # keys of the manifest, for all pairs


def pair_of(request: Request, reference: str, distorted: str, **more: Any) -> Dict[str, Any]:
    return {"ref": reference, "dis": distorted, **request.keys, **more}


def _work(request: Request, pairs: List[Dict[str, Any]]) -> pathlib.Path:
    """The work folder of a request. An equal request has the same one, so that running again goes on."""
    if request.work:
        return pathlib.Path(request.work)
    name = hashlib.sha256(json.dumps([pairs, dataclasses.asdict(request.options)]).encode()).hexdigest()[:16]
    return pathlib.Path(f".vmaf-gpu-{name}").absolute()


def check_output(option: str, output: Optional[str], *more: Optional[str], ours: "re.Pattern[bytes]" = _RESULT) -> None:
    """Refuses, before anything is scored, an output that is a video, cannot be written, or is there and not `ours`."""
    if output is None:
        return
    if output in ("", "-"):
        raise BatchError(USAGE, f"{option} '{output}': is no name of a file")
    path = pathlib.Path(output)
    for video in more:
        if video and path.exists() and pathlib.Path(video).exists() and path.samefile(video):
            raise BatchError(USAGE, f"{option} {path}: is {video}, which is read; choose another file")
    if path.exists() and not path.is_file() or not path.absolute().parent.is_dir():
        raise BatchError(USAGE, f"{option} {path}: is no file, or in a folder that does not exist")
    begin = path.open("rb").read(4096) if path.exists() else b""
    if begin and not ours.search(begin):
        raise BatchError(USAGE, f"{option} {path}: is there and is no such result of vmaf-gpu; remove it, or choose another "
                                "file")
    try:
        trial = files.temporary(path.absolute())
        with open(trial, "wb"):
            trial.unlink()
    except OSError as error:
        raise BatchError(code_of_os_error(error, USAGE), f"{option} {path}: {error.strerror}") from None


def run(request: Request, pairs: List[Dict[str, Any]], work: pathlib.Path, warns: bool = True) -> Tuple[int, List[str]]:
    """All the way to results; the exit status, and what went wrong."""
    request.options.workers = request.slots.total
    if request.slots.has_gpu:
        request.options.pixels_per_second = 2e9
    try:
        plan = plans.make(request.programs, pairs, work, request.options, pathlib.Path.cwd())
    except Undecoded:  # its packets have been counted
        if request.options.index != "packets":
            raise
        return _run_decoded(request, pairs, work, warns)
    if warns:
        plans.warn(plan)
    for _ in range(_ROUNDS):
        code = local.Pool(work, request.slots, request.common, request.is_quiet).run()
        merger = merging.Merger(request.programs, work, [request.format], request.precision)
        merged = merger.run()
        if merged == DONE:
            return DONE, []
        if code != DONE or merged not in (NOT_REPRODUCIBLE, MISSING):
            break
    if code == BAD_INPUT and request.options.index == "packets" and _is_undecoded(plan, plans.Folder(work)):
        return _run_decoded(request, pairs, work, warns=False)
    return code or merged, merger.problems


def _run_decoded(request: Request, pairs: List[Dict[str, Any]], work: pathlib.Path, warns: bool) -> Tuple[int, List[str]]:
    print("vmaf-gpu: not every packet of a video gives a frame: it is decoded to find its frames", file=sys.stderr)
    request.options.index = "frames"
    return run(request, pairs, work, warns)


def _is_undecoded(plan: Dict[str, Any], folder: plans.Folder) -> bool:
    errors = (parts.error_of(folder, member["key"], task) for task in plan["tasks"] for member in task["members"])
    return any(error is not None and error.get("is_undecoded") for error in errors)


@contextlib.contextmanager
def scored(request: Request, pairs: List[Dict[str, Any]],
           worded: Callable[[Dict[str, Any]], List[str]] = lambda line: list(line["warnings"])) -> Iterator[Tuple[int, pathlib.Path, List[Dict[str, Any]]]]:
    """The exit status, the folder and the lines of results. The folder goes at the end, if there is nothing to go on from.
    worded: the warnings of a line, as they are said."""
    work = _work(request, pairs)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(files.locked(work))
        except OSError as error:
            raise BatchError(code_of_os_error(error, USAGE), f"{error.filename or work}: {error.strerror}; name a folder for "
                                                             "parts with --work") from None
        try:
            code, problems = run(request, pairs, work)
            for problem in problems:
                print(f"vmaf-gpu: {problem}", file=sys.stderr)
            lines = lines_of(work) if (work / "results.jsonl").exists() else []
            for line in lines:
                line["warnings"] = worded(line)
            merging.warn(lines, plans.load(plans.Folder(work)) if lines else None)
            yield code, work, lines
        except BatchError:
            if not request.work and not (work / "plan.json").exists():
                files.remove(work)
            raise
        if code != DONE and any(plans.Folder(work).parts.glob("*.part")):
            print(f"vmaf-gpu: parts that are done are kept in {work}; the same command goes on from there", file=sys.stderr)
        elif not request.work:
            files.remove(work)


def lines_of(work: pathlib.Path) -> List[Dict[str, Any]]:
    return [json.loads(text) for text in (work / "results.jsonl").read_text().splitlines()]


def _log_pairing(line: Dict[str, Any]) -> None:
    """Frames that are left out may be no error."""
    found = line["pairing"] or {}
    if found.get("start") == "by_search":
        print(f"{line['id']}: --offset auto applied --offset {found['offset']}", file=sys.stderr)
    if found.get("rule") in ("auto", "time"):
        left = {side: sum(found[f"unpaired_{side}"].values()) for side in ("main", "reference")}
        rule = "time" if found["rule"] == "time" else "times and pictures"
        print(f"{line['id']}: {counted(found['pairs'], 'pair')} by {rule}; without partner: {left['main']} of {found['main_frames']} "
              f"distorted and {left['reference']} of {found['reference_frames']} reference frames", file=sys.stderr)


def _print_scores(line: Dict[str, Any], more: str) -> None:
    for name in line["percentiles"]:
        ends = (line["mean_interval_95"] or {}).get(name)
        if ends and None not in ends:
            print(f"{name}{more}, 95 % interval of the mean: {ends[0]:.6f} to {ends[1]:.6f}")
        print(f"{name}{more}: {line['pooled'][name]['mean']:.6f}")
    _log_pairing(line)


def score(request: Request, distorted: str, reference: str) -> int:
    is_both = request.keys["grain"] == "both"
    check_output("--output", request.output, distorted, reference)
    outputs = [pathlib.Path(request.output)] if request.output else []
    if is_both and outputs:
        outputs.append(outputs[0].with_name(f"{outputs[0].stem}.grain-off{outputs[0].suffix}"))
        check_output("--output", str(outputs[1]), distorted, reference)
    made = [pair_of(request, reference, distorted, id="score")]
    if is_both:  # one task, and the reference is decoded once
        made = [{**made[0], "id": name, "grain": grain, "group": "grain"}
                for name, grain in (("score", "score"), ("score.grain-off", "off"))]
    pairs = manifest.finish(made, pathlib.Path.cwd(), ["the command line"] * len(made))
    with scored(request, pairs) as (code, work, lines):
        for path, line in zip(outputs, lines if code == DONE else ()):
            files.write_atomic(path.absolute(), (work / "results" / f"{line['id']}.{request.format}").read_bytes())
    if code == DONE and not request.is_quiet:  # last: nobody may read it
        for line, more in zip(lines, ("", ", grain off")):
            _print_scores(line, more)
    return code


# ------------------------------------------------------------------ ladders

def _table(lines: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Rate and scores of the renditions, the lowest rate first."""
    rows = [{"id": line["id"], "file": line["dis"], "width": line["width"], "height": line["height"],
             "kbps": line["kbps"], **{name: line["pooled"][name]["mean"] for name in line["percentiles"]}}
            for line in lines]
    return sorted(rows, key=lambda row: row["kbps"] or 0)


def _as_csv(rows: List[Dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _read_table(path: str, names: List[str]) -> List[Dict[str, Any]]:
    """The table of another ladder."""
    try:
        rows: List[Dict[str, Any]] = list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text(encoding="utf-8"))))
        for row in rows:
            row.update({name: float(row[name]) for name in ("kbps", *names)})
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise BatchError(USAGE, f"{path}: cannot be compared with these scores: {error}") from None
    return rows


def need_bjontegaard() -> Any:
    try:
        import bjontegaard  # type: ignore # pylint: disable=import-outside-toplevel
        return bjontegaard
    except ImportError:
        raise BatchError(USAGE, "--against needs bjontegaard: pip install 'vmaf-gpu[bdrate]'") from None


def bd_rate(points: List[Tuple[float, float]], other: List[Tuple[float, float]], path: str) -> float:
    """Percent of bits more than the other points, those of path, need for the same score. Points: rate and score."""
    try:
        value = float(need_bjontegaard().bd_rate([rate for rate, _ in other], [score for _, score in other],
                                                 [rate for rate, _ in points], [score for _, score in points],
                                                 method="akima", min_overlap=0))
    except (ValueError, AssertionError, IndexError) as error:
        raise BatchError(USAGE, f"{path}: cannot be compared with these scores: {error}") from None
    if math.isnan(value):
        raise BatchError(USAGE, f"{path}: cannot be compared with these scores: no score lies between those of both")
    return value


def _show_ladder(request: Request, lines: List[Dict[str, Any]], against: Optional[str], drawing: Optional[str]) -> None:
    """Files, then what is printed: nobody may read that."""
    rows, names = _table(lines), list(lines[0]["percentiles"])
    if request.output:
        files.write_atomic(pathlib.Path(request.output).absolute(), os.fsencode(_as_csv(rows)))
    try:
        other = _read_table(against, names) if against else []
        if drawing:
            curves = plot.curves(rows, names, "this ladder" if against else "ladder")
            beside = plot.curves(other, names, pathlib.Path(against).name) if against else {}
            plot.draw(drawing, pathlib.Path(lines[0]["ref"]).name, {**curves, **beside})
    finally:
        if not request.is_quiet:
            for line in lines:
                _log_pairing(line)
            print(_as_csv(rows), end="")
    for name in names if against else ():
        rate = bd_rate([(row["kbps"], row[name]) for row in rows], sorted((row["kbps"], row[name]) for row in other),
                       str(against))
        print(f"BD-rate ({name}): {rate:.3f} %")


def ladder(request: Request, reference: str, renditions: List[str], against: Optional[str],
           drawing: Optional[str] = None) -> int:
    check_output("--output", request.output, reference, against, *renditions)
    check_output("--plot", drawing, reference, against, *renditions, ours=PLOT)
    if drawing:
        plot.need(drawing)
    if against:
        need_bjontegaard()
    more = {} if request.keys["display"] else {"display": "ref"}
    pairs = manifest.finish([pair_of(request, reference, path, group="ladder", **more) for path in renditions],
                            pathlib.Path.cwd(), [f"the rendition {path}" for path in renditions])
    with scored(request, pairs) as (code, _, lines):
        if lines:
            _show_ladder(request, lines, against if code == DONE else None, drawing)
    return code
