#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The recipes of packaging/ against the build: each has the version of meson.build, every Meson
option that they, the scripts and the documents set exists, the files that they install exist, and
none names an address to download from.

    tests/lint/recipes.py [--root DIR]

Prints one line per fault; exits 1 if there is any.
"""
import argparse
import re
import sys
from pathlib import Path

RECIPES = {
    "packaging/debian/changelog": r"^vmaf-gpu \(([^)]+)\)",
    "packaging/debian/rules": None,
    "packaging/Containerfile": None,
    "NEWS.md": r"^## (\d\S*)",
}
# Meson's own.
BUILTIN = {"prefix", "libdir", "buildtype", "default_library", "werror", "b_sanitize", "b_coverage",
           "cpp_args", "c_args", "wrap_mode", "strip", "b_lto", "cpp_std"}
OPTION = re.compile(r"-D(\w+)=")


def options_of(root):
    return set(re.findall(r"^option\('(\w+)'", (root / "meson_options.txt").read_text(encoding="utf-8"), re.M))


def faults_of_recipe(root, name, pattern, version, known):
    path = root / name
    if not path.is_file():
        yield f"{name}: is not there"
        return
    text = path.read_text(encoding="utf-8")
    if pattern is not None:
        found = re.search(pattern, text, re.M)
        if found is None or found.group(1) != version:
            yield f"{name}: version {found and found.group(1)}, and meson.build says {version}"
    # A compiler's -DNAME has no small letters, cmake's no lower case first word.
    for option in OPTION.findall(text):
        if option not in known and not option.isupper():
            yield f"{name}: -D{option}= is no option of meson_options.txt"
    for file in re.findall(r"(?:LICENSES|models)/[\w.-]+", text):
        if not (root / file).is_file():
            yield f"{name}: there is no {file}"
    if re.search(r"https?://", text):
        yield f"{name}: names an address; nothing is published yet"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    version = re.search(r"^  version: '(.*)',$", (root / "meson.build").read_text(encoding="utf-8"),
                        re.M).group(1)
    known = options_of(root) | BUILTIN
    faults = [fault for name, pattern in RECIPES.items()
              for fault in faults_of_recipe(root, name, pattern, version, known)]
    for fault in faults:
        print(fault)
    print(f"recipes: {len(RECIPES)} recipes, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
