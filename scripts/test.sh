#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs what is missing, builds everything and runs every test.
#   scripts/test.sh            all steps
#   scripts/test.sh STEP...    some of: engine emu hip planted python fuzz sanitize lint ffmpeg fate
#                              filter pairing windows
#   scripts/test.sh quick      for each commit: the engine's tests, parity on small clips, and of
#                              lint what the last commit and later changes touch; under 6 minutes
#                              on two cores if the rest is built. No part of all steps.
# So that a whole run ends in an hour on two cores, it takes parts of some steps, in turn:
# docs/testing.md. Named steps are always whole.
# Prints one line per step; last, the end of what each failed step printed, and the counts. Exits
# non-zero if a step failed. What each step printed is in build/steps.
. "$(dirname "$0")/lib.sh"
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
commits=$(git rev-list --count HEAD 2>/dev/null || echo 0)
known="engine emu hip planted python fuzz sanitize lint ffmpeg fate filter pairing windows quick"
for name in "${steps[@]}"; do
    [[ " $known " == *" $name "* ]] || die "no step $name (known: $known)"
done
step setup 1200 scripts/setup.sh
step configure 120 env CI=true scripts/configure.sh
step build 1200 ninja -C build -j "$jobs"
if [ "$failed" -gt 0 ]; then
    echo "nothing can be tested until the build works"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    exit 1
fi
if [[ " ${steps[*]} " == *" quick "* ]]; then
    suite quick-engine 600 --no-suite emu --no-suite hip --no-suite amdisa --no-suite cuda-standin \
        --no-suite planted --no-suite batch --no-suite parity --no-suite ptx
    suite quick-parity 300 parity
    step quick-lint 600 scripts/lint.sh build "$(git rev-parse --verify --quiet HEAD~1 || true)"
fi
wanted engine && suite engine 1200 --no-suite emu --no-suite hip --no-suite amdisa --no-suite planted
wanted emu && suite emu 1200 --suite emu
if wanted hip; then
    # The HIP backend over its stand-in runtime, every default architecture, and the
    # messages of a real runtime without a GPU. amdisa: AMD's machine code, interpreted.
    suite hip 1200 --suite hip
    step amdisa-build 900 ninja -C build -j "$jobs" meson-test-prereq
    suite amdisa 600 --suite amdisa
    [ ${#steps[@]} -eq 0 ] || step hip-archs 1500 scripts/hip-archs.sh --families
    step rocm 300 scripts/test-rocm.sh
fi
if wanted planted; then
    # In a whole run a third of them, with each number of commits another one.
    mapfile -t turn < <(meson test -C build --no-rebuild --list --suite planted 2>/dev/null | sed -n 's|.* / ||p' |
        awk -v commits="$commits" -v all="${#steps[@]}" 'all || NR % 3 == commits % 3')
    suite planted 1200 --suite planted "${turn[@]}"
fi
# Before lint, which then reads its sources, too.
wanted python && step python 600 scripts/test-python.sh
wanted fuzz && step fuzz 1200 scripts/fuzz.sh 10
if wanted lint; then
    # In a whole run the static analyser takes half of the sources, in turn.
    turn=()
    [ ${#steps[@]} -gt 0 ] || turn=(--turn "$commits")
    step lint 1800 scripts/lint.sh build "${turn[@]}"
fi
if wanted sanitize; then
    # In a whole run one of the two, in turn.
    sanitizers=(asan-small tsan-small)
    [ ${#steps[@]} -gt 0 ] || sanitizers=("${sanitizers[commits % 2]}")
    step sanitize 1500 scripts/test-sanitizers.sh "${sanitizers[@]}"
fi
wanted windows && step windows 900 scripts/test-windows.sh
if wanted ffmpeg || wanted fate || wanted filter || wanted pairing; then
    # The filter's assertions hold the counts of frames together.
    step ffmpeg 1500 env FFMPEG_PROFILE=small FFMPEG_VULKAN=1 FFMPEG_FLAGS="--assert-level=1 ${FFMPEG_FLAGS:-}" \
        scripts/build-ffmpeg.sh
fi
wanted fate && step fate 600 scripts/fate.sh
wanted filter && step filter 600 tests/filter/run.sh build/ffmpeg/ffmpeg
if wanted pairing; then
    step pairing-tests 300 tests/pairing/test_pairing.py build/ffmpeg/ffmpeg
    step pairing 900 tests/pairing/pairing.py build/ffmpeg/ffmpeg
    step pairing-difficult 900 tests/pairing/difficult.py build/ffmpeg/ffmpeg
    step pairing-containers 600 tests/pairing/containers.py build/ffmpeg/ffmpeg
fi

for name in $failed_names; do
    printf '\n=== the end of %s, which failed\n' "$name"
    tail -n 60 "$logs/$name.log"
done
[ -n "$failed_names" ] && printf '\nfailed:%s\n' "$failed_names"
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
