#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The engine ray on a cluster on this machine: two workers are killed, one video is bad; results are those of the
local pool, and running again does only what is missing. Run it with a Python that has the package ray.

    test_ray.py TOOL
"""
import importlib.util
import os
import pathlib
import signal
import sys
import threading
import time

import lab
from test_slurm import plan

# Stands for ffmpeg: says whose child it is, and waits as long as there is the file "hold".
WRAPPER = """#!/bin/sh
if [ "$1" = -version ]; then
  echo "$PPID" >> {folder}/ray-asked.txt
else
  echo "$PPID" >> {folder}/ray-started.txt
  while [ -e {folder}/hold ]; do sleep 0.1; done
fi
exec ffmpeg "$@"
"""


def has_ray():
    is_there = importlib.util.find_spec("ray") is not None
    if not is_there:
        print("SKIPPED: this Python has no package ray")
    return is_there


def parent_of(process):
    """0 if there is no such process."""
    try:
        return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def wait(is_there, what, seconds=120):
    until = time.time() + seconds
    while not is_there():
        if time.time() > until:
            raise RuntimeError(f"{what} did not come within {seconds} s")
        time.sleep(0.1)


def run_with_kills(table, work, status):
    """Submits; two workers of Ray are killed while their tasks run. Returns what it said."""
    wrapper, log, hold = (table.folder / name for name in ("ffmpeg-ray", "ray-started.txt", "hold"))
    wrapper.write_text(WRAPPER.format(folder=table.folder))
    wrapper.chmod(0o755)
    log.write_text("")
    hold.touch()
    said = []
    submit = threading.Thread(target=lambda: said.append(table.run(
        "submit", work, "--tool", table.tool, "--ffmpeg", wrapper, "--ffprobe", "ffprobe", "--engine", "ray", "--",
        "--num-cpus", "1", status=status)))
    submit.start()
    try:
        wait(lambda: len(set(log.read_text().split())) >= 2, "the start of two tasks")
        tasks = sorted({int(word) for word in log.read_text().split()})[:2]
        for task in tasks:
            os.kill(parent_of(task), signal.SIGKILL)
        wait(lambda: not any(parent_of(task) for task in tasks), "the end of tasks without a worker", 30)
        lab.expect(True, "tasks end with their worker")
    finally:
        hold.unlink()
        submit.join()
    return said[0][1]


def main():
    if not has_ray():
        return 77
    with lab.prepared() as table:
        local, good, failing = plan(table, bad=False)
        work, good, failing = plan(table, bad=True)
        table.submit(local, status=65)
        table.merge(local, status=1)
        began = time.time()
        run_with_kills(table, work, 65)
        print(f"  {len(good) + 1} tasks, two workers killed: {time.time() - began:.1f} s", flush=True)
        lab.expect(f"{len(good)} of {len(good) + 1} parts" in table.run("status", work)[1], "all but one are done")
        starts = (table.folder / "ray-started.txt").read_text().split()
        lab.expect(len(set(starts)) == len(good) + 2, "two tasks were tried again", starts)
        tries = (table.folder / "ray-asked.txt").read_text().split()
        lab.expect(len(set(tries)) == len(good) + 2 + 1, "the bad video was tried once", tries)
        times = {part: part.stat().st_mtime_ns for part in (work / "parts").glob("*.part")}
        table.run("submit", work, *table.programs, "--engine", "ray", "--", status=65)
        lab.expect(times == {part: part.stat().st_mtime_ns for part in times}, "nothing is done twice")
        said = table.run("submit", work, "--engine", "ray", "--", "--nothing", status=64)[1]
        lab.expect("unrecognized arguments: --nothing; it knows --address" in said, "an unknown option", said)
        table.merge(work, status=1)
        lab.expect(lab.result_digest(work) == lab.result_digest(local), "results", "unlike the local pool's")
    return lab.finish("Ray", 12)


if __name__ == "__main__":
    sys.exit(main())
