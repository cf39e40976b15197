#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a plan does with the frames of hardware decoders: which stay on the GPU, and on which GPU they are.

    test_hwaccel.py
"""
import pathlib
import sys
import tempfile

import lab

sys.path.insert(0, str(lab.PACKAGES))
# pylint: disable=wrong-import-position
from vmaf_gpu.batch import errors, programs, runner, specs  # noqa: E402

FLAGS = "flags=bicubic+accurate_rnd+bitexact"


def stream(width, height, pix_fmt="yuv420p"):
    return {"width": width, "height": height, "pix_fmt": pix_fmt}


def pair(**more):
    return {"id": "x", "ref": "r.mp4", "dis": "d.mp4", "display": "ref", "scaler": "bicubic", "crop": None,
            "pix_fmt": "auto", "models": ["version=vmaf_v0.6.1"], "features": [], "subsample": 1, "compat": "3.2",
            **more}


def chains(ref, dis, convert="", **more):
    return specs.chains(pair(**more), {"ref": ref, "dis": dis}, {"ref": "", "dis": convert}, True)


def check_chains():
    full, small = stream(1920, 1080), stream(1280, 720)
    inside = {"ref": "", "dis": "", "scale": "bicubic"}
    down = "hwdownload,format=nv12,format=yuv420p"
    cases = (
        (chains(full, full), {"ref": "", "dis": ""}, "equal sizes"),
        (chains(full, small), inside, "a smaller rendition"),
        (chains(small, full), inside, "a larger rendition"),
        (chains(full, small, scaler="lanczos"),
         {"ref": down, "dis": down + ",scale=1920:1080:flags=lanczos+accurate_rnd+bitexact"}, "another scaler"),
        (chains(full, stream(1920, 1088), crop="1920:1080:0:0"),
         {"ref": down, "dis": down + ",crop=1920:1080:0:0:exact=1"}, "a crop"),
        (chains(full, small, display="1280x720"), {"ref": f"{down},scale=1280:720:{FLAGS}", "dis": down},
         "the reference is scaled"),
        (chains(full, stream(1920, 60)), {"ref": down, "dis": f"{down},scale=1920:1080:{FLAGS}"},
         "more than the engine's scaler does"),
        (chains(stream(1920, 1080, "yuv420p10le"), small, "format=yuv420p10le"),
         {"ref": "hwdownload,format=p010le,format=yuv420p10le",
          "dis": f"{down},format=yuv420p10le,scale=1920:1080:{FLAGS}"}, "another depth"),
    )
    for found, wanted, what in cases:
        lab.expect(found == wanted, what, found)
    try:
        lab.expect(False, "4:4:4 that is scaled another way",
                   chains(stream(1920, 1080, "yuv444p"), stream(1280, 720, "yuv444p"), scaler="area"))
    except errors.BatchError as error:
        lab.expect(error.code == errors.USAGE and "plan without --hwaccel" in error.text, "4:4:4", error.text)


def check_graph():
    made = {**pair(), "chains": {"ref": "", "dis": "", "scale": "bicubic"}}
    text = specs.filter_options(made)
    lab.expect(text.endswith(":scale=bicubic"), "the filter scales", text)
    lab.expect("scale" not in specs.filter_options({**made, "chains": {"ref": "", "dis": ""}}), "it does not")


def check_grain():
    """FFmpeg adds film grain of H.264 and HEVC only to pictures that it decodes itself."""
    plain = {"stream": {"codec_name": "av1", "tags": {}}}
    for codec, hwaccel, grain, wanted in (("hevc", None, "score", "added"), ("hevc", "cuda", "score", "off"),
                                          ("h264", "vaapi", "score", "off"), ("av1", "cuda", "score", "added"),
                                          ("av1", "cuda", "off", "off"), ("h264", None, "off", "off")):
        made = {"ref": plain, "dis": {"stream": {"codec_name": codec, "tags": {"grain": "1"}}}, "grain": grain}
        found = specs.film_grain(made, hwaccel)
        lab.expect(found == {"ref": "none", "dis": wanted}, f"{codec} by {hwaccel}, grain {grain}", found)


def words(hwaccel, device, found):
    return runner._device_words(found, {"hwaccel": hwaccel}, runner.Settings(device=device))


def check_devices(folder):
    for name, text in (("ffmpeg", ""), ("ffprobe", ""), (
            "tool", "printf 'hip:0  AMD one, PCI 0000:0A:00.0, wave 64\\nhip:1  AMD two, wave 32\\n"
                    "hip:2  Old: not usable: x, PCI 0000:03:00.0\\ncpu  Some'")):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    found = programs.Programs(str(folder / "ffmpeg"), str(folder / "tool"))
    lab.expect(found.devices() == ["hip:0", "hip:1"], "those that can be used", found.devices())
    nodes = {"/dev/dri/by-path/pci-0000:0a:00.0-render"}
    real, pathlib.Path.exists = pathlib.Path.exists, lambda path: str(path) in nodes
    try:
        for wanted, hwaccel, device in (
                ([], None, "cuda:1"), (["cuda=gpu:0"], "cuda", None), (["cuda=gpu:3"], "cuda", "cuda:3"),
                (["vaapi=gpu:/dev/dri/by-path/pci-0000:0a:00.0-render"], "vaapi", "hip:0"),
                (["vaapi=gpu"], "vaapi", "hip:1"), (["vaapi=gpu"], "vaapi", "hip:2"), (["vulkan=gpu"], "vulkan", "cuda:1")):
            got = words(hwaccel, device, found)
            lab.expect(got == (["-init_hw_device", *wanted] if wanted else []), f"{hwaccel} for {device}", got)
    finally:
        pathlib.Path.exists = real


if __name__ == "__main__":
    check_chains()
    check_graph()
    check_grain()
    with tempfile.TemporaryDirectory() as name:
        check_devices(pathlib.Path(name))
    sys.exit(lab.finish("hwaccel", 25))
