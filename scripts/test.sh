#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs what is missing, builds and tests. The same commit runs the same tests.
#   scripts/test.sh            what CI runs: all that guards exactness, on the CPU, on emulated GPUs and
#                              over the stand-ins for GPU drivers; FATE and some tests of the
#                              filter; lint of what the last ten commits changed
#   scripts/test.sh full       everything, whole; hours
#   scripts/test.sh STEP...    some of: engine emu hip planted python fuzz sanitize lint ffmpeg fate
#                              filter pairing windows fresh; whole. fresh: README's two commands in
#                              clean roots
#   scripts/test.sh quick      for each commit: the engine's tests, whole runs over emulated waves, and
#                              of lint what the last commit and later changes touch
# Prints one line per step; last, the end of what each failed step printed, and the counts. Exits
# non-zero if a step failed. What each step printed is in build/steps.
. "$(dirname "$0")/lib/common.sh"
set +e
passed=0
failed=0
failed_names=
logs=$root/build/steps
mkdir -p "$logs"

step() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2 begin=$SECONDS status printer pipe waits=50
    shift 2
    printf '\n=== %s\n' "$name"
    exec {pipe}> >(exec tee "$logs/$name.log")
    printer=$!
    timeout --kill-after=20 "$limit" "$@" >&"$pipe" 2>&1 {pipe}>&-
    status=$?
    exec {pipe}>&-
    # A process that a test left behind keeps the pipe open: no step waits long for it.
    while [ $((waits -= 1)) -gt 0 ] && kill -0 "$printer" 2>/dev/null; do sleep 0.1; done
    if [ "$status" -eq 0 ]; then
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

suite() { # NAME SECONDS ARGUMENTS OF meson test: fails, too, if they select no test
    local name=$1 limit=$2 listed
    shift 2
    listed=$(meson test -C build --no-rebuild --list "$@" 2>/dev/null) || listed=
    if ! grep -vq '^No .*tests defined' <<<"${listed:-No tests defined}"; then
        echo "meson test $*: no test is selected" >&2
        step "$name" 10 false
        return
    fi
    step "$name" "$limit" meson test -C build --no-rebuild --timeout-multiplier 4 --print-errorlogs \
        --num-processes "$jobs" "$@"
}

steps=("$@")
known="engine emu hip planted python fuzz sanitize lint ffmpeg fate filter pairing windows fresh quick full"
for name in "${steps[@]}"; do
    [[ " $known " == *" $name "* ]] || die "no step $name (known: $known)"
done
[[ " ${steps[*]} " != *" full "* ]] || read -ra steps <<<"${known% quick full}"
short=
[ ${#steps[@]} -gt 0 ] || short=yes
step setup 1200 scripts/setup.sh
config=full
[ -z "$short" ] && [[ " ${steps[*]} " != *" quick "* ]] || config=test
step configure 600 env CI=true scripts/configure.sh "$config"
# What only the whole run tests is not made by default; meson's `all` has it all the same. AMD's machine
# code is read by LLVM 19 or later.
targets=(all)
if [ "$config" = test ]; then
    mapfile -t targets < <(meson introspect build --targets | python3 -c '
import json, os, sys
for target in json.load(sys.stdin):
    if target["build_by_default"]:
        for name in target["filename"]:
            print(os.path.relpath(name, os.path.realpath("build")))')
    ! ninja -C build -t query amdisa-short >/dev/null 2>&1 || targets+=(amdisa-short)
fi
step build 5400 ninja -C build -j "$jobs" -k 0 "${targets[@]}"
if [ "$failed" -gt 0 ]; then
    echo "nothing can be tested until the build works"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    exit 1
fi
if [[ " ${steps[*]} " == *" quick "* ]]; then
    suite quick-engine 600 --no-suite emu --no-suite hip --no-suite amdisa --no-suite cuda-standin \
        --no-suite planted --no-suite batch --no-suite ptx --no-suite new_feature --no-suite long
    suite quick-waves 300 'check emu32 engine' 'check emu64 engine'
    step quick-lint 600 scripts/ci/lint.sh build "$(git rev-parse --verify --quiet HEAD~1 || true)"
fi
# Not of the short run: batch, whose processes take minutes, ptx, which nvcc's code stands for, and long,
# whose cases others have a part of (docs/history/test-runs.md says what only they notice).
wanted engine && suite engine 2400 --no-suite emu --no-suite hip --no-suite amdisa --no-suite planted \
    ${short:+--no-suite batch --no-suite ptx --no-suite long}
if wanted emu; then
    # In the short run waves of 64 are those of the HIP stand-in, which runs all cases, too.
    # shellcheck disable=SC2086 # words
    mapfile -t some < <(meson test -C build --no-rebuild --list --suite emu ${short:+--no-suite long} 2>/dev/null |
        sed -n 's|.* / ||p' | awk -v short="$short" '!short || !/^check emu64/')
    suite emu 2400 --suite emu ${short:+--no-suite long} "${some[@]}"
fi
if wanted hip; then
    # The HIP backend over its stand-in runtime, every default architecture, and the
    # messages of a real runtime without a GPU. amdisa: AMD's machine code, interpreted.
    suite hip 2400 --suite hip ${short:+--no-suite long}
    if [ -n "$short" ] && [[ " ${targets[*]} " != *" amdisa-short "* ]]; then
        echo "SKIPPED amdisa: there is no LLVM 19 or later: AMD's machine code was not run"
    elif [ -n "$short" ]; then
        suite amdisa 1200 --suite amdisa_gfx1030
    else
        suite amdisa 1200 --suite amdisa
        step hip-archs 3600 scripts/ci/hip-archs.sh --families
        step rocm 300 scripts/ci/test-rocm.sh
    fi
fi
if [ -z "$short" ]; then
    wanted planted && suite planted 2400 --suite planted
    # Before lint, which then reads its sources, too.
    wanted python && step python 1200 scripts/ci/test-python.sh
    wanted fuzz && step fuzz 2400 scripts/ci/fuzz.sh 10
fi
if wanted lint; then
    base=
    [ -z "$short" ] || base=$(git rev-parse --verify --quiet HEAD~10 || true)
    step lint 3600 scripts/ci/lint.sh build ${base:+"$base"}
fi
if wanted sanitize; then
    if [ -n "$short" ]; then
        step sanitize 2400 scripts/ci/test-sanitizers.sh asan-small
    else
        step sanitize 7200 scripts/ci/test-sanitizers.sh small
    fi
fi
[ -z "$short" ] && wanted windows && step windows 1800 scripts/ci/test-windows.sh
if wanted ffmpeg || wanted fate || wanted filter || wanted pairing; then
    # The filter's assertions hold the counts of frames together. The profile "minimal" has all of
    # the filter, and what FATE reads.
    step ffmpeg 2400 env FFMPEG_PROFILE="$([ -n "$short" ] && echo minimal || echo small)" \
        FFMPEG_VULKAN=1 FFMPEG_FLAGS="--assert-level=1 ${FFMPEG_FLAGS:-}" scripts/build-ffmpeg.sh
fi
wanted fate && step fate 1200 scripts/ci/fate.sh
# Scripts of a few seconds, for which the profile minimal is enough.
[ -n "$short" ] && wanted fate &&
    step filter-short 600 tests/filter/run.sh build/ffmpeg/ffmpeg alloc_failures bad_input chunk options patch
[ -z "$short" ] && wanted filter && step filter 1800 tests/filter/run.sh build/ffmpeg/ffmpeg
[ -z "$short" ] && wanted filter && step programs 2400 tests/filter/programs.sh build/ffmpeg/ffmpeg
if [ -z "$short" ] && wanted filter; then
    # What README's commands build.
    step ffmpeg-quick 2400 env FFMPEG_PROFILE=quick FFMPEG_TREE="$build/ffmpeg-quick" scripts/build-ffmpeg.sh
    step decoders 900 tests/filter/decoders.sh build/ffmpeg-quick/ffmpeg
fi
if [ -z "$short" ] && wanted pairing; then
    step pairing-tests 300 tests/pairing/test_pairing.py build/ffmpeg/ffmpeg
    step pairing 1800 tests/pairing/pairing.py build/ffmpeg/ffmpeg
    step pairing-difficult 1800 tests/pairing/difficult.py build/ffmpeg/ffmpeg
    step pairing-containers 1200 tests/pairing/containers.py build/ffmpeg/ffmpeg
fi
if [ -z "$short" ] && wanted fresh; then
    if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null; then
        step fresh 14400 scripts/ci/test-fresh.sh
    else
        echo "SKIPPED fresh: it needs root and debootstrap: sudo scripts/ci/test-fresh.sh"
    fi
fi

for name in $failed_names; do
    printf '\n=== the end of %s, which failed\n' "$name"
    tail -n 60 "$logs/$name.log"
done
[ -n "$failed_names" ] && printf '\nfailed:%s\n' "$failed_names"
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
