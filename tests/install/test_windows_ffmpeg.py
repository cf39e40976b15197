#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""FFmpeg for Windows with the filter, run under Wine: its logs beside those of FFmpeg for Linux, also
by the backend hip over stand-ins; names of files, devices and pipes. scripts/ci/test-windows.sh ffmpeg
runs it.

    test_ffmpeg.py WINE FFMPEG.exe LINUX_FFMPEG STANDINS LINUX_STANDINS
"""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True

from windows import BACKENDS, CLIPS, NAMES, Case, Standins, read, without_speed  # noqa: E402

WINE, FFMPEG, LINUX_FFMPEG = sys.argv[1:4]
STANDINS, LINUX_STANDINS = Standins(sys.argv[4], "Z:"), Standins(sys.argv[5], "")


class Ffmpeg(Case):
    def score(self, options, *output, ffmpeg=(WINE, FFMPEG), inputs=("d.y4m", "r.y4m"),
              backend="cpu", level="error", **keywords):
        return self.run_program(
            *ffmpeg, "-nostdin", "-hide_banner", "-v", level, "-y", "-i", inputs[0], "-i",
            inputs[1], "-lavfi", f"[0:v][1:v]vmaf_gpu=backend={backend}:{options}",
            *(output or ("-f", "null", "-")), **keywords)

    def score_by_hip(self, options, ffmpeg, standins):
        """The log, and what the filter says."""
        result = self.score(options + ":log_path=log", ffmpeg=ffmpeg, backend="hip", level="verbose",
                            env=standins.only("hip"))
        # They may stand behind a line of progress.
        lines = re.findall(r"\[Parsed_vmaf_gpu_0 @ [^]]*\] (.*?)\r?$", result.stderr.decode(), re.M)
        log = without_speed(read(self.path("log")))
        os.unlink(self.path("log"))
        return log, [re.sub("[0-9.]+ fps", "", line) for line in lines]

    def test_logs_equal_those_of_linux(self):
        options = ["", "model=version=vmaf_v0.6.1neg:feature=name=psnr|name=cambi",
                   "model=version=vmaf_b_v0.6.3:precision=max", "n_subsample=2:threads=3"]
        equal = 0
        for depth, (reference, distorted) in CLIPS.items():
            self.write("r.y4m", reference)
            self.write("d.y4m", distorted)
            for option in options:
                for kind in ("json",) if option else ("json", "xml", "csv", "sub", "html"):
                    logs = []
                    for ffmpeg in ((WINE, FFMPEG), (LINUX_FFMPEG,)):
                        self.score(f"{option}{option and ':'}log_fmt={kind}:log_path=log",
                                   ffmpeg=ffmpeg)
                        logs.append(without_speed(read(self.path("log"))))
                        os.unlink(self.path("log"))
                    self.assertGreater(len(logs[0]), 100)
                    self.assertEqual(logs[0], logs[1], (option, kind, depth))
                    equal += 1
        self.assertEqual(equal, 2 * (len(options) - 1 + 5))

    def test_logs_and_messages_by_hip_equal_those_of_linux(self):
        for depth, (reference, distorted) in CLIPS.items():
            self.write("r.y4m", reference)
            self.write("d.y4m", distorted)
            for options in ("log_fmt=xml:feature=name=psnr", "log_fmt=json:precision=max"):
                log, lines = self.score_by_hip(options, (WINE, FFMPEG), STANDINS)
                wanted, wanted_lines = self.score_by_hip(options, (LINUX_FFMPEG,), LINUX_STANDINS)
                self.assertGreater(len(log), 1000)
                self.assertEqual(log, wanted, (options, depth))
                self.assertIn("stand-in 0 on the emulator", "".join(lines))
                self.assertEqual(lines, wanted_lines)

    def test_no_library_of_a_driver(self):
        for backend, of in BACKENDS.items():
            result = self.score("", backend=backend, code=None)
            self.assertNotEqual(result.returncode, 0)
            for name in of.names:
                self.assertIn(name, result.stderr.decode())

    def test_drive_letters(self):
        self.score("log_fmt=csv:log_path=wanted")
        path = "Z:" + self.path("log").replace(os.sep, "/")
        for text in (path.replace(":", r"\\:"), "'" + path.replace(":", r"\:") + "'",
                     "'" + path.replace(":", r"\:").replace("/", r"\\") + "'"):
            self.score(f"log_fmt=csv:log_path={text}")
            self.assertEqual(read(self.path("log")), read(self.path("wanted")))
            os.unlink(self.path("log"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "r.y4m", "wanted"])

    def test_names_that_are_not_ascii(self):
        self.write(NAMES + ".y4m", CLIPS[8][1])
        self.score(f"log_fmt=csv:log_path={NAMES}.csv:stats_file={NAMES}.txt",
                   inputs=(NAMES + ".y4m", "r.y4m"))
        self.score("log_fmt=csv:log_path=wanted")
        self.assertEqual(read(self.path(NAMES + ".csv")), read(self.path("wanted")))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(
            ["d.y4m", "r.y4m", "wanted", NAMES + ".csv", NAMES + ".txt", NAMES + ".y4m"]))

    def test_log_replaces_an_older_one(self):
        self.score("log_path=log")
        self.score("log_fmt=csv:log_path=log")
        self.assertTrue(read(self.path("log")).startswith(b"Frame"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "log", "r.y4m"])

    def test_devices(self):
        for name in ("NUL", "nul"):
            self.score("log_path=" + name)
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "r.y4m"])

    def test_inputs_are_kept(self):
        for name in ("r.y4m", r".\\\\d.y4m", "R.Y4M"):
            result = self.score("log_path=" + name, code=None)
            self.assertNotEqual(result.returncode, 0)
            self.assertRegex(result.stderr.decode(), "input|video")
        self.assertEqual([read(self.path("r.y4m")), read(self.path("d.y4m"))], CLIPS[8])

    def test_standard_output(self):
        self.score("log_fmt=csv:log_path=wanted")
        result = self.score("log_fmt=csv:log_path=-")
        self.assertIn(read(self.path("wanted")), result.stdout)
        self.assertNotIn(b"\r", result.stdout)

    def test_pictures_pass_through_a_pipe(self):
        result = self.score("log_fmt=csv:log_path=log", "-f", "rawvideo", "-")
        pictures = re.split(b"FRAME\n", CLIPS[8][1])[1:]
        self.assertEqual(result.stdout, b"".join(pictures))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
