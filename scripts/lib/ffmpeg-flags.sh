# SPDX-License-Identifier: BSD-2-Clause-Patent
# What build-ffmpeg.sh, which sources this, puts into FFmpeg: the flags for its configure script, by
# profile. Reads `profile`, `tree` and `cuda`, and of the environment FFMPEG_RUNNER.

# Whether the nv-codec headers are those that this FFmpeg wants.
has_cuda_headers() {
    grep -o '"ffnvcodec >= [^"]*"' "$tree/configure" | tr -d '"' | while read -r wanted; do
        ! pkg-config --exists "$wanted" || echo yes
    done | grep -q yes
}

# The filters around a comparison; xstack is what FFmpeg 8.1 and later open tiles of AVIF and HEIC with. A name that
# a version does not know is only warned about.
filters_of_profile() {
    local filters=testsrc,testsrc2,rgbtestsrc,yuvtestsrc,smptebars,mandelbrot,color,movie,nullsrc
    filters+=,scale,scale2ref,format,noformat,split,null,nullsink,copy,crop,pad,hflip,vflip,transpose,rotate
    filters+=,trim,fps,framestep,select,setpts,settb,setsar,setdar,setparams,loop,concat,tpad
    filters+=,avgblur,gblur,unsharp,noise,overlay,drawbox,hstack,vstack,xstack,lut,lutyuv,colorspace
    filters+=,yadif,bwdif,field,setfield,fieldmatch,decimate,telecine
    filters+=,extractplanes,alphaextract,metadata,showinfo,psnr,ssim,xpsnr,vmafmotion
    filters+=,hwupload,hwdownload,hwmap,aresample,aformat,anull,anullsink,atrim,asetpts,sine,vmaf_gpu
    [[ ! $profile =~ ^(small|full)$ ]] || filters+=,eq,hue,curves,fade,geq,hqdn3d,sendcmd # the tests', too
    if [ "$profile" = full ]; then
        # deinterlacing and cadence; colour and size; measures; the rest of a transcode
        filters+=,idet,fieldorder,mpdecimate,w3fdif,interlace,tinterlace
        filters+=,detelecine,pullup,il,weave,doubleweave,separatefields,framerate,minterpolate
        filters+=,zscale,tonemap,colormatrix,colorchannelmixer,swapuv,shuffleplanes,mergeplanes
        filters+=,identity,msad,vif,corr,signalstats,entropy,siti,blurdetect,blockdetect,scdet
        filters+=,cropdetect,blackdetect,freezedetect,bbox,bitplanenoise
        filters+=,drawtext,drawgrid,blend,xfade,tile,thumbnail,reverse,shuffleframes
        filters+=,deband,deblock,nlmeans,boxblur,smartblur,cas,premultiply,alphamerge,sidedata
        filters+=,volume,amix,amerge,pan,asplit,atempo,anullsrc,ebur128,loudnorm,ametadata,asetnsamples
    fi
    echo "$filters"
}

# A flag per library that is there; setup.sh installs them.
libraries_of_profile() {
    local entry
    # Small: one encoder of today, https; the tests of transcodes use them.
    local libraries=(libx264:x264:gpl gnutls:gnutls libdav1d:dav1d)
    [ "$profile" != quick ] || libraries=(gnutls:gnutls libdav1d:dav1d)
    [ "$profile" != full ] || libraries+=(libx265:x265:gpl libsvtav1:SvtAv1Enc libzimg:zimg libfreetype:freetype2
        libharfbuzz:harfbuzz libfontconfig:fontconfig libxml2:libxml-2.0)
    [ "${FFMPEG_LICENSE:-gpl}" != gpl ] || printf '%s\n' --enable-gpl
    for entry in "${libraries[@]}"; do
        local name package licence
        IFS=: read -r name package licence <<<"$entry"
        [ "${licence:-}" != gpl ] || [ "${FFMPEG_LICENSE:-gpl}" = gpl ] || continue
        if pkg-config --exists "$package"; then
            printf '%s\n' "--enable-$name"
        else
            note "$package is not installed: FFmpeg is built without $name"
        fi
    done
}

# libplacebo draws with Vulkan. FFmpeg's configure says which headers it wants.
libplacebo_flags() {
    local wanted
    wanted=$(grep -o '"vulkan >= [^"]*"' "$tree/configure" | tr -d '"' | sort -V | tail -n 1)
    ! pkg-config --exists "libplacebo >= 4.192.0" "${wanted:-vulkan}" ||
        printf '%s\n' --enable-vulkan --enable-libplacebo --enable-filter=libplacebo
}

# 0.6 of the time of -O2, 0.4 of that of -O3; what is hot is in assembler. yasm takes a third of nasm's
# time and knows no AVX-512; FFmpeg 8.0 and later know no yasm.
quickly() {
    printf '%s\n' --optflags=-O1
    ! command -v yasm >/dev/null || ! grep -q x86asm_type=yasm "$tree/configure" ||
        printf '%s\n' --x86asmexe=yasm
}

components_of_profile() {
    local audio=aac,ac3,eac3,mp2,mp3,opus,vorbis,flac,pcm_s16le,pcm_s24le,pcm_s16be
    local video=h264,hevc,vp8,vp9,libdav1d,mpeg1video,mpeg2video,mpeg4,msmpeg4v2,msmpeg4v3,h263,flv
    video+=,vc1,wmv3,theora,mjpeg,prores,dnxhd,ffv1,huffyuv,ffvhuff,utvideo,v210,rawvideo,png,gif
    # What decoders, demuxers and muxers call for, and what users name most.
    local filters_of_streams=null,h264_mp4toannexb,hevc_mp4toannexb,extract_extradata,aac_adtstoasc
    filters_of_streams+=,vp9_superframe,vp9_superframe_split,mpeg4_unpack_bframes,mjpeg2jpeg,noise,setts
    local io=mov,matroska,avi,mpegts,nut,rawvideo,yuv4mpegpipe,image2
    local muxers=null,framecrc,framemd5,md5,ffmetadata encoders=ffv1,png,rawvideo,wrapped_avframe,pcm_s16le
    case $profile in
    quick)
        libraries_of_profile
        quickly
        printf '%s\n' --disable-postproc --enable-network --enable-bsf="$filters_of_streams" \
            --enable-protocol=file,pipe,fd,concat,data,http,https,tcp,tls,crypto,hls,httpproxy \
            --enable-demuxer="$io,mpegps,mpegvideo,m4v,h264,hevc,ivf,obu,av1,flv,ogg,asf,mxf,gif,concat,wav,hls" \
            --enable-demuxer=aac,mp3,image_png_pipe,image_jpeg_pipe,dv,vc1 --enable-parsers \
            --enable-muxer="$io,mp4,$muxers" \
            --enable-decoder="$video,dvvideo,jpeg2000,cfhd,tiff,bmp,webp,qtrle,magicyuv,wrapped_avframe" \
            --enable-decoder=msmpeg4v1,wmv1,wmv2,vp6,vp6f \
            --enable-decoder="$audio,aac_latm,dca,truehd,alac,wmav2,pcm_s24be,pcm_f32le,pcm_u8,pcm_mulaw,pcm_alaw" \
            --enable-encoder="$encoders,mpeg4"
        ;;
    full)
        libraries_of_profile
        libplacebo_flags
        # Only decoders of libraries were named; the native ones come by class.
        printf '%s\n' --enable-decoders --enable-demuxers --enable-parsers --enable-bsfs \
            --enable-protocols --enable-network \
            --enable-muxer="$io,mp4,webm,ismv,mpegps,ivf,obu,h264,hevc,m4v,flv,wav,mxf,hls,dash,segment,ipod" \
            --enable-muxer="tee,adts,ac3,mp3,flac,ogg,gif,concat,stream_segment,image2pipe,hash,streamhash,$muxers" \
            --enable-encoder="$encoders,mpeg4,mpeg2video,mjpeg,huffyuv,ffvhuff,utvideo,v210,prores,prores_ks" \
            --enable-encoder=dnxhd,gif,aac,ac3,mp2,flac,pcm_s24le,libx264,libx264rgb,libx265,libsvtav1,yuv4
        ;;
    small)
        libraries_of_profile
        quickly
        printf '%s\n' --enable-network --enable-parsers --enable-bsfs \
            --enable-protocol=file,pipe,fd,concat,data,http,https,tcp \
            --enable-demuxer="$io,mpegps,mpegvideo,m4v,h264,hevc,ivf,obu,flv,ogg,asf,mxf,gif,concat,wav" \
            --enable-muxer="$io,mp4,webm,$muxers" --enable-decoder="$video,tiff,wrapped_avframe,$audio" \
            --enable-encoder="$encoders,mpeg4,mpeg2video,mjpeg,huffyuv,mp2,libx264"
        ;;
    minimal)
        quickly
        printf '%s\n' --disable-network --enable-protocol=file,pipe,fd,concat,data \
            --enable-demuxer=nut,rawvideo,yuv4mpegpipe,image2 \
            --enable-muxer="nut,rawvideo,yuv4mpegpipe,image2,$muxers" \
            --enable-decoder=ffv1,rawvideo,png,wrapped_avframe,pcm_s16le --enable-encoder="$encoders"
        ;;
    esac
}

# FFmpeg compiles its own CUDA filters with clang, if there is one that knows PTX.
cuda_flags() {
    local clang
    ! has_cuda_headers || printf '%s\n' --enable-ffnvcodec --enable-cuda
    [ "$cuda" != 0 ] || return 0
    printf '%s\n' --enable-ffnvcodec --enable-cuda --enable-cuvid --enable-nvdec \
        --enable-filter=hwupload_cuda \
        --enable-hwaccel=h264_nvdec,hevc_nvdec,vp9_nvdec,av1_nvdec,mpeg2_nvdec,mpeg4_nvdec
    [ "$profile" = full ] || return 0
    printf '%s\n' --enable-nvenc --enable-encoder=h264_nvenc,hevc_nvenc,av1_nvenc
    for clang in clang-{21,20,19,18,17,16,15} clang; do
        command -v "$clang" >/dev/null || continue
        printf '%s\n' --enable-cuda-llvm "--nvcc=$clang" \
            --enable-filter=scale_cuda,yadif_cuda,bwdif_cuda,overlay_cuda,thumbnail_cuda,colorspace_cuda
        break
    done
}

vaapi_flags() {
    pkg-config --exists libdrm libva libva-drm || return 0
    printf '%s\n' --enable-libdrm --enable-vaapi
    # A hwaccel brings its decoder along.
    [ "$profile" != minimal ] || return 0
    printf '%s\n' --enable-filter=scale_vaapi \
        --enable-hwaccel=h264_vaapi,hevc_vaapi,vp8_vaapi,vp9_vaapi \
        --enable-hwaccel=av1_vaapi,mpeg2_vaapi,mpeg4_vaapi,vc1_vaapi,mjpeg_vaapi
    [ "$profile" != full ] || printf '%s\n' --enable-encoder=h264_vaapi,hevc_vaapi,av1_vaapi \
        --enable-filter=deinterlace_vaapi,hwmap
}

# What FFmpeg from 7.1 on wants; nothing for older versions, whose Vulkan frames the filter does not
# take.
wanted_vulkan() {
    grep -o '"vulkan >= 1\.3\.[0-9]*"' "$tree/configure" | tr -d '"' | head -n 1 | grep -vE '\.[0-9]{1,2}$'
}

# Where the distribution's headers of Vulkan are too old, those of fetch_vulkan_headers.
vulkan_flags() {
    local wanted headers=$build/vulkan-headers/usr/include
    wanted=$(wanted_vulkan) || return 0
    if ! pkg-config --exists "$wanted"; then
        [ -f "$headers/vulkan/vulkan.h" ] || return 0
        printf '%s\n' "--extra-cflags=-I$headers"
    fi
    printf '%s\n' --enable-vulkan
    [ "$profile" = minimal ] || printf '%s\n' --enable-hwaccel=h264_vulkan,hevc_vulkan,av1_vulkan
}

# FFmpeg's configure script stops at a library that came with a later release, and at a part that has
# gone; unknown components it only warns about.
known_flags() {
    local flag name
    while read -r flag; do
        name=${flag#--*able-}
        if [[ $flag == --*able-* && $flag != *=* ]] && ! grep -qwE -- "$name|${name//-/_}" "$tree/configure"; then
            note "this FFmpeg does not know $flag: left out"
        else
            printf '%s\n' "$flag"
        fi
    done
}

configure_flags() {
    {
        printf '%s\n' --disable-everything --disable-autodetect --disable-doc --disable-debug \
            --disable-programs --enable-ffmpeg --enable-ffprobe --enable-zlib --enable-libvmaf-gpu \
            --enable-indev=lavfi --enable-filter="$(filters_of_profile)"
        components_of_profile
        cuda_flags
        vaapi_flags
        vulkan_flags
    } | known_flags
    # shellcheck disable=SC2086 # several flags in one variable
    [ -z "${FFMPEG_FLAGS:-}" ] || printf '%s\n' $FFMPEG_FLAGS
}

# ------------------------------------------------- what the profile promises

# KIND NAME... (WHAT IS NEEDED)
promised_of_profile() {
    [ "$profile" = full ] || return 0
    cat <<'EOF'
filters scale tonemap fps crop pad bwdif yadif idet setfield identity psnr ssim vif select split setpts
filters xpsnr (FFmpeg 7.1 or later)
filters zscale (libzimg-dev)
filters drawtext (libfreetype-dev, libharfbuzz-dev)
filters scale_cuda (FFMPEG_CUDA=1, the nv-codec headers, clang)
filters scale_vaapi (libva-dev, libdrm-dev)
filters libplacebo (libplacebo-dev, and libvulkan-dev as new as FFmpeg wants: Debian 12 has an older one)
hwaccels vulkan (FFmpeg 7.1 or later; libvulkan-dev as new as that wants, or FFMPEG_VULKAN=1)
encoders libx264 libx265 (libx264-dev, libx265-dev; not with FFMPEG_LICENSE=lgpl)
encoders libsvtav1 (libsvtav1enc-dev)
encoders aac ffv1 prores prores_ks
encoders h264_nvenc hevc_nvenc av1_nvenc (FFMPEG_CUDA=1, the nv-codec headers)
encoders h264_vaapi hevc_vaapi (libva-dev, libdrm-dev)
demuxers dash imf (libxml2-dev)
protocols https (libgnutls28-dev)
EOF
}

# FFmpeg as it was built; it may be for another machine.
run_built() { # OPTIONS...
    ${FFMPEG_RUNNER:+"$FFMPEG_RUNNER"} "$tree/ffmpeg" "$@"
}

# One line for each promise that the built program does not keep.
name_absent() {
    local kind rest needs name absent listed
    promised_of_profile | while read -r kind rest; do
        needs=$(sed -n 's/^[^(]*(\(.*\))$/; needed: \1/p' <<<"$rest")
        # A name stands behind flags; protocols have none. Descriptions may have the same words.
        listed=$(run_built -v error "-$kind" </dev/null 2>/dev/null | awk '{ print $1; print $2 }')
        absent=
        for name in ${rest%%(*}; do
            grep -qxF "$name" <<<"$listed" || absent+=" $name"
        done
        [ -z "$absent" ] || note "not in this FFmpeg: $kind$absent$needs"
    done
}
