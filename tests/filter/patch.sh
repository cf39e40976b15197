#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# `apply.sh --patch`: git am, quilt and patch(1) take the patch on a tree without the filter, and each
# gives what apply.sh gives. Needs git; quilt is left out where there is none. Called by run.sh and
# by scripts/ci/test-ffmpeg-versions.sh. Nothing is built here.
#   tests/filter/patch.sh FFMPEG    a program in the tree that scripts/build-ffmpeg.sh made
#   tests/filter/patch.sh TREE      an FFmpeg source tree, with the filter or without
. "$(dirname "$0")/begin.sh"
tree=$ffmpeg
[ -d "$tree" ] || tree=$(dirname "$tree")
if [ ! -f "$tree/libavfilter/allfilters.c" ]; then
    echo "SKIPPED patch: no FFmpeg source tree in $tree"
    exit 0
fi

apply() {
    "$root/libavfilter_patch/apply.sh" "$@"
}

# Contents, and which files can be run.
same_tree() { # DIRECTORY DIRECTORY
    diff -r -q --exclude=.git --exclude=.pc --exclude=patches "$1" "$2" >err 2>&1 || return 1
    diff <(programs "$1") <(programs "$2") >err 2>&1
}

programs() { # DIRECTORY
    (cd "$1" && find . \( -name .git -o -name .pc -o -name patches \) -prune -o -type f -perm -u+x -print | sort)
}

git_here() { # DIRECTORY ARGUMENTS...
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C "$1" -c user.name=test -c user.email=test@localhost \
        -c init.defaultBranch=main "${@:2}"
}

# The parts of the tree that matter, without what configure and a build leave.
mkdir clean
(cd "$tree" && find configure RELEASE libavfilter doc/filters.texi tests/Makefile tests/fate tests/ref/fate \
    -type f ! -name '*.[oda]' ! -name filter_list.c -print0 | tar --null -T - -cf -) | tar -C clean -xf - || exit 1
chmod -R u+w clean
apply --reverse clean >err 2>&1
expect "apply.sh --reverse" $?
! grep -rlq vmaf_gpu clean
expect "apply.sh --reverse leaves something" $?
original=$(cat "$tree/.vmaf_gpu_source" 2>/dev/null)
if [ -d "${original:-/nonexistent}" ]; then
    for file in configure libavfilter/Makefile libavfilter/allfilters.c doc/filters.texi tests/Makefile; do
        cmp "clean/$file" "$original/$file" >err 2>&1
        expect "$file without the filter is not the original" $?
    done
fi

cp -a clean grafted && apply grafted >err 2>&1
expect "apply.sh" $?
cp -a clean before
apply --patch clean >vmaf_gpu.patch 2>err
expect "apply.sh --patch" $?
same_tree before clean
expect "--patch changes the tree" $?
apply --patch grafted 2>err | cmp - vmaf_gpu.patch >>err
expect "a tree with the filter gives another patch" $?
SOURCE_DATE_EPOCH=86400 apply --patch clean 2>err | diff - vmaf_gpu.patch >err
[ "$(grep '^[<>]' err)" = '< Date: Fri, 02 Jan 1970 00:00:00 +0000
> Date: Thu, 01 Jan 1970 00:00:00 +0000' ]
expect "SOURCE_DATE_EPOCH is not the date, or is more" $?

cp -a clean with_git
git_here with_git init -q && git_here with_git add -A -f && git_here with_git commit -q -m before &&
    git_here with_git am --whitespace=nowarn "$work/vmaf_gpu.patch" >err 2>&1
expect "git am" $?
same_tree with_git grafted
expect "git am gives another tree than apply.sh" $?
[ "$(git_here with_git log -1 --format=%s)" = 'avfilter: add vf_vmaf_gpu' ]
expect "the commit's title" $?

cp -a clean with_patch
patch -d with_patch -p1 --fuzz=0 --no-backup-if-mismatch -i "$work/vmaf_gpu.patch" >err 2>&1 && ! grep -q offset err
expect "patch -p1" $?
same_tree with_patch grafted
expect "patch -p1 gives another tree than apply.sh" $?

if command -v quilt >/dev/null; then
    cp -a clean with_quilt
    mkdir with_quilt/patches
    (cd with_quilt && export QUILT_PATCHES=patches QUILTRC=/dev/null && quilt import ../vmaf_gpu.patch &&
        quilt push --fuzz=0) >err 2>&1
    expect "quilt push" $?
    same_tree with_quilt grafted
    expect "quilt gives another tree than apply.sh" $?
    (cd with_quilt && QUILT_PATCHES=patches QUILTRC=/dev/null quilt pop) >err 2>&1 && same_tree with_quilt clean
    expect "quilt pop" $?
else
    echo "SKIPPED patch: quilt is not installed"
fi

# The series for FFmpeg itself: three commits, none with what is for older releases.
cp "$tree/Changelog" clean/ 2>/dev/null
cp -a clean upstream
apply --patch=upstream clean >series.patch 2>err
expect "apply.sh --patch=upstream" $?
git_here upstream init -q && git_here upstream add -A -f && git_here upstream commit -q -m before &&
    git_here upstream am --whitespace=nowarn "$work/series.patch" >err 2>&1
expect "git am of the series" $?
[ "$(git_here upstream log --format=%s | tr '\n' '|')" = 'avfilter/vf_vmaf_gpu: read VAAPI and DRM_PRIME frames|avfilter/vf_vmaf_gpu: read Vulkan frames|avfilter: add vf_vmaf_gpu|before|' ]
expect "the titles of the series" $?
! grep -qE 'VG_[A-Z]|VMAF_GPU_(ADVICE|FORMATS|SURFACES)|IS_WANTED|FAILS_AT_ONCE|vf_vmaf_gpu_(shim|advice|colour|formats)' upstream/libavfilter/vf_vmaf_gpu*
expect "the series has what is for older releases, or advice" $?
[ "$(git_here upstream show --format= --name-only HEAD~2 | grep -c 'libavfilter/vf_vmaf_gpu')" -eq 3 ]
expect "the first patch has other files than the filter's three" $?

mkdir other
apply --patch other >out 2>err
[ $? -eq 1 ] && [ ! -s out ] && grep -q 'other is not an FFmpeg source tree' err
expect "another folder is not refused" $?

summary
