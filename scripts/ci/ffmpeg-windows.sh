#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds build/windows/ffmpeg/{ffmpeg,ffprobe}.exe with the vmaf_gpu filter: cross-compiled by
# mingw-w64, static, with Windows's own threads and TLS. It has the components of build-ffmpeg.sh's
# profile "small" but those of libraries, and Windows's decoders of video (D3D11).
#   scripts/ci/ffmpeg-windows.sh       FFmpeg 7.1; FFMPEG_SRC=DIR and FFMPEG_PROFILE=minimal as in
#                                   build-ffmpeg.sh
# What it needs besides is in windows.sh, whose build folder the engine comes from.
. "$(dirname "$0")/../lib/common.sh"
. "$root/scripts/lib/ffmpeg-source.sh"
. "$root/scripts/lib/ffmpeg-flags.sh"
. "$root/scripts/lib/windows.sh"

stage=$work/stage
tree=$work/ffmpeg
profile=${FFMPEG_PROFILE:-small}
[[ $profile =~ ^(small|minimal)$ ]] || die "FFMPEG_PROFILE=$profile: small and minimal are known here"

# The library's own file names what it needs as private; a static one always needs it.
install_engine() {
    local pc
    build_programs src/engine/libvmaf_gpu.a
    DESTDIR=$stage meson install -C "$windows_build" --no-rebuild --quiet --tags devel
    pc=$(find "$stage" -name libvmaf_gpu.pc)
    [ -n "$pc" ] || die "the engine installed no libvmaf_gpu.pc"
    awk -v stage="$stage" -v libraries="$prefix/lib" '
        /^Libs.private:/ { sub(/^Libs.private:/, " -L" libraries); more = $0; next }
        { sub(/^prefix=/, "prefix=" stage); line[++count] = $0 }
        END { for (i = 1; i <= count; i++) print line[i] (line[i] ~ /^Libs:/ ? more : "") }' "$pc" \
        >"$prefix/lib/pkgconfig/libvmaf_gpu.pc"
}

# A fresh copy of the source, if it is another one than before.
obtain_tree() {
    local from=${FFMPEG_SRC:-} folder=$build/ffmpeg-versions/source
    if [ -z "$from" ]; then
        mkdir -p "$folder"
        [ -n "$(ffmpeg_tree_in 7.1 "$folder")" ] || fetch_ffmpeg 7.1 "$folder" ||
            die "no source of FFmpeg 7.1; FFMPEG_SRC=DIR names a tree of yours"
        from=$(ffmpeg_tree_in 7.1 "$folder")
    fi
    [ -f "$from/libavfilter/allfilters.c" ] || die "'$from' is not an FFmpeg source tree"
    [ "$(cat "$tree/.vmaf_gpu_source" 2>/dev/null)" != "$from" ] || return 0
    rm -rf "$tree"
    mkdir -p "$tree"
    tar -C "$from" --exclude=./.git --exclude='*.o' --exclude='*.d' --exclude='*.a' \
        --exclude=./config.h --exclude='./ffbuild/config.*' -cf - . | tar -C "$tree" -xf -
    chmod -R u+w "$tree"
    echo "$from" >"$tree/.vmaf_gpu_source"
}

# None of this machine's is for Windows, which has TLS of its own (SChannel).
libraries_of_profile() {
    echo --enable-schannel
}

# Without any path: ffmpeg.exe says them. Where zlib is comes from pkg-config.
windows_flags() {
    local cache=
    ! command -v ccache >/dev/null || cache='ccache '
    printf '%s\n' --enable-cross-compile --arch=x86_64 --target-os=mingw32 \
        "--cross-prefix=$compiler-" "--cc=$cache$compiler-gcc-posix" "--cxx=$cache$compiler-g++-posix" \
        "--ld=$compiler-g++-posix" --pkg-config=pkg-config --pkg-config-flags=--static \
        "--extra-ldflags=-static -Wl,--no-insert-timestamp" \
        --disable-everything --disable-autodetect --disable-doc --disable-debug --disable-programs \
        --enable-ffmpeg --enable-ffprobe --enable-zlib --enable-w32threads --enable-libvmaf-gpu \
        --enable-indev=lavfi "--enable-filter=$(filters_of_profile)" --enable-d3d11va \
        --enable-hwaccel=h264_d3d11va,hevc_d3d11va,vp9_d3d11va,av1_d3d11va \
        --enable-hwaccel=h264_d3d11va2,hevc_d3d11va2,vp9_d3d11va2,av1_d3d11va2
    components_of_profile | sed 's/,lib[a-z0-9]*//g' # their decoders and encoders
}

configure_tree() {
    local stamp=$tree/.vmaf_gpu_configure flags wanted
    mapfile -t flags < <(windows_flags)
    wanted=$(printf '%s\n' "${flags[@]}" && cksum <"$tree/configure" &&
        cat "$prefix/lib/pkgconfig/libvmaf_gpu.pc")
    [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
    rm -f "$stamp"
    note "configuring FFmpeg $(cat "$tree/RELEASE" 2>/dev/null || true) for Windows"
    (cd "$tree" && PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig \
        ./configure "${flags[@]}" >"$work/ffmpeg-configure.log" 2>&1) || {
        tail -n 15 "$work/ffmpeg-configure.log" >&2
        die "FFmpeg's configure failed; see also $tree/ffbuild/config.log"
    }
    printf '%s\n' "$wanted" >"$stamp"
}

make_programs() {
    local log=$work/ffmpeg-make.log
    # FFmpeg's make does not know the engine's archive.
    [ ! "$(find "$stage" -name libvmaf_gpu.a)" -nt "$tree/ffmpeg.exe" ] ||
        rm -f "$tree"/ff{mpeg,probe}{,_g}.exe
    make -C "$tree" -j "$jobs" ffmpeg.exe ffprobe.exe >"$log" 2>&1 || {
        grep -E -A3 'error:|undefined reference|\*\*\*' "$log" | tail -n 30 >&2
        die "building FFmpeg failed; see $log"
    }
    grep -A6 'vf_vmaf_gpu.*warning:' "$log" >&2 || true
}

install_engine
obtain_tree
"$root/libavfilter_patch/apply.sh" "$tree"
configure_tree
make_programs
note "$tree/ffmpeg.exe and ffprobe.exe are up to date"
