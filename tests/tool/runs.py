# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the tests of the tool share: counted checks, and runs of the tool with an expected status."""
import os
import re
import subprocess
import tempfile
import unittest

problems = []
checked = 0


def expect(is_right, what, found=""):
    global checked
    checked += 1
    if not is_right:
        problems.append(f"{what}: {found}")


def finish(what, least):
    """The exit status; fewer checks than `least` are a fault, too."""
    for problem in problems:
        print("FAILED", problem)
    print(f"{what}: {checked} checks, {len(problems)} faults")
    return 1 if problems or checked < least else 0


class Tool:
    """Scores ref.y4m and dist.y4m of a folder."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.inputs = ["-r", folder / "ref.y4m", "-d", folder / "dist.y4m"]

    def run(self, *words, status=0):
        done = subprocess.run([self.tool, *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
        expect(done.returncode == status, f"status of {words}", (done.returncode, done.stderr))
        return done.stderr

    def log(self, name):
        """Without the rate, which no two runs share."""
        text = (self.folder / name).read_text()
        return re.sub(r'fps="[^"]*"|"fps": [^,]*,|[0-9.]+ frames/s', "", text)


class Case(unittest.TestCase):
    """Runs of `program` with `options` before other arguments. Files lie in a folder of the case."""
    program, options = "", ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, data=None):
        path = os.path.join(self.folder, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def run_tool(self, *args, code=0, stdin=None, env=None, cwd=None):
        """Standard output and error."""
        done = subprocess.run([os.path.abspath(self.program), *self.options, *args], input=stdin, capture_output=True,
                              timeout=120, check=False, env=env, cwd=cwd)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{args}: {text}")
        return done.stdout.decode(), text
