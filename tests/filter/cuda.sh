#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# CUDA frames in the filter, without hardware: FFmpeg's pools and copies lie in the memory of the engine's stand-in
# driver. They must score as software frames do, whether the engine reads main's copy where it is or not.
#   tests/filter/cuda.sh FFMPEG
# FFMPEG stands in its source tree. No NVDEC and no GPU takes part: bench/nvdec.sh has them.
. "$(dirname "$0")/begin.sh"
tree=$(dirname "$ffmpeg")
STANDIN=$root/build/tests/device/libcuda.so.1
export STANDIN

if ! grep -qs 'CONFIG_CUDA 1' "$tree/config.h" || [ ! -e "$STANDIN" ]; then
    echo "SKIPPED cuda: $tree is configured without CUDA, or there is no $STANDIN"
    exit 0
fi

# In a folder of its own: only some commands get it.
mkdir driver
include=$(pkg-config --variable=includedir ffnvcodec)
nm -D --defined-only "$STANDIN" | sed -n 's/.* T \(cu[A-Z].*\)/\1/p' | grep -vx cuDeviceGetAttribute | sort >forwards
sed -n 's/^ *LOAD_SYMBOL[A-Z_]*(.*"\(cu[A-Z][A-Za-z0-9_]*\)").*/\1/p' "$include/ffnvcodec/dynlink_loader.h" | grep -v ^cuvid |
    grep -vxE 'cuDeviceGetAttribute|cuMemcpy2DAsync_v2' | sort -u | comm -23 - forwards >stubs
{ sed 's/.*/FORWARD(&)/' forwards && sed 's/.*/STUB(&)/' stubs; } >driver/functions.h
gcc -O1 -shared -fPIC -Idriver -I"$include" "$here/cuda/driver.c" -o driver/libcuda.so.1 -ldl 2>err || {
    head -n 5 err
    echo "FAILED cuda: the driver does not build"
    exit 1
}

write_clip() { # FILE NOISE: Y4M of 24 pictures
    python3 - "$@" <<'EOF'
import random
import sys
noise, draw = int(sys.argv[2]), random.Random(1)
with open(sys.argv[1], "wb") as file:
    file.write(b"YUV4MPEG2 W64 H48 F25:1 C444\n")
    for t in range(24):
        file.write(b"FRAME\n" + bytes(min(255, (x * 5 + y * 3 + 9 * t + 40 * plane) % 200 + draw.randrange(noise))
                                      for plane in range(3) for y in range(48) for x in range(64)))
EOF
}

score() { # NAME GRAPH [OPTIONS]: NAME.txt is the log without what names devices and formats
    local name=$1 graph=$2
    shift 2
    timeout --kill-after=5 120 "$ffmpeg" -nostdin -hide_banner -nostats "$@" -i main.y4m -i reference.y4m \
        -lavfi "$graph:log_fmt=json:precision=max:log_path=$name.json" -f null - >out 2>err
    expect "exit status of $name" $?
    grep -vE '"(fps|backend|device|main_format|reference_format|options)"|the pictures are' "$name.json" >"$name.txt"
}

equal() { # FORMAT OPTIONS
    run_name="$1 $2"
    score software "[0:v]format=$1[d];[1:v]format=$1[r];[d][r]vmaf_gpu=backend=cpu:$2"
    LD_LIBRARY_PATH=$work/driver score cuda "[0:v]format=$1,hwupload[d];[1:v]format=$1,hwupload[r];[d][r]vmaf_gpu=$2" \
        -init_hw_device cuda=gpu -filter_hw_device gpu
    expect_message 1 ' frames, backend cuda (stand-in '
    ! grep -E '^standin: ' err
    expect "the driver's handles" $?
    [ "$(grep -c frameNum cuda.txt)" -eq 24 ] && cmp -s software.txt cuda.txt
    expect "other scores than as software frames" $?
}

write_clip main.y4m 40
write_clip reference.y4m 4
for format in nv12 p010 yuv444p; do
    equal $format inflight=4
done
equal nv12 feature=name=psnr # chroma is not adjacent
equal yuv444p feature=name=psnr
equal nv12 inflight=1
equal nv12 metadata=0:inflight=16
equal nv12 pair=framesync

summary
