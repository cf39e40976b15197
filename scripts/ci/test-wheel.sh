#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the wheel of scripts/ci/build-wheel.sh in a clean environment of a minimal Debian 12, without a
# network, and scores numpy frames there. Every double equals that of the wheel's own tool, of the
# build's tool, and of the filter where build/ has an ffmpeg. Needs root and debootstrap, and PyPI for
# numpy; without root the environment is one of this system, which is said.
#   scripts/ci/test-wheel.sh [FOLDER]     where the wheel is; default: dist/
. "$(dirname "$0")/../lib/common.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/dist}")
try=$build/wheel/try
system=$build/wheel/system
tool=$build/tools/vmaf_gpu
ffmpeg=$build/ffmpeg/ffmpeg
logs=()

# shellcheck disable=SC2016 # the other shell's
inside() {
    unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec env -i HOME=/root LC_ALL=C.UTF-8 \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive chroot "$0" "$@"' "$system" "$@"
}

make_system() {
    [ ! -f "$system/ready" ] || return 0
    # shellcheck disable=SC2119 # its mirror is apt's
    debian_base
    rm -rf "$system"
    cp -a "$build/debian-base" "$system"
    cp /etc/resolv.conf "$system/etc/"
    inside apt-get update -q
    inside apt-get install -y -q --no-install-recommends python3-venv
    touch "$system/ready"
}

mapfile -t wheels < <(find "$folder" -maxdepth 1 -name 'vmaf_gpu-*.whl' | LC_ALL=C sort)
[ ${#wheels[@]} -gt 0 ] || die "no wheel in $folder: run scripts/ci/build-wheel.sh first"
wheel=${wheels[-1]}
[ -x "$tool" ] || die "no $tool to compare with: scripts/configure.sh && ninja -C build tools/vmaf_gpu"
rm -rf "$try"
mkdir -p "$try"
cp "$wheel" "$try/"
tests/tool/python/wheel.py make "$try"
"$tool" -r "$try/r.y4m" -d "$try/d.y4m" -q --json --precision max --backend cpu -o "$try/tool.json"
logs=(tool.json)
if [ -x "$ffmpeg" ]; then
    "$ffmpeg" -v error -nostdin -i "$try/d.y4m" -i "$try/r.y4m" -f null - \
        -lavfi "vmaf_gpu=backend=cpu:log_fmt=json:precision=max:log_path=$try/filter.json"
    logs+=(filter.json)
else
    echo "NOT COMPARED with the filter: no $ffmpeg; scripts/build-ffmpeg.sh makes it"
fi
version=$(basename "$wheel" | sed -n 's/.*-cp\([0-9]\)\([0-9]*\)-cp.*/\1.\2/p')
python3 -m venv "$try/pip"
"$try/pip/bin/pip" download --quiet --disable-pip-version-check --only-binary :all: --dest "$try" \
    --python-version "$version" numpy || die "numpy could not be downloaded: check the network"
rm -r "$try/pip"
if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null && [ "$version" = 3.11 ]; then
    make_system >"$build/wheel/system.log" 2>&1 || die "no minimal system; see $build/wheel/system.log"
    where=$system/try runner=(inside) at=/try
else
    echo "NOT TRIED in a minimal Debian 12: that needs root, debootstrap and a wheel for its Python, 3.11"
    where=$(mktemp -d) runner=() at=$where
    trap 'rm -rf "$where"' EXIT
fi
rm -rf "$where"
mkdir "$where"
cp "$try"/* tests/tool/python/wheel.py "$where/"
"${runner[@]}" "${PYTHON:-python3}" -m venv "$at/venv"
"${runner[@]}" "$at/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$at" \
    numpy vmaf-gpu
"${runner[@]}" "$at/venv/bin/python" "$at/wheel.py" check "$at" "${logs[@]/#/$at/}"
echo "$(basename "$wheel"): passed"
