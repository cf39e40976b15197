#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Logs of the eight vmaf_v1.0.16 models in one run over a clip: the CPU's, and those of
# each device named, which must be the same bytes. For real clips; the repository has none.
#   tests/v1_logs.sh BUILD_DIR REFERENCE.y4m DISTORTED.y4m DEVICE...
# DEVICE: emu32, emu64, cuda:0, hip:0, or hip32 and hip64: the HIP backend over the
# stand-in runtime with waves of that size. Clips need 10 bit; an 8-bit one becomes it by
#   ffmpeg -i CLIP -vf format=yuv420p10le -strict -1 -f yuv4mpegpipe CLIP.y4m
set -u
usage="usage: tests/v1_logs.sh BUILD_DIR REFERENCE.y4m DISTORTED.y4m DEVICE..."
build=$(cd "${1:?$usage}" && pwd)
reference=${2:?$usage} distorted=${3:?$usage}
shift 3
[ $# -gt 0 ] || { echo "$usage" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

models=()
for view in 3d0h 5d0h 1d5h_2160 3d0h_2160; do
    for name in "vmaf_v1.0.16_$view" "vmaf_v1.0.16_hfr_$view"; do
        models+=(-m "version=$name:name=$name")
    done
done

# NAME DEVICE: the log without its lines on speed and version, in WORK/NAME.
log() {
    local begin=$SECONDS
    "$build/tools/vmaf_gpu" -r "$reference" -d "$distorted" "${models[@]}" --device "$2" \
        --json --precision max -q -o "$work/$1.json" || return 1
    grep -v -e '"fps"' -e '"version"' "$work/$1.json" >"$work/$1"
    printf '%-8s %s  %d lines, %d s\n' "$1" "$(sha256sum <"$work/$1" | cut -c 1-64)" \
        "$(wc -l <"$work/$1")" $((SECONDS - begin))
}

log cpu cpu || exit 1
if ! grep -q '"vmaf_v1.0.16_hfr_3d0h_2160": [0-9]' "$work/cpu"; then
    echo "the CPU's log has no scores" >&2
    exit 1
fi
status=0
for device in "$@"; do
    case $device in
    hip32 | hip64)
        VMAFGPU_HIP_LIBRARY=$build/tests/device/libamdhip64.so VMAFGPU_STANDIN_WAVE=${device#hip} \
            log "$device" hip:0
        ;;
    *) log "$device" "$device" ;;
    esac || { echo "FAILED: no log of $device"; status=1; continue; }
    cmp "$work/cpu" "$work/$device" || { echo "FAILED: $device"; status=1; }
done
[ "$status" -eq 0 ] && echo "all logs are equal"
exit "$status"
