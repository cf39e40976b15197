#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The FFmpeg filter end to end beside what it is made of: seconds of decoding both files,
# of the engine alone on their first pictures (bench), and of the filter on the files. The
# filter should take at most 1.1 times the sum of the two others; decoders have threads of
# their own and run meanwhile, so that it may also take less. Beside it the same of the
# processors' time, which a loaded machine does not change much.
#   bench/filter.sh FFMPEG BENCH REFERENCE DISTORTED [THREADS [MODEL]]
# FFMPEG has the filter; BENCH is bench/bench of the same build of the engine.
set -eu
usage="usage: bench/filter.sh FFMPEG BENCH REFERENCE DISTORTED [THREADS [MODEL]]"
ffmpeg=${1:?$usage} bench=${2:?$usage} reference=${3:?$usage} distorted=${4:?$usage}
threads=${5:-1} model=${6:-vmaf_v0.6.1}
pictures=4 # for bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { "$ffmpeg" -nostdin -v error -nostats "$@"; }
# Median of three times COMMAND: "elapsed processor", in seconds.
seconds_of() {
    local TIMEFORMAT='%R %U %S'
    for _ in 1 2 3; do
        { time "$@" >"$work/out" 2>"$work/err"; } 2>&1
    done | sort -g | awk 'NR == 2 { print $1, $2 + $3 }'
}
# "stream 0: WIDTHxHEIGHT ... yuv420p10le" from ffmpeg's own description of the file.
about=$("$ffmpeg" -nostdin -hide_banner -i "$reference" 2>&1 | grep -m1 'Video:')
size=$(grep -oE '[0-9]{3,5}x[0-9]{3,5}' <<<"$about" | head -1)
format=$(grep -oE 'yuv4[0-9]{2}p[0-9a-z]*' <<<"$about" | head -1)
depth=$(sed -n 's/.*p\([0-9]*\)le$/\1/p' <<<"$format")
chroma=$(grep -oE '4[0-9]{2}' <<<"$format")

for side in reference distorted; do
    run -i "${!side}" -map 0:v:0 -frames:v "$pictures" -f rawvideo "$work/$side.yuv"
done
decoded=$(seconds_of run -i "$reference" -i "$distorted" -map 0:v:0 -map 1:v:0 -f null -)
filtered=$(seconds_of run -i "$distorted" -i "$reference" -lavfi \
    "[0:v:0][1:v:0]vmaf_gpu=backend=cpu:n_threads=$threads:model=version=$model" -f null -)
frames=$("$ffmpeg" -nostdin -i "$distorted" -map 0:v:0 -f null - 2>&1 | tr '\r' '\n' |
    sed -n 's/.*frame= *\([0-9]*\).*/\1/p' | tail -1)
run_bench() {
    "$bench" --backend=cpu --model="$model" --size="$size" --depth="${depth:-8}" \
        --chroma="$chroma" --threads="$threads" --frames="$frames" --warmup=0 \
        --distinct="$pictures" --reference="$work/reference.yuv" \
        --distorted="$work/distorted.yuv" --csv
}
engine=$(seconds_of run_bench)
rate=$(tail -n 1 "$work/out" | sed 's/.*,//')
awk -v n="$frames" -v d="$decoded" -v e="$engine" -v r="$rate" -v f="$filtered" -v t="$threads" \
    -v s="$size" 'BEGIN {
    split(d, D, " "); split(e, E, " "); split(f, F, " ")
    printf "%s, %d frames, %d threads, elapsed and processor seconds:\n", s, n, t
    printf "decoding %.2f %.2f\nengine %.2f %.2f (%.2f frames/s)\n", D[1], D[2], n / r, E[2], r
    printf "filter %.2f %.2f, of their sum: %.3f %.3f\n", F[1], F[2], F[1] / (D[1] + n / r),
        F[2] / (D[2] + E[2]) }'
