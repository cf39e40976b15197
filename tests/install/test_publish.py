#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/ci/publish.sh with stand-ins for gh and uv: what they get, and what is refused before.

    test_publish.py SOURCE_ROOT
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parents[2]
VERSION = re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(encoding="utf-8"), re.M)[1]
PROGRAM = '#!/bin/sh\nprintf "%s\\n" "$(basename "$0")" "$@" >"$CALLS"\n'


class Publish(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = pathlib.Path(work.name)
        self.tree, self.calls = self.work / "tree", self.work / "calls"
        shutil.copytree(ROOT / "scripts", self.tree / "scripts")
        for name in "meson.build", "NEWS.md":
            shutil.copy(ROOT / name, self.tree)
        for name in "gh", "uv":
            (self.work / name).write_text(PROGRAM)
            (self.work / name).chmod(0o755)

    def publish(self, *words, status=0):
        done = subprocess.run([self.tree / "scripts/ci/publish.sh", *words], capture_output=True, text=True, check=False,
                              cwd=self.work, env={**os.environ, "CALLS": str(self.calls), "UV": str(self.work / "uv"),
                                                  "PATH": f"{self.work}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def parts(self, *names):
        for name in names:
            path = self.work / "parts" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)

    def test_sums(self):
        self.parts("deb/b.deb", "deb/SHA256SUMS", "wheels/a b.whl")
        self.publish("sums", "parts", "dist")
        self.assertEqual((self.work / "dist/SHA256SUMS").read_text(), "".join(
            f"{hashlib.sha256(name.encode()).hexdigest()}  {pathlib.Path(name).name}\n"
            for name in ("wheels/a b.whl", "deb/b.deb")))
        self.parts("wheels/b.deb")
        self.assertIn("two parts have a file b.deb", self.publish("sums", "parts", "other", status=1))
        self.assertIn("no files in", self.publish("sums", "nowhere", "other", status=1))

    def test_release(self):
        self.parts("deb/b.deb")
        self.publish("sums", "parts", "dist")
        self.publish("release", "dist", "v" + VERSION)
        said = self.calls.read_text().splitlines()
        self.assertEqual(said[:5], ["gh", "release", "create", "v" + VERSION, "--draft"])
        self.assertEqual([pathlib.Path(word).name for word in said[-2:]], ["SHA256SUMS", "b.deb"])
        self.assertIn("libvmaf", (self.tree / "build/notes.md").read_text())
        self.calls.unlink()
        self.assertIn("another version", self.publish("release", "dist", "v99.0.0", status=1))
        (self.work / "dist/b.deb").write_text("other")
        self.assertIn("SHA256SUMS are not those", self.publish("release", "dist", "v" + VERSION, status=1))
        self.assertFalse(self.calls.exists())

    def test_index(self):
        self.parts("vmaf_gpu-1-py3-none-any.whl", "vmaf_gpu-1.tar.gz", "vmaf_gpu-1-linux.tar.xz")
        self.publish("index", "parts")
        said = self.calls.read_text().splitlines()
        self.assertEqual(said[:4], ["uv", "publish", "--trusted-publishing", "always"])
        self.assertEqual([pathlib.Path(word).name for word in said[4:]], ["vmaf_gpu-1-py3-none-any.whl", "vmaf_gpu-1.tar.gz"])
        self.assertIn("neither a wheel nor", self.publish("index", "scripts", status=1))

    def test_usage(self):
        self.assertIn("usage:", self.publish("index", status=1))


if __name__ == "__main__":
    unittest.main()
