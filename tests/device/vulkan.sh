#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Vulkan frames on an NVIDIA GPU: uploaded ones and decoded ones (Vulkan Video) are scored by backend
# cuda without a download. Logs must equal those of software frames byte for byte. Prints the rates of
# software frames, NVDEC and Vulkan Video. By hand, on a machine with NVIDIA's Vulkan driver.
#   tests/device/vulkan.sh FFMPEG MAIN REFERENCE
#   HIP_ON_CUDA=build/tests/device/libamdhip64_cuda.so   also backend hip, over the stand-in that
#                                                         hands on to CUDA
#   VULKAN_DEVICE=1   the number of the Vulkan device
# MAIN and REFERENCE: H.264, HEVC or AV1 of one size, which the GPU decodes, of 200 frames or more.
# FFMPEG has Vulkan and CUDA. LD_LIBRARY_PATH and VK_ICD_FILENAMES are
# the caller's, where libvulkan.so.1 or the driver's JSON file are in unusual places.
usage="usage: tests/device/vulkan.sh FFMPEG MAIN REFERENCE"
main=$(realpath "${2:?$usage}") reference=$(realpath "${3:?$usage}")
[ -z "${HIP_ON_CUDA:-}" ] || HIP_ON_CUDA=$(realpath "$HIP_ON_CUDA")
. "$(dirname "$0")/../filter/begin.sh"
device=(-init_hw_device "vulkan=vk${VULKAN_DEVICE:+:$VULKAN_DEVICE}" -filter_hw_device vk)

run() { # NAME ARGUMENTS of ffmpeg
    run_name=$1
    shift
    timeout --kill-after=5 300 "$ffmpeg" -hide_banner -nostdin -nostats -y -v verbose "$@" >out 2>err
}

on_gpu() {
    expect_message 2 'Vulkan frames are copied to linear memory on the GPU'
    expect_message 2 'frames, copied on the GPU, equal a download'
    expect_message 0 downloading
}

if ! run 'the device' "${device[@]}" -f lavfi -i testsrc2=size=64x64:duration=1 -vf format=nv12,hwupload,hwdownload,format=nv12 -f null -; then
    grep -iE 'vulkan|device|driver|rror' err | tail -n 5
    echo "SKIPPED vulkan: no Vulkan device on this machine"
    exit 77
fi
grep -oE 'Using device: .*' err | head -n 1

# ---------------------------------------------------------------------- uploads

options=formats=asis:precision=max:log_fmt=csv
uploads() { # BACKEND
    local format features graph
    for format in nv12 p010le yuv420p yuv420p10le; do
        for features in '' ':feature=name=psnr|name=ffmpeg_ssim'; do
            graph="testsrc2=size=1282x722:rate=25,format=$format,trim=end_frame=24,split[a][b];[a]avgblur=2,format=$format"
            run "software $format" -lavfi "${graph}[d];[d][b]vmaf_gpu=backend=cuda:$options:log_path=software.csv$features" -f null -
            expect "exit status" $?
            run "$1, uploaded $format$features" "${device[@]}" \
                -lavfi "$graph,hwupload[d];[b]hwupload[r];[d][r]vmaf_gpu=backend=$1:$options:log_path=uploaded.csv$features" -f null -
            expect "exit status" $?
            on_gpu
            [ "$(wc -l <software.csv)" -eq 25 ] && cmp -s software.csv uploaded.csv
            expect "another log than of software frames" $?
        done
    done
}
uploads cuda
if [ -n "${HIP_ON_CUDA:-}" ]; then
    VMAFGPU_HIP_LIBRARY=$HIP_ON_CUDA uploads hip
else
    echo "SKIPPED backend hip over CUDA: HIP_ON_CUDA is not set"
fi

# ---------------------------------------------------------------------- decoding

score() { # NAME BACKEND DECODER OPTIONS; the log is NAME.csv
    local name=$1 backend=$2
    shift 2
    run "$name" "${start[@]}" "$@" -i "$main" "$@" -i "$reference" \
        -lavfi "[0:v][1:v]vmaf_gpu=backend=$backend:$options:log_path=$name.csv" -an -f null -
}
rate() { sed -n 's/.*frames, backend.* \([0-9.]*\) fps.*/\1/p' err; }
same_log() { # NAME
    [ "$(wc -l <software.csv)" -gt 100 ] && cmp -s software.csv "$1.csv"
    expect "another log than of software frames" $?
}

# With more threads FFmpeg 7.1.5 sometimes never ends when two inputs are decoded, with psnr as well.
vulkan=(-threads 1 -hwaccel vulkan -hwaccel_device vk -hwaccel_output_format vulkan)
nvdec=(-hwaccel cuda -hwaccel_output_format cuda)
for round in 1 2 3; do
    start=()
    score software cuda
    expect "exit status" $?
    echo "round $round: software frames $(rate) pairs/s"
    if score nvdec cuda "${nvdec[@]}"; then
        same_log nvdec
        echo "round $round: NVDEC $(rate) pairs/s"
    else
        grep -iE 'rror|nvdec|cuda' err | tail -n 3
        echo "SKIPPED NVDEC: it does not work here"
    fi
    start=("${device[@]}") # once, while the others are for each input
    if ! score vulkan cuda "${vulkan[@]}"; then
        grep -iE 'vulkan|rror' err | tail -n 5
        echo "SKIPPED decoding: no Vulkan Video of this codec here"
        break
    fi
    on_gpu
    same_log vulkan
    echo "round $round: Vulkan Video $(rate) pairs/s"
done

# Descriptors of a long run: uploads again and again.
graph="testsrc2=size=640x360:rate=25,format=nv12,trim=end_frame=1000,split[a][b];[a]avgblur=2,format=nv12"
run_name='1000 frames'
"$ffmpeg" -hide_banner -nostdin -nostats -y -v verbose "${device[@]}" \
    -lavfi "$graph,hwupload[d];[b]hwupload[r];[d][r]vmaf_gpu=backend=cuda:$options" -f null - >out 2>err &
pid=$!
while [ -d "/proc/$pid/fd" ] && find "/proc/$pid/fd" -type l 2>/dev/null | wc -l; do sleep 0.1; done >descriptors
wait $pid
expect "exit status" $?
awk '$1 > 3 { n[++c] = $1 }
    END { for (i = 1; i <= c; i++) if (i <= c / 2) { if (n[i] > a) a = n[i] } else if (n[i] > b) b = n[i]
        print "open descriptors: at most " a " in the first half of 1000 frames, then " b
        exit !(c >= 6 && b <= a) }' descriptors
expect "the number of open descriptors grows" $?

summary
