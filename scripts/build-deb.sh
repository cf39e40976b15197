#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Debian packages of the committed tree, in build/deb: libvmaf-gpu0, libvmaf-gpu-dev, vmaf-gpu.
#   scripts/build-deb.sh
# VMAF_GPU_MESON_ARGS: see packaging/debian/rules.
. "$(dirname "$0")/lib.sh"

tree=$build/deb/vmaf-gpu-$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
rm -rf "$build/deb"
mkdir -p "$tree"
git archive HEAD | tar -C "$tree" -xf -
cp -r "$tree/packaging/debian" "$tree/debian"
cd "$tree"
dpkg-buildpackage --no-sign --build=binary --jobs="$jobs"
ls -l "$build"/deb/*.deb
