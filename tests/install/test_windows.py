#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tool for Windows, run under Wine: its logs beside those of the tool for Linux, and what
Windows does differently with files and standard streams. scripts/ci/test-windows.sh runs it.

    test_windows.py WINE TOOL.exe LINUX_TOOL STAND_IN_FFMPEG.exe
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True

from windows import CLIPS, NAMES, Case, read, without_speed  # noqa: E402

WINE, TOOL, LINUX_TOOL, FFMPEG = sys.argv[1:5]


class Windows(Case):
    def run_tool(self, *args, tool=(WINE, TOOL), **keywords):
        return self.run_program(*tool, *args, **keywords)

    def score(self, output, *args, reference="r.y4m", distorted="d.y4m", **keywords):
        return self.run_tool("-r", reference, "-d", distorted, "-q", "--backend", "cpu", "-o",
                             output, *args, **keywords)

    def test_logs_equal_those_of_linux(self):
        models = [[], ["--model", "version=vmaf_v0.6.1neg"],
                  ["--model", "version=vmaf_4k_v0.6.1", "--model", "version=vmaf_b_v0.6.3"],
                  ["--feature", "psnr", "--feature", "float_ssim", "--feature", "cambi"]]
        equal = 0
        for depth, (reference, distorted) in CLIPS.items():
            self.write("r.y4m", reference)
            self.write("d.y4m", distorted)
            for model in models:
                for kind in ("json",) if model else ("json", "xml", "csv", "sub", "html"):
                    args = [*model, "--" + kind, "--precision", "max"]
                    mine = self.score("windows", *args)
                    theirs = self.score("linux", *args, tool=(LINUX_TOOL,))
                    self.assertEqual(mine.stdout, theirs.stdout)
                    log = without_speed(read(self.path("windows")))
                    self.assertGreater(len(log), 100)
                    self.assertEqual(log, without_speed(read(self.path("linux"))), (args, depth))
                    equal += 1
        self.assertEqual(equal, 2 * (len(models) - 1 + 5))

    def test_names_that_are_not_ascii(self):
        self.write(NAMES + ".y4m", CLIPS[8][0])
        self.score(NAMES + ".json", "--json", reference=NAMES + ".y4m")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         sorted(["r.y4m", "d.y4m", NAMES + ".y4m", NAMES + ".json"]))
        self.run_tool("report", NAMES + ".json", "-o", NAMES + ".html")
        self.assertIn(b"<html", read(self.path(NAMES + ".html")))

    def test_model_file_whose_name_is_not_ascii(self):
        models = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models")
        self.write(NAMES + ".json", read(os.path.join(models, "vmaf_v0.6.1.json")))
        self.score("name.csv", "--csv")
        for name in (NAMES + ".json", ".\\" + NAMES + ".json"):
            self.score("file.csv", "--csv", "--model", "path=" + name)
            self.assertEqual(read(self.path("file.csv")), read(self.path("name.csv")))

    def test_standard_streams_carry_bytes(self):
        self.score("file.csv", "--csv")
        result = self.score("-", "--csv", reference="-", data=CLIPS[8][0])
        self.assertIn(read(self.path("file.csv")), result.stdout)
        self.assertNotIn(b"\r", result.stdout)

    def test_log_replaces_an_older_one(self):
        self.score("log", "--json")
        self.score("log", "--csv")
        self.assertTrue(read(self.path("log")).startswith(b"Frame"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "log", "r.y4m"])

    def test_temporary_file_is_beside_the_log(self):
        os.mkdir(self.path("sub"))
        stale = self.path("sub", ".vmaf_gpu_log.a.csv")
        self.write("sub/.vmaf_gpu_log.a.csv", b"of a process that was killed")
        for name in (self.windows_path("sub", "a.csv"), "sub\\b.csv", "sub/c.csv"):
            self.score(name, "--csv")
        self.assertFalse(os.path.exists(stale))
        self.assertEqual(sorted(os.listdir(self.path("sub"))), ["a.csv", "b.csv", "c.csv"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "r.y4m", "sub"])

    def test_devices(self):
        for name in ("NUL", "nul", "\\\\.\\NUL"):
            self.score(name, "--json")
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "r.y4m"])

    def test_file_with_two_names_stays_one(self):
        self.write("log", b"Frame,old" * 100000)
        os.link(self.path("log"), self.path("other"))
        self.score("log", "--csv")
        self.assertTrue(os.path.samefile(self.path("log"), self.path("other")))
        self.assertTrue(read(self.path("other")).startswith(b"Frame,integer"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "log", "other", "r.y4m"])

    def test_inputs_and_videos_are_kept(self):
        self.write("video", CLIPS[8][1])
        for name in ("r.y4m", "R.Y4M", ".\\d.y4m", self.windows_path("d.y4m"), "video"):
            result = self.score(name, "--json", code=1)
            self.assertRegex(result.stderr.decode(), "input|video")
        self.assertEqual(read(self.path("r.y4m")), CLIPS[8][0])
        self.assertEqual(read(self.path("d.y4m")), CLIPS[8][1])
        self.assertEqual(read(self.path("video")), CLIPS[8][1])
        self.assertEqual(sorted(os.listdir(self.folder)), ["d.y4m", "r.y4m", "video"])

    def test_places_that_cannot_be_written(self):
        os.mkdir(self.path("folder"))
        self.write("kept", b"Frame,kept")
        os.chmod(self.path("kept"), 0o444)
        for name, reason in (("none\\a.json", "No such file"), ("folder", "directory"),
                             ("folder\\", "directory"), ("kept", "Permission denied")):
            result = self.score(name, "--json", code=1)
            self.assertIn("cannot write log '" + name + "': ", result.stderr.decode())
            self.assertIn(reason, result.stderr.decode())
        self.assertEqual(read(self.path("kept")), b"Frame,kept")

    def test_pictures_of_the_worst_frames(self):
        """test_logs_equal_those_of_linux compares these logs with those of Linux."""
        self.score("page", "--html")
        self.assertEqual(read(self.path("page")).count(b"data:image/png;base64,"), 2 * 6)

    def test_heatmaps(self):
        # Twice: it escapes a character there.
        folders = {"windows/a\\\\" + NAMES: (WINE, TOOL), "linux": (LINUX_TOOL,)}
        for folder, tool in folders.items():
            for _ in range(2):  # the second run replaces the files
                self.score("log", "--json", "-n", "--feature", "cambi=heatmaps_path=" + folder,
                           tool=tool)
        mine, theirs = self.path("windows", "a", NAMES), self.path("linux")
        self.assertEqual(len(os.listdir(theirs)), 5)
        self.assertEqual(sorted(os.listdir(mine)), sorted(os.listdir(theirs)))
        for name in os.listdir(theirs):
            self.assertGreater(len(read(os.path.join(theirs, name))), 0)
            self.assertEqual(read(os.path.join(mine, name)), read(os.path.join(theirs, name)))

    def test_heatmaps_that_cannot_be_written(self):
        self.write("file", b"")
        os.makedirs(self.path("folder", "cambi_heatmap_scale_0_224x176_16b.gray"))
        for folder, reason in (("file", "Not a directory"), ("file\\\\x", "cannot make the folder"),
                               ("folder", "directory")):
            result = self.score("log", "--json", "-n", "--feature", "cambi=heatmaps_path=" + folder,
                                code=1)
            self.assertIn(reason, result.stderr.decode())

    def decode(self, name, *args, ffmpeg=FFMPEG, code=0):
        return self.score("log", "--csv", *args, reference=name, code=code,
                          env={"VMAF_GPU_FFMPEG": ffmpeg})

    def test_video_is_read_through_ffmpeg(self):
        self.score("wanted", "--csv")
        for name in ("video.mp4", "a b " + NAMES + ".mp4"):
            self.write(name, b"stand-in\n" + CLIPS[8][0])
            result = self.decode(name)
            self.assertEqual(read(self.path("log")), read(self.path("wanted")))
            self.assertEqual(result.stderr, b"")

    def test_ffmpeg_of_the_path(self):
        self.score("wanted", "--csv")
        self.write("video.mp4", b"stand-in\n" + CLIPS[8][0])
        os.mkdir(self.path("programs"))
        os.symlink(FFMPEG, self.path("programs", "ffmpeg.exe"))
        self.score("log", "--csv", reference="video.mp4",
                   env={"WINEPATH": self.windows_path("programs")})
        self.assertEqual(read(self.path("log")), read(self.path("wanted")))
        result = self.score("log", "--csv", reference="video.mp4", code=1)
        self.assertIn("ffmpeg", result.stderr.decode())

    def test_ffmpeg_that_fails(self):
        self.write("video.mp4", b"stand-in, fails\n" + CLIPS[8][0])
        result = self.decode("video.mp4", code=1)
        self.assertIn("ffmpeg failed after picture 6", result.stderr.decode())
        self.assertIn(b"incomplete", result.stderr)
        for program in (self.path("none.exe"), self.folder):
            self.assertIn("ffmpeg", self.decode("video.mp4", ffmpeg=program, code=1).stderr.decode())

    def test_ffmpeg_is_ended_early(self):
        """The encoder would never end by itself."""
        self.write("video.mp4", b"stand-in, endless\n" + CLIPS[8][0])
        self.decode("video.mp4", "--frame_cnt", "3")
        self.assertEqual(read(self.path("log")).count(b"\n"), 4)

    def test_matrix_of_a_decoded_video(self):
        self.write("video.mp4", b"stand-in\n" + CLIPS[8][0])
        self.score("page", "--html", "--formats", "asis", reference="video.mp4", env={"VMAF_GPU_FFMPEG": FFMPEG})
        text = b"converted by BT.2020 (as the file says)"
        self.assertEqual(read(self.path("page")).count(text), 1)

    def test_gpu_backends_are_refused_with_the_reason(self):
        for backend in ("cuda", "hip"):
            result = self.run_tool("-r", "r.y4m", "-d", "d.y4m", "--backend", backend, code=1)
            self.assertRegex(result.stderr.decode(), "not in this build|nvcuda.dll|amdhip64_7.dll")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
