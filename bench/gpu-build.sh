#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the engine, check and bench on a GPU machine that reaches no package
# source: gcc, nvcc, meson and ninja must be there, and DEPS is a folder brought
# along with include/ and lib/pkgconfig/ of the dependencies in docs/user/install.md.
#   bench/gpu-build.sh BUILD_DIR [DEPS]
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: bench/gpu-build.sh BUILD_DIR [DEPS]}
if [ $# -gt 1 ]; then
    deps=$(cd "$2" && pwd)
    export PKG_CONFIG_PATH="$deps/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
fi
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
[ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=release -Dcuda=enabled \
    -Dnvcc_archs="$arch"
ninja -C "$build" tests/check/check tests/golden/golden tests/unit/images bench/bench tools/vmaf_gpu
