#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tool for Windows, run under Wine: its logs beside those of the tool for Linux, and what
Windows does differently with files and standard streams. scripts/test-windows.sh runs it.

    test_windows.py WINE TOOL.exe LINUX_TOOL
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

WINE, TOOL, LINUX_TOOL = sys.argv[1:4]
NAMES = "r\u00e9f\u65e5\u672c"


def clip(width, height, count, seed, depth=8):
    """Noise over a moving ramp. The first picture begins with 1A, the end of a text file."""
    noise = random.Random(seed)
    wide = 2 if depth > 8 else 1
    tag = "420" if depth == 8 else f"420p{depth}"
    data = [f"YUV4MPEG2 W{width} H{height} F25:1 C{tag}\n".encode()]
    limit = (1 << depth) - 1
    for picture in range(count):
        row = [((x * 3 + picture * 7) % 160 << (depth - 8)) for x in range(width)]
        samples = [min(limit, value + noise.randrange(24 << (depth - 8)))
                   for _ in range(height) for value in row]
        samples[0] = 0x1a
        samples += [1 << (depth - 1)] * (width * height // 2)
        data.append(b"FRAME\n" + b"".join(value.to_bytes(wide, "little") for value in samples))
    return b"".join(data)


CLIPS = {depth: [clip(224, 176, 6, seed, depth) for seed in (1, 2)] for depth in (8, 10)}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def without_speed(log):
    """The one value of a log that is not a result."""
    return re.sub(rb'("fps": |fps=")[0-9.]+|[0-9.]+(?= frames/s)', rb"\1", log)


class Windows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("r.y4m", CLIPS[8][0])
        self.write("d.y4m", CLIPS[8][1])

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def windows_path(self, *names):
        """Wine shows the whole file system as drive Z."""
        return "Z:" + self.path(*names).replace("/", "\\")

    def run_tool(self, *args, code=0, data=None, tool=(WINE, TOOL)):
        result = subprocess.run([*tool, *args], input=data, capture_output=True, timeout=120,
                                check=False, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stderr.decode(errors="replace"))
        return result

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
        stale = self.path("sub", ".vmaf_gpu_log.1.0")
        self.write("sub/.vmaf_gpu_log.1.0", b"of a process that was killed")
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
        self.write("log", b"old" * 100000)
        os.link(self.path("log"), self.path("other"))
        self.score("log", "--csv")
        self.assertTrue(os.path.samefile(self.path("log"), self.path("other")))
        self.assertTrue(read(self.path("other")).startswith(b"Frame"))
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
        self.write("kept", b"kept")
        os.chmod(self.path("kept"), 0o444)
        for name, reason in (("none\\a.json", "No such file"), ("folder", "directory"),
                             ("folder\\", "directory"), ("kept", "Permission denied")):
            result = self.score(name, "--json", code=1)
            self.assertIn("cannot write log '" + name + "': ", result.stderr.decode())
            self.assertIn(reason, result.stderr.decode())
        self.assertEqual(read(self.path("kept")), b"kept")

    def test_gpu_backends_are_refused_with_the_reason(self):
        for backend in ("cuda", "hip"):
            result = self.run_tool("-r", "r.y4m", "-d", "d.y4m", "--backend", backend, code=1)
            self.assertRegex(result.stderr.decode(), "not in this build|nvcuda.dll|amdhip64_7.dll")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
