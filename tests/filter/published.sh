#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Published option strings give libvmaf's logs: see tests/golden/published.py.
#   tests/filter/published.sh FFMPEG
set -u
ffmpeg=$(realpath "${1:?usage: published.sh FFMPEG}")
exec python3 "$(dirname "$0")/../golden/published.py" --ffmpeg "$ffmpeg"
