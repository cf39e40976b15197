#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# For people with an AMD GPU: does everything that nobody without one can do, and
# writes one report file to attach to an issue. Some minutes, most of them the build.
#   scripts/amd-selftest.sh [N]        the GPU hip:N only; otherwise each one that can run
#   BUILD=DIR                          take the programs of that build instead of building
#   FFMPEG=PATH                        an ffmpeg with this filter, instead of building one;
#                                      FFMPEG=none: without frames that stay on the GPU
#   PARTS="check golden decoders speed"  only these; all by default
#   CLIP=FILE                          a video of yours beside those in tests/install/clips
#   HSA_OVERRIDE_GFX_VERSION=10.3.0    as ROCm has it, for GPUs that it does not know
#   REPORT=FILE                        the report, instead of amd-report-DATE.txt here
#   TRIAL=1                            to try this script without a GPU: the cases for emulated
#                                      devices, the device's vectors, small pictures
# Exits non-zero if anything failed, or if no GPU could be tested.
. "$(dirname "$0")/lib/common.sh"
set +e

# Paths are the caller's, who may stand elsewhere. A name alone may be of a program in PATH.
of_caller() { # PATH
    case $1 in
    /* | none | '') echo "$1" ;;
    */*) echo "$OLDPWD/$1" ;;
    *) [ -e "$OLDPWD/$1" ] && echo "$OLDPWD/$1" || echo "$1" ;;
    esac
}
for name in BUILD FFMPEG CLIP; do
    [ -z "${!name:-}" ] || printf -v "$name" %s "$(of_caller "${!name}")"
done
case ${REPORT:-} in '' | /*) ;; *) REPORT=$OLDPWD/$REPORT ;; esac
wanted_device=${1:+hip:$1}
parts=" ${PARTS:-check golden decoders speed} "
report=${REPORT:-$root/amd-report-$(date +%Y%m%d-%H%M%S).txt}
failed=0
tested=0
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

# Versions of packages, whatever the distribution's package manager is.
versions_of() { # NAME...: patterns of the shell
    dpkg-query -W -f '${Package} ${Version}\n' "$@" 2>/dev/null | grep ' .'
    rpm -qa "$@" 2>/dev/null
    local pattern
    for pattern; do pacman -Q 2>/dev/null | grep "^${pattern//\*/.*} "; done
}

describe() {
    title "machine"
    echo "vmaf_gpu $(git -C "$root" describe --always --dirty 2>/dev/null || echo without git)"
    (. "$gpus_root/etc/os-release" 2>/dev/null && echo "$PRETTY_NAME, Linux $(uname -r), $(nproc) cores")
    grep -m1 'model name' /proc/cpuinfo
    lspci 2>/dev/null | grep -iE 'vga|display|3d|accelerator'
    title "kernel driver"
    ls -l "$gpus_root"/dev/kfd "$gpus_root"/dev/dri/render* 2>&1
    id
    echo "architectures: $(amd_nodes | cut -d' ' -f1 | paste -sd' ')"
    echo "HSA_OVERRIDE_GFX_VERSION=${HSA_OVERRIDE_GFX_VERSION:-} HIP_VISIBLE_DEVICES=${HIP_VISIBLE_DEVICES:-} ROCR_VISIBLE_DEVICES=${ROCR_VISIBLE_DEVICES:-}"
    title "ROCm"
    cat "$gpus_root/opt/rocm/.info/version" 2>/dev/null
    find_library libamdhip64.so
    versions_of 'libamdhip64*' 'hip-runtime-amd*' 'rocm-hip*'
    title "Mesa"
    versions_of 'mesa-va-drivers*' 'mesa-vulkan-drivers*' 'vulkan-radeon' 'libva2' 'libva' 'libdrm-amdgpu1' 'mesa' \
        'Mesa-libva' 'libvulkan_radeon'
    title "what may keep a GPU from scoring"
    # A package that is missing, a group that the user is not in: each with its cure.
    scripts/lib/gpus.sh | sed -n 's/^problem hip //p' | grep . || echo "nothing"
}

# A GPU that the compiler does not know is no fault of the machine.
name_skipped() {
    local arch
    amd_archs | while read -r arch; do
        [ -n "$(buildable_amd_archs <<<"$arch")" ] ||
            echo "SKIPPED $arch: $(gpu_compiler hip || echo no clang) makes no code for it"
    done
}

build_programs() {
    programs=${BUILD:-$build}
    [ -z "${BUILD:-}" ] || return 0
    title "build"
    name_skipped
    # Only says what is missing where there is no apt.
    scripts/setup.sh build >"$work/setup" 2>&1 || {
        tail -n 5 "$work/setup"
        return 1
    }
    scripts/configure.sh test >"$work/meson" 2>&1 || {
        tail -n 15 "$work/meson"
        return 1
    }
    ninja -C "$programs" tests/check/check tests/golden/golden bench/bench tools/vmaf_gpu >"$work/ninja" 2>&1 || {
        grep -A15 FAILED "$work/ninja"
        return 1
    }
    echo "kernels for AMD: $(configured hip_archs), by $(gpu_compiler hip)"
}

# Sets `devices`: the GPUs to test. Those that cannot run are named, with the reason.
find_devices() {
    title "devices"
    "$programs/tools/vmaf_gpu" --list-devices >"$work/devices" 2>&1
    cat "$work/devices"
    mapfile -t devices < <(sed -n '/: not usable: /d; s/^\(hip:[0-9]*\) .*/\1/p' "$work/devices" | sort -V)
    sed -n 's/^\(hip:[0-9]*\) *\(.*\): not usable: /SKIPPED \1 (\2): /p' "$work/devices"
    [ -z "$wanted_device" ] || devices=("$wanted_device")
    [ ${#devices[@]} -gt 0 ] || verdict "a GPU that can be tested" 1
}

check_features() { # DEVICE
    local check=$programs/tests/check/check features feature
    mapfile -t features < <("$check" --list-groups --device="$1" "${check_flags[@]}" | cut -d/ -f1 | sort -u)
    [ ${#features[@]} -gt 0 ] || verdict "$1 check: lists no cases" 1
    for feature in "${features[@]}"; do
        try "$1 check $feature" 900 "$check" --device="$1" "${check_flags[@]}" "$feature/"
    done
    # Where matrix instructions are used, the kernels without them.
    try "$1 check vif without matrices" 900 env VMAFGPU_MATRIX=0 "$check" --device="$1" \
        "${check_flags[@]}" vif/plain
}

# An ffmpeg with VAAPI and Vulkan. False, with a word, where none is to be had.
find_ffmpeg() {
    case ${FFMPEG:-} in
    none) echo "SKIPPED: FFMPEG=none" && return 1 ;;
    '') ;;
    *) return 0 ;;
    esac
    [ -z "${BUILD:-}" ] || { echo "SKIPPED: BUILD is set, FFMPEG is not" && return 1; }
    FFMPEG_VULKAN=1 scripts/build-ffmpeg.sh >"$work/ffmpeg" 2>&1 || {
        tail -n 3 "$work/ffmpeg"
        verdict "build of FFmpeg" 1
        return 1
    }
    FFMPEG=$build/ffmpeg/ffmpeg
}

# Options of ffmpeg for an input whose frames stay on the GPU. Two Vulkan decoders of FFmpeg 7.1
# wait for each other if they have more than one thread.
decoder_options() { # KIND NODE
    case $1 in
    software) ;;
    vaapi) echo "-hwaccel vaapi -hwaccel_device $2 -hwaccel_output_format vaapi" ;;
    vulkan) echo "-threads 1 -hwaccel vulkan -hwaccel_device gpu -hwaccel_output_format vulkan" ;;
    esac
}

# A clip against itself, one frame later. Without the filter "format", ffmpeg would decode on the
# CPU where the decoder on the GPU refuses, and nobody would notice.
score_clip() { # KIND NODE DEVICE CLIP LOG
    local input=() start=() on_gpu=
    read -ra input < <(decoder_options "$1" "$2") || true
    # A Vulkan device has no render node in its name; the filter compares it with the kernels' GPU.
    [ "$1" != vulkan ] || start=(-init_hw_device "vulkan=gpu")
    [ "$1" = software ] || on_gpu=format=$1,
    timeout -k 10 300 "$FFMPEG" -nostdin -nostats -v verbose "${start[@]}" "${input[@]}" -i "$4" "${input[@]}" -i "$4" \
        -frames:v 200 -lavfi "[0:v]${on_gpu}trim=start_frame=1[a];[1:v]${on_gpu}null[b];[a][b]vmaf_gpu=backend=hip:device=${3#hip:}:log_path=$5:log_fmt=csv" \
        -an -f null - >"$work/out" 2>&1
}

print_path() {
    grep -iE 'vmaf_gpu.*(backend|DRM|VAAPI|Vulkan|linear|tiled|download)|VMAF score|driver:|initialised VAAPI|Device [0-9]+ selected' \
        "$work/out" | sed 's/^\[[^]]*\] //' | cut -c1-200 | sort -u | head -n 12
}

decoder_path() { # KIND NODE DEVICE CLIP
    local name status
    name="$1${2:+ $(basename "$2")} $(basename "$4")"
    rm -f "$work/$1.csv"
    score_clip "$1" "$2" "$3" "$4" "$work/$1.csv"
    status=$?
    print_path
    if [ "$status" -ne 0 ]; then
        grep -iE 'error|fail|not supported|no device|hwaccel' "$work/out" | tail -n 5 | cut -c1-200
    elif [ "$1" != software ] && ! cmp "$work/software.csv" "$work/$1.csv"; then
        status=1
    fi
    verdict "$3 $name" "$status"
}

# Surfaces that a decoder on the GPU wrote must score as the decoder on the CPU has them.
decoder_paths() { # DEVICE
    local node clip nodes=()
    for node in $(amd_nodes | cut -d' ' -f2); do
        [ ! -e "$gpus_root/dev/dri/renderD$node" ] || nodes+=("$gpus_root/dev/dri/renderD$node")
    done
    [ ${#nodes[@]} -gt 0 ] || echo "SKIPPED VAAPI: the kernel driver names no render node"
    for clip in tests/install/clips/h264.mp4 tests/install/clips/hevc10.mp4 ${CLIP:+"$CLIP"}; do
        decoder_path software '' "$1" "$clip"
        for node in "${nodes[@]}"; do decoder_path vaapi "$node" "$1" "$clip"; done
        if "$FFMPEG" -v error -hwaccels 2>/dev/null | grep -qx vulkan; then
            decoder_path vulkan '' "$1" "$clip"
        else
            echo "SKIPPED Vulkan: this FFmpeg has none"
        fi
    done
}

speed() { # DEVICE
    local size depth backend figure
    for size in "${sizes[@]}"; do
        for depth in 8 10; do
            printf '%s %s bit:' $size $depth
            for backend in --resident ''; do
                # shellcheck disable=SC2086 # a flag or nothing
                figure=$(timeout -k 10 120 "$programs/bench/bench" --backend="$1" --size=$size \
                    --depth=$depth --frames=$frames --ring=16 $backend --csv 2>"$work/err" | tail -n 1 | sed 's/.*,//')
                [[ $figure =~ ^[0-9.]+$ ]] || { failed=$((failed + 1)) && figure=FAILED; }
                printf ' %s' "$figure"
            done
            echo " $(head -c 200 "$work/err")"
        done
    done
}

wanted_part() {
    [[ $parts == *" $1 "* ]]
}

test_device() { # DEVICE
    tested=$((tested + 1))
    if wanted_part check; then
        title "$1: every kernel and feature against the reference code"
        check_features "$1"
    fi
    if wanted_part golden; then
        title "$1: published vectors"
        VMAFGPU_TEST_DEVICES=$1 try "$1 golden" 900 "$programs/tests/golden/golden" "${golden_flags[@]}"
    fi
    if wanted_part decoders && [ "$has_ffmpeg" -eq 0 ]; then
        title "$1: frames of decoders"
        decoder_paths "$1"
    fi
    if wanted_part speed; then
        title "$1: speed, frames/s: resident, and with upload"
        speed "$1"
    fi
}

main() {
    local device devices=() has_ffmpeg
    describe
    build_programs || verdict build 1
    [ "$failed" -gt 0 ] || find_devices
    if [ ${#devices[@]} -gt 0 ]; then
        if wanted_part decoders; then
            title "ffmpeg"
            find_ffmpeg
            has_ffmpeg=$?
        fi
        for device in "${devices[@]}"; do test_device "$device"; done
    fi
    title "$tested GPUs tested, $failed failed"
    dmesg 2>/dev/null | grep -iE 'amdgpu|kfd' | tail -n 10
    [ "$failed" -eq 0 ]
}

# As the tool was told at its build; it may not have been built.
where_to_report() {
    "$programs/tools/vmaf_gpu" --version 2>/dev/null | grep '^Report' ||
        echo "Report bugs to whoever gave you this build, or as its README.md says."
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
main > >(tee "$report") 2>&1
status=$?
wait $! # for tee
echo "report: $report -- please send it, also if everything is ok"
where_to_report
exit "$status"
