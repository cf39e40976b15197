#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes compilers that link with glibc 2.31, and with a static C++ library, on a Debian 12: what they link runs on
# Debian 11, too.
# Needs no root. Not here: static libraries (linkable.sh).
#   old-glibc.sh PACKAGES MACHINE GLIBC COMPILERS    a folder with libc6, libc6-dev and libgcc-s1 of Debian 11 for
#                                                    this MACHINE: x86_64, aarch64; two folders to write to
set -eu
shopt -s nullglob
packages=$1
triplet=$2-linux-gnu
glibc=$3
compilers=$4
prefix=
[ "$2" = "$(uname -m)" ] || prefix=$triplet-

unpack() {
    local work=$glibc.new package
    rm -rf "$work" "$glibc"
    mkdir -p "$work" "$glibc"
    for package in libc6 libc6-dev libgcc-s1; do
        dpkg-deb -x "$packages/${package}"_*.deb "$work"
    done
    cp -a "$work/lib/$triplet"/{ld-,libgcc_s}*so* "$glibc/"
    cp -a "$work/lib/$triplet"/lib{c,m,mvec,dl,pthread,rt,util,resolv}[.-]*so* "$glibc/"
    cp "$work/usr/lib/$triplet"/{*crt*.o,libc_nonshared.a} "$glibc/"
    rm -rf "$work"
}

# From 2.34 on these libraries are parts of libc, so that nobody names them any more.
write_link_scripts() {
    local name once=() vectors
    vectors=$(echo "$glibc"/libmvec.so.?)
    for name in pthread dl rt; do
        once+=("$(echo "$glibc/lib$name.so".?)")
    done
    for name in pthread dl rt util resolv; do
        ln -sf "$(basename "$glibc/lib$name.so".?)" "$glibc/lib$name.so"
    done
    echo "GROUP($glibc/libc.so.6 $glibc/libc_nonshared.a" \
        "AS_NEEDED(${once[*]} $(echo "$glibc"/ld-linux-*)))" >"$glibc/libc.so"
    # Arm has no libmvec in this version.
    echo "GROUP($glibc/libm.so.6 ${vectors:+AS_NEEDED($vectors)})" >"$glibc/libm.so"
    # Debian 12's own needs glibc 2.35.
    echo "GROUP($glibc/libgcc_s.so.1 -lgcc)" >"$glibc/libgcc_s.so"
    # So does its C++ library. The shared one brings libm along, and who names -lstdc++ relies on that.
    echo "GROUP($("${prefix}gcc" -print-file-name=libstdc++.a) -lm)" >"$glibc/libstdc++.so"
}

# The compilers look for glibc's files below -B first.
write_compilers() {
    local name
    mkdir -p "$compilers"
    for name in gcc g++; do
        # shellcheck disable=SC2016 # that shell's
        printf '#!/bin/sh\nexec ${RELEASE_CCACHE:+ccache} /usr/bin/%s -B%s/ "$@"\n' "$prefix$name" "$glibc" \
            >"$compilers/$prefix$name"
        chmod +x "$compilers/$prefix$name"
    done
    [ -n "$prefix" ] || ln -sf gcc "$compilers/cc"
    [ -n "$prefix" ] || ln -sf g++ "$compilers/c++"
}

unpack
write_link_scripts
write_compilers
cd "$(dirname "$0")"
"${prefix}gcc" -O2 -fPIC -c later.c -o "$glibc/later.o"
"${prefix}ar" rD "$glibc/libc_nonshared.a" "$glibc/later.o"
rm "$glibc/later.o"
