#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The commands of README.md's quick start, as they stand there, on machines that are folders: each
block on a machine with the hardware that it is for. The videos have the names that README gives
them. With real programs: tests/filter/demo.sh; the self-test: tests/device/test_amd_selftest.py.

    test_readme.py
"""
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True

from machine import link_programs  # noqa: E402
from readme import BLOCKS, commands  # noqa: E402
from test_demo import NO_GPU, Demo  # noqa: E402


def nvidia(m):
    m.nvidia("7.5, Tesla T4")
    m.nvcc()
    (m.root / "ffnvcodec.pc").write_text("Name: x\nVersion: 11.1\nDescription: x\n")
    m.env["PKG_CONFIG_PATH"] = str(m.root)
    m.log("cuda (Tesla T4)")
    return ["gpu cuda Tesla T4, compute capability 7.5"], ["scored on: cuda (Tesla T4)"]


def amd(m):
    m.amd(110000)
    m.clang()
    m.log("hip (AMD Radeon RX 7900 XTX)")
    return ["gpu hip gfx1100"], ["scored on: hip (AMD Radeon RX 7900 XTX)"]


def cpu(_):
    return ["no NVIDIA or AMD GPU was found: the CPU scores"], ["scored on: cpu (Some CPU)", NO_GPU]


class Readme:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.faults = []
        self.count = 0

    def run(self, block, machine):
        m = Demo(self.folder / machine.__name__, self.programs)
        for name in ("distorted.mp4", "reference.mp4"):
            (m.tree / name).touch()
        plan, lines = machine(m)
        for command in commands("Quick start") + commands(block):
            self.count += 1
            words = command.split()
            program = m.tree / words[0]
            if not os.access(program, os.X_OK):
                self.faults.append(f"{block}: no program: {command}")
            elif words[0] == "scripts/amd-selftest.sh":
                continue
            elif words[0] not in ("scripts/demo.sh", "build/ffmpeg/ffmpeg"):
                self.faults.append(f"{block}: nobody tests this: {command}")
            else:
                out, err = m.run("bash", "-c", command, FAKE_LOG=str(m.folder / "log"))
                wanted = [*lines, "VMAF score: 93.216340"]
                if words[-1] == "--plan":
                    wanted, found = plan, out.splitlines()[:len(plan)]
                elif words[0] == "scripts/demo.sh":
                    found = out.splitlines()[-len(wanted):]
                else:
                    found = wanted if wanted[-1] in err else [err]
                if found != wanted:
                    self.faults.append(f"{block}: {command}: {found}, wanted {wanted}")
        if block == "NVIDIA" and "--enable-hwaccel=h264_nvdec" not in " ".join(m.flags()):
            self.faults.append("NVIDIA: -hwaccel cuda: FFmpeg is built without NVDEC")


def main():
    blocks = {"NVIDIA": nvidia, "AMD": amd, "CPU": cpu}
    assert set(BLOCKS) == {"Quick start", *blocks}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        readme = Readme(link_programs(folder / "programs"), folder)
        for block, machine in blocks.items():
            readme.run(block, machine)
    for fault in readme.faults:
        print("FAILED " + fault)
    print(f"readme: {readme.count} commands, {len(readme.faults)} faults")
    return 1 if readme.faults else 0


if __name__ == "__main__":
    sys.exit(main())
