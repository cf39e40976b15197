#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles the kernels for every AMD architecture of the default list that the
# compiler accepts, and checks the code objects: target, wave size, scratch, LDS. The
# table of registers and memory is printed, as in docs/history/test-runs.md if --markdown is given.
#   scripts/ci/hip-archs.sh [--markdown]
#   scripts/ci/hip-archs.sh --families             one image of each family, which CI has the time for
#   HIP_CLANG=clang-15 scripts/ci/hip-archs.sh     with another compiler, in a build of its own
. "$(dirname "$0")/../lib/common.sh"

folder=$build
if [ -n "${HIP_CLANG:-}" ]; then
    folder=$build/hip-$(basename "$HIP_CLANG")
    [ -f "$folder/build.ninja" ] || meson setup "$folder" -Dcuda=disabled -Demu=false \
        -Dtests=false -Dtools=false -Dhip=enabled -Dhip_clang="$HIP_CLANG" >/dev/null
else
    configure_engine test
fi
target=hip-archs
[ "${1:-}" != --families ] || { target=hip-families && shift; }
begin=$SECONDS
ninja -C "$folder" -j "$jobs" "$target" >"$folder/hip-archs.log" || {
    grep -A20 FAILED "$folder/hip-archs.log" >&2
    die "an architecture no longer compiles"
}
note "$(ls "$folder"/src/engine/hip/*.co | wc -l) code objects, $((SECONDS - begin)) s"
python3 tests/device/code_objects.py "$@" "$folder"/src/engine/hip/*.co
