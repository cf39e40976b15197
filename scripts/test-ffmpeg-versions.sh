#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Grafts the filter into one FFmpeg of each supported release, builds it and runs its FATE
# tests; on the oldest and the newest with --assert-level=2 and the shell tests of
# tests/filter, too. Not part of scripts/test.sh, which has one FFmpeg: some 20 minutes on
# two cores. Its last run is in docs/testing.md.
#   scripts/test-ffmpeg-versions.sh [5.1 7.1 8.1 9.0]
# Sources are Debian's (bookworm, trixie, forky, sid), from the mirror that this system has,
# with an apt configuration of our own below build/. FFMPEG_SOURCES=DIR: folders
# DIR/ffmpeg-5.1* and so on are used instead where there are any; forky, too, has 9.0 by now,
# so that 8.1 needs this.
. "$(dirname "$0")/lib.sh"

declare -A suites=([5.1]=bookworm [7.1]=trixie [8.1]=forky [9.0]=sid)
[ $# -gt 0 ] || set -- 5.1 7.1 8.1 9.0
work=$build/ffmpeg-versions
mkdir -p "$work"

# Entries for the source code of one more suite, for each mirror of Debian's own that this
# system installs from: those that the suite's main archive is read of, no updates.
write_suite() { # SUITE
    local parts=$build/apt/sources.list.d release
    release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    rm -rf "$parts"
    mkdir -p "$parts"
    write_apt_configuration
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n "s/^[[:space:]]*deb\([[:space:]].*[[:space:]]\)${release}[[:space:]].*/deb-src\1$1 main/p" \
            >"$parts/1.list"
    # In the other format a stanza ends with an empty line.
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk -v suite="$1" -v release="$release" '
        BEGIN { RS = ""; FS = "\n" }
        $0 ~ "\nSuites:([^\n]* )?" release "( |\n|$)" {
            for (i = 1; i <= NF; i++) {
                sub(/^Types:.*/, "Types: deb-src", $i)
                sub(/^Suites:.*/, "Suites: " suite, $i)
                sub(/^Components:.*/, "Components: main", $i)
                if ($i !~ /^#/) print $i
            }
            print ""
        }' >"$parts/2.sources"
    [ -s "$parts/1.list" ] || [ -s "$parts/2.sources" ] ||
        die "no entry of suite $release in /etc/apt; set FFMPEG_SOURCES"
}

source_of() { # VERSION FOLDER: prints the tree, or nothing
    find -L "$2" -mindepth 1 -maxdepth 1 -name "ffmpeg-$1*" -type d 2>/dev/null | sort -V | tail -n 1
}

fetch() { # VERSION
    note "fetching FFmpeg $1 from ${suites[$1]}"
    mkdir -p "$work/source"
    write_suite "${suites[$1]}"
    private_apt update
    # A mirror between two versions may have the original only; Debian's part is no matter here.
    (cd "$work/source" && private_apt source ffmpeg) || unpack_original "$1" ||
        die "apt-get source ffmpeg failed; set FFMPEG_SOURCES"
}

unpack_original() { # VERSION
    local archive
    archive=$(find "$work/source" -name "ffmpeg_$1*.orig.tar.*" ! -name '*.asc' | sort -V | tail -n 1)
    [ -n "$archive" ] && tar -C "$work/source" -xf "$archive"
}

obtain() { # VERSION: sets `from`
    from=$(source_of "$1" "${FFMPEG_SOURCES:-/nonexistent}")
    [ -n "$from" ] || from=$(source_of "$1" "$work/source")
    if [ -z "$from" ]; then
        fetch "$1"
        from=$(source_of "$1" "$work/source")
        [ -n "$from" ] || die "${suites[$1]} has another FFmpeg than $1; set FFMPEG_SOURCES"
    fi
}

run() { # VERSION IS-EDGE
    local log=$work/$1.log begin=$SECONDS status=0
    obtain "$1"
    export FFMPEG_SRC=$from FFMPEG_TREE=$work/$1 FFMPEG_MINIMAL=1 FFMPEG_FLAGS=
    [ "$2" = 0 ] || FFMPEG_FLAGS=--assert-level=2
    {
        scripts/build-ffmpeg.sh && "$root/libavfilter_patch/apply.sh" --check "$FFMPEG_TREE" &&
            VMAF_GPU_FATE=${VMAF_GPU_FATE-emu} scripts/fate.sh &&
            { [ "$2" = 0 ] || tests/filter/run.sh "$FFMPEG_TREE/ffmpeg"; }
    } >"$log" 2>&1 || status=1
    printf 'FFmpeg %s %s: %s in %d s (%s)\n' "$(cat "$FFMPEG_TREE/RELEASE")" "$FFMPEG_FLAGS" \
        "$([ $status -eq 0 ] && echo passed || echo FAILED)" $((SECONDS - begin)) \
        "$(grep -E '^(fate|alloc_failures|bad_input|options|pairing|lifecycle|frames|hip_failures): [0-9]+' "$log" | tr '\n' ';')"
    [ $status -eq 0 ] || grep -E 'FAILED|error|Error|die' "$log" | tail -n 20
    return $status
}

for version in "$@"; do
    [ -n "${suites[$version]:-}" ] || die "unknown version $version (known: ${!suites[*]})"
done
failed=0
# The tests of the filter want the stand-in runtime of the engine that is linked.
configure_engine
[ ! -d "$build/tests/standin" ] || ninja -C "$build" -j "$jobs" tests/standin/libamdhip64.so >"$work/standin.log" 2>&1 ||
    note "no stand-in runtime: the tests of the HIP backend are left out"
for version in "$@"; do
    edge=0
    [ "$version" != 5.1 ] && [ "$version" != 9.0 ] || edge=1
    run "$version" $edge || failed=1
done
exit $failed
