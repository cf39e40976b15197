#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# From a fresh clone to a score: installs what is missing, builds the engine with kernels for the
# GPUs at hand, its tool and an FFmpeg with the filter, and scores a video. The last lines are
# the device that scored, why it was not the GPU and the cure, and the score.
#   scripts/demo.sh                        a real clip and a compressed copy of it
#   scripts/demo.sh DISTORTED REFERENCE    two files of yours
#   scripts/demo.sh -v ...                 shows all that the builds print, which is in build/log in any case
#   scripts/demo.sh --plan                 only says which GPUs there are, which kernels are built
#                                          for them and which packages are missing
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
set -o pipefail
require_plain_path

if [ "${1:-}" = --plan ]; then
    scripts/lib/gpus.sh | grep . || echo "no NVIDIA or AMD GPU was found: the CPU scores"
    scripts/setup.sh --plan demo | sed -n 's/^..*/package &/p'
    exit
fi
if [ "${1:-}" = -v ]; then
    export VERBOSE=1
    shift
fi
[ $# -eq 0 ] || [ $# -eq 2 ] || die "usage: scripts/demo.sh [--plan | [-v] [DISTORTED REFERENCE]]"
# Names are given relative to where the user stands, not to the repository.
if [ $# -eq 2 ]; then
    distorted=$(cd "$OLDPWD" && realpath -e "$1") || die "no file $1"
    reference=$(cd "$OLDPWD" && realpath -e "$2") || die "no file $2"
fi
demo=$build/demo
ffmpeg=$build/ffmpeg/ffmpeg

# Camera recordings in Debian packages; unpacked here, not installed.
clips=(
    python3-imageio:imageio/resources/images/cockatoo.mp4
    forensics-samples-files:original-files/movie1/VID_20191220_170832.mp4
    forensics-samples-files:original-files/movie2/movie-hello.mp4
)

unpack_clip() { # PACKAGE:PATH; prints the file
    local package=${1%%:*} folder=$demo/packages
    mkdir -p "$folder"
    command -v apt-get >/dev/null || return 1
    # Under another name until it is whole: a run may be cut off.
    if [ ! -d "$folder/$package" ]; then
        rm -rf "$folder/${package}"_*.deb "$folder/$package.new"
        # The lists may be missing, old, or those of a run that was cut off.
        (cd "$folder" && { private_apt download "$package" ||
            { private_apt_update && private_apt download "$package"; }; } >&2) &&
            dpkg-deb -x "$folder/${package}"_*.deb "$folder/$package.new" &&
            mv "$folder/$package.new" "$folder/$package" || return 1
    fi
    find "$folder/$package" -path "*/${1#*:}" | grep .
}

# Sets `reference`; false without a network.
find_clip() {
    local clip
    for clip in "${clips[@]}"; do
        reference=$(unpack_clip "$clip") && return
        note "no ${clip#*:} in package ${clip%%:*}; trying the next"
    done
    return 1
}

generate_clip() {
    reference=$demo/generated.nut
    "$ffmpeg" -nostdin -v error -y -f lavfi -i "testsrc2=size=1280x720:rate=25:duration=4" \
        -c:v ffv1 "$reference"
}

# What comes over the network, while the engine is compiled. The source first; what fails here is
# tried again, and said, where it is needed.
fetch() {
    scripts/build-ffmpeg.sh --fetch || true
    [ $# -gt 0 ] || find_clip || true
}

# The device that scored, from the filter's own log; if it is the CPU, why. The first problem is
# that of the GPU which would have been chosen.
print_device() {
    local device why
    device=$(sed -n 's/.* frames, backend \(.*\), [0-9.]* fps$/\1/p' ffmpeg.log | tail -n 1)
    echo "scored on: ${device:-unknown}"
    [ "${device%% *}" = cpu ] || return 0
    why=$("$root/scripts/lib/gpus.sh")
    if ! grep -qE '^(gpu|problem) ' <<<"$why"; then
        echo "why not a GPU: no NVIDIA or AMD GPU was found"
        return
    fi
    why=$(sed -n 's/^problem [a-z]* //p' <<<"$why" | sed -n 1p)
    # Nothing was wrong beforehand: what the engine met.
    [ -n "$why" ] || why=$(sed -n 's/.*auto: \(.* failed: .*\)/\1/p; s/.*chosen by auto (\(.*\))$/\1/p' \
        ffmpeg.log | sed -n 1p)
    echo "why not the GPU: $why"
}

require_own_build
# FFmpeg's source twice, its objects, the engine.
[ -x "$ffmpeg" ] || require_space 1200
"$root/scripts/lib/gpus.sh" >&2
scripts/setup.sh demo
# NVDEC, where there is a GPU for it and nobody has chosen.
[ -n "${FFMPEG_CUDA:-}" ] || [ -f "$build/ffmpeg.cuda" ] || [ -z "$(nvidia_gpus)" ] ||
    export FFMPEG_CUDA=auto
mkdir -p "$demo" "$build/log"
fetch "$@" >"$build/log/fetch.log" 2>&1 &
fetching=$!
trap 'kill "$fetching" 2>/dev/null' EXIT
configure_engine
build_engine src/engine/libvmaf_gpu.a tools/vmaf_gpu # the tool: for scores without FFmpeg
wait "$fetching" || true
trap - EXIT
scripts/build-ffmpeg.sh
clip=
if [ $# -eq 0 ]; then
    if find_clip 2>>"$build/log/fetch.log"; then
        clip="clip: $(basename "$reference"), a camera recording, and a compressed copy of it"
    else
        generate_clip
        clip="clip: a GENERATED picture, because no recording could be fetched (build/log/fetch.log)"
    fi
    distorted=$demo/compressed.mp4
    "$ffmpeg" -nostdin -v error -y -i "$reference" -map 0:v:0 -c:v mpeg4 -q:v 8 "$distorted"
fi

# A file name within a filter's options would need two levels of escapes: go
# where the log shall be.
cd "$demo"
"$ffmpeg" -hide_banner -nostdin -i "$distorted" -i "$reference" \
    -lavfi "[0:v:0][1:v:0]vmaf_gpu=log_fmt=json:log_path=vmaf.json" -an -f null - 2>&1 |
    tee ffmpeg.log >&2 || die "scoring failed"
echo "per-frame log: $demo/vmaf.json"
[ -z "$clip" ] || echo "$clip"
print_device
grep -o 'VMAF score: .*' ffmpeg.log
