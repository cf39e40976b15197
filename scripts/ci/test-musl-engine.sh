#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The whole engine (CPU backend), the tool and the golden tests with another compiler, another C++
# library and musl: clang and libc++ of the Python package ziglang. The golden tests must pass, and
# the tool's logs must equal those of build/tools/vmaf_gpu byte for byte, also with FMA hidden. Not
# part of scripts/test.sh: 25 minutes on two cores. Its last run is in docs/history/test-runs.md.
#   scripts/ci/test-musl-engine.sh REFERENCE.y4m DISTORTED.y4m
# Needs Debian's googletest, nlohmann-json3-dev, libhwy-dev and libcli11-dev, and build/.
. "$(dirname "$0")/../lib/common.sh"

[ $# -eq 2 ] || die "usage: test-musl-engine.sh REFERENCE.y4m DISTORTED.y4m"
reference=$(cd "$OLDPWD" && realpath "$1") distorted=$(cd "$OLDPWD" && realpath "$2")
zig=0.17.1
work=$build/musl-engine
prefix=$work/prefix
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
[ -x "$work/venv/bin/pip" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q "ziglang==$zig"

for tool in cc c++ ar; do
    options=
    [ "$tool" = ar ] || options='-target x86_64-linux-musl'
    # Meson asks the linker for its name, which zig's own answer is not.
    cat >"$work/zig-$tool" <<EOF
#!/bin/sh
for word; do [ "\$word" != -Wl,--version ] || { echo 'GNU ld (GNU Binutils) 2.40'; exit; }; done
exec "$work/venv/bin/python" -m ziglang $tool $options "\$@"
EOF
    chmod +x "$work/zig-$tool"
done

# Headers only: /usr/include itself holds glibc's.
for name in nlohmann hwy CLI; do
    ln -sfn "/usr/include/$name" "$prefix/include/$name"
done
ln -sfn /usr/src/googletest/googletest/include/gtest "$prefix/include/gtest"
if [ ! -f "$prefix/lib/libgtest.a" ]; then
    "$work/zig-c++" -O2 -std=c++17 -I"$prefix/include" -I/usr/src/googletest/googletest \
        -c /usr/src/googletest/googletest/src/gtest-all.cc -o "$work/gtest.o"
    "$work/zig-ar" rcs "$prefix/lib/libgtest.a" "$work/gtest.o"
fi
for name in gtest libhwy CLI11 nlohmann_json; do
    library=
    [ ! -f "$prefix/lib/lib$name.a" ] || library="-L$prefix/lib -l$name"
    version=$(PKG_CONFIG_LIBDIR='' PKG_CONFIG_PATH="$(pkg-config --variable pc_path pkg-config)" \
        pkg-config --modversion "$name" 2>/dev/null) || version=0
    printf 'Name: %s\nDescription: headers\nVersion: %s\nCflags: -I%s\nLibs: %s\n' \
        "$name" "$version" "$prefix/include" "$library" >"$prefix/lib/pkgconfig/$name.pc"
done

cat >"$work/cross.ini" <<EOF
[binaries]
c = '$work/zig-cc'
cpp = '$work/zig-c++'
ar = '$work/zig-ar'
pkgconfig = 'pkg-config'
[properties]
pkg_config_libdir = '$prefix/lib/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
EOF
[ -f "$work/build/build.ninja" ] || meson setup "$work/build" --cross-file "$work/cross.ini" \
    -Dbuildtype=release -Dcuda=disabled -Dhip=disabled -Demu=false -Ddefault_library=static
ninja -C "$work/build" tools/vmaf_gpu tests/golden/golden

failed=0
"$work/build/tests/golden/golden" >"$work/golden.log" 2>&1 || failed=1
grep -E '^\[  (PASSED|FAILED)' "$work/golden.log"

logs() { # NAME PROGRAM ARGUMENTS: every format, without the time that it took
    local name=$1 program=$2 format
    shift 2
    for format in csv xml json; do
        "$program" -r "$reference" -d "$distorted" --backend cpu "--$format" \
            -o "$work/$name.$format" "$@" >/dev/null
        sed -i 's/fps="[^"]*"//; s/"fps": [0-9.]*//' "$work/$name.$format"
    done
}

equal=0
for models in 'vmaf_v0.6.1 vmaf_v0.6.1neg' vmaf_4k_v0.6.1neg vmaf_b_v0.6.3 vmaf_v1.0.16_3d0h; do
    arguments=()
    for model in $models; do
        arguments+=(--model "version=$model:name=m_${model//./_}")
    done
    logs musl "$work/build/tools/vmaf_gpu" "${arguments[@]}"
    logs glibc "$build/tools/vmaf_gpu" "${arguments[@]}"
    export VMAFGPU_FMA=software GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2
    logs without_fma "$build/tools/vmaf_gpu" "${arguments[@]}"
    unset VMAFGPU_FMA GLIBC_TUNABLES
    for other in musl without_fma; do
        for format in csv xml json; do
            if cmp "$work/$other.$format" "$work/glibc.$format"; then
                equal=$((equal + 1))
            else
                failed=1
            fi
        done
    done
done
echo "$equal of 24 logs equal those of the usual build"
exit "$failed"
