#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Many short pairs in one plan on all GPUs: pairs of frames per second, how busy each GPU was, and the same
# results after a worker was killed, and after a run was stopped and went on with one GPU less.
#   bench/manifest.sh FFMPEG TOOL WORK PAIRS DIST REF
# FFMPEG, TOOL, HWACCEL: as for bench/batch.sh.     JOBS=auto: processes
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/lengthen.sh"
begin "$@"
pairs=$4

batch() {
    PYTHONPATH=$here/python python3 -m vmaf_gpu.batch "$@" --ffmpeg "$ffmpeg" --tool "$tool"
}

submit() { # DEVICES
    PYTHONPATH=$here/python python3 -m vmaf_gpu.batch submit "$work/plan" --ffmpeg "$ffmpeg" --tool "$tool" \
        --engine local -- --jobs "${JOBS:-auto}" --devices "$1"
}

make_plan() { # keeps the index of the videos, so that each run begins with scoring
    rm -rf "$work/plan/parts" "$work/plan/results" "$work/plan/results.jsonl"
    batch plan "$work/pairs.jsonl" "$work/plan" ${decode:+--hwaccel "$decode"} >"$work/plan.txt"
}

same_results() { # NAME
    batch merge "$work/plan" --precision max >/dev/null || failed=1
    (cd "$work/plan/results" && for log in *.json; do grep -v '"fps"' "$log"; done) >"$work/results"
    [ -e "$work/first" ] || cp "$work/results" "$work/first"
    cmp "$work/first" "$work/results" || failed=1
    echo "$1: results $(sha256sum <"$work/results" | cut -c1-12)"
}

watch_gpus() { # until it is killed; percent of the time in which a kernel or the decoder ran
    while :; do
        nvidia-smi --query-gpu=index,utilization.gpu,utilization.decoder --format=csv,noheader,nounits || true
        sleep 0.5
    done
}

run() { # NAME DEVICES
    local begin watcher
    make_plan
    watch_gpus >"$work/busy" &
    watcher=$!
    begin=$(now)
    submit "$2" || failed=1
    awk -v name="$1" -v f="$frames" -v a="$begin" -v b="$(now)" 'BEGIN {
        printf "%s: %.2f s, %.0f pairs of frames/s\n", name, b - a, f / (b - a) }'
    kill "$watcher"
    wait "$watcher" || true
    awk -F', *' '{ n[$1]++; k[$1] += $2; d[$1] += $3; if ($2 + $3 == 0) z[$1]++ }
        END { for (i in n) printf "  GPU %s: kernels %.0f %%, decoder %.0f %%, idle in %d of %d samples\n",
              i, k[i] / n[i], d[i] / n[i], z[i], n[i] }' "$work/busy"
    same_results "$1"
}

killed_and_stopped() {
    local pool worker
    make_plan
    submit all &
    pool=$!
    sleep 3
    worker=$(pgrep -f "vmaf_gpu.batch task $work/plan" | head -n 1)
    kill -9 "$worker" || failed=1
    sleep 2
    kill -TERM "$pool"
    wait "$pool" || echo "killed one worker, stopped with status $?, $(find "$work/plan/parts" -name '*.part' |
        wc -l) parts are there"
    submit cuda:0 || failed=1
    same_results "killed, stopped, and ended on one GPU"
}

rm -rf "$work/first" "$work/pairs.jsonl" "$work/plan"
for ((i = 0; i < pairs; i++)); do
    # Equal pictures in files that differ: equal files would have one task.
    for name in "$5" "$6"; do
        "$ffmpeg" -nostdin -v error -y -i "$name" -map 0:v -c copy -metadata title="$i" \
            "$work/$i.$(basename "${name%.*}").mov"
    done
    echo "{\"id\": \"p$i\", \"ref\": \"$work/$i.$(basename "${6%.*}").mov\"," \
        "\"dis\": \"$work/$i.$(basename "${5%.*}").mov\"}" >>"$work/pairs.jsonl"
done
make_plan
frames=$(python3 -c 'import json, sys
print(sum(pair["count"] for pair in json.load(open(sys.argv[1]))["pairs"]))' "$work/plan/plan.json")
echo "$pairs pairs, $frames pairs of frames"
run "one GPU" cuda:0
[ "$(nvidia-smi --list-gpus | wc -l)" -eq 1 ] || run "all GPUs" all
killed_and_stopped
exit "$failed"
