#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pairs per second of each feature alone and beside vmaf_v0.6.1: 1080p, 8 bit, 4:2:0, pictures in
# device memory, pushed. Of two builds in turn, if there is an old one; the faster of ROUNDS=3.
#   bench/features.sh BUILD [OLD_BUILD]
#   BACKEND=cuda   FEATURES="xpsnr psnr_hvs ciede"   SIZE=1920x1080   SECONDS_EACH=0.5
set -eu
build=${1:?usage: bench/features.sh BUILD [OLD_BUILD]}
old=${2:-}

backend=${BACKEND:-cuda}
resident=--resident
[ "$backend" != cpu ] || resident=

rate() { # BUILD FRAMES FLAGS...
    "$1/bench/bench" --backend="$backend" --api=push ${resident:+"$resident"} --chroma=420 --csv --warmup=32 \
        --distinct=2 --size="${SIZE:-1920x1080}" --frames="$2" "${@:3}" | tail -n 1 | sed 's/.*,//'
}

fastest() { # BUILD FLAGS...: as many frames as take SECONDS_EACH
    local frames guess i
    guess=$(rate "$1" 40 "${@:2}")
    frames=$(awk -v g="$guess" -v s="${SECONDS_EACH:-0.5}" 'BEGIN { n = int(g * s); print n < 40 ? 40 : n }')
    for ((i = 0; i < ${ROUNDS:-3}; i++)); do rate "$1" "$frames" "${@:2}"; done | sort -n | tail -n 1
}

printf '%-14s %-14s %10s %10s\n' feature beside new "${old:+old}"
model=--model=vmaf_v0.6.1
printf '%-14s %-14s %10s %10s\n' vmaf_v0.6.1 - "$(fastest "$build" $model)" "${old:+$(fastest "$old" $model)}"
for feature in ${FEATURES:-float_ssim psnr cambi float_ms_ssim ssimulacra2 xpsnr psnr_hvs ciede}; do
    for beside in "" $model; do
        # shellcheck disable=SC2086 # one word or none
        printf '%-14s %-14s %10s %10s\n' "$feature" "${beside:+vmaf_v0.6.1}" \
            "$(fastest "$build" --feature="$feature" $beside)" \
            "${old:+$(fastest "$old" --feature="$feature" $beside)}"
    done
done
