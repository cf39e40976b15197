# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tasks as an array job of AWS Batch: prints both requests as JSON, or gives them to aws with --apply.

Bad input ends its task at once; all else, such as a host that is taken away, is tried again.
"""
import json
import pathlib
from typing import Any, Dict, List

from vmaf_gpu.batch.engines import templates, worker
from vmaf_gpu.batch.errors import BAD_INPUT, DONE, NOT_REPRODUCIBLE, USAGE, BatchError

_MOST = 10000  # elements of an array


def retry_strategy() -> Dict[str, Any]:
    """The first rule that fits counts."""
    ends = [{"onExitCode": str(code), "action": "EXIT"} for code in (USAGE, BAD_INPUT, NOT_REPRODUCIBLE)]
    return {"attempts": 1 + worker.RETRIES, "evaluateOnExit": [*ends, {"onReason": "*", "action": "RETRY"}]}


def _volume(text: str) -> Dict[str, Any]:
    """fs-ID:/PATH of EFS, or /PATH of the host (where FSx or a disk is mounted)."""
    name, _, path = text.rpartition(":")
    if not path.startswith("/"):
        raise BatchError(USAGE, f"the engine aws-batch: --volume '{text}' is not allowed; expected fs-ID:/PATH or /PATH")
    source: Dict[str, Any] = {"host": {"sourcePath": path}}
    if name:
        source = {"efsVolumeConfiguration": {"fileSystemId": name, "rootDirectory": "/"}}
    return {"path": path, "source": source}


def definition(options: Any, name: str, words: List[str]) -> Dict[str, Any]:
    needs = {"VCPU": str(options.vcpus), "MEMORY": str(options.memory)}
    if options.gpus:
        needs["GPU"] = str(options.gpus)
    volumes = [(f"volume-{number}", _volume(text)) for number, text in enumerate(options.volume)]
    return {"jobDefinitionName": name, "type": "container", "retryStrategy": retry_strategy(),
            "containerProperties": {
                "image": options.image, "command": words,
                "resourceRequirements": [{"type": kind, "value": value} for kind, value in needs.items()],
                "volumes": [{"name": volume, **found["source"]} for volume, found in volumes],
                "mountPoints": [{"sourceVolume": volume, "containerPath": found["path"]} for volume, found in volumes]}}


def job(options: Any, name: str, count: int) -> Dict[str, Any]:
    """An array has at least two elements. A job alone gets its number under a name that AWS does not reserve."""
    made: Dict[str, Any] = {"jobName": name, "jobQueue": options.queue, "jobDefinition": name}
    if count > 1:
        return {**made, "arrayProperties": {"size": count}}
    return {**made, "containerOverrides": {"environment": [{"name": "JOB_COMPLETION_INDEX", "value": "0"}]}}


def submit(work: pathlib.Path, words: List[str], common: List[str]) -> int:
    parser = templates.parser("aws-batch")
    parser.add_argument("--queue", required=True)
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--vcpus", type=int, default=4)
    parser.add_argument("--memory", type=int, default=8192)
    parser.add_argument("--volume", action="append", default=[])
    options = parser.parse_args(words)
    count, name = templates.load(options, work, _MOST, "aws-batch")
    made = {"register-job-definition": definition(options, name, templates.task_words(options, work, common)),
            "submit-job": job(options, name, count)}
    if not options.apply:
        print(json.dumps(made, indent=1))
        return DONE
    for step, request in made.items():
        code = templates.call(["aws", "batch", step, "--cli-input-json", json.dumps(request)])
        if code != DONE:
            return code
    return DONE
