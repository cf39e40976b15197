#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds what a release holds, in the system that linkable.sh prepared. scripts/release.sh runs it
# there. Not here: the archive (pack.py).
#   inside.sh libraries SOURCES    static ones of what Debian has only as shared libraries
#   inside.sh engine STAGE         library, header, tool
#   inside.sh ffmpeg STAGE         ffmpeg, ffprobe
# Reads SOURCE_DATE_EPOCH, RELEASE_MESON_ARGS and what scripts/build-ffmpeg.sh reads.
set -eu
cd "$(dirname "$0")/../.."
jobs=${RELEASE_JOBS:-$(nproc)}
export LC_ALL=C.UTF-8
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

with_meson() { # TREE OPTIONS...
    local tree=$1
    shift
    (cd "$tree" && meson setup static --prefix=/usr/local --libdir=lib -Dbuildtype=release \
        -Ddefault_library=static "$@" && ninja -C static -j "$jobs" && meson install -C static)
}

build_libraries() { # SOURCES
    local tree
    tree=$(echo "$1"/dav1d-*/)
    with_meson "$tree" -Denable_tools=false -Denable_tests=false
    describe dav1d "$tree" libdav1d.a
    [ "${FFMPEG_PROFILE:-full}" = full ] || return 0
    tree=$(echo "$1"/harfbuzz-*/)
    with_meson "$tree" -Dfreetype=enabled -Dtests=disabled -Ddocs=disabled
    describe harfbuzz "$tree" libharfbuzz.a
    tree=$(echo "$1"/svt-av1-*/)
    cmake -S "$tree" -B "$tree/static" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX=/usr/local -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_APPS=OFF -DBUILD_DEC=OFF
    ninja -C "$tree/static" -j "$jobs" install
    describe svt-av1 "$tree" libSvtAv1Enc.a
}

# No path of the machine that builds.
map_paths() {
    export CFLAGS="-ffile-prefix-map=$PWD=." CXXFLAGS="-ffile-prefix-map=$PWD=."
}

configure_and_build() {
    map_paths
    # shellcheck disable=SC2086 # several options in one variable
    [ -f build/build.ninja ] || meson setup build -Dprefix=/usr/local -Dlibdir=lib -Dbuildtype=release \
        -Dtests=false -Demu=false -Ddefault_library=both -Dcuda=enabled -Dhip=enabled \
        -Dnvidia_compiler=clang ${RELEASE_MESON_ARGS:-}
    ninja -C build -j "$jobs"
}

build_engine() { # STAGE
    local stage=$1 library
    configure_and_build
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
    strip "$stage/bin/vmaf_gpu" "$stage/lib/$(basename "$library")"
}

build_ffmpeg() { # STAGE
    local stage=$1
    map_paths
    export FFMPEG_FLAGS="--pkg-config-flags=--static --extra-ldexeflags=-Wl,--trace ${FFMPEG_FLAGS:-}"
    # gnutls needs p11-kit, which cannot be linked statically; OpenSSL 3 is under Apache-2.0, which
    # goes with version 3 of the GPL and LGPL only.
    [ "${FFMPEG_PROFILE:-full}" != full ] || FFMPEG_FLAGS+=" --enable-openssl --enable-version3"
    scripts/build-ffmpeg.sh
    cp build/ffmpeg/ffmpeg build/ffmpeg/ffprobe "$stage/bin/"
    strip "$stage/bin/ffmpeg" "$stage/bin/ffprobe"
    mkdir -p "$stage/licences/ffmpeg"
    cp build/ffmpeg/LICENSE.md build/ffmpeg/COPYING.* "$stage/licences/ffmpeg/"
}

what=$1
shift
case $what in
libraries) build_libraries "$@" ;;
engine) build_engine "$@" ;;
ffmpeg) build_ffmpeg "$@" ;;
*) echo "inside.sh: $what?" >&2 && exit 1 ;;
esac
