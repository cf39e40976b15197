#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""FFmpeg for Windows with the filter, run under Wine: its logs beside those of FFmpeg for Linux,
names of files, devices and pipes. scripts/test-windows.sh ffmpeg runs it.

    test_ffmpeg.py WINE FFMPEG.exe LINUX_FFMPEG
"""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True

from windows import CLIPS, NAMES, Case, read, without_speed  # noqa: E402

WINE, FFMPEG, LINUX_FFMPEG = sys.argv[1:4]


class Ffmpeg(Case):
    def score(self, options, *output, ffmpeg=(WINE, FFMPEG), inputs=("d.y4m", "r.y4m"), **keywords):
        return self.run_program(
            *ffmpeg, "-nostdin", "-hide_banner", "-v", "error", "-y", "-i", inputs[0], "-i",
            inputs[1], "-lavfi", "[0:v][1:v]vmaf_gpu=backend=cpu:" + options,
            *(output or ("-f", "null", "-")), **keywords)

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
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
