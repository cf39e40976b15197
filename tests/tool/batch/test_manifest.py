#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Bad manifests, plans and command lines: a sentence and the exit status 64 or 65, never a traceback.

    test_manifest.py TOOL [--rounds N]
"""
import json
import pathlib
import random
import re
import sys

import lab

BAD = {
    "not JSON": "{", "no object": "[]", "a number": "1", "no ref": '{"dis": "a"}', "no dis": '{"ref": "a"}',
    "unknown key": '{"ref": "a", "dis": "b", "model": "x"}', "id": '{"ref": "a", "dis": "b", "id": "../x"}',
    "empty id": '{"ref": "a", "dis": "b", "id": ""}', "number id": '{"ref": "a", "dis": "b", "id": 5}',
    "models": '{"ref": "a", "dis": "b", "models": "x"}', "null models": '{"ref": "a", "dis": "b", "models": null}',
    "subsample": '{"ref": "a", "dis": "b", "subsample": 0}',
    "true": '{"ref": "a", "dis": "b", "subsample": true}', "display": '{"ref": "a", "dis": "b", "display": "0x5"}',
    "scaler": '{"ref": "a", "dis": "b", "scaler": "magic"}', "trim": '{"ref": "a", "dis": "b", "trim": "x"}',
    "no frames": '{"ref": "a", "dis": "b", "trim": "100:50"}',
    "crop": '{"ref": "a", "dis": "b", "crop": "1:2"}', "pair": '{"ref": "a", "dis": "b", "pair": "framesync"}',
    "tags": '{"ref": "a", "dis": "b", "tags": {"x": []}}', "nul": '{"ref": "a\\u0000", "dis": "b"}',
    "pix_fmt": '{"ref": "a", "dis": "b", "pix_fmt": "a,b"}', "nothing": "\n\n",
    "deep": "[" * 100000, "two of one id": '{"ref": "a", "dis": "b", "id": "x"}\n{"ref": "a", "dis": "b", "id": "x"}',
}


def check_texts(table):
    for what, text in BAD.items():
        path = table.folder / "bad.jsonl"
        path.write_text(text)
        code, said = table.run("plan", path, table.folder / "none", *table.programs, status=64)
        lab.expect("bad.jsonl" in said and code == 64, what, said)
    path.write_bytes(b"\xff\xfe{}")
    table.run("plan", path, table.folder / "none", *table.programs, status=64)
    for text, line in (("ref,dis\na\n", 2), ("ref,dis,x\na,b,c\n", 2), ('ref,dis\n"a,b\n', 2), ("ref,dis,subsample\na,b,1\na,b,z\n", 3),
                       ("ref,dis,tags\na,b,{\n", 2)):
        path = table.folder / "bad.csv"
        path.write_text(text)
        said = table.run("plan", path, table.folder / "none", *table.programs, status=64)[1]
        lab.expect(f"bad.csv:{line}: " in said, f"the line of {text}", said)
    reference = table.reference(seconds=1)
    for model in "nosuch", "no/such.json":
        path = table.manifest({"ref": reference, "dis": reference}, {"ref": reference, "dis": reference, "models": [model]})
        said = table.run("plan", path, table.work(), *table.programs, status=64)[1]
        lab.expect(f"{path}:2: " in said and "nosuch" in said.replace("/", "").replace(" ", ""), f"the line of the model {model}", said)
    table.run("plan", table.folder / "no.such", table.folder / "none", *table.programs, status=64)


def check_fuzzed(table, rounds):
    """Manifests with single bytes changed."""
    rng = random.Random(7)
    good = json.dumps({"ref": "a.mkv", "dis": "b.mkv", "models": ["vmaf_v0.6.1"], "subsample": 2, "tags": {"x": 1},
                       "display": "64x64", "trim": "0:5"}).encode()
    texts = []
    for _ in range(rounds):
        at = rng.randrange(len(good))
        texts.append(good[:at] + bytes([rng.randrange(256)]) + good[at + 1:])
    body = f"""
import pathlib
from vmaf_gpu.batch import manifest
from vmaf_gpu.batch.errors import BatchError
path = pathlib.Path({str(table.folder / 'fuzz.jsonl')!r})
for text in {texts!r}:
    path.write_bytes(text)
    try:
        manifest.read(path)
    except BatchError as error:
        assert error.code == 64, error.code
"""
    table.run("--help", before=body)


def check_words(table):
    """An option that only the filter and the tool have is not advised, and a key of the manifest is where there is no option."""
    table.run("--help", before="""
from vmaf_gpu.batch import programs, specs
none = {"ref": "", "dis": ""}
advice = programs.Advice("as for libvmaf (formats=asis: no bit is lost); to", False, False, "", none, none)
assert specs._worded({}, advice, specs.Words()) == "as for libvmaf; to"
grain, model = advice._replace(options={"ref": "", "dis": "-export_side_data film_grain"}), advice._replace(model="x")
pair = {"dis": {"path": "a"}, "ref": {"path": "b"}, "stream_dis": None, "stream_ref": None}
for one, option, key in (grain, "--grain off", '"grain": "off"'), (model, "--model version=x", '"models": ["version=x"]'):
    assert specs._worded(pair, one, specs.Words()).endswith(f"; to, e.g. {option}")
    assert specs._worded(pair, one, specs.Words(is_manifest=True)).endswith(f"; to, e.g. {key} in the manifest")
""")
    reference, small = table.reference(seconds=1), table.folder / "small.mkv"
    lab.ffmpeg("-i", reference, "-vf", "scale=80:48", "-c:v", "ffv1", small)
    said = table.run("plan", table.manifest({"ref": reference, "dis": small}), table.work(), *table.programs, status=65)[1]
    lab.expect('e.g. "display": "160x96" in the manifest' in said, "plan names a key", said)
    said = table.run("score", small, reference, *table.programs, status=65)[1]
    lab.expect("e.g. --display 160x96" in said, "score names an option", said)


def check_command_lines(table):
    for words in ([], ["nonsense"], ["score", "a"], ["plan"], ["task", "x", "y"], ["merge", "x", "--precision", "3"],
                  ["plan", "a", "b", "--frames-per-task", "0"], ["merge", "x", "--formats", "doc"],
                  ["task", table.folder / "none", "0"], ["merge", table.folder / "none"],
                  ["status", table.folder / "none"], ["submit", table.folder / "none", "--engine", "magic"],
                  ["score", "a", "b", "--tool", "/no/such"], ["score", "a", "b", "--tool", "/bin/true"],
                  ["score", "a", "b", "--jobs", "0", *table.programs],
                  ["submit", table.folder, *table.programs, "--", "--nonsense", "1"], ["task", table.folder / "none"]):
        table.run(*words, status=64)
    table.run("task", table.folder / "none", status=64, env={"SLURM_ARRAY_TASK_ID": "x"})
    table.run("score", table.folder / "a", table.folder / "b", *table.programs, status=65)
    junk = table.folder / "junk.mkv"
    junk.write_bytes(bytes(range(256)) * 40)
    table.run("score", junk, junk, *table.programs, status=65)


def check_plans(table):
    """Plans that were changed are not trusted."""
    reference = table.reference(seconds=1)
    work = table.plan(10, {"id": "p", "ref": reference, "dis": reference})
    rgb = table.folder / "rgb.mkv"
    lab.ffmpeg("-i", reference, "-pix_fmt", "bgr0", "-c:v", "ffv1", rgb)
    manifest = table.manifest({"id": "p", "ref": reference, "dis": rgb, "pix_fmt": "yuv444p"})
    said = table.run("plan", manifest, table.work(), *table.programs, status=65)[1]
    lab.expect("tells neither matrix nor range" in said, "RGB in a named format", said)
    said = table.run("plan", table.manifest({"id": "p", "ref": reference, "dis": reference, "pix_fmt": "yuv"}), table.work(),
                     *table.programs, status=64)[1]
    lab.expect("pix_fmt 'yuv' is not allowed" in said, "a pixel format that there is not", said)
    for crop in "1000:1000:0:0", "160:96:1:0", "160:0:0:0":
        manifest = table.manifest({"id": "p", "ref": reference, "dis": reference, "crop": crop})
        said = table.run("plan", manifest, table.work(), *table.programs, status=65)[1]
        lab.expect(f"crop {crop} is not inside" in said and "which is 160x96" in said, "a crop outside of the picture", said)
    path = work / "plan.json"
    good = path.read_text()
    rng = random.Random(3)
    for text in ["", "{}", "[]", "null", good[:-20], good.replace('"begin": 10', '"begin": 11'),
                 *(good[:at] + "7" + good[at + 1:] for at in rng.sample(range(len(good)), 5))]:
        if text == good:
            continue
        path.write_text(text)
        for words in ("task", work, 0), ("merge", work):
            table.run(*words, *table.programs, status=64)
        table.run("status", work, status=64)
    former = re.sub("vmaf_gpu.plan/[0-9]+", "vmaf_gpu.plan/2", good)  # without film_grain
    path.write_text(former)
    lab.expect(former != good, "this version's number", good[:100])
    for words in ("task", work, 0), ("merge", work), ("status", work):
        said = table.run(*words, *(table.programs if words[0] != "status" else []), status=64)[1]
        lab.expect("plan.json: is not a file of the kind vmaf_gpu.plan/4" in said, "a plan of a former version", said)
    path.write_text(good)
    table.run("task", work, 0, *table.programs)
    for name in (work / "index").glob("*.json"):
        name.write_text("{}")
    table.run("task", work, 1, *table.programs, status=64)
    table.run("task", work, 3, *table.programs, status=64)


def main():
    options = lab.options(rounds={"type": int, "default": 300})
    with lab.prepared(options.tool) as table:
        check_texts(table)
        check_fuzzed(table, options.rounds)
        check_words(table)
        check_command_lines(table)
        check_plans(table)
    return lab.finish("bad manifests and plans", 100)


if __name__ == "__main__":
    sys.exit(main())
