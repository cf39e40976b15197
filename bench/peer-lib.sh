# SPDX-License-Identifier: BSD-2-Clause-Patent
# shellcheck shell=bash
# Sourced by the benchmarks that run libvmaf beside this project.

# Compiles a program of bench/ against an installed libvmaf.
build_peer() { # PREFIX SOURCE OUTPUT LINKER_OPTIONS...
    local prefix config library
    prefix=$(cd "$1" && pwd)
    config=$(find "$prefix" -name libvmaf.pc -print -quit)
    [ -n "$config" ] || { echo "${0##*/}: no libvmaf.pc under $prefix" >&2; exit 1; }
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$config")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    library=$(pkg-config --variable=libdir libvmaf)
    # shellcheck disable=SC2046
    "${CXX:-g++}" -std=c++17 -O2 $(pkg-config --cflags libvmaf) "$2" -o "$3" \
        $(pkg-config --libs libvmaf) -Wl,-rpath,"$library" "${@:4}"
}
