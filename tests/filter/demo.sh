#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# README's blocks "CPU" and "AMD" with the real build: their commands, extracted from README.md, run
# by the shell in a folder of their own. AMD: a folder stands for the kernel's, the stand-in for
# the runtime. Called by run.sh; machines of other kinds: tests/install. Not here: NVIDIA.
#   tests/filter/demo.sh FFMPEG    the one that scripts/build-ffmpeg.sh made
. "$(dirname "$0")/begin.sh"
if [ "$ffmpeg" != "$root/build/ffmpeg/ffmpeg" ]; then
    echo "SKIPPED demo: $ffmpeg is not what scripts/demo.sh builds"
    exit 0
fi
# As it was built, so that it is not built again.
! grep -qx -- --assert-level=1 "$root/build/ffmpeg/.vmaf_gpu_configure" ||
    export FFMPEG_FLAGS="--assert-level=1 ${FFMPEG_FLAGS:-}"
! grep -qx -- --disable-everything "$root/build/ffmpeg/.vmaf_gpu_configure" || export FFMPEG_PROFILE=small

# A machine without GPU, to which amd() adds one.
mkdir -p "$work/machine/sys" "$work/machine/etc"
cp /etc/os-release "$work/machine/etc"
export GPUS_ROOT=$work/machine NVIDIA_SMI=no-such-nvidia-smi
export VMAFGPU_CUDA_LIBRARY=none VMAFGPU_HIP_LIBRARY=none

amd() {
    local node=$work/machine/sys/class/kfd/kfd/topology/nodes/1
    mkdir -p "$node" "$work/machine/lib" "$work/machine/dev/dri"
    printf 'gfx_target_version 100300\ndrm_render_minor 128\n' >"$node/properties"
    touch "$work/machine/dev/kfd" "$work/machine/dev/dri/renderD128" "$work/machine/lib/libamdhip64.so.6"
    VMAFGPU_HIP_LIBRARY=$(realpath "$root/build/tests/device/libamdhip64.so")
}

# Distorted and reference as README names them; the emulator is slow.
"$ffmpeg" -v error -f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -c:v mpeg4 -q:v 2 "$work/reference.mp4"
"$ffmpeg" -v error -i "$work/reference.mp4" -c:v mpeg4 -q:v 25 "$work/distorted.mp4"

# Commands are those of a clone; the files lie elsewhere.
run_block() { # BLOCK DEVICE
    local command lines scores=
    while read -r command; do
        case $command in scripts/amd-selftest.sh*) continue ;; esac
        # ffmpeg would read the next commands as keys.
        (cd "$work" && timeout -k 5 300 bash -c "${command/#/$root/}") </dev/null >"$work/out" 2>"$work/err"
        verdict "$1: $command" $?
        case $command in
        scripts/demo.sh*)
            lines=$(tail -n 3 "$work/out")
            grep -qE "^scored on: $2 \(.+\)$" <<<"$lines" && [[ ${lines##*$'\n'} =~ ^VMAF\ score:\ [0-9.]+$ ]]
            verdict "$1: $command: last lines" $?
            ;;
        *)
            grep -q "frames, backend $2 (" "$work/err"
            verdict "$1: $command: backend" $?
            ;;
        esac
        [[ $command != *distorted.mp4* ]] || scores+=$(grep -ho 'VMAF score: .*' "$work/out" "$work/err" | tail -n 1)$'\n'
    done < <(python3 -B "$root/tests/install/readme.py" "$1")
    all_scores+=$scores
}

all_scores=
run_block CPU cpu
amd
run_block AMD hip
# Both devices, FFmpeg alone and with the script.
[ "$(sort -u <<<"${all_scores%$'\n'}" | wc -l)" -eq 1 ] && [ "$(grep -c . <<<"$all_scores")" -eq 3 ]
verdict "the same score each time: $all_scores" $?
summary
