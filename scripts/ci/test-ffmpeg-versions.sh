#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Grafts the filter into one FFmpeg of each supported release, builds it and runs its FATE
# tests; on the oldest and the newest with --assert-level=2 and the shell tests of
# tests/filter, too. Not part of scripts/test.sh, which has one FFmpeg: some 20 minutes on
# two cores. Its last run is in docs/history/test-runs.md.
#   scripts/ci/test-ffmpeg-versions.sh [5.1 7.1 8.1 9.0]
# Sources are Debian's (bookworm, trixie, forky, sid), from the mirror that this system has,
# with an apt configuration of our own below build/. FFMPEG_SOURCES=DIR: folders
# DIR/ffmpeg-5.1* and so on are used instead where there are any; forky, too, has 9.0 by now,
# so that 8.1 needs this.
. "$(dirname "$0")/../lib/common.sh"
. "$root/scripts/lib/ffmpeg-source.sh"

[ $# -gt 0 ] || set -- 5.1 7.1 8.1 9.0
work=$build/ffmpeg-versions
mkdir -p "$work/source"

obtain() { # VERSION: sets `from`
    from=$(ffmpeg_tree_in "$1" "${FFMPEG_SOURCES:-/nonexistent}")
    [ -n "$from" ] || from=$(ffmpeg_tree_in "$1" "$work/source")
    [ -n "$from" ] || { fetch_ffmpeg "$1" "$work/source" || die "no source; set FFMPEG_SOURCES"; }
    [ -n "$from" ] || from=$(ffmpeg_tree_in "$1" "$work/source")
}

run() { # VERSION IS-EDGE
    local log=$work/$1.log begin=$SECONDS status=0
    obtain "$1"
    export FFMPEG_SRC=$from FFMPEG_TREE=$work/$1 FFMPEG_PROFILE=minimal FFMPEG_FLAGS=
    [ "$2" = 0 ] || FFMPEG_PROFILE=small FFMPEG_FLAGS=--assert-level=2
    {
        scripts/build-ffmpeg.sh && "$root/libavfilter_patch/apply.sh" --check "$FFMPEG_TREE" &&
            VMAF_GPU_FATE=${VMAF_GPU_FATE-emu} scripts/ci/fate.sh &&
            if [ "$2" = 0 ]; then
                tests/filter/patch.sh "$FFMPEG_TREE"
            else
                tests/filter/run.sh "$FFMPEG_TREE/ffmpeg"
            fi
    } >"$log" 2>&1 || status=1
    printf 'FFmpeg %s %s: %s in %d s (%s)\n' "$(cat "$FFMPEG_TREE/RELEASE")" "$FFMPEG_FLAGS" \
        "$([ $status -eq 0 ] && echo passed || echo FAILED)" $((SECONDS - begin)) \
        "$(grep -E '^(fate|alloc_failures|bad_input|options|pairing|lifecycle|again|frames|hip_failures|patch): [0-9]+' "$log" | tr '\n' ';')"
    [ $status -eq 0 ] || grep -E 'FAILED|error|Error|die' "$log" | tail -n 20
    return $status
}

for version in "$@"; do
    [ -n "${ffmpeg_suites[$version]:-}" ] ||
        die "unknown version $version (known: ${!ffmpeg_suites[*]})"
done
failed=0
# The tests of the filter want the stand-in runtime of the engine that is linked.
configure_engine test
[ ! -d "$build/tests/device" ] || ninja -C "$build" -j "$jobs" tests/device/libamdhip64.so >"$work/standin.log" 2>&1 ||
    note "no stand-in runtime: the tests of the HIP backend are left out"
for version in "$@"; do
    edge=0
    [ "$version" != 5.1 ] && [ "$version" != 9.0 ] || edge=1
    run "$version" $edge || failed=1
done
exit $failed
