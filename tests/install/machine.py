# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A machine to try the set-up scripts on: a folder that they look below instead of /, and a PATH
of this system's programs without compilers for GPUs, nvidia-smi, apt and sudo, which a test puts
there as scripts of its own. Used by the tests of this folder; asserts nothing."""
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HIDDEN = re.compile(r"(clang|nvcc|nvidia|hipcc|apt|sudo|dpkg|df$|ccache|docker)")
NOBODY = 65534


def link_programs(folder):
    """This system's programs, but for the hidden ones."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    for source in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for name in os.listdir(source):
            if not HIDDEN.match(name) and not (folder / name).is_symlink():
                (folder / name).symlink_to(f"{source}/{name}")
    return folder


class Machine:
    """Below `folder`; `programs`: what link_programs() made."""

    def __init__(self, folder, programs, tree=ROOT):
        self.folder = pathlib.Path(folder)
        self.tree = pathlib.Path(tree)
        self.root = self.folder / "root"
        self.bin = self.folder / "bin"
        self.path = f"{self.bin}:{programs}"
        self.env = {}
        self.root.mkdir(parents=True)
        self.bin.mkdir()
        self.distribution("debian")

    def write(self, path, text="", mode=0o644):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def program(self, name, text):
        file = self.bin / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def remove(self, *names):
        for name in names:
            (self.bin / name).unlink()

    def distribution(self, name, like=""):
        self.write("etc/os-release", f"ID={name}\nID_LIKE=\"{like}\"\nPRETTY_NAME=Some\\ System\n")

    def pci(self, vendor, driver=None, display="0x030000"):
        device = f"sys/bus/pci/devices/0000:0{vendor[-1]}:00.0"
        self.write(f"{device}/vendor", vendor + "\n")
        self.write(f"{device}/class", display + "\n")
        link = self.root / device / "driver"
        if driver and not link.is_symlink():
            link.symlink_to(f"../../../bus/pci/drivers/{driver}")

    def amd(self, *versions, runtime="libamdhip64.so.5.7.31921"):
        """The cards' versions as the kernel has them, after a node for the CPU."""
        self.pci("0x1002", "amdgpu")
        nodes = "sys/class/kfd/kfd/topology/nodes"
        self.write(f"{nodes}/0/properties", "cpu_cores_count 8\ngfx_target_version 0\n")
        self.write("dev/kfd", mode=0o666)
        for number, version in enumerate(versions, 1):
            minor = 127 + number
            self.write(f"{nodes}/{number}/properties",
                       f"simd_count 96\ngfx_target_version {version}\ndrm_render_minor {minor}\n")
            self.write(f"dev/dri/renderD{minor}", mode=0o666)
        if runtime:
            self.write("lib/" + runtime)

    def nvidia(self, gpus, cuda="13.0", library=True):
        """GPUs as `nvidia-smi` lists them: "8.9, NVIDIA GeForce RTX 4090" a line."""
        self.pci("0x10de", "nvidia")
        self.write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX\n")
        if library:
            self.write("lib/libcuda.so.1")
        self.program("nvidia-smi", f"""case $1 in
            --query-gpu=compute_cap,name) echo '{gpus}' ;;
            '') echo '| NVIDIA-SMI 580.95.05   Driver Version: 580.95.05   CUDA Version: {cuda}  |' ;;
            *) exit 6 ;;
            esac\n""")

    def nvcc(self, version="13.0", codes="75 80 86 89 90 100 120"):
        lines = "".join(f"sm_{code}\\n" for code in codes.split())
        self.program("nvcc", f"""case $1 in
            --list-gpu-code) printf '{lines}' ;;
            --version) echo 'Cuda compilation tools, release {version}, V{version}.48' ;;
            *) exit 1 ;;
            esac\n""")

    def clang(self, archs="gfx900 gfx90a gfx1030 gfx1036 gfx1100 gfx1201 sm_80", name="clang-19", version="19.1.7",
              crashes=False):
        """Adds a compiler that makes code for these targets and for nothing else, or crashes on a real kernel file."""
        kernel = "echo 'fatal error: error in backend: Unsupported expression' >&2; exit 70" if crashes else ":"
        self.program(name, f"""for word; do
            case $word in --offload-arch=*) arch=${{word#*=}} ;;
            --version) echo 'clang version {version}'; exit ;;
            *_kernels.cpp) file=$word ;; -o) output= ;; *) [ -n "${{output-x}}" ] || output=$word ;; esac
            done
            case " {archs} " in *" $arch "*) ;; *) exit 1 ;; esac
            [ -z "$file" ] || {{ {kernel}; }}
            [ -z "$output" ] || echo code >"$output"\n""")

    def apt(self, **versions):
        """Packages that apt knows."""
        self.program("apt-get", "exit 0\n")
        cases = "".join(f"{name.replace('_', '-')}) echo 'Version: {version}' ;; "
                        for name, version in versions.items())
        # Other packages depend on the last two, which apt does not have, as in Ubuntu 24.04: no text, no failure.
        self.program("apt-cache", f"shift; for name; do case $name in {cases} clang-21 | lld-21) ;; "
                     "*) exit 100 ;; esac; done\n")
        self.program("dpkg-query", "exit 1\n")

    def run(self, *command, status=0, as_nobody=False, folder=None, **env):
        """(stdout, stderr) of a script of the tree; ends the test at another exit status."""
        clean = {name: value for name, value in os.environ.items()
                 if name in ("HOME", "LANG", "TMPDIR", "XDG_CACHE_HOME")}
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if as_nobody else {}
        done = subprocess.run([str(part) for part in command], cwd=folder or self.tree, capture_output=True,
                              text=True, check=False, timeout=600, **other,
                              env={**clean, "PATH": self.path, "GPUS_ROOT": str(self.root),
                                   **self.env, **env})
        if done.returncode != status:
            raise AssertionError(f"{command}: exit status {done.returncode}, not {status}\n"
                                 f"{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr


def copy_scripts(tree):
    """The set-up scripts alone, in a folder to which they may write."""
    tree = pathlib.Path(tree)
    shutil.copytree(ROOT / "scripts", tree / "scripts")
    (tree / "tools").mkdir()
    shutil.copy(ROOT / "tools/gpu_compiler.sh", tree / "tools")
    # Files that the trial of a compiler reads.
    for name in ("features/vif/vif_kernels.cpp", "features/vif/vif_matrix_kernels.cpp", "simt/simt.h",
                 "simt/hip_dialect.h", "simt/cuda_clang.h"):
        file = tree / "src/engine" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tree
