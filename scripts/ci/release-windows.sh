#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes vmaf_gpu-VERSION-windows-x86_64.zip of the committed tree: ffmpeg.exe, ffprobe.exe, the tool,
# the library, licences. Two runs of one commit, in the same folder and with the same packages, give
# the same bytes. Needs what windows.sh names; docs/develop/packaging.md describes it.
#   scripts/ci/release-windows.sh [FOLDER]     default: dist/
# FFMPEG_SRC and FFMPEG_PROFILE are those of ffmpeg-windows.sh, RELEASE_MESON_ARGS that of release.sh.
. "$(dirname "$0")/../lib/common.sh"
export WINDOWS_WORK=${WINDOWS_WORK:-$build/windows-release}
# As the archive for Linux: the kernels are clang's, which puts no terms on them.
export WINDOWS_MESON_ARGS="-Dtests=false -Demu=false -Ddefault_library=both -Dnvidia_compiler=clang ${RELEASE_MESON_ARGS:-}"
. "$root/scripts/lib/windows.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/dist}")
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
name=vmaf_gpu-$version-windows-x86_64
stage=$work/release/$name
library=libvmaf_gpu-${version%%.*}.dll

check_tree() {
    local changed
    changed=$(git status --porcelain --untracked-files=no) || die "a release is made of a git clone"
    [ -z "$changed" ] || die "uncommitted changes, which would be in the release; commit or stash:
$changed"
}

copy_programs() {
    local program name
    # FFmpeg's own strip puts the time in, which -p does not.
    for program in "$work"/ffmpeg/{ffmpeg,ffprobe}_g.exe "$windows_build"/tools/vmaf_gpu.exe \
        "$windows_build/src/engine/$library"; do
        name=$(basename "$program")
        "$compiler-strip" -p -o "$stage/${name/_g./.}" "$program"
    done
    mkdir -p "$stage/lib" "$stage/include"
    cp "$windows_build/src/engine/libvmaf_gpu.dll.a" "$stage/lib/"
    cp -r include/vmaf_gpu "$stage/include/"
}

# Of every part that is linked into the programs; a text that is not there ends the script.
copy_licences() {
    local licences=$stage/licences part
    mkdir -p "$licences/vmaf_gpu"
    cp LICENSES/*.txt models/LICENSE models/NOTICE "$licences/vmaf_gpu/"
    cp "$work/ffmpeg/LICENSE.md" "$licences/FFmpeg.md"
    cp "$work/ffmpeg/COPYING.LGPLv2.1" "$licences/FFmpeg-LGPL-2.1.txt"
    cp "$work/zlib/usr/share/doc/libz-mingw-w64-dev/copyright" "$licences/zlib.txt"
    for part in nlohmann-json3-dev libhwy-dev mingw-w64-x86-64-dev g++-mingw-w64-x86-64-posix; do
        cp "/usr/share/doc/$part/copyright" "$licences/$part.txt"
    done
}

add_texts() {
    sed '1,/^$/d' packaging/windows/README.md >"$stage/README.md"
    {
        printf '\n## This archive\n\n'
        echo "- Made of commit $(git rev-parse --short=12 HEAD). Made for Windows 10 or later (x86_64), and never run there."
        echo "- Code for AMD GPUs: $(gpus @gfx)."
        echo "- Code for NVIDIA GPUs, finished by the driver: capability $(gpus compute_), or later."
        echo "- FFmpeg $(cat "$work/ffmpeg/RELEASE"), under the LGPL 2.1 or later."
        echo "- The compiler was $("$compiler-g++-posix" --version | head -n 1)."
    } >>"$stage/README.md"
    dpkg-query -W >"$stage/build-environment.txt"
}

# Of the code that there is: an option may say "default".
gpus() { # PREFIX
    grep -aoE "$1[0-9a-f]+" "$stage/$library" | sed 's/.*_//; s/@//' | sort -Vu | paste -sd' '
}

check_programs() {
    local program needed
    for program in "$stage"/*.exe "$stage/$library"; do
        needed=$("$compiler-objdump" -p "$program" | sed -n 's/^.*DLL Name: //p' | grep '^lib' |
            grep -vx "$library" || true)
        [ -z "$needed" ] || die "$(basename "$program") needs $needed, which Windows does not have"
        ! grep -qF "$root" "$program" || die "$(basename "$program") contains the path $root"
    done
}

# "NAME|VERSION|HOW|SOURCE" of all that is in the programs.
parts() {
    local package source how
    echo "ffmpeg|$(cat "$work/ffmpeg/RELEASE")|programs|ffmpeg"
    echo "libz-mingw-w64|$(sed -n 's/^Version: //p' < <(dpkg-deb -f "$(echo "$work"/libz-mingw-w64-dev_*.deb)"))|static|libz-mingw-w64"
    for package in nlohmann-json3-dev:nlohmann-json3:headers libhwy-dev:highway:headers \
        mingw-w64-x86-64-dev:mingw-w64:static g++-mingw-w64-x86-64-posix:gcc-mingw-w64:static; do
        IFS=: read -r package source how <<<"$package"
        echo "$package|$(dpkg-query -W -f '${Version}' "$package")|$how|$source"
    done
}

pack() {
    local options=() part
    while read -r part; do options+=(--part "$part"); done < <(parts)
    "$root/packaging/release/pack_zip.py" --stage "$stage" --name "$name" --version "$version" \
        --epoch "$(git log -1 --format=%ct)" "${options[@]}" "$folder"
}

check_tree
build_programs src/engine/libvmaf_gpu.a "src/engine/$library" tools/vmaf_gpu.exe
"$root/scripts/ci/ffmpeg-windows.sh"
rm -rf "$work/release"
mkdir -p "$stage" "$folder"
copy_programs
copy_licences
add_texts
check_programs
pack
note "$folder/$name.zip: try it with scripts/ci/test-windows.sh release"
