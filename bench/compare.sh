#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Two builds of this project on one device, in turn: is the new one slower?
#   bench/compare.sh OLD_BUILD NEW_BUILD [BACKEND]
# BACKEND: cuda by default. ROUNDS=5, SECONDS_EACH=0.7 and LOWEST=0.98 can be set, and NEW_FLAGS for
# the new build only: --api=push compares the FFmpeg filter's path with the old build's pairs.
# Prints the fastest run of each and their ratio for every case below; small pictures are
# bound by the host, where a run is now and then a third slower. Exits with 1 if a ratio is
# below LOWEST.
set -eu
old=${1:?usage: bench/compare.sh OLD_BUILD NEW_BUILD [BACKEND]}
new=${2:?usage: bench/compare.sh OLD_BUILD NEW_BUILD [BACKEND]}
backend=${3:-cuda}
rounds=${ROUNDS:-5}

# SIZE DEPTH MEMORY MODELS EXTRA, and about how many frames a second an H200 does.
cases() {
    cat <<'LIST'
576x324 8 resident vmaf_v0.6.1 - 120000
576x324 8 upload vmaf_v0.6.1 - 40000
1280x720 8 resident vmaf_v0.6.1 - 35000
1280x720 8 upload vmaf_v0.6.1 - 24000
1920x1080 8 resident vmaf_v0.6.1 - 16000
1920x1080 10 resident vmaf_v0.6.1 - 13000
1920x1080 8 resident vmaf_v0.6.1,vmaf_v0.6.1neg - 13000
1920x1080 8 upload vmaf_v0.6.1 - 11000
1920x1080 10 upload vmaf_v0.6.1 - 5500
3840x2160 8 resident vmaf_v0.6.1 - 4700
3840x2160 8 upload vmaf_v0.6.1 - 3100
3840x2160 10 resident vmaf_v0.6.1 - 3900
1920x1080 10 resident vmaf_v1.0.16_3d0h --chroma=420 11000
1920x1080 10 resident vmaf_v1.0.16_3d0h --chroma=420:--bands 9000
LIST
}

rate() { # BUILD FRAMES SIZE DEPTH MEMORY MODELS EXTRA FLAGS...
    local arguments=("${@:8}" --backend="$backend" --csv --warmup=64 --distinct=2 --frames="$2"
        --size="$3" --depth="$4") model extra
    [ "$5" = upload ] || arguments+=(--resident)
    for model in ${6//,/ }; do arguments+=(--model="$model"); done
    [ "$7" = - ] || for extra in ${7//:/ }; do arguments+=("$extra"); done
    "$1/bench/bench" "${arguments[@]}" | tail -n 1 | sed 's/.*,//'
}

fastest() { sort -n "$1" | tail -n 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
printf '%-10s %4s %-8s %-44s %10s %10s %6s\n' size bits pictures models old new ratio
while read -r size depth memory models extra guess; do
    frames=$(awk -v g="$guess" -v s="${SECONDS_EACH:-0.7}" 'BEGIN { printf "%d", g * s }')
    : >"$work/old"
    : >"$work/new"
    for round in $(seq "$rounds"); do
        # Who comes first changes, so that a drifting clock favours neither.
        if [ $((round % 2)) -eq 0 ]; then order="old new"; else order="new old"; fi
        for which in $order; do
            flags=()
            [ "$which" = old ] || read -ra flags <<<"${NEW_FLAGS:-}"
            rate "${!which}" "$frames" "$size" "$depth" "$memory" "$models" "$extra" \
                "${flags[@]}" >>"$work/$which"
        done
    done
    before=$(fastest "$work/old")
    after=$(fastest "$work/new")
    ratio=$(awk -v a="$after" -v b="$before" 'BEGIN { print a / b }')
    [ "$extra" = - ] || models="$models ${extra//:/ }"
    printf '%-10s %4s %-8s %-44s %10.0f %10.0f %6.3f\n' "$size" "$depth" "$memory" "$models" \
        "$before" "$after" "$ratio"
    awk -v r="$ratio" -v low="${LOWEST:-0.98}" 'BEGIN { exit !(r >= low) }' || status=1
done < <(cases)
exit "$status"
