#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Adds the vmaf_gpu filter to an FFmpeg source tree, 5.1 to 9.0, also to the trees of
# distributions: copies its files and inserts one line at each of a few anchor lines,
# so that no patch per version is needed; --patch writes one for the version of the
# tree, --patch=upstream (upstream.sh) a series for FFmpeg itself. scripts/build-ffmpeg.sh
# runs it. A second run changes nothing. It neither
# configures nor builds FFmpeg.
set -eu

usage() {
    echo "usage: apply.sh [--check | --reverse | --patch | --patch=upstream] FFMPEG_TREE" >&2
    echo "  --check    report what is missing and change nothing; exit status 1 if anything is missing" >&2
    echo "  --reverse  remove the filter again" >&2
    echo "  --patch    change nothing; write a patch to standard output, for git am, quilt and patch -p1" >&2
    echo "  --patch=upstream  the same, as a series for FFmpeg itself: without older releases" >&2
    exit 2
}

die() {
    echo "apply.sh: $*" >&2
    exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
mode=apply
case "${1:-}" in
--check) mode=check; shift ;;
--reverse) mode=reverse; shift ;;
--patch) mode=patch; shift ;;
--patch=upstream) shift; exec "$here/upstream.sh" "$@" ;;
-*) usage ;;
esac
[ $# -eq 1 ] || usage
tree=$1
missing=0

[ -f "$tree/libavfilter/allfilters.c" ] || die "$tree is not an FFmpeg source tree"
grep -q 'ff_vf_vmafmotion;' "$tree/libavfilter/allfilters.c" ||
    die "$tree/libavfilter/allfilters.c has no vmafmotion filter: FFmpeg older than 5.1?"

# ------------------------------------------------------------------ --patch

# The files of the tree that are changed, not added.
changed_files='configure libavfilter/allfilters.c libavfilter/Makefile doc/filters.texi tests/Makefile'

patch_head() { # FFMPEG_VERSION
    mail_head '[PATCH] avfilter: add vf_vmaf_gpu'
    cat <<EOF
The filter computes VMAF on NVIDIA and AMD GPUs and on the CPU. It needs
the library libvmaf_gpu: ./configure --enable-libvmaf-gpu

Made for FFmpeg $1 by libavfilter_patch/apply.sh --patch of vmaf_gpu.
---
EOF
}

# Grafts the filter into a copy of the few files that it changes. A tree that has the filter gives
# the same patch.
write_patch() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for folder in libavfilter doc tests/fate tests/ref/fate; do
        mkdir -p "$work/a/$folder"
    done
    for file in $changed_files; do
        [ ! -f "$tree/$file" ] || cp "$tree/$file" "$work/a/$file"
    done
    "$here/apply.sh" --reverse "$work/a"
    cp -R "$work/a" "$work/b"
    "$here/apply.sh" "$work/b"
    patch_head "$(cat "$tree/RELEASE" 2>/dev/null || echo "of an unknown version")"
    cd "$work"
    find b -type f | sed 's,^b/,,' | LC_ALL=C sort >files
    while read -r file; do
        diff_file "$file"
    done <files
    # Where git format-patch names its version.
    printf '%s\n' '-- ' vmaf_gpu
}

if [ $mode = patch ]; then
    write_patch
    exit
fi

# -------------------------------------------------- apply, --check, --reverse

# Keeps executable bits; files in the tree may be read-only.
overwrite() { # FILE < CONTENT
    cat >"$1.vmaf_gpu"
    [ -w "$1" ] || chmod u+w "$1"
    cat "$1.vmaf_gpu" >"$1"
    rm -f "$1.vmaf_gpu"
}

report() { # STATE WHAT
    if [ "$1" = missing ]; then
        missing=1
        echo "missing: $2"
    fi
}

# Make TREE/TO a copy of FROM. Files that are equal keep their time.
copy() { # FROM TO
    case $mode in
    reverse) rm -f "$tree/$2" ;;
    check) cmp -s "$1" "$tree/$2" || report missing "$2" ;;
    apply)
        cmp -s "$1" "$tree/$2" && return
        rm -f "$tree/$2"
        cp "$1" "$tree/$2"
        chmod u+w "$tree/$2"
        ;;
    esac
}

without_marker() { # FILE MARKER
    # Status 1 of grep is no error: no line is left.
    grep -vF -e "$2" "$1" || [ $? -eq 1 ]
}

# Insert LINE next to the first line that matches ANCHOR. An existing line with
# MARKER comes from an earlier run; it is replaced if it differs.
line() { # FILE MARKER before|after ANCHOR LINE
    file=$tree/$1
    [ -f "$file" ] || die "$1 not found in $tree"
    if [ $mode = reverse ]; then
        grep -qF -e "$2" "$file" || return 0
        without_marker "$file" "$2" | overwrite "$file"
        return
    fi
    grep -qxF -e "$5" "$file" && return
    if [ $mode = check ]; then
        report missing "$1: $5"
        return
    fi
    grep -q -e "$4" "$file" || die "anchor '$4' not found in $1"
    without_marker "$file" "$2" | insert "$3" "$4" "$5" | overwrite "$file"
}

# The section of the manual: the lines between two marks.
manual() {
    file=$tree/doc/filters.texi
    [ -f "$file" ] || return 0
    begin='@c vmaf_gpu begin'
    end='@c vmaf_gpu end'
    current=$(awk -v b="$begin" -v e="$end" '$0 == b { p = 1 } p; $0 == e { p = 0 }' "$file")
    wanted=
    [ $mode = reverse ] || wanted=$(cat "$here/filters.texi")
    [ "$current" = "$wanted" ] && return
    if [ $mode = check ]; then
        report missing "doc/filters.texi: section vmaf_gpu"
        return
    fi
    grep -q '^@section vmafmotion' "$file" || die "anchor '@section vmafmotion' not found in $file"
    piece=$wanted awk -v b="$begin" -v e="$end" '
        $0 == b { ours = 1 }
        /^@section vmafmotion/ && ENVIRON["piece"] != "" { print ENVIRON["piece"]; print "" }
        !ours && !(blank_after && $0 == "") { print }
        { blank_after = 0 }
        $0 == e { ours = 0; blank_after = 1 }' "$file" | overwrite "$file"
}

# FFmpeg's configure finds filters by this line, so it must use the tree's own type name.
type=$(sed -n 's/^extern const \([A-Za-z]*\) ff_vf_vmafmotion;.*/\1/p' "$tree/libavfilter/allfilters.c")
[ -n "$type" ] || die "cannot parse the line of vmafmotion in libavfilter/allfilters.c"

# The files for FFmpeg itself, as they have to be in other releases, with the optional files.
fitted=$(mktemp)
trap 'rm -f "$fitted"' EXIT
sed '/^#include "formats.h"$/a #include "vf_vmaf_gpu_shim.h"' "$here/vf_vmaf_gpu.h" >"$fitted"
copy "$fitted" libavfilter/vf_vmaf_gpu.h
if [ "$type" = FFFilter ]; then
    cat "$here/../vf_vmaf_gpu.c" >"$fitted"
else
    sed "s/^const FFFilter /const $type /; s/^    \.p\./    ./" "$here/../vf_vmaf_gpu.c" >"$fitted"
fi
copy "$fitted" libavfilter/vf_vmaf_gpu.c
objects=vf_vmaf_gpu.o
for part in setup dmabuf formats hw vulkan; do
    copy "$here/vf_vmaf_gpu_$part.c" "libavfilter/vf_vmaf_gpu_$part.c"
    objects="$objects vf_vmaf_gpu_$part.o"
done
# FFmpeg's own helpers for Vulkan, as its filters have them.
objects="$objects \$(if \$(CONFIG_VULKAN),vulkan.o)"
for part in shim hw; do
    copy "$here/vf_vmaf_gpu_$part.h" "libavfilter/vf_vmaf_gpu_$part.h"
done
line libavfilter/allfilters.c 'ff_vf_vmaf_gpu;' before '^extern const [A-Za-z]* ff_vf_vmafmotion;' \
    "extern const $type ff_vf_vmaf_gpu;"
line libavfilter/Makefile CONFIG_VMAF_GPU_FILTER before '^OBJS-.*CONFIG_VMAFMOTION_FILTER' \
    "OBJS-\$(CONFIG_VMAF_GPU_FILTER)               += $objects"
line configure --enable-libvmaf-gpu after '^  --enable-libvmaf ' \
    '  --enable-libvmaf-gpu     enable vmaf_gpu filter via libvmaf_gpu [no]'
line configure '    libvmaf_gpu' after '^    libvmaf$' '    libvmaf_gpu'
line configure vmaf_gpu_filter_deps after '^libvmaf_filter_deps=' \
    'vmaf_gpu_filter_deps="libvmaf_gpu"'
# The filter calls libva itself.
line configure vmaf_gpu_filter_suggest after '^vmaf_gpu_filter_deps=' \
    'vmaf_gpu_filter_suggest="libdrm vaapi vulkan"'
# The function is the newest one in use, so that an older engine fails here.
line configure 'enabled libvmaf_gpu ' after '^enabled libvmaf .*require_pkg_config' \
    'enabled libvmaf_gpu       && require_pkg_config libvmaf_gpu "libvmaf_gpu >= 0.1.0" vmaf_gpu/run.h vmafgpu_run_each'
manual

if [ -f "$tree/tests/Makefile" ]; then
    copy "$here/../fate/vmaf-gpu.mak" tests/fate/vmaf-gpu.mak
    for ref in "$here"/../fate/ref/*; do
        [ -f "$ref" ] || continue
        copy "$ref" "tests/ref/fate/$(basename "$ref")"
    done
    line tests/Makefile fate/vmaf-gpu.mak after 'fate/filter-video.mak' \
        'include $(SRC_PATH)/tests/fate/vmaf-gpu.mak'
fi
exit $missing
