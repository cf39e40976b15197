#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The Python program vmaf-gpu with this ffmpeg: pairs by time, which only the filter finds, film grain,
# which the filter counts, windows, and the files of a search, which a plain command with the filter scores.
#   tests/filter/batch.sh FFMPEG
set -u
here=$(cd "$(dirname "$0")" && pwd)
ffmpeg=$(realpath "${1:?usage: batch.sh FFMPEG}")
tool=$here/../../build/tools/vmaf_gpu
[ -x "$tool" ] || {
    echo "FAILED batch: there is no $tool: ninja -C build tools/vmaf_gpu"
    exit 1
}
for name in pairing grain windows sources; do
    python3 -B "$here/../tool/batch/test_$name.py" "$(realpath "$tool")" --ffmpeg "$ffmpeg"
    status=$?
    [ "$status" -eq 77 ] || [ "$status" -eq 0 ] || exit "$status"
done
