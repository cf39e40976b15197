#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Prepares the system that a release is built in, a Debian 12 that is used for nothing else:
# programs are linked with an old glibc (old-glibc.sh), and with static libraries wherever there are
# some. scripts/release.sh runs it there. Not here: the build (inside.sh).
#   linkable.sh PACKAGES MACHINE    what old-glibc.sh takes
set -eu
shopt -s nullglob
triplet=$2-linux-gnu
libraries=/usr/lib/$triplet
prefix=
[ "$2" = "$(uname -m)" ] || prefix=$triplet-

# Who looks for functions finds sysctl() in glibc 2.31; the headers of 2.36 do not declare it any more.
write_header() {
    mkdir -p /usr/local/include/sys
    echo '/* glibc has no sysctl() for Linux any more. */' >/usr/local/include/sys/sysctl.h
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
}

write_header
drop_shared
# The compilers there come before the system's in PATH.
"$(dirname "$0")/old-glibc.sh" "$1" "$2" /opt/glibc-2.31 /usr/local/bin
