#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The series for FFmpeg itself (apply.sh --patch=upstream) on a clean tree: git am, a build with FFmpeg's own
# defaults, the filter's FATE tests, FFmpeg's checks of sources and headers. By hand, before it is sent.
#   scripts/ci/test-upstream.sh [VERSION]       9.0 by default; FFMPEG_SOURCES as test-ffmpeg-versions.sh
#   VMAF_GPU_FATE="emu cuda"                 backends beside the CPU; default: emu
. "$(dirname "$0")/../lib/common.sh"
. "$root/scripts/lib/ffmpeg-source.sh"

version=${1:-9.0}
work=$build/upstream
tree=$work/ffmpeg
rm -rf "$work"
mkdir -p "$work" "$build/ffmpeg-versions/source"
from=$(ffmpeg_tree_in "$version" "${FFMPEG_SOURCES:-$build/ffmpeg-versions/source}")
if [ -z "$from" ]; then
    fetch_ffmpeg "$version" "$build/ffmpeg-versions/source" || die "no source; set FFMPEG_SOURCES"
    from=$(ffmpeg_tree_in "$version" "$build/ffmpeg-versions/source")
fi
cp -r "$from" "$tree"

git_here() {
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C "$tree" -c user.name=test -c user.email=test@localhost "$@"
}
libavfilter_patch/apply.sh --patch=upstream "$tree" >"$work/series.patch"
chown -R "$(id -u):$(id -g)" "$tree" # as root, an archive keeps its owners, which git refuses
git_here init -q
git_here add -A -f
git_here commit -q -m before
git_here am "$work/series.patch"

configure_engine test
ninja -C "$build" -j "$jobs" src/engine/libvmaf_gpu.a tools/vmaf_gpu >"$work/engine.log" || die "see $work/engine.log"
DESTDIR=$work/stage meson install -C "$build" --no-rebuild --quiet --tags devel
engine=$(find "$work/stage" -name libvmaf_gpu.pc)
sed -i "s|^prefix=|prefix=$work/stage|" "$engine"
PKG_CONFIG_PATH=$(dirname "$engine")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
(cd "$tree" && ./configure --pkg-config-flags=--static --enable-libvmaf-gpu --disable-doc --disable-ffplay) \
    >"$work/configure.log" 2>&1 || die "configure failed: $work/configure.log"
make -C "$tree" -j "$jobs" ffmpeg ffprobe >"$work/make.log" 2>&1 || die "make failed: $work/make.log"
! grep -A5 'vmaf_gpu.*warning' "$work/make.log" || die "the filter has warnings"

FFMPEG_TREE=$tree VMAF_GPU_FATE=${VMAF_GPU_FATE-emu} scripts/ci/fate.sh
make -s -C "$tree" fate-source
make -s -C "$tree" -j "$jobs" checkheaders >"$work/headers.log" 2>&1 || die "checkheaders failed: $work/headers.log"
echo "upstream: FFmpeg $(cat "$tree/RELEASE"), $(git_here rev-list --count HEAD~3..HEAD) patches, FATE, fate-source, checkheaders passed"
