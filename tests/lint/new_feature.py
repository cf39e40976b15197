#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Steps 1 to 4 of "Adding a feature" in CONTRIBUTING.md, followed to the letter in a copy of the sources:
the copied files, the added lines and the commands are those that the text names. The copy takes over the
objects that a build folder has, so that only the new feature is compiled.

    new_feature.py --build DIR [--knock-out]     DIR: a build folder in the root of the sources

--knock-out: then leaves out each file and each added line in turn; all tests together must notice it.
Exits 1 if a command fails, or none does.
"""
import argparse
import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "new_feature"
# What meson compares before it compiles again: what was compiled, and from what.
COMPILED = {".o", ".gch", ".a"}


class Failure(Exception):
    pass


class Steps:
    """Returns what the text of CONTRIBUTING.md says."""

    def __init__(self, text):
        section = text.partition("\n## Adding a feature\n")[2].partition("\n## ")[0]
        steps = re.split(r"^(?=\d\. )", section, flags=re.M)[1:]
        if len(steps) < 4:
            raise Failure("CONTRIBUTING.md: 'Adding a feature' has no four steps")
        self.files = re.findall(r"^\s*\| `([^`]+)` \|", steps[0], re.M)
        line, self.word, self.list = re.search(r"line `([^`]+)` to `(\w+)`\s+in `([^`]+)`", steps[1]).groups()
        self.entry = line.replace("NAME", NAME)
        self.row_files = re.findall(r"^\s*- `([^`]+)`", steps[2], re.M)
        self.commands = [line.strip().replace("NAME", NAME)
                         for line in re.findall(r"^ {8}(.*)$", steps[3], re.M)]
        for what in (self.files, self.row_files, self.commands):
            if not what:
                raise Failure("CONTRIBUTING.md: a step of 'Adding a feature' names no file or no command")

    def follow(self, root):
        """Returns what was added: (file, a line or None for the whole file)."""
        added = []
        for name in self.files:
            target = root / name.replace("skeleton", NAME)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text((root / name).read_text().replace("skeleton", NAME))
            shutil.copymode(root / name, target)
            added.append((target, None))
        path = root / self.list
        path.write_text(path.read_text().replace(f"{self.word} = {{\n", f"{self.word} = {{\n  {self.entry}\n"))
        added.append((path, self.entry))
        for name in self.row_files:
            lines = []
            for line in (root / name).read_text().splitlines(keepends=True):
                # The head of a file tells of the skeleton.
                is_row = "skeleton" in line and not line.startswith("//")
                lines += [line, line.replace("skeleton", NAME)] if is_row else [line]
            (root / name).write_text("".join(lines))
            added.append((root / name, NAME))
        return added


def run(command, root, environment=None):
    begin = time.monotonic()
    done = subprocess.run(command, cwd=root, shell=isinstance(command, str), text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise Failure(f"{command}\nfailed with status {done.returncode}:\n{done.stdout[-3000:]}")
    return time.monotonic() - begin


def copy_sources(root):
    def left_out(folder, names):
        return [name for name in names if name == "__pycache__" or
                Path(folder) == ROOT and (name == ".git" or (ROOT / name / "meson-info").is_dir())]
    shutil.copytree(ROOT, root, symlinks=True, ignore=left_out, dirs_exist_ok=True)


def configure(build, copy):
    """Configures a folder like the build folder, but without kernels of real GPUs, which take minutes."""
    parser = configparser.RawConfigParser(delimiters=["="])
    parser.optionxform = str
    parser.read(build / "meson-private/cmd_line.txt")
    options = {**parser["options"], "cuda": "disabled", "hip": "disabled"}
    environment = {}
    for unit in json.loads((build / "compile_commands.json").read_text()):
        compiler = unit["command"].partition(" -")[0]
        environment.setdefault("CC" if unit["file"].endswith(".c") else "CXX", compiler)
    run(["meson", "setup", str(copy), *(f"-D{name}={value}" for name, value in options.items())],
        copy.parent, environment)


def take_objects(build, copy):
    """Objects with their times, and what ninja knows of them."""
    for folder in ("src/engine", "tests/check", "tests/golden"):
        for path in sorted((build / folder).rglob("*")):
            target = copy / path.relative_to(build)
            if target.is_file() and target.read_bytes() == path.read_bytes():
                shutil.copystat(path, target)  # a source that meson has made
            elif path.suffix in COMPILED and path.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)
    shutil.copy2(build / ".ninja_deps", copy)
    known = (build / ".ninja_log").read_text().splitlines(keepends=True)
    (copy / ".ninja_log").write_text("".join(line for line in known if "\tbuild.ninja\t" not in line))


def knock_out(root, commands, path, line):
    """Without the file, or without its lines that have `line`, a command fails. Returns the failure's begin."""
    kept = path.read_text()
    if line is None:
        path.unlink()
    else:
        path.write_text("".join(one for one in kept.splitlines(keepends=True) if line not in one))
    try:
        for command in commands:
            run(command, root)
    except Failure as failure:
        return str(failure).partition("\n")[0]
    finally:
        path.write_text(kept)
    raise Failure(f"without {path.relative_to(root)}{f', lines with {line},' if line else ''} all commands pass")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--knock-out", action="store_true")
    parser.add_argument("--text", type=Path, default=ROOT / "CONTRIBUTING.md", help="instead of CONTRIBUTING.md")
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory(prefix="new_feature-") as folder:
        root = Path(folder)
        copy = root / "build"
        try:
            steps = Steps(options.text.read_text())
            copy_sources(root)
            added = steps.follow(root)
            configure(build, copy)
            take_objects(build, copy)
            for command in steps.commands:
                print(f"{run(command, root):5.1f} s  {command}", flush=True)
            for lint in ("layers.py", "includes.py"):
                run([sys.executable, "-B", f"tests/lint/{lint}", "--root", str(root)], root)
            for path, line in added if options.knock_out else []:
                print(f"without {path.name}{f', lines with {line}' if line else ''}:",
                      knock_out(root, steps.commands, path, line), flush=True)
        except Failure as failure:
            print(failure)
            return 1
    print(f"new_feature: {len(steps.files)} files, {1 + len(steps.row_files)} lists, {len(steps.commands)} commands")
    return 0


if __name__ == "__main__":
    sys.exit(main())
