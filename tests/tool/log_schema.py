#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""JSON logs against docs/user/log.schema.json, with Python's jsonschema.

    log_schema.py SCHEMA LOG...          each log must be valid
    log_schema.py SCHEMA --tool TOOL     logs of the tool must be, and doctored ones must not

Exits 77 (skipped) with a line that says so if jsonschema is not installed.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

import runs

try:
    import jsonschema
except ImportError:
    print("SKIPPED: Python's jsonschema is not installed (scripts/setup.sh)")
    sys.exit(77)

SIZE = 32


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def validator(path):
    schema = load(path)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def faults(schema, log):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in schema.iter_errors(log)]


def write_clip(path, step):
    frames = [bytes((x * y * step + 9 * t) & 255 for y in range(SIZE) for x in range(SIZE)) + bytes(SIZE * SIZE // 2)
              for t in range(3)]
    with open(path, "wb") as file:
        file.write(runs.y4m(SIZE, SIZE, frames))


def tool_logs(tool):
    with tempfile.TemporaryDirectory() as folder:
        clips = [os.path.join(folder, name) for name in ("r.y4m", "d.y4m")]
        for step, clip in enumerate(clips, 1):
            write_clip(clip, step)
        log = os.path.join(folder, "log.json")
        for options in (["--shots"], [], ["-m", "version=vmaf_v0.6.1:disable_clip:name=a",
                             "-m", "version=vmaf_4k_v0.6.1:adm.adm_enhn_gain_limit=1.2"],
                        ["-n", "--feature", "motion=debug=true", "--compat", "3.1",
                         "--subsample", "2"]):
            subprocess.run([tool, "-r", clips[0], "-d", clips[1], "--backend", "cpu", "-q",
                            "--json", "-o", log, *options], check=True, timeout=60)
            yield load(log)


def doctored(log):
    """Returns logs, each with one thing wrong."""
    def change(what, function):
        changed = copy.deepcopy(log)
        function(changed)
        return what, changed
    yield change("another schema_version", lambda x: x.update(schema_version=2))
    yield change("a key that is not in the schema", lambda x: x.update(extra=1))
    yield change("no vmaf_gpu", lambda x: x.pop("vmaf_gpu"))
    for key in ("version", "backend", "device", "width", "depth", "compat", "models"):
        yield change(f"no {key}", lambda x, key=key: x["vmaf_gpu"].pop(key))
    yield change("an unknown backend", lambda x: x["vmaf_gpu"].update(backend="gpu"))
    yield change("a short digest", lambda x: x["vmaf_gpu"]["models"][0].update(digest="0123"))
    yield change("a number as text", lambda x: x["frames"][0]["metrics"].update(vmaf="93"))
    yield change("pts as a fraction", lambda x: x["frames"][0].update(pts=0.5))
    yield change("a key in a frame", lambda x: x["frames"][0].update(score=1))
    yield change("no harmonic mean",
                 lambda x: x["pooled_metrics"]["vmaf"].pop("harmonic_mean"))
    yield change("a shot without scores", lambda x: x["shots"]["list"][0].pop("scores"))
    yield change("a pairing without pairs", lambda x: x.update(pairing={"rule": "auto"}))


def check_tool(schema, tool):
    logs = list(tool_logs(tool))
    found = [fault for log in logs for fault in faults(schema, log)]
    refused = list(doctored(logs[0]))
    found += [f"{what} is not refused" for what, log in refused if not faults(schema, log)]
    print(f"log schema: {len(logs)} logs, {len(refused)} doctored ones, {len(found)} faults")
    return found


def main():
    schema = validator(sys.argv[1])
    if sys.argv[2] == "--tool":
        found = check_tool(schema, sys.argv[3])
    else:
        found = [f"{path}: {fault}" for path in sys.argv[2:] for fault in faults(schema, load(path))]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
