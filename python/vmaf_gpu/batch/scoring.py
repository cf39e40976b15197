# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Plan, pool and merge in one: score and ladder. And verify, which scores chunks again."""
import csv
import dataclasses
import hashlib
import io
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
from typing import Any, Dict, List, Optional

from vmaf_gpu.batch import cuts, files, index, manifest, merging, parts, plan as plans, runner
from vmaf_gpu.batch.engines import local
from vmaf_gpu.batch.errors import BAD_INPUT, DONE, NOT_REPRODUCIBLE, USAGE, BatchError
from vmaf_gpu.batch.programs import Programs

_ROUNDS = 3


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
    models: List[str]
    features: List[str]
    subsample: int
    display: Optional[str]
    scaler: str
    is_quiet: bool


def _pair(request: Request, reference: str, distorted: str, **more: Any) -> Dict[str, Any]:
    pair = {"ref": reference, "dis": distorted, "models": request.models, "features": request.features,
            "subsample": request.subsample, "scaler": request.scaler, **more}
    if request.display:
        pair["display"] = request.display
    return pair


def _work(request: Request, pairs: List[Dict[str, Any]]) -> pathlib.Path:
    """The same request has the same folder, so that running again goes on."""
    if request.work:
        return pathlib.Path(request.work)
    name = hashlib.sha256(json.dumps([pairs, dataclasses.asdict(request.options)]).encode()).hexdigest()[:16]
    return pathlib.Path(f".vmaf-gpu-{name}").absolute()


def _check_output(request: Request, *more: Optional[str]) -> None:
    """Refuses, before anything is scored, an output that is one of the videos or cannot be written."""
    if not request.output:
        return
    path = pathlib.Path(request.output)
    for video in more:
        if video and path.exists() and pathlib.Path(video).exists() and path.samefile(video):
            raise BatchError(USAGE, f"--output {path}: is {video}, which is read; choose another file")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BatchError(USAGE, f"--output {path}: is a folder, or in a folder that does not exist")


def _run(request: Request, pairs: List[Dict[str, Any]], work: pathlib.Path) -> int:
    """All the way to results; the exit status."""
    request.options.workers = request.slots.total
    if any(request.slots.devices):
        request.options.pixels_per_second = 2e9
    plans.make(request.programs, pairs, work, request.options, pathlib.Path.cwd())
    code = NOT_REPRODUCIBLE
    for _ in range(_ROUNDS):
        code = local.Pool(work, request.slots, request.common, request.is_quiet).run()
        merger = merging.Merger(request.programs, work, [request.format], request.precision)
        merged = merger.run()
        if merged == DONE:
            return DONE
        if code != DONE or merged != NOT_REPRODUCIBLE:
            for problem in merger.problems:
                print(f"vmaf-gpu: {problem}", file=sys.stderr)
            return code or merged
    return code or NOT_REPRODUCIBLE


def _lines(work: pathlib.Path) -> List[Dict[str, Any]]:
    return [json.loads(text) for text in (work / "results.jsonl").read_text().splitlines()]


def score(request: Request, distorted: str, reference: str) -> int:
    _check_output(request, distorted, reference)
    pairs = manifest.finish([_pair(request, reference, distorted, id="score")], pathlib.Path.cwd(),
                            ["the command line"])
    work = _work(request, pairs)
    code = _run(request, pairs, work)
    if code != DONE:
        print(f"vmaf-gpu: parts that are done are kept in {work}; the same command goes on from there",
              file=sys.stderr)
        return code
    line = _lines(work)[0]
    for name in line["percentiles"]:
        if not request.is_quiet:
            print(f"{name}: {line['pooled'][name]['mean']:.6f}")
    if request.output:
        files.write_atomic(pathlib.Path(request.output).absolute(),
                           (work / "results" / f"score.{request.format}").read_bytes())
    if not request.work:
        shutil.rmtree(work)
    return DONE


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


def _bd_rate(rows: List[Dict[str, Any]], path: str, score_name: str) -> float:
    """Percent of bits more than the other ladder needs for the same score."""
    try:
        import bjontegaard  # type: ignore # pylint: disable=import-outside-toplevel
    except ImportError:
        raise BatchError(USAGE, "--against needs bjontegaard: pip install 'vmaf-gpu[bdrate]'") from None
    try:
        other = list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text(encoding="utf-8"))))
        points = sorted((float(row["kbps"]), float(row[score_name])) for row in other)
        value = bjontegaard.bd_rate([a for a, _ in points], [b for _, b in points], [row["kbps"] for row in rows],
                                    [row[score_name] for row in rows], method="akima", min_overlap=0)
    except (OSError, KeyError, ValueError, AssertionError) as error:
        raise BatchError(USAGE, f"{path}: cannot be compared with this ladder: {error}") from None
    return float(value)


def ladder(request: Request, reference: str, renditions: List[str], against: Optional[str]) -> int:
    _check_output(request, reference, against, *renditions)
    more = {} if request.display else {"display": "ref"}
    pairs = manifest.finish([_pair(request, reference, path, group="ladder", **more) for path in renditions],
                            pathlib.Path.cwd(), [f"the rendition {path}" for path in renditions])
    work = _work(request, pairs)
    code = _run(request, pairs, work)
    lines = _lines(work) if (work / "results.jsonl").exists() else []
    if lines:
        rows = _table(lines)
        if not request.is_quiet:
            print(_as_csv(rows), end="")
        if request.output:
            files.write_atomic(pathlib.Path(request.output).absolute(), os.fsencode(_as_csv(rows)))
        if against and code == DONE:
            for name in lines[0]["percentiles"]:
                print(f"BD-rate ({name}): {_bd_rate(rows, against, name):.3f} %")
    if code == DONE and not request.work:
        shutil.rmtree(work)
    return code


# ------------------------------------------------------------------ verify

def _rescored(programs: Programs, folder: plans.Folder, plan: Dict[str, Any], task: Dict[str, Any],
              number: int, output: pathlib.Path) -> Dict[str, Any]:
    """The part of a chunk that begins and ends elsewhere, decoded from another place."""
    pair = plan["pairs"][number]
    size, count = task["end"] - task["begin"], pair["count"]
    begin = task["begin"] + size // 3
    end = min(count, task["end"] + max(1, size // 3))
    first = max(0, begin - pair["history"][0])
    first -= first % pair["subsample"]
    other = {"first": first, "begin": begin, "end": end, "stop": min(count, end + pair["history"][1])}
    for back in (4, cuts.START):
        made = {name: cuts.make(index.load(video["identity"]["sha256"], folder.index, plan["index"]),
                                pair["base"] + first, pair["base"] + other["stop"], back, 2)
                for name, video in (("ref", pair["ref"]), ("d0", pair["dis"]))}
        try:
            runner.score(programs, plan, runner.Settings(), runner.Work(other, [pair], [output],
                                                                        output.with_suffix(".progress"), made))
            return parts.read(output, other)
        except runner.SeekFailed:
            continue
    raise BatchError(BAD_INPUT, f"{pair['id']}: the frames cannot be decoded again")


def _rows(part: Dict[str, Any]) -> Dict[int, Any]:
    """Of the pairs that count; those around them may lack their neighbours."""
    chunk = part["chunk"]
    return {row[0]: row[1:] for row in part["rows"] if chunk["begin"] <= row[0] < chunk["end"]}


def verify(programs: Programs, work: pathlib.Path, percent: float) -> int:
    """Scores some chunks again with other borders; every double has to be the same."""
    folder = plans.Folder(work)
    plan = plans.load(folder)
    chunks = [(number, item) for number in range(len(plan["pairs"])) for item in plans.tasks_of_pair(plan, number)]
    chosen = random.SystemRandom().sample(chunks, max(1, round(len(chunks) * percent / 100)))
    compared = 0
    for number, (task, _) in chosen:
        with tempfile.TemporaryDirectory(dir=folder.work) as name:
            again = _rescored(programs, folder, plan, task, number, pathlib.Path(name) / "again.part")
        rows = _rows(again)
        for other, key in plans.tasks_of_pair(plan, number):
            part = parts.read(folder.part(key), other)
            for at, row in _rows(part).items():
                if at in rows:
                    compared += 1
                    if rows[at] != row:
                        raise BatchError(NOT_REPRODUCIBLE, f"{parts.name_of(other, plan['pairs'][number])}: "
                                                           f"pair {at} has other scores when scored again")
    print(f"{len(chosen)} chunks were scored again; {compared} pairs are equal")
    return DONE
