#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/ci/build-deb.sh says why it makes no packages of a tree with changes that are not
committed, of which `meson dist` would make a tarball without them; and of no git clone.

    test_build_deb.py SOURCE_ROOT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

GIT = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c",
       "commit.gpgsign=false"]


def build_deb(tree, wanted):
    # The temporary folder may lie in some repository.
    env = dict(os.environ, GIT_CEILING_DIRECTORIES=str(tree.parent))
    done = subprocess.run([tree / "scripts/ci/build-deb.sh"], capture_output=True, text=True,
                          check=False, timeout=60, env=env)
    if done.returncode == 0 or wanted not in done.stderr:
        sys.exit(f"status {done.returncode}, and no word of '{wanted}':\n{done.stderr}")
    if (tree / "build/deb").exists():
        sys.exit("it has begun to build")


def main(root):
    if shutil.which("git") is None:
        print("SKIP: no git")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        shutil.copytree(pathlib.Path(root, "scripts"), tree / "scripts")
        build_deb(tree, "git clone")
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
            subprocess.run([*GIT, *command], cwd=tree, check=True)
        with open(tree / "scripts/lib/common.sh", "a", encoding="utf-8") as file:
            file.write("# changed\n")
        build_deb(tree, "scripts/lib/common.sh")
    print("build-deb: says what is not committed")


if __name__ == "__main__":
    main(*sys.argv[1:])
