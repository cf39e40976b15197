#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# libvmaf's CPU path and this project's on one machine, same pictures, in turn; the
# medians of three pairs of runs and their ratio. Nothing else should run meanwhile.
#   bench/cpu.sh PEER_PREFIX BUILD_DIR [THREADS [SIZES]]
# PEER_PREFIX: an installed libvmaf with its built-in models; BUILD_DIR: our build folder.
set -eu
cd "$(dirname "$0")/.."
prefix=$(cd "${1:?usage: bench/cpu.sh PEER_PREFIX BUILD_DIR [THREADS [SIZES]]}" && pwd)
build=${2:?usage: bench/cpu.sh PEER_PREFIX BUILD_DIR [THREADS [SIZES]]}
threads=${3:-1}
sizes=${4:-576x324/8 1920x1080/8 1920x1080/10 3840x2160/8}

config=$(find "$prefix" -name libvmaf.pc -print -quit)
[ -n "$config" ] || { echo "cpu.sh: no libvmaf.pc under $prefix" >&2; exit 1; }
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$config")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
library=$(pkg-config --variable=libdir libvmaf)
# shellcheck disable=SC2046
"${CXX:-g++}" -std=c++17 -O2 $(pkg-config --cflags libvmaf) bench/peer_cpu.cpp -o "$build/peer_cpu" \
    $(pkg-config --libs libvmaf) -Wl,-rpath,"$library" -lm -pthread

median() { sort -g | sed -n 2p; }
printf '%12s %7s %10s %10s %6s\n' size/bits threads libvmaf vmaf_gpu ratio
for size in $sizes; do
    width=${size%x*} depth=${size#*/} height=${size#*x}
    height=${height%/*}
    frames=$((30000000 / (width * height)))
    [ "$frames" -ge 4 ] || frames=4
    theirs= ours=
    for _ in 1 2 3; do
        theirs+=$("$build/peer_cpu" "$width" "$height" "$depth" "$threads" "$frames" |
            sed 's/ frames.*//')$'\n'
        ours+=$("$build/bench/bench" --backend=cpu --size="${width}x$height" --depth="$depth" \
            --threads="$threads" --warmup=0 --distinct=2 --frames="$frames" --csv |
            tail -n 1 | sed 's/.*,//')$'\n'
    done
    theirs=$(printf %s "$theirs" | median)
    ours=$(printf %s "$ours" | median)
    awk -v s="$size" -v n="$threads" -v a="$theirs" -v b="$ours" \
        'BEGIN { printf "%12s %7d %10.2f %10.2f %6.2f\n", s, n, a, b, b / a }'
done
