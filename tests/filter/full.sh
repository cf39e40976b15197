#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What FFMPEG_PROFILE=full promises is in the program, or build-ffmpeg.sh names it as absent: filters,
# encoders, protocols, all native decoders and demuxers. Encoders encode, filters filter. Not in CI,
# which builds the profile "small". Called by run.sh.
#   tests/filter/full.sh FFMPEG    the one that scripts/build-ffmpeg.sh made
. "$(dirname "$0")/begin.sh"
tree=$(dirname "$ffmpeg")
if ! grep -qx -- --enable-decoders "$tree/.vmaf_gpu_configure" 2>/dev/null; then
    echo "SKIPPED full: $ffmpeg has not the profile full"
    exit 0
fi

ffmpeg() {
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -v error -y "$@" >out 2>err
}

(. "$root/scripts/lib/common.sh" && . "$root/scripts/lib/ffmpeg-flags.sh" && profile=full && tree=$tree && name_absent) 2>absent
is_absent() { # NAME: said by the script that built it
    grep -q "^[^:]*: not in this FFmpeg: [^;]* $1\($\|[ ;]\)" absent
}

# The list is that of the promise, not that of the script.
has() { # KIND NAME...
    local name found
    for name in "${@:2}"; do
        found=$("$ffmpeg" -v error "-$1" | awk -v name="$name" '$1 == name || $2 == name' | wc -l)
        if [ "$found" -eq 0 ]; then
            is_absent "$name"
            verdict "$1: $name is neither there nor named" $?
        else
            ! is_absent "$name"
            verdict "$1: $name is there and named as absent" $?
        fi
    done
}
: >err
has filters scale zscale tonemap fps crop pad bwdif yadif idet setfield xpsnr identity psnr ssim vif select \
    split setpts drawtext scale_cuda scale_vaapi libplacebo vmaf_gpu
has encoders libx264 libx265 libsvtav1 aac ffv1 prores prores_ks h264_nvenc hevc_nvenc av1_nvenc h264_vaapi hevc_vaapi
has protocols https http file
has demuxers dash imf mov,mp4,m4a,3gp,3g2,mj2 mxf hls

# Those of this program: others belong to a library or a kind of hardware. What FFmpeg makes of
# its own sources is on.
external='LIB.*|.*_(AT|CUVID|QSV|V4L2M2M|MEDIACODEC|MMAL|RKMPP|AMF|MF|OH)|AVISYNTH|VAPOURSYNTH|DVDVIDEO|DASH|IMF'
for kind in DECODER DEMUXER PARSER BSF; do
    off=$(sed -n "s/^#define CONFIG_\(.*\)_$kind 0$/\1/p" "$tree/config_components.h" | grep -vxE "$external" | xargs)
    on=$(grep -c "_$kind 1$" "$tree/config_components.h")
    [ -z "$off" ] && [ "$on" -gt 40 ]
    verdict "${kind,,}s of FFmpeg's own, $on of them: left out are $off" $?
done

# Encoders: five pictures, there and back.
encode() { # NAME FILE OPTIONS...
    is_absent "$1" && return
    ffmpeg -f lavfi -i testsrc2=size=128x96:rate=25:duration=0.2 -c:v "$1" "${@:3}" "$2"
    verdict "$1 does not encode" $?
    [ "$("$tree/ffprobe" -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$2")" = 5 ]
    verdict "$1: $2 has not five pictures" $?
}
encode libx264 264.mp4
encode libx265 265.mkv -x265-params log-level=none
encode libsvtav1 av1.mp4 -preset 10
encode ffv1 ffv1.mkv
encode prores prores.mov
encode prores_ks prores_ks.mov
ffmpeg -f lavfi -i sine=duration=0.2 -c:a aac sound.mp4
verdict "aac does not encode" $?

# Filters, and what they measure.
filter() { # GRAPH
    ffmpeg -f lavfi -i testsrc2=size=128x96:rate=25:duration=0.2 -f lavfi -i testsrc2=size=128x96:rate=25:duration=0.2 \
        -filter_complex "$1" -f null -
    verdict "$1" $?
}
filter '[0]fps=50,crop=64:48,pad=128:96,setfield=tff,idet,bwdif,setpts=PTS*2,select=gt(n\,1)'
filter '[0]setfield=tff,yadif,split[a][b];[a][b]identity'
for measure in psnr ssim vif; do filter "[0]format=yuv420p[a];[1]format=yuv420p[b];[a][b]$measure"; done
is_absent xpsnr || filter '[0]format=yuv420p[a];[1]format=yuv420p[b];[a][b]xpsnr'
is_absent zscale || filter '[0]format=gbrp,zscale=t=linear:tin=smpte2084:npl=100,format=gbrpf32le,tonemap=hable,zscale=t=bt709'

summary "; absent:$(sed 's/.*FFmpeg: [a-z]*//; s/;.*//' absent | tr -d '\n')"
