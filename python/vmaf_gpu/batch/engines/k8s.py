# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tasks as an Indexed Job of Kubernetes (1.33 or later): prints JSON, or gives it to kubectl with --apply.

Bad input fails its index at once; a pod that was evicted does not count; all else is tried again for its index.
"""
import json
import pathlib
from typing import Any, Dict, List, Tuple

from vmaf_gpu.batch.engines import templates, worker
from vmaf_gpu.batch.errors import BAD_INPUT, DONE, NOT_REPRODUCIBLE, USAGE, BatchError

_MOST = 100000  # completions of a job with backoffLimitPerIndex
_CONTAINER = "task"
RESOURCES = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu"}


def _literal(word: str) -> str:
    """Kubernetes replaces $(NAME) and $$ in commands."""
    return word.replace("$", "$$")


def policy() -> Dict[str, Any]:
    return {"rules": [
        {"action": "FailIndex", "onExitCodes": {"containerName": _CONTAINER, "operator": "In",
                                                "values": [USAGE, BAD_INPUT, NOT_REPRODUCIBLE]}},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}


def _volume(text: str) -> Tuple[str, str]:
    claim, _, path = text.partition(":")
    if not claim or not path.startswith("/"):
        raise BatchError(USAGE, f"the engine k8s: --volume '{text}' is not allowed; expected CLAIM:/PATH")
    return claim, path


def job(options: Any, name: str, count: int, words: List[str]) -> Dict[str, Any]:
    limits: Dict[str, str] = {"cpu": options.cpu, "memory": options.memory}
    if options.gpu != "none":
        limits[RESOURCES[options.gpu]] = "1"
    volumes = [(f"volume-{number}", *_volume(text)) for number, text in enumerate(options.volume)]
    container = {"name": _CONTAINER, "image": options.image, "command": words, "resources": {"limits": limits},
                 "volumeMounts": [{"name": name, "mountPath": path} for name, _, path in volumes]}
    pod = {"restartPolicy": "Never", "containers": [container],
           "volumes": [{"name": name, "persistentVolumeClaim": {"claimName": claim}} for name, claim, _ in volumes]}
    metadata: Dict[str, Any] = {"name": name, "labels": {"app": "vmaf-gpu"}}
    if options.namespace:
        metadata["namespace"] = options.namespace
    if options.queue:
        metadata["labels"]["kueue.x-k8s.io/queue-name"] = options.queue
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata,
            "spec": {"completionMode": "Indexed", "completions": count,
                     "parallelism": min(count, options.parallelism), "backoffLimitPerIndex": worker.RETRIES,
                     **({"suspend": True} if options.queue else {}),
                     "podFailurePolicy": policy(),
                     "template": {"metadata": {"labels": {"app": "vmaf-gpu"}}, "spec": pod}}}


def submit(work: pathlib.Path, words: List[str], common: List[str]) -> int:
    parser = templates.parser("k8s")
    parser.add_argument("--gpu", choices=(*RESOURCES, "none"), default="nvidia")
    parser.add_argument("--cpu", default="2")
    parser.add_argument("--memory", default="4Gi")
    parser.add_argument("--parallelism", type=int, default=100)
    parser.add_argument("--volume", action="append", default=[])
    parser.add_argument("--namespace")
    parser.add_argument("--queue")
    options = parser.parse_args(words)
    count, name = templates.load(options, work, _MOST, "k8s")
    command = templates.task_words(options, work, common, _literal)
    text = json.dumps(job(options, name, count, command), indent=1) + "\n"
    if options.apply:
        return templates.call(["kubectl", "apply", "-f", "-"], text)
    print(text, end="")
    return DONE
