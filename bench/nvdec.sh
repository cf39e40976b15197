#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# NVDEC to score on a GPU machine that reaches no package source: builds an
# ffmpeg with CUDA from a tree brought along and scores clips three ways
# (software frames, uploaded CUDA frames, NVDEC frames), whose logs must be equal
# byte for byte; then the rate of decode alone and of decode and score.
#   bench/nvdec.sh ENGINE_BUILD FFMPEG_SOURCE WORK [DIST REF]
# PKG_CONFIG_PATH must find ffnvcodec. DIST and REF: H.264 or HEVC files; without
# them only WORK/ffmpeg/ffmpeg is built, for bench/nvdec-rate.sh.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
mkdir -p "$3"
work=$(cd "$3" && pwd)
# All that this folder's scripts use: the rest takes minutes to build.
parts=(--disable-everything --enable-protocol=file,pipe --enable-demuxer=mov,concat
    --enable-muxer=mov,null --enable-parser=h264,hevc --enable-decoder=h264,hevc
    --enable-hwaccel=h264_nvdec,hevc_nvdec --enable-encoder=wrapped_avframe
    --enable-bsf=h264_mp4toannexb,hevc_mp4toannexb,extract_extradata,null
    --enable-filter=vmaf_gpu,streamselect,format,hwupload,hwdownload,null,nullsink,scale)

build_ffmpeg() {
    local prefix=$work/prefix asm=
    ninja -C "$build" src/engine/libvmaf_gpu.a >"$work/engine.log"
    meson install -C "$build" --no-rebuild --quiet --destdir "$prefix" --tags devel
    sed -i "s|^prefix=|prefix=$prefix|" "$(find "$prefix" -name libvmaf_gpu.pc)"
    cp -r "$source" "$work/ffmpeg"
    chmod -R u+w "$work/ffmpeg"
    "$here/libavfilter_patch/apply.sh" "$work/ffmpeg"
    command -v nasm >/dev/null || asm=--disable-x86asm
    cd "$work/ffmpeg"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name libvmaf_gpu.pc)"):${PKG_CONFIG_PATH:-} \
        ./configure $asm --disable-autodetect --disable-doc --disable-network --disable-debug \
        "${parts[@]}" --disable-programs --enable-ffmpeg --pkg-config-flags=--static --enable-libvmaf-gpu \
        --enable-ffnvcodec --enable-cuda --enable-cuvid --enable-nvdec >"$work/configure.log"
    make -j "$(nproc)" ffmpeg >"$work/make.log" 2>&1
}

ff() { # MODE OPTIONS...: two inputs, decoded as MODE says
    local mode=$1 hw=
    shift
    [ "$mode" = nvdec ] && hw="-hwaccel cuda -hwaccel_output_format cuda"
    [ "$mode" = small ] && hw="-hwaccel cuda -hwaccel_output_format cuda -extra_hw_frames 0"
    # shellcheck disable=SC2086 # several words on purpose
    timeout 120 "$work/ffmpeg/ffmpeg" -nostdin -nostats -v info -init_hw_device cuda=gpu \
        -filter_hw_device gpu $hw -i "$dist" $hw -i "$ref" "$@"
}

score() { # NAME MODE GRAPH
    local models='version=vmaf_v0.6.1\\:name=a|version=vmaf_v0.6.1neg\\:name=b|version=vmaf_4k_v0.6.1\\:name=c'
    ff "$2" -lavfi "${3%LOG}model=$models:log_fmt=json:precision=max:log_path=$work/$1.json" \
        -f null - 2>"$work/$1.err" || { tail -n 8 "$work/$1.err"; echo "$1: FAILED"; return 1; }
    # The devices and formats that a log names differ.
    grep -vE '"(fps|backend|device|main_format|reference_format|options)"' "$work/$1.json" >"$work/$1.txt"
    printf '%s: %s, %s\n' "$1" "$(tail -n 1 "$work/$1.err")" "$(sha256sum <"$work/$1.txt" | cut -c1-16)"
}

rate() { # NAME GRAPH
    local begin end
    begin=$(date +%s.%N)
    ff nvdec -lavfi "$2" -f null - 2>/dev/null
    end=$(date +%s.%N)
    awk -v n="$1" -v a="$begin" -v b="$end" -v f="$frames" \
        'BEGIN { printf "rate %s: %.3f s, %.0f pairs/s\n", n, b - a, f / (b - a) }'
}

[ -x "$work/ffmpeg/ffmpeg" ] || build_ffmpeg
[ $# -gt 3 ] || exit 0
dist=$(realpath "$4")
ref=$(realpath "$5")
# Ten bits come from NVDEC as P010.
layout=nv12
"$work/ffmpeg/ffmpeg" -nostdin -hide_banner -i "$ref" 2>&1 | grep -q 'Video:.*10le' && layout=p010
score cpu software "[0:v][1:v]vmaf_gpu=backend=cpu:LOG"
score software software "[0:v][1:v]vmaf_gpu=backend=cuda:LOG"
score upload software "[0:v]format=$layout,hwupload[d];[1:v]format=$layout,hwupload[r];[d][r]vmaf_gpu=LOG"
score nvdec nvdec "[0:v][1:v]vmaf_gpu=LOG"
score small_pool small "[0:v][1:v]vmaf_gpu=LOG"
score inflight1 nvdec "[0:v][1:v]vmaf_gpu=inflight=1:LOG"
score inflight8 nvdec "[0:v][1:v]vmaf_gpu=inflight=8:metadata=0:LOG"
score half nvdec "[1:v]hwdownload,format=$layout[r];[0:v][r]vmaf_gpu=LOG"
for name in software upload nvdec small_pool inflight1 inflight8 half; do
    cmp "$work/cpu.txt" "$work/$name.txt" || { echo "logs differ: cpu and $name"; exit 1; }
done
frames=$(grep -c frameNum "$work/cpu.txt")
rate "decode only" "[0:v][1:v]streamselect=map=0"
rate "decode and score" "[0:v][1:v]vmaf_gpu=metadata=0"
echo "nvdec: $frames frames, all logs equal"
