#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the fuzz targets (tests/fuzz) with Clang, AddressSanitizer and
# UndefinedBehaviorSanitizer in build/fuzz and runs each for some seconds, one on each core.
#   scripts/ci/fuzz.sh [SECONDS [TARGET...]]     15 seconds, all targets by default
# What is found is added to build/fuzz/corpus; an input that fails is left in
# build/fuzz/findings, printed, and makes the exit status 1.
. "$(dirname "$0")/../lib/common.sh"
seconds=${1:-15}
[ $# -eq 0 ] || shift
known=$(sed -n "s/^fuzz_targets = \[\(.*\)\]$/\1/p" tests/fuzz/meson.build | tr -d "',")
# shellcheck disable=SC2086 # a list
[ $# -gt 0 ] || set -- $known
[ $# -gt 0 ] || die "tests/fuzz/meson.build names no targets"
for name in "$@"; do
    [[ " $known " == *" $name "* ]] || die "no target $name (known: $known)"
done
configure_fuzz
targets=()
for name in "$@"; do targets+=("tests/fuzz/fuzz_$name"); done
ninja -C "$build/fuzz" -j "$jobs" "${targets[@]}"

export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
mkdir -p "$build/fuzz/findings"

fuzz() { # TARGET: prints one line; fails if an input does, or if nothing was run
    local name=$1 log=$build/fuzz/$1.log longest=600 limits=() words=() status=0 runs
    mkdir -p "$build/fuzz/corpus/$name"
    # Sizes to 1 MB from the beginning; the target checks that time is in proportion.
    [ "$name" = model ] && longest=1048576 && limits=(-len_control=0)
    [ "$name" = part ] && longest=8000 # two parts of a few pairs
    [ -f "tests/fuzz/$name.dict" ] && words=("-dict=tests/fuzz/$name.dict")
    "$build/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 \
        -rss_limit_mb=1500 -max_len="$longest" "${limits[@]}" -print_final_stats=1 "${words[@]}" \
        -artifact_prefix="$build/fuzz/findings/$name-" \
        "$build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1 || status=1
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ "$status" -ne 0 ]; then
        grep -v '^#' "$log" | head -n 60
        note "fuzz_$name FAILED; the input is in $build/fuzz/findings"
    fi
    printf 'fuzz %s: %s runs, %s\n' "$name" "${runs:-no}" \
        "$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [^ ]+' "$log" | tail -n 1)"
    [ "$status" -eq 0 ] && [ "${runs:-0}" -gt 0 ]
}

# A target is one thread: one on each core. The last ones are waited for, too.
status=0
running=0
for name in "$@"; do
    if [ "$running" -ge "$jobs" ]; then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz "$name" &
    running=$((running + 1))
done
for ((; running > 0; running--)); do wait -n || status=1; done
exit "$status"
