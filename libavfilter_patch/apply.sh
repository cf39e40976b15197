#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Grafts the vmaf_gpu filter into an FFmpeg source tree (5.1 ... 9.0, also those
# of distributions): copies its files and adds one line at each of a few anchors,
# which is why no patch per version is needed. Run by scripts/build-ffmpeg.sh or
# by hand. Running it again changes nothing; nothing is configured or built here.
set -eu

usage() {
    echo "usage: apply.sh [--check | --reverse] FFMPEG_TREE" >&2
    echo "  --check    say what is missing and change nothing; exit status 1 if anything is" >&2
    echo "  --reverse  take the filter out again" >&2
    exit 2
}

die() {
    echo "apply.sh: $*" >&2
    exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
mode=apply
case "${1:-}" in
--check) mode=check; shift ;;
--reverse) mode=reverse; shift ;;
-*) usage ;;
esac
[ $# -eq 1 ] || usage
tree=$1
missing=0

[ -f "$tree/libavfilter/allfilters.c" ] || die "$tree is not an FFmpeg source tree"
grep -q 'ff_vf_vmafmotion;' "$tree/libavfilter/allfilters.c" ||
    die "$tree/libavfilter/allfilters.c has no vmafmotion filter: FFmpeg older than 5.1?"

# Files in the tree may be read-only, and executable bits must stay.
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

# One file of ours: TREE/TO is a copy of FROM. Equal files keep their time.
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
    # grep's status 1 means only that no line is left.
    grep -vF -e "$2" "$1" || [ $? -eq 1 ]
}

# One line of ours, next to the first line that matches ANCHOR. A line with
# MARKER is one of ours from before; it is replaced if it reads differently.
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

insert() { # before|after ANCHOR LINE < CONTENT
    where=$1 anchor=$2 text=$3 awk '
        !done && $0 ~ ENVIRON["anchor"] {
            done = 1
            if (ENVIRON["where"] == "before") { print ENVIRON["text"]; print; }
            else { print; print ENVIRON["text"]; }
            next
        }
        { print }'
}

# The section of the manual: several lines between two marks.
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

copy "$here/../vf_vmaf_gpu.c" libavfilter/vf_vmaf_gpu.c
for part in vf_vmaf_gpu.h vf_vmaf_gpu_shim.h vf_vmaf_gpu_drm.c vf_vmaf_gpu_drm.h vf_vmaf_gpu_engine.c \
    vf_vmaf_gpu_format.c vf_vmaf_gpu_hw.c vf_vmaf_gpu_import.c vf_vmaf_gpu_options.c vf_vmaf_gpu_options.h \
    vf_vmaf_gpu_picture.c vf_vmaf_gpu_report.c; do
    copy "$here/$part" "libavfilter/$part"
done

# Configure finds filters by the shape of this line, so the type word must be the tree's own.
type=$(sed -n 's/^extern const \([A-Za-z]*\) ff_vf_vmafmotion;.*/\1/p' "$tree/libavfilter/allfilters.c")
[ -n "$type" ] || die "the line of vmafmotion in libavfilter/allfilters.c has an unknown shape"
line libavfilter/allfilters.c 'ff_vf_vmaf_gpu;' before '^extern const [A-Za-z]* ff_vf_vmafmotion;' \
    "extern const $type ff_vf_vmaf_gpu;"
line libavfilter/Makefile CONFIG_VMAF_GPU_FILTER before '^OBJS-.*CONFIG_VMAFMOTION_FILTER' \
    'OBJS-$(CONFIG_VMAF_GPU_FILTER)               += vf_vmaf_gpu.o vf_vmaf_gpu_drm.o vf_vmaf_gpu_engine.o vf_vmaf_gpu_format.o vf_vmaf_gpu_hw.o vf_vmaf_gpu_import.o vf_vmaf_gpu_options.o vf_vmaf_gpu_picture.o vf_vmaf_gpu_report.o framesync.o'
line configure --enable-libvmaf-gpu after '^  --enable-libvmaf ' \
    '  --enable-libvmaf-gpu     enable vmaf_gpu filter via libvmaf_gpu [no]'
line configure '    libvmaf_gpu' after '^    libvmaf$' '    libvmaf_gpu'
line configure vmaf_gpu_filter_deps after '^libvmaf_filter_deps=' \
    'vmaf_gpu_filter_deps="libvmaf_gpu"'
# Surfaces are synchronised by a call of libva's.
line configure vmaf_gpu_filter_suggest after '^vmaf_gpu_filter_deps=' \
    'vmaf_gpu_filter_suggest="libdrm vaapi"'
line configure 'enabled libvmaf_gpu ' after '^enabled libvmaf .*require_pkg_config' \
    'enabled libvmaf_gpu       && require_pkg_config libvmaf_gpu "libvmaf_gpu >= 0.1.0" vmaf_gpu/vmaf_gpu.h vmafgpu_version'
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
