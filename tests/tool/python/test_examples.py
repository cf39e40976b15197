# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The programs of examples/ in Python, run as a user does, on two clips; what they print are the tool's scores. The one
that searches is run by tests/tool/batch/test_search.py, the shell's by tests/filter/examples.sh."""
import importlib.util
import pathlib
import re
import subprocess
import sys
import unittest

import clips

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
ELSEWHERE = {"search_crf.py"}


def run(name, *words):
    done = subprocess.run([sys.executable, "-B", EXAMPLES / name, *words], capture_output=True, text=True, check=False,
                          cwd=clips.FOLDER, timeout=120)
    if done.returncode:
        raise AssertionError(f"{name}: status {done.returncode}\n{done.stderr}")
    return done.stdout


class Examples(unittest.TestCase):
    def setUp(self):
        for frames, name in zip(clips.make(64, 48, count=6), ("r.y4m", "d.y4m")):
            clips.write(frames, name)

    def log(self):
        subprocess.run([clips.TOOL, "-r", "r.y4m", "-d", "d.y4m", "--json", "-q", "--backend", "cpu", "-o", "log.json"],
                       cwd=clips.FOLDER, check=True)
        return clips.FOLDER / "log.json"

    @staticmethod
    def mean():
        """The mean in the log."""
        return re.search(r'"vmaf": \{[^}]*"mean": ([\d.]+)', (clips.FOLDER / "log.json").read_text())[1]

    def test_score_files(self):
        lines = run("score_files.py", "d.y4m", "r.y4m").splitlines()
        self.log()
        self.assertRegex(lines[0], rf"^{re.escape(self.mean())} on \S+, 6 frames$")
        self.assertEqual(len(lines), 4)

    def test_score_frames(self):
        lines = run("score_frames.py").splitlines()
        self.assertEqual(len(lines), 11)
        scores = [float(re.search(r"vmaf ([\d.]+)", line)[1]) for line in lines[:-1]]
        self.assertGreater(scores[0], 95)
        self.assertLess(scores[-1], scores[1])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_log_to_pandas(self):
        said = run("log_to_pandas.py", str(self.log()))
        self.assertRegex(said, r"count +6\.0")
        self.assertRegex(said, rf"mean +{float(self.mean()):.6f}")

    def test_all(self):
        """Every example in Python has a test."""
        tested = {name.removeprefix("test_") + ".py" for name in dir(self) if name.startswith("test_")}
        self.assertEqual({path.name for path in EXAMPLES.glob("*.py")} - ELSEWHERE, tested - {"all.py"})


if __name__ == "__main__":
    unittest.main()
