#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Finds the quality of an encoder that reaches a score with the fewest bytes, and prints the command that encodes so.

    search_crf.py VIDEO ENCODER TARGET [OPTIONS OF vmaf-gpu search]     as in: search_crf.py movie.mkv libx264 93
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile


def search(video, encoder, target, *options):
    """The answer as `vmaf-gpu search --json` has it. Its statuses 3 and 4 say that no value reaches the target, or fits."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "answer.json")
        done = subprocess.run([sys.executable, "-m", "vmaf_gpu.batch", "search", video, "--encoder", encoder, "--target", target,
                               "--json", path, "--quiet", *options], stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 3, 4):
            sys.exit(done.returncode)
        return json.loads(path.read_text(encoding="utf-8"))["answers"][0]


def main(video, encoder, target, *options):
    answer = search(video, encoder, target, *options)
    score = math.inf if answer["score"] is None else answer["score"]
    if answer["fails"]:
        sys.exit(f"no value has what was asked for (the {answer['fails']} fails); the best has {score:.3f}")
    print(f"{score:.3f} with {answer['bytes']} bytes, {answer['trials']} trials")
    print(answer["command"])


if __name__ == "__main__":
    main(*sys.argv[1:])
