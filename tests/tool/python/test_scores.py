# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Every double of the package equals that of the command-line tool: formats, models, features,
subsampling, chunks, logs, files by ffmpeg."""
import errno
import io
import itertools
import json
import pathlib
import re
import os
import shutil
import subprocess
import sys
import unittest
import unittest.mock
import warnings
from ctypes import byref
from fractions import Fraction

import numpy as np
import vmaf_gpu
from vmaf_gpu import _native
from vmaf_gpu._progress import Meter

import clips

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import runs  # noqa: E402


def moving(count):
    """Pictures of 51x38 that differ enough to be judged."""
    squares = np.kron(np.random.default_rng(1).integers(20, 235, (8, 12 + count // 2)), np.ones((5, 5))).astype(np.uint8)
    gray = np.full((2, 19, 26), 128, np.uint8)
    return [(squares[:38, 2 * n:2 * n + 51], *gray) for n in range(count)]


def upside_down(frames):
    return [tuple(plane[::-1] for plane in frame) for frame in frames]


def push_all(scorer, reference, distorted):
    results = []
    for first, second in zip(reference, distorted):
        scorer.push(first, second)
        results += scorer.results()
    return results + scorer.flush()


class Formats(clips.ScoreCase):
    def test_depths_and_chroma(self):
        for chroma, depth in itertools.product(("400", "420", "422", "444"), (8, 10, 12, 16)):
            with self.subTest(chroma=chroma, depth=depth):
                reference, distorted = clips.make(chroma=chroma, depth=depth)
                feature = "psnr" if chroma != "400" else "float_ssim"
                log = clips.tool(clips.write(reference, "r.y4m", chroma, depth),
                                 clips.write(distorted, "d.y4m", chroma, depth), "--feature", feature, "--formats", "asis")
                with vmaf_gpu.Scorer(51, 38, depth=depth, chroma=chroma, features=feature,
                                     device="cpu") as scorer:
                    self.assert_same_frames(push_all(scorer, reference, distorted), log)
                    self.assert_same_pooled(scorer.pool_all(), log)

    def test_different_depths(self):
        reference, distorted = clips.make(depth=10)[0], clips.make(depth=8)[1]
        log = clips.tool(clips.write(reference, "r.y4m", depth=10), clips.write(distorted, "d.y4m"), "--formats",
                         "asis")
        with vmaf_gpu.Scorer(51, 38, depth=(10, 8), device="cpu") as scorer:
            self.assert_same_frames(push_all(scorer, reference, distorted), log)

    def test_nv12_and_p010(self):
        for depth, flat in itertools.product((8, 10, 12), (False, True)):
            with self.subTest(depth=depth, flat=flat):
                shift = 0 if depth == 8 else 16 - depth
                both = clips.make(depth=depth, width=52)
                log = clips.tool(clips.write(both[0], "r.y4m", depth=depth),
                                 clips.write(both[1], "d.y4m", depth=depth), "--feature", "psnr")
                packed = []
                for frames in both:
                    packed.append([])
                    for y, u, v in frames:
                        uv = np.stack([u, v], axis=2) << shift
                        packed[-1].append((y << shift, uv.reshape(uv.shape[0], -1) if flat else uv))
                with vmaf_gpu.Scorer(52, 38, depth=depth, shift=shift, features="psnr",
                                     device="cpu") as scorer:
                    self.assert_same_frames(push_all(scorer, *packed), log)

    def test_strides(self):
        """Rows may have any distance and order; samples may be apart, unaligned, read-only."""
        reference, distorted = clips.make(depth=10)
        log = clips.tool(clips.write(reference, "r.y4m", depth=10),
                         clips.write(distorted, "d.y4m", depth=10), "--feature", "psnr")

        def wide(plane):
            memory = np.full((plane.shape[0] * 2, plane.shape[1] * 3 + 5), 77, plane.dtype)
            part = memory[1::2, 2:2 + 3 * plane.shape[1]:3]
            part[:] = plane
            return part

        def upside_down(plane):
            return np.ascontiguousarray(plane[::-1])[::-1]

        def unaligned(plane):
            memory = np.zeros(plane.nbytes + 1, np.uint8)
            part = memory[1:].view(plane.dtype).reshape(plane.shape)
            part[:] = plane
            return part

        def read_only(plane):
            copy = plane.copy()
            copy.flags.writeable = False
            return copy

        for change in wide, upside_down, unaligned, read_only:
            with self.subTest(change.__name__):
                frames = [[tuple(change(plane) for plane in frame) for frame in side]
                          for side in (reference, distorted)]
                with vmaf_gpu.Scorer(51, 38, depth=10, features="psnr", device="cpu") as scorer:
                    self.assert_same_frames(push_all(scorer, *frames), log)

    def test_memoryview_and_luma_alone(self):
        reference, distorted = clips.make()
        log = clips.tool(clips.write(reference, "r.y4m"), clips.write(distorted, "d.y4m"))
        frames = [[memoryview(frame[0].tobytes()).cast("B", frame[0].shape) for frame in side]
                  for side in (reference, distorted)]
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            self.assert_same_frames(push_all(scorer, *frames), log)

    def test_devices(self):
        reference, distorted = clips.make(count=3)
        log = clips.tool(clips.write(reference, "r.y4m"), clips.write(distorted, "d.y4m"), "--feature",
                         "psnr")
        known = {device.selector for device in vmaf_gpu.devices()}
        self.assertIn("cpu", known)
        for device in sorted(known):
            with self.subTest(device), vmaf_gpu.Scorer(51, 38, features="psnr", device=device) as scorer:
                self.assert_same_frames(push_all(scorer, reference, distorted), log)


class Settings(clips.ScoreCase):
    @classmethod
    def setUpClass(cls):
        # CAMBI of the v1 models needs this size.
        cls.frames = clips.make(width=240, height=216, count=9)
        cls.files = [clips.write(side, name) for side, name in zip(cls.frames, ("sr.y4m", "sd.y4m"))]

    def compare(self, settings, *words):
        log = clips.tool(*self.files, *words)
        found = vmaf_gpu.score(*self.frames, device="cpu", **settings)
        self.assert_same_frames(found.frames, log)
        self.assert_same_pooled(found.pooled, log)
        for name, value in log["aggregate_metrics"].items():
            self.assertEqual(found.aggregates[name], float(value), name)
        return found

    def test_models(self):
        self.compare({"model": ["vmaf_v0.6.1", "vmaf_v0.6.1neg"]}, "--model", "version=vmaf_v0.6.1",
                     "--model", "version=vmaf_v0.6.1neg")
        self.compare({"model": vmaf_gpu.Model("vmaf_v0.6.1", "clip", {"disable_clip": True})}, "--model",
                     "version=vmaf_v0.6.1:name=clip:disable_clip")
        self.compare({"model": vmaf_gpu.Model("vmaf_v0.6.1",
                                              options={"adm.adm_enhn_gain_limit": 1.2})},
                     "--model", "version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=1.2")

    def test_bootstrap(self):
        found = self.compare({"model": "vmaf_b_v0.6.3"}, "--model", "version=vmaf_b_v0.6.3")
        self.assertIn("vmaf_ci_p95_lo", found.names)
        self.assertEqual(found.score, found.pooled["vmaf"]["mean"])

    def test_features(self):
        found = self.compare({"model": None, "features": ["psnr=enable_apsnr=true", "ciede"]}, "-n",
                             "--feature", "psnr=enable_apsnr=true", "--feature", "ciede")
        self.assertIn("apsnr_y", found.aggregates)
        self.compare({"model": None, "features": [("psnr", {"enable_apsnr": True})]}, "-n", "--feature",
                     "psnr=enable_apsnr=true")
        with self.assertRaises(AttributeError):
            found.score  # noqa: B018 the property raises

    def test_colours(self):
        """ssimulacra2 reads them: of files their tags, of arrays what the caller tells."""
        scores = []
        for tag in "LIMITED", "FULL":
            files = []
            for name, frames in zip("rd", clips.make(width=52)):
                files.append(clips.write(frames, f"{name}.y4m"))
                with open(files[-1], "r+b") as file:
                    head, samples = file.read().split(b"\n", 1)
                    file.seek(0)
                    file.write(head + b" XCOLORRANGE=" + tag.encode() + b"\n" + samples)
            log = clips.tool(*files, "-n", "--feature", "ssimulacra2")
            found = vmaf_gpu.score(*files, model=None, features="ssimulacra2", device="cpu")
            self.assert_same_frames(found.frames, log)
            scores.append(found.frames[0].scores["ssimulacra2"])
        self.assertNotEqual(*scores)
        with vmaf_gpu.Scorer(52, 38, model=None, features="ssimulacra2", device="cpu") as scorer:
            scorer.set_inputs("range=pc", "range=pc", True)
            self.assertEqual(push_all(scorer, *clips.make(width=52))[0].scores["ssimulacra2"], scores[1])
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "the range of main changes from pc to tv"):
                scorer.set_inputs("", "", True)
        for tags in {"matrix": "bt2020"}, {}:
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "made for SDR"):
                scorer = vmaf_gpu.Scorer(52, 38, model=None, features="ssimulacra2", device="cpu", **tags)
                scorer.set_inputs("transfer=smpte2084", "", True)

    def test_subsample_and_compat(self):
        self.compare({"subsample": 4}, "--subsample", "4")
        self.compare({"subsample": 3, "ring_depth": 1, "threads": 1}, "--subsample", "3")
        for model in "vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_3d0h":
            self.compare({"model": model}, "--model", f"version={model}")

    def test_chunks(self):
        for size, subsample, model in (4, 1, "vmaf_v0.6.1"), (1, 1, "vmaf_v1.0.16_hfr_3d0h"), \
                (2, 3, "vmaf_v0.6.1"):
            with self.subTest(size=size, model=model):
                parts = []
                for begin in range(0, 9, size):
                    parts.append(clips.FOLDER / f"{begin}.part")
                    end = begin + size if begin + size < 9 else None
                    with vmaf_gpu.Scorer(240, 216, model=model, subsample=subsample, features="psnr",
                                         device="cpu", chunk=(begin, end)) as scorer:
                        for n in range(scorer.first_pair, min(9, scorer.last_pair or 9)):
                            scorer.push(self.frames[0][n], self.frames[1][n])
                        scorer.flush()
                        scorer.log(parts[-1], "part", times=range(9), time_base=(1, 25))
                merged = clips.FOLDER / "merged.json"
                found = vmaf_gpu.merge(reversed(parts), merged, precision=0)
                self.assertGreater(found.compared, 0)
                words = ["--model", f"version={model}", "--subsample", subsample, "--feature", "psnr"]
                log = clips.tool(*self.files, *map(str, words))
                mine = json.loads(merged.read_text())
                self.assertEqual(mine["frames"], log["frames"])
                self.assertEqual(mine["pooled_metrics"], log["pooled_metrics"])
                self.assertEqual(found.means["vmaf"], float(log["pooled_metrics"]["vmaf"]["mean"]))
        with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "missing"):
            vmaf_gpu.merge(parts[:1] + parts[2:])
        text = parts[1].read_text()
        parts[1].write_text(re.sub(r"(\[3, [^\[]*\[0\.\d)(\d)",
                                   lambda m: m[1] + str((int(m[2]) + 1) % 10), text))
        self.assertNotEqual(parts[1].read_text(), text)
        with self.assertRaisesRegex(vmaf_gpu.MismatchError, "disagree"):
            vmaf_gpu.merge(parts)

    def test_only_pairs_of_the_chunk_are_returned(self):
        """The neighbours that it reads are not final."""
        whole = vmaf_gpu.score(*self.files, device="cpu").frames
        for begin, end in (3, 5), (4, None):
            part = vmaf_gpu.score(*self.files, device="cpu", chunk=(begin, end)).frames
            self.assertEqual([(pair.frame, pair.scores) for pair in part],
                             [(pair.frame, pair.scores) for pair in whole[begin:end]])

    def test_wrong_types_are_named(self):
        for words, said in (({"model": 5}, "model is 5"), ({"model": ["a", 5]}, "'a', 5"), ({"device": None}, "device is None"),
                            ({"features": [("psnr",)]}, r"features has \('psnr',\)"), ({"features": [5]}, "features has 5")):
            with self.subTest(**words), self.assertRaisesRegex(TypeError, said):
                vmaf_gpu.score(*self.frames, **{"device": "cpu", **words})
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            for words in {"title": 5}, {"warnings": [5]}:
                with self.subTest(**words), self.assertRaises(TypeError):
                    scorer.log(clips.FOLDER / "no.json", **words)
        for features in {"psnr": {"enable_apsnr": True}}, [("psnr", {"enable_apsnr": True})]:
            found = vmaf_gpu.score(*self.frames, device="cpu", features=features)
            self.assertIn("apsnr_y", found.aggregates)

    def test_none_is_no_frame(self):
        reference, distorted = self.frames
        for at in 0, 2:
            for pair in None, "index":
                with self.subTest(at=at, pair=pair), self.assertRaises(TypeError):
                    vmaf_gpu.score(*([*side[:at], None, *side[at:]] for side in (reference, distorted)), device="cpu", pair=pair)

    def test_logs(self):
        """The bytes of the tool's log, but for the rate."""
        for form in "csv", "csv_strict", "xml", "json", "sub":
            log = clips.FOLDER / f"mine.{form}"
            vmaf_gpu.score(*self.files, device="cpu", log=log, log_fmt=form, precision=0)
            words = ["csv=strict"] if form == "csv_strict" else [form]
            theirs = clips.tool(*self.files, "--pair", "auto", form=words[0]) if form != "json" else \
                (clips.tool(*self.files, "--pair", "auto"), (clips.FOLDER / "tool.log").read_text())[1]
            rate = r'fps="[^"]*"|"fps": [^,]*,'
            self.assertEqual(re.sub(rate, "", log.read_text()), re.sub(rate, "", theirs), form)
            named = clips.FOLDER / f"named.{form}"
            vmaf_gpu.score(*self.files, device="cpu", log=named)
            self.assertEqual(named.read_text()[:3], "{\n " if form == "csv_strict" else log.read_text()[:3], form)
        with vmaf_gpu.Scorer(64, 64, device="cpu") as scorer, self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "give chunk, too"):
            scorer.log(clips.FOLDER / "a", "part")

    def test_a_log_that_cannot_be_is_refused_before_the_work(self):
        (clips.FOLDER / "notes.txt").write_text("mine")
        with unittest.mock.patch.object(vmaf_gpu.Scorer, "push_frame", side_effect=AssertionError("it has begun")):
            for words, said in (({"log": clips.FOLDER / "no" / "such"}, "No such file"),
                                ({"log": clips.FOLDER / "notes.txt"}, "notes.txt"),
                                ({"log": "a", "log_fmt": "yaml"}, "yaml.*json, xml"),
                                ({"log": "a", "keep_scores": False}, "keep_scores"),
                                ({"log": "a", "log_fmt": "part"}, '"part" is that of a part of a run: give chunk, too'),
                                ({"log": "a", "precision": 5}, "5: 6 to 17"), ({"log": "a", "precision": "most"}, "most")):
                with self.subTest(**words), self.assertRaisesRegex((OSError, vmaf_gpu.InvalidArgument), said):
                    vmaf_gpu.score(*self.files, device="cpu", **words)
        self.assertEqual((clips.FOLDER / "notes.txt").read_text(), "mine")

    def test_logs_have_the_warnings(self):
        """Warnings are complete: -q hides none of them, and a former run adds none."""
        short = clips.write(self.frames[1][:-2], "short.y4m")
        log = clips.FOLDER / "warned.json"
        with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "main ends 2 frames .* before reference") as told:
            vmaf_gpu.score(self.files[0], short, device="cpu", log=log, precision="max")
        self.assertEqual(told.filename, __file__)
        mine = json.loads(log.read_text())["vmaf_gpu"]["warnings"]
        self.assertEqual(mine, clips.tool(self.files[0], short, "--pair", "auto")["vmaf_gpu"]["warnings"])
        self.assertRegex(" ".join(mine), "main ends 2 frames")
        frames = clips.make(count=4)
        with vmaf_gpu.Scorer(51, 38, device="cpu", pair="index") as scorer:
            for count, warned in (2, 1), (4, 0):
                for name, given in ("reference", frames[0]), ("distorted", frames[1][:count]):
                    for n, frame in enumerate(given):
                        scorer.push_frame(name, frame, n)
                    scorer.end(name)
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    scorer.flush()
                self.assertEqual([str(one.message) for one in told], scorer.warnings)
                scorer.log(log)
                self.assertEqual(len(json.loads(log.read_text())["vmaf_gpu"].get("warnings", [])), warned)
                scorer.reset()

    def test_shots(self):
        """Two scenes, found from the pictures; or what a file says."""
        given = clips.FOLDER / "shots.txt"
        given.write_text("3\n")
        scenes = [frames * 6 + [tuple(plane[::-1].copy() for plane in frames[0])] * 6 for frames in clips.make(count=1)]
        for shots, firsts in (True, [0, 6]), (given, [0, 3]), (False, None):
            with vmaf_gpu.Scorer(51, 38, device="cpu", shots=shots) as scorer:
                push_all(scorer, *scenes)
                scorer.log(clips.FOLDER / "shots.json")
            found = json.loads((clips.FOLDER / "shots.json").read_text()).get("shots")
            self.assertEqual([shot["first"] for shot in found["list"]] if found else None, firsts, shots)
        with self.assertRaisesRegex(OSError, "cannot read the shots"):
            vmaf_gpu.Scorer(51, 38, device="cpu", shots=clips.FOLDER / "no_such")

    def test_segments(self):
        """flush() begins another clip: its first pair has no motion; reset() forgets."""
        with vmaf_gpu.Scorer(240, 216, device="cpu") as scorer:
            first = push_all(scorer, self.frames[0][:4], self.frames[1][:4])
            second = push_all(scorer, self.frames[0][4:], self.frames[1][4:])
            self.assertEqual([pair.frame for pair in first + second], list(range(9)))
            self.assertEqual(second[0].scores["integer_motion2"], 0)
            scorer.reset()
            again = push_all(scorer, self.frames[0][4:], self.frames[1][4:])
            self.assertEqual([pair.scores for pair in again], [pair.scores for pair in second])


class Pairing(clips.ScoreCase):
    """Which frames meet is the engine's business; here: that frames, times and counts come across."""

    @classmethod
    def setUpClass(cls):
        cls.frames = clips.make(count=24)

    def scorer(self, pair, **settings):
        return vmaf_gpu.Scorer(51, 38, device="cpu", pair=pair, time_base=Fraction(1, 25), rate=25,
                               **settings)

    def run_pairs(self, scorer, times):
        """Frames of both at their times; the k-th frame shows moment k of its input."""
        series = {"reference": list(zip(self.frames[0], times[0])),
                  "distorted": list(zip(self.frames[1], times[1]))}
        found = []
        while scorer.needs:
            for name in scorer.needs:
                if series[name]:
                    scorer.push_frame(name, *series[name].pop(0))
                else:
                    scorer.end(name)
            found += scorer.results()
        return found + scorer.flush()

    def test_by_time(self):
        with self.scorer("time") as scorer:
            found = self.run_pairs(scorer, (range(10), (0, 1, 2, 5, 6, 7)))
            self.assertEqual([pair.met for pair in found], [(0, 0), (1, 1), (2, 2), (5, 3), (6, 4), (7, 5)])
            self.assertEqual(scorer.pairing["unpaired_reference"], {"begin": 0, "middle": 2, "end": 2})
            self.assertRegex(scorer.pairing["fault"], "2 reference frames have no partner in main")
            scorer.log(clips.FOLDER / "paired.json")
            known = scorer.pairing
        log = json.loads((clips.FOLDER / "paired.json").read_text())
        self.assertEqual(known["film_grain"], {"main": 0, "reference": 0})
        for key in log["pairing"].keys() - {"at_least", "disabled_main", "disabled_reference"}:
            self.assertEqual(known[key], log["pairing"][key], key)
        self.assertEqual(log["pairing"]["rule"], "time")
        self.assertEqual([frame["time"] for frame in log["frames"]], [0, 0.04, 0.08, 0.2, 0.24, 0.28])
        self.assertEqual([pair.scores for pair in found],
                         [pair.scores for pair in self.by_push([(0, 0), (1, 1), (2, 2), (5, 3), (6, 4), (7, 5)])])

    def by_push(self, met):
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            for reference, distorted in met:
                scorer.push(self.frames[0][reference], self.frames[1][distorted])
            return scorer.flush()

    def test_pictures(self):
        """Main's times begin three frames later; its pictures are those of the reference."""
        with self.scorer("auto") as scorer:
            found = self.run_pairs(scorer, (range(24), range(3, 27)))
            self.assertEqual([pair.met for pair in found], [(n, n) for n in range(24)])
            self.assertEqual((scorer.pairing["start"], scorer.pairing["fault"]), ("pictures_first", ""))

    def test_two_rates(self):
        """The reference has twice the frames."""
        with vmaf_gpu.Scorer(51, 38, device="cpu", pair="time", rate=(50, 25),
                             time_base=(Fraction(1, 50), Fraction(1, 25))) as scorer:
            found = self.run_pairs(scorer, (range(12), range(6)))
            self.assertEqual([pair.met for pair in found], [(2 * n, n) for n in range(6)])

    def test_offset(self):
        with self.scorer("index", offset=2) as scorer:
            self.assertEqual([pair.met for pair in self.run_pairs(scorer, (range(6), range(6)))],
                             [(2, 0), (3, 1), (4, 2), (5, 3)])

    def test_searched_offset(self):
        frames = clips.make(count=60)
        for rule, offset in (("index", 5), ("auto", -5), ("time", 0)):
            with self.scorer(rule, offset="auto", offset_window=1) as scorer:
                count = 60 - abs(offset)
                for n in range(count):
                    for name, frame in (("reference", frames[0][n + max(-offset, 0)]),
                                        ("distorted", frames[1][n + max(offset, 0)])):
                        scorer.push_frame(name, frame, n)
                met = [pair.met for pair in scorer.flush()]
                self.assertEqual(met, [(n, n - offset) for n in range(count) if 0 <= n - offset < count])
                self.assertEqual((scorer.pairing["start"], scorer.pairing["offset"]), ("by_search", offset))
        with self.scorer("index", offset="auto") as scorer, \
                self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "offset=auto: the inputs are too short"):
            self.run_pairs(scorer, (range(24), range(24)))

    def test_refused(self):
        frame = self.frames[0][0]
        with self.scorer("index") as scorer:
            with self.assertRaisesRegex(vmaf_gpu.UsageError, "push_frame"):
                scorer.push(frame, frame)
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "reference"):
                scorer.push_frame("main", frame)
            with self.assertRaisesRegex(vmaf_gpu.UsageError, "too many frames"):
                for _ in range(40):
                    scorer.push_frame("reference", frame)
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer, \
                self.assertRaisesRegex(vmaf_gpu.UsageError, "without pair"):
            scorer.push_frame("reference", frame)
        for settings, words in (({"pair": "nearest"}, "pair is 'nearest'"), ({"offset": 1}, "offset needs pair"),
                                ({"offset_window": 5}, "offset_window needs pair"),
                                ({"pair": "auto", "offset_window": 5}, "offset_window has no meaning without offset=auto"),
                                ({"pair": "auto", "offset": 3, "offset_window": 5}, "without offset=auto"),
                                ({"pair": "auto", "offset": "auto", "offset_window": 0}, "allowed: 1 to 60"),
                                ({"pair": "index", "time_base": 0}, "more than 0")):
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, words):
                vmaf_gpu.Scorer(51, 38, device="cpu", **settings)

    def test_merge_warns(self):
        """A part has what was found in its pairs."""
        reference = moving(48)
        files = clips.write(reference, "r.y4m"), clips.write(upside_down(reference), "d.y4m")
        parts = []
        for chunk in "0:24", "24:":
            parts.append(clips.FOLDER / f"{len(parts)}.part")
            parts[-1].write_text(clips.tool(*files, "--chunk", chunk, form="part"))
        with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "the pictures of 48 pairs do not belong together: main is upside down"):
            vmaf_gpu.merge(parts)
        for path, chunk in zip(parts, ((0, 24), (24, None))):
            with vmaf_gpu.Scorer(51, 38, device="cpu", chunk=chunk) as scorer:
                pushed = slice(scorer.first_pair, scorer.last_pair)
                push_all(scorer, reference[pushed], upside_down(reference)[pushed])
                scorer.log(path, "part", overwrite=True)
        with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "the pictures of 48 pairs do not belong together: main is upside down"):
            vmaf_gpu.merge(parts)

    def test_files(self):
        """Main lacks the first three pictures of the reference: rule auto finds that, and index does not."""
        reference, _ = self.frames
        files = clips.write(reference, "r.y4m"), clips.write(reference[3:], "d.y4m")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            by_number = vmaf_gpu.score(*files, device="cpu", pair="index")
        cause = "agree with those that come 3 frames later in reference: use offset=3"
        self.assertEqual([one.category for one in said if cause in str(one.message)], [vmaf_gpu.ScoreWarning])
        self.assertEqual([text for text in by_number.warnings if "main ends" in text], []) # the cause says it already
        self.assertEqual([pair.met for pair in by_number.frames], [(n, n) for n in range(21)])
        found = vmaf_gpu.score(*files, device="cpu")
        self.assertEqual([pair.met for pair in found.frames], [(n + 3, n) for n in range(21)])
        log = clips.tool(*files, "--pair", "auto")
        self.assert_same_frames(found.frames, log)

    def test_result_has_warnings_and_pairing(self):
        """Each warning of the log is a warning of Python once, at the user's line; nothing else is said of lengths."""
        reference, distorted = self.frames
        files = clips.write(reference, "r.y4m"), clips.write(distorted[:-3], "d.y4m")
        for words in {}, {"pair": "INDEX"}, {"chunk": (0, None)}:
            with self.subTest(**words), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = vmaf_gpu.score(*files, device="CPU", log=clips.FOLDER / "w.json", log_fmt="JSON", **words)
                log = json.loads((clips.FOLDER / "w.json").read_text())
                self.assertEqual([str(one.message) for one in told], found.warnings)
                self.assertEqual({one.filename for one in told}, {__file__})
                self.assertTrue(all(issubclass(one.category, vmaf_gpu.ScoreWarning) for one in told))
                self.assertEqual(log["vmaf_gpu"]["warnings"], found.warnings)
                self.assertEqual([text for text in found.warnings if "ends" in text], [found.pairing["fault"]])
                for key, value in log["pairing"].items():
                    if key in found.pairing:
                        self.assertEqual(found.pairing[key], value, key)
                self.assertEqual((found.pairing["pairs"], found.pairing["unpaired_reference"]["end"]), (21, 3))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = vmaf_gpu.score(reference, distorted[:-3], device="cpu")
        self.assertEqual([str(one.message) for one in told], found.warnings)
        self.assertEqual(found.warnings, ["main ends 3 frames before reference: those frames are not in the score"])
        self.assertEqual((found.pairing["fault"], found.pairing["rule"]), (found.warnings[0], "index"))

    def test_series_are_judged(self):
        """A number without a word is a promise that its pictures belong together, however they came."""
        reference = moving(60)
        turned = upside_down(reference)
        word = "from pair 0 (0.000 s) on, the pictures of 60 pairs do not belong together: main is upside down (FFmpeg's filter " \
            "vflip mends it)"
        late = "from pair 0 (0.000 s) on, the pictures of 53 pairs agree with those that come 7 frames later in reference: use offset=7"
        for first, second, said in ((reference, turned, word), (clips.write(reference, "r.y4m"), turned, word),
                                    (reference[:53], reference[7:], late), (reference, reference, None)):
            for more in {}, {"subsample": 5}, {"keep_scores": False}, {"chunk": (0, None)}:
                with self.subTest(said=said, more=more), warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    found = vmaf_gpu.score(first, (frame for frame in second), device="cpu", **more)
                    self.assertEqual(found.warnings, [said] if said else [])
                    self.assertEqual([str(one.message) for one in told], found.warnings)
                    self.assertEqual(found.pairing["fault"], said or "")

    def test_pushed_pairs_are_judged(self):
        reference = moving(48)
        word = "the pictures of 48 pairs do not belong together: main is upside down"
        log = clips.FOLDER / "judged.json"
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, word):
                push_all(scorer, reference, upside_down(reference))
            self.assertEqual(scorer.warnings, [scorer.pairing["fault"]])
            for path in log, log.with_suffix(".html"), log.with_suffix(".xml"):
                scorer.log(path, overwrite=True)
                self.assertIn(word, path.read_text())
            self.assertEqual(json.loads(log.read_text())["pairing"]["unrelated"], 48)
            self.assertNotIn("time", json.loads(log.read_text())["frames"][0])  # the frames have none
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                push_all(scorer, reference, reference)  # another clip
                self.assertIn(word, scorer.pairing["fault"])
                scorer.reset()
                push_all(scorer, reference, reference)
                self.assertEqual((scorer.warnings, scorer.pairing["fault"], scorer.pairing["pairs"]), ([], "", 48))

    def test_warnings_that_are_errors_lose_no_pair(self):
        with self.scorer("index") as scorer, warnings.catch_warnings():
            warnings.simplefilter("error")
            for n, frame in enumerate(self.frames[0][:4]):
                scorer.push_frame("reference", frame, n)
                if n < 3:
                    scorer.push_frame("distorted", frame, n)
            taken = scorer.results()
            with self.assertRaisesRegex(vmaf_gpu.ScoreWarning, "main ends 1 frame"):
                scorer.flush()
            self.assertEqual([pair.frame for pair in taken + scorer.results()], [0, 1, 2])


class Files(clips.ScoreCase):
    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg here")
    def test_through_ffmpeg(self):
        for chroma, depth, name in ("420", 8, "mkv"), ("422", 10, "mkv"), ("444", 12, "nut"), \
                ("400", 10, "nut"):
            with self.subTest(chroma=chroma, depth=depth):
                paths = []
                for side, frames in zip("rd", clips.make(52, chroma=chroma, depth=depth)):
                    source = clips.write(frames, f"{side}.y4m", chroma, depth)
                    paths.append(clips.FOLDER / f"{side}.{name}")
                    codec = ["-c:v", "ffv1"] if name == "mkv" else ["-c:v", "rawvideo"]
                    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, *codec, paths[-1]],
                                   check=True)
                found = vmaf_gpu.score(*paths, device="cpu", features="float_ssim", formats="asis")
                self.assertEqual((found.chroma, found.depth), (chroma, depth))
                log = clips.tool(*paths, "--feature", "float_ssim", "--formats", "asis")
                self.assert_same_frames(found.frames, log)
                self.assert_same_pooled(found.pooled, log)

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg here")
    def test_names(self):
        """A name is a file's, whatever ffmpeg would take it for."""
        source = clips.write(clips.make(52)[0], "names.y4m", "420", 8)
        before = os.getcwd()
        os.chdir(clips.FOLDER)
        try:
            for name in "12:30.mkv", "http:x.mkv", "-i.mkv", "a b'c|d.mkv":
                subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, "-c:v", "ffv1",
                                "file:" + name], check=True)
                vmaf_gpu.score(source, name, device="cpu")
        finally:
            os.chdir(before)

    def test_alpha(self):
        """A plane that is not scored is skipped."""
        reference, distorted = clips.make(chroma="444")
        paths = []
        for frames, name in (reference, "r.y4m"), (distorted, "d.y4m"):
            path = clips.write(frames, name, "444")
            head, *rest = path.read_bytes().split(b"FRAME\n")
            path.write_bytes(head.replace(b"C444", b"C444alpha") +
                             b"".join(b"FRAME\n" + frame + bytes(51 * 38) for frame in rest))
            paths.append(path)
        found = vmaf_gpu.score(*paths, device="cpu", features="psnr")
        self.assert_same_frames(found.frames, clips.tool(*paths, "--feature", "psnr"))

    def test_ffmpeg_fails_late(self):
        """All pictures came, but the exit status says that there were more."""
        reference, distorted = clips.make(count=4)
        good = clips.write(reference, "r.y4m")
        program, text = clips.FOLDER / "ffmpeg", clips.FOLDER / "text.txt"
        head = f"#!/bin/sh\ncase \"$*\" in *showinfo*) echo '{runs.probed('fmt:yuv420p s:51x38')}' >&2; exit;; esac\ncat '{good}'\n"
        program.write_text(head + "echo '[error] it is damaged' >&2\nexit 3\n")
        program.chmod(0o755)
        text.write_text("no video")
        with unittest.mock.patch.dict("os.environ", VMAF_GPU_FFMPEG=str(program)):
            with self.assertRaisesRegex(vmaf_gpu.DecoderError, "failed after picture 4: it is damaged"):
                vmaf_gpu.score(text, distorted, device="cpu")
        script = head + "printf '%s\\n' '[a @ 0x1] [error] it is damaged' '[error] as well' {} >&2\n"
        program.write_text(script.format(""))  # and goes on, as ffmpeg does
        log = clips.FOLDER / "doubts.json"
        with unittest.mock.patch.dict("os.environ", VMAF_GPU_FFMPEG=str(program)):
            with self.assertLogs("vmaf_gpu", "WARNING") as said:
                vmaf_gpu.score(text, distorted, device="cpu", log=log)
        self.assertRegex("\n".join(said.output), "text.txt: the decoder reported errors.*: it is damaged")
        self.assertIn("it is damaged", log.read_text())
        program.write_text(script.format("'[a @ 0x1] [b @ 0x2] [warning] corrupt decoded frame'"))
        with unittest.mock.patch.dict("os.environ", VMAF_GPU_FFMPEG=str(program)), \
                self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "1 frame of reference is damaged: the decoder reported errors"):
            vmaf_gpu.score(text, distorted, device="cpu")
        with unittest.mock.patch.dict("os.environ", VMAF_GPU_FFMPEG="/no/such/ffmpeg"):
            with self.assertRaisesRegex(vmaf_gpu.DecoderError, "no program /no/such/ffmpeg"):
                vmaf_gpu.score(text, distorted, device="cpu")

    def test_names_in_bytes(self):
        """As open() takes them, in UTF-8 or not."""
        reference, distorted = clips.make(count=2)
        paths = [os.fsencode(clips.FOLDER) + name for name in (b"/r\xff.y4m", b"/d.y4m")]
        for path, frames in zip(paths, (reference, distorted)):
            os.replace(clips.write(frames, "n.y4m"), path)
        right = vmaf_gpu.score(os.fsdecode(paths[0]), os.fsdecode(paths[1]), device="cpu").pooled
        self.assertEqual(vmaf_gpu.score(paths[0], paths[1], device="cpu").pooled, right)
        self.assertEqual(vmaf_gpu.score(paths[0], distorted, device="cpu").pooled, right)
        with self.assertRaisesRegex(vmaf_gpu.OutputError, "none.y4m: cannot open"):
            vmaf_gpu.score(b"none.y4m", paths[1], device="cpu")

    def test_no_disk_for_messages(self):
        """What ffmpeg says needs no file: where the disk of temporary files is full, damage is still told, however much is said."""
        class Full(io.BytesIO):
            """Takes nothing from other programs."""
            device = os.open("/dev/full", os.O_WRONLY)

            def fileno(self):
                return self.device

        self.addCleanup(os.close, Full.device)
        reference, distorted = clips.make(count=4)
        good, program, text = clips.write(reference, "r.y4m"), clips.FOLDER / "ffmpeg", clips.FOLDER / "text.txt"
        text.write_text("no video")
        line = "[a @ 0x1] [warning] corrupt decoded frame"
        program.write_text(f"#!/bin/sh\ncase \"$*\" in *showinfo*) echo '{runs.probed('fmt:yuv420p s:51x38')}' >&2; exit;; esac\n"
                           f"yes '{line}' | head -n 24000 >&2\ncat '{good}'\necho '{line}' >&2\nexit 0\n")
        program.chmod(0o755)
        with unittest.mock.patch.dict("os.environ", VMAF_GPU_FFMPEG=str(program)), \
                unittest.mock.patch("tempfile.TemporaryFile", Full), \
                self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "24001 frames of reference are damaged"):
            vmaf_gpu.score(text, distorted, device="cpu")

    def test_two_outputs_of_one_name(self):
        """The second one has a number, as in the filter and the tool, and says so."""
        frames = moving(12)
        log, other = clips.FOLDER / "same.json", clips.FOLDER / "same.1.json"
        inner = []

        def slow():
            for n, frame in enumerate(frames):
                if n == 6:
                    with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "another output has '.*same.json': writing '.*same.1.json'"):
                        inner.append(vmaf_gpu.score(frames[:5], frames[:5], device="cpu", log=log))
                yield frame

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = vmaf_gpu.score(slow(), frames, device="cpu", log=log)
        self.assertEqual([len(json.loads(path.read_text())["frames"]) for path in (log, other)], [12, 5])
        self.assertEqual(found.warnings, [])
        self.assertEqual(json.loads(other.read_text())["vmaf_gpu"]["warnings"], inner[0].warnings)
        vmaf_gpu.score(frames[:3], frames[:3], device="cpu", log=log)  # the name is free again
        self.assertEqual(len(json.loads(log.read_text())["frames"]), 3)
        with self.assertRaises(ZeroDivisionError):
            vmaf_gpu.score((frame for _ in range(4) for frame in [frames[1 // 0]]), frames, device="cpu", log=log)
        self.assertEqual(len(json.loads(log.read_text())["frames"]), 3)
        self.assertEqual(sorted(path.name for path in clips.FOLDER.glob("*same*")), ["same.1.json", "same.json"])

    def test_file_that_comes_during_the_run(self):
        frames, log = moving(3), clips.FOLDER / "came.json"
        with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "came.json' has become another file during the run: wrote '.*came.1.json'"):
            found = vmaf_gpu.score(frames, (log.write_text("of the user") and frame for frame in frames), device="cpu", log=log)
        self.assertEqual((log.read_text(), len(found.warnings)), ("of the user", 1))
        self.assertEqual(len(json.loads((clips.FOLDER / "came.1.json").read_text())["frames"]), 3)

    def test_series_without_an_end(self):
        """Its rest is looked at, for the warning, and not for ever."""
        frames, taken = moving(3), []

        def camera():
            while len(taken) < 4000:
                taken.append(1)
                yield frames[len(taken) % 3]

        # Where the reference ends, a frame of main was there already.
        for pair, rest in (((camera(), frames), 1500), ((frames, camera()), 1501)):
            with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, f"ends {rest} frames.* before"):
                found = vmaf_gpu.score(*pair, device="cpu", model=None, features="psnr")
            self.assertEqual((len(found.frames), len(taken)), (3, 3 + rest))
            taken.clear()

    def test_half_the_frames(self):
        """Who compares rates on purpose gets no warning; a strict run fails for it."""
        frames = moving(24)
        files = clips.write(frames, "r.y4m"), clips.write(frames[::2], "d.y4m", rate="25:2")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = vmaf_gpu.score(*files, device="cpu", model=None, features="psnr")
        self.assertEqual(found.pairing["fault"], "main has 12.500 and reference 25.000 frames per second: "
                                                 "11 reference frames are not compared")

    def test_commands_are_quoted(self):
        """What is printed may be pasted into a shell: it names the file, and runs nothing else."""
        frames = clips.make(count=1)[0]
        for name in ("a$(touch pwned).y4m", "b`touch pwned`.y4m", 'c".y4m', "d\\.y4m", "e'f g.y4m", "12:30.y4m"):
            path = clips.write(frames, name)
            with self.subTest(name), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                vmaf_gpu.score(path, path, device="cpu")
                command = re.search(r"e\.g\. (ffmpeg .*?) -vf", str(told[0].message))[1].replace("ffmpeg -i", "printf %s", 1)
                said = subprocess.run(["sh", "-c", command], cwd=clips.FOLDER, capture_output=True, text=True, check=True)
                self.assertEqual(said.stdout, f"file:{path}" if ":" in name else str(path))
        self.assertFalse((clips.FOLDER / "pwned").exists())

    def test_codes(self):
        reference, distorted = clips.make(count=1)
        path = clips.write(reference, "r.y4m")
        for wrong in {"pair": "nearest"}, {"formats": "other"}, {"compat": "1.0"}, {"chroma": "411"}:
            with self.subTest(wrong), self.assertRaises(vmaf_gpu.InvalidArgument) as caught:
                vmaf_gpu.score(path, path, device="cpu", **wrong)
            self.assertEqual(caught.exception.code, errno.EINVAL)
        text = clips.FOLDER / "text.txt"
        text.write_text("no video")
        for program, code in ("false", errno.EIO), ("/none/ffmpeg", errno.ENOENT):
            with unittest.mock.patch.dict("os.environ", VMAF_GPU_FFMPEG=program), \
                    self.assertRaises(vmaf_gpu.DecoderError) as caught:
                vmaf_gpu.score(path, text, device="cpu")
            self.assertEqual(caught.exception.code, code)
        for wrong, words in (((None, None), r"the reference is None: a path, or an iterable of frames is needed"),
                             ((reference, 5), r"the distorted video is 5: a path")):
            with self.assertRaisesRegex(TypeError, words):
                vmaf_gpu.score(*wrong, device="cpu")
        with self.assertRaisesRegex(TypeError, r"score\(\) has no argument 'scale'; .*: chroma, chunk, .*threads"):
            vmaf_gpu.score(path, path, device="cpu", scale=2)
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            scorer.push(reference[0], distorted[0])
            self.assertRegex(repr(scorer), r"^<vmaf_gpu.Scorer 51x38 on cpu, 1 pair>$")

    def test_lengths(self):
        reference, distorted = clips.make(count=4)
        with self.assertWarnsRegex(vmaf_gpu.ScoreWarning, "main ends 1 frame before reference"):
            found = vmaf_gpu.score(reference, distorted[:3], device="cpu")
        self.assertEqual(len(found.frames), 3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            vmaf_gpu.score(reference, distorted, device="cpu")

    @unittest.mock.patch("warnings.showwarning", lambda *_: None)
    def test_progress(self):
        reference, distorted = clips.make(count=8)
        paths = clips.write(reference, "r.y4m"), clips.write(distorted, "d.y4m")
        told = []
        for more, total in (({}, 8), ({"chunk": (2, 5)}, 5), ({"pair": "index"}, 8)):  # pairs around a chunk are read, too
            vmaf_gpu.score(*paths, device="cpu", progress=told.append, **more)
            self.assertEqual((told[-1].done, told[-1].total, told[-1].left), (total, total, -1), more)
        vmaf_gpu.score((frame for frame in reference), distorted, device="cpu", progress=told.append)
        self.assertEqual((told[-1].done, told[-1].total), (8, 0))
        with unittest.mock.patch("sys.stderr", new=io.StringIO()) as file:
            vmaf_gpu.score(*paths, device="cpu", progress=True)
        self.assertEqual(file.getvalue(), "")  # too short for a line
        with unittest.mock.patch("sys.stderr", new=io.StringIO()) as file:
            file.isatty = lambda: True
            vmaf_gpu.score(*paths, device="cpu", progress=True)
        self.assertRegex(file.getvalue(), r"\r\[#{20}\] 8 of 8 frames, [\d.]+ FPS\x1b\[K\n$")

    def test_words_of_progress(self):
        """They are the engine's, and lines come as the tool's do."""
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            scorer.push(*(one[0] for one in clips.make(count=1)))
            scorer.flush()
            found = _native.make("VmafGpuProgress", total=9000)
            scorer._context.run(_native.lib.vmafgpu_run_progress, byref(found))
        self.assertEqual(str(vmaf_gpu.Progress(found.done, found.total, found.rate, found.left)), found.text.decode())
        with unittest.mock.patch("sys.stderr", new=io.StringIO()) as file, \
                unittest.mock.patch("time.monotonic", lambda: now[0]):
            now = [100.0]
            meter = Meter("name")
            for now[0] in (102.0, 105.0, 107.0):
                if meter.is_due():
                    meter.show(vmaf_gpu.Progress(5, 700, 0.05, 13900), "; more")
            meter.end(vmaf_gpu.Progress(5, 0, 0.05, -1))
        self.assertEqual(file.getvalue(), "name: 5 of 700 frames, 0.05 FPS, 3:51:40 left; more\nname: 5 frames, 0.05 FPS\n")

    def test_bad_files(self):
        reference, distorted = clips.make(count=3)
        good, cut = clips.write(reference, "r.y4m"), clips.write(distorted, "cut.y4m")
        cut.write_bytes(cut.read_bytes()[:-10])
        text = clips.FOLDER / "text.txt"
        text.write_text("no video")
        none = clips.FOLDER / "none.y4m"
        large = clips.write(clips.make(width=60)[0], "large.y4m")
        other = clips.write(clips.make(chroma="422")[0], "other.y4m", "422")
        empty = clips.write(reference, "empty.y4m")
        empty.write_bytes(empty.read_bytes().split(b"\n")[0] + b"\n")
        cases = [(cut, vmaf_gpu.InvalidArgument, "picture 2 is cut short"),
                 (text, vmaf_gpu.DecoderError, "ffmpeg cannot read it"),
                 (none, OSError, "cannot open: No such file"),
                 (large, vmaf_gpu.InvalidArgument, "main is 60x38 but reference is 51x38"),
                 (other, vmaf_gpu.InvalidArgument, "chroma 420, the distorted video 422")]
        for path, error, words in cases:
            with self.subTest(path.name), self.assertRaisesRegex(error, words):
                vmaf_gpu.score(good, path, device="cpu", formats="asis")
        with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "formats is 'as'"):
            vmaf_gpu.score(good, good, device="cpu", formats="as")
        with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "no pictures"):
            vmaf_gpu.score(empty, empty, device="cpu")

    def test_pipes_with_a_name(self):
        reference, distorted = clips.make()
        good, fifo, text = clips.write(distorted, "d.y4m"), clips.FOLDER / "fifo", clips.FOLDER / "text.txt"
        os.mkfifo(fifo)
        with subprocess.Popen(["cp", good, fifo]):
            found = vmaf_gpu.score(clips.write(reference, "r.y4m"), fifo, device="cpu", pair="index")
        self.assertEqual(found.frames, vmaf_gpu.score(clips.FOLDER / "r.y4m", good, device="cpu", pair="index").frames)
        text.write_text("no video, but longer than the signature")
        with subprocess.Popen(["cp", text, fifo], stderr=subprocess.DEVNULL):
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "not Y4M, and ffmpeg cannot read a pipe"):
                vmaf_gpu.score(clips.FOLDER / "r.y4m", fifo, device="cpu")

    @unittest.skipUnless(shutil.which("ffmpeg"), "SKIP: no ffmpeg in PATH")
    def test_a_size_that_changes_is_refused(self):
        """FFmpeg scales pictures to the size of the first one."""
        name = str(clips.FOLDER / "size%d.png")
        for n, size in enumerate(("64x64", "64x64", "64x72")):
            subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", f"color=size={size}", "-frames:v", "1",
                            "-pix_fmt", "gray", name % n], check=True, timeout=60)
        with self.assertRaisesRegex(vmaf_gpu.DecoderError, "changes from 64x64 to 64x72 at 0.08 s; make it one video first"):
            vmaf_gpu.score(name, name, device="cpu", formats="asis")

    def test_ends_ffmpeg(self):
        """A run that fails early leaves no child, and no pipe."""
        reference, distorted = clips.make(count=40)
        good = clips.write(reference, "r.y4m")
        program = clips.FOLDER / "ffmpeg"
        program.write_text(f"#!/bin/sh\ncase \"$*\" in *showinfo*) echo '{runs.probed('fmt:yuv420p s:51x38')}' >&2; exit;; esac\n"
                           f"echo $$ >'{clips.FOLDER}/pid'\ncat '{good}'\nexec sleep 100\n")
        program.chmod(0o755)
        text = clips.FOLDER / "text.txt"
        text.write_text("no video")
        with unittest.mock.patch.dict("os.environ", VMAF_GPU_FFMPEG=str(program)):
            with self.assertRaises(vmaf_gpu.InvalidArgument):
                vmaf_gpu.score(text, [(plane[0][:20],) for plane in distorted], device="cpu")
        pid = int((clips.FOLDER / "pid").read_text())
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())


if __name__ == "__main__":
    unittest.main()
