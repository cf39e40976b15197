#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The GPU backends of the tool for Windows over stand-ins for the drivers' libraries, run under
Wine: logs and messages beside those of the tool for Linux over its own stand-ins, and how the
libraries are found. scripts/ci/test-windows.sh runs it. No GPU takes part.

    test_gpu.py WINE TOOL.exe LINUX_TOOL STANDINS LINUX_STANDINS FOLDER_OF_WINE
"""
import os
import shutil
import sys
import unittest

sys.dont_write_bytecode = True

from windows import BACKENDS, CLIPS, NAMES, Case, Standins, read, without_speed  # noqa: E402

WINE, TOOL, LINUX_TOOL = sys.argv[1:4]
STANDINS, LINUX_STANDINS = Standins(sys.argv[4], "Z:"), Standins(sys.argv[5], "")
SYSTEM32 = os.path.join(sys.argv[6], "drive_c", "windows", "system32")
HIP_NAMES = BACKENDS["hip"].names


class Gpu(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.uninstall)
        self.uninstall()

    def uninstall(self):
        for backend in BACKENDS.values():
            for name in backend.names:
                if os.path.exists(os.path.join(SYSTEM32, name)):
                    os.unlink(os.path.join(SYSTEM32, name))

    def install(self, backend, name, data=None):
        """A library of the display driver: the stand-in, or `data`."""
        path = os.path.join(SYSTEM32, name)
        if data is None:
            shutil.copy(STANDINS.file(backend), path)
        else:
            with open(path, "wb") as file:
                file.write(data)

    def score(self, backend, *args, tool=(WINE, TOOL), **keywords):
        """Messages and the log; the log is None if there is none."""
        log = self.path("log")
        if os.path.exists(log):
            os.unlink(log)
        result = self.run_program(*tool, "-r", "r.y4m", "-d", "d.y4m", "--backend", backend, "-o",
                                  "log", *(args or ("--csv",)), **keywords)
        text = (result.stdout + result.stderr).decode()
        return text, without_speed(read(log)) if os.path.exists(log) else None

    def refused(self, backend, env=None):
        text, _ = self.score(backend, code=1, env=env)
        return text.replace("\r", "")

    def scores_of_cpu(self):
        return self.score("cpu")[1]

    def test_logs_equal_those_of_linux(self):
        runs = [("hip", 8, kind) for kind in ("json", "xml", "csv", "sub", "html")]
        runs += [("hip", 10, "json"), ("cuda", 8, "json"), ("cuda", 10, "xml")]
        for backend, depth, kind in runs:
            self.write("r.y4m", CLIPS[depth][0])
            self.write("d.y4m", CLIPS[depth][1])
            args = ["--" + kind, "--precision", "max"]
            if depth == 10:
                args += ["--feature", "psnr", "--feature", "cambi", "--feature", "float_ssim"]
            mine, log = self.score(backend, *args, env=STANDINS.only(backend))
            theirs, wanted = self.score(backend, *args, tool=(LINUX_TOOL,),
                                        env=LINUX_STANDINS.only(backend))
            self.assertIn("stand-in 0 on the emulator", mine)
            self.assertEqual(mine.replace("\r", ""), theirs, (backend, kind))
            self.assertGreater(len(log), 100)
            self.assertEqual(log, wanted, (backend, kind, depth))

    def test_list_of_devices_equals_that_of_linux(self):
        for backend in BACKENDS:
            more = {"VMAFGPU_STANDIN_DEVICES": "2", "VMAFGPU_STANDIN_UNITS": "2i,60"}
            lists = [self.run_program(*tool, "--list-devices", env={**standins.only(backend), **more})
                     for tool, standins in (((WINE, TOOL), STANDINS), ((LINUX_TOOL,), LINUX_STANDINS))]
            self.assertEqual(lists[0].stdout.replace(b"\r", b""), lists[1].stdout)
            self.assertTrue(lists[0].stdout.startswith(backend.encode() + b":1 "), lists[0].stdout)

    def test_names_in_their_order(self):
        """The first that is there is taken. A call that fails tells which one it was."""
        failure = {"VMAFGPU_STANDIN_FAIL": "hipInit#1=100"}
        for name in HIP_NAMES:
            self.install("hip", name)
        for name in HIP_NAMES:
            self.assertIn(f"no AMD GPU is visible to {name}: hipInit", self.refused("hip", failure))
            self.assertEqual(self.score("hip")[1], self.scores_of_cpu())
            os.unlink(os.path.join(SYSTEM32, name))
        self.assertIn("no HIP runtime: found none of " + ", ".join(HIP_NAMES) + "; AMD's display driver",
                      self.refused("hip"))

    def test_name_of_nvidia(self):
        self.assertRegex(self.refused("cuda"), "no CUDA driver: nvcuda.dll: .")
        self.install("cuda", "nvcuda.dll")
        self.assertEqual(self.score("cuda")[1], self.scores_of_cpu())

    def test_libraries_that_are_none(self):
        """A library that cannot be loaded is passed over, and named if there is no other."""
        self.install("hip", HIP_NAMES[0], b"no library")
        self.assertRegex(self.refused("hip"),
                         f"the HIP runtime cannot be loaded: {HIP_NAMES[0]}: [^%]+$")
        self.install("hip", HIP_NAMES[1])
        self.assertEqual(self.score("hip")[1], self.scores_of_cpu())
        self.install("cuda", "nvcuda.dll", b"no library")
        self.assertRegex(self.refused("cuda"), "no CUDA driver: nvcuda.dll: [^%]+$")

    def test_libraries_that_lack_an_entry_point(self):
        for backend, name, entry, text in (("hip", HIP_NAMES[1], b"hipStreamWaitEvent", "HIP runtime"),
                                           ("cuda", "nvcuda.dll", b"cuStreamWaitEvent", "CUDA driver")):
            data = read(STANDINS.file(backend))
            without = data.replace(b"\0" + entry + b"\0", b"\0" + entry[:-1] + b"X\0")
            self.assertEqual(len(without), len(data))
            self.assertNotEqual(without, data)
            self.install(backend, name, without)
            self.assertIn(f"{text} is too old: {name} has no {entry.decode()}", self.refused(backend))

    def test_other_folders_are_not_searched(self):
        for backend, of in BACKENDS.items():
            shutil.copy(STANDINS.file(backend), self.path(of.names[0]))
            self.assertIn(of.names[0], self.refused(backend))

    def test_paths_that_are_not_ascii(self):
        os.mkdir(self.path("a " + NAMES))
        for backend, of in BACKENDS.items():
            name = os.path.join("a " + NAMES, NAMES + ".dll")
            shutil.copy(STANDINS.file(backend), self.path(name))
            for path in (self.windows_path(name), name.replace("/", "\\")):
                env = {**STANDINS.only(backend), of.variable: path}
                self.assertEqual(self.score(backend, env=env)[1], self.scores_of_cpu())
                text = self.refused(backend, {**env, of.variable: path + "x.dll"})
                self.assertIn(path + "x.dll", text)

    def test_calls_that_fail(self):
        """The program ends, says which call failed, and gives everything back: the stand-in would
        end it with status 86."""
        for backend, of in BACKENDS.items():
            for failures in (of.launch + "#3=719", "lost#100=719"):
                env = {**STANDINS.only(backend), "VMAFGPU_STANDIN_FAIL": failures,
                       "VMAFGPU_STANDIN_LOG": "calls"}
                text = self.refused(backend, env)
                call = of.launch if "#3" in failures else read(self.path("calls")).split()[99].decode()
                self.assertIn(call, text)
                self.assertNotRegex(text, "LEAK|MISUSE")

    def test_auto(self):
        text, log = self.score("auto")
        self.assertIn("cuda: no CUDA driver; hip: no HIP runtime", text)
        self.assertEqual(log, self.scores_of_cpu())
        for backend in ("hip", "cuda"):
            self.install(backend, BACKENDS[backend].names[-1])
            text, log = self.score("auto")
            self.assertIn(f"backend {backend} (stand-in 0", text)
            self.assertEqual(log, self.scores_of_cpu())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[7:])
