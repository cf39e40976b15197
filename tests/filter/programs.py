#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""One number through every program: pairs of files (pairs.py) through the FFmpeg filter, the tool, Python and batch with
both runners, and with an FFmpeg before 7.0 as decoder. All have the same scores in all digits and the same warnings,
or all refuse. An old decoder has the same scores, or is refused. With --media the pairs are those of each file of a
folder with itself, with a copy in another container, and with an encode.

    programs.py FFMPEG_WITH_FILTER TOOL [--old FFMPEG] [--only NAME] [--least N] [--media DIR [--pair RULE]]

PYTHONPATH leads to the package vmaf_gpu. Another ffmpeg than the first makes what it has no encoder for.
"""
import argparse
import importlib.util
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
from typing import Dict, Iterator, List, NamedTuple, Optional

from pairs import PAIRS, Maker

# What the engine says of inputs; other warnings are of lengths and times. What helps is each program's own.
_HELP = ", e.g. "
_OF_INPUTS = re.compile(r"(main|reference) (has|is \d+ bit|is interlaced|is progressive|is grey)|main and reference differ|the "
                        r"pictures are ")
_REFUSED = re.compile("has to be converted, by FFmpeg 7.0 or later")
_IN_PARTS = "its picture is in parts"
_ONE_TILE = "this is one tile"
_COUNTS_REFUSED = "so that pair index would compare others from some frame on"
_COUNTS = re.compile(r" pairs of (\d+) main and (?!\1 )\d+ reference frames")
_MODEL = "vmaf_v0.6.1"


class Case(NamedTuple):
    name: str
    main: str
    ref: str
    pads: str  # what the filter takes
    pair: str
    is_unsaid: bool = False  # as Pair
    is_of_others: bool = False  # what is wrong with a file each program says in its own words


class Result(NamedTuple):
    frames: Optional[List[Dict[str, float]]]  # None: refused
    warnings: List[str]
    text: str


def _frames_of(log: pathlib.Path) -> List[Dict[str, float]]:
    return [frame["metrics"] for frame in json.loads(log.read_text())["frames"]]


def _warnings_of(text: str, begin: str) -> List[str]:
    found = (re.match(begin + r"(.*)", line) for line in text.splitlines())
    return sorted(match[1].partition(_HELP)[0] for match in found if match is not None and _OF_INPUTS.match(match[1]))


def _run(words: List[str], cwd: pathlib.Path, log: pathlib.Path, begin: str, ffmpeg: str) -> Result:
    log.unlink(missing_ok=True)
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, stdin=subprocess.DEVNULL, timeout=120,
                          env={**os.environ, "VMAF_GPU_FFMPEG": ffmpeg}, errors="replace")
    said = _warnings_of(done.stderr, begin)
    return Result(_frames_of(log) if done.returncode == 0 else None, said, done.stderr)


class Programs:
    def __init__(self, options: argparse.Namespace, folder: pathlib.Path) -> None:
        self.ffmpeg, self.tool, self.folder = options.ffmpeg, options.tool, folder
        self.log = folder / "log.json"
        package = importlib.util.find_spec("vmaf_gpu")
        self.has_python = pathlib.Path(package.origin).with_name("libvmaf_gpu_python.so").exists()

    def filter(self, case: Case) -> Result:
        graph = (f"{case.pads}vmaf_gpu=model=version={_MODEL}:feature=name=psnr:pair={case.pair}:backend=cpu:"
                 "log_fmt=json:precision=max:log_path=log.json")
        words = [self.ffmpeg, "-nostdin", "-hide_banner", "-loglevel", "level+info", "-i", case.main, "-i", case.ref,
                 "-lavfi", graph, "-f", "null", "-"]
        return _run(words, self.folder, self.log, r"\[[^\]]*vmaf_gpu[^\]]*\] \[warning\] ", self.ffmpeg)

    def tool_(self, case: Case, ffmpeg: str) -> Result:
        words = [self.tool, "-d", case.main, "-r", case.ref, "-m", f"version={_MODEL}", "--feature", "psnr", "--backend",
                 "cpu", "--pair", case.pair, "--json", "--precision", "max", "-o", str(self.log)]
        return _run(words, self.folder, self.log, r"vmaf_gpu: warning: ", ffmpeg)

    def batch(self, case: Case, ffmpeg: str, runner: str) -> Result:
        words = [sys.executable, "-m", "vmaf_gpu.batch", "score", case.main, case.ref, "--model", _MODEL, "--feature", "psnr",
                 "--devices", "cpu", "--jobs", "1", "--runner", runner, "--ffmpeg", ffmpeg, "--tool", self.tool, "-o",
                 str(self.log), "--format", "json", "--precision", "max", "--pair", case.pair]
        return _run(words, self.folder, self.log, r"vmaf-gpu: score: warning: ", ffmpeg)

    def python(self, case: Case, ffmpeg: str) -> Result:
        import vmaf_gpu  # pylint: disable=import-outside-toplevel
        said: List[str] = []
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
        logging.getLogger("vmaf_gpu").addHandler(handler)
        os.environ["VMAF_GPU_FFMPEG"] = ffmpeg
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = vmaf_gpu.score(case.ref, case.main, model=_MODEL, features="psnr", device="cpu", pair=case.pair)
            frames: Optional[List[Dict[str, float]]] = [dict(one.scores) for one in found.frames]
            text = ""
        except vmaf_gpu.Error as error:
            frames, text = None, str(error)
        finally:
            logging.getLogger("vmaf_gpu").removeHandler(handler)
        return Result(frames, sorted(one.partition(_HELP)[0] for one in said if _OF_INPUTS.match(one)), text)


def _wrong_refusal(result: Result, right: Result, case: Case, is_old: bool) -> str:
    if right.frames is not None:
        # A filter knows no files, so that it takes the tile of a picture that it is given, and says so.
        is_tile = case.is_of_others and _IN_PARTS in result.text and _ONE_TILE in right.text
        # Batch takes no videos of other counts, which the filter scores up to the end of one.
        is_longer = case.is_of_others and _COUNTS_REFUSED in result.text and _COUNTS.search(right.text)
        is_right = is_old and _REFUSED.search(result.text) or is_tile or is_longer
        return "" if is_right else f"refused: {result.text.strip()[-300:]}"
    sentence = re.search(r"(main is \d+x\d+ but|picture \d+x\d+ is smaller).*", right.text)
    is_same = case.is_of_others or sentence is not None and sentence[0].partition(_HELP)[0] in result.text
    return "" if is_same else f"refuses by {result.text.strip()[-300:]}, not {right.text.strip()[-300:]}"


def _difference(result: Result, right: Result, case: Case, is_old: bool) -> str:
    """"": as it has to be."""
    if result.frames is None:
        return _wrong_refusal(result, right, case, is_old)
    if right.frames is None:
        return f"{result.frames[0]['vmaf']} where the filter says {right.text.strip()[-200:]}"
    if [sorted(frame.items()) for frame in result.frames] != [sorted(frame.items()) for frame in right.frames]:
        return f"{len(result.frames)} pairs, {result.frames[0]}, not {len(right.frames)}, {right.frames[0]}"
    if result.warnings != right.warnings:
        return f"says {result.warnings}, not {right.warnings}"
    return ""


def _results(programs: Programs, case: Case, old: Optional[str]) -> Dict[str, Result]:
    results = {"tool": programs.tool_(case, programs.ffmpeg)}
    if programs.has_python:
        results["python"] = programs.python(case, programs.ffmpeg)
    if "%" not in case.main:  # a plan is of files, which it hashes
        results["batch-filter"] = programs.batch(case, programs.ffmpeg, "filter")
        if case.pair == "index":
            results["batch-tool"] = programs.batch(case, programs.ffmpeg, "tool")
    if old is not None:
        results["tool-old"] = programs.tool_(case, old)
        if programs.has_python:
            results["python-old"] = programs.python(case, old)
        if case.pair == "index" and "%" not in case.main:
            results["batch-old"] = programs.batch(case, old, "tool")
    return results


def _check(programs: Programs, case: Case, old: Optional[str]) -> List[str]:
    right = programs.filter(case)
    results = _results(programs, case, old)
    if case.is_unsaid and set(right.warnings) < set(results["tool"].warnings):
        right = right._replace(warnings=results["tool"].warnings)
    faults = {program: _difference(result, right, case, program.endswith("old")) for program, result in results.items()}
    score = "refused" if right.frames is None else f"{sum(f['vmaf'] for f in right.frames) / len(right.frames):.6f}"
    cells = [f"{program} {'WRONG' if faults[program] else 'refused' if result.frames is None else 'equal'}"
             for program, result in results.items()]
    print(f"{case.name}: filter {score}; {'; '.join(cells)}", flush=True)
    if case.is_of_others and right.frames is None:
        for program, result in {"filter": right, **results}.items():
            print(f"    {program}: {' / '.join(result.text.strip().splitlines()[-3:])}")
    return [f"{case.name}: {program}: {fault}" for program, fault in faults.items() if fault]


def _generated(maker: Maker, skipped: List[str], only: Optional[str]) -> Iterator[Case]:
    for pair in PAIRS:
        if only and not re.fullmatch(only, pair.name):
            continue
        main, ref = maker.make(pair.main, True), maker.make(pair.ref, False)
        if main is None or ref is None:
            skipped.append(pair.name)
            continue
        yield Case(pair.name, str(main), str(ref), f"[0:v:{pair.main.place}][1:v:{pair.ref.place}]", pair.pair, pair.is_unsaid)


def _pads(programs: Programs, main: str, ref: str) -> str:
    """The filter is given the streams that the tool takes; those of files that it refuses do not matter."""
    if programs.tool_(Case("", main, ref, "", "index"), programs.ffmpeg).frames is None:
        return "[0:v][1:v]"
    log = json.loads(programs.log.read_text())["vmaf_gpu"]
    numbers = [log.get(name, "v").partition(" ")[0] for name in ("main_stream", "reference_stream")]
    return f"[0:{numbers[0]}][1:{numbers[1]}]"


def _media(programs: Programs, options: argparse.Namespace) -> Iterator[Case]:
    kept = ["-map_metadata", "-1", "-fps_mode", "passthrough", "-an", "-sn", "-dn"]
    # Where x264 has no size or format like that, FFV1 has.
    ways = {"copy": [["-c", "copy"]], "encode": [["-c:v", "libx264", "-preset", "ultrafast", "-crf", "30"],
                                                 ["-vf", "gblur", "-c:v", "ffv1"]]}
    for path in sorted(path for path in options.media.rglob("*") if path.is_file()):
        name = str(path.relative_to(options.media))
        if options.only and not re.fullmatch(options.only, name):
            continue
        made = {"itself": path}
        for kind, tries in ways.items():
            other = programs.folder / f"{kind}.mkv"
            if any(subprocess.run([programs.ffmpeg, "-nostdin", "-v", "error", "-y", "-i", path, *kept, *words, other],
                                  capture_output=True, timeout=300).returncode == 0 for words in tries):
                made[kind] = other
        for kind, other in made.items():
            yield Case(f"{name}, {kind}", str(other), str(path), _pads(programs, str(other), str(path)), options.pair, True, True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("ffmpeg", type=os.path.abspath)
    parser.add_argument("tool", type=os.path.abspath)
    parser.add_argument("--old")
    parser.add_argument("--only")
    parser.add_argument("--least", type=int, default=60)
    parser.add_argument("--media", type=pathlib.Path)
    parser.add_argument("--pair", default="index")
    options = parser.parse_args()
    faults: List[str] = []
    skipped: List[str] = []
    count = 0
    with tempfile.TemporaryDirectory(prefix="programs-") as name:
        folder = pathlib.Path(name)
        programs = Programs(options, folder)
        maker = Maker([options.ffmpeg] + ([options.old] if options.old else []), folder)
        for case in _media(programs, options) if options.media else _generated(maker, skipped, options.only):
            count += 1
            faults += _check(programs, case, options.old)
    for fault in faults:
        print(fault)
    print(f"{count} pairs, {len(faults)} faults" + (f"; SKIPPED, no encoder: {' '.join(skipped)}" if skipped else ""))
    if not options.only and count < options.least:
        print(f"fewer than {options.least} pairs")
        return 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
