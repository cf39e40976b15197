#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The files of the FFmpeg filter use each other in one direction only: no circle of
includes, no circle of calls but through tables of functions. Every shared function stands in the
section of the header that names its file, and another file uses it. The engine's folders: layers.py.

    tests/lint/filter_files.py [--root DIR]

Prints one line per fault; exits 1 if there is any.
"""
import argparse
import re
import sys
from pathlib import Path

SHARED = r"\bff_vmafgpu_\w+\b"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# The return type may not span lines; arguments may.
DEFINITION = re.compile(rf"^[A-Za-z][^\n;{{}}()]*?({SHARED})\([^;{{}}]*\)\n\{{", re.M)
# A table that one file fills and another one calls through.
TABLE = re.compile(rf"^const (?:struct )?\w+ ({SHARED})(?:\[\])? = \{{", re.M)
DECLARATION = re.compile(rf"^[A-Za-z][^\n;{{}}()]*?({SHARED})\([^;{{}}]*;", re.M)
SECTION = re.compile(r"^/\* -+ (vf_vmaf_gpu\w*\.c(?:, vf_vmaf_gpu\w*\.c)*) \*/$", re.M)
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def find_circle(edges):
    """The names of one circle in a graph {name: set of names}, or an empty list."""
    done = set()

    def walk(name, path):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return []
        for after in sorted(edges[name]):
            circle = walk(after, path + [name])
            if circle:
                return circle
        done.add(name)
        return []

    for name in sorted(edges):
        circle = walk(name, [])
        if circle:
            return circle
    return []


class Files:
    def __init__(self, root):
        paths = [root / "vf_vmaf_gpu.c"]
        paths += sorted(p for p in (root / "libavfilter_patch").iterdir() if p.suffix in (".c", ".h"))
        self.texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
        self.codes = {name: COMMENT_OR_TEXT.sub("", text) for name, text in self.texts.items()}
        self.faults = []
        self.homes = {}
        self.tables = {name for code in self.codes.values() for name in TABLE.findall(code)}
        for name, code in self.codes.items():
            for function in DEFINITION.findall(code):
                # A stub may be one of two definitions under #if.
                if self.homes.setdefault(function, name) != name:
                    self.faults.append(f"{name}: {function} is also defined in "
                                       f"{self.homes[function]}")

    def check_includes(self):
        edges = {name: {i for i in INCLUDE.findall(text) if i in self.texts}
                 for name, text in self.texts.items()}
        circle = find_circle(edges)
        if circle:
            self.faults.append("files include each other in a circle: " + " -> ".join(circle))
        return sum(map(len, edges.values()))

    def check_calls(self):
        edges = {name: set() for name in self.codes}
        users = {function: set() for function in self.homes}
        for name, code in self.codes.items():
            if name.endswith(".h"):
                continue
            for function in set(re.findall(SHARED, code)) - self.tables:
                home = self.homes.get(function)
                if home is None:
                    self.faults.append(f"{name}: {function} is defined nowhere")
                elif home != name:
                    edges[name].add(home)
                    users[function].add(name)
        circle = find_circle(edges)
        if circle:
            calls = []
            for caller, callee in zip(circle, circle[1:]):
                used = sorted(f for f, by in users.items()
                              if self.homes[f] == callee and caller in by)
                calls.append(f"{caller} calls {used[0]}")
            self.faults.append("files call each other in a circle: " + ", ".join(calls))
        for function, by in sorted(users.items()):
            if not by:
                self.faults.append(f"{self.homes[function]}: no other file uses {function}")
        return sum(map(len, edges.values()))

    def check_declarations(self):
        declared = {}
        for name, text in self.texts.items():
            if not name.endswith(".h"):
                continue
            pieces = SECTION.split(text)
            for files, piece in zip(pieces[1::2], pieces[2::2]):
                for function in DECLARATION.findall(COMMENT_OR_TEXT.sub("", piece)):
                    declared[function] = name
                    if self.homes.get(function) not in files.split(", "):
                        self.faults.append(f"{name}: {function} stands in the section of {files}, "
                                           f"but is defined in {self.homes.get(function)}")
        for function in sorted(set(self.homes) - set(declared)):
            self.faults.append(f"{self.homes[function]}: no section of a header declares {function}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    files = Files(parser.parse_args().root.resolve())
    includes = files.check_includes()
    calls = files.check_calls()
    files.check_declarations()
    if len(files.homes) < 10 or includes < 7 or calls < 5:
        files.faults.append(f"only {len(files.homes)} functions, {includes} includes and {calls} "
                            "uses between files were found")
    for fault in files.faults:
        print(fault)
    print(f"filter_files: {len(files.texts)} files, {len(files.homes)} shared functions, "
          f"{includes} includes, {calls} uses between files, {len(files.faults)} faults")
    return 1 if files.faults else 0


if __name__ == "__main__":
    sys.exit(main())
