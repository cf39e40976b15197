#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# For people with an AMD GPU: does everything that nobody without one can do, and
# writes one report file to attach to an issue. Some minutes, most of them the build.
#   scripts/amd-selftest.sh [N]        the GPU hip:N; 0 by default
#   BUILD=DIR                          take the programs of that build instead of building
#   FFMPEG=PATH CLIP=FILE              an ffmpeg with this filter and VAAPI, and an H.264 or HEVC
#                                      file: the decoder paths, too
#   HSA_OVERRIDE_GFX_VERSION=10.3.0    as ROCm has it, for GPUs that it does not know
#   REPORT=FILE                        the report, instead of amd-report-DATE.txt here
#   TRIAL=1                            to try this script without a GPU: the cases for emulated
#                                      devices, the device's vectors, small pictures
# Exits non-zero if anything failed.
. "$(dirname "$0")/lib.sh"
set +e
device=hip:${1:-0}
report=${REPORT:-$root/amd-report-$(date +%Y%m%d-%H%M%S).txt}
failed=0
check_flags=()
golden_flags=()
sizes=(576x324 1280x720 1920x1080 3840x2160)
frames=300
if [ -n "${TRIAL:-}" ]; then
    check_flags=(--slow)
    golden_flags=(--gtest_filter='*GoldenClips*hip*')
    sizes=(64x48)
    frames=20
fi

title() { printf '\n== %s\n' "$*"; }

verdict() { # NAME STATUS
    [ "$2" -eq 0 ] || failed=$((failed + 1))
    printf '%s %s\n' "$([ "$2" -eq 0 ] && echo ok || echo FAILED)" "$1"
}

try() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2 status
    shift 2
    timeout -k 10 "$limit" "$@" >"$work/out" 2>&1
    status=$?
    tail -n 3 "$work/out"
    [ "$status" -eq 0 ] || { grep -E 'FAILED|rror' "$work/out" | head -n 20; }
    [ "$status" -ne 124 ] || echo "hung for $limit s"
    verdict "$name" "$status"
}

describe() {
    title "machine"
    echo "vmaf_gpu $(git -C "$root" describe --always --dirty 2>/dev/null || echo without git)"
    . /etc/os-release 2>/dev/null && echo "$PRETTY_NAME, Linux $(uname -r), $(nproc) cores"
    grep -m1 'model name' /proc/cpuinfo
    lspci 2>/dev/null | grep -iE 'vga|display|3d|accelerator'
    title "kernel driver"
    ls -l /dev/kfd /dev/dri/render* 2>&1
    id
    echo "architectures: $(amd_nodes | cut -d' ' -f1 | paste -sd' ')"
    echo "HSA_OVERRIDE_GFX_VERSION=${HSA_OVERRIDE_GFX_VERSION:-} HIP_VISIBLE_DEVICES=${HIP_VISIBLE_DEVICES:-} ROCR_VISIBLE_DEVICES=${ROCR_VISIBLE_DEVICES:-}"
    title "ROCm"
    cat /opt/rocm/.info/version 2>/dev/null
    ldconfig -p 2>/dev/null | grep amdhip64
    dpkg-query -W -f '${Package} ${Version}\n' 'libamdhip64*' hip-runtime-amd 2>/dev/null | grep ' .'
    rpm -qa 'hip-runtime-amd*' 'rocm-hip*' 2>/dev/null
}

build_programs() {
    programs=${BUILD:-$root/build/amd}
    [ -z "${BUILD:-}" ] || return 0
    local archs again=()
    [ ! -f "$programs/build.ninja" ] || again=(--reconfigure)
    archs=$(amd_archs | paste -sd,)
    title "build for ${archs:-all architectures (the kernel driver names none)}"
    scripts/setup.sh build
    meson setup "${again[@]}" "$programs" -Dbuildtype=release -Dcuda=disabled \
        -Dhip=enabled -Dhip_archs="${archs:-default}" >"$work/meson" 2>&1 || {
        tail -n 15 "$work/meson"
        return 1
    }
    ninja -C "$programs" tests/check/check tests/golden/golden bench/bench tools/vmaf_gpu >"$work/ninja" 2>&1 || {
        grep -A15 FAILED "$work/ninja"
        return 1
    }
    grep -A3 'HIP kernels' "$work/meson" 2>/dev/null
}

check_features() {
    local check=$programs/tests/check/check features feature
    mapfile -t features < <("$check" --list-groups --device="$device" "${check_flags[@]}" | cut -d/ -f1 | sort -u)
    [ ${#features[@]} -gt 0 ] || verdict "check: lists no cases" 1
    for feature in "${features[@]}"; do
        try "check $feature" 900 "$check" --device="$device" "${check_flags[@]}" "$feature/"
    done
}

decoder_paths() {
    title "decoder paths"
    if [ -z "${FFMPEG:-}" ] || [ -z "${CLIP:-}" ]; then
        echo "SKIPPED: set FFMPEG and CLIP (see the head of scripts/amd-selftest.sh)"
        return
    fi
    local node input kind scores=()
    for node in /dev/dri/renderD*; do
        for kind in software vaapi; do
            input=()
            [ $kind = software ] || input=(-hwaccel vaapi -hwaccel_device "$node" -hwaccel_output_format vaapi)
            timeout -k 10 300 "$FFMPEG" -nostdin -nostats -v info "${input[@]}" -i "$CLIP" "${input[@]}" -i "$CLIP" \
                -frames:v 200 -lavfi "[0:v][1:v]vmaf_gpu=backend=hip:log_path=$work/$kind.csv:log_fmt=csv" \
                -f null - >"$work/out" 2>&1
            verdict "$node $kind" $?
            grep -E 'vmaf_gpu.*(backend|DRM|VAAPI|linear|download)|VMAF score' "$work/out" | cut -c1-200
            scores+=("$work/$kind.csv")
        done
        cmp "${scores[0]}" "${scores[-1]}"
        verdict "$node: VAAPI frames score as software frames" $?
    done
}

speed() {
    local size depth backend figure
    title "speed, frames/s: resident, and with upload"
    for size in "${sizes[@]}"; do
        for depth in 8 10; do
            printf '%s %s bit:' $size $depth
            for backend in --resident ''; do
                # shellcheck disable=SC2086 # a flag or nothing
                figure=$(timeout -k 10 120 "$programs/bench/bench" --backend="$device" --size=$size \
                    --depth=$depth --frames=$frames --ring=16 $backend --csv 2>"$work/err" | tail -n 1 | sed 's/.*,//')
                [[ $figure =~ ^[0-9.]+$ ]] || { failed=$((failed + 1)) && figure=FAILED; }
                printf ' %s' "$figure"
            done
            echo " $(head -c 200 "$work/err")"
        done
    done
}

main() {
    describe
    build_programs || { verdict build 1 && return; }
    title "device"
    "$programs/tools/vmaf_gpu" --list-devices
    title "every kernel and feature against the reference code"
    check_features
    title "published vectors"
    export VMAFGPU_TEST_DEVICES=$device
    try golden 900 "$programs/tests/golden/golden" "${golden_flags[@]}"
    decoder_paths
    speed
    title "$failed failed"
    dmesg 2>/dev/null | grep -iE 'amdgpu|kfd' | tail -n 10
}

# As the tool was told at its build; it may not have been built.
where_to_report() {
    "$programs/tools/vmaf_gpu" --version 2>/dev/null | grep '^Report' ||
        echo "Report bugs to whoever gave you this build, or as its README.md says."
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
main > >(tee "$report") 2>&1
wait $! # for tee
echo "report: $report -- please send it, also if everything is ok"
where_to_report
[ "$failed" -eq 0 ]
