#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The archive of scripts/ci/release-windows.sh under Wine, unpacked into a folder whose name has a space
and letters that are not ASCII: tool, FFmpeg and a program of ours that uses the library. No GPU takes
part. scripts/ci/test-windows.sh release runs it.

    test_release.py WINE ARCHIVE.zip LINUX_TOOL C_COMPILER
"""
import os
import re
import sys
import unittest
import zipfile

sys.dont_write_bytecode = True

from windows import BACKENDS, NAMES, Case, read, without_speed  # noqa: E402

WINE, ARCHIVE, LINUX_TOOL, COMPILER = sys.argv[1:5]
NO_GPU = {backend.variable: "none" for backend in BACKENDS.values()}
PROGRAM = """
#include <stdio.h>
#include <vmaf_gpu/vmaf_gpu.h>
int main(void)
{
    printf("%s %d\\n", vmafgpu_version(), vmafgpu_api_version() == VMAFGPU_API_VERSION);
    return 0;
}
"""


class Release(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("a " + NAMES))
        with zipfile.ZipFile(ARCHIVE) as archive:
            self.names = archive.namelist()
            archive.extractall(self.path("a " + NAMES))
        self.release = os.path.join("a " + NAMES, os.path.basename(ARCHIVE)[:-len(".zip")])

    def run_here(self, program, *args, **keywords):
        return self.run_program(WINE, self.path(self.release, program), *args, env=NO_GPU, **keywords)

    def test_what_is_in_it(self):
        top = os.path.basename(self.release)
        self.assertEqual({name.split("/")[0] for name in self.names}, {top})
        for name in ("README.md", "build-environment.txt", "lib/libvmaf_gpu.dll.a",
                     "include/vmaf_gpu/vmaf_gpu.h", "licences/FFmpeg-LGPL-2.1.txt",
                     "licences/zlib.txt"):
            self.assertIn(f"{top}/{name}", self.names)

    def test_tool(self):
        args = ["-r", "r.y4m", "-d", "d.y4m", "-q", "--json", "--precision", "max"]
        log = os.path.join("a " + NAMES, "log")
        self.run_here("vmaf_gpu.exe", *args, "-o", log)
        self.run_program(LINUX_TOOL, *args, "--backend", "cpu", "-o", "wanted")
        self.assertEqual(without_speed(read(self.path(log))), without_speed(read(self.path("wanted"))))
        listed = self.run_here("vmaf_gpu.exe", "--list-devices").stdout.decode()
        self.assertTrue(listed.startswith("cpu "), listed)
        self.assertNotIn("emu", listed)
        for backend, of in BACKENDS.items():  # both are built
            result = self.run_program(WINE, self.path(self.release, "vmaf_gpu.exe"), "-r", "r.y4m",
                                      "-d", "d.y4m", "--backend", backend, code=1)
            self.assertIn(of.names[0], result.stderr.decode())

    def test_ffmpeg(self):
        log = os.path.join("a " + NAMES, "log").replace(os.sep, "/")
        self.run_here("ffmpeg.exe", "-v", "error", "-nostdin", "-i", "d.y4m", "-i", "r.y4m", "-lavfi",
                      f"[0:v][1:v]vmaf_gpu=log_fmt=csv:log_path={log}", "-f", "null", "-")
        self.run_program(LINUX_TOOL, "-r", "r.y4m", "-d", "d.y4m", "-q", "--csv", "--backend", "cpu",
                         "-o", "wanted")
        self.assertEqual(read(self.path(log)), read(self.path("wanted")))
        result = self.run_here("ffprobe.exe", "-v", "error", "-show_entries", "stream=width,height",
                               "-of", "csv=p=0", "r.y4m")
        self.assertEqual(result.stdout.split(), [b"224,176"])
        version = self.run_here("ffmpeg.exe", "-version").stdout.decode()
        configuration = re.search("configuration: (.*)", version).group(1)
        self.assertIn("--enable-libvmaf-gpu", configuration)
        self.assertNotRegex(configuration, r"[ =]/|nonfree|enable-gpl")  # no path of the build

    def test_video_through_ffmpeg_beside_it(self):
        video = "v " + NAMES + ".mkv"
        self.run_here("ffmpeg.exe", "-v", "error", "-nostdin", "-i", "d.y4m", "-c:v", "ffv1", video)
        result = self.run_program(
            WINE, self.path(self.release, "vmaf_gpu.exe"), "-r", "r.y4m", "-d", video, "-q", "--csv",
            "-o", "log", env={**NO_GPU, "WINEPATH": self.windows_path(self.release)})
        self.assertEqual(result.stderr, b"")
        self.run_here("vmaf_gpu.exe", "-r", "r.y4m", "-d", "d.y4m", "-q", "--csv", "-o", "wanted")
        self.assertEqual(read(self.path("log")), read(self.path("wanted")))

    def test_program_that_uses_the_library(self):
        self.write("program.c", PROGRAM.encode())
        self.run_program(COMPILER, "program.c", "-I" + self.path(self.release, "include"),
                         "-L" + self.path(self.release, "lib"), "-lvmaf_gpu", "-o",
                         self.path(self.release, "program.exe"))
        result = self.run_here("program.exe")
        self.assertRegex(result.stdout.decode(), r"^[0-9.]+ 1\r?\n$")
        exports = set(re.findall(rb"__imp_(\w+)", read(self.path(self.release, "lib",
                                                                 "libvmaf_gpu.dll.a"))))
        self.assertIn(b"vmafgpu_submit", exports)
        self.assertEqual([name for name in exports if not name.startswith(b"vmafgpu_")], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
