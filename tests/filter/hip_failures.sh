#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The filter on the HIP backend's stand-in runtime: calls of the runtime that fail in
# every phase of a run. ffmpeg must end with a failing status and name the call, must
# not hang, and nothing may leak (the stand-in then ends with status 86). Called by
# run.sh; tests/device has every call in turn, without FFmpeg.
. "$(dirname "$0")/begin.sh"
[ -e "$standin" ] || { echo "SKIPPED hip_failures: no $standin"; exit 0; }
export VMAFGPU_HIP_LIBRARY=$standin

run() { # BACKEND; ENVIRONMENT before it. The clips are files: see bad_input.sh
    timeout -k 5 60 "$ffmpeg" -nostdin -nostats -v info -i clip.nut -i clip.nut \
        -lavfi "[0:v]avgblur=2[d];[d][1:v]vmaf_gpu=backend=$1:log_path=log.csv:log_fmt=csv" \
        -f null - >err 2>&1
}

expect_failure() { # FAILURES CALL
    local status=0
    VMAFGPU_STANDIN_FAIL=$1 run hip || status=$?
    [ "$status" -ne 0 ] && [ "$status" -lt 86 ] || { [ "$status" -gt 128 ] && [ "$status" -lt 255 ]; } &&
        grep -q "$2" err && ! grep -qE 'LEAK|MISUSE|Segmentation' err
    verdict "$1 ($2): status $status" $?
}

"$ffmpeg" -nostdin -v error -y -f lavfi -i testsrc2=size=64x48:rate=10:duration=1,format=yuv420p \
    -c:v ffv1 clip.nut
run cpu && cp log.csv cpu.csv
VMAFGPU_STANDIN_LOG=$work/calls run hip && cmp -s cpu.csv log.csv
verdict 'equal logs' $?

last=$(grep -n hipModuleLaunchKernel calls | tail -n 1 | cut -d : -f 1)
for i in $(seq 0 11); do
    number=$((3 + i * (last - 3) / 11)) # the second tells a version, which is only for texts
    expect_failure "lost#$number=719" "$(sed -n "${number}p" calls)"
done
expect_failure 'hipInit#1=100' 'no AMD GPU is visible'
expect_failure 'hipMalloc#*=2' 'hipMalloc of'
expect_failure 'hipHostMalloc#*=2' 'hipHostMalloc of'

VMAFGPU_STANDIN_FAIL='hipModuleUnload#1=719' run hip && grep -q hipModuleUnload err &&
    cmp -s cpu.csv log.csv
verdict 'a failure after the last score is a warning' $?
VMAFGPU_STANDIN_FAIL='hipModuleLoadData#*=719' run auto && grep -q 'auto: hip failed' err &&
    cmp -s cpu.csv log.csv
verdict 'auto goes on with the CPU' $?

summary
