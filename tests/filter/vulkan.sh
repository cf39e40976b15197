#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Vulkan frames in the filter, by a real Vulkan driver that needs no GPU: llvmpipe (Mesa's lavapipe)
# uploads, copies and exports, and the emulated GPU imports what it exports. Scores must equal those
# of software frames byte for byte. tests/filter/vulkan/interposer.c makes the driver's faults.
#   tests/filter/vulkan.sh FFMPEG
# FFMPEG stands in its source tree, whose compiler flags name the headers. Decoding by Vulkan, and
# images with several planes, which this llvmpipe has not: tests/device/vulkan.sh on a GPU.
. "$(dirname "$0")/begin.sh"
tree=$(dirname "$ffmpeg")

if ! grep -qs 'CONFIG_VULKAN 1' "$tree/config.h" ||
    [ "$("$ffmpeg" -version | sed -n 's/^libavutil *\([0-9]*\)\..*/\1/p')" -lt 59 ]; then
    echo "SKIPPED vulkan: an FFmpeg before 7.1, or without Vulkan (FFMPEG_VULKAN=1)"
    exit 0
fi
driver=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1)
VULKAN_LOADER=$(ldconfig -p | sed -n 's/.*libvulkan\.so\.1 .*x86-64.* => //p;s/.*libvulkan\.so\.1 .*AArch64.* => //p' | head -n 1)
if [ -z "$driver" ] || [ -z "$VULKAN_LOADER" ]; then
    echo "SKIPPED vulkan: no llvmpipe (mesa-vulkan-drivers), or no libvulkan1"
    exit 0
fi
export VK_ICD_FILENAMES=$driver VULKAN_LOADER LD_LIBRARY_PATH=$work

compiler=$(sed -n 's/^CC=//p' "$tree/ffbuild/config.mak")
headers=$(sed -n 's/^\(CPPFLAGS\|CFLAGS\)=//p' "$tree/ffbuild/config.mak" | tr ' ' '\n' | grep '^-I/' | sort -u)
# shellcheck disable=SC2086 # lists of flags
$compiler -std=gnu11 -O1 -Wall -Wextra -Werror -fvisibility=hidden -shared -fPIC $headers \
    "$here/vulkan/interposer.c" -o libvulkan.so.1 2>build.log || {
    tail -n 20 build.log
    echo "FAILED vulkan: the interposer does not build"
    exit 1
}

# testsrc2 and a blurred copy of it; UPLOAD is put behind both, or behind one.
graph() { # FORMAT FRAMES SIZE MAIN_UPLOAD REFERENCE_UPLOAD OPTIONS
    printf '%s' "testsrc2=size=$3:rate=25,format=$1,trim=end_frame=$2,split[a][b];" \
        "[a]avgblur=2,format=$1$4[d];[b]null$5[r];[d][r]vmaf_gpu=formats=asis:precision=max:log_fmt=csv:$6"
}

run() { # NAME GRAPH
    run_name=$1
    timeout --kill-after=5 200 "$ffmpeg" -hide_banner -nostdin -nostats -y -v verbose \
        -init_hw_device vulkan=vk -filter_hw_device vk -lavfi "$2" -f null - >out 2>err
}

# Scores of the same pictures as software frames.
expected() { # FORMAT FRAMES SIZE OPTIONS; sets `file`
    file=$work/expected-$1-$2-$3-$(tr -c 'a-z0-9\n' _ <<<"$4").csv
    [ -s "$file" ] ||
        run "expected $1" "$(graph "$1" "$2" "$3" '' '' "backend=cpu:log_path=$file$4")"
    [ "$(wc -l <"$file")" -eq $(($2 + 1)) ]
    expect "the expected log is no good" $?
}

size=96x80
uploaded=,hwupload
scores() { # NAME FORMAT FRAMES BACKEND [OPTIONS]
    local file
    expected "$2" "$3" "$size" "${5:-}"
    rm -f vulkan.csv
    run "$1 $2" "$(graph "$2" "$3" "$size" "$uploaded" "${reference_uploaded-$uploaded}" "backend=$4:log_path=vulkan.csv${5:-}")"
    expect "exit status" $?
    cmp -s "$file" vulkan.csv
    expect "another log than of software frames" $?
}

on_gpu() { # HOW-MANY inputs
    expect_message "$1" 'Vulkan frames are copied to linear memory on the GPU'
    expect_message "$1" 'frames, copied on the GPU, equal a download'
    expect_message 0 downloading
}

# ----------------------------------------------------------------- equal scores

for format in nv12 p010le yuv420p yuv420p10le yuv422p yuv444p10le gray; do
    scores 'luma of' $format 6 emu:device=32
    on_gpu 2
done
size=97x81 # odd: chroma is rounded up
for format in nv12 yuv420p10le; do
    scores 'chroma of' $format 4 emu:device=64 ':feature=name=psnr|name=ffmpeg_ssim'
    on_gpu 2
done
size=96x80
reference_uploaded='' scores 'main alone' nv12 6 emu
on_gpu 1
expect_message 0 'reference: Vulkan'
scores 'backend cpu' p010le 4 cpu
expect_message 1 'main: Vulkan frames are not readable by backend cpu: downloading'
expect_message 1 'reference: Vulkan frames are not readable by backend cpu: downloading'

# Many frames: few buffers, and descriptors that stay few.
count_descriptors() { # PID; the number, again and again
    while [ -d "/proc/$1/fd" ] && find "/proc/$1/fd" -type l 2>/dev/null | wc -l; do sleep 0.1; done
}
many() {
    local file options=backend=emu:device=32:log_path=vulkan.csv
    expected nv12 200 "$size" ''
    run_name='200 frames'
    FAULT_LOG=$work/counts timeout --kill-after=5 300 "$ffmpeg" -hide_banner -nostdin -nostats -y -v verbose \
        -init_hw_device vulkan=vk -filter_hw_device vk \
        -lavfi "$(graph nv12 200 "$size" "$uploaded" "$uploaded" $options)" -f null - >out 2>err &
    local timeout_pid=$! pid=
    for _ in {1..50}; do
        pid=$(pgrep -P $timeout_pid) && break
        sleep 0.1
    done
    count_descriptors "$pid" >descriptors
    wait $timeout_pid
    expect "exit status" $?
    cmp -s "$file" vulkan.csv
    expect "another log than of software frames" $?
    [[ "$(cat counts)" =~ ^copies\ 804\ exports\ ([0-9]+)$ ]] && [ "${BASH_REMATCH[1]}" -le 12 ]
    expect "not 804 copies of planes, or more than 12 exports" $?
    # The last half of the run has no more than the first.
    awk '$1 > 3 { n[++c] = $1 }
        END { for (i = 1; i <= c; i++) if (i <= c / 2) { if (n[i] > a) a = n[i] } else if (n[i] > b) b = n[i]
            exit !(c >= 10 && b <= a) }' descriptors
    expect "the number of open descriptors grows" $?
}
many

# ----------------------------------------------------------------------- faults

export FAULT_WITHOUT=VK_KHR_external_memory_fd
scores 'no external memory' nv12 4 emu
expect_message 2 'Vulkan frames are not shareable (their device has no VK_KHR_external_memory_fd): downloading'
unset FAULT_WITHOUT
FAULT_EXPORT=1 scores 'no export' nv12 4 emu
expect_message 2 'Vulkan frames are not exported by their driver (Vulkan error -10): downloading'
expect_message 0 'on the GPU'
FAULT_MEMORY=1 scores 'no memory' nv12 4 emu
expect_message 2 'Vulkan frames are not copied on the GPU (no memory): downloading'
# In mid-stream: on a device that is slow, more buffers are needed as frames come.
export VMAFGPU_EMU_DEFERRED=1
for fault in EXPORT MEMORY; do
    for number in 3 4; do
        export FAULT_$fault=$number
        scores "$fault $number in mid-stream" nv12 12 emu
        expect_message 2 'Vulkan frames are copied to linear memory on the GPU'
        [ "$(grep -cE 'Vulkan frames are not .*: downloading' err)" -ge 1 ]
        expect "nothing is downloaded" $?
        unset FAULT_$fault
    done
done
unset VMAFGPU_EMU_DEFERRED
FAULT_LIE=1 scores 'a driver that lies' nv12 6 emu
[ "$(grep -cE '(main|reference): frames, copied on the GPU, differ from a download in [1-9][0-9]* samples: downloading' err)" -eq 2 ]
expect "the lie is not noticed" $?
! run 'not video' "testsrc2=size=$size,format=bgra,split[a][b];[a]hwupload[d];[b]hwupload[r];[d][r]vmaf_gpu=backend=emu"
expect "BGRA is scored" $?
expect_message 1 'unsupported hardware frame format bgra'

# ------------------------------------------------- other GPUs: the vendors' stand-ins

for vendor in hip cuda; do
    library=$here/../../build/tests/device/$([ $vendor = hip ] && echo libamdhip64.so || echo libcuda.so.1)
    if [ ! -e "$library" ]; then
        echo "SKIPPED vulkan with backend=$vendor: no $library"
        continue
    fi
    export VMAFGPU_${vendor^^}_LIBRARY="$library"
    scores "no address, $vendor" nv12 4 $vendor
    expect_message 2 'Vulkan frames are on a GPU that has no PCI address: downloading'
    export FAULT_PCI=0000:ff:1f.7
    scores "a foreign GPU, $vendor" nv12 4 $vendor
    expect_message 2 'Vulkan frames are on GPU 0000:ff:1f.7, but the engine is on '
    FAULT_PCI=$(sed -n 's/.*but the engine is on \(.*\): downloading/\1/p' err | head -n 1)
    for format in nv12 yuv420p10le; do
        scores "the same GPU, $vendor" $format 6 $vendor ':feature=name=psnr'
        on_gpu 2
    done
    call=$([ $vendor = hip ] && echo hipImportExternalMemory || echo cuImportExternalMemory)
    VMAFGPU_STANDIN_FAIL=$call#2=1 scores "a refused import, $vendor" nv12 6 $vendor
    expect_message 1 " are not importable ($call of "
    unset FAULT_PCI VMAFGPU_${vendor^^}_LIBRARY
done

summary
