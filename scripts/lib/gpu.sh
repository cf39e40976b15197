# SPDX-License-Identifier: BSD-2-Clause-Patent
# Which GPUs this machine has and what keeps them from being used, found without any SDK, without
# root and without writing anything. common.sh sources it. Not here: packages (setup.sh) and the
# build (common.sh); `scripts/lib/gpus.sh` prints what these functions find.
# For tests, GPUS_ROOT is a folder to look below instead of /, and NVIDIA_SMI the command to ask.

gpus_root=${GPUS_ROOT:-}
# The lowest that the CUDA kernels support, and the first CUDA version whose driver will do.
lowest_capability=61
lowest_cuda=11.0

# ------------------------------------------------------------- distribution

distribution() { # debian, fedora, arch, suse, or the name that the system has
    local ids
    # shellcheck disable=SC1091 # os-release is the system's
    ids=$(ID='' ID_LIKE='' && . "$gpus_root/etc/os-release" 2>/dev/null && echo "$ID $ID_LIKE") || true
    case " $ids " in
    *' debian '* | *' ubuntu '*) echo debian ;;
    *' fedora '* | *' rhel '*) echo fedora ;;
    *' arch '*) echo arch ;;
    *suse*) echo suse ;;
    *) echo "${ids%% *}" ;;
    esac
}

# The command that installs what is named differently everywhere.
install_command() { # DEBIAN FEDORA ARCH SUSE OTHERWISE: packages; prints a command
    case $(distribution) in
    debian) echo "sudo apt-get install $1" ;;
    fedora) echo "sudo dnf install $2" ;;
    arch) echo "sudo pacman -S $3" ;;
    suse) echo "sudo zypper install $4" ;;
    *) echo "$5" ;;
    esac
}

# -------------------------------------------------------------------- tools

is_below() { # VERSION VERSION
    [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# The file of a shared library as the loader would find it; fails if there is none.
find_library() { # NAME, from the start of the file's name
    local folder file
    local -a folders
    IFS=: read -ra folders <<<"${LD_LIBRARY_PATH:-}"
    [ -z "$gpus_root" ] || folders=("$gpus_root/lib")
    # ROCm's own packages may not add their folder to the loader's path.
    folders+=("$gpus_root/opt/rocm/lib" "$gpus_root/usr/lib/wsl/lib")
    for folder in "${folders[@]}"; do
        for file in "$folder/$1"*; do
            [ ! -e "$file" ] || { readlink -f "$file" && return 0; }
        done
    done
    [ -z "$gpus_root" ] || return 1
    file=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | awk -v name="$1" \
        'index($1, name) == 1 { print $NF; exit }')
    [ -n "$file" ] && readlink -f "$file"
}

# Display devices of a vendor, "ADDRESS DRIVER" a line; the driver is none if there is none.
pci_displays() { # VENDOR
    local device driver
    for device in "$gpus_root"/sys/bus/pci/devices/*; do
        [ "$(cat "$device/vendor" 2>/dev/null)" = "$1" ] || continue
        case $(cat "$device/class" 2>/dev/null) in 0x03*) ;; *) continue ;; esac
        driver=$(basename "$(readlink "$device/driver" 2>/dev/null || echo none)")
        echo "$(basename "$device") $driver"
    done
}

# ---------------------------------------------------------------------- AMD

# "gfx90a" of 90010 or of 9.0.10: major, minor, stepping, the latter two in hex digits.
arch_of() {
    local version=${1//./ } major minor step
    case $version in
    *' '*) read -r major minor step <<<"$version" ;;
    *) major=$((version / 10000)) minor=$((version / 100 % 100)) step=$((version % 100)) ;;
    esac
    printf 'gfx%d%x%x\n' "$major" "$minor" "$step"
}

# "ARCHITECTURE MINOR" of each GPU that the kernel driver has for computing: /dev/dri/renderDMINOR.
# CPUs are nodes as well, of version 0.
amd_nodes() {
    local file version minor
    for file in "$gpus_root"/sys/class/kfd/kfd/topology/nodes/*/properties; do
        version=$(sed -n 's/^gfx_target_version \([0-9]*\)$/\1/p' "$file" 2>/dev/null) || continue
        minor=$(sed -n 's/^drm_render_minor \([0-9]*\)$/\1/p' "$file" 2>/dev/null) || true
        # A number of ten digits or more is no version, and too large for some shells.
        case $version in '' | 0 | ??????????*) continue ;; esac
        echo "$(arch_of "$version") ${minor:-0}"
    done
}

# Architectures to make code for, one a line; HSA_OVERRIDE_GFX_VERSION is what ROCm takes every
# GPU for.
amd_archs() {
    local archs
    archs=$(amd_nodes | cut -d' ' -f1)
    [ -n "$archs" ] || return 0
    [ -z "${HSA_OVERRIDE_GFX_VERSION:-}" ] || archs=$(arch_of "$HSA_OVERRIDE_GFX_VERSION")
    sort -u <<<"$archs"
}

# Whether an accepted compiler knows an architecture: an empty program tells.
makes_hip() { # COMPILER ARCHITECTURE
    "$1" -x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output \
        -mcode-object-version=4 -std=c++17 --offload-arch="$2" /dev/null -o /dev/null 2>/dev/null
}

# The family whose code an architecture runs that is newer than the compiler. Not for older
# generations: code for families needs ROCm 6.3, these need more anyway.
amd_family() { # ARCHITECTURE
    case $1 in
    gfx115?) echo gfx11-generic ;;
    gfx120?) echo gfx12-generic ;;
    *) return 1 ;;
    esac
}

# Those of the architectures on standard input that can be built for, or their family. Without a
# compiler yet, all.
buildable_amd_archs() {
    local arch compiler
    compiler=$(gpu_compiler hip) || compiler=
    while read -r arch; do
        [[ $arch =~ ^gfx(9|1[0-9])[0-9a-f]{2}$ ]] || continue
        if [ -n "$compiler" ] && ! makes_hip "$compiler" "$arch"; then
            arch=$(amd_family "$arch") && makes_hip "$compiler" "$arch" || continue
        fi
        echo "$arch"
    done
}

# What a local build makes code for, one a line. AMD_ARCHS="gfx1100 ..." is for other cards than those
# at hand.
local_hip_archs() {
    # shellcheck disable=SC2086 # a list
    if [ -n "${AMD_ARCHS:-}" ]; then
        printf '%s\n' $AMD_ARCHS
    else
        amd_archs | buildable_amd_archs | sort -Vu
    fi
}

# What of ROCm each generation needs: README.md's "AMD".
needed_rocm() { # ARCHITECTURE
    case $1 in
    gfx115? | gfx12??) echo 6.4 ;;
    gfx11??) echo 5.5 ;;
    *) echo 5.2 ;;
    esac
}

# What those at hand need together; nothing without any.
needed_rocm_here() {
    local arch
    amd_archs | while read -r arch; do needed_rocm "$arch"; done | sort -V | tail -n 1
}

# The distribution's package of a HIP runtime that is new enough, if apt has one.
hip_runtime_package() { # ROCM_VERSION
    local package version
    # The first is AMD's own, where its package source was added.
    for package in hip-runtime-amd libamdhip64-7 libamdhip64-6 libamdhip64-5; do
        version=$(apt-cache show "$package" 2>/dev/null | sed -n 's/^Version: //p' | sort -V | tail -n 1)
        [ -n "$version" ] && ! is_below "$version" "$1" && echo "$package" && return
    done
    return 1
}

hip_runtime_cure() { # ROCM_VERSION
    local package
    package=$(hip_runtime_package "$1") || {
        # Debian's and Ubuntu's own are too old for the card.
        [ "$(distribution)" != debian ] ||
            { echo "install hip-runtime-amd from AMD's packages (https://rocm.docs.amd.com)" && return; }
    }
    install_command "${package:-}" rocm-hip hip-runtime-amd \
        "hip-runtime-amd (from AMD's repository for SUSE, https://rocm.docs.amd.com)" \
        "install ROCm's package hip-runtime-amd (https://rocm.docs.amd.com)"
}

# One sentence on what keeps the AMD GPU from scoring, with the cure; nothing if all is well.
amd_problem() {
    local archs wanted version file node buildable
    [ -n "$(pci_displays 0x1002)" ] || [ -d "$gpus_root/sys/class/kfd" ] || return 0
    archs=$(amd_archs)
    if [ -z "$archs" ]; then
        # A desktop's kernel has the folder without any card.
        [ -n "$(pci_displays 0x1002)" ] || return 0
        echo "there is an AMD GPU, but the kernel driver amdgpu offers none for computing (no" \
            "gfx_target_version in /sys/class/kfd): sudo modprobe amdgpu, or a newer kernel"
        return
    fi
    buildable=$(buildable_amd_archs <<<"$archs")
    if [ -z "$buildable" ]; then
        echo "no kernels can be built for ${archs//$'\n'/, }: supported are gfx900 and later, as far as" \
            "clang knows them; a newer clang may: $(install_command clang-19 clang clang clang 'install clang')"
        return
    fi
    for node in "$gpus_root/dev/kfd" $(amd_nodes | while read -r _ minor; do
        [ "$minor" -eq 0 ] || echo "$gpus_root/dev/dri/renderD$minor"
    done); do
        if [ ! -e "$node" ]; then
            echo "there is no ${node#"$gpus_root"}; in a container pass it in:" \
                "docker run --device=/dev/kfd --device=/dev/dri ..."
            return
        elif [ ! -r "$node" ] || [ ! -w "$node" ]; then
            echo "$(id -un) may not open ${node#"$gpus_root"}:" \
                "sudo usermod -aG render,video $(id -un), then log in again"
            return
        fi
    done
    wanted=$(needed_rocm_here)
    file=$(find_library libamdhip64.so) || {
        echo "the HIP runtime libamdhip64.so is missing: $(hip_runtime_cure "$wanted")"
        return
    }
    # libamdhip64.so.5.2.21153; a name without a version says nothing.
    version=$(sed -n 's/.*\.so\.\([0-9]*\.[0-9]*\)\..*/\1/p' <<<"$file")
    if [ -n "$version" ] && is_below "$version" "$wanted"; then
        echo "the HIP runtime $version is too old for ${buildable//$'\n'/, }, which need $wanted:" \
            "$(hip_runtime_cure "$wanted")"
    fi
}

# ------------------------------------------------------------------- NVIDIA

nvidia_smi() {
    timeout -k 5 20 "${NVIDIA_SMI:-nvidia-smi}" "$@" 2>&1 </dev/null
}

has_nvidia_smi() {
    command -v "${NVIDIA_SMI:-nvidia-smi}" >/dev/null
}

# "CAPABILITY NAME" of each GPU that the driver has, 89 for 8.9; "? NAME" where nobody tells.
nvidia_gpus() {
    local lines file
    if has_nvidia_smi; then
        lines=$(nvidia_smi --query-gpu=compute_cap,name --format=csv,noheader) &&
            sed -nE 's/^([0-9]+)\.([0-9]), *(.*)$/\1\2 \3/p' <<<"$lines" | grep . && return
        # Drivers before 510 do not know that question.
        lines=$(nvidia_smi --query-gpu=name --format=csv,noheader) &&
            sed -n 's/^..*/? &/p' <<<"$lines" | grep -v '^? No devices' && return
    fi
    for file in "$gpus_root"/proc/driver/nvidia/gpus/*/information; do
        sed -n 's/^Model:[[:space:]]*/? /p' "$file" 2>/dev/null || true
    done
}

has_nvidia() {
    [ -n "$(nvidia_gpus)$(pci_displays 0x10de)" ] || [ -e "$gpus_root/proc/driver/nvidia/version" ]
}

# The newest CUDA that the driver runs, as "12.4"; nothing if nobody tells.
driver_cuda() {
    ! has_nvidia_smi || nvidia_smi | sed -nE 's/.*CUDA( UMD)? Version: *([0-9]+\.[0-9]+).*/\2/p' | head -n 1
}

find_nvcc() {
    command -v nvcc "$gpus_root/usr/local/cuda/bin/nvcc" "$gpus_root/opt/cuda/bin/nvcc" | grep -m1 .
}

nvcc_version() {
    "$(find_nvcc)" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'
}

# What nvcc compiles for, numbers in lines. A card that it does not know yet gets the newest before
# it, as PTX, which drivers finish for any later card.
cuda_archs() {
    local accepted capability rest
    accepted=$("$(find_nvcc)" --list-gpu-code 2>/dev/null | sed -n 's/^sm_\([0-9]*\)$/\1/p' | sort -n) || true
    nvidia_gpus | while read -r capability rest; do
        # The oldest that every nvcc knows.
        [ "$capability" != '?' ] || capability=75
        [ "$capability" -ge "$lowest_capability" ] || continue
        awk -v limit="$capability" '$1 <= limit { best = $1 } END { if (best) print best }' <<<"$accepted"
    done | sort -nu
}

# What a local build makes code for, one a line.
local_cuda_archs() {
    if find_nvcc >/dev/null && [ "$(nvidia_compiler)" = auto ]; then
        cuda_archs
    else
        nvidia_gpus | sed 's/^? /75 /' | cut -d' ' -f1 | awk -v least="$lowest_capability" '$1 >= least' | sort -nu
    fi
}

# Why nvcc's code would not run here; nothing if it does, or if nobody can tell.
nvcc_problem() {
    local version nvcc
    find_nvcc >/dev/null || { echo "there is no nvcc" && return; }
    nvcc=$(nvcc_version)
    version=$(driver_cuda)
    # Machine code runs on every driver of the same major version.
    if [ -n "$version" ] && [ "${version%%.*}" -lt "${nvcc%%.*}" ]; then
        echo "the NVIDIA driver is for CUDA $version, older than nvcc $nvcc"
    elif [ -n "$(nvidia_gpus)" ] && [ -z "$(cuda_archs)" ]; then
        echo "nvcc $nvcc makes no code for this GPU"
    fi
}

# The Meson option nvidia_compiler: clang only where nvcc is there and of no use. Its PTX is for
# drivers since CUDA 11 and for cards that new versions of nvcc have dropped.
nvidia_compiler() {
    if find_nvcc >/dev/null && [ -n "$(nvcc_problem)" ] && gpu_compiler ptx >/dev/null; then
        echo clang
    else
        echo auto
    fi
}

nvidia_driver_cure() {
    install_command "nvidia-driver (Debian: component non-free; Ubuntu: sudo ubuntu-drivers install)" \
        "akmod-nvidia xorg-x11-drv-nvidia-cuda (RPM Fusion)" "nvidia nvidia-utils" \
        "the driver of https://en.opensuse.org/SDB:NVIDIA_drivers" "install NVIDIA's driver"
}

# As amd_problem().
nvidia_problem() {
    local gpus version capability name
    has_nvidia || return 0
    gpus=$(nvidia_gpus)
    if [ -z "$gpus" ]; then
        if has_nvidia_smi; then
            echo "nvidia-smi fails ($(nvidia_smi | grep -m1 .)): reboot; if that does not help," \
                "install the driver again: $(nvidia_driver_cure)"
        else
            echo "there is an NVIDIA GPU without NVIDIA's driver (in use:" \
                "$(pci_displays 0x10de | cut -d' ' -f2 | sort -u | paste -sd, -)): $(nvidia_driver_cure)"
        fi
        return
    fi
    find_library libcuda.so.1 >/dev/null || {
        echo "the driver's library libcuda.so.1 is missing: $(install_command \
            'libcuda1 (Ubuntu: libnvidia-compute-NNN of the driver)' \
            'xorg-x11-drv-nvidia-cuda-libs (RPM Fusion)' nvidia-utils nvidia-compute-G06 \
            "install it with NVIDIA's driver"); in a container: docker run --gpus all"
        return
    }
    version=$(driver_cuda)
    if [ -n "$version" ] && is_below "$version" "$lowest_cuda"; then
        echo "the NVIDIA driver is too old: it is for CUDA $version, needed is $lowest_cuda or later:" \
            "$(nvidia_driver_cure)"
        return
    fi
    read -r capability name < <(sort -rV <<<"$gpus")
    if [ "$capability" != '?' ] && [ "$capability" -lt "$lowest_capability" ]; then
        echo "$name has compute capability ${capability%?}.${capability: -1}, but the kernels need" \
            "${lowest_capability%?}.${lowest_capability: -1}: use backend=cpu, or a newer card"
        return
    fi
    version=$(nvcc_problem)
    [ -z "$version" ] || gpu_compiler ptx >/dev/null ||
        echo "$version, and no clang to make code in its place: $(install_command clang-19 clang clang clang \
            'install clang')"
}
