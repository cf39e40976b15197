#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# scale=bicubic of the filter gives all digits of the filter `scale` with accurate_rnd and bitexact in
# front of it, on each backend of the build. Wrong values and sizes are told. Called by run.sh.
#   tests/filter/scale.sh FFMPEG
. "$(dirname "$0")/begin.sh"

run() { # GRAPH: main is small, reference is large
    "$ffmpeg" -hide_banner -nostdin -v warning -f lavfi -i "testsrc=size=$small:rate=25:duration=0.2" \
        -f lavfi -i "testsrc=size=$large:rate=25:duration=0.2" -lavfi "$1" -f null - >out.txt 2>&1
}

# Without what differs between runs: the description of the run, and the speed.
scores() { # LOG
    sed -e '/"vmaf_gpu"/,/^  }/d' -e '/"fps"/d' "$1"
}

options=model=version=vmaf_v0.6.1:feature=name=psnr:log_fmt=json:precision=max
backends=(cpu)
"$ffmpeg" -hide_banner -h filter=vmaf_gpu 2>&1 | grep -q 'emulated GPU' && backends+=(emu:device=32 emu:device=64)

compare() { # SMALL LARGE FORMAT FILTERS
    small=$1 large=$2
    local main="[0:v]format=$3,avgblur=1" reference="[1:v]format=$3[r]" backend
    run "$main,scale=${large/x/:}:flags=bicubic+accurate_rnd+bitexact[d];$reference;[d][r]vmaf_gpu=$options:backend=cpu:log_path=wanted.json" ||
        { fail "$1 $2 $3: $(tail -n 1 out.txt)"; return; }
    for backend in "${backends[@]}"; do
        rm -f got.json
        run "$main[d];$reference;[d][r]vmaf_gpu=$options:backend=$backend:scale=bicubic:log_path=got.json"
        if [ ! -s got.json ] && grep -q 'not in this build\|ENOSYS\|Function not implemented' out.txt; then
            echo "SKIPPED scale: backend=$backend is not in this build"
        elif [ -s got.json ] && [ "$(scores got.json)" = "$(scores wanted.json)" ] &&
            grep -q "bicubic+accurate_rnd+bitexact from $small" got.json; then
            passed=$((passed + 1))
        else
            fail "$1 to $2, $3, backend=$backend: $(tail -n 1 out.txt)"
        fi
    done
}

compare 160x90 320x180 yuv420p
compare 211x119 320x180 yuv422p10
compare 400x226 320x180 yuv444p
compare 320x100 320x180 yuv420p10

refused() { # WHAT SMALL LARGE OPTIONS
    small=$2 large=$3
    if run "[0:v]format=yuv420p[d];[1:v]format=yuv420p[r];[d][r]vmaf_gpu=$4"; then
        fail "$4 with $2 and $3 was taken"
    elif grep -q -- "$1" out.txt; then
        passed=$((passed + 1))
    else
        fail "$4: $(tail -n 2 out.txt)"
    fi
}

refused 'scale one of them, e.g. scale=bicubic, or ' 160x90 320x180 backend=cpu
# FFmpeg 5.1 does not name the option.
refused "option 'scale' to filter 'vmaf_gpu'\|parse option value \"lanczos\"" 160x90 320x180 scale=lanczos
refused 'at most 16 times' 18x90 320x180 scale=bicubic:backend=cpu
refused 'sides of 17 to 65535' 160x16 320x180 scale=bicubic:backend=cpu

# What a warning names helps behind the filters that are there.
small=160x90 large=320x180
run '[0:v]setsar=2/1[d];[d][1:v]vmaf_gpu=scale=bicubic:backend=cpu'
said='main is 160x90 with sample aspect ratio 2:1, reference 320x180 with 1:1: the pictures have different shapes; if only the tag of main is wrong, e.g. '
if grep -qF "$said" out.txt; then
    passed=$((passed + 1))
else
    fail "of the shapes: $(grep 'aspect ratio' out.txt)"
fi
example=$(sed -n 's/.*sample aspect ratio.*e\.g\. //p' out.txt)
if [ "$example" = 'setsar=1/1 behind your filters of main' ] &&
    run '[0:v]setsar=2/1,setsar=1/1[d];[d][1:v]vmaf_gpu=scale=bicubic:backend=cpu' && ! grep -qF "$said" out.txt; then
    passed=$((passed + 1))
else
    fail "the example '$example': $(tail -n 1 out.txt)"
fi

summary
