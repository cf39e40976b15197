#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The part of scripts/amd-selftest.sh that needs an ffmpeg: its clips are those that README.md of
# tests/install/clips describes, and its commands score them, by backend hip over the stand-in runtime.
# Frames on a GPU: not here, which has no decoder; tests/install/test_selftest.py has the script's
# decisions.
#   tests/filter/selftest.sh FFMPEG
. "$(dirname "$0")/begin.sh"

# "NAME PIXEL_FORMAT MD5" of the decoded samples.
while read -r name format sum; do
    found=$("$ffmpeg" -nostdin -v error -i "$root/tests/install/clips/$name" -pix_fmt "$format" -f rawvideo - | md5sum)
    [ "${found%% *}" = "$sum" ]
    expect "$name decodes to ${found%% *}, not $sum" $?
done < <(sed -n 's/^| `\([^`]*\)` | \([a-z0-9]*\) | `\([0-9a-f]*\)` |$/\1 \2 \3/p' "$root/tests/install/clips/README.md")

if [ -f "$standin" ]; then
    report=$work/report.txt
    BUILD=$root/build FFMPEG=$ffmpeg PARTS=decoders REPORT=$report VMAFGPU_HIP_LIBRARY=$standin \
        VMAFGPU_STANDIN_WAVE=32 "$root/scripts/amd-selftest.sh" >/dev/null 2>&1
    for name in h264.mp4 hevc10.mp4; do
        grep -qx "ok hip:0 software $name" "$report"
        expect "software frames of $name: $(tail -n 20 "$report")" $?
    done
    # The clip beside itself, one frame later, differs much.
    [ "$(grep -cE '^VMAF score: [1-8]?[0-9]\.[0-9]{6}$' "$report")" -ge 2 ]
    expect "no scores: $(grep VMAF "$report")" $?
else
    echo "SKIPPED selftest: no stand-in runtime $standin"
fi
summary && [ "$passed" -ge 2 ]
