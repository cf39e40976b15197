#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs the filter's FATE tests in build/ffmpeg (or FFMPEG_TREE), which build-ffmpeg.sh made: on
# the CPU and on the emulated GPU; VMAF_GPU_FATE="emu cuda" chooses others. "hip" runs
# over the stand-in runtime, with waves of 32 and once more with waves of 64, unless
# VMAFGPU_HIP_LIBRARY names a runtime. A filter of this kind fails by hanging, hence
# the timeout.
. "$(dirname "$0")/../lib/common.sh"

tree=${FFMPEG_TREE:-$build/ffmpeg}
backends=${VMAF_GPU_FATE-emu hip}
standin=0
case " $backends " in
*" hip "*)
    if [ -z "${VMAFGPU_HIP_LIBRARY:-}" ]; then
        standin=1
        export VMAFGPU_HIP_LIBRARY=$build/tests/device/libamdhip64.so
        ninja -C "$build" "${VMAFGPU_HIP_LIBRARY#"$build"/}" >/dev/null
    fi
    ;;
esac
[ -x "$tree/ffmpeg" ] || die "run scripts/build-ffmpeg.sh first"
ninja -C "$build" tools/vmaf_gpu >/dev/null # merges parts
fate=(make -C "$tree" VMAF_GPU_TOOL="$build/tools/vmaf_gpu")

# FATE leaves out, silently, what the configuration cannot run.
tests=$("${fate[@]}" -s VMAF_GPU_FATE="$backends" fate-list | grep -c vmaf-gpu || true)
on_cpu=40 on_others=39
expected=$((on_cpu + on_others * $(wc -w <<<"$backends")))
[ "$tests" -eq "$expected" ] || die "FATE lists $tests tests of vmaf_gpu, not $expected"
echo "backends: cpu $backends"
timeout --kill-after=20 900 \
    "${fate[@]}" -k -j "$jobs" VMAF_GPU_FATE="$backends" fate-vmaf-gpu || die "FATE failed"
echo "fate: $tests tests passed"

[ "$standin" = 1 ] || exit 0
mapfile -t again < <("${fate[@]}" -s VMAF_GPU_FATE=hip fate-list | grep -- 'vmaf-gpu.*-hip$')
[ "${#again[@]}" -eq "$on_others" ] || die "FATE lists ${#again[@]} tests of vmaf_gpu on hip, not $on_others"
VMAFGPU_STANDIN_WAVE=64 timeout --kill-after=20 900 \
    "${fate[@]}" -k -j "$jobs" VMAF_GPU_FATE=hip "${again[@]}" || die "FATE failed on waves of 64"
echo "fate: ${#again[@]} tests passed on hip with waves of 64"
