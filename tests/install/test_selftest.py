#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/amd-selftest.sh on machines that are folders, with programs that are scripts: which GPUs
it tests, what it says of those that cannot run, how it compares decoders, and what it asks for
where there is no apt. With real programs over a stand-in runtime: tests/device/test_amd_selftest.py.

    test_selftest.py
"""
import pathlib
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

from machine import Machine, ROOT, copy_scripts, link_programs  # noqa: E402

GOOD = "hip:0        Radeon, PCI 0000:03:00.0, wave 32, 16368 MiB\n"
IGPU = ("cpu          Some CPU\nhip:1        Radeon, PCI 0000:03:00.0, wave 32, 16368 MiB\n"
        "hip:0        gfx1036: not usable: no kernels for gfx1036\n")
CHECK = """case $* in *--list-groups*) echo vif/random; echo motion/random ;;
    *) echo "check: 9 passed, 0 failed" ;; esac\n"""
# The log names the kind of frames, unless all kinds must give the same log.
FFMPEG = """case $* in *-hwaccels*) echo vaapi; [ -z "$FAKE_VULKAN" ] || echo vulkan; exit ;; esac
    for word; do case $word in *.mp4) [ -e "$word" ] || exit 1 ;; esac; done
    kind=software
    case $* in *format=vaapi*) kind=vaapi ;; *format=vulkan*) kind=vulkan ;; esac
    # A decoder on the GPU that refuses is replaced; only then do frames come in another format.
    case "$FAKE_REFUSED$*" in 1*format=*) echo "Impossible to convert between the formats" >&2; exit 1 ;; esac
    [ "$FAKE_FAIL" != $kind ] || { echo "Failed to initialise VAAPI connection: -1" >&2; exit 1; }
    [ "$FAKE_DIFFERENT" = $kind ] && text=12 || text=13
    log=$(printf '%s' "$*" | sed 's/.*log_path=\\([^:]*\\):.*/\\1/')
    echo "frame,vmaf,$text" >"$log"
    echo "[Parsed_vmaf_gpu_0 @ 0x1] VMAF score: 93.0" >&2\n"""


class Selftest:
    def __init__(self, folder, programs):
        self.folder, self.programs = folder, programs
        self.count, self.faults = 0, []

    def machine(self, name, devices):
        m = Machine(self.folder / name, self.programs, copy_scripts(self.folder / f"{name}-tree"))
        shutil.copytree(ROOT / "tests/install/clips", m.tree / "tests/install/clips")
        build = m.folder / "programs"
        texts = {"tests/check/check": CHECK, "tests/golden/golden": "echo '[  PASSED  ] 9 tests.'\n",
                 "bench/bench": "echo 640x360,8,123.4\n",
                 "tools/vmaf_gpu": f"case $1 in --list-devices) printf '%s' '{devices}' ;; esac\n"}
        for path, text in texts.items():
            file = build / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("#!/bin/sh\n" + text)
            file.chmod(0o755)
        m.program("ffmpeg-fake", FFMPEG)
        m.env |= {"BUILD": str(build), "TRIAL": "1", "REPORT": str(m.folder / "report.txt"),
                  "FFMPEG": str(m.bin / "ffmpeg-fake")}
        return m

    def expect(self, m, status, *lines, without=(), arguments=(), **env):
        self.count += 1
        m.run("scripts/amd-selftest.sh", *arguments, status=status, **env)
        text = (m.folder / "report.txt").read_text()
        self.faults += [f"{m.folder.name} {env}: no line {line!r} in\n{text}" for line in lines
                        if line not in text.splitlines()]
        self.faults += [f"{m.folder.name} {env}: {line!r} in\n{text}" for line in without
                        if any(line in one for one in text.splitlines())]

    def devices(self):
        m = self.machine("one", GOOD)
        m.amd(100300)
        self.expect(m, 0, "ok hip:0 check vif", "ok hip:0 check motion", "ok hip:0 golden",
                    "64x48 10 bit: 123.4 123.4 ", "== 1 GPUs tested, 0 failed", without=["FAILED"])
        m = self.machine("igpu", IGPU)
        m.amd(100306, 100300)
        self.expect(m, 0, "SKIPPED hip:0 (gfx1036): no kernels for gfx1036", "ok hip:1 check vif",
                    "== 1 GPUs tested, 0 failed", without=["hip:0 check"])
        # A GPU that is named is tested, or the run fails.
        self.expect(m, 0, "ok hip:0 golden", arguments=["0"], without=["hip:1 golden"])
        m = self.machine("none", "cpu          Some CPU\n")
        m.amd(100300, runtime=None)
        self.expect(m, 1, "FAILED a GPU that can be tested", "== 0 GPUs tested, 1 failed")
        report = (m.folder / "report.txt").read_text()
        if "the HIP runtime libamdhip64.so is missing: " not in report:
            self.faults.append(f"none: the missing runtime is not named in\n{report}")

    def decoders(self):
        m = self.machine("decoders", GOOD)
        m.amd(100300)
        self.expect(m, 0, "ok hip:0 software h264.mp4", "ok hip:0 vaapi renderD128 h264.mp4",
                    "ok hip:0 vaapi renderD128 hevc10.mp4", "SKIPPED Vulkan: this FFmpeg has none",
                    "VMAF score: 93.0")
        self.expect(m, 0, "ok hip:0 vulkan h264.mp4", FAKE_VULKAN="1", without=["SKIPPED"])
        self.expect(m, 1, "FAILED hip:0 vaapi renderD128 h264.mp4", "ok hip:0 vulkan h264.mp4",
                    FAKE_VULKAN="1", FAKE_DIFFERENT="vaapi")
        self.expect(m, 1, "FAILED hip:0 vaapi renderD128 hevc10.mp4",
                    "Failed to initialise VAAPI connection: -1", FAKE_FAIL="vaapi")
        self.expect(m, 1, "FAILED hip:0 vulkan h264.mp4", FAKE_VULKAN="1", FAKE_FAIL="vulkan")
        self.expect(m, 1, "FAILED hip:0 vaapi renderD128 h264.mp4", "ok hip:0 software h264.mp4",
                    FAKE_REFUSED="1")
        self.expect(m, 0, "SKIPPED: FFMPEG=none", FFMPEG="none", without=["vaapi", "FAILED"])

    def paths(self):
        """Relative paths are those of the folder in which the user is."""
        m = self.machine("paths", GOOD)
        m.amd(100300)
        shutil.copy(m.tree / "tests/install/clips/h264.mp4", m.folder / "mine.mp4")
        for dots, name in ("", "ffmpeg-fake"), ("./", "./mine/ffmpeg-fake"):
            pathlib.Path(m.folder / "mine").mkdir(exist_ok=True)
            for place in m.folder / "ffmpeg-fake", m.folder / "mine/ffmpeg-fake":
                shutil.copy(m.bin / "ffmpeg-fake", place)
            m.run(m.tree / "scripts/amd-selftest.sh", folder=m.folder, BUILD=dots + "programs", FFMPEG=name,
                  CLIP=dots + "mine.mp4", REPORT=dots + "mine.txt")
            self.count += 1
            text = (m.folder / "mine.txt").read_text()
            (m.folder / "mine.txt").unlink()
            if "ok hip:0 software mine.mp4" not in text:
                self.faults.append(f"relative paths: no mine.mp4 in\n{text}")

    def distributions(self):
        """If there is no apt, a missing program is named with the command that installs it."""
        commands = {("fedora", ""): "sudo dnf install", ("arch", ""): "sudo pacman -S",
                    ("opensuse-tumbleweed", "opensuse suse"): "sudo zypper install",
                    ("manjaro", "arch"): "sudo pacman -S", ("nixos", ""): "your package manager"}
        for (name, like), command in commands.items():
            m = self.machine(name, GOOD)
            m.amd(110503, runtime="libamdhip64.so.6.4.1")
            m.clang()
            m.distribution(name, like)
            m.run("scripts/amd-selftest.sh", status=1, BUILD="", PKG_CONFIG_LIBDIR="/none")
            self.count += 1
            text = (m.folder / "report.txt").read_text()
            skipped = f"SKIPPED gfx1153: {m.bin / 'clang-19'} makes no code for it"
            for wanted in (skipped, "FAILED build", command, "Some System"):
                if wanted not in text:
                    self.faults.append(f"{name}: no {wanted!r} in\n{text}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test = Selftest(folder, link_programs(folder / "system"))
        test.devices()
        test.decoders()
        test.paths()
        test.distributions()
    for fault in test.faults:
        print("FAILED " + fault)
    print(f"amd-selftest: {test.count} runs, {len(test.faults)} faults")
    return 1 if test.faults else 0


if __name__ == "__main__":
    sys.exit(main())
