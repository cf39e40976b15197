#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The files that the tool writes: none replaces an input, by whatever name it is called, and a
failed run leaves nothing behind. What happens at signals is in test_long_runs.py; names in use,
links, pipes and places are the engine's: tests/unit/test_report_*.cpp.

    test_outputs.py TOOL
"""
import json
import os
import resource
import subprocess
import sys
import threading
import time
import unittest

import runs

TOOL = sys.argv[1]
SIZE = 64
OLD = b'{\n  "version": "3.0.0",\n  "fps": 25.00,\n  "frames": [\n'
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/vmaf_v0.6.1.json")


def clip(step, count):
    chroma = bytes([128]) * (SIZE * SIZE // 2)
    return runs.y4m(SIZE, SIZE, (bytes((x * step + 5 * t) & 255 for x in range(SIZE)) * SIZE + chroma
                                 for t in range(count)))


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Outputs(runs.Case):
    program = TOOL

    def setUp(self):
        super().setUp()
        self.reference = self.path("r.y4m", clip(3, 6))
        self.distorted = self.path("d.y4m", clip(4, 6))

    def run_tool(self, *args, code=0):
        return super().run_tool(*args, code=code)[1]

    def score(self, output, *args, code=0, distorted=None):
        return self.run_tool("-r", self.reference, "-d", distorted or self.distorted, "--json", "-q",
                             "--backend", "cpu", "-o", output, *args, code=code)

    def test_inputs_are_kept(self):
        before = {path: read(path) for path in (self.reference, self.distorted)}
        os.symlink("r.y4m", self.path("link"))
        os.link(self.distorted, self.path("second name"))
        for name in ("r.y4m", "d.y4m", "link", "second name", "./d.y4m"):
            self.assertIn("is an input", self.score(self.path(name), code=1), name)
        self.assertEqual({path: read(path) for path in before}, before)

    def test_raw_inputs_are_kept(self):
        # Nothing in such a file says that it is a video.
        raw = self.path("d.yuv", clip(4, 1)[-SIZE * SIZE * 3 // 2:])
        before = read(raw)
        text = self.run_tool("-r", raw, "-d", raw, "-w", str(SIZE), "-h", str(SIZE), "-p", "420",
                             "-b", "8", "-q", "-o", raw, code=1)
        self.assertIn("is an input", text)
        self.assertEqual(read(raw), before)

    def test_a_limit_on_the_size_of_files(self):
        """`ulimit -f`: a message and an ordinary status, not the end by SIGXFSZ."""
        log = self.path("log.json")
        done = subprocess.run([TOOL, "-r", self.reference, "-d", self.distorted, "--json", "-q", "--backend", "cpu",
                               "-o", log], capture_output=True, timeout=60, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
        self.assertEqual(done.returncode, 1)
        self.assertIn("File too large", done.stderr.decode())
        self.assertFalse(os.path.exists(log))

    def test_files_that_are_no_logs_are_kept(self):
        log, notes, part = self.path("log.json"), self.path("notes", b"of mine\n"), self.path("part")
        self.score(log)
        self.run_tool("-r", self.reference, "-d", self.distorted, "--part", "-q", "--backend", "cpu", "-o", part)
        for command in (("-r", self.reference, "-d", self.distorted, "-q", "--backend", "cpu", "--json"),
                        ("report", log), ("merge", "-q", part, "--json")):
            text = self.run_tool(*command, "-o", notes, code=74 if command[0] == "merge" else 1)
            self.assertIn(f"'{notes}': it is no log, but a file that begins with 'of mine'; to replace it, "
                          "set overwrite=1 (--overwrite)", text)
            self.assertEqual(read(notes), b"of mine\n")
            self.run_tool(*command, "-o", notes, "--overwrite")
            self.run_tool(*command, "-o", notes) # over its own
            self.path("notes", b"of mine\n")

    def test_models_are_kept(self):
        model = self.path("my.json", read(MODEL))
        os.symlink("my.json", self.path("link.json"))
        for source in ("my.json", "link.json"):
            for name in ("my.json", "link.json"):
                text = self.score(self.path(name), "-m", "path=" + self.path(source), code=1)
                self.assertIn("no log", text)
                self.assertEqual(read(model), read(MODEL))
        self.score(self.path("log.json"), "-m", "path=" + model)
        self.score(model, "-m", "path=" + model, "--overwrite")
        self.assertEqual(len(json.loads(read(model))["frames"]), 6)

    def test_overwrite_allows_an_input(self):
        self.score(self.distorted, "--overwrite")
        self.assertEqual(len(json.loads(read(self.distorted))["frames"]), 6)

    def test_failed_runs_leave_nothing(self):
        old = self.path("old.json", OLD)
        short = self.path("short.y4m", clip(4, 1)[:-100]) # no pair: there is nothing to keep
        files = sorted(os.listdir(self.folder))
        for output in (old, self.path("new.json")):
            self.score(output, distorted=short, code=1)
            self.assertEqual(sorted(os.listdir(self.folder)), files)
        self.assertEqual(read(old), OLD)

    def test_closed_descriptors(self):
        log = self.path("log.json")
        for closed in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            if os.path.exists(log):
                os.remove(log)
            command = [TOOL, "-r", self.reference, "-d", self.distorted, "--json", "--backend", "cpu"]
            result = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *command, "-o", log],
                                    capture_output=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 0, closed)
            self.assertEqual(len(json.loads(read(log))["frames"]), 6, closed)
        files = sorted(os.listdir(self.folder))
        result = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command, "-o", "-"],
                                capture_output=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"cannot write log '-'", result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), files)

    def test_a_slow_model(self):
        fifo = self.path("model")
        os.mkfifo(fifo)

        def feed():
            with open(fifo, "wb") as file:
                file.flush()
                time.sleep(6) # longer than the tool waits for a writer
                file.write(read(MODEL))
        feeder = threading.Thread(target=feed)
        feeder.start()
        self.score(self.path("log.json"), "-m", "path=" + fifo)
        feeder.join(timeout=30)
        text = self.score(self.path("log.json"), "-m", "path=" + fifo, code=1)
        self.assertIn("a pipe that nobody writes to", text)

    def test_strict_csv(self):
        plain, strict = self.path("plain.csv"), self.path("strict.csv")
        common = ("-r", self.reference, "-d", self.distorted, "-q", "--backend", "cpu")
        self.run_tool(*common, "-o", plain, "--csv")
        self.run_tool(*common, "-o", strict, "--csv=strict")
        lines = read(plain).decode().splitlines()
        self.assertEqual(len(lines), 7)
        self.assertTrue(all(line.endswith(",") for line in lines))
        self.assertEqual(read(strict).decode().splitlines(), [line[:-1] for line in lines])
        self.run_tool(*common, "-o", strict, "--csv=libvmaf")
        self.assertEqual(read(strict), read(plain))
        self.assertIn("libvmaf or strict", self.run_tool(*common, "-o", strict, "--csv=x", code=1))

    def test_pages(self):
        log = self.path("log.json")
        self.score(log)
        before = read(log)
        self.assertIn("is an input", self.run_tool("report", log, "-o", log, code=1))
        self.assertIn("is no log", self.run_tool("report", log, "-o", self.reference, code=1))
        self.assertEqual((read(log), read(self.reference)), (before, clip(3, 6)))
        files = sorted(os.listdir(self.folder))
        self.run_tool("report", log, self.reference, "-o", self.path("page.html"), code=1)
        self.assertEqual(sorted(os.listdir(self.folder)), files)
        text = self.run_tool("report", log, "-o", self.reference, code=1)
        self.assertIn("set overwrite", text)
        self.run_tool("report", log, "-o", self.reference, "--overwrite")
        self.assertIn(b"</html>", read(self.reference))
        self.run_tool("report", log, "-o", log, "--overwrite")
        self.assertIn(b"</html>", read(log))
        self.score(log, "--overwrite", "-r", self.distorted)
        self.run_tool("report", log, "-o", self.path("page.html"))
        self.assertIn(b"</html>", read(self.path("page.html")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
