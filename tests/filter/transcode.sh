#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The commands of docs/user/guide.md that encode and score at once, as they stand there: their logs equal
# those of a second run on the encoded files, every frame and all digits. That with NVENC runs on
# machines that have it. Called by run.sh.
#   tests/filter/transcode.sh FFMPEG
#   TRANSCODE_ALL=1     also the command with two loopback decoders, which FFmpeg 7.1.5 does not
#                       always end, whichever filter compares
. "$(dirname "$0")/begin.sh"
guide=$root/docs/user/guide.md
skipped=0

# Loopback decoders: FFmpeg 7.0.
if [ "$("$ffmpeg" -version | sed -n 's/^libavfilter *\([0-9]*\)\..*/\1/p')" -lt 10 ]; then
    echo "SKIPPED transcode: FFmpeg before 7.0"
    exit 0
fi
for part in encoder=libx264 encoder=ffv1 muxer=mp4 muxer=matroska filter=bwdif; do
    "$ffmpeg" -hide_banner -h "$part" 2>&1 | grep -qE '^(Encoder|Muxer|Filter) ' && continue
    echo "SKIPPED transcode: FFmpeg without $part"
    exit 0
done

ffmpeg() {
    timeout --kill-after=5 100 "$ffmpeg" -hide_banner -nostdin -nostats -y -loglevel level+info "$@"
}

# More frames than the encoder holds back.
ffmpeg -f lavfi -i testsrc2=size=640x360:rate=25:duration=4 -vf noise=alls=8:all_seed=1:allf=t,format=yuv420p \
    -c:v mpeg4 -q:v 2 -bf 2 source.mp4 2>err || exit 1
ffmpeg -i source.mp4 -vf setparams=field_mode=tff -flags +ildct -c:v ffv1 interlaced.mkv 2>err || exit 1

# The scored pictures of a log with all digits: frame number and all columns.
frames() { # LOG
    grep '<frame ' "$1"
}

# What the second run compares, per log: the encoded file, its reference, the graph.
declare -A second=(
    [encode.xml]='encode.mp4 source.mp4 [0:v][1:v]'
    [deinterlaced.xml]='deinterlaced.mp4 interlaced.mkv [1:v]bwdif=mode=send_frame[r];[0:v][r]'
    [270p.xml]='270p.mp4 source.mp4 [0:v]scale=640:360:flags=bicubic[d];[d][1:v]'
    [180p.xml]='180p.mp4 source.mp4 [0:v]scale=640:360:flags=bicubic[d];[d][1:v]'
    [nvenc.xml]='nvenc.mp4 source.mp4 [0:v][1:v]'
)

compare() { # LOG of the command that encoded
    local main reference graph wanted=100
    if [ -z "${second[$1]:-}" ]; then
        verdict "no second run is known for $1" 1
        return
    fi
    read -r main reference graph <<<"${second[$1]}"
    ffmpeg -i "$main" -i "$reference" -lavfi "${graph}vmaf_gpu=backend=cpu:precision=max:log_path=second.xml" \
        -f null - >out 2>err
    status=$?
    verdict "$1: the second run" $status
    [ $status -eq 0 ] || return
    frames second.xml >second && frames "$1" >first
    [ "$(grep -c 'vmaf="[0-9.]*"' first)" -eq "$wanted" ] && cmp first second >>err
    verdict "$1 has other scores than the second run, or not $wanted" $?
    # Scores of something: an encode that differs from its source.
    [ "$(sed 's/.* vmaf=//' first | sort -u | wc -l)" -gt 50 ]
    verdict "$1: the scores of too many frames are the same" $?
    rm -f second.xml
}

has_nvenc() {
    ffmpeg -f lavfi -i testsrc2=size=640x360:duration=0.2 -c:v h264_nvenc -f null - >out 2>err
}

mapfile -d '' -t commands < <(awk '
    /^    ffmpeg / { command = ""; open = 1 }
    /^    / && open { command = command substr($0, 5) "\n"; next }
    open { if (command ~ / -dec /) printf "%s%c", command, 0; open = 0 }' "$guide")
logs=0
for command in "${commands[@]}"; do
    backend=cpu
    if [[ $command == *"-dec 1:0"* && -z ${TRANSCODE_ALL:-} ]]; then
        skipped=$((skipped + 2))
        continue
    fi
    if [[ $command == *_nvenc* ]]; then
        if ! has_nvenc; then
            skipped=$((skipped + 1))
            continue
        fi
        backend=cuda
    fi
    command=${command//backend=cuda:/}
    eval "${command//vmaf_gpu=/vmaf_gpu=backend=$backend:precision=max:}" >out 2>err
    status=$?
    verdict "$command" $status
    [ $status -eq 0 ] || continue
    while read -r log; do
        logs=$((logs + 1))
        compare "$log"
    done < <(grep -o 'log_path=[a-z0-9]*\.xml' <<<"$command" | cut -d= -f2)
done
[ $((logs + skipped)) -eq ${#second[@]} ]
verdict "the guide has ${#commands[@]} commands with $logs logs, not ${#second[@]}" $?

summary "$([ "$skipped" = 0 ] || echo ", $skipped logs skipped: no NVENC, or two decoders without TRANSCODE_ALL=1")"
