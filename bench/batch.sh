#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pairs per second of `vmaf-gpu score` for one long video, by the number of processes and of GPUs, beside
# one command of ffmpeg; all logs must be equal byte for byte but for fps and the text of the options.
#   bench/batch.sh FFMPEG TOOL WORK FRAMES DIST REF
# FFMPEG has the filter, with ffprobe beside it; TOOL is vmaf_gpu. The files are repeated, without
# decoding, until there are FRAMES frames.
#   JOBS="1 2 4 6 8 auto"    processes
#   DEVICES="cuda:0 all"     what to run on, one after the other
#   HWACCEL=cuda             what decodes; "" is the processor
#   WORDS="--frames-per-task 900"   more for vmaf-gpu
#   PARTS="score whole"      whole: the one command of ffmpeg
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/lengthen.sh"
begin "$@"
wanted=$4

same_log() { # LOG: as the first one had it
    grep -vE '"(fps|options)":' "$1" >"$1.txt"
    [ -e "$work/first.txt" ] || cp "$1.txt" "$work/first.txt"
    cmp "$work/first.txt" "$1.txt" && sha256sum <"$1.txt" | cut -c1-12
}

report() { # NAME BEGIN LOG
    local seconds sum
    seconds=$(awk -v a="$2" -v b="$(now)" 'BEGIN { print b - a }')
    sum=$(same_log "$3") || { failed=1 && sum=DIFFERENT; }
    awk -v name="$1" -v f="$frames" -v s="$seconds" -v l="$sum" 'BEGIN {
        printf "%s: %.2f s, %.0f pairs/s; log %s\n", name, s, f / s, l }'
}

whole() {
    local begin hw=
    [ -z "$decode" ] || hw="-hwaccel $decode -hwaccel_device gpu -hwaccel_output_format $decode"
    begin=$(now)
    # shellcheck disable=SC2086 # several words on purpose
    timeout 500 "$ffmpeg" -nostdin -v error -nostats ${decode:+-init_hw_device $decode=gpu} $hw -i "$work/dist.mov" \
        $hw -i "$work/ref.mov" -lavfi "vmaf_gpu=pair=index:strict=1:metadata=0:log_fmt=json:precision=max:log_path=$work/whole.json" \
        -f null -
    report "one command" "$begin" "$work/whole.json"
}

score() { # DEVICES JOBS
    local begin
    rm -rf "$work/parts"
    begin=$(now)
    # shellcheck disable=SC2086 # several words on purpose
    PYTHONPATH=$here/python timeout 500 python3 -m vmaf_gpu.batch score "$work/dist.mov" "$work/ref.mov" -q \
        --ffmpeg "$ffmpeg" --tool "$tool" ${decode:+--hwaccel "$decode"} --devices "$1" --jobs "$2" \
        ${WORDS:-} --precision max --work "$work/parts" -o "$work/score.json"
    report "$1, $2 processes${WORDS:+ $WORDS}, $(find "$work/parts/parts" -name '*.part' | wc -l) chunks" "$begin" "$work/score.json"
}

rm -f "$work/first.txt"
frames=$(lengthen "$5" "$work/dist.mov" "$wanted")
[ "$(lengthen "$6" "$work/ref.mov" "$wanted")" = "$frames" ] || { echo "different lengths"; exit 1; }
echo "$(basename "$5") and $(basename "$6"), $frames frames:"
for part in ${PARTS:-whole score}; do
    if [ "$part" = whole ]; then
        whole
        continue
    fi
    for devices in ${DEVICES:-cuda:0}; do
        for jobs in ${JOBS:-1 2 4 6 8 auto}; do score "$devices" "$jobs"; done
    done
done
exit "$failed"
