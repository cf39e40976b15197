#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""clang-tidy over the sources that a build compiles, for scripts/ci/lint.sh.

    tests/lint/analyse.py BUILD [--base COMMIT CHANGED...]

Each source is analysed once, by its first compile command. Most of the time of the checks
goes into the standard library's headers. So sources with the same options are put one after
the other into one file of BUILD/lint, as far as their local names differ. If such a file has
findings, its halves are analysed, and so on: only what is found in a source alone counts. The
static analyser gets each source alone, because what it follows depends on what else is there.

--base: only the files CHANGED since COMMIT, and one source for each changed header.

Findings go to standard error, the number of sources to standard output; exits 1 if there is a
finding.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

FOLDERS = ("src/", "tools/", "python/", "tests/check/")
# Checks of .clang-tidy that belong to the static analyser.
ANALYSER_CHECKS = r"-?clang-analyzer-[\w.*-]+"
# .clang-tidy asks for none of them, but as errors they would be told.
NO_COMPILER_WARNINGS = "--extra-arg=-Wno-error"
# Sources of one run of clang-tidy. Larger groups save little, and a finding is then searched for in more sources.
GROUP_SIZE = 16


def relative(folder, path):
    return os.path.relpath(os.path.normpath(os.path.join(folder, path)))


def compile_commands(build):
    """The outputs of each source, and its first compile command."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    source_of, first = {}, {}
    for entry in entries:
        path = relative(entry["directory"], entry["file"])
        if path.startswith(FOLDERS):
            # The compiler's precompiled header is none of clang-tidy's.
            entry["command"] = re.sub(r"-fpch-preprocess |-include \S*_pch\.h ", "", entry["command"])
            source_of[entry["output"]] = path
            first.setdefault(path, entry)
    return source_of, first


def sources_of_changes(build, changed, source_of):
    """Changed sources; for a header its own source, or else the first that includes it."""
    includers, output = {}, ""
    deps = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], check=True, text=True,
                          capture_output=True).stdout
    for line in deps.splitlines():
        if line[:1] not in ("", " "):
            output = line.split(":")[0]
        elif line and output in source_of:
            includers.setdefault(relative(build, line.strip()), set()).add(source_of[output])
    return set(source_of.values()) & set(changed) | {
        min(includers[header], key=lambda path: (os.path.splitext(path)[0] != header[:-2], path))
        for header in changed if header.endswith(".h") and header in includers}


def local_names(text):
    """Names that a source defines for itself; too many do no harm."""
    names, is_local = set(), False
    for line in text.split("\n"):
        if line.startswith(("namespace {", "} // namespace")):
            is_local = line.startswith("namespace {")
            continue
        define = re.match(r"#define (\w+)", line)
        if define:
            names.add(define.group(1))
        enumerator = re.match(r"\s+(k[A-Z]\w*)(?: = [^;]*)?,?$", line)
        if is_local and enumerator:
            names.add(enumerator.group(1))
        if not line[:1].isalpha() or not (is_local or line.startswith(("static ", "using "))):
            continue
        found = (re.match(r"(?:struct|class|enum(?: class)?|union) (\w+)", line) or
                 re.match(r"using (\w+) =", line) or re.match(r"using .*::(\w+);", line) or
                 re.search(r"(?<![:\w])(\w+)(?:\[[^\]]*\])*\s*[(={;]", line))
        if found:
            names.add(found.group(1))
    return names


def options_of(entry):
    words = shlex.split(entry["command"])
    return tuple(word for word in words if not word.startswith((entry["output"], entry["file"])))


def grouped(paths, first):
    """Lists of sources that can be one file: none has a local name that another one has or uses."""
    groups = []
    for path in paths:
        text = Path(path).read_text(encoding="utf-8")
        names, options = local_names(text), options_of(first[path])
        words = names | set(re.findall(r"\b(?:k?[A-Z])\w+|(?<![.:>\w])\w+(?=\()", text))
        # Highway's sources include themselves.
        alone = "HWY_TARGET_INCLUDE" in text
        for group in groups:
            if (not alone and not group["alone"] and len(group["paths"]) < GROUP_SIZE and
                    group["options"] == options and not group["names"] & words and
                    not group["words"] & names):
                group["paths"].append(path)
                group["names"] |= names
                group["words"] |= words
                break
        else:
            groups.append({"paths": [path], "names": names, "words": words, "options": options,
                           "alone": alone})
    return [group["paths"] for group in groups]


def text_elsewhere(path):
    """The text of a source that can stand in another folder: includes from its own are absolute."""
    def absolute(match):
        header = Path(path).parent / match.group(1)
        return f'#include "{header.resolve()}"' if header.exists() else match.group(0)

    return re.sub(r'#include "([^"]+)"', absolute, Path(path).read_text(encoding="utf-8")) + "\n"


class Tidy:
    def __init__(self, folder, first):
        self.folder, self.first = folder, first
        folder.mkdir(exist_ok=True)
        write_commands(folder, list(first.values()))
        checks = re.findall(ANALYSER_CHECKS, Path(".clang-tidy").read_text(encoding="utf-8"))
        self.analyser = ",".join(["-*", *checks])

    def target(self, paths):
        """The folder with the compile command, and the file, that stand for these sources."""
        if len(paths) == 1:
            return self.folder, paths[0]
        entry = self.first[paths[0]]
        folder = self.folder / sha256(" ".join(paths).encode()).hexdigest()[:16]
        folder.mkdir(exist_ok=True)
        file = (folder / f"together{Path(paths[0]).suffix}").resolve()
        file.write_text("".join(map(text_elsewhere, paths)), encoding="utf-8")
        words = [str(file) if word == entry["file"] else word
                 for word in shlex.split(entry["command"])]
        write_commands(folder, [{"directory": entry["directory"], "file": str(file),
                                 "output": entry["output"], "arguments": words}])
        return folder, str(file)

    def check(self, paths, checks):
        """Whether there is no finding in these sources."""
        folder, file = self.target(paths)
        result = subprocess.run(["clang-tidy", "--quiet", "--config-file=.clang-tidy", "-p",
                                 str(folder), f"--checks={checks}", NO_COMPILER_WARNINGS, file],
                                text=True, capture_output=True, check=False)
        if result.returncode == 0:
            return True
        if len(paths) == 1:
            print(result.stdout + result.stderr, end="", flush=True, file=sys.stderr)
            return False
        middle = len(paths) // 2
        if not all([self.check(paths[:middle], checks), self.check(paths[middle:], checks)]):
            return False
        reason = next((line for line in result.stdout.split("\n") if "error:" in line), "")
        print(f"lint: no finding if apart: {' '.join(paths[:middle])} and "
              f"{' '.join(paths[middle:])}; together: {reason}", flush=True, file=sys.stderr)
        return True


def write_commands(folder, entries):
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--base", action="store_true")
    parser.add_argument("changed", nargs="*")
    return parser.parse_intermixed_args()


def main():
    options = arguments()
    source_of, first = compile_commands(options.build)
    chosen = sorted(first)
    if options.base:
        chosen = sorted(sources_of_changes(options.build, options.changed, source_of))
    tidy = Tidy(options.build / "lint", first)
    groups = grouped(chosen, first)
    jobs = [([path], tidy.analyser) for path in chosen]
    jobs += [(paths, "-clang-analyzer-*") for paths in groups]
    # The long ones first, so that no core is idle at the end.
    jobs.sort(key=lambda job: -sum(os.path.getsize(path) for path in job[0]))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = all(list(pool.map(lambda job: tidy.check(*job), jobs)))
    print(f"{len(chosen)} sources by {len(groups)} runs")
    return 0 if clean and (chosen or options.base) else 1


if __name__ == "__main__":
    sys.exit(main())
