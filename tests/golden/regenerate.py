#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes the scores of the JSON files again, with libvmaf, and compares or replaces them.

    git clone https://github.com/Netflix/vmaf && git -C vmaf checkout f85a8536
    ninja -C build tests/golden/write_clip
    tests/golden/regenerate.py --libvmaf vmaf --build build [--write] [NAME...]

A file has:

    source    who computed the numbers
    numbers   how many `cases` has, so that a lost one is noticed
    cases     one a line: clip (clips.cpp has its formula), feature and options, or the models of one
              run; compat 3.1: by libvmaf 3.1.0. scores: by the name of libvmaf's log, a number for
              each frame from 0 on, null where none is known; means: of all frames
    sums      integers that libvmaf does not print: of a copy that was made to
    runs      lines that FFmpeg prints

Doubles are hexadecimal, so that no digit is lost. libvmaf is built without assembler, in a folder of
its own, and its log made to print such numbers, too. Not made again: sums, runs, compat 3.1, skeleton,
depths that libvmaf's program does not read. They are counted. Exits 1 if a number differs.
"""
import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent


def build_libvmaf(source, work):
    """The path of a program that prints every bit."""
    copy = work / "libvmaf"
    if not (copy / "build/tools/vmaf").exists():
        for name in ("libvmaf", "model"):
            shutil.copytree(source / name, work / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build"))
        output = copy / "src/output.c"
        text = output.read_text()
        output.write_text(text.replace("%.6f", "%a").replace("%.16f", "%a"))
        subprocess.run(["meson", "setup", "--buildtype=release", "-Denable_asm=false", "-Denable_float=true",
                        "-Denable_tests=false", "-Denable_docs=false", copy / "build", copy], check=True)
        subprocess.run(["ninja", "-C", copy / "build"], check=True)
    return copy / "build/tools/vmaf"


def why_not(case):
    """Why libvmaf's program cannot compute a case, or ''."""
    if case.get("compat"):
        return "libvmaf 3.1"
    return "not libvmaf's" if case.get("feature") == "skeleton" else ""


def request(case):
    """Arguments for the feature, or the models."""
    if "models" in case:
        return [word for name in case["models"] for word in ("--model", f"version={name}:name={name}")]
    # Only our option: libvmaf asks the processor, which must be AMD's.
    options = [text for text in case["options"].split(":") if text and text != "float_adm_rcp=amd"]
    if case["feature"] == "motion": # the plain series is one for debugging
        options.append("debug=true")
    return ["--no_prediction", "--feature", ":".join([case["feature"] + "=" * bool(options) + options[0], *options[1:]])
            if options else case["feature"]]


def libvmaf_log(case, programs, work):
    """The log's tree; None: libvmaf does not read the clip's depth."""
    vmaf, write_clip = programs
    files = [work / "reference.yuv", work / "distorted.yuv"]
    frames = len(next(iter(case["scores"].values())))
    done = subprocess.run([write_clip, case["clip"], str(frames), *files], check=True, text=True, stdout=subprocess.PIPE)
    width, height, depth, layout = done.stdout.split()
    if depth not in ("8", "10", "12", "16"):
        return None
    log = work / "log.xml"
    log.unlink(missing_ok=True)
    subprocess.run([vmaf, "-r", files[0], "-d", files[1], "-w", width, "-h", height, "-b", depth, "-p", layout, "-q",
                    "--xml", "-o", log, *request(case)], check=True)
    return xml.etree.ElementTree.parse(log)


def number(text):
    value = float.fromhex(text)
    return ("-nan" if text.startswith("-") else "nan") if math.isnan(value) else value.hex()


def compared(case, log):
    """(numbers, differing numbers); the case's are replaced."""
    count = differing = 0
    frames = log.findall(".//frame")
    for name, series in case["scores"].items():
        for i, known in enumerate(series):
            if known is None:
                continue
            count += 1
            made = number(frames[i].attrib[name])
            if made != known:
                differing += 1
                print(f"{case['clip']} {case.get('options', '')}: {name} of frame {i}: {known}, made {made}")
                series[i] = made
    for name, known in case.get("means", {}).items():
        count += 1
        made = number(log.find(f".//metric[@name='{name}']").attrib["mean"])
        if made != known:
            differing += 1
            print(f"{case['clip']}: mean of {name}: {known}, made {made}")
            case["means"][name] = made
    return count, differing


def text_of(content):
    """The file's text: a case a line."""
    parts = [f'"{key}": {json.dumps(value)}' for key, value in content.items() if not isinstance(value, list)]
    parts += [f'"{key}": [\n' + ",\n".join(map(json.dumps, value)) + "\n]" for key, value in content.items()
              if isinstance(value, list)]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--libvmaf", type=pathlib.Path, required=True, help="libvmaf's sources, at f85a8536")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder, with write_clip")
    parser.add_argument("--work", type=pathlib.Path, help="folder to build libvmaf in, kept")
    parser.add_argument("--write", action="store_true", help="replace numbers that differ")
    parser.add_argument("names", nargs="*", help="files without .json; default: all")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = (options.work or pathlib.Path(scratch)).resolve()
        work.mkdir(exist_ok=True)
        programs = build_libvmaf(options.libvmaf, work), options.build.resolve() / "tests/golden/write_clip"
        all_differing = 0
        for path in sorted(HERE.glob("*.json")):
            content = json.loads(path.read_text())
            if "source" not in content or (options.names and path.stem not in options.names):
                continue
            count, differing, left_out = 0, 0, 0
            for case in content.get("cases", []):
                log = None if why_not(case) else libvmaf_log(case, programs, work)
                if log is None:
                    left_out += 1
                    continue
                more, wrong = compared(case, log)
                count, differing = count + more, differing + wrong
            print(f"{path.stem}: {count} numbers made, {differing} differ; not made: {left_out} cases, "
                  f"{len(content.get('sums', []) + content.get('runs', []))} sums and runs", flush=True)
            all_differing += differing
            if options.write and differing:
                path.write_text(text_of(content))
    return 1 if all_differing else 0


if __name__ == "__main__":
    sys.exit(main())
