#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes docs/images: pictures of the HTML pages of a run and of a ladder, in headless Chromium. The video is drawn by
# FFmpeg, so that nobody else has rights in it, and encoded by libx264. Needs an ffmpeg with that, chromium, and the
# tool of build/ or the one that TOOL names.
#   scripts/ci/docs-pictures.sh [FOLDER]      default: docs/images
# FFMPEG: another one than that in PATH.
. "$(dirname "$0")/../lib/common.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/docs/images}")
tool=$(realpath -e "${TOOL:-$build/tools/vmaf_gpu}") || die "no tool: scripts/configure.sh && ninja -C build tools/vmaf_gpu"
ffmpeg=${FFMPEG:-ffmpeg}
command -v chromium >/dev/null || die "no chromium: sudo apt-get install chromium"
work=$build/docs-pictures
rm -rf "$work"
mkdir -p "$work" "$folder"
cd "$work"

seconds=4
"$ffmpeg" -v error -f lavfi -i "mandelbrot=size=1280x720:rate=25:end_scale=0.02:maxiter=400" -t $seconds \
    -vf format=yuv420p -c:v ffv1 reference.mkv
logs=() rates=() labels=()
for crf in 22 26 30 34; do
    "$ffmpeg" -v error -i reference.mkv -c:v libx264 -preset fast -crf $crf -threads 1 "crf$crf.mkv"
    "$tool" -q -r reference.mkv -d "crf$crf.mkv" --feature psnr --title "x264, crf $crf" --json -o "crf$crf.json"
    logs+=("crf$crf.json") labels+=("crf $crf") rates+=($(($(stat -c %s "crf$crf.mkv") * 8 / seconds / 1000)))
done
"$tool" -q -r reference.mkv -d crf30.mkv --feature psnr --title "x264, crf 30" --html -o comparison.html
list() { # WORDS, with commas between
    local IFS=,
    echo "$*"
}
"$tool" report "${logs[@]}" --rates "$(list "${rates[@]}")" --labels "$(list "${labels[@]}")" --title "A ladder" -o ladder.html

picture() { # PAGE NAME WIDTH HEIGHT light|dark
    local scheme=1
    [ "$5" = light ] || scheme=0
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/chromium" \
        --blink-settings=preferredColorScheme=$scheme --window-size="$3,$4" --screenshot="$work/$2.large.png" \
        "file://$work/$1.html" 2>"$work/chromium.log" >&2
    # Few colours make small files.
    "$ffmpeg" -v error -y -i "$2.large.png" -vf 'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none' "$folder/$2.png"
}
# As wide as the page gets; to the end of the ladder's.
picture comparison comparison 1130 990 light
picture comparison comparison-dark 1130 990 dark
picture ladder ladder 1130 1180 light
picture ladder ladder-dark 1130 1180 dark
ls -l "$folder"
