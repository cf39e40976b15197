#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What the rules of pair= and offset=auto cost in whole commands: seconds, the fastest of three
# runs, and the most memory of the process and of the GPU while one runs. The whole GPU is measured,
# so let nothing else run there. offset=auto runs without repetition, in which no offset is clear.
#   bench/rules.sh FFMPEG MAIN REFERENCE [BACKEND [OLD_FFMPEG]]
# BACKEND: cuda by default. OLD_FFMPEG: an earlier build, measured in turn, with its defaults.
#   LOOPS=7     how often each file is repeated after its first time
#   NVDEC=1     decode both files on the GPU
set -eu
usage="usage: bench/rules.sh FFMPEG MAIN REFERENCE [BACKEND [OLD_FFMPEG]]"
ffmpeg=${1:?$usage} main=${2:?$usage} reference=${3:?$usage} backend=${4:-cuda} old=${5:-}
decode=()
[ "${NVDEC:-0}" = 0 ] || decode=(-hwaccel cuda -hwaccel_output_format cuda)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command_of() { # FFMPEG OPTIONS: sets `line`
    local input=("${decode[@]}" -stream_loop "${LOOPS:-7}" -i)
    line=("$1" -nostdin -v error -nostats "${input[@]}" "$main" "${input[@]}" "$reference"
        -lavfi "[0:v][1:v]vmaf_gpu=backend=$backend$2" -an -f null -)
}

seconds() {
    local TIMEFORMAT=%R round
    for round in 1 2 3; do
        { time "${line[@]}" >"$work/out" 2>"$work/err"; } 2>"$work/time.$round" ||
            { cat "$work/err" >&2; return 1; }
    done
    sort -g "$work"/time.* | head -n 1
}

memory() { # prints MiB of the process, and of the GPU or -
    local pid host=0 gpu=- now
    "${line[@]}" >"$work/out" 2>"$work/err" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        now=$(awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$pid/status" 2>/dev/null) || true
        host=${now:-$host}
        now=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null |
            head -n 1) || true
        [ -z "$now" ] || [ "${gpu/-/0}" -ge "$now" ] || gpu=$now
        sleep 0.05
    done
    wait "$pid" || { cat "$work/err" >&2; return 1; }
    echo "$host $gpu"
}

row() { # NAME FFMPEG OPTIONS
    local took most
    command_of "$2" "$3"
    took=$(seconds)
    most=$(memory)
    printf '%-16s %8s %9s %9s\n' "$1" "$took" "${most% *}" "${most#* }"
}

printf '%-16s %8s %9s %9s\n' rule seconds host-MiB GPU-MiB
[ -z "$old" ] || row 'old' "$old" ''
for rule in framesync time auto; do
    row "$rule" "$ffmpeg" ":pair=$rule"
done
LOOPS=0 row offset=auto "$ffmpeg" :offset=auto
