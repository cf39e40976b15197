#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The OpenCL backend on Mesa's rusticl over llvmpipe, a processor's driver: every kernel beside the
# reference code, whole runs, published scores, and the filter. Builds build/
# with -Dopencl=enabled if nobody has configured it. Needs clang 19, llvm-spirv 19 and rusticl, as
# Debian 13 has them: sudo scripts/ci/in-debian.sh trixie scripts/ci/test-opencl.sh. Skips aloud elsewhere.
#   scripts/ci/test-opencl.sh quick     without golden scores and the filter
# OPENCL_DRIVER=pocl.icd names another driver, of /etc/OpenCL/vendors.
. "$(dirname "$0")/../lib/common.sh"

packages=(clang-19 llvm-19 llvm-spirv-19 mesa-opencl-icd ocl-icd-libopencl1)
driver=${OPENCL_DRIVER:-rusticl.icd}
missing() {
    local name
    for name in clang-19 opt-19 llvm-spirv-19; do
        command -v "$name" >/dev/null || printf '%s ' "$name"
    done
    [ -e "/etc/OpenCL/vendors/$driver" ] || printf '%s' "$driver"
}
if [ -n "$(missing)" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get install -q -y --no-install-recommends "${packages[@]}" >/dev/null 2>&1 || true
fi
absent=$(missing)
if [ -n "$absent" ]; then
    echo "SKIPPED opencl: missing: $absent(Debian 13 has them: ${packages[*]})"
    exit 0
fi
[ -f "$build/build.ninja" ] || meson setup "$build" -Dopencl=enabled -Dcuda=disabled -Dhip=disabled -Dcpu_levels=local
if [ "$(configured opencl)" != enabled ]; then
    echo "SKIPPED opencl: build/ was configured without -Dopencl=enabled"
    exit 0
fi
ninja -C "$build" -j "$jobs" tests/check/check tests/golden/golden tests/device/test_emu tools/vmaf_gpu

# Only this driver: others of the machine may be slow, or wrong.
export OCL_ICD_VENDORS=$driver RUSTICL_ENABLE=llvmpipe RUSTICL_FEATURES=fp64
devices=$("$build/tools/vmaf_gpu" --list-devices)
printf '%s\n' "$devices"
grep -q '^opencl:0 .* MiB$' <<<"$devices" || die "the driver's device cannot be used"
"$build/tests/check/check" --device=opencl:0 --slow
[ "${1:-}" != quick ] || exit 0
VMAFGPU_TEST_DEVICES=opencl:0 "$build/tests/golden/golden" --gtest_filter='*GoldenClips*opencl*'
FFMPEG_PROFILE=minimal scripts/build-ffmpeg.sh
VMAF_GPU_FATE=opencl scripts/ci/fate.sh
