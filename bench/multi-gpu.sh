#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# N processes, each pinned to a GPU of its own, beside one: frames per second in all, and
# logs that must be equal byte for byte on every GPU.
#   bench/multi-gpu.sh BUILD [N] [SIZE...]      N: all GPUs by default
set -eu
build=$(cd "$1" && pwd)
count=${2:-$(nvidia-smi --list-gpus | wc -l)}
shift $(($# > 2 ? 2 : $#))
[ $# -gt 0 ] || set -- 576x324 1920x1080 3840x2160
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

speed() { # SIZE DEVICE FRAMES: frames per second
    "$build/bench/bench" --backend="cuda:$2" --size="$1" --frames="$3" --warmup=200 --resident --csv |
        tail -n 1 | sed 's/.*,//'
}

for size in "$@"; do
    speed "$size" 0 2000 >"$work/short"
    frames=$(awk '{ printf "%d", 2 * $1 }' "$work/short") # two seconds: starts differ by little
    one=$(speed "$size" 0 "$frames")
    pids=()
    for ((i = 0; i < count; i++)); do
        speed "$size" "$i" "$frames" >"$work/speed.$i" &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i"; done
    cat "$work"/speed.* | awk -v size="$size" -v one="$one" -v n="$count" '
        { all += $1; each = each sprintf(" %.0f", $1) }
        END { printf "%s: one %.0f, %d at once%s, in all %.0f = %.3f of %d times one\n",
              size, one, n, each, all, all / (n * one), n; exit all < 0.95 * n * one }' || failed=1
    rm "$work"/speed.*
done

python3 - "$work" <<'PY'
import random, sys
for name, seed in (("ref", 1), ("dist", 2)):
    with open(f"{sys.argv[1]}/{name}.yuv", "wb") as f:
        for frame in range(12):
            base = random.Random(frame).randbytes(640 * 360)
            noise = random.Random(seed * 1000 + frame).randbytes(640 * 360)
            f.write(bytes((b >> 1) + (n >> 4 if name == "dist" else 0) for b, n in zip(base, noise)))
            f.write(bytes([128]) * (640 * 360 // 2))
PY
for round in 1 2 3 4 5; do
    pids=()
    for ((i = 0; i < count; i++)); do
        "$build/tools/vmaf_gpu" -r "$work/ref.yuv" -d "$work/dist.yuv" -w 640 -h 360 -p 420 -b 8 \
            --device "cuda:$i" --precision max --json -o "$work/log.$round.$i.json" -q >/dev/null 2>&1 &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || failed=1; done
done
sums=$(for log in "$work"/log.*.json; do grep -v '"fps"' "$log" | sha256sum; done | sort | uniq -c)
printf 'logs of %d GPUs, 5 rounds: %s\n' "$count" "$sums"
[ "$(printf '%s\n' "$sums" | wc -l)" -eq 1 ] || failed=1
exit "$failed"
