#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Published option strings: logs in XML and JSON equal libvmaf's, byte for byte, apart from the
version, the speed, and the keys that only our logs have.

    published.py --tool TOOL [--vmaf VMAF] [--models FOLDER] [--backend NAME]
    published.py --ffmpeg FFMPEG [--backend NAME]

Logs are compared with published_digests.json, which holds SHA-256 of logs of libvmaf f85a8536. With --vmaf,
libvmaf's tool, and with an FFMPEG that has the filter libvmaf, the logs themselves are compared.
--models: every JSON below FOLDER is also run by its path, which needs --vmaf. --write replaces the
digests by those of --vmaf or of FFMPEG's filter libvmaf. --table prints a table.
"""
import argparse
import dataclasses
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import published_cases as cases  # noqa: E402

DIGESTS = pathlib.Path(__file__).with_name("published_digests.json")
WIDTH, HEIGHT, PICTURES = 352, 320, 4
FORMATS = ("xml", "json")


class Failure(Exception):
    pass


def picture(number, depth, is_distorted):
    """Gradients and edges that move; distorted: coarse levels and a little noise."""
    data = bytearray()
    for plane, (width, height) in enumerate(((WIDTH, HEIGHT), (WIDTH // 2, HEIGHT // 2),
                                             (WIDTH // 2, HEIGHT // 2))):
        state = 12345 + plane
        for y in range(height):
            for x in range(width):
                level = (x * 5 + y * 3 + 24 * number + 40 * plane) % 880
                level += 90 if (x // 24 + y // 18 + number) % 5 == 0 else 0
                if is_distorted:
                    state = (state * 1103515245 + 12345) % 2147483648
                    level = level // 12 * 12 + (state >> 16) % 7
                data += ((level >> 2).to_bytes(1, "little") if depth == 8
                         else level.to_bytes(2, "little"))
    return bytes(data)


def make_clips(folder):
    for depth in (8, 10):
        for name in ("r", "d"):
            colour = "420jpeg" if depth == 8 else "420p10 XYSCSS=420P10"
            head = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C{colour}\n".encode()
            (folder / f"{name}{depth}.y4m").write_bytes(head + b"".join(
                b"FRAME\n" + picture(i, depth, name == "d") for i in range(PICTURES)))


def common_part(text, log_format):
    """Returns what both logs have, without the version and the speed."""
    if log_format == "xml":
        text = re.sub(r'(<VMAF version|<fyi fps)="[^"]*"', r'\1=""', text)
        text = re.sub(r"  <vmaf_gpu .*</vmaf_gpu>\n", "", text, flags=re.S)
        return re.sub(r"  <pairing [^>]*/>\n", "", text)
    text = re.sub(r'("version"): "[^"]*"', r'\1: ""', text, count=1)
    text = re.sub(r'("fps"): [0-9.]+', r"\1: 0", text, count=1)
    text = re.sub(r',\n +"pts": -?\d+,\n +"time": -?[0-9.]+', "", text)
    return re.sub(r',\n  "schema_version": .*\n\}\n$', "\n}\n", text, flags=re.S)


class Runner:
    def __init__(self, folder):
        self.folder = folder

    def run(self, command, log):
        log = self.folder / log
        log.unlink(missing_ok=True)
        done = subprocess.run([str(word) for word in command], cwd=self.folder, timeout=300,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode or not log.exists():
            raise Failure(f"{' '.join(map(str, command))} exited with {done.returncode}:\n"
                          f"{done.stderr[-1000:]}")
        return log.read_text()

    def tool(self, program, case, log_format):
        return self.run([program, "-r", f"r{case.depth}.y4m", "-d", f"d{case.depth}.y4m", "-q",
                         f"--{log_format}", "-o", "log", *case.tool], "log")

    def filter(self, program, name, options, case, log_format):
        graph = f"[0:v][1:v]{name}={options}log_path=log:log_fmt={log_format}"
        return self.run([program, "-hide_banner", "-nostdin", "-v", "error", "-i",
                         f"d{case.depth}.y4m", "-i", f"r{case.depth}.y4m", "-lavfi", graph, "-f",
                         "null", "-"], "log")


def pinned(case):
    """The tool's arguments with the option that makes processors agree."""
    if not case.pin:
        return case
    words = [word + ":" + case.pin if word.startswith(("version=", "path=")) else word
             for word in case.tool]
    options = case.filter + r"\:" + case.pin if case.filter else ""
    return dataclasses.replace(case, tool=tuple(words),
                                     filter=options.replace("model=", "model='", 1) + "'")


class Test:
    def __init__(self, arguments, folder):
        self.arguments, self.runner = arguments, Runner(folder)
        self.digests = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
        self.written, self.results = {}, []
        self.has_libvmaf = self.is_old = False
        if arguments.ffmpeg:
            listed = subprocess.run([arguments.ffmpeg, "-hide_banner", "-filters"], check=True,
                                    capture_output=True, text=True).stdout
            self.has_libvmaf = " libvmaf " in listed
            version = subprocess.run([arguments.ffmpeg, "-version"], check=True,
                                     capture_output=True, text=True).stdout
            self.is_old = re.match(r"ffmpeg version n?[56]\.", version) is not None

    def genuine(self, case, log_format):
        """libvmaf's log, or None where it is not at hand."""
        if self.arguments.vmaf:
            return self.runner.tool(self.arguments.vmaf, case, log_format)
        if self.has_libvmaf and (self.is_old or not case.is_of_old_ffmpeg):
            options = case.filter + ":" if case.filter else ""
            return self.runner.filter(self.arguments.ffmpeg, "libvmaf", options, case, log_format)
        return None

    def ours(self, case, log_format):
        if self.arguments.tool:
            case = dataclasses.replace(case, tool=("--backend", self.arguments.backend,
                                                  *case.tool))
            return self.runner.tool(self.arguments.tool, case, log_format)
        options = f"backend={self.arguments.backend}:" + (case.filter + ":" if case.filter else "")
        return self.runner.filter(self.arguments.ffmpeg, "vmaf_gpu", options, case, log_format)

    def genuine_or_refused(self, case, log_format):
        """libvmaf's log or None, and whether it refuses the case."""
        try:
            return self.genuine(case, log_format), False
        except Failure:
            if self.arguments.write:
                raise
            return None, True

    def check(self, case, log_format):
        """How the log was compared; a Failure says what differs."""
        genuine, is_refused = self.genuine_or_refused(case, log_format)
        if self.arguments.write:
            if genuine is not None:
                self.written[f"{case.name} {log_format}"] = digest(genuine, log_format)
            return ""
        key = f"{case.name} {log_format}"
        if is_refused and key not in self.digests:  # a model's file
            try:
                self.ours(case, log_format)
            except Failure:
                return "both refuse it"
            raise Failure("libvmaf refuses it, but there is a log")
        if genuine is not None:  # both run on one processor
            got, wanted = (common_part(text, log_format)
                           for text in (self.ours(case, log_format), genuine))
            if got != wanted:
                lines = [pair for pair in zip(got.splitlines(), wanted.splitlines())
                         if pair[0] != pair[1]]
                raise Failure(f"ours: {lines[0][0][:200] if lines else len(got)}\n"
                              f"    libvmaf's: {lines[0][1][:200] if lines else len(wanted)}")
            return "equal"
        if digest(self.ours(pinned(case), log_format), log_format) != self.digests.get(key):
            raise Failure("the digest is not that of libvmaf's log")
        return "equal digests"

    def run(self, selected):
        failed = 0
        for case in selected:
            for log_format in FORMATS:
                try:
                    self.results.append((case.name, log_format, self.check(case, log_format)))
                except Failure as error:
                    failed += 1
                    self.results.append((case.name, log_format, "differs"))
                    print(f"FAILED {case.name}, {log_format}: {error}")
        return failed


def digest(text, log_format):
    return hashlib.sha256(common_part(text, log_format).encode()).hexdigest()


def model_cases(folder):
    for path in sorted(pathlib.Path(folder).resolve().rglob("*.json")):
        depth = 10 if path.stem.startswith("vmaf_v1") else 8
        yield cases.Case(f"model=path={path.name}", f"model=path={path}", ("-m", f"path={path}"),
                         depth)


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "ffmpeg", "vmaf", "models"):
        parser.add_argument("--" + name)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    for name in ("tool", "ffmpeg", "vmaf"):
        if getattr(arguments, name):
            setattr(arguments, name, str(pathlib.Path(getattr(arguments, name)).resolve()))
    if not arguments.write and bool(arguments.tool) == bool(arguments.ffmpeg):
        parser.error("one of --tool and --ffmpeg is needed")
    if arguments.models and not arguments.vmaf:
        parser.error("--models needs --vmaf")
    selected = [case for case in cases.CASES
                if (case.filter or case is cases.CASES[0] if arguments.ffmpeg else case.tool)]
    if arguments.models:
        selected += model_cases(arguments.models)
    with tempfile.TemporaryDirectory() as folder:
        make_clips(pathlib.Path(folder))
        test = Test(arguments, pathlib.Path(folder))
        failed = test.run(selected)
    if arguments.write:
        for name, value in test.written.items():
            if test.digests.get(name, value) != value:
                print(f"changed: {name}")
        DIGESTS.write_text(json.dumps({**test.digests, **test.written}, indent=1) + "\n")
        print(f"published: {len(test.written)} digests written, {failed} failed")
        return 1 if failed or not test.written else 0
    if arguments.table:
        for name in dict.fromkeys(row[0] for row in test.results):
            row = [outcome for other, _, outcome in test.results if other == name]
            print("| `" + name.replace("|", "\\|") + "` | " + " | ".join(row) + " |")
    print(f"published: {len(test.results) - failed} passed, {failed} failed")
    return 1 if failed or not test.results else 0


if __name__ == "__main__":
    sys.exit(main())
