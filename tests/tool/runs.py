# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the tests of chunks and of shots share: counted checks, and runs of the tool with an expected status."""
import re
import subprocess

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
