#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Debian packages of the committed tree, in build/deb: libvmaf-gpu0, libvmaf-gpu-dev,
# vmaf-gpu. Made of the tarball that `meson dist` makes, which stays there too.
# dpkg-buildpackage names the packages that building needs; nvcc must be there as well.
#   scripts/ci/build-deb.sh
# Code for every GPU takes long. For a trial:
#   VMAF_GPU_MESON_ARGS="-Dcuda=enabled -Dhip=enabled -Dnvcc_archs=90 -Dhip_archs=gfx90a,gfx1030" \
#       scripts/ci/build-deb.sh
. "$(dirname "$0")/../lib/common.sh"

deb=$build/deb

# `meson dist` packs the last commit.
check_tree() {
    local changed
    changed=$(git status --porcelain --untracked-files=no) || die "packages are made of a git clone"
    [ -z "$changed" ] || die "uncommitted changes, which the packages would lack; commit or stash:
$changed"
}

make_tarball() { # sets tarball
    meson setup "$deb/dist" -Dcuda=disabled -Dhip=disabled -Dtools=false -Dtests=false \
        >"$deb/dist.log" 2>&1 || {
        tail -n 15 "$deb/dist.log" >&2
        die "meson setup failed"
    }
    meson dist -C "$deb/dist" --no-tests --formats xztar >>"$deb/dist.log" 2>&1 || {
        tail -n 15 "$deb/dist.log" >&2
        die "meson dist failed"
    }
    tarball=$(echo "$deb"/dist/meson-dist/vmaf_gpu-*.tar.xz)
}

check_versions() {
    local ours theirs
    ours=$(basename "$tarball" .tar.xz)
    theirs=vmaf_gpu-$(dpkg-parsechangelog --file packaging/debian/changelog --show-field Version)
    [ "$ours" = "$theirs" ] || die "meson.build says $ours, packaging/debian/changelog $theirs"
}

# GPU code inside, GPU libraries not needed.
check_packages() {
    local package found
    for package in "$deb"/*.deb; do
        ! dpkg-deb --field "$package" Pre-Depends Depends | grep -iE 'cuda|nvidia|hip|rocm|hsa' ||
            die "$(basename "$package") needs a GPU library"
    done
    dpkg-deb --fsys-tarfile "$deb"/libvmaf-gpu0_*.deb | tar -xO --wildcards '*.so.*.*' >"$deb/library"
    # The list of CUDA's images, and the names of HIP's.
    found=$(strings "$deb/library" |
        grep -oE '^((sm|compute)_[0-9]+[a-z]? ?)+$|@gfx[0-9a-f]+(-[0-9]+)*(-generic)?$' | sort -u)
    rm "$deb/library"
    echo "images: ${found//$'\n'/ }"
    case $found in *@gfx*compute_*) ;; *) note "WARNING: not for both kinds of GPU" ;; esac
}

check_tree
rm -rf "$deb"
mkdir -p "$deb"
make_tarball
check_versions
tar -C "$deb" -xf "$tarball"
tree=$deb/$(basename "$tarball" .tar.xz)
cp -r "$tree/packaging/debian" "$tree/debian"
(cd "$tree" && dpkg-buildpackage --no-sign --build=binary --jobs="$jobs" >"$deb/build.log" 2>&1) || {
    tail -n 30 "$deb/build.log" >&2
    die "dpkg-buildpackage failed; see $deb/build.log"
}
check_packages
ls -l "$deb"/*.deb
! command -v lintian >/dev/null || lintian --fail-on error "$deb"/*.changes
