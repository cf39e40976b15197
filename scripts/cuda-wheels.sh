#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# NVIDIA's CUDA compiler from the Python package index into build/cuda-wheels, for those who want
# nvcc without the CUDA Toolkit. Nothing else needs it, and no other script runs this one:
# without nvcc, clang compiles the CUDA kernels. Builds look for nvcc there, after PATH,
# /usr/local/cuda and /opt/cuda. `rm -r build/cuda-wheels` removes it.
#   scripts/cuda-wheels.sh          prints licence and size, downloads, tries it
#   scripts/cuda-wheels.sh --plan   only prints them
# PIP: the pip to use, default "python3 -m pip".
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

# 13.0: its PTX suits every driver for CUDA 13. All four of one version, which pip does not ensure.
packages=(nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime)
version=13.0
download_mb=101
unpacked_mb=265
wheels=$build/cuda-wheels
compiler=nvidia/cu13/bin/nvcc
read -ra pip <<<"${PIP:-python3 -m pip}"

cat <<EOT
NVIDIA's CUDA compiler $version: ${packages[*]}
licence: License Agreement for NVIDIA Software Development Kits, with the CUDA Toolkit Supplement.
         It is proprietary, and by downloading you accept it. You may use the compiler, not pass it on.
size:    $download_mb MB to download, $unpacked_mb MB in build/cuda-wheels
EOT
case ${1:-} in
--plan) exit ;;
'') ;;
*) die "usage: scripts/cuda-wheels.sh [--plan]" ;;
esac

if [ -x "$wheels/$compiler" ]; then
    note "$wheels/$compiler is there already"
    exit
fi
"${pip[@]}" --version >/dev/null 2>&1 ||
    die "there is no pip: install python3-pip, or set PIP to the pip of a virtual environment"
command -v g++ >/dev/null || die "nvcc needs g++: run scripts/setup.sh first"
mkdir -p "$build"
free_mb=$(df -Pm "$build" | awk 'END { print $4 }')
# Download, unpacked files and their copy.
needed_mb=$((download_mb + 2 * unpacked_mb))
[ "$free_mb" -ge "$needed_mb" ] || die "$free_mb MB are free in $build, $needed_mb are needed: free some"

# Under another name until it is whole and works: a run may be cut off.
part=$wheels.part
rm -rf "$part"
trap 'rm -rf "$part"' EXIT
trap 'exit 1' INT TERM HUP
mkdir -p "$part/tmp"
note "downloading"
TMPDIR=$part/tmp "${pip[@]}" --disable-pip-version-check install --quiet --no-cache-dir --no-deps \
    --only-binary=:all: --no-warn-script-location --target "$part/tree" \
    "${packages[@]/%/==$version.*}" >"$part/log" 2>&1 || {
    cat "$part/log" >&2
    die "the wheels could not be downloaded (pip's reason is above): check network and proxy, then run this script again"
}
# The kernel that shows that cicc, ptxas, their headers and g++ work together.
echo '__global__ void kernel(int *p) { *p = 1; }' >"$part/try.cu"
"$part/tree/$compiler" -fatbin -arch=sm_75 "$part/try.cu" -o "$part/try.fatbin" >"$part/log" 2>&1 || {
    cat "$part/log" >&2
    die "the compiler was downloaded but does not work (its reason is above), so it is not kept"
}
rm -rf "$wheels"
mv "$part/tree" "$wheels"
note "$wheels/$compiler works"
if [ -f "$build/build.ninja" ]; then
    note "configuring build/ again"
    meson setup --reconfigure "$build" >/dev/null || die "meson setup --reconfigure $build failed"
fi
