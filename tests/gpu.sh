#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What CI cannot run: every comparison on a real GPU, the sanitizers of its
# toolkit, and repeatability under load. Build first: bench/gpu-build.sh.
#   tests/gpu.sh BUILD_DIR [DEVICE]      DEVICE: cuda:0 by default
#   PARTS="check_all golden"             some of: check_all golden images sanitize repeat
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

check_group() { # NAME GROUP: leaves NAME.log and NAME.status
    timeout 300 "$build/tests/check/check" --device="$device" "$2" >"$work/$1.log" 2>&1
    echo $? >"$work/$1.status"
}

check_all() {
    local groups group feature file count cases passed_here bad
    mapfile -t groups < <("$build/tests/check/check" --list-groups --device="$device")
    [ ${#groups[@]} -gt 0 ] || verdict check 1 "it lists no groups of cases"
    # A process each, some at a time.
    for group in "${groups[@]}"; do
        while [ "$(jobs -pr | wc -l)" -ge 16 ]; do wait -n; done
        check_group "$(tr / _ <<<"${group%/}")" "$group" &
    done
    # The kernels of devices without matrix units.
    VMAFGPU_MATRIX=0 check_group vif_without_matrices vif/plain &
    wait
    for feature in $(printf '%s\n' "${groups[@]%%/*}" | sort -u); do
        count=0 cases=0 bad=
        for file in "$work/$feature"_*.status; do
            count=$((count + 1))
            passed_here=$(sed -n 's/^check: \([0-9]*\) passed.*/\1/p' "${file%.status}.log")
            cases=$((cases + ${passed_here:-0}))
            [ "$(cat "$file")" = 0 ] || bad+="; $(basename "$file" .status): status $(cat "$file")"
        done
        [ -z "$bad" ]
        verdict "check $feature" $? "$cases cases passed in $count groups$bad"
    done
    grep -h -A1 FAILED "$work"/*.log | head -n 20
    grep -h '^check: [^0-9]' "$work"/*.log | sort -u | head -n 5 # a device that does not open
}

golden() {
    VMAFGPU_TEST_DEVICES=$device timeout 300 "$build/tests/golden/golden" >"$work/golden.txt" 2>&1
    verdict "golden vectors, $device" $? "$(tail -n 1 "$work/golden.txt")"
}

# Device pictures lie in memory of the device.
images() {
    local filter="*/${device%%:*}_*"
    VMAFGPU_TEST_DEVICES=$device timeout 300 "$build/tests/unit/images" --gtest_filter="$filter" \
        >"$work/images.txt" 2>&1
    verdict "images and cuts, $device" $? "$(tail -n 1 "$work/images.txt")"
}

# NAME, then what bench gets.
sanitize_model() {
    local name=$1 tool pids=() tools=(memcheck racecheck initcheck synccheck) i
    shift
    for tool in "${tools[@]}"; do
        timeout 250 compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 \
            "$build/bench/bench" --backend="$device" --frames=6 --warmup=0 --ring=4 "$@" \
            >"$work/$tool.$name.txt" 2>&1 &
        pids+=($!)
    done
    for i in "${!tools[@]}"; do
        wait "${pids[$i]}"
        verdict "compute-sanitizer ${tools[$i]}, $name" $? \
            "$(grep -h SUMMARY "$work/${tools[$i]}.$name.txt" | tail -n 1)"
    done
}

sanitize() {
    command -v compute-sanitizer >/dev/null || { echo "SKIPPED sanitizers: no compute-sanitizer"; return; }
    sanitize_model v0.6.1 --size=130x70 --model=vmaf_v0.6.1 --model=vmaf_v0.6.1neg
    sanitize_model v1.0.16 --size=230x164 --depth=10 --chroma=420 --bands --model=vmaf_v1.0.16_3d0h
    sanitize_model classic --size=130x70 --chroma=420 --feature=psnr_hvs --feature=xpsnr --feature=ciede
    sanitize_model ssimulacra2 --size=130x70 --chroma=420 --model=vmaf_v0.6.1 --feature=ssimulacra2
}

# Runs of one clip, some at a time: one log.
#   repeat_model MODEL BITS ROUNDS AT_A_TIME
repeat_model() {
    local model=$1 bits=$2 rounds=$3 parallel=$4 i j sums
    python3 - "$work" "$bits" <<'PY'
import array, random, sys
folder, bits = sys.argv[1], int(sys.argv[2])
for name, seed in (("ref", 1), ("dist", 2)):
    with open(f"{folder}/{name}.yuv", "wb") as f:
        for frame in range(12):
            base = random.Random(frame).randbytes(640 * 360 * 3 // 2)
            noise = random.Random(seed * 1000 + frame).randbytes(640 * 360 * 3 // 2)
            # The upper half of the luma in bands, all else noise.
            samples = [((i % 640 + 3 * frame) >> 4) + 30 if i < 640 * 180 else (b >> 1) +
                       (n >> 4 if name == "dist" else 0)
                       for i, (b, n) in enumerate(zip(base, noise))]
            if bits > 8:
                samples = array.array("H", (s << (bits - 8) for s in samples))
            f.write(bytes(samples) if bits == 8 else samples.tobytes())
PY
    rm -f "$work"/r*.json
    for i in $(seq "$rounds"); do
        for j in $(seq "$parallel"); do
            "$build/tools/vmaf_gpu" -r "$work/ref.yuv" -d "$work/dist.yuv" -w 640 -h 360 -p 420 \
                -b "$bits" -m "version=$model" --device "$device" --precision max --json \
                -o "$work/r$i.$j.json" -q >/dev/null 2>&1 &
        done
        wait
    done
    sums=$(for i in "$work"/r*.json; do grep -v '"fps"' "$i" | sha256sum; done | sort | uniq -c)
    [ "$(printf '%s\n' "$sums" | wc -l)" -eq 1 ] &&
        [ "$(printf '%s\n' "$sums" | awk '{print $1}')" -eq $((rounds * parallel)) ]
    verdict "$model: $((rounds * parallel)) runs, $parallel at a time" $? \
        "$(printf '%s' "$sums" | tr '\n' ';')"
}

repeat() {
    repeat_model vmaf_v0.6.1 8 25 4
    repeat_model vmaf_v1.0.16_3d0h 10 10 4
    repeat_model vmaf_v1.0.16_3d0h 10 5 6
}

for part in ${PARTS:-check_all golden images sanitize repeat}; do
    case $part in
    check_all | golden | images | sanitize | repeat) "$part" ;;
    *) verdict "$part" 1 "no such part" ;;
    esac
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
