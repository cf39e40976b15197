#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds what a release holds, in the system that linkable.sh prepared. scripts/release.sh runs it
# there. Not here: the archive (pack.py).
#   inside.sh libraries SOURCES    static ones of what Debian has only as shared libraries
#   inside.sh engine STAGE         library, header, tool
#   inside.sh ffmpeg STAGE         ffmpeg, ffprobe
#   inside.sh collect ARGUMENTS    those of collect.py
# Reads SOURCE_DATE_EPOCH, RELEASE_MESON_ARGS and what scripts/build-ffmpeg.sh reads; RELEASE_MACHINE
# is what the programs are for, if it is not this machine.
set -eu
cd "$(dirname "$0")/../.."
jobs=${RELEASE_JOBS:-$(nproc)}
machine=${RELEASE_MACHINE:-$(uname -m)}
tools=
[ "$machine" = "$(uname -m)" ] || tools=$machine-linux-gnu-
# Named, or Meson would call ccache, which these call themselves if it is wanted.
export LC_ALL=C.UTF-8 CC=${tools}gcc CXX=${tools}g++
parts=/usr/local/share/vmaf_gpu-parts

# collect.py reads it: what Debian installed tells of itself, this does not.
describe() { # NAME TREE LIBRARY...
    local name=$1 tree=$2
    shift 2
    mkdir -p "$parts/$name"
    (cd "$tree" && dpkg-parsechangelog --show-field Version) >"$parts/$name/version"
    cp "$tree/debian/copyright" "$parts/$name/copyright"
    [ $# -eq 0 ] || echo "$*" >"$parts/$name/files"
}

# What a compiler takes for today's date; libraries are made for more than one commit.
date_of() { # TREE
    SOURCE_DATE_EPOCH=$(cd "$1" && dpkg-parsechangelog --show-field Timestamp)
    export SOURCE_DATE_EPOCH
}

# Prints Meson's option; nothing for this machine.
cross_file() {
    [ -n "$tools" ] || return 0
    cat >/tmp/cross.ini <<EOF
[binaries]
c = '$CC'
cpp = '$CXX'
ar = '${tools}ar'
strip = '${tools}strip'
pkgconfig = 'pkg-config'
[properties]
pkg_config_libdir = ['/usr/local/lib/pkgconfig', '/usr/lib/$machine-linux-gnu/pkgconfig', '/usr/share/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = '$machine'
cpu = '$machine'
endian = 'little'
EOF
    echo --cross-file=/tmp/cross.ini
}

with_meson() { # TREE OPTIONS...
    local tree=$1
    shift
    # shellcheck disable=SC2046 # one option or none
    (cd "$tree" && meson setup static --prefix=/usr/local --libdir=lib -Dbuildtype=release \
        -Ddefault_library=static $(cross_file) "$@" && ninja -C static -j "$jobs" && meson install -C static)
}

with_cmake() { # TREE OPTIONS...
    local tree=$1 cross=()
    shift
    [ -z "$tools" ] || cross=(-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$machine")
    cmake -S "$tree" -B "$tree/static" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX=/usr/local -DCMAKE_INSTALL_LIBDIR=lib "${cross[@]}" "$@"
    ninja -C "$tree/static" -j "$jobs" install
}

library() { # SOURCES NAME FILE with_meson|with_cmake OPTIONS...
    local tree name=$2 file=$3 how=$4
    tree=$(echo "$1/$name"-*/)
    shift 4
    date_of "$tree"
    "$how" "$tree" "$@"
    describe "$name" "$tree" "$file"
}

build_libraries() { # SOURCES
    library "$1" dav1d libdav1d.a with_meson -Denable_tools=false -Denable_tests=false
    [ "${FFMPEG_PROFILE:-full}" = full ] || return 0
    library "$1" harfbuzz libharfbuzz.a with_meson -Dfreetype=enabled -Dglib=disabled -Dtests=disabled \
        -Ddocs=disabled
    library "$1" svt-av1 libSvtAv1Enc.a with_cmake -DBUILD_APPS=OFF -DBUILD_DEC=OFF
    library "$1" libxml2 libxml2.a with_cmake -DLIBXML2_WITH_{PYTHON,LZMA,ICU,PROGRAMS,TESTS}=OFF
}

# No path of the machine that builds.
map_paths() {
    export CFLAGS="-ffile-prefix-map=$PWD=." CXXFLAGS="-ffile-prefix-map=$PWD=."
}

configure_and_build() {
    local hip=enabled
    # AMD's runtime is for x86_64 only.
    [ "$machine" = x86_64 ] || hip=disabled
    map_paths
    # shellcheck disable=SC2046,SC2086 # several options in one variable, or none
    [ -f build/build.ninja ] || meson setup build -Dprefix=/usr/local -Dlibdir=lib -Dbuildtype=release \
        -Dtests=false -Demu=false -Ddefault_library=both -Dcuda=enabled -Dhip=$hip \
        -Dnvidia_compiler=clang $(cross_file) ${RELEASE_MESON_ARGS:-}
    ninja -C build -j "$jobs"
}

build_engine() { # STAGE
    local stage=$1 library
    configure_and_build
    rm -rf build/installed
    DESTDIR=$PWD/build/installed meson install -C build --no-rebuild --quiet
    library=$(find build/installed -name 'libvmaf_gpu.so.*.*')
    [ -n "$library" ] || { echo "inside.sh: no shared library was built" >&2 && exit 1; }
    mkdir -p "$stage"/{bin,lib/pkgconfig,include}
    cp -a build/installed/usr/local/include/vmaf_gpu "$stage/include/"
    cp -a build/installed/usr/local/lib/libvmaf_gpu.so* "$stage/lib/"
    # Wherever the archive is unpacked.
    # shellcheck disable=SC2016 # pkg-config's variables
    sed 's|^prefix=.*|prefix=${pcfiledir}/../..|; s|^libdir=.*|libdir=${prefix}/lib|
        s|^includedir=.*|includedir=${prefix}/include|; /^Libs.private/d' \
        build/installed/usr/local/lib/pkgconfig/libvmaf_gpu.pc >"$stage/lib/pkgconfig/libvmaf_gpu.pc"
    # The tool in the build folder is linked with the shared library there.
    cp build/installed/usr/local/bin/vmaf_gpu "$stage/bin/"
    "${tools}strip" "$stage/bin/vmaf_gpu" "$stage/lib/$(basename "$library")"
}

# FFmpeg for another machine: its libraries, and QEMU for the programs that were built.
cross_ffmpeg() {
    [ -n "$tools" ] || return 0
    FFMPEG_FLAGS+=" --enable-cross-compile --arch=$machine --target-os=linux --cross-prefix=$tools"
    FFMPEG_FLAGS+=" --pkg-config=pkg-config"
    export FFMPEG_RUNNER=qemu-$machine-static
    export PKG_CONFIG_LIBDIR=/usr/local/lib/pkgconfig:/usr/lib/$machine-linux-gnu/pkgconfig:/usr/share/pkgconfig
    # pkg-config does not name the system's folder: there the compiler would find Debian 12's libc.
    export PKG_CONFIG_SYSTEM_LIBRARY_PATH=/usr/lib/$machine-linux-gnu
}

build_ffmpeg() { # STAGE
    local stage=$1
    map_paths
    export FFMPEG_FLAGS="--pkg-config-flags=--static --extra-ldexeflags=-Wl,--trace ${FFMPEG_FLAGS:-}"
    # gnutls needs p11-kit, which cannot be linked statically; OpenSSL 3 is under Apache-2.0, which
    # goes with version 3 of the GPL and LGPL only.
    [ "${FFMPEG_PROFILE:-full}" != full ] || FFMPEG_FLAGS+=" --enable-openssl --enable-version3"
    cross_ffmpeg
    scripts/build-ffmpeg.sh
    cp build/ffmpeg/ffmpeg build/ffmpeg/ffprobe "$stage/bin/"
    "${tools}strip" "$stage/bin/ffmpeg" "$stage/bin/ffprobe"
    mkdir -p "$stage/licences/ffmpeg"
    cp build/ffmpeg/LICENSE.md build/ffmpeg/COPYING.* "$stage/licences/ffmpeg/"
}

what=$1
shift
case $what in
libraries) build_libraries "$@" ;;
engine) build_engine "$@" ;;
ffmpeg) build_ffmpeg "$@" ;;
collect) OBJDUMP=${tools}objdump packaging/release/collect.py "$@" ;;
*) echo "inside.sh: $what?" >&2 && exit 1 ;;
esac
