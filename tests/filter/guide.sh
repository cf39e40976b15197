#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs the commands of docs/user/guide.md on small clips that have the files' names there: each
# ends well, prints its scores, and the filter has nothing left to warn of that the
# command was meant to mend. Called by run.sh.
#   tests/filter/guide.sh FFMPEG
. "$(dirname "$0")/begin.sh"
guide=$root/docs/user/guide.md

for part in encoder=mpeg4 encoder=ffv1 encoder=png muxer=mp4 muxer=matroska filter=bwdif filter=colorspace; do
    "$ffmpeg" -hide_banner -h "$part" 2>&1 | grep -qE '^(Encoder|Muxer|Filter) ' && continue
    echo "SKIPPED guide: FFmpeg without $part"
    exit 0
done

make_clip() { # NAME SIZE FILTERS [OPTIONS]: three frames
    local name=$1 size=$2 filters=$3
    shift 3
    [[ $name == *.mkv ]] || set -- -c:v mpeg4 -q:v 3 "$@"
    [[ $name != *.mkv ]] || set -- -c:v ffv1 "$@"
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i "testsrc2=size=$size:rate=25:duration=0.12" \
        -vf "$filters" "$@" "$name" || exit 1
}

yuv=format=yuv420p
for size in 640x360 960x540 1280x720 1920x1080 3840x2160; do
    make_clip "${size#*x}p.mp4" "$size" $yuv
done
make_clip 720p_reference.mp4 1280x720 $yuv -q:v 1
make_clip 1920x800.mp4 1920x1080 crop=1920:800,$yuv
make_clip 1920x1088.mkv 1920x1080 pad=1920:1088,$yuv
make_clip 1440x1080.mp4 1440x1080 setsar=4/3,$yuv
make_clip full.mkv 1920x1080 scale=out_range=full,$yuv -color_range pc
make_clip untagged.mkv 1920x1080 scale=out_range=full,$yuv -color_range unspecified
# FFmpeg tags what it converts, and a NUT file loses the tag.
make_clip tagged.mkv 1920x1080 ${yuv}10
"$ffmpeg" -hide_banner -v error -i tagged.mkv -c copy 10bit.nut && "$ffmpeg" -hide_banner -v error -i 10bit.nut \
    -c copy 10bit.mkv || exit 1
# FFmpeg before 7.0 takes tags from the options, later versions take them from the frames.
make_tagged() { # NAME FILTERS PRIMARIES TRANSFER MATRIX
    make_clip "$1" 1920x1080 "$2,setparams=color_primaries=$3:color_trc=$4:colorspace=$5" \
        -color_primaries "$3" -color_trc "$4" -colorspace "$5"
}
make_tagged pq.mkv ${yuv}10 bt2020 smpte2084 bt2020nc
make_tagged pq_encode.mkv ${yuv}10,avgblur=1 bt2020 smpte2084 bt2020nc
make_tagged pal.mkv $yuv bt470bg bt709 bt709
make_tagged 1080p_bt709.mkv $yuv bt709 bt709 bt709
make_clip progressive.mkv 1920x1080 $yuv
make_clip interlaced.mkv 1920x1080 setparams=field_mode=tff,$yuv -flags +ildct
make_clip interlaced_encode.mkv 1920x1080 avgblur=1,setparams=field_mode=tff,$yuv -flags +ildct
for clip in 'film_encode.mkv avgblur=1' 'telecine.mkv telecine=pattern=23,setparams=field_mode=tff -flags +ildct'; do
    read -ra words <<<"$clip"
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i testsrc2=size=640x360:rate=24000/1001:duration=1 \
        -vf "$yuv,${words[1]}" -c:v ffv1 "${words[@]:2}" "${words[0]}" || exit 1
done

# Moving pictures with times: 72 frames.
make_video() { # NAME RATE FILTERS [OPTIONS]
    local name=$1 rate=$2 filters=$3
    shift 3
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i "testsrc2=size=640x360:rate=$rate:duration=3" \
        -vf "$filters" -c:v mpeg4 -bf 2 "$@" "$name" || exit 1
}
make_video reference.mp4 24 $yuv -q:v 2
make_video encode.mkv 24 $yuv -q:v 8
"$ffmpeg" -hide_banner -nostdin -v error -y -i encode.mkv \
    -f lavfi -i testsrc2=size=640x360:rate=25:duration=0.04 -map 0 -map 1 -c:v:0 copy -c:v:1 png \
    -disposition:v:1 attached_pic cover.mp4 || exit 1
make_video chunk.mp4 24 trim=start=1:end=2,setpts=PTS-STARTPTS,$yuv -q:v 8
make_video late.mp4 24 "trim=start_frame=3,setpts=PTS-STARTPTS,$yuv" -q:v 8
make_video 60fps.mp4 60 $yuv -q:v 2
make_video 30fps.mp4 30 $yuv -q:v 8
make_video 24fps.mp4 24 $yuv -q:v 2
make_video 25fps.mp4 24 "setpts=N/25/TB,$yuv" -q:v 8 -r 25
make_video vfr.mkv 24 "select='not(eq(mod(n,7),3))',$yuv" -q:v 8 -fps_mode vfr

# The indented lines from "ffmpeg " on, with those that continue a quoted graph. Those that encode or
# read from a server are for transcode.sh and https.sh.
mapfile -d '' -t commands < <(awk '
    /^    ffmpeg / { command = ""; open = 1 }
    /^    / && open { command = command substr($0, 5) "\n"; next }
    open { if (command !~ / -dec |https:/) printf "%s%c", command, 0; open = 0 }' "$guide")
[ ${#commands[@]} -ge 10 ] || {
    echo "FAILED guide: only ${#commands[@]} commands found"
    exit 1
}
ffmpeg() {
    timeout --kill-after=5 100 "$ffmpeg" -hide_banner -nostdin -nostats -y -loglevel level+info "$@"
}

# The clips are what they are called: without the filters of the guide each pair is refused
# or warned about.
for pair in '360p.mp4 1080p.mp4' '1080p.mp4 2160p.mp4' '1920x800.mp4 1080p.mp4' '1080p.mp4 1920x1088.mkv' \
    '1440x1080.mp4 1080p.mp4' 'full.mkv 1080p.mp4' 'untagged.mkv full.mkv' '1080p.mp4 10bit.mkv' 'pq_encode.mkv pq.mkv' \
    'pal.mkv 1080p_bt709.mkv' 'interlaced_encode.mkv progressive.mkv' \
    'interlaced_encode.mkv interlaced.mkv' 'film_encode.mkv telecine.mkv' 'cover.mp4 reference.mp4'; do
    ffmpeg -i "${pair% *}" -i "${pair#* }" -lavfi vmaf_gpu=backend=cpu -f null - >out 2>err
    grep vmaf_gpu err | grep -qE '\[(warning|error)\]'
    expect "nothing is said of $pair" $?
done
for command in "${commands[@]}"; do
    command=${command//vmaf_gpu=/vmaf_gpu=backend=cpu:}
    graphs=$(grep -o 'vmaf_gpu' <<<"$command" | wc -l)
    command=$(sed -E 's/vmaf_gpu([^=])/vmaf_gpu=backend=cpu\1/g' <<<"$command")
    eval "$command" >out 2>err
    status=$?
    # What no command can mend, as the guide says.
    warnings=$(grep vmaf_gpu err | grep '\[warning\]' | grep -vcE 'the pictures are HDR|comparing at 10 bit|not in the score')
    [ $status -eq 0 ] && [ "$(grep -c 'VMAF score: ' err)" -eq "$graphs" ] && [ "$warnings" -eq 0 ]
    expect "status $status, $warnings warnings: $command" $?
done
summary
