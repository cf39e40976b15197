#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The contract of the parity gate: what it has to fail on, it fails on. Answers of a
backend are spoiled between the probe and the gate; kernels with planted defects are
linked into the probe, and the gate has to name the place.

    test_parity.py BUILD_DIR [unittest options]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GATE = os.path.join(HERE, "parity.py")
PROBE = os.path.join(BUILD, "tests/check/parity_probe")
DOCTORED = os.path.join(HERE, "doctored_probe.py")
sys.path[:0] = [os.path.join(ROOT, "tests/planted"), HERE]
sys.dont_write_bytecode = True

import cases  # noqa: E402
import planted  # noqa: E402
from defects import DEFECTS  # noqa: E402

ONE_CLIP = "/17x17/8bit/noise"


def known():
    return json.loads(subprocess.run([PROBE, "list"], check=True, capture_output=True).stdout)


def build_option(name):
    path = os.path.join(BUILD, "meson-info/intro-buildoptions.json")
    with open(path, encoding="utf-8") as file:
        return next(option["value"] for option in json.load(file) if option["name"] == name)


HAS_EMULATOR = "emu32" in known()["backends"]
CAN_PLANT = (HAS_EMULATOR and build_option("default_library") == "static" and
             build_option("b_sanitize") == "none")


class GateCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = folder.name

    def run_gate(self, *args, spoil="", probe=DOCTORED):
        env = dict(os.environ, PARITY_PROBE=PROBE, PARITY_SPOIL=spoil, PARITY_SPOILED="emu32",
                   VMAFGPU_MATRIX="0")  # planted defects are in the plain kernels
        if not HAS_EMULATOR:
            env["PARITY_SPOILED"] = "cpu"
        backends = "emu32,emu64" if HAS_EMULATOR else "cpu"
        command = [sys.executable, GATE, "--build", BUILD, "--probe", probe, "--out", self.out,
                   "--backends", backends, "--filter", ONE_CLIP, *args]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(os.path.join(self.out, "parity.json"), encoding="utf-8") as file:
            report = json.load(file)
        with open(os.path.join(self.out, "parity.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), done.stdout)
        self.assertEqual(report["passed"], done.returncode == 0)
        return report, done.stdout


class Gate(GateCase):
    def assert_fails(self, spoil, expected, *args):
        report, text = self.run_gate(*args, spoil=spoil)
        self.assertFalse(report["passed"], spoil)
        self.assertIn(expected, text, spoil)
        return report, text

    def test_an_unspoiled_run_passes(self):
        report, text = self.run_gate()
        self.assertTrue(report["passed"], text)
        for backend in report["backends"].values():
            self.assertGreater(backend["totals"]["equal"], 5)
            self.assertEqual(backend["totals"]["failed"], 0)

    def test_reg30_one_bit_of_one_feature_fails(self):
        """... although VMAF is the same."""
        report, text = self.assert_fails("feature bit", "integer_adm_scale2")
        self.assertNotIn("vmaf_v0.6.1: reference", text)
        if HAS_EMULATOR:  # the other backend is not to blame
            self.assertEqual(report["backends"]["emu64"]["totals"]["failed"], 0)

    def test_one_bit_of_a_model_fails(self):
        self.assert_fails("vmaf bit", "frame 3, vmaf_v0.6.1: reference")

    def test_one_bit_of_the_sums_fails(self):
        self.assert_fails("sums bit", "frame 3, scale 3, den_log")
        self.assert_fails("sums bit", "frame 3, scale 1, num[0].d")

    def test_not_finite_fails(self):
        self.assert_fails("nan", "is nan")
        self.assert_fails("infinity", "is inf")

    def test_incomplete_answers_fail(self):
        self.assert_fails("missing series", "missing ['")
        self.assert_fails("renamed series", "not expected ['")
        self.assert_fails("short row", "values for")
        self.assert_fails("missing frame", "3 rows for 4 frames")
        self.assert_fails("no table", "no table of results")
        self.assert_fails("no answer", "no result")
        self.assert_fails("not json", "an answer that is no result")

    def test_reg46_another_backend_than_the_asked_one_fails(self):
        if not HAS_EMULATOR:
            self.skipTest("SKIP: this build has only the CPU")
        self.assert_fails("other backend", "ran on cpu (cpu) instead of emu32")

    def test_a_backend_that_fails_is_a_failure(self):
        self.assert_fails("error", "device lost")
        self.assert_fails("exit status", "exit status 9")
        self.assert_fails("hang", "no answer within", "--timeout", "8")

    def test_a_backend_that_is_not_there_fails(self):
        report, text = self.run_gate("--backends", "abacus")
        self.assertFalse(report["passed"])
        self.assertIn("abacus", text)

    def test_nothing_to_compare_is_a_failure(self):
        report, text = self.run_gate("--filter", "no such job")
        self.assertFalse(report["passed"])
        self.assertIn("no job matches", text)
        report, _ = self.run_gate("--backends", "")
        self.assertFalse(report["passed"])

    def test_jobs_that_all_are_refused_are_a_failure(self):
        """The picture is too small for CAMBI, for the reference and for the backend."""
        report, text = self.run_gate("--filter", "sums/cambi/default/83x81", probe=PROBE)
        for backend in report["backends"].values():
            self.assertGreater(backend["totals"]["refused"], 0, text)
        self.assertFalse(report["passed"])
        self.assertIn("nothing was compared", text)

    def test_reg21_deep_clips_use_every_bit(self):
        """8-bit clips shifted left would see no error of depth."""
        sizes = [size for size in cases.QUICK if size[2] > 8 and size[3] == "noise"]
        self.assertTrue({10, 16} <= {size[2] for size in sizes})
        jobs = [{"id": str(size), "kind": "sums", "feature": "motion", "options": [""],
                 "clip": cases.clip_of(size, 1)} for size in sizes]
        done = subprocess.run([PROBE, "run", "ref"], check=True, capture_output=True, text=True,
                              input="".join(json.dumps(job) + "\n" for job in jobs))
        bits = [json.loads(line)["varying_bits"] for line in done.stdout.splitlines()]
        self.assertEqual(bits, [(1 << size[2]) - 1 for size in sizes])

    def test_reg58_repeated_and_concurrent_runs_are_identical(self):
        """Sixteen runs, four at a time, on other orders of lanes and other thread counts."""
        jobs = [job for job in cases.all_jobs(known(), "quick", 1) if ONE_CLIP in job["id"]]
        backends = ["cpu"] + (["emu64:1", "emu64:2", "emu32:3"] if HAS_EMULATOR else ["cpu"] * 3)
        answers = set()
        for turn in range(4):
            text = "".join(json.dumps(dict(job, threads=1 + turn, ring=1 + 3 * turn)) + "\n"
                           for job in jobs)
            running = [subprocess.Popen([PROBE, "run", backend], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True) for backend in backends]
            for process in running:
                out, _ = process.communicate(text, timeout=120)
                self.assertEqual(process.returncode, 0)
                answers.add(json.dumps([json.loads(line)["rows"] for line in out.splitlines()]))
        self.assertEqual(len(answers), 1)

    def test_planes_of_right_kernels_are_right(self):
        """Otherwise the place that --bisect names would be wrong."""
        if not HAS_EMULATOR:
            self.skipTest("SKIP: this build has only the CPU")
        jobs = [job for job in cases.all_jobs(known(), "quick", 1) if job["kind"] == "sums" and
                job["feature"] in ("vif", "adm", "cambi")]
        bands = next(job for job in jobs if job["id"].startswith("sums/cambi/default/257x217"))
        jobs.append(dict(bands, id="reference picture", options=["full_ref=true"]))
        kernels = set()
        for backend, matrices in (("emu32", "1"), ("emu64", "1"), ("emu64", "0")):
            done = subprocess.run([PROBE, "planes", backend], check=True, capture_output=True,
                                  text=True, input="".join(json.dumps(job) + "\n" for job in jobs),
                                  env={**os.environ, "VMAFGPU_MATRIX": matrices})
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual(len(answers), len(jobs))
            for answer in answers:
                if answer.get("error", "").startswith("cambi: the picture"):
                    continue  # smaller than what CAMBI takes
                self.assertIsNone(answer["plane"], answer)
                self.assertGreaterEqual(answer["planes"], 12, answer)
                kernels.update(answer["kernels"])
            self.assertEqual(answers[-1]["planes"], 2 * bands["clip"]["frames"] * 6)
        self.assertLessEqual({"vif_matrix0_u8", "vif_matrix0_u16", "vif_matrix1", "vif_scale0_u16",
                              "vif_scale1", "vif_scale2", "adm_scale0_u8_both",
                              "adm_scale2_plain", "cambi_prepare_u16", "cambi_mode"}, kernels)


@unittest.skipUnless(CAN_PLANT, "SKIP: needs the emulator, a static library and no sanitizer")
class PlantedDefects(GateCase):
    """A kernel with a defect, in the probe itself; the gate names stage, scale and place."""

    def run_planted(self, name, job_filter):
        defect = next(d for d in DEFECTS if d.name == name)
        work = os.path.join(BUILD, "parity", name)
        os.makedirs(work, exist_ok=True)
        probe = planted.make_program(BUILD, defect.unit, "tests/check/parity_probe",
                                     defect.edits, work)
        report, text = self.run_gate("--backends", "emu64", "--filter", job_filter, "--bisect",
                                     probe=probe)
        self.assertFalse(report["passed"], text)
        failed = [o for o in report["backends"]["emu64"]["outcomes"] if o["where"]]
        self.assertTrue(failed, text)
        return failed[0]["where"], text

    def test_a_column_that_the_next_scale_lacks(self):
        where, text = self.run_planted("reg32_vif_last_column_of_next_scale_not_written",
                                       "sums/vif/default/129x65/8bit")
        self.assertEqual(where["scale"], 1)
        plane = where["bisected"]["plane"]
        self.assertEqual((plane["scale"], plane["row"], plane["column"]), (1, 0, 63), text)
        self.assertIn("plane for scale 1, row 0, pixel 63", text)

    def test_a_row_that_adm_leaves_out(self):
        where, text = self.run_planted("reg09_adm_region_one_row_short",
                                       "sums/adm/default/129x65/8bit")
        self.assertEqual(where["scale"], 0)
        _, top, _, bottom = where["bisected"]["window"]
        # Rows 3 to 29 of scale 0 count: the last is made of rows around 59.
        self.assertGreaterEqual(bottom, 50, text)
        self.assertLess(bottom - top, 16, text)

    def test_a_wrong_sample_that_adm_leaves_for_the_next_scale(self):
        where, text = self.run_planted("reg07_adm_wavelet_does_not_repeat_the_last_column",
                                       "sums/adm/default/129x65/8bit")
        plane = where["bisected"]["plane"]
        self.assertEqual((plane["scale"], plane["column"]), (1, 64), text)
        self.assertTrue(plane["kernel"].startswith("adm_scale0_u8"), text)

    def test_a_row_that_cambi_filters_too_many(self):
        where, text = self.run_planted("cambi_first_row_filtered", "sums/cambi/default/257x217")
        self.assertEqual(where["member"], "distorted: sum of the largest c")
        plane = where["bisected"]["plane"]
        self.assertEqual((plane["kernel"], plane["scale"], plane["row"]), ("cambi_mode", 0, 0))
        self.assertIn("stage cambi_mode, distorted plane", text)

    def test_a_mask_of_cambi(self):
        where, text = self.run_planted("cambi_mask_window_of_six_rows",
                                       "sums/cambi/default/257x217")
        self.assertEqual(where["bisected"]["plane"]["kernel"], "cambi_prepare_u16", text)

    def test_an_entropy_of_speed_chroma(self):
        where, text = self.run_planted("speed_chroma_entropy_without_the_noise",
                                       "sums/speed_chroma/default/163x161")
        self.assertEqual((where["scale"], where["stage"]), (None, "entropies"))
        self.assertEqual(where["member"], "Cb reference: E of block 0", text)


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    if program.result.testsRun == 0:
        sys.exit("no test was selected")
    sys.exit(0 if program.result.wasSuccessful() else 1)
