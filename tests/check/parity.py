#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The parity gate: features x models x backends x clips, each compared with the plain
reference code. Integers of the Sums and bit patterns of scores are equal or the gate
fails: no tolerance, no second try. What is not finite, a series that is missing, a
backend other than the asked one, or one that cannot be opened, fail too.

    tests/check/parity.py [--build build] [--backends cpu,emu32,emu64] [--bisect]

Backends: cpu (every level of this processor in turn, or cpu@LEVEL), emu32, emu64,
cuda, hip, or with a device, cuda:1. Clips are generated, the same everywhere.
Reports go to BUILD/parity/parity.json and parity.md.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import cases  # noqa: E402
import compare  # noqa: E402
import report as reports  # noqa: E402

# Failures of one backend that are bisected; further ones mostly have the same cause.
BISECTED = 3


class Probe:
    def __init__(self, path, timeout):
        self.path = path
        self.timeout = timeout

    def ask(self, command, backend, jobs):
        """Results by id, and what the process itself did wrong ('' if nothing)."""
        name, _, level = backend.partition("@")
        try:
            done = subprocess.run([self.path, command, name, *([level] if level else [])],
                                  input="".join(json.dumps(job) + "\n" for job in jobs),
                                  capture_output=True, text=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return {}, f"no answer within {self.timeout} s"
        except OSError as error:
            return {}, str(error)
        results, fault = {}, ""
        for line in done.stdout.splitlines():
            try:
                result = json.loads(line)
                results[result["id"]] = result
            except (ValueError, KeyError, TypeError):
                fault = f"an answer that is no result: {line[:80]}"
        if done.returncode != 0:
            fault = f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"
        return results, fault

    def known(self):
        return json.loads(subprocess.run([self.path, "list"], check=True, capture_output=True,
                                         text=True, timeout=self.timeout).stdout)


def expand(backends, known):
    """cpu means every level that this processor has."""
    names = []
    for name in backends:
        if name == "cpu":
            names += [f"cpu@{level}" for level in range(known["cpu_levels"])]
        else:
            names.append(name)
    return names


def sums_job_behind(job, where):
    """The Sums that a score comes from, to look for the place of a difference."""
    feature = next((name for name in cases.VARIANTS if name in where["name"]), None)
    if job["kind"] == "sums" or feature is None:
        return job if job["kind"] == "sums" else None
    options = ["", f"{feature}_enhn_gain_limit=1"] if feature != "motion" else [""]
    return {"id": job["id"], "kind": "sums", "feature": feature, "options": options,
            "compat": job.get("compat", "3.2"), "clip": job["clip"]}


def locate(probe, backend, job, where):
    target = sums_job_behind(job, where)
    if target is None:
        return None
    results, fault = probe.ask("bisect", backend, [target])
    found = results.get(job["id"], {"error": fault or "no answer"})
    if found.get("differs"):
        where["scale"], where["member"], where["stage"] = cases.word_of(
            target["feature"], found["words"], found["name"])
    return found


def judge_backend(probe, backend, jobs, reference, want_bisect):
    results, fault = probe.ask("run", backend, jobs)
    outcomes, bisected = [], 0
    for job in jobs:
        verdict, why, where = compare.judge(job, backend, reference.get(job["id"]),
                                            results.get(job["id"]))
        if verdict == "failed" and where and want_bisect and bisected < BISECTED:
            bisected += 1
            where["bisected"] = locate(probe, backend, job, where)
        outcomes.append({"id": job["id"], "verdict": verdict, "why": why, "where": where})
    selector = next((r["selector"] for r in results.values() if "selector" in r), "-")
    return {"selector": selector, "fault": fault, "outcomes": outcomes,
            "totals": reports.totals_of(outcomes)}


def coverage_faults(known, jobs, reference):
    """Every feature and model must have been compared at least once."""
    ran = [job for job in jobs if "rows" in reference.get(job["id"], {})]
    features = {job["feature"] for job in ran if job["kind"] == "sums"}
    models = {model["name"] for job in ran if job["kind"] == "scores" for model in job["models"]}
    faults = [f"feature {f['name']} was never compared" for f in known["features"]
              if f["name"] not in features]
    return faults + [f"model {name} was never compared" for name in cases.computable_models(known)
                     if name not in models]


def notes_on(known):
    """Prints what cannot be compared on this machine."""
    return [f"NOT COMPARED: model {model['name']} needs {', '.join(model['missing'])}, which this "
            "build lacks" for model in known["models"] if model["missing"]]


def run_gate(args):
    begin = time.monotonic()
    probe = Probe(args.probe, args.timeout)
    known = probe.known()
    jobs = [job for job in cases.all_jobs(known, args.size, args.seed) if args.filter in job["id"]]
    backends = expand(args.backends.split(","), known)
    faults = [] if jobs else [f"no job matches '{args.filter}'"]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        # The plain code is the slowest: in pieces, one process each.
        pieces = [jobs[i::args.jobs] for i in range(args.jobs)]
        reference = {}
        for results, fault in pool.map(lambda piece: probe.ask("run", "ref", piece), pieces):
            reference.update(results)
            faults += [f"reference: {fault}"] if fault else []
        judged = pool.map(lambda name: judge_backend(probe, name, jobs, reference, args.bisect),
                          backends)
        by_name = dict(zip(backends, judged))
    faults += [f"{name}: {b['fault']}" for name, b in by_name.items() if b["fault"]]
    faults += [f"{name}: nothing was compared" for name, b in by_name.items()
               if jobs and b["totals"]["equal"] + b["totals"]["failed"] == 0]
    if not args.filter:
        faults += coverage_faults(known, jobs, reference)
    failed = sum(b["totals"]["failed"] for b in by_name.values())
    return {"version": known["version"], "seed": args.seed, "jobs": len(jobs), "faults": faults,
            "notes": notes_on(known), "passed": failed == 0 and not faults and bool(by_name),
            "backends": by_name, "seconds": time.monotonic() - begin}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--probe", help="default: BUILD/tests/check/parity_probe")
    parser.add_argument("--backends", default="cpu,emu32,emu64")
    parser.add_argument("--size", choices=["quick", "full"], default="quick")
    parser.add_argument("--filter", default="", help="only jobs whose name contains this")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bisect", action="store_true", help="find the place of differences")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one backend")
    parser.add_argument("--out", help="folder of the reports; default: BUILD/parity")
    args = parser.parse_args()
    args.probe = args.probe or os.path.join(args.build, "tests/check/parity_probe")
    report = run_gate(args)
    reports.write(report, args.out or os.path.join(args.build, "parity"))
    print(reports.markdown(report), end="")
    return 0 if report["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
