#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# libvmaf's CUDA path and this project's on one GPU, same pictures, in turn. Ours takes frames as the
# FFmpeg filter does by default: pushed, paired by their sketches.
#   bench/peer.sh PEER_PREFIX BUILD_DIR [SIZES [DEPTHS [MEMORY]]]
# PEER_PREFIX: an installed libvmaf with CUDA; BUILD_DIR: this project's build folder.
#   SIZES "576x324 ...", DEPTHS "8 10", MEMORY "resident upload"
set -eu
cd "$(dirname "$0")/.."
. bench/peer-lib.sh
prefix=${1:?usage: bench/peer.sh PEER_PREFIX BUILD_DIR [SIZES [DEPTHS [MEMORY]]]}
build=${2:?usage: bench/peer.sh PEER_PREFIX BUILD_DIR [SIZES [DEPTHS [MEMORY]]]}
sizes=${3:-576x324 1280x720 1920x1080 3840x2160 7680x4320}
depths=${4:-8 10}
memories=${5:-resident}

build_peer "$prefix" bench/peer.cpp "$build/peer" -ldl -pthread

number() { sed -n 's|^\([0-9.]*\) frames/s.*|\1|p'; }
printf '%10s %4s %-8s %12s %12s %7s\n' size bits pictures libvmaf vmaf_gpu ratio
for size in $sizes; do
    pixels=$((${size%x*} * ${size#*x}))
    for depth in $depths; do
        for memory in $memories; do
            # About a second for the peer, as much for us.
            frames=$((4000000000 / pixels))
            [ "$frames" -le 4000 ] || frames=4000
            theirs=$("$build/peer" "${size%x*}" "${size#*x}" "$depth" "$memory" "$frames" | number)
            resident=
            [ "$memory" = upload ] || resident=--resident
            # shellcheck disable=SC2086
            ours=$("$build/bench/bench" --backend=cuda --size="$size" --depth="$depth" \
                --api=push --sketch --warmup=64 --distinct=2 --frames=$((8 * frames)) --csv $resident \
                | tail -n 1 | sed 's/.*,//')
            printf '%10s %4s %-8s %12s %12s %7s\n' "$size" "$depth" "$memory" "${theirs:-failed}" \
                "$ours" "$(awk -v a="$ours" -v b="${theirs:-0}" \
                'BEGIN { if (b > 0) printf "%.2f", a / b; else print "-" }')"
        done
    done
done
