#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A step of a pipeline: encodes a video, compares the result with its source, and keeps it only if it is good
# enough and no frame is missing.
#   encode-and-check.sh SOURCE RESULT LEAST_SCORE [OPTIONS OF THE ENCODER]
#   encode-and-check.sh master.mov out.mp4 93 -c:v libx264 -crf 21
# Exit status: 0, or that of ffmpeg. FFMPEG: one with the filter vmaf_gpu.
set -eu
ffmpeg=${FFMPEG:-ffmpeg}
source=$1 result=$2 least=$3
shift 3
trial=${result%/*}/.trial.${result##*/}
[ "$result" != "${result##*/}" ] || trial=.trial.$result
trap 'rm -f "$trial"' EXIT

"$ffmpeg" -v error -nostdin -y -i "$source" -map 0:v:0 -map '0:a?' -c:a copy "$@" "$trial"
# strict: frames that were lost or repeated fail, too. The log stays beside the result.
"$ffmpeg" -v warning -nostdin -i "$trial" -i "$source" -an \
    -lavfi "[0:v:0][1:v:0]vmaf_gpu=strict=1:fail_below=$least:log_fmt=json:log_path=vmaf.json" -f null -
mv "$trial" "$result"
