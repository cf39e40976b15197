#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs programs made for FFmpeg's libvmaf with vmaf_gpu; they come from PyPI.
#   scripts/ci/test-dropin.sh [FFMPEG FFPROBE]    default: those of build/ffmpeg
. "$(dirname "$0")/../lib/common.sh"
cd "$OLDPWD"
exec python3 "$root/tests/filter/dropin.py" "${1:-$build/ffmpeg/ffmpeg}" \
    "${2:-$build/ffmpeg/ffprobe}" "$build/dropin"
