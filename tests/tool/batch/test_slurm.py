#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The engine slurm on a real Slurm on this machine: an array of tasks of which one is requeued, one is killed and
one fails for good; the merging job reports what is missing; results are those of the local pool.

    test_slurm.py TOOL
"""
import json
import os
import pathlib
import re
import signal
import sys
import tempfile

import lab
from cluster import LARGEST_ARRAY, Cluster, missing

# Stands for ffmpeg: says who starts it, and waits as long as there is a file that holds its task.
WRAPPER = """#!/bin/sh
if [ -n "$SLURM_ARRAY_TASK_ID" ] && [ "$1" != -version ]; then
  echo "$SLURM_ARRAY_TASK_ID $PPID ${{SLURM_RESTART_COUNT:-0}} gpu=$CUDA_VISIBLE_DEVICES" >> {log}
  while [ -e {folder}/hold.$SLURM_ARRAY_TASK_ID ]; do sleep 0.1; done
fi
exec ffmpeg "$@"
"""


def make_wrapper(folder):
    wrapper, log = folder / "ffmpeg-held", folder / "started.txt"
    wrapper.write_text(WRAPPER.format(folder=folder, log=log))
    wrapper.chmod(0o755)
    log.write_text("")
    return wrapper, log


def starts(log, number):
    """Words of the starts of a task: process, restarts, devices."""
    return [line.split()[1:] for line in log.read_text().splitlines() if line.split()[0] == str(number)]


def name_of(number, jobs):
    """Returns Slurm's name of a task, if arrays are full."""
    return f"{jobs[number // LARGEST_ARRAY]}_{number % LARGEST_ARRAY}"


def plan(table, bad):
    """Two pairs in five tasks; the video of the second one is cut after planning."""
    reference = table.reference(seconds=1)
    pairs = []
    for name, count in ("good", 24), ("bad", 6):
        clip = table.folder / f"{name}.mp4"
        ref = table.folder / f"{name}.ref.mkv"
        if not clip.exists():
            lab.ffmpeg("-i", reference, "-frames:v", count, "-c:v", "ffv1", ref)
            lab.ffmpeg("-i", ref, "-c:v", "libx264", "-crf", "32", "-x264-params", "keyint=6:scenecut=0:threads=1", clip)
        pairs.append({"id": name, "ref": ref, "dis": clip})
    work = table.plan(6, *pairs)
    tasks = json.loads((work / "plan.json").read_text())["tasks"]
    failing = next(number for number, task in enumerate(tasks) if task["members"][0]["pair"] == 1)
    if bad:
        os.truncate(pairs[1]["dis"], pairs[1]["dis"].stat().st_size - 100)
    return work, [number for number in range(len(tasks)) if number != failing], failing


def check_faults(table, cluster, work, good, failing):
    """Submits with some tasks held, and does to them what clusters do."""
    wrapper, log = make_wrapper(table.folder)
    killed, requeued = good[0], good[1]
    for number in killed, requeued:
        (table.folder / f"hold.{number}").touch()
    gres = ["--gres=gpu:1"] if cluster.gpus else []
    said = table.run("submit", work, "--tool", table.tool, "--ffmpeg", wrapper, "--ffprobe", "ffprobe", "--engine",
                     "slurm", "--", *gres, "--mem=100", env=cluster.env)[1]
    jobs, merge = re.search(r"as job (\d+, \d+)\nmerge as job (\d+)", said).groups()
    jobs = jobs.split(", ")
    cluster.wait(lambda: starts(log, killed) and starts(log, requeued), "the start of two tasks", 20)
    os.kill(int(starts(log, killed)[0][0]), signal.SIGKILL)
    (table.folder / f"hold.{killed}").unlink()
    cluster.ask("scontrol", "requeue", name_of(requeued, jobs))
    cluster.wait(lambda: "BeginTime" in cluster.ask("squeue", "-h", "-r", "-o", "%i %r") or
                 "PENDING" in cluster.ask("scontrol", "show", "job", name_of(requeued, jobs)), "requeueing")
    (table.folder / f"hold.{requeued}").unlink()
    cluster.ask("scontrol", "update", f"JobId={name_of(requeued, jobs)}", "StartTime=now")
    log_of_merge = work / "slurm" / f"merge-{merge}.txt"
    cluster.wait(lambda: f"{merge} " not in cluster.ask("squeue", "-h", "-o", "%i ") and log_of_merge.exists(),
                 "the merging job", 120)
    told = log_of_merge.read_text()
    lab.expect("bad: not scored yet: pairs 0 to 5" in told and "good" not in told, "the merging job's report", told)
    text = (work / "slurm" / f"{name_of(killed, jobs)}.txt").read_text()
    lab.expect("status 137, trying again" in text, "a killed task is tried again in its place", text)
    lab.expect([start[1] for start in starts(log, requeued)][-1] == "1", "the requeued task", starts(log, requeued))
    text = (work / "slurm" / f"{name_of(failing, jobs)}.txt").read_text()
    lab.expect(text.count("has changed since") == 1, "a bad video is not tried again", text)
    devices = {start[2] for number in good for start in starts(log, number)}
    lab.expect(devices == ({"gpu=0", "gpu=1"} if cluster.gpus else {"gpu="}), "devices", devices)
    lab.expect(all(len(starts(log, number)) <= 2 for number in good[2:]), "others run once", log.read_text())


def check_again(table, cluster, work, failing):
    """Submitting again runs only what is missing, and --wait has the status of the merging job."""
    words = ["submit", work, *table.programs, "--engine", "slurm", "--", "--wait", "--at-once", "1"]
    said = table.run(*words, status=1, env=cluster.env)[1]
    lab.expect("1 task as job" in said and "bad: not scored yet" in said, "submitting again", said)
    job = re.search(r"as job (\d+)", said)[1]
    logs = [log.name for log in (work / "slurm").glob(f"{job}_*")]
    lab.expect(logs == [f"{job}_{failing % LARGEST_ARRAY}.txt"], "only the missing task", logs)
    strange = table.folder / "a\\\\b"
    strange.symlink_to(work)
    said = table.run("submit", strange, *table.programs, "--engine", "slurm", status=64, env=cluster.env)[1]
    lab.expect("no backslash" in said, "a backslash in the path", said)
    said = table.run("submit", work, *table.programs, "--engine", "slurm", "--", "--array=1", status=64)[1]
    lab.expect("--array=1 is not allowed" in said, "an option that is ours", said)


def run(table, cluster):
    local, _, _ = plan(table, bad=False)
    work, good, failing = plan(table, bad=True)
    table.submit(local, status=65)
    table.merge(local, status=1)
    cluster.start()
    check_faults(table, cluster, work, good, failing)
    check_again(table, cluster, work, failing)
    table.merge(work, status=1)
    lab.expect(lab.result_digest(work) == lab.result_digest(local), "results", "unlike the local pool's")
    lab.expect((work / "results" / "good.csv").stat().st_size > 1000, "the result is there")


def main():
    lab.need_encoder()
    if missing():
        print("SKIPPED:", missing())
        return 77
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(folder)
        try:
            table = lab.Lab(pathlib.Path(folder), sys.argv[1])
            table.name = "w%A%%u $x "  # characters that Slurm and shells replace
            run(table, cluster)
        finally:
            cluster.end()
        left = list(cluster.processes_of_jobs())
        lab.expect(not left, "processes that are left", left)
    return lab.finish("Slurm", 15)


if __name__ == "__main__":
    sys.exit(main())
