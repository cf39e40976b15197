#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The engine's elementary functions linked with musl and with glibc: both programs must
# print the checksums that tests/unit/libm_functions.h holds. Needs Debian's musl-tools.
# Debian has no C++ library for musl, so the objects are built without one.
#   scripts/ci/test-musl.sh
. "$(dirname "$0")/../lib/common.sh"

command -v musl-gcc >/dev/null || die "musl-gcc not found (Debian: musl-tools)"
out=$build/musl
mkdir -p "$out"
cxx=${CXX:-g++}
flags=(-std=c++17 -O2 -ffp-contract=off -fno-fast-math -fno-exceptions -fno-rtti
    -U_FORTIFY_SOURCE -fno-pie -Isrc/engine -Itests/unit)
objects=()
for file in src/engine/libm/libm.cpp src/engine/libm/soft_fma.cpp tests/unit/print_bits.cpp; do
    object=$out/$(basename "$file").o
    "$cxx" "${flags[@]}" -c "$file" -o "$object"
    objects+=("$object")
done
musl-gcc -static -no-pie "${objects[@]}" -o "$out/print_bits.musl"
"$cxx" -static -no-pie "${objects[@]}" -o "$out/print_bits.glibc"
status=0
for library in glibc musl; do
    note "linked with $library"
    "$out/print_bits.$library" || status=1
done
exit "$status"
