#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# AMD's machine code, interpreted (tests/amdisa): everything, on five targets, for some hours. CI runs
# a small list (meson test --suite amdisa).
#   scripts/ci/test-amdisa.sh [ARCH...]      default: gfx90a gfx942 gfx1030 gfx1100 gfx1201
#   AMDISA_STEPS="check golden planted knockout wave64" which steps; AMDISA_BUILD=DIR where it is built
. "$(dirname "$0")/../lib/common.sh"
set -o pipefail

archs=("$@")
[ $# -gt 0 ] || archs=(gfx90a gfx942 gfx1030 gfx1100 gfx1201)
build=${AMDISA_BUILD:-build/amdisa}
steps=${AMDISA_STEPS:-check golden planted knockout wave64}
jobs=$(nproc)
list=$(IFS=,; echo "${archs[*]}")

if [ -d "$build" ]; then
    meson configure "$build" -Dhip_archs="$list" || exit 1
else
    meson setup "$build" -Dbuildtype=release -Dcuda=disabled -Dhip=enabled -Dhip_archs="$list" || exit 1
fi
ninja -C "$build" tests/check/check tests/golden/golden tests/unit/images tools/vmaf_gpu || exit 1
failed=0
fails() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}
# Builds what the suite needs, too.
meson test -C "$build" --suite amdisa --print-errorlogs || fails "suite amdisa"
for arch in "${archs[@]}"; do
    wave=32
    [[ $arch != gfx9* ]] || wave=64
    run=(env VMAFGPU_HIP_LIBRARY="$(realpath "$build")/tests/amdisa/libamdhip64_isa.so" VMAFGPU_CUDA_LIBRARY=none
        VMAFGPU_STANDIN_ARCH="$arch" VMAFGPU_STANDIN_WAVE="$wave" VMAFGPU_TEST_DEVICES=hip:0)
    if [[ " $steps " == *" check "* ]]; then
        "${run[@]}" "$build/tests/check/check" --device=hip:0 --slow || fails "$arch: check"
        "${run[@]}" "$build/tests/unit/images" --gtest_filter='*/hip_*' || fails "$arch: images"
    fi
    # The published clips, and the tool's logs with published option strings.
    if [[ " $steps " == *" golden "* ]]; then
        "${run[@]}" "$build/tests/golden/golden" --gtest_filter='*GoldenClips*hip*' || fails "$arch: golden"
        "${run[@]}" tests/golden/published.py --tool "$build/tools/vmaf_gpu" --backend hip || fails "$arch: tool"
    fi
    [[ " $steps " != *" planted "* ]] ||
        python3 -B tests/amdisa/planted.py --waits 10 --jobs "$jobs" --build "$build" "$arch" || fails "$arch: planted"
    [[ " $steps " != *" knockout "* ]] ||
        python3 -B tests/amdisa/knockout.py --jobs "$jobs" "$build" "$arch" || fails "$arch: knockout"
done
# RDNA with waves of 64. Before gfx12 its ds_bpermute, and so shfl(), does not reach the other half
# of such a wave: the self-test refuses it there.
if [[ " $steps " == *" wave64 "* ]]; then
    wide=$build-wave64
    [ -d "$wide" ] || meson setup "$wide" -Dbuildtype=release -Dcuda=disabled -Dhip=enabled \
        -Dhip_archs=gfx1201 -Dhip_wave64=true || exit 1
    meson test -C "$wide" --suite amdisa_gfx1201 --print-errorlogs || fails "suite amdisa with waves of 64"
    env VMAFGPU_HIP_LIBRARY="$(realpath "$wide")/tests/amdisa/libamdhip64_isa.so" VMAFGPU_CUDA_LIBRARY=none \
        VMAFGPU_STANDIN_ARCH=gfx1201 VMAFGPU_STANDIN_WAVE=64 \
        "$wide/tests/check/check" --device=hip:0 --slow || fails "gfx1201 with waves of 64: check"
fi
echo "test-amdisa: ${#archs[@]} targets, $failed failures"
[ "$failed" -eq 0 ]
