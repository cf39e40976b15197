#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the wheel of scripts/ci/build-wheel.sh as users do, by `pip install vmaf-gpu` from an index that this
# script serves on the loopback, in clean environments of minimal systems of Debian 11, 12 and 13: of each one's
# Python, and of those that PYTHONS names. There it is imported, scores two small files and frames, and
# `vmaf-gpu --help` answers. Every double equals that of the wheel's own tool, of the build's tool, and of
# the filter where build/ has an ffmpeg. Needs root and debootstrap; what cannot be had is skipped aloud.
#   scripts/ci/test-wheel.sh [FOLDER]     where the wheel is; default: dist/
# PYTHONS="FOLDER...": where other Pythons are installed, each with bin/python3.
. "$(dirname "$0")/../lib/common.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/dist}")
try=$build/wheel/try
tool=$build/tools/vmaf_gpu
ffmpeg=$build/ffmpeg/ffmpeg
logs=()
passed=0
skipped=0
export PYTHONS=${PYTHONS:-}

# shellcheck disable=SC2016 # the other shell's
inside() { # PROGRAM ARGUMENTS...; what is mounted is gone with the namespace
    unshare --mount bash -c 'set -e
        mount -t proc proc "$0/proc"
        for folder in $PYTHONS; do
            mkdir -p "$0$folder"
            mount --bind "$folder" "$0$folder"
        done
        exec env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$0" "$@"' "$system" "$@"
}

debian() { # SUITE; sets system; false if it cannot be had
    local mirror
    system=$build/wheel/$1
    [ ! -d "$system" ] || return 0
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
    rm -rf "$system.new"
    debootstrap --variant=minbase --include=python3-venv "$1" "$system.new" ${mirror:+"$mirror"} >"$system.log" 2>&1 ||
        return 1
    mv "$system.new" "$system"
}

# What the wheel's scores must equal.
make_logs() {
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
}

# Python's server lists a folder as an index does. Sets address.
start_index() {
    local port=
    mkdir -p "$try/index/vmaf-gpu"
    cp "$wheel" "$try/index/vmaf-gpu/"
    python3 -u -m http.server --bind 127.0.0.1 --directory "$try/index" 0 >"$try/index.log" 2>&1 &
    server=$!
    trap 'kill "$server"' EXIT
    for _ in $(seq 100); do
        port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$try/index.log" | head -n 1)
        [ -z "$port" ] || break
        sleep 0.1
    done
    [ -n "$port" ] || die "the index does not start; see $try/index.log"
    address=http://127.0.0.1:$port
}

try_python() { # SUITE PYTHON
    local version begin seconds
    if ! version=$(inside "$2" -c 'import ctypes, sys; print("%d.%d.%d" % sys.version_info[:3])' 2>"$try/python.log"); then
        echo "SKIPPED: $1, $2: $(tail -n 1 "$try/python.log")"
        skipped=$((skipped + 1))
        return
    fi
    rm -rf "$system/try"
    mkdir "$system/try"
    cp "$try"/*.* tests/tool/python/wheel.py "$system/try/"
    inside "$2" -m venv /try/venv
    begin=$(date +%s%N)
    inside /try/venv/bin/pip install --quiet --disable-pip-version-check --index-url "$address" vmaf-gpu
    seconds=$((($(date +%s%N) - begin) / 100000000))
    inside /try/venv/bin/vmaf-gpu --help | grep -q '^ *ladder ' || die "$1, Python $version: vmaf-gpu --help says nothing"
    echo "$1, Python $version: installed in $((seconds / 10)).$((seconds % 10)) s, $(du -sm "$(dirname \
        "$(find "$system/try/venv" -name libvmaf_gpu_python.so)")" | cut -f 1) MB; $(
        inside /try/venv/bin/python -W ignore /try/wheel.py check /try "${logs[@]/#//try/}")"
    passed=$((passed + 1))
}

[ "$(id -u)" -eq 0 ] || die "it needs root, for debootstrap and chroot: sudo scripts/ci/test-wheel.sh"
command -v debootstrap >/dev/null || die "no debootstrap: sudo apt-get install debootstrap"
mapfile -t wheels < <(find "$folder" -maxdepth 1 -name 'vmaf_gpu-*.whl' | LC_ALL=C sort)
[ ${#wheels[@]} -gt 0 ] || die "no wheel in $folder: run scripts/ci/build-wheel.sh first"
wheel=${wheels[-1]}
[ -x "$tool" ] || die "no $tool to compare with: scripts/configure.sh && ninja -C build tools/vmaf_gpu"
rm -rf "$try"
mkdir -p "$try"
make_logs
start_index
for suite in bullseye bookworm trixie; do
    if ! debian "$suite"; then
        echo "SKIPPED: debootstrap makes no Debian $suite here; see $system.log"
        skipped=$((skipped + 1))
        continue
    fi
    try_python "$suite" /usr/bin/python3
    for python in $PYTHONS; do
        try_python "$suite" "$python/bin/python3"
    done
done
echo "$(basename "$wheel"), $(stat -c %s "$wheel") bytes: $passed passed, 0 failed, $skipped skipped"
[ "$passed" -gt 0 ]
