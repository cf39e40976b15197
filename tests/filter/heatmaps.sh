#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The filter's heatmaps of cambi are libvmaf's: see tests/golden/heatmaps.py.
#   tests/filter/heatmaps.sh FFMPEG
set -u
ffmpeg=$(realpath "${1:?usage: heatmaps.sh FFMPEG}")
exec python3 "$(dirname "$0")/../golden/heatmaps.py" --ffmpeg "$ffmpeg"
