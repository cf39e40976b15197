# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Puts parts together: the tool merges, this decides what can be merged and writes the tables.

A pair is merged when all of its parts are there and agree; other pairs are not held back.
"""
import contextlib
import json
import math
import pathlib
import re
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from vmaf_gpu.batch import files, parts, plan as plans
from vmaf_gpu.batch.errors import (BAD_INPUT, DONE, MISSING, NOT_REPRODUCIBLE, TRANSIENT, USAGE, BatchError,
                                   is_transient_text)
from vmaf_gpu.batch.programs import Programs, output_of

FORMATS = ("json", "xml", "csv", "html")


def _pairs(pair: Dict[str, Any], log: Dict[str, Any]) -> int:
    """The plan knows them, unless they are found when all is decoded."""
    return int(pair["count"] if pair["pair"] == "index" and pair["offset"] is None else log["pairing"]["pairs"])


def _subject(warning: str) -> str:
    """A warning without what helps, which each program says in its own words."""
    return re.sub(r" \(formats=asis: [^)]*\)", "", warning).partition(", e.g. ")[0]


def _with_warnings(part: str, planned: List[str]) -> str:
    """The text of a part whose list of warnings begins with those of the plan. What the filter has said of the same inputs
    goes. All else, such as the digits of scores, stays byte for byte."""
    found = re.search(r'"warnings": (?=\[)', part)
    if found is None:
        return part
    told, end = json.JSONDecoder().raw_decode(part, found.end())
    subjects = set(map(_subject, planned))
    texts = [*planned, *(text for text in told if _subject(text) not in subjects)]
    return part[:found.end()] + json.dumps(texts, ensure_ascii=False) + part[end:]


def _copy(part: pathlib.Path, copy: pathlib.Path, planned: List[str]) -> None:
    try:
        copy.write_bytes(_with_warnings(part.read_bytes().decode(), planned).encode())
    except OSError as error:
        raise BatchError(TRANSIENT, f"{error.filename or copy}: {error.strerror}") from None


def _warnings(log: Dict[str, Any], metas: List[Dict[str, Any]]) -> List[str]:
    """What makes the scores doubtful: the plan's and the engine's warnings, what decoders reported, each input once, and
    what the engine says of pairs."""
    found: List[str] = log["vmaf_gpu"]["warnings"]
    border = len(found) - (log.get("pairing") or {}).get("warnings", 0)
    of_pairs = found[border:]
    doubts: Dict[str, Any] = {}
    for meta in metas:
        for side, time, text, is_damage in meta.get("doubts", []):
            before = doubts.get(side, (time, text, False))
            doubts[side] = (*min(before[:2], (time, text)), is_damage or before[2])
    told = []
    for side, (time, text, is_damage) in doubts.items():
        counted = r"\d+ frames? of " + (side if side in ("main", "reference") else r"\w+") + " (are|is) damaged"
        if any(re.match(counted, one) for one in of_pairs) or (side not in ("main", "reference") and len(doubts) > 1):
            continue  # the filter has counted them, or it is one of these
        what = "are damaged" if is_damage else "may be damaged or missing"
        told.append(f"frames of {side} {what}: the decoder reported errors, the first at {time:g} s: {text}")
    return found[:border] + told + of_pairs


def percentiles(values: List[float]) -> Dict[str, float]:
    """Percentiles of the finite values, as the engine has them: between two values, from the nearer one."""
    ordered, found = sorted(values), {}
    for percent in (1, 5, 10, 20) if ordered else ():
        position = (len(ordered) - 1) * (percent / 100)
        low, high = ordered[int(position)], ordered[min(int(position) + 1, len(ordered) - 1)]
        share = position - int(position)
        if share == 0 or low == high:
            value = low
        elif math.isinf(low) or math.isinf(high):
            value = low + high
        else:
            value = low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)
        if math.isfinite(value):
            found[f"perc{percent}"] = value
    return found


def warn(lines: List[Dict[str, Any]], planned: Optional[Dict[str, Any]] = None) -> None:
    """Says what makes scores doubtful, once of two videos. planned: the plan whose warnings have been said."""
    said = {(pair["id"], text) for pair in planned["pairs"] for text in pair["warnings"]} if planned else set()
    told: Set[Tuple[str, ...]] = set()
    for line in lines:
        for text in line["warnings"]:
            about = (line["ref"], line["dis"], str(line["film_grain"]), text)
            if about not in told and (line["id"], text) not in said:
                plans.say_warning(line["id"], text)
            told.add(about)


class Merger:
    """Merges the pairs of a plan."""

    def __init__(self, programs: Programs, work: pathlib.Path, formats: List[str], precision: str = "6") -> None:
        self.programs, self.formats, self.precision = programs, formats, precision
        self.folder = plans.Folder(work)
        self.plan = plans.load(self.folder)
        self.problems: List[str] = []
        self.lines: List[Dict[str, Any]] = []
        self.frames: List[Dict[str, Any]] = []

    def run(self, keeps_frames: bool = False) -> int:
        """Writes results/ and results.jsonl; the exit status. frames: one row for each frame of all pairs."""
        files.clean_temporaries(self.folder.results)
        codes = [DONE]
        for number, pair in enumerate(self.plan["pairs"]):
            try:
                line, log = self._pair(number, pair)
            except BatchError as error:
                codes.append(error.code)
                self.problems.append(f"{pair['id']}: {error.text}")
                continue
            self.lines.append(line)
            self.frames += [{"id": pair["id"], "frame": frame["frameNum"], "pts": frame.get("pts"), **frame["metrics"]}
                            for frame in log["frames"] if keeps_frames]
        files.write_atomic(self.folder.work / "results.jsonl",
                           "".join(json.dumps(line, sort_keys=True) + "\n" for line in self.lines).encode())
        return max(codes)

    def _pair(self, number: int, pair: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """The line of results, and the log in all digits."""
        tasks = plans.tasks_of_pair(self.plan, number)
        self._check_parts(tasks)
        # No id begins with a point, so that no result has this name.
        exact = files.temporary(self.folder.results / f".{pair['id']}.exact.json")
        with self._told(pair, tasks) as told:
            try:
                stderr = self._tool(pair, told, exact, "json", "max")
                log = json.loads(exact.read_text())
            finally:
                exact.unlink(missing_ok=True)
            for form in self.formats:
                self._write(pair, told, self.folder.results / f"{pair['id']}.{form}", form)
        line = self._line(pair, tasks, log, stderr)
        for _, key in tasks:
            parts.trust(self.folder, key)
        return line, log

    @contextlib.contextmanager
    def _told(self, pair: Dict[str, Any], tasks: List[Tuple[Dict[str, Any], str]]) -> Iterator[List[pathlib.Path]]:
        """Parts that have the plan's warnings: those of the pair, or copies. Another pair of the same videos may share its
        parts and have other warnings."""
        found = [self.folder.part(key) for _, key in tasks]
        if not pair["warnings"]:
            yield found
            return
        copies = [files.temporary(self.folder.results / f".{number}.{pair['id']}.part") for number in range(len(found))]
        try:
            for path, copy in zip(found, copies):
                _copy(path, copy, pair["warnings"])
            yield copies
        finally:
            for copy in copies:
                copy.unlink(missing_ok=True)

    def _why(self, tasks: List[Tuple[Dict[str, Any], str]]) -> str:
        for task, key in tasks:
            error = parts.error_of(self.folder, key, task)
            if error is not None:
                return f" ({error['text']})"
        return ""

    def _write(self, pair: Dict[str, Any], told: List[pathlib.Path], path: pathlib.Path, form: str) -> None:
        """Another merge of the same folder may write the same file."""
        ready = files.temporary(path)
        try:
            self._tool(pair, told, ready, form, self.precision)
            files.publish(ready, path)
        finally:
            ready.unlink(missing_ok=True)

    def _tool(self, pair: Dict[str, Any], told: List[pathlib.Path], output: pathlib.Path, form: str, precision: str) -> str:
        """What it says."""
        tags = [f"--tags_{option}=streams={stream['tags']['streams']}:stream={stream['index']}"
                for option, stream in (("ref", pair["ref"]["stream"]), ("dist", pair["dis"]["stream"]))]
        done = output_of([self.programs.tool, "merge", *map(str, told), f"--{form}", *tags,
                          "--precision", precision, "--overwrite", "--output", str(output)], "vmaf_gpu merge", 24 * 3600)
        if done.returncode == 0:
            return done.stderr
        text = done.stderr.strip().split("\n")[-1].replace("vmaf_gpu: merge: ", "")
        text = text or f"vmaf_gpu merge ended with status {done.returncode}"
        code = done.returncode if done.returncode in (USAGE, BAD_INPUT, NOT_REPRODUCIBLE) else TRANSIENT
        raise BatchError(TRANSIENT if is_transient_text(text) else code, text)

    def _check_parts(self, tasks: List[Tuple[Dict[str, Any], str]]) -> None:
        """Says what is missing. Then which chunks disagree, and has those done again that were not decoded from the
        start. A part is read once, and two are kept at a time: a video may have thousands."""
        missing: List[str] = []
        unequal: List[Tuple[List[Tuple[Dict[str, Any], str]], str]] = []
        previous: Optional[Dict[str, Any]] = None
        for at, (task, key) in enumerate(tasks):
            part = parts.find(self.folder, task, key)
            if part is None:
                missing.append(f"pairs {task['begin']} to {task['end'] - 1}")
            elif previous is not None:
                reason = parts.compare(previous, part)[1]
                unequal += [(tasks[at - 1:at + 1], reason)] if reason else []
            previous = part
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise BatchError(MISSING, f"not scored yet: {', '.join(missing[:3])}{more}{self._why(tasks)}")
        if unequal:
            self._disagree(unequal)

    def _disagree(self, unequal: List[Tuple[List[Tuple[Dict[str, Any], str]], str]]) -> None:
        both, reason = unequal[0]
        names = " and ".join(f"pairs {task['begin']} to {task['end'] - 1}" for task, _ in both)
        again = {key for some, _ in unequal for _, key in some if not parts.is_last_try(self.folder, key)}
        for key in again:
            parts.drop(self.folder, key)
        advice = "they will be decoded from the start; run the tasks again" if again else \
            "both were scored again and decoded from the start, so that a device or a decoder errs"
        raise BatchError(NOT_REPRODUCIBLE, f"{names} disagree: {reason}; {advice}")

    def _line(self, pair: Dict[str, Any], tasks: List[Tuple[Dict[str, Any], str]], log: Dict[str, Any],
              stderr: str) -> Dict[str, Any]:
        # Means of the models, or of all features if there are none. The log has null for an infinity, which the mean is, too.
        means = re.findall(r"^(\S+): (-?\d\S*|-?inf)$", stderr, re.M)
        values = {name: [frame["metrics"][name] for frame in log["frames"]] for name, _ in means}
        tails = {name: percentiles([float(mean) if value is None else value for value in values[name]])
                       for name, mean in means}
        metas = [parts.meta(self.folder, key) for _, key in tasks]
        compared = re.search(r"(\d+) scores of pairs that two", stderr)
        size, stream = pair["dis"]["identity"]["size"], pair["dis"]["stream"]
        seconds = stream["duration"]
        streams = {side: f"{video['stream']['index']} of {video['stream']['tags']['streams']}"
                   for side, video in (("main", pair["dis"]), ("reference", pair["ref"]))}
        grain = {"main": pair["film_grain"]["dis"], "reference": pair["film_grain"]["ref"]}
        return {"id": pair["id"], "tags": pair["tags"], "group": pair["group"], "ref": pair["ref"]["path"],
                "dis": pair["dis"]["path"], "frames": _pairs(pair, log), "pairing": log.get("pairing"),
                "warnings": _warnings(log, metas), "pooled": log["pooled_metrics"],
                "aggregate": log.get("aggregate_metrics", {}), "percentiles": tails,
                "mean_interval_95": log.get("mean_interval_95"), "film_grain": grain, "streams": streams,
                "bytes": size, "kbps": size * 8 / seconds / 1000 if seconds else None,
                "width": stream["width"], "height": stream["height"], "chains": pair["chains"],
                "seconds": sum(meta.get("seconds", 0.0) for meta in metas), "chunks": len(tasks),
                "overlap_scores_equal": int(compared[1]) if compared else 0,
                "devices": sorted({str(meta.get("device", "unknown")) for meta in metas}),
                "versions": self.plan["versions"], "runner": self.plan["runner"], "digest": pair["digest"]}
