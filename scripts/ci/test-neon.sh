#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The CPU backend on 64-bit Arm (NEON), cross-compiled and run under QEMU: check's
# features on the sizes given, and the golden vectors of every feature. Slow; no part of
# the default tests. Needs Debian's g++-aarch64-linux-gnu, qemu-user-static and googletest
# beside what setup.sh installs. Libraries of the other architecture are not needed.
#   scripts/ci/test-neon.sh [CASES OF check ...]
#   CROSS_CXX, QEMU: the compiler and the emulator, if not those of Debian. COMPILER_CACHE=ccache: a
#   program that runs the compiler.
. "$(dirname "$0")/../lib/common.sh"
set -o pipefail

cxx=${CROSS_CXX:-aarch64-linux-gnu-g++}
qemu=${QEMU:-$(command -v qemu-aarch64-static || command -v qemu-aarch64)} ||
    die "neither qemu-aarch64-static nor qemu-aarch64 found"
command -v "$cxx" >/dev/null || die "$cxx not found"
gtest=/usr/src/googletest/googletest
[ -d "$gtest/src" ] || die "no sources of GoogleTest in $gtest"
out=$build/neon
mkdir -p "$out/include" "$out/obj"
for header in hwy CLI nlohmann; do # headers alone: the rest of /usr/include is this machine's
    ln -sfn "/usr/include/$header" "$out/include/$header"
done

# The root meson.build's numeric flags matter more than anywhere: Arm has fused
# multiply-add in its basic instruction set.
flags=(-std=c++17 -O2 -ffp-contract=off -fno-fast-math
    -fno-tree-slp-vectorize -Wno-psabi -I"$out/include" -Isrc/engine -Iinclude -Itests/golden
    -isystem "$gtest/include" -I"$gtest")

# What check and the golden tests reach: all but the API and reports.
configure_engine test # it makes the list of features
sources=(src/engine/{base,core,cpu,device,features,libm,model,picture,plan,scaler,simd,system}/*.cpp
    src/engine/gpu/{backends,batch_runner,device_executor,host_side,inbox,selftest,uploader}.cpp
    "$build/src/engine/feature_list.cpp" "$out/builtin_models.cpp")
python3 tools/embed.py "$out/builtin_models.cpp" models/*.json
python3 tests/golden/embed.py "$out/golden_data.cpp" tests/golden/{adm,cambi,classic,float,motion,speed_chroma,ssim,vif}.json
for file in src/engine/features/*/*.cpp; do
    case $file in *_kernels.cpp) ;; *) sources+=("$file") ;; esac
done
for i in "${!sources[@]}"; do
    case ${sources[i]} in *windows* | *_kernels.cpp) unset "sources[i]" ;; esac
done
golden=(tests/golden/{clips,golden,golden_file,test_{adm,cambi,classic,motion,speed_chroma,vif}_golden}.cpp "$out/golden_data.cpp"
    "$gtest/src/gtest-all.cc" tests/gtest_main.cpp)

# Run by xargs in shells of their own, to which arrays do not pass.
compile() { # FILE, prints the object
    local flags object
    read -r -a flags <<<"$flag_text"
    object=$out/obj/$(tr / _ <<<"${1#/}").o
    [ "$object" -nt "$1" ] || ${COMPILER_CACHE:-} "$cxx" "${flags[@]}" -c "$1" -o "$object"
    echo "$object"
}
flag_text=${flags[*]}
export -f compile
export out cxx flag_text
objects_of() { # FILES
    printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -c 'compile {}'
}

note "compiling with $cxx"
mapfile -t engine < <(objects_of "${sources[@]}")
mapfile -t check < <(objects_of tests/check/{*cases,bench,check,content,run}.cpp)
mapfile -t tests < <(objects_of "${golden[@]}")
[ "${#engine[@]}" -eq "${#sources[@]}" ] || die "the engine does not compile"
rm -f "$out/libengine.a"
"${cxx%g++}ar" crs "$out/libengine.a" "${engine[@]}"
"$cxx" -static "${check[@]}" "$out/libengine.a" -o "$out/check" -pthread
"$cxx" -static "${tests[@]}" "$out/libengine.a" -o "$out/golden" -pthread

note "check under $qemu"
if [ $# -eq 0 ]; then # some sizes; and all cases of the features that have none of these
    set -- 129x65 113x31 17x17/
    covered=$(for cases in "$@"; do "$qemu" "$out/check" --list-groups "$cases"; done | cut -d/ -f1)
    for feature in $("$qemu" "$out/check" --list-groups | cut -d/ -f1 | sort -u); do
        grep -qx "$feature" <<<"$covered" || set -- "$@" "$feature/"
    done
fi
for cases in "$@"; do
    "$qemu" "$out/check" --device=cpu:neon "$cases"
done
note "golden vectors under $qemu"
"$qemu" "$out/golden" --gtest_brief=1
