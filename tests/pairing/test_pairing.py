#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests of the pairing tests: doctored lists, logs and messages must be refused.

    test_pairing.py              the definition, the rules by time, the checks of a result
    test_pairing.py FFMPEG       and the reader: numbers of every codec, at the lowest quality too
"""
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True

import cases  # noqa: E402
import content  # noqa: E402
import files  # noqa: E402
import judge  # noqa: E402
import messages  # noqa: E402
import pairing  # noqa: E402
import reader  # noqa: E402
import rules  # noqa: E402
import run  # noqa: E402

FFMPEG = None
TEN = tuple(range(10))


def by_number(count=10):
    return [(n, n) for n in range(count)]


def decoded(numbers, pts, base="1/25", rate=25):
    return reader.Decoded(tuple(numbers), tuple(pts), Fraction(base), Fraction(rate))


class Definition(unittest.TestCase):
    def deviations(self, lines, main=TEN, reference=TEN, lonely="unpaired"):
        return judge.deviations(lines, judge.expected(main, reference, lonely))

    def test_right_list(self):
        self.assertEqual(judge.judge(by_number(), TEN, TEN), judge.Verdict(True, 10, 0, 0))
        self.assertEqual(self.deviations(by_number()), [])

    def test_one_wrong_pair(self):
        lines = by_number()
        lines[4] = (4, 3)
        self.assertEqual(judge.judge(lines, TEN, TEN), judge.Verdict(False, 9, 1, 0))
        self.assertEqual(len(self.deviations(lines)), 1)

    def test_partner_missed(self):
        lines = by_number()
        lines[9] = (9, None)
        self.assertEqual(judge.judge(lines, TEN, TEN), judge.Verdict(False, 9, 0, 1))
        self.assertEqual(len(self.deviations(lines)), 1)

    def test_line_missing(self):
        verdict = judge.judge(by_number(9), TEN, TEN)
        self.assertEqual((verdict.perfect, verdict.missed), (False, 1))
        self.assertEqual(len(self.deviations(by_number(9))), 1)

    def test_shifted_by_one(self):
        lines = [(n, max(0, n - 1)) for n in TEN]
        self.assertEqual(judge.judge(lines, TEN, TEN), judge.Verdict(False, 1, 9, 0))

    def test_last_frame_repeated_at_the_end(self):
        lines = by_number(9) + [(8, 9)]
        verdict = judge.judge(lines, TEN[:9], TEN)
        self.assertFalse(verdict.perfect)
        self.assertEqual(verdict.wrong, 1)
        self.assertEqual(len(self.deviations(lines, main=TEN[:9])), 1)

    def test_frame_without_partner_must_stay_alone(self):
        main = TEN + (10, 11)
        alone = by_number() + [(10, None), (11, None)]
        self.assertEqual(self.deviations(alone, main=main), [])
        repeated = by_number() + [(10, 9), (11, 9)]
        self.assertEqual(len(self.deviations(repeated, main=main)), 2)
        self.assertEqual(judge.judge(repeated, main, TEN), judge.Verdict(True, 10, 2, 0))

    def test_held_frame(self):
        reference = (0, 1, 2, 6, 7)
        lines = [(0, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4)]
        self.assertEqual(self.deviations(lines, range(8), reference, "held"), [])
        self.assertEqual(len(self.deviations(lines, range(8), reference)), 3)
        lines[3] = (3, 1)
        self.assertEqual(len(self.deviations(lines, range(8), reference, "held")), 2)

    def test_copies_may_meet_any_but_the_first_may_not(self):
        main = (0, 1, 2, 2, 2, 5)
        lines = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]
        self.assertEqual(judge.judge(lines, main, TEN[:6]), judge.Verdict(True, 4, 0, 0))
        lines[2] = (2, 3)
        self.assertEqual(judge.judge(lines, main, TEN[:6]), judge.Verdict(False, 3, 1, 0))

    def test_going_back(self):
        main = (0, 1, 2, 2, 2, 5)
        lines = [(0, 0), (1, 1), (2, 2), (3, 4), (4, 3), (5, 5)]
        self.assertEqual(len(self.deviations(lines, main, TEN[:6])), 1)

    def test_copy_without_partner(self):
        self.assertEqual(len(self.deviations([(0, 0), (1, None)], (0, 0), TEN)), 1)

    def test_other_order_of_main(self):
        lines = by_number()
        lines[3], lines[4] = lines[4], lines[3]
        self.assertEqual(len(self.deviations(lines)), 1)

    def test_difference(self):
        self.assertIsNone(judge.difference(by_number(), by_number()))
        self.assertIn("line 9", judge.difference(by_number(9), by_number()))
        self.assertIn("line 2", judge.difference(by_number(), [(0, 0), (1, 1), (2, 3)]))


class Counts(unittest.TestCase):
    def test_parts(self):
        lines = [(0, None), (1, 2), (2, 3), (3, None), (4, 5), (5, 5), (6, None), (7, None)]
        counts = judge.counts(lines, 8, 10)
        self.assertEqual(counts, {
            "main_frames": 8, "reference_frames": 10, "pairs": 4, "repeated_main": 0,
            "repeated_reference": 1, "by_number": 1, "unpaired_main.begin": 1,
            "unpaired_main.middle": 1, "unpaired_main.end": 2, "unpaired_reference.begin": 2,
            "unpaired_reference.middle": 1, "unpaired_reference.end": 4})
        self.assertEqual(judge.broken_identities(counts), [])

    def test_broken_identities(self):
        counts = judge.counts(by_number(), 10, 10)
        for key in ("pairs", "unpaired_main.end", "unpaired_reference.middle", "repeated_reference"):
            self.assertTrue(judge.broken_identities({**counts, key: counts[key] + 1}), key)


    def test_strict(self):
        fine = {"start": "together"} | {f"{kind}.{side}": 0 for kind in ("without_time", "backward_time")
                                        for side in ("main", "reference")}
        counts = judge.counts(by_number(), 10, 10)
        self.assertFalse(judge.fails_strict(fine, counts))
        for key in ("without_time.main", "backward_time.reference"):
            self.assertTrue(judge.fails_strict({**fine, key: 1}, counts))
        self.assertTrue(judge.fails_strict({**fine, "start": "undecided"}, counts))
        for lines, frames in ((by_number(), 11), (by_number() + [(10, 9)], 10), (by_number(9), 10)):
            self.assertTrue(judge.fails_strict(fine, judge.counts(lines, len(lines), frames)))


class ByTime(unittest.TestCase):
    """Lists written by hand."""

    def test_framesync_rounds_down(self):
        main = decoded(range(4), (0, 42, 83, 125), "1/1000", 24)
        reference = decoded(range(4), range(4), "1/24", 24)
        self.assertEqual(rules.framesync(main, reference), [(0, 0), (1, 1), (2, 1), (3, 3)])
        self.assertEqual(rules.framesync(reference, main), [(0, 0), (1, 0), (2, 2), (3, 3)])

    def test_framesync_at_the_ends(self):
        main, reference = decoded(range(3), (0, 1, 2)), decoded(range(3), (1, 2, 3))
        self.assertEqual(rules.framesync(main, reference), [(0, None), (1, 0), (2, 1), (2, 2)])

    def test_time_aligns_the_beginning(self):
        main, reference = decoded(range(3), (3, 13, 23), "1/250"), decoded(range(3), (0, 1, 2))
        self.assertEqual(rules.time(main, reference), by_number(3))
        later = decoded(range(3), (21, 31, 41), "1/250")
        self.assertEqual(rules.time(later, reference), [(0, 2), (1, None), (2, None)])

    def test_time_holds_and_drops(self):
        main, reference = decoded(range(7), range(7), "1/50", 50), decoded(range(3), (0, 1, 2))
        self.assertEqual(rules.time(main, reference),
                         [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, None)])
        self.assertEqual(rules.time(reference, main), [(0, 0), (1, 2), (2, 4)])

    def test_index(self):
        main, reference = decoded(range(3), (0, 9, 27)), decoded(range(2), (5, 6))
        self.assertEqual(rules.index(main, reference), [(0, 0), (1, 1), (2, None)])


class Results(unittest.TestCase):
    """A doctored result of the filter must leave a fault in the matrix."""

    def setUp(self):
        main = decoded(TEN + (10,), range(11))
        self.row = cases.row("more", "doctored", cases.Input("main"), cases.Input("reference"),
                             counts={"pairs": 10, "unpaired_main.end": 1})
        self.lines = by_number() + [(10, None)]
        arguments = SimpleNamespace(ffmpeg="ffmpeg", work=".", options="", jobs=1, row="", quick=False,
                                    input_options="")
        self.matrix = pairing.Matrix(arguments)
        self.matrix.decoded = {self.row.main: main, self.row.reference: decoded(TEN, TEN)}
        self.said = [("info", "10 pairs of 11 main and 10 reference frames, 0 repeated, 1 unpaired"),
                     ("warning", "reference ends 1 frame (0.040 s) before main: that frame is not")]

    def faults(self, lines=None, said=None, rule="auto", log=None):
        lines = self.lines if lines is None else lines
        counts = {**judge.counts(self.lines, 11, 10), "corrections": 0, "rule": rule, "warnings": 1,
                  "start": "together", "start_offset": 0, "shift": 0, "distance_median": 0,
                  "distance_largest": 0, **(log or {})}
        self.matrix.check(self.row, rule, run.Outcome(lines, counts, said or self.said, None))
        return self.matrix.faults

    def test_right_result(self):
        for rule in ("auto", "time", "index"):
            self.assertEqual(self.faults(rule=rule), [])
        late = decoded(TEN, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9.25))
        self.assertEqual(rules.distances(decoded(TEN, TEN), late, by_number()), {
            "start_offset": 0, "shift": 0, "distance_median": 0, "distance_largest": 10000000})

    def test_wrong_pair(self):
        lines = list(self.lines)
        lines[5] = (5, 4)
        self.assertTrue(any("main 5 meets 4" in text for text in self.faults(lines)))

    def test_wrong_pair_of_a_rule_by_time(self):
        lines = list(self.lines)
        lines[5] = (5, 4)
        self.assertTrue(any("not the list of rule time" in t for t in self.faults(lines, rule="time")))

    def test_wrong_count_in_the_log(self):
        for key in ("pairs", "by_number", "unpaired_reference.middle"):
            self.matrix.faults = []
            self.assertTrue(any(f"the log's {key}" in t for t in self.faults(log={key: 7})), key)

    def test_wrong_rule_and_times_in_the_log(self):
        for key, value in (("rule", "index"), ("warnings", 2), ("start", "undecided"),
                           ("start_offset", 1e-9), ("start_offset", 0.002),
                           ("distance_median", 2e-9),
                           ("distance_largest", 0.01)):
            self.matrix.faults = []
            self.assertTrue(self.faults(rule="time", log={key: value}), key)

    def test_warning_lacks(self):
        self.assertTrue(any("no warning 'reference_ends'" in t for t in self.faults(said=self.said[:1])))

    def test_warning_too_many(self):
        said = self.said + [("warning", "3 pairs reuse a reference frame")]
        self.assertTrue(any("unexpected" in t for t in self.faults(said=said)))

    def test_warning_that_is_not_recognized(self):
        said = self.said + [("warning", "the pairs are odd")]
        self.assertTrue(any("warnings is 2" in t for t in self.faults(said=said, log={"warnings": 2})))

    def test_warning_about_something_else(self):
        self.assertEqual(self.faults(said=self.said + [("warning", "main is 8 bit")]), [])

    def test_information_too_many(self):
        for text in ("main has 24.000 and reference 25.000 frames per second: 3 reference frames are "
                     "not compared", "main begins 0.010 s after reference: aligned"):
            self.matrix.faults = []
            self.assertTrue(self.faults(said=self.said + [("info", text)]), text)

    def test_no_summary(self):
        self.assertTrue(any("summary" in t for t in self.faults(said=self.said[1:])))

    def test_empty_trace(self):
        self.assertTrue(any("0 lines" in t for t in self.faults(lines=[])))

    def test_not_perfect_and_nothing_said(self):
        self.row = cases.row("more", "limit", self.row.main, self.row.reference, auto="most")
        self.matrix.decoded[self.row.main] = decoded(TEN, TEN)
        lines = [(n, n) for n in range(9)] + [(9, None)]
        self.lines = lines
        self.assertTrue(any("nothing is said" in t for t in self.faults(lines, said=self.said[:1])))

    def test_stored_lists(self):
        self.faults()
        stored = {"rules": {"auto": {self.row.key: [list(pair) for pair in self.lines]}}}
        self.matrix.rows = [self.row]
        self.matrix.compare(stored)
        self.assertEqual(self.matrix.faults, [])
        stored["rules"]["auto"][self.row.key][3][1] = 2
        self.matrix.compare(stored)
        self.assertEqual(len(self.matrix.faults), 1)
        self.matrix.compare({"rules": {}})
        self.assertEqual(len(self.matrix.faults), 2)

    def test_too_few_perfect(self):
        self.matrix.rows = cases.all_rows()
        verdict = judge.Verdict(False, 0, 1, 0)
        right = judge.Verdict(True, 1, 0, 0)
        rows = [row for row in self.matrix.rows if row.group != cases.MORE]
        self.matrix.verdicts["auto"] = {row.key: verdict for row in rows[110:]}
        self.matrix.verdicts["auto"] |= {row.key: right for row in rows[:110]}
        self.matrix.check_total()
        self.assertEqual(len(self.matrix.faults), 1)


class Messages(unittest.TestCase):
    def test_every_count_has_its_message(self):
        counts = judge.counts([(0, None), (1, 1), (2, None), (3, 3), (4, 3), (5, None)], 6, 6)
        self.assertEqual(messages.implied(counts, "time", 25, 25), {
            "main_begins", "main_middle", "reference_begins", "reference_middle", "repeated_reference"})
        self.assertEqual(messages.possible(counts), {"main_ends", "reference_ends"})
        self.assertTrue(messages.may_say_index(counts, "time"))
        self.assertFalse(messages.may_say_index(counts, "framesync"))
        self.assertNotIn("reference_middle", messages.implied(counts, "time", 24, 25))
        self.assertIn("reference_middle", messages.implied(counts, "time", 0, 25))

    def test_trace(self):
        text = "[Parsed_vmaf_gpu_0 @ 0x5] [debug] pair: main 3 reference 12 kind 1\n[x] pair: main 4 reference -1 kind 2\n"
        self.assertEqual(run.trace(text), [(3, 12), (4, None)])

    def test_log_without_a_count(self):
        with self.assertRaises(run.RunError):
            run.flatten({"pairs": 3, "unpaired_main": {"begin": 0, "middle": 0}})


class Numbers(unittest.TestCase):
    def test_every_bit(self):
        for number in [1 << bit for bit in range(14)] + [0, content.MAX_NUMBER - 1]:
            self.assertEqual(content.read_number(content.picture("still", number)), number)

    def test_luma_does_not_know_the_number(self):
        luma = content.picture("still", 5)[:content.LUMA_BYTES]
        self.assertEqual(luma, content.picture("still", 1234)[:content.LUMA_BYTES])

    def test_doubtful_block(self):
        grey = content.picture("still", 5)[:content.LUMA_BYTES] + bytes([128]) * 2 * content.CHROMA_BYTES
        with self.assertRaises(content.NumberError):
            content.read_number(grey)
        with self.assertRaises(content.NumberError):
            content.read_number(grey[:-1])

    def test_a_time_lacks(self):
        log = ("config in time_base: 1/25, frame_rate: 25/1\n"
               "[s] n:   0 pts:      0 pts_time:0\n[s] n:   2 pts:      2 pts_time:0.08\n")
        with self.assertRaises(reader.ReadError):
            reader.from_log([0, 1], log, ["ffmpeg"])

    def test_frame_without_time(self):
        self.assertEqual(decoded(range(4), (0, None, 1, 5)).times,
                         [0, Fraction(1, 25), Fraction(2, 25), Fraction(5, 25)])


class Reader(unittest.TestCase):
    """Needs the FFmpeg under test and the system's encoders."""

    def setUp(self):
        if not FFMPEG:
            self.skipTest("no FFMPEG was named: the reader is tested by scripts/test.sh pairing")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kitchen = files.Kitchen(Path(folder.name))

    def read(self, clip, vf=""):
        return reader.decode(FFMPEG, self.kitchen, cases.Input(clip, vf=vf)).numbers

    def test_every_codec_at_its_lowest_quality(self):
        numbers = (*range(8), 1000, 1001, 1002, 16383, 5, 5, 5, 4)
        for codec, ext in (("h264", "mp4"), ("hevc", "mkv"), ("vp8", "webm"), ("vp9", "webm"),
                           ("av1", "mkv"), ("mpeg2", "ts"), ("mpeg4", "avi"), ("mjpeg", "mov"),
                           ("prores", "mov"), ("ffv1", "nut")):
            for kind in ("pan", "still"):
                with self.subTest(codec=codec, kind=kind):
                    # x265 drops the chroma planes altogether above that.
                    quality = 46 if codec == "hevc" else 51
                    clip = files.clip(ext, codec, "25", numbers=numbers, kind=kind, quality=quality)
                    self.assertEqual(self.read(clip), numbers)

    def test_a_filter_before_it(self):
        clip = files.clip("mp4", frames=12)
        self.assertEqual(self.read(clip, "select='gte(n,5)'"), tuple(range(5, 12)))

    def test_no_file(self):
        with self.assertRaises(files.GeneratorError):
            self.read(files.clip("mp4", frames=2, vf="nofilter"))

    def test_grey_pictures(self):
        with self.assertRaises(reader.ReadError):
            self.read(files.clip("mp4", frames=2), "format=gray,format=yuv420p")


if __name__ == "__main__":
    words = sys.argv[1:]
    if words and not words[0].startswith("-"):
        FFMPEG = str(Path(words.pop(0)).resolve())
    program = unittest.main(argv=[sys.argv[0], *words], exit=False)
    if program.result.testsRun == 0:
        sys.exit("no test was selected")
    sys.exit(0 if program.result.wasSuccessful() else 1)
