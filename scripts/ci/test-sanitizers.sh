#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Unit, golden and tool tests under AddressSanitizer with
# UndefinedBehaviorSanitizer (build/asan) and under ThreadSanitizer (build/tsan); the
# GPU backends over their stand-ins under the former (build/asan-hip, build/asan-cuda).
#   scripts/ci/test-sanitizers.sh [asan] [tsan] [hip] [cuda]
#   scripts/ci/test-sanitizers.sh small     the unit tests of the API, the engine and its threads on
#                                        small pictures, under both; asan-small or tsan-small: under
#                                        one, as scripts/test.sh does in turn. asan-small is Clang's,
#                                        in the build folder of fuzz.sh
. "$(dirname "$0")/../lib/common.sh"

run() { # NAME SANITIZERS SUITES...
    local name=$1 sanitizers=$2
    shift 2
    [ -f "build/$name/build.ninja" ] || meson setup "build/$name" -Dbuildtype=debugoptimized \
        -Db_sanitize="$sanitizers" -Db_lundef=false -Dcuda=disabled -Dhip=disabled -Demu=false \
        -Dwerror=true
    ninja -C "build/$name" -j "$jobs"
    meson test -C "build/$name" --no-rebuild --setup sanitize --print-errorlogs \
        --num-processes "$jobs" "${@/#/--suite=}"
}

# The stand-in is the emulator, whose long checks are left out here.
run_hip() {
    [ -f build/asan-hip/build.ninja ] || meson setup build/asan-hip -Dbuildtype=debugoptimized \
        -Db_sanitize=address,undefined -Db_lundef=false -Dcuda=disabled -Dhip=enabled \
        -Dhip_archs=gfx90a,gfx1030
    ninja -C build/asan-hip -j "$jobs" tests/device/test_hip tests/device/test_hip_host tools/vmaf_gpu \
        tests/device/libamdhip64.so tests/device/libamdhip64_emu5.so tests/unit/images
    meson test -C build/asan-hip --no-rebuild --setup sanitize --print-errorlogs \
        --num-processes "$jobs" hip_host 'hip wave32' 'hip wave64' 'hip version 5' \
        'hip tool' 'images hip wave32'
}

run_cuda() {
    [ -f build/asan-cuda/build.ninja ] || meson setup build/asan-cuda -Dbuildtype=debugoptimized \
        -Db_sanitize=address,undefined -Db_lundef=false -Dhip=disabled -Dcuda=enabled -Dnvcc_archs=75
    ninja -C build/asan-cuda -j "$jobs" tests/device/test_cuda_standin tests/device/test_cuda_host \
        tools/vmaf_gpu tests/device/libcuda.so.1 tests/device/libcuda_old.so
    meson test -C build/asan-cuda --no-rebuild --setup sanitize --print-errorlogs \
        --num-processes "$jobs" cuda_host cuda-standin 'cuda-standin old driver' 'cuda-standin tool'
}

# The tests in shares, some at once: of two alone, one would take twice as long as the other.
run_small() { # BUILD_FOLDER
    local shares=8 status=0
    ninja -C "$1" -j "$jobs" tests/unit/unit_small
    rm -f "$1"/share?.log
    seq 0 $((shares - 1)) | GTEST_TOTAL_SHARDS=$shares \
        ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:check_initialization_order=1 \
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 \
        xargs -P "$jobs" -I% sh -c 'GTEST_SHARD_INDEX=% "$0/tests/unit/unit_small" --gtest_brief=1 >"$0/share%.log" 2>&1' "$1" ||
        status=1
    cat "$1"/share?.log
    [ "$(grep -l '^\[  PASSED' "$1"/share?.log | wc -l)" -eq "$shares" ] && [ "$status" -eq 0 ]
}

run_asan_small() {
    configure_fuzz
    run_small build/fuzz
}

run_tsan_small() {
    [ -f build/tsan-small/build.ninja ] || meson setup build/tsan-small -Dbuildtype=debug \
        --unity=on -Dunity_size=16 -Doptimization=1 -Db_sanitize=thread -Db_lundef=false -Db_ndebug=false \
        -Dcpp_args=-DVMAFGPU_FEW_LEVELS -Dcuda=disabled -Dhip=disabled -Demu=false -Dtools=false
    run_small build/tsan-small
}

[ $# -gt 0 ] || set -- asan tsan hip cuda
for name in "$@"; do
    case $name in
    asan) run asan address,undefined unit golden tool ;;
    tsan) run tsan thread unit golden ;;
    hip) run_hip ;;
    cuda) run_cuda ;;
    asan-small) run_asan_small ;;
    tsan-small) run_tsan_small ;;
    small)
        run_asan_small
        run_tsan_small
        ;;
    *) echo "unknown sanitizer run: $name (asan, tsan, hip, cuda, small, asan-small, tsan-small)" >&2 && exit 1 ;;
    esac
done
