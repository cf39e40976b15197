#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Prepares the system that a release is built in, a Debian 12 that is used for nothing else:
# programs are linked with glibc 2.31, whose packages lie in a folder, and with static libraries
# wherever there are some. scripts/release.sh runs it there. Not here: the build (inside.sh).
#   linkable.sh PACKAGES MACHINE    a folder with libc6, libc6-dev and libgcc-s1 of Debian 11 for this
#                                   MACHINE: x86_64, aarch64
set -eu
shopt -s nullglob
packages=$1
triplet=$2-linux-gnu
glibc=/opt/glibc-2.31
libraries=/usr/lib/$triplet
prefix=
[ "$2" = "$(uname -m)" ] || prefix=$triplet-

unpack() {
    local work=/tmp/glibc package
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
}

# Who looks for functions finds sysctl() in glibc 2.31; the headers of 2.36 do not declare it any more.
write_header() {
    mkdir -p /usr/local/include/sys
    echo '/* glibc has no sysctl() for Linux any more. */' >/usr/local/include/sys/sysctl.h
}

# Before the system's in PATH. The compilers look for glibc's files below -B first.
write_compilers() {
    local name
    for name in gcc g++; do
        # shellcheck disable=SC2016 # that shell's
        printf '#!/bin/sh\nexec ${RELEASE_CCACHE:+ccache} /usr/bin/%s -B%s/ "$@"\n' "$prefix$name" "$glibc" \
            >"/usr/local/bin/$prefix$name"
        chmod +x "/usr/local/bin/$prefix$name"
    done
    [ -n "$prefix" ] || ln -sf gcc /usr/local/bin/cc
    [ -n "$prefix" ] || ln -sf g++ /usr/local/bin/c++
}

# The linker takes a static library where it finds no shared one.
drop_shared() {
    local archive name
    for archive in "$libraries"/lib*.a; do
        name=${archive%.a}.so
        [ -e "$name" ] || continue
        dpkg -S "$archive" 2>/dev/null | grep -q '^libc6-dev' || rm "$name"
    done
    rm -f "$("${prefix}gcc" -print-file-name=libstdc++.so)"
    # The shared one brings libm along, and who names -lstdc++ relies on that.
    echo "GROUP($("${prefix}gcc" -print-file-name=libstdc++.a) -lm)" >"$glibc/libstdc++.so"
}

unpack
write_header
write_link_scripts
write_compilers
drop_shared
cd "$(dirname "$0")"
"${prefix}gcc" -O2 -fPIC -c later.c -o /tmp/later.o
"${prefix}ar" rD "$glibc/libc_nonshared.a" /tmp/later.o
