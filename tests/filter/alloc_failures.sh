#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The filter when memory runs out: see tests/filter/alloc/alloc.c. Called by run.sh.
#   tests/filter/alloc_failures.sh FFMPEG
# FFMPEG stands in its source tree, against which the test program is built.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(dirname "$(realpath "${1:?usage: alloc_failures.sh FFMPEG}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -f "$tree/ffbuild/config.mak" ] || { echo "SKIPPED alloc_failures: no FFmpeg tree"; exit 0; }

compiler=$(sed -n 's/^CC=//p' "$tree/ffbuild/config.mak")
libraries=$(sed -n 's/^EXTRALIBS-av[a-z]*=//p' "$tree/ffbuild/config.mak" | tr '\n' ' ')
# shellcheck disable=SC2086 # lists of flags
(cd "$tree" && $compiler -std=gnu11 -O1 -g -rdynamic -Wall -Wextra -Werror -I. -I"$here/../unit" \
    "$here/alloc/alloc.c" "$here/../unit/fail_malloc.c" -o "$work/alloc" \
    -Wl,--start-group lib*/lib*.a -Wl,--end-group $libraries) 2>"$work/build.log" || {
    tail -n 20 "$work/build.log"
    echo "FAILED alloc_failures: the test program does not build"
    exit 1
}
status=0
for options in backend=cpu:n_threads=1 backend=cpu:n_threads=1:pair=framesync; do
    timeout --kill-after=5 240 "$work/alloc" "$options" 2>"$work/err"
    code=$?
    [ $code -eq 0 ] && continue
    tail -n 12 "$work/err"
    echo "FAILED alloc_failures: $options: status $code"
    status=1
done
exit $status
