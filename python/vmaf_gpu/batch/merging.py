# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Puts parts together: the tool merges, this decides what can be merged and writes the tables.

A pair is merged when all of its parts are there and agree; other pairs are not held back.
"""
import json
import pathlib
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Optional, Tuple

from vmaf_gpu.batch import files, parts, plan as plans
from vmaf_gpu.batch.errors import (BAD_INPUT, DONE, MISSING, NOT_REPRODUCIBLE, TRANSIENT, USAGE, BatchError,
                                   is_transient_text)
from vmaf_gpu.batch.programs import Programs, output_of

FORMATS = ("json", "xml", "csv", "html")
_PERCENTILES = ("perc1", "perc5", "perc10", "perc20")


def _pairs(pair: Dict[str, Any], log: Dict[str, Any]) -> int:
    """The plan knows them, unless they are found by time."""
    return int(log["pairing"]["pairs"] if pair["pair"] == "time" else pair["count"])


class Merger:
    """Merges the pairs of a plan."""

    def __init__(self, programs: Programs, work: pathlib.Path, formats: List[str], precision: str = "6") -> None:
        self.programs, self.formats, self.precision = programs, formats, precision
        self.folder = plans.Folder(work)
        self.plan = plans.load(self.folder)
        self.problems: List[str] = []
        self.lines: List[Dict[str, Any]] = []
        self.exact: List[pathlib.Path] = []

    def run(self, write_tables: Callable[[plans.Folder, List[Dict[str, Any]]], None] = lambda *_: None) -> int:
        """Writes results/ and results.jsonl; the exit status. write_tables finds logs under Folder.exact()."""
        files.clean_temporaries(self.folder.results)
        try:
            code = self._run()
            write_tables(self.folder, self.lines)
            return code
        finally:
            for exact in self.exact:
                exact.unlink(missing_ok=True)

    def _run(self) -> int:
        codes = [DONE]
        for number, pair in enumerate(self.plan["pairs"]):
            try:
                self.lines.append(self._pair(number, pair))
            except BatchError as error:
                codes.append(error.code)
                self.problems.append(f"{pair['id']}: {error.text}")
        files.write_atomic(self.folder.work / "results.jsonl",
                           "".join(json.dumps(line, sort_keys=True) + "\n" for line in self.lines).encode())
        return max(codes)

    def _pair(self, number: int, pair: Dict[str, Any]) -> Dict[str, Any]:
        tasks = plans.tasks_of_pair(self.plan, number)
        missing = [f"pairs {task['begin']} to {task['end'] - 1}" for task, key in tasks
                   if not parts.is_done(self.folder, task, key)]
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise BatchError(MISSING, f"not scored yet: {', '.join(missing[:3])}{more}{self._why(tasks)}")
        self._check_borders(tasks)
        exact = self.folder.exact(pair["id"])
        self.exact.append(exact)
        stderr = self._tool(tasks, exact, "json", "max")
        log = json.loads(exact.read_text())
        for form in self.formats:
            self._write(tasks, self.folder.results / f"{pair['id']}.{form}", form)
        line = self._line(pair, tasks, log, stderr)
        for _, key in tasks:
            parts.trust(self.folder, key)
        return line

    def _why(self, tasks: List[Tuple[Dict[str, Any], str]]) -> str:
        for task, key in tasks:
            error = parts.error_of(self.folder, key, task)
            if error is not None:
                return f" ({error['text']})"
        return ""

    def _write(self, tasks: List[Tuple[Dict[str, Any], str]], path: pathlib.Path, form: str) -> None:
        """Another merge of the same folder may write the same file."""
        ready = files.temporary(path)
        try:
            self._tool(tasks, ready, form, self.precision)
            files.publish(ready, path)
        finally:
            ready.unlink(missing_ok=True)

    def _tool(self, tasks: List[Tuple[Dict[str, Any], str]], output: pathlib.Path, form: str,
              precision: str) -> str:
        words = [self.programs.tool, "merge", *(str(self.folder.part(key)) for _, key in tasks), f"--{form}",
                 "--precision", precision, "--overwrite", "--output", str(output)]
        done = output_of(words, "vmaf_gpu merge", 24 * 3600)
        if done.returncode == 0:
            return done.stderr
        text = (done.stderr.strip().split("\n") or [""])[-1].replace("vmaf_gpu: merge: ", "")
        code = done.returncode if done.returncode in (USAGE, BAD_INPUT, NOT_REPRODUCIBLE) else TRANSIENT
        raise BatchError(TRANSIENT if is_transient_text(text) else code, text)

    def _check_borders(self, tasks: List[Tuple[Dict[str, Any], str]]) -> None:
        """Says which chunks disagree, and has those done again that were not decoded from the start."""
        previous: Optional[Tuple[Dict[str, Any], str, Dict[str, Any]]] = None
        for task, key in tasks:
            part = parts.read(self.folder.part(key), task)
            if previous is not None:
                reason = parts.compare(previous[2], part)[1]
                if reason:
                    self._disagree([previous[:2], (task, key)], reason)
            previous = (task, key, part)

    def _disagree(self, both: List[Tuple[Dict[str, Any], str]], reason: str) -> None:
        names = " and ".join(f"pairs {task['begin']} to {task['end'] - 1}" for task, _ in both)
        again = [key for _, key in both if not parts.is_last_try(self.folder, key)]
        for key in again:
            parts.drop(self.folder, key)
        advice = "they will be decoded from the start; run the tasks again" if again else \
            "both were scored again and decoded from the start, so that a device or a decoder errs"
        raise BatchError(NOT_REPRODUCIBLE, f"{names} disagree: {reason}; {advice}")

    def percentiles(self, tasks: List[Tuple[Dict[str, Any], str]]) -> Dict[str, Dict[str, float]]:
        """The tool prints one kind at a time."""
        found: Dict[str, Dict[str, float]] = {}
        words = [self.programs.tool, "merge", *(str(self.folder.part(key)) for _, key in tasks), "--precision", "max"]
        with ThreadPoolExecutor(len(_PERCENTILES)) as pool:
            texts = list(pool.map(lambda kind: output_of([*words, "--pool", kind], "vmaf_gpu merge", 24 * 3600).stderr,
                                  _PERCENTILES))
        for kind, text in zip(_PERCENTILES, texts):
            for name, value in re.findall(r"^(\S+): (-?\d\S*)$", text, re.M):
                found.setdefault(name, {})[kind] = float(value)
        return found

    def _line(self, pair: Dict[str, Any], tasks: List[Tuple[Dict[str, Any], str]], log: Dict[str, Any],
              stderr: str) -> Dict[str, Any]:
        metas = [parts.meta(self.folder, key) for _, key in tasks]
        compared = re.search(r"(\d+) scores of pairs that two", stderr)
        size, stream = pair["dis"]["identity"]["size"], pair["dis"]["stream"]
        seconds = stream["duration"]
        return {"id": pair["id"], "tags": pair["tags"], "group": pair["group"], "ref": pair["ref"]["path"],
                "dis": pair["dis"]["path"], "frames": _pairs(pair, log), "pairing": log.get("pairing"), "pooled": log["pooled_metrics"],
                "aggregate": log.get("aggregate_metrics", {}), "percentiles": self.percentiles(tasks),
                "bytes": size, "kbps": size * 8 / seconds / 1000 if seconds else None,
                "width": stream["width"], "height": stream["height"], "chains": pair["chains"],
                "seconds": sum(meta.get("seconds", 0.0) for meta in metas), "chunks": len(tasks),
                "overlap_scores_equal": int(compared[1]) if compared else 0,
                "devices": sorted({str(meta.get("device") or "auto") for meta in metas}),
                "versions": self.plan["versions"], "runner": self.plan["runner"], "digest": pair["digest"]}
