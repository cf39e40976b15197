#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""scripts/lib/gpus.sh on machines that are folders: which GPUs it finds, which kernels would be built,
and the one sentence, with its cure, on what keeps a GPU from scoring. Every output is compared
as a whole. Says nothing about real drivers.

    test_gpus.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from machine import Machine, copy_scripts, link_programs  # noqa: E402

ROCM = "https://rocm.docs.amd.com"
DRIVER = ("sudo apt-get install nvidia-driver (Debian: component non-free; Ubuntu: sudo "
          "ubuntu-drivers install)")
CLANG = "build cuda clang"
NO_CLANG = "and no clang to make code in its place: sudo apt-get install clang-19"


def nothing(_):
    return []


def radeon_7900(m):
    m.amd(110000)
    m.clang()
    return ["gpu hip gfx1100", "build hip gfx1100"]


def with_graphics_in_the_cpu(m):
    m.amd(110000, 100306)
    m.clang()
    return ["gpu hip gfx1100", "gpu hip gfx1036", "build hip gfx1036,gfx1100"]


def two_generations_of_amd(m):
    m.amd(90010, 120001, runtime="libamdhip64.so.6.4.43484")
    m.clang()
    return ["gpu hip gfx90a", "gpu hip gfx1201", "build hip gfx90a,gfx1201"]


def before_clang_is_there(m):
    m.amd(110000)
    return ["gpu hip gfx1100", "build hip gfx1100"]


def unknown_to_clang(m):
    m.amd(130001)
    m.clang()
    return ["gpu hip gfx1301",
            "problem hip no kernels can be built for gfx1301: supported are gfx900 and later, as far as "
            "clang knows them; a newer clang may: sudo apt-get install clang-19"]


def crashing_clang_before_a_good_one(m):
    m.amd(110000)
    m.clang(name="clang-20", version="20.1.0", crashes=True)
    m.clang()
    return ["gpu hip gfx1100", "build hip gfx1100"]


def crashing_clang_alone(m):
    m.amd(110000)
    m.clang(crashes=True)
    return ["gpu hip gfx1100", "build hip gfx1100"]


def newer_than_clang(m):
    m.amd(110503, runtime="libamdhip64.so.6.4.43484")
    m.clang("gfx900 gfx90a gfx1030 gfx10-3-generic gfx11-generic sm_80")
    return ["gpu hip gfx1153", "build hip gfx11-generic"]


def polaris(m):
    m.amd(80003)
    return ["gpu hip gfx803",
            "problem hip no kernels can be built for gfx803: supported are gfx900 and later, as far as "
            "clang knows them; a newer clang may: sudo apt-get install clang-19"]


def old_card_beside_a_new_one(m):
    m.amd(80003, 110000)
    m.clang()
    return ["gpu hip gfx803", "gpu hip gfx1100", "build hip gfx1100"]


def overridden(m):
    m.amd(100301)
    m.clang()
    m.env["HSA_OVERRIDE_GFX_VERSION"] = "11.0.0"
    return ["gpu hip gfx1031", "build hip gfx1100"]


def named_by_hand(m):
    m.amd(110000)
    m.env["AMD_ARCHS"] = "gfx1031 gfx1036"
    return ["gpu hip gfx1100", "build hip gfx1031,gfx1036"]


def malformed_topology(m):
    m.amd(110000)
    m.clang()
    nodes = "sys/class/kfd/kfd/topology/nodes"
    for number, text in enumerate(["", "gfx_target_version\n", "gfx_target_version -1\n",
                                   "gfx_target_version 11abc\n", "gfx_target_version 1 1 0\n",
                                   "gfx_target_version 99999999999999999999\n", "\0\1\2",
                                   "x_gfx_target_version 90010\n"], 10):
        m.write(f"{nodes}/{number}/properties", text)
    (m.root / nodes / "30" / "properties").mkdir(parents=True)
    return ["gpu hip gfx1100", "build hip gfx1100"]


def driver_without_computing(m):
    m.pci("0x1002", "amdgpu")
    return ["problem hip there is an AMD GPU, but the kernel driver amdgpu offers none for computing (no "
            "gfx_target_version in /sys/class/kfd): sudo modprobe amdgpu, or a newer kernel"]


def amd_cpu_alone(m):
    m.amd()
    m.pci("0x1002", display="0x060000")
    return []


def no_runtime(m):
    m.amd(100300, runtime=None)
    m.apt(libamdhip64_5="5.2.3-8")
    return ["gpu hip gfx1030", "build hip gfx1030",
            "problem hip the HIP runtime libamdhip64.so is missing: sudo apt-get install libamdhip64-5"]


def no_runtime_new_enough(m):
    m.amd(110000, runtime=None)
    m.apt(libamdhip64_5="5.2.3-8")
    return ["gpu hip gfx1100", "build hip gfx1100",
            "problem hip the HIP runtime libamdhip64.so is missing: install hip-runtime-amd from AMD's "
            f"packages ({ROCM})"]


def amds_own_source(m):
    m.amd(110000, runtime=None)
    m.apt(libamdhip64_5="5.2.3-8", hip_runtime_amd="6.2.41133.60200-66~22.04")
    return ["gpu hip gfx1100", "build hip gfx1100",
            "problem hip the HIP runtime libamdhip64.so is missing: sudo apt-get install hip-runtime-amd"]


def runtime_too_old(m):
    m.amd(110000, runtime="libamdhip64.so.5.2.21153")
    m.apt(libamdhip64_5="5.7.1-2")
    return ["gpu hip gfx1100", "build hip gfx1100",
            "problem hip the HIP runtime 5.2 is too old for gfx1100, which need 5.5: sudo apt-get install "
            "libamdhip64-5"]


def on(name, like, command):
    def machine(m):
        m.amd(100300, runtime=None)
        m.distribution(name, like)
        return ["gpu hip gfx1030", "build hip gfx1030",
                f"problem hip the HIP runtime libamdhip64.so is missing: {command}"]
    machine.__name__ = "on_" + name
    return machine


def kfd_not_in_the_container(m):
    m.amd(100300)
    (m.root / "dev/kfd").unlink()
    return ["gpu hip gfx1030", "build hip gfx1030",
            "problem hip there is no /dev/kfd; in a container pass it in: docker run --device=/dev/kfd "
            "--device=/dev/dri ..."]


def no_rights(path):
    def machine(m):
        m.amd(100300)
        (m.root / path).chmod(0o440)
        return ["gpu hip gfx1030", "build hip gfx1030",
                f"problem hip USER may not open /{path}: sudo usermod -aG render,video USER, then log "
                "in again"]
    machine.__name__ = "no_rights_" + path
    return machine


def nvidia_one(m):
    m.nvidia("8.9, NVIDIA GeForce RTX 4090")
    m.nvcc()
    return ["gpu cuda NVIDIA GeForce RTX 4090, compute capability 8.9", "build cuda nvcc 89"]


def nvidia_two_generations(m):
    m.nvidia("12.0, NVIDIA GeForce RTX 5090\n7.5, NVIDIA GeForce RTX 2070\n7.5, Tesla T4")
    m.nvcc()
    return ["gpu cuda NVIDIA GeForce RTX 5090, compute capability 12.0",
            "gpu cuda NVIDIA GeForce RTX 2070, compute capability 7.5",
            "gpu cuda Tesla T4, compute capability 7.5", "build cuda nvcc 75,120"]


def nvidia_newer_than_nvcc(m):
    m.nvidia("12.1, NVIDIA GB10")
    m.nvcc(codes="75 90 100")
    return ["gpu cuda NVIDIA GB10, compute capability 12.1", "build cuda nvcc 100"]


def both_vendors(m):
    m.nvidia("8.6, NVIDIA RTX A4000")
    m.nvcc()
    m.amd(110000)
    m.clang()
    return ["gpu cuda NVIDIA RTX A4000, compute capability 8.6", "gpu hip gfx1100", "build cuda nvcc 86",
            "build hip gfx1100"]


def maxwell(m):
    m.nvidia("5.2, NVIDIA GeForce GTX 980")
    m.nvcc()
    return ["gpu cuda NVIDIA GeForce GTX 980, compute capability 5.2", "problem cuda NVIDIA GeForce GTX 980 has compute capability 5.2, but the kernels need 6.1: use "
            "backend=cpu, or a newer card"]


def driver_too_old(m):
    m.nvidia("7.5, Tesla T4", cuda="10.2")
    m.nvcc()
    return ["gpu cuda Tesla T4, compute capability 7.5", "build cuda nvcc 75",
            "problem cuda the NVIDIA driver is too old: it is for CUDA 10.2, needed is 11.0 or later: "
            f"{DRIVER}"]


def driver_older_than_nvcc(m):
    m.nvidia("7.5, Tesla T4", cuda="12.4")
    m.nvcc()
    return ["gpu cuda Tesla T4, compute capability 7.5", "build cuda nvcc 75",
            f"problem cuda the NVIDIA driver is for CUDA 12.4, older than nvcc 13.0, {NO_CLANG}"]


def driver_older_than_nvcc_and_clang(m):
    m.nvidia("7.5, Tesla T4", cuda="12.4")
    m.nvcc()
    m.clang()
    return ["gpu cuda Tesla T4, compute capability 7.5", CLANG + " 75"]


def pascal(m):
    m.nvidia("6.1, NVIDIA GeForce GTX 1080")
    m.nvcc()
    return ["gpu cuda NVIDIA GeForce GTX 1080, compute capability 6.1", f"problem cuda nvcc 13.0 makes no code for this GPU, {NO_CLANG}"]


def pascal_and_clang(m):
    m.nvidia("6.1, NVIDIA GeForce GTX 1080")
    m.nvcc()
    m.clang()
    return ["gpu cuda NVIDIA GeForce GTX 1080, compute capability 6.1", CLANG + " 61"]


def pascal_and_nvcc_12(m):
    m.nvidia("6.1, NVIDIA GeForce GTX 1080", cuda="12.8")
    m.nvcc("12.8", "61 70 75 80")
    m.clang()
    return ["gpu cuda NVIDIA GeForce GTX 1080, compute capability 6.1", "build cuda nvcc 61"]


def no_nvcc(m):
    m.nvidia("8.9, NVIDIA GeForce RTX 4090")
    m.clang()
    return ["gpu cuda NVIDIA GeForce RTX 4090, compute capability 8.9", CLANG + " 89"]


def no_compiler(m):
    m.nvidia("8.9, NVIDIA GeForce RTX 4090")
    m.clang("gfx900 gfx1030")
    return ["gpu cuda NVIDIA GeForce RTX 4090, compute capability 8.9",
            f"problem cuda there is no nvcc, {NO_CLANG}"]


def nvidia_smi_fails(m):
    m.nvidia("")
    m.nvcc()
    m.program("nvidia-smi", "echo; echo 'Failed to initialize NVML: Driver/library version mismatch'\n"
              "exit 18\n")
    return ["problem cuda nvidia-smi fails (Failed to initialize NVML: Driver/library version mismatch): "
            f"reboot; if that does not help, install the driver again: {DRIVER}"]


def nvidia_smi_of_2020(m):
    m.nvidia("")
    m.nvcc()
    m.program("nvidia-smi", """case $1 in
        *compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2 ;;
        --query-gpu=name) echo 'Tesla T4' ;;
        *) echo 'CUDA Version: 13.0' ;;
        esac\n""")
    return ["gpu cuda Tesla T4, compute capability unknown", "build cuda nvcc 75"]


def driver_without_nvidia_smi(m):
    m.nvidia("")
    m.nvcc()
    m.remove("nvidia-smi")
    m.write("proc/driver/nvidia/gpus/0000:01:00.0/information",
            "Model: \t\t NVIDIA GeForce RTX 3060\nIRQ: 100\n")
    return ["gpu cuda NVIDIA GeForce RTX 3060, compute capability unknown", "build cuda nvcc 75"]


def no_libcuda(m):
    m.nvidia("8.9, NVIDIA GeForce RTX 4090", library=False)
    m.nvcc()
    return ["gpu cuda NVIDIA GeForce RTX 4090, compute capability 8.9", "build cuda nvcc 89",
            "problem cuda the driver's library libcuda.so.1 is missing: sudo apt-get install libcuda1 (Ubuntu: "
            "libnvidia-compute-NNN of the driver); in a container: docker run --gpus all"]


def nouveau(m):
    m.pci("0x10de", "nouveau")
    return [f"problem cuda there is an NVIDIA GPU without NVIDIA's driver (in use: nouveau): {DRIVER}"]


def nvidia_sound_alone(m):
    m.pci("0x10de", "snd_hda_intel", display="0x040300")
    return []


MACHINES = [
    nothing, radeon_7900, with_graphics_in_the_cpu, two_generations_of_amd, before_clang_is_there,
    unknown_to_clang, newer_than_clang,
    crashing_clang_before_a_good_one, crashing_clang_alone, polaris, old_card_beside_a_new_one, overridden, named_by_hand, malformed_topology,
    driver_without_computing, amd_cpu_alone, no_runtime, no_runtime_new_enough, amds_own_source,
    runtime_too_old,
    on("ubuntu", "debian", f"install hip-runtime-amd from AMD's packages ({ROCM})"),
    on("fedora", "", "sudo dnf install rocm-hip"),
    on("rocky", "rhel centos fedora", "sudo dnf install rocm-hip"),
    on("arch", "", "sudo pacman -S hip-runtime-amd"),
    on("opensuse-tumbleweed", "opensuse suse", "sudo zypper install hip-runtime-amd (from AMD's repository "
       f"for SUSE, {ROCM})"),
    on("void", "", f"install ROCm's package hip-runtime-amd ({ROCM})"),
    kfd_not_in_the_container, no_rights("dev/kfd"), no_rights("dev/dri/renderD128"), nvidia_one,
    nvidia_two_generations, nvidia_newer_than_nvcc, both_vendors, maxwell, driver_too_old,
    driver_older_than_nvcc, driver_older_than_nvcc_and_clang, pascal, pascal_and_clang,
    pascal_and_nvcc_12, no_nvcc, no_compiler, nvidia_smi_fails, nvidia_smi_of_2020, driver_without_nvidia_smi,
    no_libcuda, nouveau, nvidia_sound_alone,
]


def main():
    problems = []
    me = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755) # see as_nobody
        programs = link_programs(folder / "programs")
        tree = copy_scripts(folder / "tree")
        for number, machine in enumerate(MACHINES):
            fake = Machine(folder / str(number), programs, tree)
            wanted = machine(fake)
            # Root may open everything.
            as_nobody = machine.__name__.startswith("no_rights") and os.geteuid() == 0
            out, err = fake.run("scripts/lib/gpus.sh", as_nobody=as_nobody)
            wanted = [line.replace("USER", "nobody" if as_nobody else me) for line in wanted]
            if out.splitlines() != wanted or err:
                problems.append("\n".join([machine.__name__, *out.splitlines(), "wanted:", *wanted, err]))
    for problem in problems:
        print("FAILED " + problem)
    print(f"gpus: {len(MACHINES)} machines, {len(problems)} faults")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
