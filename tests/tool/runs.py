# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the tests of the tool share: counted checks, and runs of the tool with an expected status."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

# The ffmpeg in PATH, with or without one in the build folder, whose profile may read less.
os.environ.setdefault("VMAF_GPU_FFMPEG", "ffmpeg")
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


def without_rate(text):
    """A log or page without the rate, which no two runs share, and what it depends on."""
    return re.sub(r'fps="[^"]*"|"fps": [^,]*,( "slowed_by_host": true,)?|[0-9.]+ frames/s', "", text)


def difference(a, b):
    """The first place where two texts differ; empty if they do not."""
    at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
    return "" if a == b else f"{a[max(0, at - 60):at + 60]!r} and {b[max(0, at - 60):at + 60]!r}"


def y4m(width, height, frames, rate="25:1", space="420"):
    """A video; frames are the bytes of all planes."""
    return f"YUV4MPEG2 W{width} H{height} F{rate} C{space}\n".encode() + b"".join(b"FRAME\n" + data for data in frames)


def probed(picture, container=""):
    """An ffmpeg's messages about a file whose first picture is this, as showinfo prints it. container: stream lines."""
    return (f"[info] Input #0, x, from x:\n[info]   Stream #0:0: Video: x\n{container}[info]   Stream #0:0 -> #0:0 (x)\n"
            f"[Parsed_showinfo_0 @ 0x1] [info] n: 0 {picture}")


def run_checks(what, least, make_tool, *checks):
    """Runs each check, with a tool in a folder of its own. Returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        tool = make_tool(pathlib.Path(folder))
        for check in checks:
            check(tool)
    return finish(what, least)


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
        return without_rate((self.folder / name).read_text())


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
