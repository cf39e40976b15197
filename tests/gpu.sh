#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What CI cannot run: every comparison on a real GPU, the sanitizers of its
# toolkit, and repeatability under load. Build first: bench/gpu-build.sh.
#   tests/gpu.sh BUILD_DIR [DEVICE]      DEVICE: cuda:0 by default
#   PARTS="check_all golden"             some of: check_all golden sanitize repeat
set -u
build=$(cd "${1:?usage: tests/gpu.sh BUILD_DIR [DEVICE]}" && pwd)
device=${2:-cuda:0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

verdict() { # NAME STATUS DETAIL
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    printf '%s %s: %s\n' "$([ "$2" -eq 0 ] && echo ok || echo FAILED)" "$1" "$3"
}

check_all() {
    local filters=(vif/default vif/plain vif/gain vif/skip adm/default adm/plain adm/gain adm/skip
        adm/even motion speed engine) filter pids=() i
    for filter in "${filters[@]}"; do
        timeout 300 "$build/tests/check/check" --device="$device" "$filter" \
            >"$work/${filter/\//_}.log" 2>&1 &
        pids+=($!)
    done
    # The kernels of devices without matrix units.
    filters+=(vif/without_matrices)
    VMAFGPU_MATRIX=0 timeout 300 "$build/tests/check/check" --device="$device" vif/plain \
        >"$work/vif_without_matrices.log" 2>&1 &
    pids+=($!)
    for i in "${!filters[@]}"; do
        wait "${pids[$i]}"
        verdict "check ${filters[$i]}" $? "$(tail -n 1 "$work/${filters[$i]/\//_}.log")"
    done
    grep -h -A1 FAILED "$work"/*.log | head -n 20
}

golden() {
    VMAFGPU_TEST_DEVICES=$device timeout 300 "$build/tests/golden/golden" >"$work/golden.txt" 2>&1
    verdict "golden vectors, $device" $? "$(tail -n 1 "$work/golden.txt")"
}

sanitize() {
    local tool
    command -v compute-sanitizer >/dev/null || { echo "SKIPPED sanitizers: no compute-sanitizer"; return; }
    for tool in memcheck racecheck initcheck synccheck; do
        timeout 200 compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 \
            "$build/bench/bench" --backend="$device" --size=130x70 --frames=6 --warmup=0 --ring=4 \
            --model=vmaf_v0.6.1 --model=vmaf_v0.6.1neg >"$work/$tool.txt" 2>&1
        verdict "compute-sanitizer $tool" $? "$(grep -h SUMMARY "$work/$tool.txt" | tail -n 1)"
    done
}

# 4 processes at a time, 25 times, on one clip: one log.
repeat() {
    local i j sums
    python3 - "$work" <<'PY'
import random, sys
rng = random.Random(1)
for name, seed in (("ref", 1), ("dist", 2)):
    with open(f"{sys.argv[1]}/{name}.yuv", "wb") as f:
        for frame in range(12):
            base = random.Random(frame).randbytes(640 * 360)
            noise = random.Random(seed * 1000 + frame).randbytes(640 * 360)
            f.write(bytes((b >> 1) + (n >> 4 if name == "dist" else 0) for b, n in zip(base, noise)))
            f.write(bytes([128]) * (640 * 360 // 2))
PY
    for i in $(seq 25); do
        for j in 1 2 3 4; do
            "$build/tools/vmaf_gpu" -r "$work/ref.yuv" -d "$work/dist.yuv" -w 640 -h 360 -p 420 -b 8 \
                --device "$device" --precision max --json -o "$work/r$i.$j.json" -q >/dev/null 2>&1 &
        done
        wait
    done
    sums=$(for i in "$work"/r*.json; do grep -v '"fps"' "$i" | sha256sum; done | sort | uniq -c)
    [ "$(printf '%s\n' "$sums" | wc -l)" -eq 1 ] &&
        [ "$(printf '%s\n' "$sums" | awk '{print $1}')" -eq 100 ]
    verdict "100 runs, 4 at a time" $? "$(printf '%s' "$sums" | tr '\n' ';')"
}

for part in ${PARTS:-check_all golden sanitize repeat}; do
    "$part"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
