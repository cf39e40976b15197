#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# examples/encode-and-check.sh: keeps a good encode, and neither one that is below the score nor one that lacks frames.
# Called by run.sh.
#   tests/filter/examples.sh FFMPEG
. "$(dirname "$0")/begin.sh"
export FFMPEG=$ffmpeg

check() { # ARGUMENTS
    timeout -k 5 100 "$root/examples/encode-and-check.sh" "$@" >out 2>err
}

"$ffmpeg" -v error -f lavfi -i testsrc2=size=128x96:rate=10:duration=1 -c:v ffv1 source.mkv || exit 1
mkdir folder
check source.mkv folder/good.mkv 60 -c:v mpeg4 -q:v 2
verdict "a good encode" $?
[ -s folder/good.mkv ] && [ -s vmaf.json ] && [ -z "$(find . -name '.trial*')" ]
verdict "a good encode is kept, with its log" $?
! check source.mkv bad.mkv 99.9 -c:v mpeg4 -q:v 31
verdict "an encode below the score" $?
! check source.mkv bad.mkv 1 -c:v mpeg4 -q:v 2 -r 5
verdict "an encode that lacks frames" $?
[ ! -e bad.mkv ] && [ -z "$(find . -name '.trial*')" ]
verdict "bad ones are not kept" $?
summary
