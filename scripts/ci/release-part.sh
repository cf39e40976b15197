#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes one part of a release in dist/, and installs first what that needs. On Debian 12, as root: in-debian.sh
# is the place for it.
#   scripts/ci/release-part.sh linux-x86_64 | linux-aarch64 | windows | deb | wheels | container
# What the scripts below read of the environment counts here, too; for the container, as in test-container.sh.
. "$(dirname "$0")/../lib/common.sh"

install_packages() {
    apt-get install -q -y --no-install-recommends "$@" >/dev/null || die "not installed: $*"
}

mkdir -p dist
case ${1:-} in
linux-x86_64 | linux-aarch64)
    install_packages debootstrap binutils dpkg-dev
    if [ "$1" = linux-aarch64 ]; then
        scripts/release.sh --arm64 "$root/dist"
    else
        scripts/release.sh "$root/dist"
    fi
    ;;
windows)
    scripts/setup.sh build
    install_packages g++-mingw-w64-x86-64-posix gcc-mingw-w64-x86-64-posix googletest libcli11-dev clang-19 lld-19
    scripts/ci/release-windows.sh "$root/dist"
    ;;
deb)
    scripts/setup.sh build
    install_packages build-essential debhelper help2man clang-19 lld-19 fakeroot
    scripts/ci/build-deb.sh
    find build/deb -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' -exec cp {} dist/ \;
    ;;
wheels)
    scripts/setup.sh build
    install_packages python3-venv clang-19 lld-19
    scripts/ci/build-wheel.sh "$root/dist"
    ;;
container)
    install_packages buildah
    version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
    buildah --storage-driver vfs bud --isolation chroot --build-arg "MESON_ARGS=${MESON_ARGS:-}" \
        --build-arg "FFMPEG_PROFILE=${FFMPEG_PROFILE:-full}" -f packaging/Containerfile -t "vmaf-gpu:$version" .
    buildah --storage-driver vfs push "vmaf-gpu:$version" "oci-archive:dist/vmaf_gpu-$version-container.tar:vmaf-gpu:$version"
    ;;
*) die "usage: release-part.sh linux-x86_64 | linux-aarch64 | windows | deb | wheels | container" ;;
esac
ls -l dist
