#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The Python program vmaf-gpu with this ffmpeg: pairs by time, which only the filter finds.
#   tests/filter/batch.sh FFMPEG
set -u
here=$(cd "$(dirname "$0")" && pwd)
ffmpeg=$(realpath "${1:?usage: batch.sh FFMPEG}")
tool=$here/../../build/tools/vmaf_gpu
[ -x "$tool" ] || {
    echo "FAILED batch: there is no $tool: ninja -C build tools/vmaf_gpu"
    exit 1
}
python3 -B "$here/../tool/batch/test_pairing.py" "$(realpath "$tool")" --ffmpeg "$ffmpeg"
status=$?
[ "$status" -eq 77 ] || exit "$status"
