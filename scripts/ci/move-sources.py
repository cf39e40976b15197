#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Moves files of src/engine and rewrites what names them: includes, lists of Meson, scripts, tests, documents.

    scripts/ci/move-sources.py OLD=NEW...

OLD and NEW are paths below src/engine. A folder as OLD stands for its files; NEW that ends with / keeps
their names. The moves are in Git's index afterwards. The commit's message gives the command, so that the
move can be made again on another commit. docs/history and NEWS.md keep the old names.

What names a folder without a file stays and is edited by hand. Changed C++ files go through clang-format,
because moved includes sort in another way.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ENGINE = "src/engine"
KEPT = ("docs/history/", "NEWS.md")
CPP = (".cpp", ".h")
INCLUDE = re.compile(r'^(\s*#\s*include\s*")([^"]+)(")', re.M)
QUOTED = re.compile(r"'([^'\n]+)'")


def git(*words):
    return subprocess.run(["git", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def moves_of(pairs):
    """{old: new} of the files, below ENGINE."""
    moves = {}
    for pair in pairs:
        old, is_pair, new = pair.partition("=")
        if not is_pair or not old or not new:
            sys.exit(f"'{pair}' is not OLD=NEW")
        files = git("ls-files", "--", f"{ENGINE}/{old}").split()
        if not files:
            sys.exit(f"{ENGINE}/{old} is not in the repository")
        for file in files:
            file = file[len(ENGINE) + 1:]
            rest = os.path.basename(old) if file == old else file[len(old):].lstrip("/")
            is_file_name = file == old and not new.endswith("/")
            moves[file] = new if is_file_name else f"{new.rstrip('/')}/{rest}"
    taken = [new for new in moves.values() if os.path.exists(f"{ENGINE}/{new}")]
    if taken or len(set(moves.values())) != len(moves):
        sys.exit(f"two files would have one name: {' '.join(taken) or 'see NEW'}")
    return moves


class Move:
    def __init__(self, moves):
        self.moves = moves
        self.came_from = {f"{ENGINE}/{new}": f"{ENGINE}/{old}" for old, new in moves.items()}
        self.paths = self.any_of(moves)
        self.names = {os.path.basename(old): os.path.basename(new) for old, new in moves.items()
                      if os.path.basename(old) != os.path.basename(new)}
        self.any_name = self.any_of(self.names)

    @staticmethod
    def any_of(names):
        # Longest first: one may begin like another. Of none: what matches nothing.
        words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.compile(r"(?<![\w.$-])(%s)(?![\w/-]|\.\w)" % (words or r"(?!)"))

    def include(self, path, match):
        name = match.group(2)
        before = self.came_from.get(path, path)
        beside = os.path.normpath(os.path.join(os.path.dirname(before), name))
        for old in (name, beside[len(ENGINE) + 1:] if beside.startswith(f"{ENGINE}/") else None):
            if old in self.moves:
                return match.group(1) + self.moves[old] + match.group(3)
        return match.group(0)

    def quoted(self, path, match):
        """A path in a Meson file, from its folder."""
        folder = os.path.dirname(path)
        target = os.path.normpath(os.path.join(folder, match.group(1).lstrip("/")))
        old = target[len(ENGINE) + 1:] if target.startswith(f"{ENGINE}/") else None
        if old not in self.moves:
            return match.group(0)
        return f"'{os.path.relpath(f'{ENGINE}/{self.moves[old]}', folder)}'"

    def rewrite(self, path):
        """True if the file has changed."""
        try:
            before = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return False
        text = before
        if path.endswith(CPP):
            text = INCLUDE.sub(lambda match: self.include(path, match), text)
        if path.endswith("meson.build"):
            text = QUOTED.sub(lambda match: self.quoted(path, match), text)
        text = self.paths.sub(lambda match: self.moves[match.group(1)], text)
        text = self.any_name.sub(lambda match: self.names[match.group(1)], text)
        if text == before:
            return False
        Path(path).write_text(text, encoding="utf-8")
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="+", metavar="OLD=NEW")
    pairs = parser.parse_args().pairs
    os.chdir(Path(__file__).resolve().parents[2])
    move = Move(moves_of(pairs))
    for old, new in move.moves.items():
        os.makedirs(os.path.dirname(f"{ENGINE}/{new}"), exist_ok=True)
        git("mv", f"{ENGINE}/{old}", f"{ENGINE}/{new}")
    for folder in {os.path.dirname(f"{ENGINE}/{old}") for old in move.moves}:
        if not os.listdir(folder):
            os.rmdir(folder)
    changed = [path for path in git("ls-files").splitlines()
               if not path.startswith(KEPT) and not os.path.islink(path) and move.rewrite(path)]
    sources = [path for path in changed if path.endswith(CPP)]
    if sources:
        subprocess.run(["clang-format", "-i", *sources], check=True)
    git("add", "--", *changed)
    print(f"{len(move.moves)} files moved, {len(changed)} files name them")


if __name__ == "__main__":
    main()
