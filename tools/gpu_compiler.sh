#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Finds the clang that compiles this project's GPU kernels. A candidate has to compile the kernel
# file that asks the most of a compiler; what it says of itself does not count. Meson and
# scripts/setup.sh both ask here. Not here: nvcc, which Meson looks for, and what the code computes,
# which the engine's self-test checks when it opens a GPU.
#   tools/gpu_compiler.sh hip|ptx [--cache FOLDER] [--names "CLANG..."] [TARGET]
# Prints "use PATH" for the first that passes, and "skip NAME: REASON" for each before it; the exit
# status is 1 if none passes. TARGET: gfx90a or sm_80 if not given. Verdicts are kept in FOLDER.
#   GPU_COMPILER_SECONDS   how long a candidate may compute; 180 if not set. On a busy machine that takes longer
#   GPUS_ROOT              the folder that stands for / when ROCm is looked for; see scripts/lib/gpu.sh
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

kind=${1:?hip or ptx}
shift
cache=
names=
lowest=15 # the first that has compiled every kernel; README.md and docs/develop/hip.md name it
while [ $# -gt 1 ]; do
    case $1 in
    --cache) cache=$2 ;;
    --names) names=$2 ;;
    *) break ;;
    esac
    shift 2
done
sources=$root/src/engine
case $kind in
hip)
    target=${1:-gfx90a}
    kernel=$sources/features/vif/vif_kernels.cpp
    flags=(-x hip -nogpuinc -nogpulib -fuse-cuid=none --no-gpu-bundle-output -mcode-object-version=4 -DSIMT_HIP)
    case $target in *-generic) flags+=(-mcode-object-version=6) ;; esac
    ;;
ptx)
    target=${1:-sm_80}
    kernel=$sources/features/vif/vif_matrix_kernels.cpp
    flags=(-x cuda "--cuda-path=$sources/cuda/ptx" -nocudainc -nocudalib -S -DSIMT_CUDA
        -Wno-unknown-cuda-version -Xclang -target-feature -Xclang +ptx70
        -include "$sources/simt/cuda_clang.h")
    ;;
*) echo "usage: tools/gpu_compiler.sh hip|ptx [--cache FOLDER] [--names \"CLANG...\"] [TARGET]" >&2 && exit 2 ;;
esac
flags+=(--cuda-device-only -std=c++17 -O3 -ffp-contract=off -fno-fast-math -I "$sources" -I "$root/include")

candidates() {
    # shellcheck disable=SC2086 # a list
    [ -z "$names" ] || { printf '%s\n' $names && return; }
    [ "$kind" != hip ] || echo "${GPUS_ROOT:-}/opt/rocm/llvm/bin/clang"
    printf 'clang-%s\n' 21 20 19 18 17 16 15
    echo clang
    [ "$kind" != hip ] || echo hipcc
}

# The file, and that of the linker it starts: a linker that comes later changes the verdict.
identity() { # PATH
    local linker
    linker=$(command -v "$(timeout 10 "$1" -print-prog-name=ld.lld 2>/dev/null)")
    stat -Lc '%n %s %Y' "$1" ${linker:+"$linker"}
    echo "$target ${flags[*]}"
    cat "$kernel" "$sources"/simt/*.h "$sources"/"${kind/ptx/cuda}"/*.h
}

# Prints why a candidate is no use, or nothing. Status 2: that may be another time's answer.
trial() { # PATH
    local version out status limit=${GPU_COMPILER_SECONDS:-180}
    version=$("$1" --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || { echo "it is no clang" && return; }
    [ "$version" -ge "$lowest" ] || { echo "clang $version is too old, $lowest is the oldest that compiles the kernels" && return; }
    out=$(mktemp -d) || return 2
    (ulimit -c 0 && ulimit -S -t "$limit" && exec timeout -k 5 $((10 * limit)) "$1" "${flags[@]}" "--offload-arch=$target" "$kernel" \
        -o "$out/code") >"$out/log" 2>&1 </dev/null
    status=$?
    # A compiler ends by the limit of its time, or says that its own child did.
    if [ "$status" -eq 152 ] || grep -q 'CPU time limit' "$out/log"; then status=124; fi
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        echo "it did not compile $(basename "$kernel") for $target in $limit s"
    elif grep -q 'No space left' "$out/log"; then
        echo "there is no space left for its output"
    elif [ "$status" -ne 0 ] || [ ! -s "$out/code" ]; then
        echo "it fails on $(basename "$kernel") for $target:" \
            "$(grep -m1 -E 'error|not found|Segmentation|Assertion' "$out/log" | cut -c1-160 | grep . || echo "exit status $status")"
        status=1
    fi
    rm -rf "$out"
    case $status in 124 | 137) return 2 ;; esac
}

verdict() { # PATH; as trial(), remembered
    local file why
    [ -n "$cache" ] || { trial "$1"; return; }
    file=$cache/$kind-$(identity "$1" | cksum | tr -dc 0-9)
    if [ ! -f "$file" ]; then
        why=$(trial "$1")
        [ $? -ne 2 ] || { echo "$why" && return; }
        mkdir -p "$cache" && echo "$why" >"$file.$$" && mv "$file.$$" "$file"
    fi
    cat "$file"
}

seen=' '
while read -r name; do
    path=$(command -v "$name") || continue
    file=$(readlink -f "$path")
    # clang is often one of clang-N; a name on which the file's doings depend is not followed.
    [[ "$seen" != *" $file "* ]] || continue
    seen+="$file "
    why=$(verdict "$path")
    [ -n "$why" ] || { echo "use $path" && exit 0; }
    echo "skip $name: $why"
done < <(candidates)
exit 1
