#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs what is missing, builds everything and runs every test.
#   scripts/test.sh            all steps
#   scripts/test.sh STEP...    some of: engine emu hip planted fuzz sanitize lint ffmpeg fate filter
# Prints one line per step, and the counts last; exits non-zero if a step failed.
. "$(dirname "$0")/lib.sh"
set +e
passed=0
failed=0
failed_names=

step() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2 begin=$SECONDS
    shift 2
    printf '\n=== %s\n' "$name"
    if timeout --kill-after=20 "$limit" "$@"; then
        passed=$((passed + 1))
        printf '=== %s: passed in %d s\n' "$name" $((SECONDS - begin))
    else
        failed=$((failed + 1))
        failed_names="$failed_names $name"
        printf '=== %s: FAILED after %d s\n' "$name" $((SECONDS - begin))
    fi
}

wanted() { # STEP: was it asked for, or nothing in particular?
    [ ${#steps[@]} -eq 0 ] && return 0
    local name
    for name in "${steps[@]}"; do [ "$name" = "$1" ] && return 0; done
    return 1
}

steps=("$@")
step setup 1200 scripts/setup.sh
step configure 120 scripts/configure.sh
step build 1200 ninja -C build -j "$jobs"
if [ "$failed" -gt 0 ]; then
    echo "nothing can be tested until the build works"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    exit 1
fi
wanted engine && step engine 1200 meson test -C build --no-rebuild --timeout-multiplier 4 --print-errorlogs \
    --no-suite emu --no-suite hip --no-suite planted --num-processes "$jobs"
wanted emu && step emu 1200 meson test -C build --no-rebuild --timeout-multiplier 4 --print-errorlogs --suite emu \
    --num-processes "$jobs"
if wanted hip; then
    # The HIP backend over its stand-in runtime, every default architecture, and the
    # messages of a real runtime without a GPU.
    step hip 1200 meson test -C build --no-rebuild --timeout-multiplier 4 --print-errorlogs --suite hip \
        --num-processes "$jobs"
    step hip-archs 1500 scripts/hip-archs.sh
    step rocm 300 scripts/test-rocm.sh
fi
wanted planted && step planted 1200 meson test -C build --no-rebuild --timeout-multiplier 4 --print-errorlogs \
    --suite planted --num-processes "$jobs"
wanted fuzz && step fuzz 1200 scripts/fuzz.sh 15
wanted lint && step lint 1800 scripts/lint.sh build
wanted sanitize && step sanitize 1500 scripts/test-sanitizers.sh small
if wanted ffmpeg || wanted fate || wanted filter; then
    step ffmpeg 1500 scripts/build-ffmpeg.sh
fi
wanted fate && step fate 600 scripts/fate.sh
wanted filter && step filter 600 tests/filter/run.sh build/ffmpeg/ffmpeg

[ -n "$failed_names" ] && printf '\nfailed:%s\n' "$failed_names"
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
