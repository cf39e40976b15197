#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pairs per second of `vmaf-gpu ladder`, which decodes the reference once, beside one command of ffmpeg for
# each rendition. All scores must be equal in every digit.
#   bench/ladder.sh FFMPEG TOOL WORK FRAMES REF RENDITION...
# FFMPEG, TOOL, FRAMES and HWACCEL: as for bench/batch.sh. Renditions are scaled to the size of REF.
#   JOBS="1 2 4 auto"    processes
#   DEVICES=cuda:0
#   SLOW=1               also decodes and scales on the processor, whose scores have to be the same
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/lengthen.sh"
begin "$@"
wanted=$4
reference=$5
shift 5
count=$#

report() { # NAME BEGIN SCORES
    local sum
    [ -e "$work/first.txt" ] || cp "$3" "$work/first.txt"
    sum=$(sha256sum <"$3" | cut -c1-12)
    cmp "$work/first.txt" "$3" || failed=1
    awk -v name="$1" -v n="$count" -v f="$frames" -v a="$2" -v b="$(now)" -v l="$sum" 'BEGIN {
        printf "%s: %.2f s, %.0f pairs/s; scores %s\n", name, b - a, n * f / (b - a), l }'
}

one_of_them() { # NUMBER
    local hw=
    [ -z "$decode" ] || hw="-hwaccel $decode -hwaccel_device gpu -hwaccel_output_format $decode"
    # shellcheck disable=SC2086 # several words on purpose
    "$ffmpeg" -nostdin -v error -nostats ${decode:+-init_hw_device $decode=gpu} $hw -i "$work/r$1.mov" $hw \
        -i "$work/ref.mov" -f null - \
        -lavfi "vmaf_gpu=pair=index:scale=bicubic:log_fmt=json:precision=max:log_path=$work/r$1.json"
}

scores_of() { # LOG...: all frames' scores
    python3 - "$@" <<'PY'
import json, sys
for path in sys.argv[1:]:
    log = json.load(open(path))
    print([frame["metrics"] for frame in log["frames"]], log["pooled_metrics"])
PY
}

commands() { # NAME AT_ONCE
    local begin i pids=()
    begin=$(now)
    for ((i = 0; i < count; i++)); do
        one_of_them "$i" &
        pids+=($!)
        [ "$2" -gt 1 ] || wait $! || failed=1
    done
    for i in "${pids[@]}"; do wait "$i" || failed=1; done
    scores_of "$work"/r?.json >"$work/scores"
    report "$1" "$begin" "$work/scores"
}

ladder() { # NAME JOBS DECODER
    local begin i
    rm -rf "$work/parts"
    begin=$(now)
    PYTHONPATH=$here/python timeout 500 python3 -m vmaf_gpu.batch ladder "$work/ref.mov" "$work"/r?.mov -q \
        --ffmpeg "$ffmpeg" --tool "$tool" ${3:+--hwaccel "$3"} --devices "${DEVICES:-cuda:0}" --jobs "$2" \
        --precision max --work "$work/parts" -o "$work/ladder.csv" || failed=1
    for ((i = 0; i < count; i++)); do echo "$work/parts/results/r$i.json"; done >"$work/logs"
    # shellcheck disable=SC2046 # a word for each
    scores_of $(cat "$work/logs") >"$work/scores"
    report "$1" "$begin" "$work/scores"
}

rm -f "$work/first.txt"
frames=$(lengthen "$reference" "$work/ref.mov" "$wanted")
for ((i = 0; i < count; i++)); do
    shown="$(lengthen "$1" "$work/r$i.mov" "$wanted") of $(basename "$1")"
    [ "${shown%% *}" = "$frames" ] || { echo "$shown: different lengths"; exit 1; }
    shift
done
echo "$(basename "$reference") and $count renditions, $frames frames:"
commands "a command each, one after the other" 1
commands "a command each, all at once" "$count"
for jobs in ${JOBS:-1 2 4 auto}; do ladder "ladder, $jobs processes" "$jobs" "$decode"; done
[ -z "${SLOW:-}" ] || ladder "ladder, decoded and scaled on the processor" auto ""
exit "$failed"
