#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The matrix of file pairs: which main frame meets which reference frame, for each rule of `pair=`.

    pairing.py FFMPEG                      all 122 rows and the group "more", four rules
    pairing.py FFMPEG --quick              every third row, rules auto and time
    pairing.py FFMPEG --baseline           FFmpeg's framesync, seen through the filter overlay
    pairing.py FFMPEG --write FILE         store the pair lists
    pairing.py FFMPEG --compare FILE       they must equal the stored ones (of another FFmpeg)

The files are made by the system's ffmpeg and carry their number in each picture. What is expected
comes from these numbers and from the decoded times (judge.py, rules.py), never from the filter.
The exit status is 0 only if at least 111 of 122 lists of `auto` are perfect, each other one is
warned about, and every exact expectation holds. Difficult content: difficult.py; scores across
containers: containers.py.
"""
import argparse
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True

import cases  # noqa: E402
import files  # noqa: E402
import judge  # noqa: E402
import messages  # noqa: E402
import reader  # noqa: E402
import rules  # noqa: E402
import run  # noqa: E402

RULES = ("auto", "time", "index", "framesync")
LEAST_PERFECT = 111
QUICK_STEP = 3
MOST_SHOWN = 60  # faults


class Matrix:
    def __init__(self, arguments):
        self.ffmpeg = Path(arguments.ffmpeg).resolve()
        self.kitchen = files.Kitchen(Path(arguments.work).resolve())
        self.options = arguments.options
        self.jobs = arguments.jobs
        self.input_options = tuple(arguments.input_options.split())
        self.rows = [row for row in cases.all_rows() if re.search(arguments.row, row.key, re.I)]
        if arguments.quick:
            self.rows = self.rows[::QUICK_STEP]
        self.decoded = {}
        self.lists = {}  # rule -> row key -> list
        self.verdicts = {}  # rule -> row key -> Verdict
        self.faults = []

    def parallel(self, function, things):
        with ThreadPoolExecutor(self.jobs) as executor:
            return list(executor.map(function, things))

    def fault(self, row, rule, text):
        self.faults.append(f"{row.key} [{rule}]: {text}")

    def make_files(self):
        """Writes the files of all rows, so that later rows need no encoder."""
        recipes = list(dict.fromkeys(i.file for row in self.rows for i in (row.main, row.reference)))
        self.kitchen.check(recipes)
        self.parallel(self.kitchen.path, recipes)

    def decode_all(self):
        inputs = list(dict.fromkeys(i for row in self.rows for i in (row.main, row.reference)))
        found = self.parallel(lambda i: reader.decode(self.ffmpeg, self.kitchen, i), inputs)
        self.decoded = dict(zip(inputs, found))

    def numbers(self, row):
        return self.decoded[row.main].numbers, self.decoded[row.reference].numbers

    def record(self, row, rule, lines):
        self.lists.setdefault(rule, {})[row.key] = lines
        verdict = judge.judge(lines, *self.numbers(row))
        self.verdicts.setdefault(rule, {})[row.key] = verdict
        return verdict

    # ------------------------------------------------------------ baseline

    def run_baseline(self):
        def pairs(row):
            return reader.overlay_pairs(self.ffmpeg, self.kitchen, row, self.decoded[row.main],
                                        self.decoded[row.reference])

        for row, lines in zip(self.rows, self.parallel(pairs, self.rows)):
            self.record(row, "framesync", lines)
            self.check_by_times(row, "framesync", lines)

    # ------------------------------------------------------------ the filter

    def outcomes(self, options):
        """(row, Outcome or RunError) of all rows."""
        def outcome(row):
            try:
                return run.run(self.ffmpeg, self.kitchen, row, options + self.options,
                               self.input_options)
            except run.RunError as error:
                return error

        return zip(self.rows, self.parallel(outcome, self.rows))

    def run_strict(self):
        """strict=1 changes the exit status, and no pair."""
        for row, result in self.outcomes("pair=auto:strict=1"):
            if isinstance(result, run.RunError):
                self.fault(row, "strict", str(result))
                continue
            text = judge.difference(result.lines, self.lists["auto"][row.key])
            if text:
                self.fault(row, "strict", f"not the list without strict: {text}")
            counts = judge.counts(result.lines, *map(len, self.numbers(row)))
            if result.strict != judge.fails_strict(result.log, counts):
                self.fault(row, "strict", "failed" if result.strict else "did not fail")

    def run_rule(self, rule):
        for row, result in self.outcomes(f"pair={rule}"):
            if isinstance(result, run.RunError):
                self.fault(row, rule, str(result))
                self.record(row, rule, [])
            else:
                self.check(row, rule, result)

    def check(self, row, rule, result):
        main, reference = self.numbers(row)
        verdict = self.record(row, rule, result.lines)
        counts = judge.counts(result.lines, len(main), len(reference))
        if not result.log:
            self.fault(row, rule, "the log has no object pairing")
        for key, value in counts.items() if result.log else ():
            if result.log[key] != value:
                self.fault(row, rule, f"the log's {key} is {result.log[key]}, the trace says {value}")
        for text in judge.broken_identities(result.log or counts):
            self.fault(row, rule, text)
        if result.log:
            self.check_log(row, rule, result)
        self.check_messages(row, rule, counts, messages.keys(result.messages))
        self.check_causes(row, rule, verdict, messages.keys(result.messages))
        if rule == "auto":
            self.check_auto(row, result, counts, verdict)
        else:
            self.check_by_times(row, rule, result.lines)

    def check_log(self, row, rule, result):
        """What the log says beyond the counts."""
        log = result.log
        found = messages.keys(result.messages)
        wanted = {"rule": rule, "warnings": messages.warnings(result.messages)}
        is_aligned = (rule in ("auto", "time") and log["start"] == "together" and
                      abs(log["start_offset"]) > 0.001)
        if is_aligned != ("aligned" in found):
            self.fault(row, rule, f"start_offset is {log['start_offset']}, the messages say "
                                  f"{sorted(found)}")
        starts = {"by_pictures": "pictures_first", "undecided": "undecided"}
        for key, start in starts.items():
            if not found & messages.CAUSES and (key in found) != (log["start"] == start):
                self.fault(row, rule, f"start is {log['start']}, the messages say {sorted(found)}")
        for key, value in wanted.items():
            if log[key] != value:
                self.fault(row, rule, f"the log's {key} is {log[key]} instead of {value}")
        a, b = self.decoded[row.main], self.decoded[row.reference]
        if rule == "time":
            for key, value in (rules.distances(a, b, result.lines) or {}).items():
                if round(log[key] * 1e9) != value:
                    self.fault(row, rule, f"the log's {key} is {log[key]:.9f} s instead of {value} ns")

    def check_causes(self, row, rule, verdict, found):
        """Pictures accuse no pair that is right, and of many wrong pairs something is said."""
        for key in sorted(found & messages.CAUSES):
            if verdict.wrong + verdict.missed == 0:
                self.fault(row, rule, f"'{key}' is said, but all pairs are right")
        if (verdict.wrong > max(verdict.right, 24) and not found & set(messages.WARNINGS) and
                "still" not in row.key):
            self.fault(row, rule, f"{verdict.wrong} pairs are wrong, and nothing is said")

    def check_messages(self, row, rule, counts, found):
        a, b = self.decoded[row.main], self.decoded[row.reference]
        wanted = messages.implied(counts, rule, a.rate, b.rate)
        given = found & set(messages.WARNINGS)
        by_rule = {"auto": row.says, "time": given & {"undecided", "no_time", "backward"}}
        wanted |= by_rule.get(rule, given & {"no_time", "backward"})
        allowed = messages.CAUSES | messages.possible(counts)
        wanted |= given & (allowed | ({"not_by_number"} if messages.may_say_index(counts, rule) else set()))
        if "by_number" in given: # in place of corrections
            wanted = (wanted | {"by_number"}) - {"corrections"}
        if given & messages.CAUSES:
            wanted &= given
        for key in sorted(wanted - given):
            self.fault(row, rule, f"no warning '{key}'")
        for key in sorted(given - wanted):
            self.fault(row, rule, f"unexpected warning '{key}'")
        if "summary" not in found:
            self.fault(row, rule, "no summary of the pairs")
        if messages.says_rates(counts, a.rate, b.rate) != ("rates" in found):
            self.fault(row, rule, "information 'rates' lacks, or is not wanted")

    def check_auto(self, row, result, counts, verdict):
        if row.auto == "perfect":
            wanted = judge.expected(*self.numbers(row), row.lonely)
            for text in judge.deviations(result.lines, wanted)[:3]:
                self.fault(row, "auto", text)
        elif row.auto in rules.RULES:
            self.check_by_times(row, "auto", result.lines, row.auto)
        if row.wrong is not None and verdict.wrong > row.wrong:
            self.fault(row, "auto", f"{verdict.wrong} wrong pairs, at most {row.wrong} are known")
        for key, value in row.counts:
            if {**result.log, **counts}[key] != value:
                self.fault(row, "auto", f"{key} is {counts.get(key, result.log.get(key))}, not {value}")
        if not verdict.perfect and not messages.warnings(result.messages):
            self.fault(row, "auto", "the list is not perfect, and nothing is said")

    def check_by_times(self, row, rule, lines, model=None):
        a, b = self.decoded[row.main], self.decoded[row.reference]
        if rule == "framesync" and None in a.pts + b.pts:
            return  # FFmpeg's own business
        text = judge.difference(lines, rules.RULES[model or rule](a, b))
        if text:
            self.fault(row, rule, f"not the list of rule {model or rule}: {text}")

    # ------------------------------------------------------------ results

    def compare(self, stored):
        for rule, lists in self.lists.items():
            for row in self.rows:
                other = stored["rules"].get(rule, {}).get(row.key)
                if other is None:
                    self.fault(row, rule, "the stored lists lack it")
                    continue
                text = judge.difference(lists[row.key], [tuple(pair) for pair in other])
                if text:
                    self.fault(row, rule, f"not the stored list: {text}")

    def check_total(self):
        of_table = [row for row in self.rows if row.group != cases.MORE]
        verdicts = self.verdicts.get("auto")
        if verdicts and len(of_table) == cases.TOTAL:
            perfect = sum(verdicts[row.key].perfect for row in of_table)
            if perfect < LEAST_PERFECT:
                self.faults.append(f"auto: {perfect} perfect lists, fewer than {LEAST_PERFECT}")

    def table(self):
        done = [rule for rule in RULES if rule in self.verdicts]
        lines = ["| files (number) | " + " | ".join(done) + " |", "|---|" + "---|" * len(done)]
        for group in (*cases.GROUPS, cases.MORE):
            rows = [row for row in self.rows if row.group == group]
            if rows:
                cells = [str(self.sum(rule, rows, "perfect")) for rule in done]
                lines.append(f"| {group} ({len(rows)}) | " + " | ".join(cells) + " |")
        rows = [row for row in self.rows if row.group != cases.MORE]
        cells = [str(self.sum(rule, rows, "perfect")) for rule in done]
        lines.append(f"| **perfect of {len(rows)}** | " + " | ".join(cells) + " |")
        cells = [" / ".join(f"{self.sum(rule, rows, what):,}" for what in ("right", "wrong", "missed"))
                 for rule in done]
        return lines + ["| pairs right / wrong / partner missed | " + " | ".join(cells) + " |"]

    def sum(self, rule, rows, what):
        return sum(getattr(self.verdicts[rule][row.key], what) for row in rows)

    def imperfect(self):
        for row in self.rows:
            verdict = self.verdicts["auto"][row.key]
            if not verdict.perfect:
                yield (f"{row.key}: {verdict.right} right, {verdict.wrong} wrong, "
                       f"{verdict.missed} missed")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ffmpeg", help="the FFmpeg under test, with the filter vmaf_gpu")
    parser.add_argument("--rules", default=None, help="some of auto,time,index,framesync")
    parser.add_argument("--row", default="", help="only rows in whose names this expression is found")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--baseline", action="store_true")
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--compare", metavar="FILE")
    parser.add_argument("--work", default="build/pairing", help="where the files are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--options", default=":backend=cpu:n_subsample=1000",
                        help="options of the filter, each with ':' before it")
    parser.add_argument("--input-options", default="", metavar="OPTIONS",
                        help="for the filter's run, before each -i: '-hwaccel cuda ...'")
    parser.add_argument("--make-only", action="store_true", help="make the files, run nothing")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    matrix = Matrix(arguments)
    if not matrix.rows:
        sys.exit(f"no row's name contains '{arguments.row}'")
    matrix.make_files()
    if arguments.make_only:
        return
    matrix.decode_all()
    if arguments.baseline:
        matrix.run_baseline()
    else:
        default = "auto,time" if arguments.quick else ",".join(RULES)
        for rule in (arguments.rules or default).split(","):
            if rule not in RULES:
                sys.exit(f"no rule '{rule}'")
            matrix.run_rule(rule)
        if "auto" in matrix.lists:
            matrix.run_strict()
    matrix.check_total()
    if arguments.write:
        stored = {"ffmpeg": str(arguments.ffmpeg), "rules": matrix.lists}
        Path(arguments.write).write_text(json.dumps(stored, indent=0))
    if arguments.compare:
        matrix.compare(json.loads(Path(arguments.compare).read_text()))
    print("\n".join(matrix.table()))
    if "auto" in matrix.verdicts:
        print("\nnot perfect with auto:", *matrix.imperfect(), sep="\n  ")
    if matrix.faults:
        print(f"\n{len(matrix.faults)} faults:", *matrix.faults[:MOST_SHOWN], sep="\n  ")
    if len(matrix.faults) > MOST_SHOWN:
        print(f"  and {len(matrix.faults) - MOST_SHOWN} more")
    sys.exit(bool(matrix.faults))


if __name__ == "__main__":
    main()
