#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Prints the GPUs of this machine, the kernels that a local build makes for them, and what keeps a
# GPU from scoring. Changes nothing; needs neither root nor an SDK. scripts/demo.sh acts on it.
#   scripts/gpus.sh
# Lines: `gpu cuda|hip NAME`, `build cuda nvcc|clang ARCHITECTURES`, `build hip
# ARCHITECTURES`, `problem cuda|hip SENTENCE`.
. "$(dirname "$0")/lib.sh"

while read -r capability name; do
    [ "$capability" != '?' ] || capability=unknown
    [ -z "$name" ] || echo "gpu cuda $name, compute capability $capability"
done < <(nvidia_gpus | sed -E 's/^([0-9]+)([0-9]) /\1.\2 /')
while read -r arch _; do
    echo "gpu hip $arch"
done < <(amd_nodes)
if find_nvcc >/dev/null && [ "$(nvidia_compiler)" = auto ]; then
    echo "build cuda nvcc $(local_cuda_archs)"
elif find_ptx_compiler >/dev/null; then
    echo "build cuda clang"
fi
echo "build hip $(local_hip_archs)"
cuda=$(nvidia_problem)
hip=$(amd_problem)
[ -z "$cuda" ] || echo "problem cuda $cuda"
[ -z "$hip" ] || echo "problem hip $hip"
