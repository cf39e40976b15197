#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds build/ffmpeg/{ffmpeg,ffprobe} with the vmaf_gpu filter: engine, source
# tree, graft, configure, make; only what is out of date.
#   scripts/build-ffmpeg.sh                  FFmpeg 7.1 from Debian's archive; where that cannot be
#                                            had, the version of this distribution
#   FFMPEG_VERSION=distribution              the version of this distribution; or 5.1, 8.1, 9.0
#   FFMPEG_SRC=DIR scripts/build-ffmpeg.sh   a copy of your tree, 5.1 ... 9.0
#   FFMPEG_PROFILE=quick                     the default: the decoders of today's video, https, and
#                                            what a score needs; no encoder of today
#   FFMPEG_PROFILE=full                      all native decoders, demuxers and protocols, the usual
#                                            filters and encoders
#   FFMPEG_PROFILE=small                     what the tests read and write; minimal: the least
#   FFMPEG_LICENSE=lgpl                      without the GPL's encoders x264 and x265
#   FFMPEG_CUDA=1                            NVDEC, NVENC, scale_cuda; needs the nv-codec headers,
#                                            with which CUDA frames are taken in any case. auto: if
#                                            they are there. Remembered for later runs; 0: without
#   FFMPEG_VULKAN=1                          Vulkan frames also where the distribution's headers of
#                                            Vulkan are too old: fetches newer ones below build/
#   FFMPEG_FLAGS="--enable-libass ..."       configure flags added to ours
#   scripts/build-ffmpeg.sh --fetch          only fetches the source
#   VERBOSE=1                                shows what goes to build/log otherwise
#   FFMPEG_TREE=DIR                          there instead of build/ffmpeg
#   FFMPEG_RUNNER=qemu-aarch64-static        what runs the built programs, if they are for another machine
. "$(dirname "$0")/lib/common.sh"
. "$root/scripts/lib/ffmpeg-source.sh"
. "$root/scripts/lib/ffmpeg-flags.sh"
require_plain_path

profile=${FFMPEG_PROFILE:-quick}
[[ $profile =~ ^(quick|full|small|minimal)$ ]] ||
    die "FFMPEG_PROFILE=$profile: quick, full, small and minimal are known"
tree=${FFMPEG_TREE:-$build/ffmpeg}
prefix=$build/prefix
cuda_choice=$tree.cuda

# ------------------------------------------------------------------ engine

# Installed below build/prefix; meson keeps file times, so nothing looks newer
# than it is. Only the library is built, not its tests.
install_engine() {
    local stage=$prefix/stage pc
    configure_engine
    build_engine src/engine/libvmaf_gpu.a
    DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet --tags devel
    pc=$(find "$stage" -name libvmaf_gpu.pc)
    [ -n "$pc" ] || die "the engine installed no libvmaf_gpu.pc"
    mkdir -p "$prefix/pkgconfig"
    # Our archive needs what it names as private. Asked for by --static, the other libraries would
    # name theirs, too, and those are not all installed.
    awk -v stage="$stage" '
        /^Libs.private:/ { sub(/^Libs.private:/, ""); more = $0; next }
        { sub(/^prefix=/, "prefix=" stage); line[++count] = $0 }
        END { for (i = 1; i <= count; i++) print line[i] (line[i] ~ /^Libs:/ ? more : "") }' "$pc" \
        >"$prefix/pkgconfig/libvmaf_gpu.pc"
    engine_library=$(find "$stage" -name libvmaf_gpu.a)
}

# ------------------------------------------------------------- source tree

distribution_tree() { # prints the folder, or nothing
    find "$build/ffmpeg-source" -mindepth 1 -maxdepth 1 -name 'ffmpeg-*' -type d 2>/dev/null
}

# Under another name until it is whole: a run may be cut off.
fetch_distribution() {
    local folder=$build/ffmpeg-source
    command -v apt-get >/dev/null ||
        die "FFmpeg's source is fetched with apt only: set FFMPEG_SRC to the folder of a source tree"
    note "fetching the distribution's FFmpeg source"
    rm -rf "$folder" "$folder.new"
    mkdir -p "$folder.new"
    private_apt_update >&2
    (cd "$folder.new" && private_apt source ffmpeg >&2) ||
        die "FFmpeg's source could not be fetched: check the network and run this script again, or set" \
            "FFMPEG_SRC to the folder of a source tree"
    mv "$folder.new" "$folder"
}

# Sets `from`: the tree of the wanted version, else of the distribution's own.
find_source() {
    local version=${FFMPEG_VERSION:-7.1} folder=$build/ffmpeg-versions/source
    if [ "$version" != distribution ]; then
        [ -n "${ffmpeg_suites[$version]:-}" ] ||
            die "FFMPEG_VERSION=$version: distribution ${!ffmpeg_suites[*]} are known"
        mkdir -p "$folder"
        from=$(ffmpeg_tree_in "$version" "$folder")
        [ -z "$from" ] || return 0
        if fetch_ffmpeg "$version" "$folder"; then
            from=$(ffmpeg_tree_in "$version" "$folder")
            return
        fi
        [ -z "${FFMPEG_VERSION:-}" ] || die "no source of FFmpeg $version; FFMPEG_SRC=DIR names a tree of yours"
        note "FFmpeg $version cannot be had here: taking the distribution's version"
    fi
    [ -n "$(distribution_tree)" ] || fetch_distribution
    from=$(distribution_tree)
}

# A fresh copy: objects and a configuration made elsewhere stay behind.
copy_tree() { # FROM
    [ -f "$1/libavfilter/allfilters.c" ] || die "'$1' is not an FFmpeg source tree"
    rm -rf "$tree"
    mkdir -p "$tree"
    tar -C "$1" --exclude=./.git --exclude='*.o' --exclude='*.d' --exclude='*.a' \
        --exclude=./config.h --exclude='./ffbuild/config.*' --exclude=./ffbuild/.config \
        -cf - . | tar -C "$tree" -xf -
    chmod -R u+w,go+rX "$tree" # an archive's folder may be closed to other users, who run what is built
}

obtain_tree() {
    local from stamp=$tree/.vmaf_gpu_source
    if [ -n "${FFMPEG_SRC:-}" ]; then
        from=$(cd "$FFMPEG_SRC" && pwd) || die "FFMPEG_SRC=$FFMPEG_SRC: no such folder"
    else
        find_source
    fi
    if [ "$(cat "$stamp" 2>/dev/null)" = "$from" ] &&
        [ -z "$(find "$from" -path '*/.git' -prune -o -type f -newer "$stamp" -print -quit)" ]; then
        return
    fi
    note "copying $from"
    copy_tree "$from"
    echo "$from" >"$stamp"
}

# ---------------------------------------------------------------- configure

# FFmpeg 7.1 wants newer nv-codec headers than Debian 12 has: its own release's are unpacked below
# build/, not installed.
fetch_cuda_headers() {
    local suite folder=$build/nv-codec version headers
    version=$(cut -d. -f1,2 "$tree/RELEASE")
    suite=${ffmpeg_suites[$version]:-}
    [ -n "$suite" ] || return 0
    if [ ! -d "$folder/$version" ]; then
        note "fetching the nv-codec headers (Debian $suite)"
        rm -rf "$folder/new"
        mkdir -p "$folder/new"
        if ! { write_debian_suite "$suite" deb && private_apt update &&
            (cd "$folder/new" && private_apt download libffmpeg-nvenc-dev &&
                dpkg-deb -x libffmpeg-nvenc-dev_*.deb .); }; then
            note "the nv-codec headers cannot be had: FFmpeg is built without NVDEC and CUDA frames"
            return 0
        fi
        find "$folder/new" -name ffnvcodec.pc -exec sed -i "s|^prefix=.*|prefix=$folder/$version/usr|" {} +
        mv "$folder/new" "$folder/$version"
    fi
    headers=$(dirname "$(find "$folder/$version" -name ffnvcodec.pc)")
    export PKG_CONFIG_PATH="$headers${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
}

# The caller's choice, else the remembered one. Sets `cuda`.
choose_cuda() {
    local chosen=${FFMPEG_CUDA:-}
    cuda=${chosen:-$(cat "$cuda_choice" 2>/dev/null || echo 0)}
    [ "$cuda" = 0 ] || has_cuda_headers || fetch_cuda_headers
    if [ "$cuda" = auto ]; then
        cuda=1
        has_cuda_headers || {
            note "NVDEC is left out: there are no nv-codec headers for this FFmpeg (libffmpeg-nvenc-dev)"
            # Not remembered: they may come.
            cuda=0 chosen=
        }
    fi
    [ -z "$chosen" ] || echo "$cuda" >"$cuda_choice"
}

# Configured again if the flags, the tree's configure script or the engine's
# link line changed.
configure_tree() {
    local stamp=$tree/.vmaf_gpu_configure flags wanted
    mapfile -t flags < <(configure_flags)
    wanted=$(printf '%s\n' "${flags[@]}" && cksum <"$tree/configure" &&
        cat "$prefix/pkgconfig/libvmaf_gpu.pc")
    [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
    rm -f "$stamp"
    PKG_CONFIG_PATH="$prefix/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}" run_logged ffmpeg-configure \
        "configuring FFmpeg" env -C "$tree" ./configure "${flags[@]}" ||
        die "FFmpeg's configure failed; see also $tree/ffbuild/config.log"
    printf '%s\n' "$wanted" >"$stamp"
}

choose_vulkan() {
    local wanted
    [ "${FFMPEG_VULKAN:-0}" = 1 ] && wanted=$(wanted_vulkan) || return 0
    pkg-config --exists "$wanted" || fetch_vulkan_headers ||
        note "no headers of Vulkan: FFmpeg is built without Vulkan frames"
}

# --------------------------------------------------------------------- make

make_programs() {
    # FFmpeg's make does not know the engine's archive.
    if [ -f "$tree/ffmpeg" ] && [ "$engine_library" -nt "$tree/ffmpeg" ]; then
        rm -f "$tree"/{ffmpeg,ffmpeg_g,ffprobe,ffprobe_g}
    fi
    TOTAL=$(make -n -C "$tree" ffmpeg ffprobe 2>/dev/null | grep -c '^printf' || true)
    # yasm names a file's dependencies in a second run over it. Nobody edits assembler here.
    TOTAL=$TOTAL run_logged ffmpeg "building FFmpeg" make -C "$tree" -j "$jobs" X86ASMDEP= ffmpeg ffprobe || exit 1
    grep -A6 'vf_vmaf_gpu.*warning:' "$build/log/ffmpeg.log" >&2 || true
    run_built -v error -filters | grep -q ' vmaf_gpu ' || die "the built ffmpeg has no vmaf_gpu filter"
}

if [ "${1:-}" = --fetch ]; then
    [ -n "${FFMPEG_SRC:-}" ] || find_source
    exit
fi
install_engine
obtain_tree
"$root/libavfilter_patch/apply.sh" "$tree"
choose_cuda
choose_vulkan
configure_tree
make_programs
note "$tree/ffmpeg and ffprobe are up to date"
name_absent
