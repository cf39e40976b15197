#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Inputs whose frames change in mid-stream. Where the ffmpeg tool sets the filter up again, the run
# fails, its log is incomplete, and the command of the message scores all pairs. Where frames go on
# with other tags (-reinit_filter 0), pairs whose tags differ are warned of. The clips are made by the
# ffmpeg of PATH, which has an encoder for streams of several kinds.
#   tests/filter/again.sh FFMPEG
. "$(dirname "$0")/begin.sh"

maker=$(command -v ffmpeg || echo "$ffmpeg")
"$maker" -hide_banner -encoders 2>/dev/null | grep -q libx264 || {
    echo 'SKIPPED again: no ffmpeg with libx264'
    exit 0
}
# Before 7.0 ranges and matrices are no property of a graph.
is_new=1
[ "$("$ffmpeg" -version | sed -n 's/^libavfilter *\([0-9]*\)\..*/\1/p')" -ge 10 ] || is_new=0

run() { # ARGUMENTS of ffmpeg; 124: it hung
    timeout --kill-after=5 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info "$@" >out 2>err
}

# Two seconds from OFFSET on of a blurred clip.
part() { # NAME OFFSET SIZE FILTERS ARGUMENTS...
    local name=$1 offset=$2 size=$3 filters=$4
    shift 4
    "$maker" -nostdin -v error -y -f lavfi -i "testsrc2=size=$size:rate=25:duration=4,format=yuv420p" \
        -vf "trim=start=$offset:duration=2,setpts=PTS-STARTPTS,avgblur=1,$filters" -c:v libx264 -threads 1 -bf 0 \
        -qp 14 -muxdelay 0 -output_ts_offset "$offset" "$@" "$name.ts"
}

part first 0 320x180 null -colorspace bt709
part size 2 160x90 null -colorspace bt709
part larger 2 480x270 null -colorspace bt709
part format 2 320x180 format=yuv422p -colorspace bt709
part range 2 320x180 'scale=out_range=pc,format=yuv420p' -color_range pc -colorspace bt709
part matrix 2 320x180 'scale=in_color_matrix=bt709:out_color_matrix=smpte170m,format=yuv420p' -colorspace smpte170m
part turned 2 320x180 null -colorspace bt709 -bsf:v h264_metadata=display_orientation=insert:rotate=180
part same 2 320x180 null -colorspace bt709
for kind in size larger format range matrix turned same; do
    cat first.ts $kind.ts >to_$kind.ts
done
"$maker" -nostdin -v error -y -f lavfi -i testsrc2=size=320x180:rate=25:duration=4,format=yuv420p -c:v libx264 -qp 14 \
    -colorspace bt709 reference.mkv || exit 1

filter=vmaf_gpu=backend=cpu
message='FFmpeg sets the filter up again in mid-stream, and a run cannot go on: '

score() {
    sed -n 's/.*VMAF score: //p' err | tail -n 1
}

# ------------------------------------------------------------ it is refused

fails() { # NAME WHAT-CHANGES MAIN REFERENCE OPTIONS
    rm -f log.*
    run -i "$3" -i "$4" -lavfi "[0:v][1:v]$filter:$5" -f null -
    local status=$?
    [[ " 0 124 134 137 139 " != *" $status "* ]] && [ "$(grep -cF "$message" err)" -eq 1 ] &&
        grep -qF "$2" err && grep -qE 'after 1[.][0-9]{3} s' err
    verdict "$1: refused, with what changes and when" $?
    ! grep -qE 'main is .* but reference|no pair of frames' err
    verdict "$1: no consequence is told for the cause" $?
    ! compgen -G 'log.1.*' >/dev/null
    verdict "$1: no second log" $?
}

fails size 'main (stream 0:0) changes' to_size.ts reference.mkv log_fmt=json:log_path=log.json:fail_below=10
grep -q '"incomplete": "FFmpeg sets the filter up again' log.json && grep -q 'its size from 320x180 to 160x90' log.json &&
    python3 -c 'import json, sys; log = json.load(open("log.json")); sys.exit(not 30 < len(log["frames"]) <= 50)' &&
    python3 "$here/../tool/log_schema.py" "$root/docs/user/log.schema.json" log.json >>err 2>&1 || [ $? -eq 77 ]
verdict 'size: the JSON log is incomplete' $?
for _ in 1 2 3; do
    fails 'a larger reference' 'reference (stream 1:0) changes' first.ts to_larger.ts log_path=log.xml
    grep -q '<incomplete reason="FFmpeg sets' log.xml && grep -q '</VMAF>' log.xml
    verdict 'a larger reference: the XML log is incomplete' $?
done
fails format 'its pixel format from yuv420p to yuv422p' to_format.ts reference.mkv log_fmt=csv:log_path=log.csv
tail -n 1 log.csv | grep -q '^# incomplete: FFmpeg sets' && [ "$(grep -c '^[0-9]' log.csv)" -gt 30 ]
verdict 'format: the CSV log is incomplete' $?
fails size 'its size from 320x180 to 160x90' to_size.ts reference.mkv log_fmt=sub:log_path=log.sub
tail -n 1 log.sub | grep -qE '^\{[0-9]+\}\{[0-9]+\}incomplete: FFmpeg sets'
verdict 'size: the SUB log is incomplete' $?
fails orientation 'the orientation of an input changes' to_turned.ts reference.mkv log_fmt=html:log_path=log.html
grep -q '<p class="amber">Incomplete: FFmpeg sets' log.html
verdict 'orientation: the page is incomplete' $?
[ $is_new = 0 ] || fails range 'its range from tv to pc' to_range.ts reference.mkv fail_below=10
[ $is_new = 0 ] || fails matrix 'its matrix from bt709 to smpte170m' to_matrix.ts reference.mkv fail_below=10
fails 'both inputs' 'its size from 320x180 to 160x90' to_size.ts to_size.ts fail_below=10
rm -f log.*
! run -i to_size.ts -i reference.mkv -lavfi "[0:v][1:v]$filter:log_path=-" -f null - && grep -qF "$message" err
verdict 'a log on standard output' $?
! run -i to_size.ts -i reference.mkv -lavfi "[0:v]split[a][b];[1:v]split[c][d];[a][c]$filter:log_path=log.a.xml[x];
    [b][d]$filter:log_path=log.b.xml[y];[x]nullsink;[y]null" -f null - && grep -qF "$message" err &&
    [ ! -e log.a.1.xml ] && [ ! -e log.b.1.xml ]
verdict 'two filters in a graph that is set up again' $?

# Every pair that was submitted to the first graph is in its log, also those whose frames FFmpeg drops.
rm -f log.*
run -v debug -i to_size.ts -i reference.mkv -lavfi "[0:v][1:v]$filter:inflight=8:log_fmt=csv:log_path=log.csv" -f null -
[ "$(grep -c '^[0-9]' log.csv)" -eq "$(grep -c 'pair: main [0-9]* reference' err)" ] &&
    grep -q 'FFmpeg drops [0-9]* main frames' err
verdict 'every submitted pair is in the log' $?

# Three pictures are too few to pair by what they show: the first graph has no pair.
"$maker" -nostdin -v error -y -f lavfi -i testsrc2=size=64x48:rate=5:duration=0.6 -pix_fmt rgb24 -start_number 0 few%d.png &&
    "$maker" -nostdin -v error -y -f lavfi -i testsrc2=size=96x64:rate=5:duration=0.6 -pix_fmt rgb24 -start_number 3 few%d.png
! run -i few%d.png -i few%d.png -lavfi "[0:v]format=yuv420p[d];[1:v]format=yuv420p[r];[d][r]$filter:log_path=log.xml" -f null - &&
    if grep -q 'main is [0-9x]* but reference is' err; then # FFmpeg read that far before it made a graph
        [ ! -e log.xml ]
    else
        grep -qF "$message" err && grep -q ' 0 pairs were scored' err && { [ ! -e log.xml ] || grep -q '<incomplete' log.xml; }
    fi
verdict 'a change before the first pair' $?

# ------------------------------------------------------- the advice is right

run -i to_same.ts -i reference.mkv -lavfi "[0:v][1:v]$filter" -f null - && truth=$(score)
verdict 'a joint where nothing changes' $?

advised() { # NAME INPUT LOWEST-SCORE: of the run before; the input that changes is main
    local graph
    graph=$(sed -n 's/.* and convert its frames, e.g. //p' err)
    [ -n "$graph" ] && run -reinit_filter 0 -i "$2" -i reference.mkv -lavfi "$graph=backend=cpu" -f null - &&
        grep -q ' 100 frames, backend cpu' err && ! grep -q 'on tags are others' err &&
        awk -v score="$(score)" -v least="$3" 'BEGIN { exit !(score >= least) }'
    verdict "$1: the advised command scores all pairs" $?
}
near=$(awk -v truth="$truth" 'BEGIN { print truth - 2 }')
kinds='size format'
[ $is_new = 0 ] || kinds="$kinds range matrix"
for kind in $kinds; do
    least=$near
    [ $kind != size ] || least=30 # half of the details are gone
    run -i to_$kind.ts -i reference.mkv -lavfi "[0:v][1:v]$filter" -f null -
    advised "$kind" to_$kind.ts "$least"
done
if [ $is_new = 1 ]; then
    run -noautorotate -reinit_filter 0 -i to_turned.ts -noautorotate -reinit_filter 0 -i reference.mkv \
        -lavfi "[0:v][1:v]$filter" -f null - && [ "$(score)" = "$truth" ]
    verdict 'orientation: the advised options score all pairs' $?
fi

# --------------------------------------------- tags of frames that go on

keep() { # MAIN REFERENCE OPTIONS
    run -reinit_filter 0 -i "$1" -reinit_filter 0 -i "$2" -lavfi "[0:v][1:v]$filter:$3" -f null -
}
others='from pair 50 (2.000 s) on tags are others: '
for kind in matrix range; do
    keep to_$kind.ts reference.mkv pair=index && [ "$(grep -cF "$others" err)" -ge 1 ]
    verdict "$kind: pairs whose tags differ are told" $?
    ! keep to_$kind.ts reference.mkv pair=index:strict=1 && grep -qF "strict: $others" err
    verdict "$kind: a strict run fails" $?
    keep to_$kind.ts to_$kind.ts pair=index:strict=1 && ! grep -q 'on tags are others' err
    verdict "$kind: nothing is told where both change" $?
done

summary
