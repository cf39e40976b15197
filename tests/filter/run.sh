#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs the shell tests of the built filter; called by scripts/test.sh.
#   tests/filter/run.sh FFMPEG
set -u
here=$(cd "$(dirname "$0")" && pwd)
ffmpeg=$(realpath "${1:?usage: run.sh FFMPEG}")
status=0
for test in "$here"/*.sh; do
    [ "$(basename "$test")" = run.sh ] && continue
    "$test" "$ffmpeg" || status=1
done
exit "$status"
