#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a change of src/engine/pairing does to the pairs of files of these tests, in seconds.

    replay.py sketches FFMPEG FOLDER       once, and after new rows: stores times and sketches of all files
    replay.py run FOLDER                   results of this checkout
    replay.py run FOLDER --sources CHECKOUT --sources OTHER
                                           results of both, and each pair of files where they differ
    replay.py guilty FOLDER [--sources CHECKOUT]...
                                           what is said of pairs that do not belong together (guilty.py)
    replay.py parts FOLDER PAIRS           the same and innocent ones by number, in parts of so many pairs

The sources of pairing of a checkout are compiled with replay.cpp, which shows them sketches in place of
pictures. The rows, and what is right, are those of pairing.py, difficult.py and innocent.py. Messages,
counts and the filter are not run: those programs remain the tests.
"""
import argparse
import collections
import contextlib
import hashlib
import io
import json
import os
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True

import content  # noqa: E402
import difficult  # noqa: E402
import files  # noqa: E402
import guilty  # noqa: E402
import innocent  # noqa: E402
import judge  # noqa: E402
import pairing  # noqa: E402
import reader  # noqa: E402
import run  # noqa: E402

HERE = Path(__file__).resolve().parent
RULES = {"auto": 0, "time": 1, "index": 2}  # as VmafGpuPairingRule
NEED_AN_ENGINE = {"pairing.cpp", "ledger.cpp", "messages.cpp"}
NO_TIME = -1 << 63
UNREADABLE = -1  # difficult content may hide the number of a picture
# What the tests read of their command lines.
SETTINGS = {"ffmpeg": "", "work": ".", "options": "", "jobs": 1, "quick": False, "clip": None, "row": "",
            "known": difficult.KNOWN_WRONG, "input_options": ""}


def compiled(checkout, folder):
    """The program that replays with the sources of this checkout."""
    engine = checkout.resolve() / "src/engine"
    program = folder / ("replay-" + hashlib.sha1(str(engine).encode()).hexdigest()[:8])
    sources = [path for path in sorted((engine / "pairing").glob("*.cpp")) if path.name not in NEED_AN_ENGINE]
    sources += [engine / "picture/sketch.cpp", engine / "base/format_number.cpp", HERE / "replay.cpp"]
    folder.mkdir(parents=True, exist_ok=True)
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-ffp-contract=off", "-I", engine,
               "-I", checkout / "include", *sources, "-o", program]
    if subprocess.run(command).returncode != 0:
        sys.exit(f"replay.cpp does not compile with the sources of {checkout}")
    return program


# ------------------------------------------------------- stored inputs: replay.cpp says what a file has

def place(folder, an_input):
    name = hashlib.sha1(f"{files.GENERATOR} {files.CODECS} {an_input!r}".encode()).hexdigest()[:16]
    return folder / f"{name}.sketches"


def write(path, decoded, sketches):
    base, rate = decoded.time_base, decoded.rate
    times = [NO_TIME if time is None else time for time in decoded.pts]
    values = [len(times), base.numerator, base.denominator, rate.numerator, rate.denominator, *times, *decoded.numbers]
    partial = path.with_suffix(".part")
    partial.write_bytes(struct.pack(f"<{len(values)}q", *values) + sketches)
    partial.rename(path)


def read(path):
    data = path.read_bytes()
    count, base, over, rate, rate_over = struct.unpack_from("<5q", data)
    values = struct.unpack_from(f"<{2 * count}q", data, 40)
    pts = tuple(None if time == NO_TIME else time for time in values[:count])
    return reader.Decoded(values[count:], pts, Fraction(base, over), Fraction(rate, rate_over))


def make_sketches(arguments):
    folder, inputs = arguments.folder, {}
    program = compiled(HERE.parents[1], folder)
    kitchen = files.Kitchen(Path(arguments.work).resolve())

    def note(_suite, _rule, rows):
        inputs.update(dict.fromkeys(i for row in rows for i in (row.main, row.reference)))
        return []

    def numbered(frame):
        try:
            return content.read_number(frame), frame[:content.LUMA_BYTES]
        except content.NumberError:
            return UNREADABLE, frame[:content.LUMA_BYTES]

    def make(an_input):
        decoded = reader.decode(arguments.ffmpeg, kitchen, an_input, numbered)
        numbers, luma = zip(*decoded.numbers)
        done = subprocess.run([program, "sketch", str(content.WIDTH), str(content.HEIGHT)], check=True,
                              input=b"".join(luma), stdout=subprocess.PIPE)
        write(place(folder, an_input), replace(decoded, numbers=numbers), done.stdout)

    with contextlib.redirect_stdout(io.StringIO()):  # the tests say that they have no results
        run_all(note, folder)
    wanted = [an_input for an_input in inputs if not place(folder, an_input).exists()]
    kitchen.check([an_input.file for an_input in wanted])
    with ThreadPoolExecutor(arguments.jobs) as executor:
        list(executor.map(make, wanted))
    print(f"{len(inputs)} inputs, {len(wanted)} of them new")


def replayed(program, words, paths):
    """What the program finds for each pair of stored inputs."""
    done = subprocess.run([program, *words], check=True, text=True, stdout=subprocess.PIPE,
                          input="".join(f"{main}\t{reference}\n" for main, reference in paths))
    return map(json.loads, done.stdout.splitlines())


# ------------------------------------------------------- the tests, with outcomes that are not the filter's

class Results:
    """What one checkout makes of the rows."""

    def __init__(self, checkout, folder):
        self.folder, self.program = folder, compiled(checkout, folder)
        self.found = {}  # name -> figures, list of pairs

    def outcomes(self, suite, rule, rows):
        rows = list(rows)
        paths = [(place(self.folder, row.main), place(self.folder, row.reference)) for row in rows]
        lacking = [row.key for row, pair in zip(rows, paths) if not all(path.exists() for path in pair)]
        if lacking:
            sys.exit(f"{len(lacking)} rows have no sketches, first '{lacking[0]}': run 'replay.py sketches'")
        for row, line in zip(rows, replayed(self.program, [str(RULES[rule])], paths)):
            lines = [(n, None if m < 0 else m) for n, m in line.pop("list")]
            self.found[" ".join((suite, f"[{rule}]", row.key, *row.main.before))] = line, lines
            said = f"the pictures of {line['elsewhere']} pairs agree with others, of {line['unrelated']} with none"
            yield row, run.Outcome(lines, line, [("", said)], {})


def run_matrix(outcomes, folder):
    matrix = pairing.Matrix(argparse.Namespace(**SETTINGS))
    for rule in RULES:
        for row, got in outcomes("matrix", rule, matrix.rows):
            for an_input in {row.main, row.reference} - matrix.decoded.keys():
                matrix.decoded[an_input] = read(place(folder, an_input))
                if UNREADABLE in matrix.decoded[an_input].numbers:
                    sys.exit(f"{row.key}: a picture does not tell its number")
            matrix.record(row, rule, got.lines)
    if matrix.verdicts:
        print(*matrix.table(), "not perfect with auto:", *matrix.imperfect(), sep="\n")


def run_all(outcomes, folder):
    """outcomes: gives (row, Outcome) for a suite, a rule and rows."""
    run_matrix(outcomes, folder)
    for suite, kind, rule in (("difficult", difficult.CounterTest, "auto"),
                              ("innocent", innocent.Innocent, "auto"), ("innocent", innocent.Innocent, "index")):
        test = kind(argparse.Namespace(**{**SETTINGS, "options": f":pair={rule}" if rule != "auto" else ""}))
        test.outcomes = lambda rows, suite=suite, rule=rule: outcomes(suite, rule, rows)
        print(f"\n{suite} [{rule}]")
        test.run()
        print(*(f"  fault: {fault}\n" for fault in test.faults), sep="", end="")


def print_differences(one, other):
    names = [name for name in one if one[name] != other[name]]
    print(f"\n{len(names)} of {len(one)} pairs of files differ")
    for name in names:
        (old, old_lines), (new, new_lines) = one[name], other[name]
        changes = [f"{key} {old[key]} -> {new[key]}" for key in old if old[key] != new[key]]
        text = judge.difference(new_lines, old_lines)
        print(f"  {name}: " + ", ".join(changes + ([text] if text else [])))


def replay(arguments):
    checkouts = arguments.sources or [HERE.parents[1]]
    all_results = [Results(checkout, arguments.folder) for checkout in checkouts]
    for checkout, results in zip(checkouts, all_results):
        print(f"== {checkout}")
        run_all(results.outcomes, arguments.folder)
    for results in all_results[1:]:
        print_differences(all_results[0].found, results.found)


def innocent_paths(folder):
    test = innocent.Innocent(argparse.Namespace(**{**SETTINGS, "options": ":pair=index"}))
    return [(place(folder, row.main), place(folder, row.reference)) for row in test.rows()]


def replay_parts(arguments):
    """Parts that are all short count if most of their pairs are at fault (part_merge.cpp)."""
    paths = innocent_paths(arguments.folder)
    rows = [("innocent", *pair) for pair in paths] + list(guilty.pairs(paths, arguments.folder / "guilty"))
    found = replayed(compiled(HERE.parents[1], arguments.folder), ["parts", str(arguments.pairs)], [row[1:] for row in rows])
    counts = collections.defaultdict(collections.Counter)
    for (kind, *_), line in zip(rows, found):
        counts[kind].update(pairs=1, any=line["told"] > 0, most=2 * line["told"] >= line["pairs"])
    print("kind | pairs of files | told by a part | by most pairs")
    for kind, count in counts.items():
        print(kind, "|", count["pairs"], "|", count["any"], "|", count["most"])


def replay_guilty(arguments):
    kinds, *inputs = zip(*guilty.pairs(innocent_paths(arguments.folder), arguments.folder / "guilty"))
    counts = {kind: collections.Counter() for kind in kinds}
    checkouts = arguments.sources or [HERE.parents[1]]
    for checkout in checkouts:
        for kind, found in zip(kinds, replayed(compiled(checkout, arguments.folder), [str(RULES["index"])], list(zip(*inputs)))):
            counts[kind][checkout] += found["elsewhere"] + found["unrelated"] > 0
    print("kind | pairs |", *(f"told: {checkout} |" for checkout in checkouts))
    for kind in counts:
        print(kind, "|", kinds.count(kind), "|", *(f"{counts[kind][checkout]} |" for checkout in checkouts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("sketches")
    command.set_defaults(function=make_sketches)
    command.add_argument("ffmpeg", help="decodes; it needs no filter vmaf_gpu")
    command.add_argument("folder", type=Path)
    command.add_argument("--work", default="build/pairing", help="where the files are kept")
    command.add_argument("--jobs", type=int, default=2)
    command = commands.add_parser("run")
    command.set_defaults(function=replay)
    command.add_argument("folder", type=Path)
    command.add_argument("--sources", type=Path, action="append", metavar="CHECKOUT")
    command = commands.add_parser("guilty")
    command.set_defaults(function=replay_guilty)
    command.add_argument("folder", type=Path)
    command.add_argument("--sources", type=Path, action="append", metavar="CHECKOUT")
    command = commands.add_parser("parts")
    command.set_defaults(function=replay_parts)
    command.add_argument("folder", type=Path)
    command.add_argument("pairs", type=int)
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    main()
