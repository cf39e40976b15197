#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The columns ffmpeg_psnr, ffmpeg_ssim and xpsnr against the filters psnr, ssim and xpsnr of the
# same FFmpeg, at the digits that those print: each frame's metadata, and the values per run.
#   tests/filter/ffmpeg_metrics.sh FFMPEG
# FFmpeg before 7.1 has no xpsnr; that part is then skipped, which the last line says.
. "$(dirname "$0")/begin.sh"
skipped=0

run() { # RATE GRAPH
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info -filter_complex_threads 1 \
        -r "$1" -i dist.nut -r "$1" -i ref.nut -lavfi "$2" -f null - >out 2>err
}

# Rows "FRAME NAME VALUE" of metadata whose keys begin so; the names are the columns'.
metadata() { # FILTER
    awk -v filter="$1" -F= '
        /^frame:/ { ++frame; next }
        index($1, "lavfi." filter ".") == 1 {
            name = tolower(substr($1, length("lavfi." filter ".") + 1))
            if (filter == "psnr") sub(/^(mse|psnr)[._]/, "ffmpeg_&", name)
            if (filter == "ssim") name = "ffmpeg_ssim_" name
            if (filter == "xpsnr") sub(/^xpsnr\./, "xpsnr_", name)
            gsub(/\./, "_", name)
            print frame, name, $2
        }' out | sort
}

# The same rows of our log. FFmpeg prints metadata from floats.
columns() { # PREFIX...
    python3 - "$@" <<'EOF'
import re
import struct
import sys

text = open("log.xml", encoding="utf-8").read()
for number, frame in enumerate(re.findall(r"<frame ([^>]*)/>", text), 1):
    for name, value in re.findall(r'(\w+)="([^"]*)"', frame):
        if name.startswith(tuple(sys.argv[1:])):
            rounded, = struct.unpack("f", struct.pack("f", float(value)))
            print(number, name, "%f" % rounded)
EOF
}

of_run() { # FORM NAME...: values per run in this order
    python3 - "$@" <<'EOF'
import re
import sys

text = open("log.xml", encoding="utf-8").read()
values = dict(re.findall(r'(\w+)="([^"]*)"', re.search(r"<aggregate_metrics([^>]*)", text).group(1)))
print(" ".join(sys.argv[1] % float(values[name]) for name in sys.argv[2:]))
EOF
}

# The same values as our log line has them.
printed() {
    sed -n 's/.*of the run: //p' err | sed 's/[a-z_]*: //g' | tr -d ,
}

ours() { # RATE FEATURE
    rm -f log.xml
    run "$1" "[0:v][1:v]vmaf_gpu=backend=cpu:feature=name=$2:log_fmt=xml:precision=17:log_path=log.xml"
    [ -s log.xml ]
    expect "$2 at $1 wrote no log" $?
}

same() { # WHAT WANTED FOUND
    local status=0
    if [ -z "$2" ] || [ "$2" != "$3" ]; then
        status=1
    fi
    expect "$1: FFmpeg and ours differ in '$(diff <(echo "$2") <(echo "$3") | head -n 4 | xargs)'" "$status"
}

compare_psnr() { # CASE PLANES...
    local name planes=("${@:2}")
    run 25 '[0:v][1:v]psnr,metadata=print:file=-'
    local wanted last
    wanted=$(metadata psnr)
    last=$(sed -n 's/.*PSNR \(.*\)/\1/p' err | grep -o ':[^ ]*' | tr -d : | xargs)
    ours 25 ffmpeg_psnr
    same "psnr of $1" "$wanted" "$(columns ffmpeg_psnr ffmpeg_mse | sort)"
    same "log line of psnr of $1" "$last" "$(printed)"
    name=("${planes[@]/#/ffmpeg_psnr_run_}")
    same "last line of psnr of $1" "$last" \
        "$(of_run %f "${name[@]}" ffmpeg_psnr_run_average ffmpeg_psnr_run_min ffmpeg_psnr_run_max)"
}

compare_ssim() { # CASE PLANES...
    local plane names=() wanted last
    run 25 '[0:v][1:v]ssim,metadata=print:file=-'
    wanted=$(metadata ssim)
    last=$(sed -n 's/.*SSIM \(.*\)/\1/p' err | grep -o ':[^ ]* ([^)]*)' | tr -d ':()' | xargs)
    ours 25 ffmpeg_ssim
    same "ssim of $1" "$wanted" "$(columns ffmpeg_ssim | sort)"
    same "log line of ssim of $1" "$last" "$(printed)"
    for plane in "${@:2}" all; do
        names+=("ffmpeg_ssim_run_$plane" "ffmpeg_ssim_run_${plane}_db")
    done
    same "last line of ssim of $1" "$last" "$(of_run %f "${names[@]}")"
}

# The filter xpsnr takes the reference first. Which differences it measures depends on the rate.
compare_xpsnr() { # CASE RATE PLANES...
    local names=("${@:3}") wanted last
    run "$2" '[1:v][0:v]xpsnr,metadata=print:file=-'
    wanted=$(metadata xpsnr)
    last=$(sed -n 's/.*XPSNR  \(.*\)/\1/p' err | grep -o '[yuvm][inmu]*: [^ )]*' | sed 's/.*: //' | xargs)
    ours "$2" xpsnr
    same "xpsnr of $1 at $2" "$wanted" "$(columns xpsnr | sort)"
    names=("${names[@]/#/xpsnr_run_}")
    [ "${#names[@]}" -eq 1 ] || names+=(xpsnr_run_min)
    same "log line of xpsnr of $1 at $2" "$(printed)" "$(of_run %f "${names[@]}")"
    same "last line of xpsnr of $1 at $2" "$last" "$(of_run %.4f "${names[@]}")"
}

has_xpsnr=0
! "$ffmpeg" -hide_banner -filters 2>/dev/null | grep -q ' xpsnr ' || has_xpsnr=1

formats=(yuv420p yuv422p yuv444p yuv420p10le yuv444p10le yuv422p10le)
# Before FFmpeg 6.0 the filter takes no 12 bits, as libvmaf's does not: its inputs are converted.
if [ "$("$ffmpeg" -version | sed -n 's/^libavfilter *\([0-9]*\)\..*/\1/p')" -ge 9 ]; then
    formats+=(yuv444p12le)
else
    echo "SKIPPED 12 bits: this FFmpeg converts them for the filter"
fi
for format in "${formats[@]}"; do
    for size in 160x120 97x65 640x486; do
        for clip in 'ref null' 'dist avgblur=2'; do
            "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i "testsrc2=size=$size:rate=25:duration=0.2" \
                -vf "format=$format,${clip#* }" -pix_fmt "$format" -c:v rawvideo "${clip%% *}.nut" || exit 1
        done
        compare_psnr "$format $size" y u v
        compare_ssim "$format $size" y u v
        if [ "$has_xpsnr" = 0 ]; then
            skipped=$((skipped + 1))
            continue
        fi
        for rate in 30000/1001 60; do
            compare_xpsnr "$format $size" "$rate" y u v
        done
    done
done

# The rates select different differences, or the test of rates proves nothing.
if [ "$has_xpsnr" = 1 ]; then
    ours 25 xpsnr
    slow=$(of_run %.4f xpsnr_run_y)
    ours 60 xpsnr
    [ -n "$slow" ] && [ "$slow" != "$(of_run %.4f xpsnr_run_y)" ]
    expect 'xpsnr is the same at 25 and at 60 frames per second' $?
    ours 60 'xpsnr\\:fps=25'
    [ "$slow" = "$(of_run %.4f xpsnr_run_y)" ]
    expect 'the option fps does not count more than the rate' $?
fi

summary "$([ "$skipped" = 0 ] || echo ", $skipped skipped: this FFmpeg has no filter xpsnr")"
