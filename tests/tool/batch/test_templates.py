#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The requests for Kubernetes and AWS Batch: their fields against what is documented, and their commands run with the
index in the environment. With the packages kubernetes-validate and botocore also against the schemas in them.

    test_templates.py TOOL [--all]     --all: without these packages it fails
"""
import json
import os
import pathlib
import re
import sys

import lab

# Names of fields and kinds of values, as the references of the Kubernetes API and of AWS Batch have them.
SIZE, TEXT, NUMBER, TRUTH = r"\d+(\.\d+)?([KMG]i?)?", str, int, bool
OLDEST = "1.33"  # where backoffLimitPerIndex is stable
K8S = {
    "apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", "namespace": TEXT, "labels": {"*": TEXT}},
    "spec": {
        "completionMode": "Indexed", "completions": NUMBER, "parallelism": NUMBER, "backoffLimitPerIndex": NUMBER,
        "suspend": TRUTH,
        "podFailurePolicy": {"rules": [{
            "action": "FailIndex|Ignore|Count|FailJob",
            "onExitCodes": {"containerName": TEXT, "operator": "In|NotIn", "values": [NUMBER]},
            "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]},
        "template": {
            "metadata": {"labels": {"*": TEXT}},
            "spec": {
                "restartPolicy": "Never",
                "containers": [{
                    "name": TEXT, "image": TEXT, "command": [TEXT],
                    "resources": {"limits": {"cpu": SIZE, "memory": SIZE, "nvidia.com/gpu": "1", "amd.com/gpu": "1"}},
                    "volumeMounts": [{"name": TEXT, "mountPath": "/.*"}]}],
                "volumes": [{"name": TEXT, "persistentVolumeClaim": {"claimName": TEXT}}]}}}}
AWS = {
    "register-job-definition": {
        "jobDefinitionName": r"[A-Za-z0-9][-\w]{0,127}", "type": "container",
        "retryStrategy": {"attempts": NUMBER, "evaluateOnExit": [
            {"onExitCode": r"[\d*]{1,512}", "onReason": TEXT, "onStatusReason": TEXT, "action": "RETRY|EXIT"}]},
        "containerProperties": {
            "image": TEXT, "command": [TEXT], "resourceRequirements": [{"type": "GPU|VCPU|MEMORY", "value": r"\d+"}],
            "volumes": [{"name": TEXT, "host": {"sourcePath": "/.*"},
                         "efsVolumeConfiguration": {"fileSystemId": "fs-.*", "rootDirectory": "/"}}],
            "mountPoints": [{"sourceVolume": TEXT, "containerPath": "/.*"}]}},
    "submit-job": {
        "jobName": r"[A-Za-z0-9][-\w]{0,127}", "jobQueue": TEXT, "jobDefinition": TEXT, "arrayProperties": {"size": NUMBER},
        "containerOverrides": {"environment": [{"name": r"(?!AWS_BATCH).*", "value": TEXT}]}}}


def faults(value, schema, where=""):
    """What of a request is not as documented."""
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{where}: {value!r} instead of an object"]
        return [fault for name, item in value.items() for fault in (
            faults(item, schema.get(name, schema.get("*")), f"{where}.{name}")
            if name in schema or "*" in schema else [f"{where}: no field {name}"])]
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} instead of a list"]
        return [fault for number, item in enumerate(value) for fault in faults(item, schema[0], f"{where}[{number}]")]
    if isinstance(schema, str):
        right = isinstance(value, str) and re.fullmatch(schema, value, re.S)
    else:
        right = type(value) is schema
    return [] if right else [f"{where}: {value!r} is not allowed"]


def plan(table, size):
    reference = table.reference(seconds=1)
    clip = table.folder / "clip.mp4"
    if not clip.exists():
        lab.ffmpeg("-i", reference, "-c:v", "libx264", "-crf", "32", "-x264-params", "keyint=6:threads=1", clip)
    return table.plan(size, {"id": "p", "ref": reference, "dis": clip})


def requests(table, work):
    """Many combinations of options, by engine."""
    image = ["--image", "registry/vmaf:1"]
    for words in ([], ["--gpu", "amd", "--volume", "claim:/videos", "--volume", "work:/work", "--namespace", "n"],
                  ["--gpu", "none", "--queue", "q", "--parallelism", "2", "--name", "x"]):
        yield "k8s", table.run("submit", work, "--engine", "k8s", "--", *image, *words)[1]
    for words in ([], ["--volume", "fs-12345678:/videos", "--volume", "/scratch", "--gpus", "0"]):
        yield "aws-batch", table.run("submit", work, "--engine", "aws-batch", "--", *image, "--queue", "q", *words)[1]


def check_k8s(made, count):
    lab.expect(not faults(made, K8S), "Kubernetes' fields", faults(made, K8S))
    spec = made["spec"]
    lab.expect(spec["completions"] == count and 0 < spec["parallelism"] <= count, "completions", spec)
    lab.expect({"completionMode", "backoffLimitPerIndex"} <= set(spec) and
               spec["template"]["spec"]["restartPolicy"] == "Never", "what an Indexed Job with a policy needs", spec)
    rules = {rule["action"]: rule for rule in spec["podFailurePolicy"]["rules"]}
    lab.expect(rules["FailIndex"]["onExitCodes"]["values"] == [64, 65, 70] and
               rules["Ignore"]["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}] and
               len(rules) == 2, "podFailurePolicy", rules)
    names = {container["name"] for container in spec["template"]["spec"]["containers"]}
    lab.expect({rules["FailIndex"]["onExitCodes"]["containerName"]} == names, "the container of the rule", names)
    return spec["template"]["spec"]["containers"][0]["command"]


def check_aws(made, count):
    lab.expect(not faults(made, AWS), "AWS's fields", faults(made, AWS))
    strategy = made["register-job-definition"]["retryStrategy"]
    exits = [rule["onExitCode"] for rule in strategy["evaluateOnExit"] if rule["action"] == "EXIT"]
    lab.expect(exits == ["64", "65", "70"] and len(strategy["evaluateOnExit"]) <= 5 and
               strategy["evaluateOnExit"][-1] == {"onReason": "*", "action": "RETRY"} and
               1 < strategy["attempts"] <= 10, "the strategy", strategy)
    job = made["submit-job"]
    lab.expect(job["jobDefinition"] == made["register-job-definition"]["jobDefinitionName"], "the definition", job)
    lab.expect(job.get("arrayProperties", {}).get("size") == (count if count > 1 else None), "the size", job)
    return made["register-job-definition"]["containerProperties"]["command"]


def check_by_packages(name, made, is_demanded):
    try:
        if name == "k8s":
            import kubernetes_validate
            try:
                for version in OLDEST, kubernetes_validate.latest_version():
                    kubernetes_validate.validate(made, version, strict=True)
                told = ""
            except kubernetes_validate.ValidationError as error:
                told = str(error)
        else:
            import botocore.session
            from botocore.validate import ParamValidator
            model = botocore.session.get_session().get_service_model("batch")
            told = "".join(ParamValidator().validate(made[step], model.operation_model(operation).input_shape)
                           .generate_report() for step, operation in
                           (("register-job-definition", "RegisterJobDefinition"), ("submit-job", "SubmitJob")))
        lab.expect(not told, f"the published schema of {name}", told)
    except ImportError as error:
        lab.expect(not is_demanded, "packages", error)
        print(f"SKIPPED: {name} against its published schema ({error.name} is not installed)")


def expanded(word, values):
    """As Kubernetes does it to a command: $$ is $, and $(NAME) is its value if there is one."""
    return re.sub(r"\$\$|\$\((.*?)\)", lambda m: "$" if m[0] == "$$" else values.get(m[1], m[0]), word)


def check_paths(table, is_demanded):
    """Paths that YAML, JSON and Kubernetes would take for something else."""
    work = plan(table, 10)
    for name in "$(HOME)$$(HOME) $HOME", "\U0001f600 \u2028 \x85 \\ \" \\ud83d", "%A: - #{}":
        odd = table.folder / name
        odd.symlink_to(work)
        words = ["submit", odd, "--engine"]
        made = json.loads(table.run(*words, "k8s", "--", "--image", "i")[1])
        command = made["spec"]["template"]["spec"]["containers"][0]["command"]
        found = [expanded(word, {"HOME": "/root"}) for word in command]
        lab.expect(found == ["vmaf-gpu", "task", str(odd)], f"the path {name!r}", command)
        made = json.loads(table.run(*words, "aws-batch", "--", "--image", "i", "--queue", "q")[1])
        lab.expect(made["register-job-definition"]["containerProperties"]["command"][2] == str(odd), name, made)
    odd = os.fsdecode(os.fsencode(table.folder) + b"/\xff")
    pathlib.Path(odd).symlink_to(work)
    for engine in "k8s", "aws-batch":
        said = table.run("submit", odd, "--engine", engine, "--", "--image", "i",
                         *(["--queue", "q"] if engine == "aws-batch" else []), status=64)[1]
        lab.expect("is not UTF-8" in said, "a path that is no text", said)


def check_commands(table, work, commands, count):
    """Each command, with the variable that its system sets; vmaf-gpu is this checkout's."""
    variables = {"k8s": "JOB_COMPLETION_INDEX", "aws-batch": "AWS_BATCH_JOB_ARRAY_INDEX"}
    for number in range(count):
        name = list(variables)[number % 2]
        words = commands[name]
        lab.expect(words[0] == "vmaf-gpu", "the command", words)
        table.run(*words[1:], *table.programs, env={variables[name]: str(number)})
    lab.expect(f"{count} of {count} parts" in table.run("status", work)[1], "all parts", words)
    table.merge(work)


def check_errors(table, work):
    for words, told in ((["k8s", "--"], "--image"), (["k8s", "--", "--image", "i", "--volume", "x"], "CLAIM:/PATH"),
                        (["k8s", "--", "--image", "i", "--nothing"], "--nothing"),
                        (["aws-batch", "--", "--image", "i"], "--queue"),
                        (["aws-batch", "--", "--image", "i", "--queue", "q", "--volume", "x"], "fs-ID")):
        said = table.run("submit", work, "--engine", *words, status=64)[1]
        lab.expect(told in said, f"the error of {words}", said)


def check_size(table, size, count, is_demanded):
    work, commands = plan(table, size), {}
    for name, text in requests(table, work):
        made = json.loads(text)
        commands[name] = check_k8s(made, count) if name == "k8s" else check_aws(made, count)
        check_by_packages(name, made, is_demanded)
    return work, commands


def main():
    is_demanded = sys.argv[2:] == ["--all"]
    with lab.prepared() as table:
        check_size(table, 100, 1, is_demanded)
        work, commands = check_size(table, 10, 3, is_demanded)
        check_commands(table, work, commands, 3)
        check_errors(table, work)
        check_paths(table, is_demanded)
    return lab.finish("requests", 30)


if __name__ == "__main__":
    sys.exit(main())
