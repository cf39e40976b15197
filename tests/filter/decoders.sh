#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A decoder is worth nothing without its parser: a file then ends after a frame, with status 0. One file of
# each video decoder of an FFmpeg in each container that holds it: all frames are decoded, or the file is
# refused. The system's ffmpeg writes them and says how many they are; what it cannot write and read back is
# named at the end.
#   tests/filter/decoders.sh FFMPEG
. "$(dirname "$0")/begin.sh"
system=$(PATH=/usr/bin:/usr/local/bin:$PATH command -v ffmpeg)
if [ -z "$system" ] || [ "$(realpath "$system")" = "$ffmpeg" ]; then
    echo "SKIPPED decoders: there is no other ffmpeg that writes files"
    exit 0
fi

names_by_codec() { # PROGRAM decoders|encoders: CODEC NAME
    "$1" -v error "-$2" | awk '$1 ~ /^V/ && $2 != "=" {
        codec = match($0, /\(codec [^)]*\)$/) ? substr($0, RSTART + 7, RLENGTH - 8) : $2
        print codec, $2
    }'
}

# What an encoder takes; any other takes the smallest size that H.263 knows.
options_of() { # ENCODER
    case $1 in
    dvvideo) echo -s 720x576 -pix_fmt yuv420p ;;
    dnxhd) echo -s 640x360 -pix_fmt yuv422p -profile:v dnxhr_lb ;;
    mpeg2video | mpeg1video | mpeg4) echo -bf 2 ;;
    libx265) echo -x265-params log-level=none ;;
    libaom-av1) echo -usage realtime -cpu-used 8 ;;
    esac
}

count() { # PROGRAM FILE: frames; fails with the program
    timeout -k 5 60 "$1" -nostdin -v error -i "$2" -map 0:v:0 -fps_mode passthrough -f framecrc - >crc 2>err || return
    grep -vc '^#' crc
}

suffix_of() { # CODEC: of files that hold nothing else
    case $1 in
    jpeg2000) echo jp2 ;;
    mjpeg) echo jpg ;;
    jpegls) echo jls ;;
    jpegxl) echo jxl ;;
    alias_pix) echo pix ;;
    sunrast) echo ras ;;
    rv[12]0) echo rm ;;
    *) echo "$1" ;;
    esac
}

suffixes=(mkv avi mov mp4 ts mpg flv wmv ogg mxf nut gif ivf obu h264 hevc m2v m4v vc1 dv webm)
untried=
names_by_codec "$ffmpeg" decoders | cut -d' ' -f1 | sort -u >wanted
names_by_codec "$system" encoders >encoders
while read -r codec; do
    # Those of hardware are not here, and some are for experts.
    encoder=$(awk -v codec="$codec" '$1 == codec { print $2 }' encoders | grep -vE '_(vaapi|nvenc|qsv|v4l2m2m|omx|amf|vulkan|mf|anim)$' |
        head -n 1)
    [ -n "$encoder" ] && [ "$codec" != wrapped_avframe ] || continue
    suffix=$(suffix_of "$codec")
    read=0 tried=0
    for file in "${suffixes[@]/#/$codec.}" "$codec.$suffix" "$codec%02d.$suffix"; do
        # shellcheck disable=SC2046 # words
        timeout -k 5 60 "$system" -nostdin -v error -y -f lavfi -i testsrc2=s=176x144:r=25 -frames:v 25 -c:v "$encoder" \
            -strict -2 $(options_of "$encoder") "$file" 2>/dev/null || continue
        written=$(count "$system" "$file") && [ "$written" -gt 1 ] || continue
        tried=1
        if found=$(count "$ffmpeg" "$file"); then
            [ "$found" = "$written" ] && read=1
            expect "$file: $found of $written frames, and no error" $?
        fi
    done
    [ "$tried" = 1 ] || untried+=" $codec"
    [ "$read" = "$tried" ]
    expect "$codec can be read in no container" $?
done <wanted
summary "${untried:+; no file of$untried}"
