#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Unit, golden and tool tests under AddressSanitizer with
# UndefinedBehaviorSanitizer (build/asan) and under ThreadSanitizer (build/tsan).
#   scripts/test-sanitizers.sh [asan] [tsan]
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc)

run() { # NAME SANITIZERS SUITES...
    local name=$1 sanitizers=$2
    shift 2
    [ -f "build/$name/build.ninja" ] || meson setup "build/$name" -Dbuildtype=debugoptimized \
        -Db_sanitize="$sanitizers" -Db_lundef=false -Dcuda=disabled -Demu=false -Dwerror=true
    ninja -C "build/$name" -j "$jobs"
    meson test -C "build/$name" --no-rebuild --setup sanitize --print-errorlogs \
        --num-processes "$jobs" "${@/#/--suite=}"
}

[ $# -gt 0 ] || set -- asan tsan
for name in "$@"; do
    case $name in
    asan) run asan address,undefined unit golden tool ;;
    tsan) run tsan thread unit golden ;;
    *) echo "unknown sanitizer run: $name (asan, tsan)" >&2 && exit 1 ;;
    esac
done
