#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A selection that matches nothing fails, in every test program and script that takes
one: else a test that is renamed drops out unseen. Nothing is tested here beside that.

    tests/lint/selections.py BUILD_DIR
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTHING = "no_such_test"


class Lint:
    def __init__(self, build):
        self.build = build
        self.faults = []
        self.count = 0

    def expect_failure(self, command, wanted, **env):
        """The command fails soon, and its output has the word."""
        self.count += 1
        name = " ".join(str(word) for word in command)
        try:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                                  check=False, timeout=60, env={**os.environ, **env}, cwd=ROOT)
        except (OSError, subprocess.TimeoutExpired) as error:
            self.faults.append(f"{name}: {error}")
            return
        if done.returncode <= 0:
            self.faults.append(f"{name}: exit status {done.returncode}")
        elif wanted not in done.stdout + done.stderr:
            self.faults.append(f"{name}: no word of '{wanted}': {(done.stdout + done.stderr)[-300:]}")

    def info(self, name):
        with open(self.build / f"meson-info/intro-{name}.json", encoding="utf-8") as file:
            return json.load(file)

    def tests(self):
        return self.info("tests")

    def check_gtest_programs(self):
        """Whatever has GoogleTest's options, also a program that Meson is not told so of. The
        short run does not build what only the full run starts (build_by_default: false)."""
        optional = {Path(name) for target in self.info("targets")
                    if not target["build_by_default"] for name in target["filename"]}
        programs = {}
        for test in self.tests():
            path = Path(test["cmd"][0])
            if path.is_relative_to(self.build) and path not in programs:
                if not path.is_file():
                    if path in optional:
                        continue
                    self.faults.append(f"{path} is not built")
                elif b"gtest_filter" in path.read_bytes():
                    programs[path] = test["env"]
        if not programs:
            self.faults.append("no GoogleTest program found")
        for path, env in programs.items():
            self.expect_failure([path, f"--gtest_filter={NOTHING}.*"], "no test matches", **env)

    def check_programs(self):
        self.expect_failure([self.build / "tests/check/check", "--device=cpu", NOTHING],
                            "no case matches")
        self.expect_failure([self.build / "tests/check/check", "--list-groups", NOTHING],
                            "no case matches")
        with tempfile.TemporaryDirectory() as empty:
            for replay in sorted(self.build.glob("tests/fuzz/replay_*")):
                if replay.is_file():
                    corpus = ROOT / "tests/fuzz/corpus" / replay.name.partition("_")[2]
                    self.expect_failure([replay, corpus, empty], "0 files")
        python = [sys.executable, "-B"]
        self.expect_failure([*python, ROOT / "tests/planted/planted.py", "--build", self.build,
                             NOTHING], "no such test")
        self.expect_failure([*python, ROOT / "tests/pairing/pairing.py", "ffmpeg", "--row", NOTHING],
                            "no row's name contains")
        suite = re.compile(r"^ *program = unittest\.main\(", re.M)
        for test in self.tests():
            script = next((word for word in test["cmd"] if word.endswith(".py")), "")
            if script and suite.search(Path(script).read_text(encoding="utf-8")):
                self.expect_failure([*test["cmd"], "-k", NOTHING], "no test was selected")

    def check_scripts(self):
        self.expect_failure(["scripts/test.sh", NOTHING], NOTHING)
        self.expect_failure(["scripts/ci/fuzz.sh", "1", NOTHING], NOTHING)
        self.expect_failure(["scripts/ci/test-sanitizers.sh", NOTHING], NOTHING)
        self.expect_failure(["scripts/ci/test-ffmpeg-versions.sh", NOTHING], NOTHING)
        self.expect_failure(["tests/gpu.sh", self.build], NOTHING, PARTS=NOTHING)


def main():
    lint = Lint(Path(sys.argv[1]).resolve())
    lint.check_gtest_programs()
    lint.check_programs()
    lint.check_scripts()
    for fault in lint.faults:
        print(fault)
    print(f"selections: {lint.count} that match nothing, {len(lint.faults)} faults")
    return 1 if lint.faults else 0


if __name__ == "__main__":
    sys.exit(main())
