#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the packages of build/deb in a clean Debian, uses them, removes them.
# Needs root and debootstrap.
#   scripts/test-deb.sh [MIRROR]
. "$(dirname "$0")/lib.sh"

mirror=${1:-}
if [ -z "$mirror" ]; then
    mirror=$(sed -nE 's/^(deb .*|URIs: *)(https?:[^ ]*debian)\/? .*/\2/p; s/^URIs: *(https?:[^ ]*)$/\1/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
fi
chroot=$build/chroot
ls "$build"/deb/*.deb >/dev/null 2>&1 || die "no packages: run scripts/build-deb.sh first"
rm -rf "$chroot"
debootstrap --variant=minbase bookworm "$chroot" ${mirror:+"$mirror"}
cp /etc/apt/apt.conf.d/* "$chroot/etc/apt/apt.conf.d/" 2>/dev/null || true

inside() {
    chroot "$chroot" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}

mkdir "$chroot/deb"
cp "$build"/deb/*.deb "$chroot/deb/"
inside sh -c 'apt-get install -y -q --no-install-recommends /deb/libvmaf-gpu0_*.deb /deb/vmaf-gpu_*.deb'
! inside dpkg-query -W | grep -iE 'cuda|nvidia|amdhip' || die "a GPU library came along"
# Two frames of 64x48 gray noise, against themselves: 100 once motion is there or not.
inside sh -c 'head -c 9216 /dev/urandom >/clip.yuv &&
    vmaf_gpu -r /clip.yuv -d /clip.yuv -w 64 -h 48 -p 420 -b 8 --json -o /log.json'
grep -q '"vmaf"' "$chroot/log.json"
inside vmaf_gpu --list-devices
inside sh -c 'apt-get install -y -q --no-install-recommends /deb/libvmaf-gpu-dev_*.deb gcc libc6-dev pkg-config'
cat >"$chroot/user.c" <<'EOF'
#include <stdio.h>
#include <vmaf_gpu/vmaf_gpu.h>
int main(void)
{
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    printf("%s, first model %s\n", vmafgpu_version(), vmafgpu_model_builtin(0));
    return settings.ring_depth != 4;
}
EOF
inside sh -c 'gcc -Wall -Werror /user.c -o /user $(pkg-config --cflags --libs libvmaf_gpu) && /user'
inside apt-get purge -y -q vmaf-gpu libvmaf-gpu-dev libvmaf-gpu0
! find "$chroot/usr" -name '*vmaf_gpu*' | grep . || die "files were left behind"
note "packages: installed, used, removed"
