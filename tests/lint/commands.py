#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scripts can be run as the documents say: what has a `#!` line has a run bit and the
other way round; each file of this repository that the documents name as code exists;
each script that they give as a command has a run bit.

    tests/lint/commands.py [--root DIR]

Prints one line per fault; exits 1 if there is any.
"""
import argparse
import os
import re
import sys
from pathlib import Path

FOLDERS = ("bench", "docs", "examples", "fate", "include", "libavfilter_patch", "models", "packaging", "scripts", "src",
           "tests", "tools", ".ci")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md")
# Pages with commands that were run at former commits, whose files may have moved since.
HISTORY = ("docs/develop/performance.md", "docs/history/")
PATH = re.compile(r"(?<![\w/.$-])((?:%s)/[\w./-]*\w\.(?:sh|py|c|cpp|h|mak|build|json|md))(?![\w*{/-])"
                  % "|".join(map(re.escape, FOLDERS)))
# The first word of a shell command, after what is set for it.
COMMAND = re.compile(r"(?:^|&&|\|\||[;|(])\s*(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)*([\w./-]+\.(?:sh|py))(?=\s|$)")


def code_of(text):
    """(line number, code, whether it is a block) of a Markdown text."""
    is_fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif is_fenced or line.startswith("    "):
            yield number, line.strip(), True
        else:
            for span in re.findall(r"`([^`]+)`", line):
                yield number, span, False


class Lint:
    def __init__(self, root):
        self.root = root
        self.faults = []
        self.commands = self.paths = 0

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def check_run_bits(self):
        for folder in FOLDERS:
            for path in sorted((self.root / folder).rglob("*")):
                if path.is_symlink() or not path.is_file() or "__pycache__" in path.parts:
                    continue
                with open(path, "rb") as file:
                    has_interpreter = file.read(3) == b"#!/"
                if has_interpreter != os.access(path, os.X_OK):
                    self.fault(path, 1, "a #! line without a run bit" if has_interpreter else
                               "a run bit without a #! line")

    def check_document(self, path):
        is_history = path.relative_to(self.root).as_posix().startswith(HISTORY)
        for number, code, is_block in code_of(path.read_text(encoding="utf-8")):
            for name in PATH.findall(code):
                self.paths += 1
                if not is_history and not (self.root / name).exists():
                    self.fault(path, number, f"there is no {name}")
            for name in COMMAND.findall(code):
                script = self.root / name
                # A name alone may only tell where something is.
                if not script.is_file() or (not is_block and code == name and
                                            script.read_bytes()[:2] != b"#!"):
                    continue
                self.commands += 1
                if not os.access(script, os.X_OK):
                    self.fault(path, number, f"{name} is given as a command and has no run bit")

    def check_documents(self):
        for pattern in DOCUMENTS:
            for path in sorted(self.root.glob(pattern)):
                self.check_document(path)
        if self.commands == 0 or self.paths == 0:
            self.fault(self.root / "README.md", 0, "no command found in any document")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    lint = Lint(parser.parse_args().root.resolve())
    lint.check_run_bits()
    lint.check_documents()
    for fault in lint.faults:
        print(fault)
    print(f"commands: {lint.commands} commands, {lint.paths} files named, {len(lint.faults)} faults")
    return 1 if lint.faults else 0


if __name__ == "__main__":
    sys.exit(main())
