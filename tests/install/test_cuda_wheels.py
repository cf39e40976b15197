#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/cuda-wheels.sh with stand-ins for pip: what it says first, and that whatever goes wrong,
nothing is left half-installed, one sentence names the cure, and the next run goes on. No network.

    test_wheels.py SOURCE_ROOT
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = None

HEAD = "#!/bin/sh\n"
# Called as: pip --version, or pip ... --target FOLDER ...
PIP_HEAD = HEAD + """[ "$1" != --version ] || exit 0
echo called >> "$CALLS"
while [ "$1" != --target ]; do shift; done
folder=$2/nvidia/cu13/bin
mkdir -p "$folder"
"""
WORKING_NVCC = """cat > "$folder/nvcc" <<'END'
#!/bin/sh
while [ $# -gt 1 ]; do shift; done
echo code > "$1"
END
chmod +x "$folder/nvcc"
"""
CUT_NVCC = 'printf \'#!/bin/sh\\nexit 3\\n\' > "$folder/nvcc"; chmod +x "$folder/nvcc"\n'


class Wheels(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        self.build = self.root / "build"
        self.calls = self.root / "calls"

    def command(self, pip, *options):
        path = self.root / "pip"
        path.write_text(pip)
        path.chmod(0o755)
        environment = dict(os.environ, PIP=str(path), CALLS=str(self.calls))
        return [str(self.root / "scripts/cuda-wheels.sh"), *options], environment

    def run_with(self, pip, *options):
        command, environment = self.command(pip, *options)
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def number_of_calls(self):
        return len(self.calls.read_text().split()) if self.calls.exists() else 0

    def expect_nothing_left(self):
        left = sorted(p.name for p in self.build.iterdir()) if self.build.exists() else []
        self.assertEqual([], left)

    def expect_failure(self, done, *words):
        self.assertEqual(1, done.returncode, done.stderr)
        errors = [line for line in done.stderr.split("\n") if ": error: " in line]
        self.assertEqual(1, len(errors), done.stderr)
        for word in words:
            self.assertIn(word, errors[0])
        self.expect_nothing_left()

    def expect_success(self):
        done = self.run_with(PIP_HEAD + WORKING_NVCC)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertTrue((self.build / "cuda-wheels/nvidia/cu13/bin/nvcc").exists())
        self.assertEqual(["cuda-wheels"], [p.name for p in self.build.iterdir()])

    def test_licence_and_size_come_first(self):
        done = self.run_with(PIP_HEAD + 'grep -q . "$CALLS" && exit 1\n', "--plan")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("License Agreement for NVIDIA Software Development Kits", done.stdout)
        self.assertRegex(done.stdout, r"\d+ MB to download, \d+ MB in build/cuda-wheels")
        self.assertEqual(0, self.number_of_calls())
        self.expect_nothing_left()

    def test_success_and_again(self):
        self.expect_success()
        done = self.run_with(PIP_HEAD + "exit 1\n")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("there already", done.stderr)
        self.assertEqual(1, self.number_of_calls())

    def test_no_network(self):
        done = self.run_with(PIP_HEAD + 'echo half > "$folder/nvcc"; echo no route >&2; exit 1\n')
        self.expect_failure(done, "check network and proxy", "run this script again")
        self.assertIn("no route", done.stderr)
        self.expect_success()

    def test_cut_wheel(self):
        self.expect_failure(self.run_with(PIP_HEAD + CUT_NVCC), "does not work", "not kept")
        self.expect_success()

    def test_no_pip(self):
        self.expect_failure(self.run_with(HEAD + "exit 1\n"), "python3-pip")

    def test_wrong_option(self):
        self.expect_failure(self.run_with(PIP_HEAD, "--yes"), "usage")
        self.assertEqual(0, self.number_of_calls())

    def test_stopped_and_killed(self):
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            command, environment = self.command(
                PIP_HEAD + 'touch "$folder/stale" "$CALLS.here"; sleep 60\n')
            with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as process:
                here = pathlib.Path(str(self.calls) + ".here")
                while not here.exists():
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                os.killpg(process.pid, signal_number)
                self.assertNotEqual(0, process.wait(20))
            here.unlink()
            self.assertFalse((self.build / "cuda-wheels").exists())
            if signal_number == signal.SIGTERM:
                self.expect_nothing_left()
        self.expect_success()
        self.assertEqual([], list(self.build.rglob("stale")))


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
