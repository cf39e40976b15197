#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Devices that are named: the CPU is the CPU, a GPU that is not there is a fault of the machine. And numbers of the
command line that mean nothing.

    test_devices.py TOOL
"""
import json
import re
import sys

import lab

sys.path.insert(0, str(lab.PACKAGES))
# pylint: disable=wrong-import-position
from vmaf_gpu.batch import calls, errors, parts, runner  # noqa: E402
from vmaf_gpu.batch.engines import local  # noqa: E402

# Messages of FFmpeg 7.1 and 5.1 when the filter cannot open a device.
FILTER = "[vmaf_gpu@0 @ 0x5] [error] "
AFTER_7_1 = ["[fc#0 @ 0x5] [error] Task finished with error code: -19 (No such device)",
             "[out#0/null @ 0x5] [error] Nothing was written into output file, because at least one of its streams "
             "received no packets.", "[info] Conversion failed!"]
AFTER_5_1 = ["[error] Error reinitializing filters!",
             "[fatal] Failed to inject frame into filter network: No such device",
             "[error] Error while processing the decoded data for stream #1:0", "[info] Conversion failed!"]


class Machine:
    """GPUs that can be used, as Programs.devices()."""

    def __init__(self, *names):
        self.names = list(names)

    def devices(self):
        return self.names


def check_slots():
    gpus, none = Machine("cuda:0", "cuda:1"), Machine()
    for jobs, text, machine, devices, is_adaptive in (
            ("auto", None, gpus, ["cuda:0"], True), ("auto", "all", gpus, ["cuda:0", "cuda:1"], True),
            ("auto", "hip:0,cpu", gpus, ["hip:0", "cpu"], True), ("auto", "cpu", gpus, ["cpu"], False),
            ("auto", "cpu,cpu", gpus, ["cpu"], False), ("auto", None, none, [None], False)):
        slots = local.make_slots(jobs, text, machine)
        found = slots.devices, slots.is_adaptive, slots.has_gpu, slots.total
        total = 4 * len(devices) if is_adaptive else calls.cores()
        lab.expect(found == (devices, is_adaptive, is_adaptive, total), f"--devices {text}", found)
    slots = local.make_slots("3", "cuda:1", gpus)
    found = slots.devices, slots.is_adaptive, slots.has_gpu, slots.total
    lab.expect(found == (["cuda:1"], False, True, 3), "--jobs 3", found)
    for text in "", " ", ",", "cpu,", ",cuda:0", "cuda:0 cuda:1", "CUDA:0":
        try:
            lab.expect(False, f"--devices '{text}' is refused", local.make_slots("auto", text, gpus).devices)
        except errors.BatchError as error:
            lab.expect(error.code == errors.USAGE and "--devices: '" in error.text, "the error names it", error.text)


def check_unknown(table):
    """A name that no build knows is refused before anything is planned or taken from a cache."""
    reference = table.reference(seconds=1)
    for device, told in ("foo", "--devices: unknown device 'foo' (known here: auto, cpu, cuda"), ("cpu:3", "device cpu takes no number"):
        for words in ["score", reference, reference], ["search", reference, "--encoder", "libx264", "--target", "1"]:
            said = table.run(*words, "--devices", device, *table.programs, status=errors.USAGE)[1]
            lab.expect(told in said and "ffmpeg" not in said and said.count("\n") == 1, f"{words[0]} --devices {device}", said)


def failure(*lines):
    process = runner.Process("ffmpeg", ["true"], lambda text: None)
    process.wait()
    process.tail.extend(lines)
    return process.failure(237)


def check_words():
    why = "backend=cuda: no CUDA driver: libcuda.so.1: cannot open shared object file"
    for after in AFTER_7_1, AFTER_5_1:
        error = failure(FILTER + why, FILTER + "Failed to configure output pad on vmaf_gpu@0", *after)
        lab.expect(error.code == errors.TRANSIENT and error.text.endswith(why), "no driver", (error.code, error.text))
    error = failure(FILTER + "unknown backend 'x' (known: auto cpu)", "[fatal] Error parsing global options: Invalid argument")
    lab.expect(error.code == errors.USAGE and "unknown backend 'x'" in error.text, "a backend", (error.code, error.text))
    error = failure(FILTER + "backend=cpu was requested but frames are CUDA; hwdownload first or use backend=cuda", *AFTER_7_1[1:])
    lab.expect(error.code == errors.USAGE and "but frames are CUDA" in error.text, "two devices", (error.code, error.text))
    filters = "[AVFilterGraph @ 0x5] [error] Error initializing filters", "[fatal] Error opening output files: Invalid argument"
    error = failure("[Parsed_format_5 @ 0x5] [error] Invalid pixel format 'yuv'", *filters)
    lab.expect(error.code == errors.USAGE and error.text.endswith("Invalid pixel format 'yuv'"), "a step is no reason",
               (error.code, error.text))
    error = failure("[h264 @ 0x5] [error] no frame!", "[error] Error while decoding stream #0:0: Invalid data")
    lab.expect(error.code == errors.BAD_INPUT, "a video", (error.code, error.text))
    error = failure("[error] Error parsing bitstream filter sequence 'setts=ts=N': Bitstream filter not found",
                    "[error] Error opening output file -.", "[fatal] Error opening output files: Bitstream filter not found")
    lab.expect("'setts=ts=N'" in error.text, "a bitstream filter that FFmpeg lacks is named", (error.code, error.text))


def check_decoders():
    """A hardware decoder that is not there: what FFmpeg 7.1 and 5.1 say, whose last words are of memory or of permissions."""
    video = "[AVHWDeviceContext @ 0x5] [error] "
    option = "[error] Failed to set value '{}=gpu:0' for option 'init_hw_device': ", "[fatal] Error parsing global options: "
    for name, lines, last, code in (
            ("foo", ['[error] Invalid device specification "foo=gpu": unknown device type'], "Invalid argument", errors.USAGE),
            ("cuda", ["[error] Device creation failed: -12."], "Cannot allocate memory", errors.USAGE),
            ("cuda", [video + "Cannot load libcuda.so.1", "[error] Device creation failed: -1."], "Operation not permitted", errors.USAGE),
            ("cuda", [video + "cuCtxCreate failed -> CUDA_ERROR_OUT_OF_MEMORY: out of memory", "[error] Device creation failed: -1."],
             "Generic error in an external library", errors.TRANSIENT)):
        error = failure("[info] configuration", *lines, *[(text + last).format(name) for text in option])
        lab.expect(error.code == code and f"--hwaccel {name}: " in error.text and error.text.endswith(lines[0]), f"no {name}",
                   (error.code, error.text))


def check_tasks(table):
    reference = table.reference(seconds=1)
    pair = {"ref": reference, "dis": reference, "id": "x"}
    work = table.plan("auto", pair)
    said = table.run("task", work, 0, *table.programs, "--device", "cuda:77", status=errors.TRANSIENT)[1]
    lab.expect("CUDA" in said or "cuda:77" in said, "the device is named", said)
    said = table.run("task", work, 0, *table.programs, "--device", "nonsense", status=errors.USAGE)[1]
    lab.expect("'nonsense'" in said, "an unknown backend is named", said)
    said = table.run("score", reference, reference, "--hwaccel", "foo", *table.programs, status=errors.USAGE)[1]
    lab.expect("--hwaccel foo: " in said and "unknown device type" in said, "an unknown decoder is named", said)
    lab.expect(not list((work / "parts").glob("*.part")), "no part was written")
    table.submit(work)
    table.merge(work)
    line = json.loads((work / "results.jsonl").read_text())
    lab.expect(len(line["devices"]) == 1 and re.fullmatch(r"cpu \(.+\)", line["devices"][0]),
               "what has scored the result", line["devices"])
    for told, device in (({"vmaf_gpu": {"backend": "cuda", "device": "NVIDIA H200"}}, "cuda (NVIDIA H200)"),
                         ({"vmaf_gpu": {"backend": "cuda"}}, "unknown"), ({"vmaf_gpu": []}, "unknown"), ({}, "unknown")):
        lab.expect(parts.device_of(told) == device, "the device of a part", parts.device_of(told))


def check_numbers(table):
    """Refused before anything is done, and without Python's own words."""
    score = "score", "d.mkv", "r.mkv"
    for words in (("task", table.work(), "0", "--threads", "-3"),
                  ("task", table.work(), "0", "--decoder-threads", "0"), ("merge", table.work(), "--precision", "5"),
                  (*score, "--precision", "-5"), (*score, "--precision", "18"), (*score, "--subsample", "\u00b2")):
        said = table.run(*words, status=errors.USAGE)[1]
        lab.expect(f"argument {words[-2]}: '{words[-1]}' is not allowed; expected" in said, "the value is named", said)


def main():
    check_slots()
    check_words()
    check_decoders()
    with lab.prepared() as table:
        check_tasks(table)
        check_unknown(table)
        check_numbers(table)
    return lab.finish("devices", 50)


if __name__ == "__main__":
    sys.exit(main())
