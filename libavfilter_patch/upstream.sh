#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# apply.sh --patch=upstream runs it: writes the series of patches for FFmpeg itself to
# standard output, for git am. The parts of the files for older releases
# stay out.
#   1: the filter, for frames in memory and CUDA frames   2: Vulkan   3: VAAPI, DRM_PRIME
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: upstream.sh FFMPEG_TREE}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/common.sh"
changed='Changelog configure libavfilter/allfilters.c libavfilter/Makefile doc/filters.texi tests/Makefile'

die() {
    echo "upstream.sh: $*" >&2
    exit 1
}

# Without the blocks between #if NAME and #endif of our own names that are not in KEEP; of
# the others only the content. And without the SPDX tag, which files of FFmpeg do not have.
strip() { # KEEP < FILE
    keep=" $1 $newest " awk '
        function hidden(i) { for (i = 1; i <= depth; i++) if (off[i]) return 1; return 0 }
        /^#if/ {
            depth++; ours[depth] = off[depth] = 0
            if ($2 ~ /^(VMAF_GPU_(SURFACES|FORMATS|OLD_OPTIONS|DMABUF)|VG_NO_COLORS|IS_WANTED|VG_OLD_VAAPI|VG_VULKAN_QUEUE_FIND)$/ &&
                !($2 == "VMAF_GPU_DMABUF" && index(ENVIRON["keep"], " VMAF_GPU_DMABUF "))) {
                ours[depth] = 1
                off[depth] = ($1 == "#if") != (index(ENVIRON["keep"], " " $2 " ") > 0) ? 1 : 0
                if ($2 == "IS_WANTED") off[depth] = 1
                next
            }
        }
        /^#else/ && ours[depth] { off[depth] = !off[depth]; next }
        /^#endif/ { depth--; if (ours[depth + 1]) next; if (!hidden()) print; next }
        !hidden() { print }' |
        sed -e 's/IS_WANTED(ctx)/ff_outlink_frame_wanted(ctx->outputs[0])/; s/FAILS_AT_ONCE || //' \
            -e 's/ || VG_LACKS_OPTION(advice->option\[i\])//' \
            -e 's/VG_IS_INTERLACED(frame)/!!(frame->flags \& AV_FRAME_FLAG_INTERLACED)/' \
            -e 's/!VG_IS_TOP_FIRST(frame)/!(frame->flags \& AV_FRAME_FLAG_TOP_FIELD_FIRST)/' \
            -e 's/^#if VG_HAS_VULKAN$/#if CONFIG_VULKAN \&\& defined(__linux__)/' \
            -e '1s/SPDX-License-Identifier.*//; 1s/ $//; 2d' |
        grep -v '^/\* clang-format o[nf]*' |
        if [ "$type" = FFFilter ]; then cat; else sed "s/^const FFFilter /const $type /; s/^    \.p\./    ./"; fi |
        cat -s
}

# Insert LINE next to the first line of FILE that matches ANCHOR.
add() { # FILE before|after ANCHOR LINE
    grep -q -e "$3" "b/$1" || die "anchor '$3' not found in $1"
    insert "$2" "$3" "$4" <"b/$1" >new
    cat new >"b/$1"
}

manual() { # PART
    awk -v part="$1" '
        /^@c vmaf_gpu/ { next }
        /^@item (formats|model_path)/ { skip = 1 }
        /^@item scale/ { skip = 0 }
        skip && /^This filter also/ { print "@end table\n"; skip = 0 }
        /^CUDA frames are scored/ {
            print "CUDA frames are scored without a download."
            if (part > 1) print "Vulkan frames are copied to linear memory on the GPU, or downloaded."
            if (part > 2) print "With @code{backend=hip}, VAAPI and DRM_PRIME frames that are linear and on the same GPU\nare not downloaded either."
            rest = 1
        }
        rest { if ($0 == "") rest = 0; else next }
        !skip { print }' "$here/filters.texi" | cat -s
}

fate() {
    sed 's/:formats=asis//; s/:depth=deeper//' "$here/../fate/vmaf-gpu.mak"
}

part_1() {
    for part in "" _setup; do
        file=$here/vf_vmaf_gpu$part.c
        [ -n "$part" ] || file=$here/../vf_vmaf_gpu.c
        strip "" <"$file" >"b/libavfilter/vf_vmaf_gpu$part.c"
    done
    strip "" <"$here/vf_vmaf_gpu.h" >b/libavfilter/vf_vmaf_gpu.h
    add libavfilter/allfilters.c before '^extern const [A-Za-z]* ff_vf_vmafmotion;' "extern const $type ff_vf_vmaf_gpu;"
    add libavfilter/Makefile before '^OBJS-.*CONFIG_VMAFMOTION_FILTER' \
        'OBJS-$(CONFIG_VMAF_GPU_FILTER)               += vf_vmaf_gpu.o vf_vmaf_gpu_setup.o'
    add configure after '^  --enable-libvmaf ' '  --enable-libvmaf-gpu     enable vmaf_gpu filter via libvmaf_gpu [no]'
    add configure after '^    libvmaf$' '    libvmaf_gpu'
    add configure after '^libvmaf_filter_deps=' 'vmaf_gpu_filter_deps="libvmaf_gpu"'
    add configure after '^enabled libvmaf .*require_pkg_config' \
        'enabled libvmaf_gpu       && require_pkg_config libvmaf_gpu "libvmaf_gpu >= 0.1.0" vmaf_gpu/run.h vmafgpu_run_each'
    add Changelog after '^version ' '- vmaf_gpu filter'
    add doc/filters.texi before '^@section vmafmotion' "$(manual 1)
"
    fate >b/tests/fate/vmaf-gpu.mak
    cp "$here"/../fate/ref/* b/tests/ref/fate/
    add tests/Makefile after 'fate/filter-video.mak' 'include $(SRC_PATH)/tests/fate/vmaf-gpu.mak'
}

# Of the files that part 1 has, and some more.
further() { # KEEP PART FILES...
    keep=$1 part=$2
    shift 2
    strip "$keep" <"$here/../vf_vmaf_gpu.c" >b/libavfilter/vf_vmaf_gpu.c
    for file in vf_vmaf_gpu_setup.c vf_vmaf_gpu.h vf_vmaf_gpu_hw.c vf_vmaf_gpu_hw.h "$@"; do
        strip "$keep" <"$here/$file" >"b/libavfilter/$file"
    done
    objects="$(cd b/libavfilter && ls vf_vmaf_gpu*.c | sed 's/c$/o/' | LC_ALL=C sort | paste -sd' ' -) \$(if \$(CONFIG_VULKAN),vulkan.o)"
    sed "s/^\(OBJS-.*VMAF_GPU_FILTER.*+=\).*/\1 $objects/" b/libavfilter/Makefile >new
    cat new >b/libavfilter/Makefile
    cp a/doc/filters.texi b/doc/filters.texi
    manual "$part" >piece
    awk 'FNR == NR { piece = piece $0 "\n"; next }
        /^@anchor{vmaf_gpu}/ { printf "%s", piece; ours = 1 }
        /^@section vmafmotion/ { if (ours) print ""; ours = 0 }
        !ours { print }' piece a/doc/filters.texi | cat -s >b/doc/filters.texi
}

part_2() {
    further VMAF_GPU_SURFACES 2 vf_vmaf_gpu_vulkan.c
    add configure after '^vmaf_gpu_filter_deps=' 'vmaf_gpu_filter_suggest="vulkan"'
}

part_3() {
    further 'VMAF_GPU_SURFACES VMAF_GPU_DMABUF' 3 vf_vmaf_gpu_dmabuf.c
    sed 's/^vmaf_gpu_filter_suggest=.*/vmaf_gpu_filter_suggest="libdrm vaapi vulkan"/' b/configure >new
    cat new >b/configure
}

patch() { # NUMBER TITLE TEXT
    mail_head "[PATCH $1/3] $2"
    printf '%s\n' "$3" ---
    find b -type f | sed 's,^b/,,' | LC_ALL=C sort | while read -r file; do diff_file "$file"; done
    printf '%s\n' '-- ' vmaf_gpu ''
}

cd "$work"
for folder in libavfilter doc tests/fate tests/ref/fate; do mkdir -p "a/$folder"; done
for file in $changed; do
    [ ! -f "$tree/$file" ] || cp "$tree/$file" "a/$file"
done
"$here/apply.sh" --reverse "$work/a"
type=$(sed -n 's/^extern const \([A-Za-z]*\) ff_vf_vmafmotion;.*/\1/p' a/libavfilter/allfilters.c)
[ -n "$type" ] || die "cannot parse the line of vmafmotion in libavfilter/allfilters.c"
newest=''
! grep -qs ff_vk_qf_find "$tree/libavutil/vulkan.h" || newest=VG_VULKAN_QUEUE_FIND
cp -R a b
part_1
patch 1 'avfilter: add vf_vmaf_gpu' "The filter computes VMAF on NVIDIA and AMD GPUs and on the CPU, with the
library libvmaf_gpu. It takes frames in memory and CUDA frames."
rm -rf a && cp -R b a
part_2
patch 2 'avfilter/vf_vmaf_gpu: read Vulkan frames' "They are copied to linear memory on the GPU, else downloaded."
rm -rf a && cp -R b a
part_3
patch 3 'avfilter/vf_vmaf_gpu: read VAAPI and DRM_PRIME frames' "Linear surfaces of the same GPU are read where they are; tiled ones are
copied by their driver. All others are downloaded."
