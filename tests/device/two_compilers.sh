#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# On a GPU: clang's CUDA kernels beside nvcc's. Every comparison with both, then their rates.
#   tests/device/two_compilers.sh BUILD PTX_KERNELS [FOLDER]
# BUILD: of nvcc, static (bench/gpu-build.sh). PTX_KERNELS: ptx_kernels.cpp, which `ninja ptx` made
# where clang is, from the same commit; no clang is needed here. BUILD's programs are linked once
# more with it, into FOLDER (default: BUILD/two_compilers).
#   PARTS="check_all golden"     of tests/gpu.sh; empty: rates only
#   COMPILERS="clang nvcc"       whose kernels are compared with the reference code
#   ROUNDS=2 SECONDS_EACH=0.4 LOWEST=0.9     of bench/compare.sh
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
usage="usage: tests/device/two_compilers.sh BUILD PTX_KERNELS [FOLDER]"
nvcc=$(cd "${1:?$usage}" && pwd)
kernels=$(realpath "${2:?$usage}")
folder=${3:-$nvcc/two_compilers}
mkdir -p "$folder"
clang=$(cd "$folder" && pwd)
parts=${PARTS-check_all golden}
since=$SECONDS

say() { printf '%3d s  %s\n' $((SECONDS - since)) "$*"; }

# What the error texts say of a program's kernels.
made_by() { grep -aoE -m1 'nvcc [0-9]+\.[0-9]+|clang [0-9]+\.[0-9.]+' "$1" | sort -u | paste -sd+; }

# A symbol of an object goes before that of the library, whose own kernels then stay out.
relink() { # PROGRAM, as ninja names it
    local command
    mkdir -p "$clang/$(dirname "$1")"
    command=$(ninja -C "$nvcc" -t commands "$1" | tail -n 1)
    [[ $command == *" -o $1 "* ]] || { echo "no command links $1" >&2; exit 1; }
    (cd "$nvcc" && eval "${command/ -o $1 / -o '$clang/$1' '$clang/kernels.o' }")
    case $(made_by "$clang/$1") in
    clang*+* | nvcc* | '') echo "$clang/$1 has kernels of: $(made_by "$clang/$1")" >&2; exit 1 ;;
    esac
}

c++ -std=c++17 -c -I "$here/src/engine" "$kernels" -o "$clang/kernels.o"
for program in tests/check/check tests/golden/golden tests/unit/images bench/bench tools/vmaf_gpu; do
    relink "$program"
done
say "linked: $(made_by "$nvcc/bench/bench") beside $(made_by "$clang/bench/bench")"

# The driver compiles PTX at its first use, and keeps the code.
for which in first second; do
    begin=$(date +%s.%N)
    "$clang/bench/bench" --backend=cuda --size=576x324 --frames=1 --warmup=0 >/dev/null
    say "clang, $which use: $(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f s", b - a }')"
done

status=0
if [ -n "$parts" ]; then
    for which in ${COMPILERS:-clang nvcc}; do
        say "$which: $parts"
        PARTS=$parts "$here/tests/gpu.sh" "${!which}" || status=1
    done
fi
say "rates: old is nvcc, new is clang"
ROUNDS=${ROUNDS:-2} SECONDS_EACH=${SECONDS_EACH:-0.4} LOWEST=${LOWEST:-0.9} \
    "$here/bench/compare.sh" "$nvcc" "$clang" cuda || status=1
say "done, status $status"
exit "$status"
