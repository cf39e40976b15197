#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds build/ffmpeg/{ffmpeg,ffprobe} with the vmaf_gpu filter: engine, source
# tree, graft, configure, make; only what is out of date. The result is LGPL: no
# GPL or non-free part is enabled. VAAPI and DRM_PRIME come with libva's and
# libdrm's headers, which setup.sh installs.
#   scripts/build-ffmpeg.sh                  the distribution's FFmpeg source
#   FFMPEG_SRC=DIR scripts/build-ffmpeg.sh   a copy of your tree, 5.1 ... 9.0
#   FFMPEG_CUDA=1                            NVDEC; needs the nv-codec headers (Debian:
#                                            libffmpeg-nvenc-dev), with which CUDA frames
#                                            are taken in any case. auto: if they are there.
#                                            Remembered for later runs; 0: without again
#   FFMPEG_FLAGS="--enable-gpl ..."          configure flags added to ours
#   FFMPEG_MINIMAL=1                         only what the tests need; FFMPEG_TREE=DIR: there
#                                            instead of build/ffmpeg (test-ffmpeg-versions.sh)
. "$(dirname "$0")/lib.sh"

tree=${FFMPEG_TREE:-$build/ffmpeg}
prefix=$build/prefix
cuda_choice=$tree.cuda

# ------------------------------------------------------------------ engine

# Installed below build/prefix; meson keeps file times, so nothing looks newer
# than it is. Only the library is built, not its tests.
install_engine() {
    local stage=$prefix/stage pc
    configure_engine
    ninja -C "$build" -j "$jobs" src/engine/libvmaf_gpu.a
    DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet --tags devel
    pc=$(find "$stage" -name libvmaf_gpu.pc)
    [ -n "$pc" ] || die "the engine installed no libvmaf_gpu.pc"
    mkdir -p "$prefix/pkgconfig"
    sed "s|^prefix=|prefix=$stage|" "$pc" >"$prefix/pkgconfig/libvmaf_gpu.pc"
    engine_library=$(find "$stage" -name libvmaf_gpu.a)
}

# ------------------------------------------------------------- source tree

distribution_source() { # prints the folder, or nothing
    find "$build/ffmpeg-source" -mindepth 1 -maxdepth 1 -name 'ffmpeg-*' -type d 2>/dev/null
}

# Under another name until it is whole: a run may be cut off.
fetch_distribution_source() {
    local folder=$build/ffmpeg-source
    command -v apt-get >/dev/null ||
        die "FFmpeg's source is fetched with apt only: set FFMPEG_SRC to the folder of a source tree"
    note "fetching the distribution's FFmpeg source"
    rm -rf "$folder" "$folder.new"
    mkdir -p "$folder.new"
    private_apt_update
    (cd "$folder.new" && private_apt source ffmpeg) ||
        die "FFmpeg's source could not be fetched: check the network and run this script again, or set" \
            "FFMPEG_SRC to the folder of a source tree"
    mv "$folder.new" "$folder"
}

# A fresh copy: objects and a configuration made elsewhere stay behind.
copy_tree() { # FROM
    [ -f "$1/libavfilter/allfilters.c" ] || die "'$1' is not an FFmpeg source tree"
    rm -rf "$tree"
    mkdir -p "$tree"
    tar -C "$1" --exclude=./.git --exclude='*.o' --exclude='*.d' --exclude='*.a' \
        --exclude=./config.h --exclude='./ffbuild/config.*' --exclude=./ffbuild/.config \
        -cf - . | tar -C "$tree" -xf -
    chmod -R u+w "$tree"
}

obtain_tree() {
    local from stamp=$tree/.vmaf_gpu_source
    if [ -n "${FFMPEG_SRC:-}" ]; then
        from=$(cd "$FFMPEG_SRC" && pwd) || die "FFMPEG_SRC=$FFMPEG_SRC: no such folder"
        if [ "$(cat "$stamp" 2>/dev/null)" = "$from" ] &&
            [ -z "$(find "$from" -path '*/.git' -prune -o -type f -newer "$stamp" -print -quit)" ]; then
            return
        fi
        note "copying $from"
        copy_tree "$from"
        echo "$from" >"$stamp"
        return
    fi
    [ "$(cat "$stamp" 2>/dev/null)" = distribution ] && return
    [ -n "$(distribution_source)" ] || fetch_distribution_source
    copy_tree "$(distribution_source)"
    echo distribution >"$stamp"
}

# ---------------------------------------------------------------- configure

# Whether the nv-codec headers are those that this FFmpeg wants.
has_cuda_headers() {
    grep -o '"ffnvcodec >= [^"]*"' "$tree/configure" | tr -d '"' | while read -r wanted; do
        ! pkg-config --exists "$wanted" || echo yes
    done | grep -q yes
}

# The caller's choice, else the remembered one.
choose_cuda() {
    local chosen=${FFMPEG_CUDA:-}
    cuda=${chosen:-$(cat "$cuda_choice" 2>/dev/null || echo 0)}
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

# What people compare: the usual containers and codecs, and the filters around a
# comparison. A name that a version does not know is only warned about.
configure_flags() {
    local audio=aac,ac3,eac3,mp2,mp3,opus,vorbis,flac,pcm_s16le,pcm_s24le,pcm_s16be
    local video=h264,hevc,vp8,vp9,libdav1d,mpeg1video,mpeg2video,mpeg4,msmpeg4v2,msmpeg4v3,h263,flv
    video+=,vc1,wmv3,theora,mjpeg,prores,dnxhd,ffv1,huffyuv,ffvhuff,utvideo,v210,rawvideo,png,gif
    local io=mov,matroska,avi,mpegts,nut,rawvideo,yuv4mpegpipe,image2
    local filters=testsrc,testsrc2,rgbtestsrc,yuvtestsrc,smptebars,mandelbrot,color,movie,nullsrc
    filters+=,scale,scale2ref,format,noformat,split,null,nullsink,copy,crop,pad,hflip,vflip,transpose,rotate
    filters+=,trim,fps,framestep,select,setpts,settb,setsar,setdar,setparams,loop,concat,tpad
    filters+=,avgblur,gblur,unsharp,noise,overlay,drawbox,hstack,vstack,lut,lutyuv,colorspace
    filters+=,extractplanes,alphaextract,yadif,bwdif,field,metadata,showinfo,psnr,ssim,xpsnr,vmafmotion
    filters+=,hwupload,hwdownload,hwmap,aresample,aformat,anull,anullsink,atrim,asetpts,sine,vmaf_gpu
    local demuxers=,mpegps,mpegvideo,m4v,h264,hevc,ivf,obu,flv,ogg,asf,mxf,gif,concat,wav
    local muxers=,mp4,webm encoders=mpeg4,mpeg2video,mjpeg,huffyuv, all=(--enable-parsers
        --enable-bsfs --enable-libdav1d)
    if [ "${FFMPEG_MINIMAL:-0}" != 0 ]; then
        audio=pcm_s16le
        video=ffv1,rawvideo,png
        io=nut,rawvideo,yuv4mpegpipe,image2
        demuxers='' muxers='' encoders='' all=()
    fi
    printf '%s\n' --disable-everything --disable-autodetect --disable-doc --disable-network \
        --disable-debug --disable-programs --enable-ffmpeg --enable-ffprobe \
        --enable-zlib --enable-libvmaf-gpu --pkg-config-flags=--static \
        --enable-indev=lavfi --enable-protocol=file,pipe,fd,concat,data "${all[@]}" \
        --enable-demuxer="$io$demuxers" \
        --enable-muxer="$io$muxers,null,framecrc,framemd5,md5,ffmetadata" \
        --enable-decoder="$video,wrapped_avframe,$audio" \
        --enable-encoder="${encoders}ffv1,png,rawvideo,wrapped_avframe,pcm_s16le" \
        --enable-filter="$filters"
    ! has_cuda_headers || printf '%s\n' --enable-ffnvcodec --enable-cuda
    [ "$cuda" = 0 ] || printf '%s\n' --enable-ffnvcodec --enable-cuda \
        --enable-cuvid --enable-nvdec --enable-filter=hwupload_cuda \
        --enable-hwaccel=h264_nvdec,hevc_nvdec,vp9_nvdec,av1_nvdec,mpeg2_nvdec,mpeg4_nvdec
    if pkg-config --exists libdrm libva libva-drm; then
        printf '%s\n' --enable-libdrm --enable-vaapi
        # A hwaccel brings its decoder along.
        [ "${FFMPEG_MINIMAL:-0}" != 0 ] || printf '%s\n' --enable-filter=scale_vaapi \
            --enable-hwaccel=h264_vaapi,hevc_vaapi,vp8_vaapi,vp9_vaapi \
            --enable-hwaccel=av1_vaapi,mpeg2_vaapi,mpeg4_vaapi,vc1_vaapi,mjpeg_vaapi
    fi
    # shellcheck disable=SC2086 # several flags in one variable
    [ -z "${FFMPEG_FLAGS:-}" ] || printf '%s\n' $FFMPEG_FLAGS
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
    note "configuring FFmpeg $(cat "$tree/RELEASE" 2>/dev/null || true)"
    (cd "$tree" && PKG_CONFIG_PATH="$prefix/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}" \
        ./configure "${flags[@]}" >"$build/ffmpeg-configure.log" 2>&1) || {
        tail -n 15 "$build/ffmpeg-configure.log" >&2
        die "FFmpeg's configure failed; see also $tree/ffbuild/config.log"
    }
    printf '%s\n' "$wanted" >"$stamp"
}

# --------------------------------------------------------------------- make

make_programs() {
    # FFmpeg's make does not know the engine's archive.
    if [ -f "$tree/ffmpeg" ] && [ "$engine_library" -nt "$tree/ffmpeg" ]; then
        rm -f "$tree"/{ffmpeg,ffmpeg_g,ffprobe,ffprobe_g}
    fi
    make -C "$tree" -j "$jobs" ffmpeg ffprobe >"$build/ffmpeg-make.log" 2>&1 || {
        grep -E -A3 'error:|undefined reference|\*\*\*' "$build/ffmpeg-make.log" | tail -n 30 >&2
        die "building FFmpeg failed; see $build/ffmpeg-make.log"
    }
    grep -A6 'vf_vmaf_gpu.*warning:' "$build/ffmpeg-make.log" >&2 || true
    "$tree/ffmpeg" -v error -filters | grep -q ' vmaf_gpu ' || die "the built ffmpeg has no vmaf_gpu filter"
}

install_engine
obtain_tree
"$root/libavfilter_patch/apply.sh" "$tree"
choose_cuda
configure_tree
make_programs
note "$tree/ffmpeg and ffprobe are up to date"
