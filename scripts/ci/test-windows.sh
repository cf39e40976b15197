#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Engine, tool and FFmpeg with the filter for Windows, cross-compiled by mingw-w64 and run under
# Wine. Needs wine64, what windows.sh names, and build/. What it shows: docs/develop/testing.md.
#   scripts/ci/test-windows.sh            builds and runs all but FFmpeg
#   scripts/ci/test-windows.sh build | run
#   scripts/ci/test-windows.sh ffmpeg     FFmpeg; needs build/ffmpeg/ffmpeg as well
#   scripts/ci/test-windows.sh release    the archive of release-windows.sh in dist/
. "$(dirname "$0")/../lib/common.sh"
. "$root/scripts/lib/windows.sh"

wine=$(command -v wine64 || command -v /usr/lib/wine/wine64) || die "no wine64 (Debian: wine64)"

# Wine's server and services start with the first program and end with the last one. They keep what
# they inherit open, so that one who reads that program's output would wait for their end.
start_wine() {
    export WINEPREFIX=$work/wine WINEDEBUG=-all
    mkdir -p "$WINEPREFIX" # the server itself makes none
    wine_server=$(dirname "$(realpath "$wine")")/wineserver
    "$wine_server" -p
    trap '"$wine_server" -k' EXIT
    "$wine" cmd /c exit </dev/null >/dev/null 2>&1
}

# Python's tests take a program by one name.
wrapper() { # NAME PROGRAM
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$wine" "$2" >"$work/$1"
    chmod +x "$work/$1"
    echo "$work/$1"
}

run_gpu() { # BACKEND
    "$wine" "$windows_build/tests/check/check.exe" --device="$1:0" --slow 129x65/8bit
    VMAFGPU_TEST_DEVICES=$1:0 "$wine" "$windows_build/tests/golden/golden.exe" --gtest_brief=1 \
        "--gtest_filter=*GoldenClips*$1*"
}

run_programs() {
    local tests=$windows_build/tests tool=$windows_build/tools/vmaf_gpu.exe
    ninja -C "$build" -j "$jobs" tools/vmaf_gpu tests/device/{libamdhip64.so,libcuda.so.1}
    start_wine
    note "golden vectors"
    "$wine" "$tests/golden/golden.exe" --gtest_brief=1
    note "the features on the size 129x65"
    "$wine" "$tests/check/check.exe" --device=cpu,emu32,emu64 129x65
    note "the same, and clips, by the GPU backends over stand-ins"
    VMAFGPU_HIP_LIBRARY="Z:$tests/device/libamdhip64.dll" VMAFGPU_CUDA_LIBRARY=none run_gpu hip
    VMAFGPU_CUDA_LIBRARY="Z:$tests/device/libcuda-1.dll" VMAFGPU_HIP_LIBRARY=none run_gpu cuda
    python3 -B tests/install/test_windows_gpu.py "$wine" "$tool" "$build/tools/vmaf_gpu" "$tests/device" \
        "$build/tests/device" "$WINEPREFIX"
    note "published option strings"
    python3 -B tests/golden/published.py --tool "$(wrapper vmaf_gpu "$tool")"
    note "the tool"
    python3 -B tests/install/test_windows.py "$wine" "$tool" "$build/tools/vmaf_gpu" \
        "$tests/install/stand_in_ffmpeg.exe"
}

run_ffmpeg() {
    scripts/ci/ffmpeg-windows.sh
    build_programs tests/device/libamdhip64.dll
    ninja -C "$build" -j "$jobs" tests/device/libamdhip64.so
    start_wine
    python3 -B tests/install/test_windows_ffmpeg.py "$wine" "$work/ffmpeg/ffmpeg.exe" \
        "$build/ffmpeg/ffmpeg" "$windows_build/tests/device" "$build/tests/device"
    python3 -B tests/golden/published.py --ffmpeg "$(wrapper ffmpeg.sh "$work/ffmpeg/ffmpeg.exe")"
}

try_release() {
    local archives=(dist/vmaf_gpu-*-windows-x86_64.zip)
    [ ${#archives[@]} -eq 1 ] && [ -f "${archives[0]}" ] || die "dist/ needs one archive for Windows"
    ninja -C "$build" -j "$jobs" tools/vmaf_gpu
    start_wine
    python3 -B tests/install/test_windows_release.py "$wine" "$root/${archives[0]}" "$build/tools/vmaf_gpu" \
        "$compiler-gcc-posix"
}

case ${1:-all} in
    build) build_programs ;;
    run) run_programs ;;
    all)
        build_programs
        run_programs
        ;;
    ffmpeg) run_ffmpeg ;;
    release) try_release ;;
    *) die "usage: test-windows.sh [build | run | ffmpeg | release]" ;;
esac
