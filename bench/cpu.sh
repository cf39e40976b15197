#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# libvmaf's CPU path and this project's on one machine, same pictures, in turn; the
# medians of three pairs of runs and their ratio. Nothing else should run meanwhile.
#   bench/cpu.sh PEER_PREFIX BUILD_DIR [THREADS [SIZES]]
#   bench/cpu.sh PEER_PREFIX BUILD_DIR --callgrind [SIZES]
# PEER_PREFIX: an installed libvmaf with its built-in models; BUILD_DIR: our build folder;
# SIZES: WIDTHxHEIGHT/BITS, in one argument. Environment:
#   MODEL=vmaf_v0.6.1       a model that both have built in
#   CONTENT=texture|bands   of bench/content.h
#   CLIP="REF DIST"         raw planar files instead (4:2:0 for v1 models, else luma)
#   RUNS=3                  pairs of runs
#   LEVEL=avx2              both without AVX-512
# --callgrind: instructions per frame instead of time, one thread, both up to AVX2, which
# is as far as Valgrind 3.19 goes: what a run of 4 frames takes more than one of 2.
set -eu
cd "$(dirname "$0")/.."
. bench/peer-lib.sh
prefix=${1:?usage: bench/cpu.sh PEER_PREFIX BUILD_DIR [THREADS [SIZES]]}
build=${2:?usage: bench/cpu.sh PEER_PREFIX BUILD_DIR [THREADS [SIZES]]}
threads=${3:-1}
sizes=${4:-576x324/8 1920x1080/8 1920x1080/10 3840x2160/8}
model=${MODEL:-vmaf_v0.6.1}
content=${CONTENT:-texture}
runs=${RUNS:-3}
read -r -a clip <<<"${CLIP:-}"

build_peer "$prefix" bench/peer_cpu.cpp "$build/peer_cpu" -lm -pthread

peer=("$build/peer_cpu")
ours=("$build/bench/bench" --backend=cpu --model="$model" --csv --warmup=0 --distinct=2)
case $model in *vmaf_v1*) ours+=(--chroma=420) ;; esac
if [ "${#clip[@]}" -eq 2 ]; then
    ours+=(--reference="${clip[0]}" --distorted="${clip[1]}")
else
    [ "$content" != bands ] || ours+=(--bands)
    clip=("$content")
fi
# WIDTH HEIGHT DEPTH THREADS FRAMES
run_peer() { "${peer[@]}" "$1" "$2" "$3" "$4" "$5" "${mask:-0}" "$model" "${clip[@]}"; }
run_ours() { "${ours[@]}" --size="$1x$2" --depth="$3" --threads="$4" --frames="$5"; }

# Instructions of one frame: half of what two more frames add.
instructions() {
    local run=$1 counts=
    shift
    for frames in 2 4; do
        counts+=" $("$run" "$@" "$frames" 2>&1 | sed -n 's/.*Collected : //p')"
    done
    awk -v c="$counts" 'BEGIN { split(c, n, " "); printf "%.1f", (n[2] - n[1]) / 2e6 }'
}

[ "$threads" != --callgrind ] || LEVEL=avx2
case ${LEVEL:-} in
'') ;;
avx2)
    mask=48 # libvmaf's AVX-512 off
    export VMAFGPU_CPU_LEVEL=avx2
    ;;
*) echo "cpu.sh: LEVEL is $LEVEL, must be avx2 or empty" >&2 && exit 1 ;;
esac

if [ "$threads" = --callgrind ]; then
    grind=(valgrind --tool=callgrind --callgrind-out-file=/dev/null)
    peer=("${grind[@]}" "${peer[@]}")
    ours=("${grind[@]}" "${ours[@]}")
    printf '%12s %20s %10s %6s\n' size/bits 'libvmaf, 10^6/frame' vmaf_gpu ratio
    for size in $sizes; do
        read -r width height depth <<<"$(tr x/ '  ' <<<"$size")"
        theirs=$(instructions run_peer "$width" "$height" "$depth" 1)
        our=$(instructions run_ours "$width" "$height" "$depth" 1)
        awk -v s="$size" -v a="$theirs" -v b="$our" \
            'BEGIN { printf "%12s %20.1f %10.1f %6.2f\n", s, a, b, a / b }'
    done
    exit 0
fi

median() { sort -g | sed -n "$(((runs + 1) / 2))p"; }
printf '%12s %7s %10s %10s %6s\n' size/bits threads libvmaf vmaf_gpu ratio
for size in $sizes; do
    read -r width height depth <<<"$(tr x/ '  ' <<<"$size")"
    frames=$((30000000 / (width * height)))
    [ "$frames" -ge 4 ] || frames=4
    theirs="" our=""
    for ((i = 0; i < runs; ++i)); do
        theirs+=$(run_peer "$width" "$height" "$depth" "$threads" "$frames" |
            sed 's/ frames.*//')$'\n'
        our+=$(run_ours "$width" "$height" "$depth" "$threads" "$frames" | tail -n 1 |
            sed 's/.*,//')$'\n'
    done
    theirs=$(printf %s "$theirs" | median)
    our=$(printf %s "$our" | median)
    awk -v s="$size" -v n="$threads" -v a="$theirs" -v b="$our" \
        'BEGIN { printf "%12s %7d %10.2f %10.2f %6.2f\n", s, n, a, b, b / a }'
done
