#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Rates of the tool and of `vmaf-gpu score --runner tool`, of two checkouts in turn, on the CPU: is the new one slower?
#   bench/tool.sh OLD NEW
# Each is the root of a checkout with build/tools/vmaf_gpu of one configuration. The ffmpeg of PATH makes the clips
# and decodes them. ROUNDS=5 and LOWEST=0.98 can be set. Prints the medians, pairs/s, and their ratio for every case;
# beside it the ratio of processor time, old by new, which a loaded machine does not change much.
# Exits with 1 if both ratios are below LOWEST, or two logs differ in a score. Nothing else should run meanwhile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034 # read by their names
old=$(realpath "${1:?usage: bench/tool.sh OLD NEW}")
# shellcheck disable=SC2034
new=$(realpath "${2:?usage: bench/tool.sh OLD NEW}")
rounds=${ROUNDS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

clips() { # SIZE COUNT ENCODER KIND
    local side
    for side in 'ref null' 'dist avgblur=2'; do
        ffmpeg -nostdin -v error -f lavfi -i "testsrc2=size=$1:rate=25,noise=alls=12:all_seed=7" -frames:v "$2" \
            -vf "${side#* }" -pix_fmt yuv420p -c:v "$3" "$1.${side%% *}.$4"
    done
}
clips 1920x1080 100 wrapped_avframe y4m
clips 576x324 500 wrapped_avframe y4m
clips 640x360 250 libx264 mp4

tool() { # ROOT SIZE THREADS
    "$1/build/tools/vmaf_gpu" -r "$2.ref.y4m" -d "$2.dist.y4m" --backend cpu --threads "$3" --json --precision max -q -o log.json
}

batch() { # ROOT SIZE JOBS
    PYTHONPATH=$1/python python3 -m vmaf_gpu.batch score "$2.dist.mp4" "$2.ref.mp4" --runner tool --tool "$1/build/tools/vmaf_gpu" \
        --devices cpu --jobs "$3" --format json --precision max -q -o log.json
}

scores() {
    python3 -c 'import json; print([f["metrics"] for f in json.load(open("log.json"))["frames"]])'
}

# Of the elapsed (1) or the processor's (2) seconds of all rounds.
median() { awk -v f="$2" '{ print f == 1 ? $1 : $2 + $3 }' "$1" | sort -g | sed -n "$(((rounds + 1) / 2))p"; }

TIMEFORMAT='%R %U %S'
printf '%-6s %10s %2s %8s %8s %8s %9s\n' what size n old new new/old processor
for case in 'tool 1920x1080 1 100' 'tool 1920x1080 2 100' 'tool 576x324 1 500' 'tool 576x324 2 500' \
    'batch 640x360 1 250' 'batch 640x360 2 250'; do
    read -r what size n count <<<"$case"
    rm -f old new
    for ((i = 0; i < rounds; ++i)); do
        for side in old new; do
            rm -f log.json
            { time "$what" "${!side}" "$size" "$n" >out 2>&1 || touch stop; } 2>>"$side"
            [ ! -e stop ] || { cat out && exit 1; }
            scores >"$side.scores"
        done
        cmp -s old.scores new.scores || { echo "$case: other scores" && failed=1; }
    done
    awk -v c="$case" -v a="$(median old 1)" -v b="$(median new 1)" -v d="$(median old 2)" -v e="$(median new 2)" \
        -v l="${LOWEST:-0.98}" 'BEGIN {
            split(c, w); printf "%-6s %10s %2s %8.1f %8.1f %8.3f %9.3f\n", w[1], w[2], w[3], w[4] / a, w[4] / b, a / b, d / e
            exit a / b < l && d / e < l }' || failed=1
done
exit "$failed"
