#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A program with more rights than its user takes no library that the environment names. A copy of
the tool with the set-group-ID bit is such a program when another user runs it. Needs root, and a
build with CUDA or HIP; otherwise it is skipped (77) and says why.

    test_secure.py TOOL
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv[1]
NOBODY = 65534
GROUP = 12345 # group of the file; the user's group is another one
LIBRARIES = {"cuda": "VMAFGPU_CUDA_LIBRARY", "hip": "VMAFGPU_HIP_LIBRARY"}
PLANTED = "/nonexistent/planted.so"


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


class Secure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.folder = folder.name
        with open(self.path("video"), "wb") as file:
            file.write(bytes(17 * 17))
        os.chmod(self.path("video"), 0o644)

    def path(self, name):
        return os.path.join(self.folder, name)

    def copy(self, program, name, mode):
        shutil.copyfile(program, self.path(name))
        os.chown(self.path(name), 0, GROUP)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def run_as_nobody(self, *command, **variables):
        return subprocess.run(command, capture_output=True, timeout=60, check=False, user=NOBODY,
                              group=NOBODY, extra_groups=[], cwd="/", env={**os.environ, **variables},
                              encoding="utf-8")

    def message(self, tool, backend):
        run = self.run_as_nobody(tool, "--backend", backend, "-r", self.path("video"), "-d",
                                 self.path("video"), "-w", "17", "-h", "17", "-p", "400", "-b", "8",
                                 **{LIBRARIES[backend]: PLANTED})
        self.assertIn(f"{backend}", run.stderr.lower())
        return run.stderr

    def test_environment_is_not_trusted(self):
        cat = self.copy(shutil.which("cat"), "cat", 0o2755)
        groups = self.run_as_nobody(cat, "/proc/self/status").stdout
        if f"Gid:\t{NOBODY}\t{GROUP}" not in groups:
            self.skipTest("the set-group-ID bit has no effect here (nosuid)")
        plain = self.copy(TOOL, "plain", 0o755)
        privileged = self.copy(TOOL, "privileged", 0o2755)
        tested = []
        for backend in LIBRARIES:
            text = self.message(plain, backend)
            if "is not in this build" in text:
                continue
            tested.append(backend)
            self.assertIn(PLANTED, text)
            self.assertNotIn(PLANTED, self.message(privileged, backend))
        if not tested:
            self.skipTest("neither CUDA nor HIP is in this build")
        print("tested:", ", ".join(tested))


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("needs root")
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    if program.result.testsRun == 0:
        sys.exit("no test was selected")
    if program.result.skipped:
        skip(program.result.skipped[0][1])
    sys.exit(0 if program.result.wasSuccessful() else 1)
