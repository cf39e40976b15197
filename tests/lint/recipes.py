#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The recipes of packaging/ against the build: each has the version of meson.build, every Meson
option that they, the scripts and the documents set exists, the files that they install exist, and
none names an address to download from. Syntax, where a program that knows it is there: bash,
shellcheck, ruby, nix-instantiate.

    tests/lint/recipes.py [--root DIR]

Prints one line per fault, and which programs were not there; exits 1 if there is any fault.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

RECIPES = {
    "packaging/arch/PKGBUILD": r"^pkgver=(\S+)$",
    "packaging/homebrew/vmaf_gpu.rb": r'assert_match "([^"]+)"',
    "packaging/nix/default.nix": r'^  version = "([^"]+)";$',
    "packaging/vcpkg/vmaf-gpu/vcpkg.json": r'^  "version": "([^"]+)",$',
    "packaging/vcpkg/vmaf-gpu/portfile.cmake": None,
    "packaging/debian/changelog": r"^vmaf-gpu \(([^)]+)\)",
    "packaging/debian/rules": None,
    "packaging/Containerfile": None,
    "NEWS.md": r"^## (\d\S*)",
}
# Meson's own.
BUILTIN = {"prefix", "libdir", "buildtype", "default_library", "werror", "b_sanitize", "b_coverage",
           "cpp_args", "c_args", "wrap_mode", "strip", "b_lto", "cpp_std"}
SYNTAX = {
    "packaging/arch/PKGBUILD": (["bash", "-n"], ["shellcheck", "-s", "bash", "-e", "SC2034,SC2154,SC2164"]),
    "packaging/homebrew/vmaf_gpu.rb": (["ruby", "-c"],),
    "packaging/nix/default.nix": (["nix-instantiate", "--parse"],),
    "packaging/release/inside.sh": (["bash", "-n"],),
    "packaging/release/linkable.sh": (["bash", "-n"],),
}
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
    if name.endswith(".json"):
        try:
            json.loads(text)
        except ValueError as error:
            yield f"{name}: {error}"


def faults_of_syntax(root, absent):
    for name, commands in SYNTAX.items():
        for command in commands:
            if shutil.which(command[0]) is None:
                absent.add(command[0])
                continue
            done = subprocess.run([*command, str(root / name)], capture_output=True, text=True,
                                  check=False, timeout=60)
            if done.returncode:
                yield f"{name}: {' '.join(command)}: {(done.stdout + done.stderr).strip()[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    version = re.search(r"^  version: '(.*)',$", (root / "meson.build").read_text(encoding="utf-8"),
                        re.M).group(1)
    known = options_of(root) | BUILTIN
    absent = set()
    faults = [fault for name, pattern in RECIPES.items()
              for fault in faults_of_recipe(root, name, pattern, version, known)]
    faults += faults_of_syntax(root, absent)
    for fault in faults:
        print(fault)
    print(f"recipes: {len(RECIPES)} recipes, {len(faults)} faults" +
          (f"; not checked for want of: {' '.join(sorted(absent))}" if absent else ""))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
