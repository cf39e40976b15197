#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Parts of a run by the filter, merged by the tool: see chunk.py.
#   tests/filter/chunk.sh FFMPEG
set -u
here=$(cd "$(dirname "$0")" && pwd)
ffmpeg=$(realpath "${1:?usage: chunk.sh FFMPEG}")
tool=$here/../../build/tools/vmaf_gpu
[ -x "$tool" ] || {
    echo "FAILED chunk: there is no $tool: ninja -C build tools/vmaf_gpu"
    exit 1
}
exec python3 "$here/chunk.py" "$ffmpeg" "$(realpath "$tool")"
