#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Prints the GPUs of this machine, the kernels that a local build makes for them, and what keeps a
# GPU from scoring. Changes nothing; needs neither root nor an SDK. scripts/demo.sh acts on it.
#   scripts/lib/gpus.sh
#   scripts/lib/gpus.sh hip|cuda     only the architectures to build for: Meson's value `local`
# Lines: `gpu cuda|hip NAME`, `build cuda nvcc|clang ARCHITECTURES`, `build hip
# ARCHITECTURES`, `problem cuda|hip SENTENCE`.
. "$(dirname "$0")/common.sh"

case ${1:-} in
hip) local_hip_archs && exit ;;
cuda) local_cuda_archs && exit ;;
esac
while read -r capability name; do
    [ "$capability" != '?' ] || capability=unknown
    [ -z "$name" ] || echo "gpu cuda $name, compute capability $capability"
done < <(nvidia_gpus | sed -E 's/^([0-9]+)([0-9]) /\1.\2 /')
while read -r arch _; do
    echo "gpu hip $arch"
done < <(amd_nodes)
archs=$(local_cuda_archs | paste -sd, -)
if [ -z "$archs" ]; then
    :
elif find_nvcc >/dev/null && [ "$(nvidia_compiler)" = auto ]; then
    echo "build cuda nvcc $archs"
elif gpu_compiler ptx >/dev/null; then
    echo "build cuda clang $archs"
fi
archs=$(local_hip_archs | paste -sd, -)
[ -z "$archs" ] || echo "build hip $archs"
cuda=$(nvidia_problem)
hip=$(amd_problem)
[ -z "$cuda" ] || echo "problem cuda $cuda"
[ -z "$hip" ] || echo "problem hip $hip"
