# SPDX-License-Identifier: BSD-2-Clause-Patent
# The cross build for Windows, for scripts that have sourced common.sh: libraries, engine and programs
# by mingw-w64, below build/windows or WINDOWS_WORK. Nothing is run here. WINDOWS_MESON_ARGS: what
# the engine is configured with; without it, it has the emulator and kernels for one GPU of each kind.
# It needs Debian's g++-mingw-w64-x86-64-posix, googletest, nlohmann-json3-dev, libhwy-dev and
# libcli11-dev; zlib comes from the archive.

compiler=x86_64-w64-mingw32
work=${WINDOWS_WORK:-$build/windows}
prefix=$work/prefix
windows_build=$work/build
gtest=/usr/src/googletest/googletest
command -v "$compiler-g++-posix" >/dev/null ||
    die "no $compiler-g++-posix (Debian: g++-mingw-w64-x86-64-posix)"
[ -d "$gtest/src" ] || die "no sources of GoogleTest in $gtest (Debian: googletest)"

static_library() { # NAME COMPILER_ARGUMENTS
    local name=$1
    shift
    [ ! -f "$prefix/lib/lib$name.a" ] || return 0
    "$compiler-g++-posix" -O2 -DNDEBUG -std=c++17 -I"$prefix/include" "$@" -c -o "$work/$name.o"
    "$compiler-ar" rcs "$prefix/lib/lib$name.a" "$work/$name.o"
}

fetch_libraries() {
    local unpacked=$work/zlib
    private_apt_update
    (cd "$work" && private_apt download libz-mingw-w64-dev && dpkg-deb -x libz-mingw-w64-dev_*.deb "$unpacked")
    cp "$unpacked/usr/$compiler/include"/z*.h "$prefix/include"
    cp "$unpacked/usr/$compiler/lib/libz.a" "$prefix/lib" # the other one there needs a DLL
}

libraries() {
    local name library version
    mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
    for name in nlohmann hwy CLI; do # headers only: /usr/include itself is this machine's
        ln -sfn "/usr/include/$name" "$prefix/include/$name"
    done
    ln -sfn "$gtest/include/gtest" "$prefix/include/gtest"
    [ -f "$prefix/lib/libz.a" ] || fetch_libraries
    static_library gtest -I"$gtest" "$gtest/src/gtest-all.cc"
    for name in gtest zlib libhwy CLI11 nlohmann_json; do
        library=${name/zlib/z}
        [ -f "$prefix/lib/lib$library.a" ] && library="-L$prefix/lib -l$library" || library=
        version=$(pkg-config --modversion "$name" 2>/dev/null) || version=0
        printf 'Name: %s\nDescription: for Windows\nVersion: %s\nCflags: -isystem %s\nLibs: %s\n' \
            "$name" "$version" "$prefix/include" "$library" >"$prefix/lib/pkgconfig/$name.pc"
    done
}

write_paths() {
    printf "[properties]\npkg_config_libdir = '%s'\n" "$prefix/lib/pkgconfig" >"$work/paths.ini"
    # As Meson does for this machine's compilers.
    ! command -v ccache >/dev/null || printf "[binaries]\nc = ['ccache', '%s']\ncpp = ['ccache', '%s']\n" \
        "$compiler-gcc-posix" "$compiler-g++-posix" >>"$work/paths.ini"
}

# Anew where the options are others than before.
configure_programs() {
    local options stamp=$windows_build/windows_options
    read -ra options <<<"${WINDOWS_MESON_ARGS:--Dnvcc_archs=75 -Dptx_targets=75 -Dhip_archs=gfx1030}"
    [ "$(cat "$stamp" 2>/dev/null)" != "${options[*]}" ] || return 0
    rm -rf "$windows_build"
    meson setup "$windows_build" --cross-file packaging/windows/mingw.ini \
        --cross-file "$work/paths.ini" -Dbuildtype=release -Dwerror=true \
        -Dcuda=enabled -Dhip=enabled "${options[@]}"
    echo "${options[*]}" >"$stamp"
}

build_programs() { # [TARGET...]
    libraries
    write_paths
    configure_programs
    [ $# -gt 0 ] || set -- tools/vmaf_gpu.exe tests/check/check.exe tests/golden/golden.exe \
        tests/install/stand_in_ffmpeg.exe tests/device/{libamdhip64,libcuda-1}.dll
    ninja -C "$windows_build" -j "$jobs" "$@"
}
