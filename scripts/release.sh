#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes the files of a release of the committed tree: an archive for Linux with ffmpeg, ffprobe, the
# tool and the library, its sums, its parts and its notes. Needs root and debootstrap, on Debian 12;
# docs/develop/packaging.md describes it.
#   scripts/release.sh [--without-ffmpeg] [FOLDER]    default: dist/
#   scripts/release.sh --arm64 ...                    the same for 64-bit Arm, cross-compiled
#   scripts/release.sh --plan                         only says what would be made
# FFMPEG_VERSION, FFMPEG_SRC, FFMPEG_PROFILE and FFMPEG_LICENSE are those of build-ffmpeg.sh.
# RELEASE_CCACHE=FOLDER keeps compiled objects there, for other runs and clones.
# Kernels for every GPU take long. For a trial:
#   RELEASE_MESON_ARGS="-Dhip_archs=gfx90a,gfx1030" FFMPEG_PROFILE=small scripts/release.sh
. "$(dirname "$0")/lib/common.sh"
. "$root/scripts/lib/ffmpeg-source.sh"

work=$build/release
machine=x86_64
profile=${FFMPEG_PROFILE:-full}
license=${FFMPEG_LICENSE:-gpl}
has_ffmpeg=yes
is_plan=
folder=dist
for word; do
    case $word in
    --without-ffmpeg) has_ffmpeg= ;;
    --arm64) machine=aarch64 ;;
    --plan) is_plan=yes ;;
    -*) die "$word: --without-ffmpeg, --arm64 and --plan are known" ;;
    # Relative to where the user stands.
    *) folder=$(cd "$OLDPWD" && realpath -m "$word") ;;
    esac
done
if [ -n "${RELEASE_CCACHE:-}" ]; then
    RELEASE_CCACHE=$(cd "$OLDPWD" && realpath -m "$RELEASE_CCACHE")
    mkdir -p "$RELEASE_CCACHE"
    export RELEASE_CCACHE
fi
# Each machine's has its own packages.
system=$work/system
[ "$machine" = x86_64 ] || system+=-$machine

# What is built without FFmpeg, and what with: the name says the licence where it is not the usual.
release_name() {
    local name
    name=vmaf_gpu-$version-linux-$machine
    if [ -z "$has_ffmpeg" ]; then
        name+=-without-ffmpeg
    elif [ "$license" = lgpl ]; then
        name+=-lgpl
    fi
    echo "$name"
}

check_tree() {
    local changed
    changed=$(git status --porcelain --untracked-files=no) || die "a release is made of a git clone"
    [ -z "$changed" ] || die "uncommitted changes, which the release would lack; commit or stash:
$changed"
    version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
    commit=$(git rev-parse --short=12 HEAD)
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    export SOURCE_DATE_EPOCH
    notes_of_version >/dev/null
}

check_machine() {
    [ "$(uname -m)" = x86_64 ] || die "releases are made on x86_64 only so far; this machine is $(uname -m)"
    grep -q '^VERSION_CODENAME=bookworm' /etc/os-release ||
        die "releases are made on Debian 12: its packages and their signatures are used"
    [ "$(id -u)" -eq 0 ] || die "a release is built in a chroot, which needs root: sudo scripts/release.sh"
    command -v debootstrap >/dev/null || die "debootstrap is missing: sudo apt-get install debootstrap"
    command -v objdump >/dev/null || die "objdump is missing: sudo apt-get install binutils"
    command -v dpkg-source >/dev/null || die "dpkg-source is missing: sudo apt-get install dpkg-dev"
    require_space 6000
}

# The part of NEWS.md under "## VERSION", without its heading.
notes_of_version() {
    local text
    text=$(awk -v heading="## $version" '
        /^## / { is_on = index($0 " ", heading " ") == 1; next }
        is_on' NEWS.md)
    [ -n "${text//[[:space:]]/}" ] || die "NEWS.md has no section \"## $version\": write what is new"
    echo "$text"
}

# ------------------------------------------------------------------ system

# shellcheck disable=SC2016 # the other shell's
inside() { # COMMAND...; what is mounted is gone with the namespace
    unshare --mount bash -c 'mount -t proc proc "$0/proc" &&
        { [ -z "${RELEASE_CCACHE:-}" ] || mount --bind "$RELEASE_CCACHE" "$0/var/cache/ccache"; } &&
        exec chroot "$0" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/var/cache/ccache \
        RELEASE_CCACHE="${RELEASE_CCACHE:-}" "$@"' "$system" "$@"
}

fetch() { # SUITE TYPE PACKAGES...: into the system's /packages
    local suite=$1 type=$2 options=()
    shift 2
    [ "$machine" = x86_64 ] || options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64)
    write_debian_suite "$suite" "$type" || die "no mirror of Debian in /etc/apt"
    private_apt "${options[@]}" update >/dev/null || die "no package lists of Debian $suite: check the network"
    if [ "$type" = deb ]; then
        (cd "$system/packages" && private_apt "${options[@]}" download "${@/%//$suite}")
    else
        (cd "$system/packages" && private_apt source "$@")
    fi || die "$*: not to be had from Debian $suite; check the network and run this script again"
}

# Parts by their headers have no library that the linker could name.
describe_headers() { # NAME PACKAGE VERSION [for-ffmpeg]
    local folder=$system/usr/local/share/vmaf_gpu-parts/$1
    mkdir -p "$folder"
    echo "$3" >"$folder/version"
    cp "$system/usr/share/doc/$2/copyright" "$folder/copyright"
    [ -z "${4:-}" ] || touch "$folder/$4"
}

installed_version() { # PACKAGE
    # shellcheck disable=SC2016 # dpkg's
    inside dpkg-query -W -f '${Version}' "$1"
}

# Made once, for the first release, and gone on with where it was cut off; `rm -r build/release` makes
# it anew. The programs that it has are not changed later, so that two runs give the same bytes.
make_system() {
    local packages=(make ninja-build meson pkg-config python3 dpkg-dev xz-utils patchelf ccache clang-19 lld-19
        nlohmann-json3-dev cmake)
    local libraries=(libhwy-dev zlib1g-dev libx264-dev libx265-dev libnuma-dev libzimg-dev libssl-dev
        libfreetype-dev libfontconfig-dev libexpat1-dev uuid-dev libbrotli-dev libpng-dev)
    if [ "$machine" = x86_64 ]; then
        packages+=(g++ nasm "${libraries[@]}")
    else
        # Programs that are built, such as generators of code, run here: FFmpeg's are compiled by gcc.
        packages+=(gcc libc6-dev g++-aarch64-linux-gnu qemu-user-static "${libraries[@]/%/:arm64}")
    fi
    [ ! -f "$system/ready" ] || return 0
    note "making the system to build in: $system"
    # shellcheck disable=SC2119 # its mirror is apt's
    debian_base
    if [ ! -d "$system" ]; then
        mkdir -p "$work"
        rm -rf "$system.new"
        cp -a "$build/debian-base" "$system.new"
        mv "$system.new" "$system"
    fi
    mkdir -p "$system/var/cache/ccache"
    cp /etc/resolv.conf "$system/etc/resolv.conf"
    [ "$machine" = x86_64 ] || inside dpkg --add-architecture arm64
    inside apt-get update -q
    inside apt-get install -y -q --no-install-recommends "${packages[@]}" ||
        die "packages could not be installed: check the network and run this script again"
    rm -rf "$system/packages" "$system/src"
    mkdir -p "$system/packages" "$system/src/packaging"
    fetch bullseye deb libc6 libc6-dev libgcc-s1
    cp -r packaging/release "$system/src/packaging/"
    inside /src/packaging/release/linkable.sh /packages "$machine"
    describe_headers highway libhwy-dev "$(installed_version "libhwy-dev*")"
    describe_headers nlohmann-json3 nlohmann-json3-dev "$(installed_version nlohmann-json3-dev)"
    touch "$system/ready"
}

# Headers of a package, as a part of the archive.
add_headers() { # NAME PACKAGE SUITE
    local package
    fetch "$3" deb "$2"
    package=$(echo "$system/packages/$2"_*.deb)
    dpkg-deb -x "$package" "$system"
    describe_headers "$1" "$2" "$(dpkg-deb -f "$package" Version)" for-ffmpeg
}

# What only FFmpeg needs.
make_libraries() {
    [ ! -f "$system/ready-$profile" ] || return 0
    note "making the libraries that Debian has no static ones of"
    rm -rf "$system/packages" "$system/src"
    mkdir -p "$system/packages" "$system/src/packaging"
    add_headers nv-codec-headers libffmpeg-nvenc-dev "${ffmpeg_suites[7.1]}"
    # Debian 12's headers are older than FFmpeg 7.1 wants. The driver's loader is found when it is wanted.
    add_headers vulkan-loader libvulkan-dev trixie
    fetch bookworm deb-src dav1d harfbuzz svt-av1 libxml2
    cp -r packaging/release "$system/src/packaging/"
    inside env FFMPEG_PROFILE="$profile" RELEASE_MACHINE="$machine" /src/packaging/release/inside.sh libraries /packages \
        >"$work/libraries.log" 2>&1 ||
        { tail -n 20 "$work/libraries.log" >&2 && die "libraries were not built; see $work/libraries.log"; }
    touch "$system/ready-$profile"
}

# ------------------------------------------------------------------- build

find_ffmpeg() { # sets ffmpeg_tree
    local wanted=${FFMPEG_VERSION:-7.1} sources=$build/ffmpeg-versions/source
    ffmpeg_tree=${FFMPEG_SRC:-}
    if [ -z "$ffmpeg_tree" ]; then
        mkdir -p "$sources"
        [ -n "$(ffmpeg_tree_in "$wanted" "$sources")" ] || fetch_ffmpeg "$wanted" "$sources" ||
            die "no source of FFmpeg $wanted: check the network, or set FFMPEG_SRC to the folder of a tree"
        ffmpeg_tree=$(ffmpeg_tree_in "$wanted" "$sources")
    fi
    ffmpeg_version=$(cat "$ffmpeg_tree/RELEASE")
}

# A part like the libraries, in their words.
describe_ffmpeg() {
    local folder=$1 terms=LGPL-2.1-or-later
    case $profile-$license in
    small-gpl) terms=GPL-2.0-or-later ;;
    full-gpl) terms=GPL-3.0-or-later ;;
    full-lgpl) terms=LGPL-3.0-or-later ;;
    esac
    python3 - "$folder/components.json" "$ffmpeg_version" "$terms" <<'EOF'
import json
import sys
path, version, terms = sys.argv[1:]
parts = json.load(open(path, encoding="utf-8"))
parts.append({"name": "ffmpeg", "version": version, "source": "ffmpeg", "licence": terms,
              "link": "programs", "purl": False})
json.dump(sorted(parts, key=lambda part: part["name"]), open(path, "w", encoding="utf-8"), indent=1)
EOF
}

# A run that was cut off goes on, and another licence takes the same engine. Not FFmpeg: the linker
# has to tell anew what it takes.
prepare_source() { # sets out
    local wanted made_of=$system/src/made-of
    wanted="$commit ${RELEASE_MESON_ARGS:-}"
    if [ "$(cat "$made_of" 2>/dev/null)" != "$wanted" ]; then
        rm -rf "$system/src"
        mkdir -p "$system/src/vmaf_gpu"
        git archive HEAD | tar -C "$system/src/vmaf_gpu" -xf -
        echo "$wanted" >"$made_of"
    fi
    out=$system/src/out
    rm -rf "$out" "$system/src/ffmpeg" "$system/src/vmaf_gpu/build"/ffmpeg*
    mkdir "$out"
}

build_all() {
    local source=/src/vmaf_gpu traces=()
    local settings=(env SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" RELEASE_JOBS="$jobs" RELEASE_MACHINE="$machine"
        RELEASE_MESON_ARGS="${RELEASE_MESON_ARGS:-}" FFMPEG_PROFILE="$profile" FFMPEG_LICENSE="$license"
        FFMPEG_CUDA=1 FFMPEG_SRC=/src/ffmpeg)
    prepare_source
    inside "${settings[@]}" "$source/packaging/release/inside.sh" engine /src/out/stage >"$work/engine.log" 2>&1 ||
        { tail -n 20 "$work/engine.log" >&2 && die "the engine was not built; see $work/engine.log"; }
    if [ -n "$has_ffmpeg" ]; then
        cp -a "$ffmpeg_tree" "$system/src/ffmpeg"
        inside "${settings[@]}" "$source/packaging/release/inside.sh" ffmpeg /src/out/stage \
            >"$work/ffmpeg.log" 2>&1 ||
            { tail -n 20 "$work/ffmpeg.log" >&2 && die "FFmpeg was not built; see $work/ffmpeg.log"; }
        grep 'not in this FFmpeg' "$work/ffmpeg.log" >&2 || true
        traces=(--trace "$source/build/log/ffmpeg.log")
    fi
    inside "${settings[@]}" "$source/packaging/release/inside.sh" collect /src/out/stage /src/out "${traces[@]}"
    [ -z "$has_ffmpeg" ] || describe_ffmpeg "$out"
}

# ------------------------------------------------------------------- files

gpu_images() { # what the library holds code for
    strings "$out/stage/lib/libvmaf_gpu.so" | grep -oE '^(sm_[0-9a-z]+|compute_[0-9]+)( (sm_[0-9a-z]+|compute_[0-9]+))*$|@gfx[0-9a-f]+$' |
        tr -d @ | sort -Vu | paste -sd' ' | sed 's/compute_/PTX /g'
}

what_was_built() {
    local images runner=()
    [ "$machine" = x86_64 ] || runner=("qemu-$machine-static")
    images=$(gpu_images)
    echo "- Made of commit $commit; runs on Linux $machine with glibc 2.31 or later."
    echo "- Code for GPUs: ${images:-none}."
    if [ -n "$has_ffmpeg" ]; then
        echo "- FFmpeg $ffmpeg_version, profile \`$profile\`, licence \`$license\`. Takes frames of CUDA and Vulkan. Without VAAPI:"
        echo "  libva has to be the system's own."
    fi
    echo "- The sources of all parts are Debian's source packages of the versions that are listed, and this commit."
    echo "- $(inside "${runner[@]}" /src/out/stage/bin/vmaf_gpu --version | sed -n 2p)"
}

add_texts() {
    local stage=$out/stage
    mkdir -p "$stage/licences/vmaf_gpu"
    cp LICENSES/*.txt models/LICENSE models/NOTICE "$stage/licences/vmaf_gpu/"
    inside dpkg-query -W >"$stage/build-environment.txt"
    { notes_of_version && printf '\n## This archive\n\n' && what_was_built; } >"$out/notes.md"
    { sed '1,/^$/d' packaging/release/README.md && printf '\n' && what_was_built; } >"$stage/README.md"
}

main() {
    check_tree
    name=$(release_name)
    if [ -n "$is_plan" ]; then
        echo "$name.tar.xz $name.spdx.json $name.notes.md SHA256SUMS in $folder"
        return
    fi
    check_machine
    make_system
    if [ -n "$has_ffmpeg" ]; then
        make_libraries
        find_ffmpeg
    fi
    build_all
    add_texts
    # SHA256SUMS is of all archives in the folder. One for Windows belongs there before this line.
    "$root/packaging/release/pack.py" --stage "$out/stage" --components "$out/components.json" \
        --name "$name" --version "$version" --epoch "$SOURCE_DATE_EPOCH" --notes "$out/notes.md" \
        --forbid /src/vmaf_gpu --forbid "$root" "$folder"
    note "$folder/$name.tar.xz: try it with scripts/ci/test-release.sh"
}

main
