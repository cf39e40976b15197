# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tasks as an Indexed Job of Kubernetes (1.33 or later): prints YAML, or gives it to kubectl with --apply.

Bad input fails its index at once; a pod that was evicted does not count; all else is tried again for its index.
"""
import json
import pathlib
from typing import Any, Dict, List

from vmaf_gpu.batch.engines import templates, worker
from vmaf_gpu.batch.errors import BAD_INPUT, DONE, NOT_REPRODUCIBLE, USAGE, BatchError

_MOST = 100000  # completions of a job with backoffLimitPerIndex
_CONTAINER = "task"
RESOURCES = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu"}


def _text(value: Any) -> str:
    """JSON, but for characters beyond U+FFFF, which JSON writes in a way that YAML reads as two."""
    if not isinstance(value, str):
        return json.dumps(value)
    return '"' + "".join(f"\\U{ord(one):08x}" if ord(one) > 0xFFFF else json.dumps(one)[1:-1] for one in value) + '"'


def _literal(word: str) -> str:
    """Kubernetes replaces $(NAME) and $$ in commands."""
    return word.replace("$", "$$")


def yaml(value: Any, indent: int = 0) -> str:
    """Block style for what has items; all else as JSON, which YAML contains."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"{pad}{key}:" + (f"\n{yaml(item, indent + 1)}" if isinstance(item, (dict, list)) and item
                                         else f" {_text(item)}\n") for key, item in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{pad}- " + (yaml(item, indent + 1).lstrip() if isinstance(item, (dict, list)) and item
                                     else f"{_text(item)}\n") for item in value)
    return f"{pad}{_text(value)}\n"


def policy() -> Dict[str, Any]:
    return {"rules": [
        {"action": "FailIndex", "onExitCodes": {"containerName": _CONTAINER, "operator": "In",
                                                "values": [USAGE, BAD_INPUT, NOT_REPRODUCIBLE]}},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}


def _volumes(given: List[str]) -> List[Dict[str, str]]:
    """CLAIM:PATH as a name, a claim and a path."""
    found = []
    for number, text in enumerate(given):
        claim, _, path = text.partition(":")
        if not claim or not path.startswith("/"):
            raise BatchError(USAGE, f"the engine k8s: --volume '{text}' is not allowed; expected CLAIM:/PATH")
        found.append({"name": f"volume-{number}", "claim": claim, "path": path})
    return found


def job(options: Any, name: str, count: int, words: List[str]) -> Dict[str, Any]:
    limits: Dict[str, str] = {"cpu": options.cpu, "memory": options.memory}
    if options.gpu != "none":
        limits[RESOURCES[options.gpu]] = "1"
    volumes = _volumes(options.volume)
    container = {"name": _CONTAINER, "image": options.image, "command": words, "resources": {"limits": limits},
                 "volumeMounts": [{"name": volume["name"], "mountPath": volume["path"]} for volume in volumes]}
    pod = {"restartPolicy": "Never", "containers": [container],
           "volumes": [{"name": volume["name"], "persistentVolumeClaim": {"claimName": volume["claim"]}}
                       for volume in volumes]}
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
    parser = templates.Parser("k8s")
    parser.add_argument("--gpu", choices=(*RESOURCES, "none"), default="nvidia")
    parser.add_argument("--cpu", default="2")
    parser.add_argument("--memory", default="4Gi")
    parser.add_argument("--parallelism", type=int, default=100)
    parser.add_argument("--volume", action="append", default=[])
    parser.add_argument("--namespace")
    parser.add_argument("--queue")
    options = parser.read(words)
    count, digest = templates.load(work)
    templates.check_size(count, _MOST, "k8s")
    text = yaml(job(options, templates.name_of(options, digest), count, templates.task_words(options, work, common, _literal)))
    if options.apply:
        return templates.call(["kubectl", "apply", "-f", "-"], text)
    print(text, end="")
    return DONE
