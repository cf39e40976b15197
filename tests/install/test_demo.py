#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/demo.sh from one end to the other on machines that are folders, with this project's
options in a Meson project without sources, an FFmpeg source tree without sources, and scripts in
place of apt, ninja and the compilers: what is installed and configured in the first and in later
runs, after runs that were cut off, and the last lines printed. Real builds: tests/filter/demo.sh.

    test_demo.py cpu_then_cards|elsewhere
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from machine import ROOT, Machine, copy_scripts, link_programs  # noqa: E402

ENGINE = """project('engine', version: '0')
gpus = find_program('scripts/lib/gpus.sh')
cuda = run_command(gpus, 'cuda', check: true).stdout().split()
hip = run_command(gpus, 'hip', check: true).stdout().split()
clang = find_program('clang-19', required: false)
nvcc = find_program('nvcc', required: false)
if cuda.length() == 0
elif nvcc.found() and get_option('nvidia_compiler') != 'clang'
  custom_target('cuda', output: 'cuda_kernels.cpp', command: ['true'], build_by_default: true)
elif clang.found()
  custom_target('ptx', output: 'ptx_kernels.cpp', command: ['true'], build_by_default: true)
endif
if clang.found() and hip.length() > 0
  custom_target('hip', output: 'hip_kernels.cpp', command: ['true'], build_by_default: true)
endif
install_data('libvmaf_gpu.pc', 'libvmaf_gpu.a', install_dir: 'lib', install_tag: 'devel')
"""
# `make` copies it to ffmpeg. The first line of the log is what the filter prints at the end.
FFMPEG = """case "$*" in
*-filters*) echo ' ... vmaf_gpu  VV->V' ;;
*) cat "$FAKE_LOG" >&2 ;;
esac
"""
SCORE = "[Parsed_vmaf_gpu_0 @ 0x1] VMAF score: 93.216340"
NO_GPU = "why not a GPU: no NVIDIA or AMD GPU was found"
APT_GET = """echo "$*" >>{calls}
[ ! -f {folder}/offline ] || offline=yes
case "$*" in
*update*) [ -z "$offline" ] || echo 'W: Failed to fetch http://deb/InRelease' >&2 ;;
*source*) mkdir ffmpeg-7.1
    [ -z "$offline" ] || {{ echo 'E: Failed to fetch http://deb/ffmpeg.tar.xz' >&2; exit 100; }}
    cp -r {folder}/ffmpeg/. ffmpeg-7.1 ;;
*install*) [ ! -f {folder}/refusal ] || {{ cat {folder}/refusal >&2; exit 100; }}
    for word; do echo "$word"; done | grep -v -e '^-' -e install >>{folder}/installed ;;
esac
"""
# Libraries that FFmpeg's profile "full" uses; "quick" uses the first one.
LIBRARIES = """libgnutls28-dev libx264-dev libzimg-dev libsvtav1enc-dev libfreetype-dev libharfbuzz-dev
 libfontconfig-dev libxml2-dev libx265-dev""".split()
# Options that FFmpeg's configure script knows: all that our script gives to it.
KNOWN = " ".join(sorted({name for pair in re.findall(r"--(?:en|dis)able-([\w-]+)|\b(\w+)(?=:\w)",
                                                     (ROOT / "scripts/lib/ffmpeg-flags.sh").read_text()) for name in pair}))
# Installed from the beginning: all that building needs, as dpkg names it.
TOOLS = """g++ make meson ninja-build nasm yasm pkg-config python3 nlohmann-json3-dev libhwy-dev
 zlib1g-dev libdav1d-dev libdrm-dev libva-dev dpkg-dev xz-utils""".split()

problems = []
count = 0


def log_of(backend, *before):
    return "\n".join([*before, f"[Parsed_vmaf_gpu_0 @ 0x1] 50 frames, backend {backend}, 512.3 fps",
                      SCORE, ""])


class Demo(Machine):
    """A machine with a clone of its own, an archive of packages, and two videos."""

    def __init__(self, folder, programs):
        super().__init__(folder, programs, copy_scripts(pathlib.Path(folder) / "clone"))
        (self.tree / "meson.build").write_text(ENGINE)
        shutil.copy(ROOT / "meson_options.txt", self.tree)
        (self.tree / "libvmaf_gpu.pc").write_text("prefix=/usr\nName: x\nVersion: 0\nDescription: x\n")
        (self.tree / "libvmaf_gpu.a").touch()
        self.script(self.tree / "libavfilter_patch/apply.sh", "")
        for name in ("d.mp4", "r.mp4"):
            (self.tree / name).touch()
        source = self.folder / "ffmpeg"
        (source / "libavfilter").mkdir(parents=True)
        (source / "libavfilter/allfilters.c").touch()
        (source / "RELEASE").write_text("7.1.5\n")
        self.script(source / "ffmpeg.in", FFMPEG)
        self.script(source / "configure", f"# check \"ffnvcodec >= 9.1.23.1\"\n# {KNOWN}\nprintf '%s\\n' \"$@\" >flags\n")
        (source / "Makefile").write_text("ffmpeg ffprobe: flags\n\tcp ffmpeg.in $@\n")
        self.calls = self.folder / "calls"
        self.installed = self.folder / "installed"
        self.installed.write_text("\n".join([*TOOLS, *LIBRARIES, ""]))
        self.program("ninja", "[ \"$1\" != --version ] || echo 1.11.1\n")
        self.known(libamdhip64_5="5.7.1-2", clang_19="1:19", lld_19="1:19", ninja_build="1.11",
                   libffmpeg_nvenc_dev="11.1")
        self.program("df", "echo Filesystem; echo '/dev/sda1 9 9 99999 1% /'\n")
        self.program("sudo", "exec \"$@\"\n")
        self.log("cpu (Some CPU)")

    @staticmethod
    def script(file, text):
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def known(self, **packages):
        self.apt(**packages)
        self.program("apt-get", APT_GET.format(calls=self.calls, folder=self.folder))
        self.program("dpkg-query", f"grep -qxF \"$3\" {self.installed} && echo installed\n")

    def log(self, backend, *before):
        (self.folder / "log").write_text(log_of(backend, *before))

    def offline(self, is_offline):
        if is_offline:
            (self.folder / "offline").touch()
        else:
            (self.folder / "offline").unlink()

    def demo(self, *arguments, **env):
        return self.run("scripts/demo.sh", *(arguments or ("d.mp4", "r.mp4")),
                        FAKE_LOG=str(self.folder / "log"), **env)

    def demo_of_clip(self):
        return self.run("scripts/demo.sh", FAKE_LOG=str(self.folder / "log"))

    def option(self, name):
        text = subprocess.run([sys.executable, "-c", f"""import json
for o in json.load(open("{self.tree}/build/meson-info/intro-buildoptions.json")):
    if o["name"] == "{name}": print(",".join(o["value"]) if isinstance(o["value"], list) else str(o["value"]).lower())"""], capture_output=True, text=True, check=True)
        return text.stdout.strip()

    def flags(self):
        return (self.tree / "build/ffmpeg/flags").read_text().split()

    def packages(self):
        return self.installed.read_text().split()[len(TOOLS) + len(LIBRARIES):]


def same(what, found, wanted):
    global count
    count += 1
    if found != wanted:
        problems.append(f"{what}:\n{found}\nwanted:\n{wanted}")


def has(what, text, *parts):
    same(what + ":\n" + text, [part for part in parts if part not in text], [])


def last_lines(out, m):
    return out.replace(str(m.tree), "TREE").splitlines()


def cpu_then_cards(m):
    out, err = m.demo()
    # The program of this test has one filter and nothing else.
    out, err = m.demo(FFMPEG_PROFILE="full")
    has("cpu: what FFmpeg lacks", err, "ffprobe are up to date\nbuild-ffmpeg.sh: not in this FFmpeg: filters scale tonemap ",
        "not in this FFmpeg: encoders libx264 libx265; needed: libx264-dev, libx265-dev; not with FFMPEG_LICENSE=lgpl\n",
        "not in this FFmpeg: encoders libsvtav1; needed: libsvtav1enc-dev\n",
        "not in this FFmpeg: protocols https; needed: libgnutls28-dev\n")
    same("cpu: what FFmpeg lacks, small", "not in this FFmpeg" in m.demo(FFMPEG_PROFILE="small")[1], False)
    out, _ = m.demo()
    same("cpu: profile", "--optflags=-O1" in m.flags(), True)
    same("cpu: lines", last_lines(out, m)[-4:], ["per-frame log: TREE/build/demo/vmaf.json",
                                                "scored on: cpu (Some CPU)", NO_GPU, "VMAF score: 93.216340"])
    same("cpu: packages", m.packages(), [])
    same("cpu: kernels", [m.option("hip_archs"), m.option("nvcc_archs"), m.option("cpu_levels"), m.option("tests")],
         ["local", "local", "local", "false"])
    same("cpu: no kernels", "_kernels.cpp" in (m.tree / "build/build.ninja").read_text(), False)
    same("cpu: NVDEC", "--enable-nvdec" in m.flags(), False)
    # A card that comes later needs neither a new clone nor a new build folder.
    m.amd(110000, runtime=None)
    m.log("hip (AMD Radeon RX 7900 XTX)")
    m.program("apt-get", APT_GET.format(calls=m.calls, folder=m.folder) +
              f"case \"$*\" in *amdhip64*) echo >{m.root}/lib/libamdhip64.so.5.7.31921 ;; esac\n")
    (m.root / "lib").mkdir()
    m.clang(name="clang-19.not-yet")
    out, err = m.demo()
    same("amd: lines", last_lines(out, m)[-2:], ["scored on: hip (AMD Radeon RX 7900 XTX)",
                                                "VMAF score: 93.216340"])
    same("amd: packages", m.packages(), ["clang-19", "lld-19", "libamdhip64-5"])
    has("amd: says so", err, "gpu hip gfx1100", "configuring the engine")
    # Nothing changed: nothing is done again.
    (m.bin / "clang-19.not-yet").rename(m.bin / "clang-19")
    m.demo()
    has("clang came", (m.tree / "build/build.ninja").read_text(), "hip_kernels.cpp")
    _, err = m.demo()
    same("amd, again: configured", "configuring the engine" in err, False)
    # Programs that the tests need stay when the quick start runs again.
    m.run("scripts/configure.sh", "test")
    same("tests: kernels", m.option("hip_archs"), "gfx90a,gfx1030,gfx1100")
    _, err = m.demo()
    same("tests, again: configured", ["configuring the engine" in err, m.option("tests")], [False, "true"])
    # nvcc comes later, too.
    m.nvcc()
    m.nvidia("8.9, NVIDIA GeForce RTX 4090")
    m.log("cuda (NVIDIA GeForce RTX 4090)")
    out, err = m.demo()
    same("cuda: lines", last_lines(out, m)[-2:], ["scored on: cuda (NVIDIA GeForce RTX 4090)",
                                                 "VMAF score: 93.216340"])
    same("cuda: kernels", m.option("nvcc_archs"), "89")
    has("cuda: build", (m.tree / "build/build.ninja").read_text(), "cuda_kernels.cpp")


def nvidia_without_toolkit(m):
    m.nvidia("8.9, NVIDIA GeForce RTX 4090")
    m.log("cuda (NVIDIA GeForce RTX 4090)")
    m.clang(name="clang-19.not-yet")
    m.program("apt-get", APT_GET.format(calls=m.calls, folder=m.folder) +
              f"case \"$*\" in *clang-19*) cp {m.bin}/clang-19.not-yet {m.bin}/clang-19 ;; esac\n")
    m.demo()
    same("clang: packages", m.packages(), ["clang-19", "lld-19", "libffmpeg-nvenc-dev"])
    has("clang: build", (m.tree / "build/build.ninja").read_text(), "ptx_kernels.cpp")
    _, err = m.demo()
    same("clang, again: configured", "configuring the engine" in err, False)
    same("clang: chosen", m.option("nvidia_compiler"), "auto")
    # A toolkit that is newer than the driver changes nothing.
    m.nvidia("8.9, NVIDIA GeForce RTX 4090", cuda="12.4")
    m.nvcc()
    m.demo()
    same("clang: kept", m.option("nvidia_compiler"), "clang")
    _, err = m.demo()
    same("clang, third: configured", "configuring the engine" in err, False)
    shutil.rmtree(m.root / "proc")
    m.remove("nvidia-smi")
    m.demo()
    same("card gone: no kernels", "_kernels.cpp" in (m.tree / "build/build.ninja").read_text(), False)


def nvdec(m):
    m.nvidia("8.9, NVIDIA GeForce RTX 4090")
    m.nvcc()
    m.log("cuda (NVIDIA GeForce RTX 4090)")
    _, err = m.demo()
    same("headers: packages", m.packages(), ["libffmpeg-nvenc-dev"])
    same("no headers: NVDEC", "--enable-nvdec" in m.flags(), False)
    has("no headers: says so", err, "NVDEC is left out")
    (m.root / "ffnvcodec.pc").write_text("Name: x\nVersion: 11.1\nDescription: x\n")
    m.env["PKG_CONFIG_PATH"] = str(m.root)
    m.demo()
    same("headers: NVDEC", "--enable-nvdec" in m.flags(), True)
    m.remove("nvidia-smi")
    shutil.rmtree(m.root / "proc")
    m.demo()
    same("remembered: NVDEC", "--enable-nvdec" in m.flags(), True)
    m.demo(FFMPEG_CUDA="0")
    same("switched off: NVDEC", "--enable-nvdec" in m.flags(), False)
    m.demo()
    same("remembered off: NVDEC", "--enable-nvdec" in m.flags(), False)


def broken_compilers(m):
    """A compiler that crashes on a kernel is passed over, and leaves the CPU to score."""
    m.amd(110000)
    m.clang(crashes=True)
    m.clang(name="clang", version="14.0.6")
    m.program("apt-cache", "exit 100\n")
    out, _ = m.run("tools/gpu_compiler.sh", "hip", status=1)
    same("crash: verdicts", out.splitlines(), [
        "skip clang-19: it fails on vif_kernels.cpp for gfx90a: fatal error: error in backend: Unsupported expression",
        "skip clang: clang 14 is too old, 15 is the oldest that compiles the kernels"])
    out, err = m.demo()
    same("crash: score", out.splitlines()[-1], "VMAF score: 93.216340")
    m.clang(name="clang-18", version="18.1.8")
    same("good: chosen", m.run("tools/gpu_compiler.sh", "hip")[0].splitlines()[-1], f"use {m.bin}/clang-18")
    m.program("clang-18", "case $* in *--version*) echo clang version 18.1 ;; *) sleep 60 ;; esac\n")
    same("hangs", m.run("tools/gpu_compiler.sh", "hip", status=1, GPU_COMPILER_SECONDS="1")[0].splitlines(), [
        "skip clang-19: it fails on vif_kernels.cpp for gfx90a: fatal error: error in backend: "
        "Unsupported expression", "skip clang-18: it did not compile vif_kernels.cpp for gfx90a in 1 s",
        "skip clang: clang 14 is too old, 15 is the oldest that compiles the kernels"])
    # A machine that is busy may need longer than a compiler may compute; a child's end is the compiler's.
    slow = "sleep 2; for last; do :; done; echo code >\"$last\""
    for name, work, said in (("slow", slow, [f"use {m.bin}/clang-18"]),
                             ("computes", "bash -c 'while :; do :; done' || echo CPU time limit exceeded >&2; exit 1", [])):
        m.program("clang-18", f"case $* in *--version*) echo clang version 18.1 ;; *) {work} ;; esac\n")
        out = m.run("tools/gpu_compiler.sh", "hip", status=0 if said else 1, GPU_COMPILER_SECONDS="1")[0].splitlines()
        same(f"{name} for longer", out[1:2], said or ["skip clang-18: it did not compile vif_kernels.cpp for gfx90a in 1 s"])


def why_not(m):
    m.amd(100300, runtime=None)
    m.clang()
    m.known()
    out, _ = m.demo()
    same("no runtime: lines", last_lines(out, m)[-3:], [
        "scored on: cpu (Some CPU)",
        "why not the GPU: the HIP runtime libamdhip64.so is missing: install hip-runtime-amd from AMD's "
        "packages (https://rocm.docs.amd.com)", "VMAF score: 93.216340"])
    m.write("lib/libamdhip64.so.5.7.31921")
    m.log("cpu (Some CPU)", "[Parsed_vmaf_gpu_0 @ 0x1] auto: hip failed: hipInit: hipErrorUnknown (why)",
          "[Parsed_vmaf_gpu_0 @ 0x1] backend cpu (Some CPU), chosen by auto (cuda: no CUDA driver; hip: hipInit)")
    out, _ = m.demo()
    same("engine: lines", last_lines(out, m)[-3:], [
        "scored on: cpu (Some CPU)", "why not the GPU: hip failed: hipInit: hipErrorUnknown (why)",
        "VMAF score: 93.216340"])
    m.log("cpu (Some CPU)",
          "[Parsed_vmaf_gpu_0 @ 0x1] backend cpu (Some CPU), chosen by auto (hip: no AMD GPU is visible)")
    out, _ = m.demo()
    same("engine's line: why", last_lines(out, m)[-2], "why not the GPU: hip: no AMD GPU is visible")


def plan(m):
    m.amd(110000, runtime=None)
    out, _ = m.demo("--plan")
    same("plan", out.splitlines(), [
        "gpu hip gfx1100", "build hip gfx1100",
        "problem hip the HIP runtime libamdhip64.so is missing: sudo apt-get install libamdhip64-5",
        "package clang-19", "package lld-19", "package libamdhip64-5"])
    same("plan: touches nothing", (m.tree / "build").exists() or m.calls.exists(), False)


def libraries(m):
    """Libraries of FFmpeg are installed for the profile that uses them."""
    m.installed.write_text("\n".join([*TOOLS, ""]))
    plan = lambda **env: [line[len("package "):] for line in m.run("scripts/demo.sh", "--plan", **env)[0].splitlines()
                          if line.startswith("package ")]
    same("libraries: minimal", plan(FFMPEG_PROFILE="minimal"), [])
    same("libraries: small", plan(FFMPEG_PROFILE="small"), LIBRARIES[:2])
    same("libraries: quick", plan(), LIBRARIES[:1])
    same("libraries: lgpl", plan(FFMPEG_PROFILE="full", FFMPEG_LICENSE="lgpl"),
         [name for name in LIBRARIES if "x26" not in name])
    same("libraries: full", plan(FFMPEG_PROFILE="full"), LIBRARIES)


def refused(m, what, *parts, **env):
    """An exit status of 1 and one sentence at the end; no score."""
    out, err = m.run("scripts/demo.sh", "d.mp4", "r.mp4", status=1,
                     FAKE_LOG=str(m.folder / "log"), **env)
    same(what + ": score", "VMAF score" in out, False)
    has(what, err.splitlines()[-1], *parts)


def cut_off(m):
    """Each failure is one sentence, and the next run continues from there."""
    m.program("df", "echo Filesystem; echo '/dev/sda1 9 9 1199 1% /'\n")
    refused(m, "no space", "only 1199 MB are free", "the build needs 1200")
    same("no space: begun", (m.tree / "build").exists(), False)
    m.program("df", "echo Filesystem; echo '/dev/sda1 9 9 1200 1% /'\n")
    m.offline(True)
    refused(m, "no network", "FFmpeg's source could not be fetched", "check the network", "FFMPEG_SRC")
    m.offline(False)
    out, _ = m.demo()
    same("network again", out.splitlines()[-1], "VMAF score: 93.216340")
    # make is cut off, and does not leave a program behind.
    (m.tree / "build/ffmpeg/ffmpeg").unlink()
    makefile = m.tree / "build/ffmpeg/Makefile"
    good = makefile.read_text()
    makefile.write_text("ffmpeg ffprobe: flags\n\t@echo 'error: No space left on device'; exit 1\n")
    refused(m, "make", "building FFmpeg failed")
    makefile.write_text(good)
    out, _ = m.demo()
    same("make again", out.splitlines()[-1], "VMAF score: 93.216340")


def clip(m):
    """If the user names no videos, a clip of the archive is scored, but none that is half there."""
    # Like apt: a package is found in the lists of the configuration in use only.
    m.program("apt-get", APT_GET.format(calls=m.calls, folder=m.folder) + """
[ "$2" != -c ] || lists=$(sed -n 's/^Dir::State::lists "\\(.*\\)";/\\1/p' "$3")
case "$*" in
*update*) cat "$(dirname "$lists")"/sources.list.d/* >"$lists/known" ;;
*download*) grep -q "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$lists/known" || exit 100
    touch ${5}_1.deb ;;
esac
""")
    file = "python3-imageio/usr/imageio/resources/images"
    unpack = "mkdir -p $3/usr/imageio/resources/images; touch $3/usr/imageio/resources/images/%s; exit %d\n"
    m.program("dpkg-deb", unpack % ("cockatoo.mp4", 1))
    out, _ = m.demo_of_clip()
    has("clip cut off", out, "clip: a GENERATED picture")
    same("clip cut off: kept", (m.tree / "build/demo/packages" / file).exists(), False)
    m.program("dpkg-deb", unpack % ("cockatoo.mp4", 0))
    out, _ = m.demo_of_clip()
    has("clip", out, "clip: cockatoo.mp4, a camera recording")
    # The lists of another suite, as FFmpeg's source needs them.
    shutil.rmtree(m.tree / "build/demo")
    lists = m.tree / "build/apt/system/lists/known"
    lists.write_text("deb-src http://deb/debian another main\n")
    out, _ = m.demo_of_clip()
    has("lists of another suite", out, "clip: cockatoo.mp4, a camera recording")


def packages_refused(m):
    m.amd(110000)
    refusal = m.folder / "refusal"
    for text, cure in (
            ("E: Failed to fetch http://deb/clang.deb  Temporary failure resolving 'deb'", "check the network"),
            ("E: You don't have enough free space in /var/cache/apt/archives/.", "sudo apt-get clean"),
            ("E: Unable to locate package clang-19", "sudo apt-get update"),
            ("E: dpkg was interrupted, you must manually run 'dpkg --configure -a'", "sudo dpkg --configure -a"),
            ("user is not in the sudoers file.", "As root, run: apt-get install clang-19 lld-19"),
            ("E: something else", "sudo apt-get install clang-19 lld-19")):
        refusal.write_text(text + "\n")
        refused(m, text, "packages were not installed", cure, "then run this script again")
        same(text + ": begun", (m.tree / "build/build.ninja").exists(), False)
    refusal.unlink()
    out, _ = m.demo()
    same("allowed again", out.splitlines()[-1], "VMAF score: 93.216340")


def no_root(m):
    m.amd(110000)
    m.remove("sudo")
    for path in (m.tree, m.folder):
        path.chmod(0o777)
    out, err = m.run("scripts/demo.sh", "d.mp4", "r.mp4", status=1, as_nobody=os.geteuid() == 0)
    same("no root: output", out, "")
    has("no root", err.splitlines()[-1], "there is no sudo. As root, run: apt-get install clang-19 lld-19")


def without_apt(m):
    m.remove("apt-get", "apt-cache", "dpkg-query")
    m.program("pkg-config", "exit 1\n")
    for name, command in (("fedora", "sudo dnf install gcc-c++"), ("arch", "sudo pacman -S base-devel"),
                          ("opensuse-leap", "sudo zypper install gcc-c++"), ("void", "your package manager")):
        m.distribution(name, "suse" if "suse" in name else "")
        refused(m, name, "nlohmann_json", "with apt only", command, "FFMPEG_SRC=")
        same(name + ": begun", (m.tree / "build").exists(), False)
    m.program("pkg-config", "exit 0\n")
    refused(m, "no source", "FFmpeg's source is fetched with apt only", "FFMPEG_SRC")
    out, _ = m.demo(FFMPEG_SRC=str(m.folder / "ffmpeg"))
    same("by hand", out.splitlines()[-1], "VMAF score: 93.216340")


def unknown_flags(m):
    """FFmpeg 5.1 knows no libharfbuzz, 8.0 no libpostproc: its configure script would stop there."""
    _, err = m.demo()
    same("unknown flags: all are known", ["--disable-postproc" in m.flags(), "left out" in err], [True, False])
    configure = next((m.tree / "build").glob("ffmpeg-*/**/configure"))  # the fetched source
    configure.write_text(configure.read_text().replace("postproc", ""))
    later = configure.stat().st_mtime + 2  # than the copy that was built, on a machine that built it within this second
    os.utime(configure, (later, later))
    _, err = m.demo()
    same("unknown flags", "--disable-postproc" in m.flags(), False)
    has("unknown flags: told", err, "this FFmpeg does not know --disable-postproc: left out\n")
    m.demo(FFMPEG_FLAGS="--enable-nosuch")
    same("unknown flags: the user's own", m.flags()[-1], "--enable-nosuch")


def copied(m):
    """A copy with its build folder would build the original, whose files it names."""
    m.demo()
    other = m.folder / "copy"
    shutil.copytree(m.tree, other, symlinks=True)
    before = (m.tree / "build/build.ninja").stat().st_mtime_ns
    _, err = m.run("scripts/demo.sh", "d.mp4", "r.mp4", folder=other, status=1, FAKE_LOG=str(m.folder / "log"))
    has("a copy: told", err, f"build/ is a copy of {m.tree}/build, or was moved from there")
    same("a copy: the original", (m.tree / "build/build.ninja").stat().st_mtime_ns, before)
    shutil.rmtree(other / "build")
    m.run("scripts/demo.sh", "d.mp4", "r.mp4", folder=other, FAKE_LOG=str(m.folder / "log"))


def odd_paths(m):
    """FFmpeg's configure does not take them, which is told before anything is built."""
    for name in "a b", "o'b", 'q"q', "d$x":
        other = m.folder / name
        shutil.copytree(m.tree, other, symlinks=True)
        for words in ("scripts/demo.sh", "--plan"), ("scripts/build-ffmpeg.sh",):
            _, err = m.run(*words, folder=other, status=1)
            has(f"{name}: told by {words[0]}", err, f"FFmpeg cannot be built in '{other}': move this checkout to a path without blanks")
        same(f"{name}: nothing is built", (other / "build").exists(), False)


TESTS = {
    "cpu_then_cards": (cpu_then_cards,),
    "elsewhere": (nvidia_without_toolkit, nvdec, broken_compilers, why_not, plan, libraries, cut_off, clip, packages_refused,
                  no_root, without_apt, unknown_flags, copied, odd_paths),
}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        programs = link_programs(folder / "programs")
        for test in TESTS[sys.argv[1]]:
            try:
                test(Demo(folder / test.__name__, programs))
            except AssertionError as error:
                problems.append(f"{test.__name__}: {error}")
    for problem in problems:
        print("FAILED " + problem)
    print(f"demo: {count} comparisons, {len(problems)} faults")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
