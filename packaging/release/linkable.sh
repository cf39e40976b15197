#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Prepares the system that a release is built in, a Debian 12 that is used for nothing else:
# programs are linked with glibc 2.31, whose packages lie in a folder, and with static libraries
# wherever there are some. scripts/release.sh runs it there. Not here: the build (inside.sh).
#   linkable.sh PACKAGES    a folder with libc6, libc6-dev and libgcc-s1 of Debian 11
set -eu
packages=$1
glibc=/opt/glibc-2.31
libraries=/usr/lib/x86_64-linux-gnu

unpack() {
    local work=/tmp/glibc package
    rm -rf "$work" "$glibc"
    mkdir -p "$work" "$glibc"
    for package in libc6 libc6-dev libgcc-s1; do
        dpkg-deb -x "$packages/${package}"_*.deb "$work"
    done
    cp -a "$work"/lib/x86_64-linux-gnu/{ld-,ld-linux-,libgcc_s}*so* "$glibc/"
    cp -a "$work"/lib/x86_64-linux-gnu/lib{c,m,mvec,dl,pthread,rt,util,resolv}[.-]*so* "$glibc/"
    cp "$work"/usr/lib/x86_64-linux-gnu/{*crt*.o,libc_nonshared.a} "$glibc/"
    rm -rf "$work"
}

# From 2.34 on these libraries are parts of libc, so that nobody names them any more.
write_link_scripts() {
    local name once=()
    for name in pthread dl rt; do
        once+=("$(echo "$glibc/lib$name.so".?)")
    done
    for name in pthread dl rt util resolv; do
        ln -sf "$(basename "$glibc/lib$name.so".?)" "$glibc/lib$name.so"
    done
    echo "GROUP($glibc/libc.so.6 $glibc/libc_nonshared.a" \
        "AS_NEEDED(${once[*]} $glibc/ld-linux-x86-64.so.2))" >"$glibc/libc.so"
    echo "GROUP($glibc/libm.so.6 AS_NEEDED($glibc/libmvec.so.1))" >"$glibc/libm.so"
    # Debian 12's own needs glibc 2.35.
    echo "GROUP($glibc/libgcc_s.so.1 -lgcc)" >"$glibc/libgcc_s.so"
}

# Before the system's in PATH. The compilers look for glibc's files below -B first.
write_compilers() {
    local name
    for name in gcc g++; do
        printf '#!/bin/sh\nexec /usr/bin/%s -B%s/ "$@"\n' "$name" "$glibc" >"/usr/local/bin/$name"
        chmod +x "/usr/local/bin/$name"
    done
    ln -sf gcc /usr/local/bin/cc
    ln -sf g++ /usr/local/bin/c++
}

# The linker takes a static library where it finds no shared one.
drop_shared() {
    local archive name
    for archive in "$libraries"/lib*.a; do
        name=${archive%.a}.so
        [ -e "$name" ] || continue
        dpkg -S "$archive" 2>/dev/null | grep -q '^libc6-dev' || rm "$name"
    done
    rm -f "$(gcc -print-file-name=libstdc++.so)"
}

unpack
write_link_scripts
write_compilers
drop_shared
cd "$(dirname "$0")"
gcc -O2 -fPIC -c later.c -o /tmp/later.o
ar rD "$glibc/libc_nonshared.a" /tmp/later.o
