#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Several commands that decode with NVDEC and score on one NVIDIA GPU at once. Each must end with
# the score of software frames: a GPU that is shared is slow to copy pictures out of the decoder's
# surfaces, and a decoder without free surfaces fails.
#   tests/device/nvdec_shared.sh FFMPEG MAIN REFERENCE
#   RUNS=120 AT_ONCE=4
set -u
usage="usage: tests/device/nvdec_shared.sh FFMPEG MAIN REFERENCE"
ffmpeg=${1:?$usage} main=${2:?$usage} reference=${3:?$usage}
runs=${RUNS:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

score() { # LOG [DECODER OPTIONS]: runs one command
    local log=$1
    shift
    timeout 120 "$ffmpeg" -nostdin -hide_banner -nostats "$@" -i "$main" "$@" -i "$reference" \
        -lavfi "[0:v][1:v]vmaf_gpu=backend=cuda" -an -f null - >"$log" 2>&1
    echo "status $?" >>"$log"
}

verdict_of() { grep -aoE 'VMAF score: [0-9.]+|^status [0-9]+' "$1" | tr '\n' ' '; }

score "$work/software"
expected=$(verdict_of "$work/software")
case $expected in
"VMAF score: "*"status 0 ") ;;
*)
    cat "$work/software"
    echo "nvdec_shared: software frames were not scored"
    exit 1
    ;;
esac
for ((i = 1; i <= runs; i++)); do
    score "$work/run.$i" -hwaccel cuda -hwaccel_output_format cuda &
    [ $((i % ${AT_ONCE:-4})) -ne 0 ] || wait
done
wait
failed=0
for ((i = 1; i <= runs; i++)); do
    [ "$(verdict_of "$work/run.$i")" != "$expected" ] || continue
    failed=$((failed + 1))
    [ "$failed" -gt 1 ] || grep -aiE 'error|surfaces|score|status' "$work/run.$i" | head -n 12
done
echo "nvdec_shared: $((runs - failed)) of $runs runs gave $expected"
[ "$failed" -eq 0 ] && [ "$runs" -gt 0 ]
