#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pairs per second from two files to scores with NVDEC, beside a plain pass of both inputs
# through a filter that only pairs them; 1 and 6 commands at once, which must write
# the same log byte for byte; what the filter adds to the start of a command; and the most device memory
# that was in use, which counts all programs on that device.
#   bench/nvdec-rate.sh FFMPEG WORK FRAMES DIST REF [DIST REF]...
# FFMPEG: as bench/nvdec.sh builds it. The files are H.264 or HEVC in mp4 and are repeated,
# without decoding, until there are FRAMES frames.
#   PROCESSES="1 6"   how many at once
#   GPU=0             which device
#   HWACCEL=          the processor decodes: what software frames cost
set -eu
. "$(dirname "$0")/lengthen.sh"
ffmpeg=$(realpath "$1")
mkdir -p "$2"
work=$(cd "$2" && pwd)
wanted=$3
shift 3
gpu=${GPU:-0}
device="-init_hw_device cuda=gpu:$gpu -filter_hw_device gpu"
hw="-hwaccel cuda -hwaccel_device gpu -hwaccel_output_format cuda"
plain="[0:v][1:v]streamselect=map=0"
[ -n "${HWACCEL-cuda}" ] || { device='' hw='' plain="[0:v]null;[1:v]null"; }

command_line() { # GRAPH LOG [OPTIONS]
    local graph=$1 log=$2
    shift 2
    # shellcheck disable=SC2086 # several words on purpose
    timeout 300 "$ffmpeg" -nostdin -v info -nostats $device $hw -i "$work/dist.mov" \
        $hw -i "$work/ref.mov" -lavfi "$graph" "$@" -f null - >"$log" 2>&1
}

several() { # NAME COUNT GRAPH: seconds until the last has ended
    local i begin pids=() failed=0
    begin=$(now)
    for ((i = 0; i < $2; i++)); do
        command_line "${3//NUMBER/$i}" "$work/$1.$i.log" &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || failed=1; done
    awk -v a="$begin" -v b="$(now)" 'BEGIN { print b - a }'
    for ((i = 0; i < $2; i++)); do
        grep -q "frame= *$frames " "$work/$1.$i.log" || failed=1
    done
    [ "$failed" -eq 0 ] || { tail -n 5 "$work/$1.0.log" >&2; return 1; }
}

same_logs() { # COUNT: of the processes, and as the first run had them
    local i
    for ((i = 0; i < $1; i++)); do
        grep -v '"fps"' "$work/score.$i.json" >"$work/score.$i.txt"
        [ -e "$work/first.txt" ] || cp "$work/score.$i.txt" "$work/first.txt"
        cmp "$work/first.txt" "$work/score.$i.txt" || return 1
    done
    sha256sum <"$work/first.txt" | cut -c1-12
}

rates() {
    local count decode score sum
    for count in ${PROCESSES:-1 6}; do
        decode=$(several plain "$count" "$plain")
        score=$(several score "$count" \
            "[0:v][1:v]vmaf_gpu=log_fmt=json:precision=max:log_path=$work/score.NUMBER.json")
        sum=$(same_logs "$count") || { echo "FAILED: logs of $count processes differ"; return 1; }
        awk -v n="$count" -v f="$frames" -v d="$decode" -v s="$score" -v l="$sum" 'BEGIN {
            printf "%d at once: plain %.2f s, %.0f pairs/s; with scores %.2f s, %.0f pairs/s; ratio %.3f; log %s\n",
                n, d, n * f / d, s, n * f / s, d / s, l }'
    done
}

median_of() { # GRAPH: seconds of a command of one frame
    local i begin
    for i in 1 2 3 4 5; do
        begin=$(now)
        command_line "$1" "$work/start.log" -frames:v 1
        awk -v a="$begin" -v b="$(now)" 'BEGIN { print b - a }'
    done | sort -n | sed -n 3p
}

start_up() {
    local with without
    without=$(median_of "$plain")
    with=$(median_of "[0:v][1:v]vmaf_gpu")
    awk -v a="$without" -v b="$with" 'BEGIN {
        printf "one frame, median of 5: plain %.3f s, with scores %.3f s, added %.3f s\n", a, b, b - a }'
}

memory() { # NAME GRAPH
    local pid used most=0
    command_line "$2" "$work/memory.log" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        used=$(nvidia-smi -i "$gpu" --query-gpu=memory.used --format=csv,noheader,nounits)
        [ "$used" -le "$most" ] || most=$used
        sleep 0.1
    done
    wait "$pid"
    echo "memory $1: $most MiB"
}

while [ $# -gt 1 ]; do
    rm -f "$work"/*.mov "$work"/first.txt
    frames=$(lengthen "$1" "$work/dist.mov" "$wanted")
    [ "$(lengthen "$2" "$work/ref.mov" "$wanted")" = "$frames" ] || { echo "different lengths"; exit 1; }
    echo "$(basename "$1") and $(basename "$2"), $frames frames:"
    rates
    start_up
    memory plain "$plain"
    memory "with scores" "[0:v][1:v]vmaf_gpu"
    shift 2
done
