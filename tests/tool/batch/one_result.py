#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""One result, whoever runs the tasks: one process, 4 and 24 chunks in the local pool, Slurm, Ray with two workers
killed, Snakemake. Prints the SHA-256 of each one's result files, and says what is skipped.

    one_result.py TOOL        run it with a Python that has the packages ray and snakemake
"""
import importlib.util
import json
import os
import subprocess
import sys
import time

import lab
from cluster import Cluster, missing
from test_ray import has_ray, run_with_kills

SNAKEFILE = lab.PACKAGES / "vmaf_gpu/batch/snakemake/Snakefile"
FRAMES = 48


def pairs(table):
    reference = table.reference(seconds=2)
    made = []
    for name, crf in ("a", 26), ("b", 38):
        clip = table.folder / f"{name}.mp4"
        lab.ffmpeg("-i", reference, "-frames:v", FRAMES, "-c:v", "libx264", "-crf", crf, "-x264-params",
                   "keyint=6:min-keyint=6:scenecut=0:threads=1:bframes=2:open-gop=1", clip)
        made.append({"id": name, "ref": reference, "dis": clip, "trim": f"0:{FRAMES}"})
    return made


def by_pool(table, work):
    table.submit(work)


def by_slurm(table, work):
    cluster = Cluster(table.folder)
    try:
        cluster.start()
        table.run("submit", work, *table.programs, "--engine", "slurm", "--", "--mem=100", "--wait",
                  *(["--gres=gpu:1"] if cluster.gpus else []), env=cluster.env)
    finally:
        cluster.end()


def by_ray(table, work):
    run_with_kills(table, work, 0)


def by_snakemake(table, work):
    folder = table.folder / "snakemake"
    folder.mkdir()
    done = subprocess.run([sys.executable, "-m", "snakemake", "--snakefile", SNAKEFILE, "--cores", "2", "--config",
                           f"work={work}", f"words=--tool {table.tool}"], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=300, env={**os.environ, "XDG_CACHE_HOME": str(folder)})
    lab.expect(done.returncode == 0, "Snakemake", (done.stdout + done.stderr)[-2000:])


def main():
    runs = [("one process", FRAMES, by_pool, ""), ("4 chunks", 12, by_pool, ""), ("24 chunks", 2, by_pool, ""),
            ("Slurm, 4 chunks", 12, by_slurm, missing()),
            ("Ray, 4 chunks, two workers killed", 12, by_ray, "" if has_ray() else "no package ray"),
            ("Snakemake, 4 chunks", 12, by_snakemake,
             "" if importlib.util.find_spec("snakemake") else "no package snakemake")]
    found, skipped = {}, 0
    with lab.prepared() as table:
        made = pairs(table)
        for what, size, start, lack in runs:
            if lack:
                print(f"SKIPPED: {what}: {lack}", flush=True)
                skipped += 1
                continue
            work = table.plan(size, *made)
            began = time.time()
            start(table, work)
            table.merge(work)
            found[what] = lab.result_digest(work)
            tasks = len(json.loads((work / "plan.json").read_text())["tasks"])
            lab.expect(tasks == len(made) * FRAMES // size, f"tasks of {what}", tasks)
            lab.expect(all((work / "results" / f"{pair['id']}.csv").exists() for pair in made), f"results of {what}")
            print(f"  {found[what]}  {what}: {tasks} tasks, {time.time() - began:.1f} s", flush=True)
    lab.expect(len(set(found.values())) == 1, "one result", found)
    print(f"{len(found)} ways compared, {skipped} skipped")
    return lab.finish("one result", 10)


if __name__ == "__main__":
    sys.exit(main())
