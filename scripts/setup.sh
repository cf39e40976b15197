#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the Debian packages that are missing; asks for root only if some are.
#   scripts/setup.sh           what building and testing need
#   scripts/setup.sh build     without the tools of scripts/ci/lint.sh and tests/pairing, which are large
#   scripts/setup.sh demo      what a score needs: of the compilers and runtimes for GPUs only what
#                              those at hand need, and nothing of the tests
#   scripts/setup.sh --plan WHAT   only prints the packages that are missing
# Where there is no apt, it says what is missing.
. "$(dirname "$0")/lib/common.sh"
set -o pipefail

is_plan=
[ "${1:-}" != --plan ] || { is_plan=yes && shift; }
what=${1:-all}

packages=(
    g++ make meson ninja-build nasm pkg-config python3
    nlohmann-json3-dev libhwy-dev
    zlib1g-dev libdav1d-dev libdrm-dev libva-dev
    dpkg-dev xz-utils
)
of_tests=(libgtest-dev libcli11-dev)
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && as_root=(sudo)
fi
can_install() {
    [ "$(id -u)" -eq 0 ] || [ ${#as_root[@]} -gt 0 ]
}

# By a version: of a package that others only speak of, apt-cache shows nothing, without a failure.
has_package() { # NAME
    [ -n "$(apt-cache show "$1" 2>/dev/null | sed -n 's/^Version: //p')" ]
}

# Without apt nothing is installed, but what somebody has installed by hand will do.
check_without_apt() {
    local name absent=() devel=()
    for name in g++ make meson ninja nasm pkg-config python3; do
        command -v "$name" >/dev/null || absent+=("$name")
    done
    for name in nlohmann_json libhwy gtest CLI11 zlib dav1d libdrm libva; do
        pkg-config --exists "$name" 2>/dev/null || absent+=("$name")
        devel+=("'pkgconfig($name)'")
    done
    [ ${#absent[@]} -gt 0 ] || return 0
    die "${absent[*]}: missing, and this script installs packages with apt only. First run" \
        "$(install_command '' \
            "gcc-c++ make meson ninja-build nasm python3 clang lld ${devel[*]}" \
            "base-devel meson nasm python nlohmann-json highway gtest cli11 zlib dav1d libdrm libva clang lld" \
            "gcc-c++ make meson ninja nasm python3 clang lld ${devel[*]}" \
            "your package manager"), get FFmpeg's source (https://ffmpeg.org/download.html)," \
        "then: FFMPEG_SRC=ITS_FOLDER scripts/demo.sh"
}
if ! command -v apt-get >/dev/null; then
    check_without_apt
    exit
fi

# A new container has no package lists at all, so that every question below would be
# answered with no.
if ! has_package ninja-build && can_install && [ -z "$is_plan" ]; then
    "${as_root[@]}" apt-get update -q || note "package lists could not be read; going on"
fi

# Unless one that is here compiles the kernels: the newest clang there is, with its linker. Debian 12's
# clang-19 knows every architecture of the default list, its clang-15 lacks those since gfx942.
add_clang() {
    local version
    [ "$what" = all ] || ! gpu_compiler hip >/dev/null || return 0
    for version in 21 20 19 18 17 16 15; do
        if has_package "clang-$version" && has_package "lld-$version"; then
            packages+=("clang-$version" "lld-$version")
            [ "$what" != all ] || packages+=("llvm-$version") # tests/amdisa: its disassembler
            return
        fi
    done
    note "no clang in the package lists (apt-get update?): AMD GPUs, and NVIDIA's without nvcc, are left out"
}

# What a score on the GPUs of this machine needs besides. NVIDIA's driver is left to the user.
add_for_gpus() {
    local needed package
    needed=$(needed_rocm_here)
    if [ -n "$needed${AMD_ARCHS:-}" ] ||
        { [ -n "$(nvidia_gpus)" ] && [ -n "$(nvcc_problem)" ] && ! gpu_compiler ptx >/dev/null; }; then
        add_clang
    fi
    if [ -n "$needed" ] && ! find_library libamdhip64.so >/dev/null &&
        package=$(hip_runtime_package "$needed"); then
        packages+=("$package")
    fi
    if [ -n "$(nvidia_gpus)" ] && [ "${FFMPEG_CUDA:-}" != 0 ] &&
        has_package libffmpeg-nvenc-dev; then
        packages+=(libffmpeg-nvenc-dev)
    fi
}

# What an FFmpeg of this profile encodes, scales and reads with.
add_for_ffmpeg() { # PROFILE
    [ "$1" != minimal ] || return 0
    packages+=(libgnutls28-dev)
    [ "$1" = full ] || packages+=(yasm)
    [ "$1" != quick ] || return 0
    [ "${FFMPEG_LICENSE:-gpl}" != gpl ] || packages+=(libx264-dev)
    [ "$1" = full ] || return 0
    packages+=(libzimg-dev libsvtav1enc-dev libfreetype-dev libharfbuzz-dev libfontconfig-dev libxml2-dev)
    [ "${FFMPEG_LICENSE:-gpl}" != gpl ] || packages+=(libx265-dev)
}

case $what in
demo) add_for_gpus && add_for_ffmpeg "${FFMPEG_PROFILE:-quick}" ;;
build) add_clang && packages+=("${of_tests[@]}") && add_for_ffmpeg "${FFMPEG_PROFILE:-full}" ;;
# ffmpeg: its encoders make the files of tests/pairing. python3-jsonschema: tests/tool. git, quilt,
# openssl: tests/filter. The last line: scripts/ci/test-windows.sh.
all)
    packages+=("${of_tests[@]}")
    add_clang
    add_for_ffmpeg "${FFMPEG_PROFILE:-small}" # test.sh builds this one
    packages+=(clang-format clang-tidy clang libclang-rt-dev ffmpeg python3-jsonschema git quilt openssl)
    packages+=(libvulkan1 mesa-vulkan-drivers) # tests/filter/vulkan.sh
    packages+=(python3-venv)                   # scripts/ci/test-python.sh
    # tests/tool/batch. Only there: on other machines these packages start services.
    [ "${CI:-}" != true ] || packages+=(slurm-wlm munge)
    packages+=(g++-mingw-w64-x86-64-posix googletest wine64)
    ;;
*) die "usage: scripts/setup.sh [--plan] [build|demo]" ;;
esac

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    # A virtual or renamed package counts if something installed provides it.
    if [ "$state" != installed ] &&
        ! dpkg-query --show --showformat='${db:Status-Status} ${Provides}\n' |
            grep -qE "^installed .*\b${package//+/\\+}( |,|\$)"; then
        missing+=("$package")
    fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ -n "$is_plan" ]; then
    printf '%s\n' "${missing[@]}"
    exit
fi
can_install || die "packages are missing, and there is no sudo. As root, run: apt-get install ${missing[*]};" \
    "then run this script again"
as_root+=(env LC_ALL=C DEBIAN_FRONTEND=noninteractive)
log=$build/log/packages.log
note "packages: ${missing[*]}"
# The password is asked for here: the line that moves would hide the question.
[ "${as_root[0]}" != sudo ] || sudo -v || true
run_logged lists "reading package lists" "${as_root[@]}" apt-get update -q || note "package lists are not up to date; going on"
# apt downloads everything before it installs anything.
run_logged packages "installing ${#missing[@]} packages" "${as_root[@]}" \
    apt-get install -y -q --no-install-recommends "${missing[@]}" && exit
case $(cat "$log") in
*'Unable to locate package'* | *'has no installation candidate'*)
    why="this release lacks some of them, or the package lists are old: sudo apt-get update" ;;
*'Failed to fetch'* | *'Could not resolve'* | *'Unable to fetch'*)
    why="they could not be downloaded: check the network" ;;
*'enough free space'* | *'No space left'*) why="there is no space for them: sudo apt-get clean" ;;
*'dpkg was interrupted'*) why="an earlier installation was cut off: sudo dpkg --configure -a" ;;
*'is not in the sudoers'* | *'a password is required'* | *'may not run sudo'*)
    why="this user may not use sudo. As root, run: apt-get install ${missing[*]}" ;;
*) why="see above. By hand: sudo apt-get install ${missing[*]}" ;;
esac
die "packages were not installed: $why; then run this script again"
