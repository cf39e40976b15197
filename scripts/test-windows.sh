#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The CPU backend and the tool for Windows, cross-compiled by mingw-w64 and run under Wine. Needs
# Debian's g++-mingw-w64-x86-64-posix, wine64, googletest, nlohmann-json3-dev, libhwy-dev and
# libcli11-dev, and build/; pugixml's source comes from the archive. What it shows: docs/testing.md.
#   scripts/test-windows.sh [build|run]     without a word: both
. "$(dirname "$0")/lib.sh"

compiler=x86_64-w64-mingw32
work=$build/windows
prefix=$work/prefix
windows_build=$work/build
gtest=/usr/src/googletest/googletest
wine=$(command -v wine64 || command -v /usr/lib/wine/wine64) || die "no wine64 (Debian: wine64)"
command -v "$compiler-g++-posix" >/dev/null ||
    die "no $compiler-g++-posix (Debian: g++-mingw-w64-x86-64-posix)"
[ -d "$gtest/src" ] || die "no sources of GoogleTest in $gtest (Debian: googletest)"

static_library() { # NAME COMPILER_ARGUMENTS
    local name=$1
    shift
    [ ! -f "$prefix/lib/lib$name.a" ] || return 0
    "$compiler-g++-posix" -O2 -std=c++17 -I"$prefix/include" "$@" -c -o "$work/$name.o"
    "$compiler-ar" rcs "$prefix/lib/lib$name.a" "$work/$name.o"
}

libraries() {
    local name library version
    mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
    for name in nlohmann hwy CLI; do # headers only: /usr/include itself is this machine's
        ln -sfn "/usr/include/$name" "$prefix/include/$name"
    done
    ln -sfn "$gtest/include/gtest" "$prefix/include/gtest"
    if [ ! -f "$prefix/include/pugixml.hpp" ]; then
        private_apt_update
        (cd "$work" && private_apt --download-only source pugixml && tar -xf pugixml_*.orig.tar.?z)
        cp "$work"/pugixml-*/src/*.hpp "$prefix/include"
    fi
    static_library pugixml "$work"/pugixml-*/src/pugixml.cpp
    static_library gtest -I"$gtest" "$gtest/src/gtest-all.cc"
    for name in pugixml gtest libhwy CLI11 nlohmann_json; do
        library=
        [ ! -f "$prefix/lib/lib$name.a" ] || library="-L$prefix/lib -l$name"
        version=$(pkg-config --modversion "$name" 2>/dev/null) || version=0
        printf 'Name: %s\nDescription: for Windows\nVersion: %s\nCflags: -isystem %s\nLibs: %s\n' \
            "$name" "$version" "$prefix/include" "$library" >"$prefix/lib/pkgconfig/$name.pc"
    done
}

build_programs() {
    libraries
    printf "[properties]\npkg_config_libdir = '%s'\n" "$prefix/lib/pkgconfig" >"$work/paths.ini"
    [ -f "$windows_build/build.ninja" ] ||
        meson setup "$windows_build" --cross-file packaging/windows/mingw.ini \
            --cross-file "$work/paths.ini" -Dbuildtype=release -Dwerror=true \
            -Demu=false -Dcuda=disabled -Dhip=disabled
    ninja -C "$windows_build" tools/vmaf_gpu.exe tests/check/check.exe tests/golden/golden.exe
}

run_programs() {
    local program=$windows_build/tests
    export WINEPREFIX=$work/wine WINEDEBUG=-all
    # Without it, Wine's server would start and end with each program.
    "$(dirname "$(realpath "$wine")")/wineserver" -p60
    note "golden vectors"
    "$wine" "$program/golden/golden.exe" --gtest_brief=1
    note "the features on the size 129x65"
    "$wine" "$program/check/check.exe" --device=cpu 129x65
    note "the tool"
    ninja -C "$build" tools/vmaf_gpu
    python3 -B tests/windows/test_windows.py "$wine" "$windows_build/tools/vmaf_gpu.exe" \
        "$build/tools/vmaf_gpu"
}

case ${1:-all} in
    build) build_programs ;;
    run) run_programs ;;
    all)
        build_programs
        run_programs
        ;;
    *) die "usage: test-windows.sh [build|run]" ;;
esac
