#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the packages of build/deb in a clean Debian 12, uses them as a user would
# (the tool; a C program, linked both ways), removes them. Needs root and debootstrap.
#   scripts/ci/test-deb.sh [MIRROR]     default: the one that apt uses here
. "$(dirname "$0")/../lib/common.sh"

chroot=$build/debian
inside() {
    chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        DEBIAN_FRONTEND=noninteractive "$@"
}

install_packages() { # names and patterns of files in there
    inside sh -c "apt-get install -y -q --no-install-recommends $*"
}

use_tool() {
    install_packages '/deb/libvmaf-gpu0_*.deb /deb/vmaf-gpu_*.deb'
    ! inside dpkg-query --show | grep -iE 'cuda|nvidia|amdhip|rocm|hsa' || die "a GPU library came along"
    ! inside ldd /usr/bin/vmaf_gpu | grep -iE 'not found|cuda|nvidia|hip' || die "a library is missing"
    inside vmaf_gpu --version
    inside vmaf_gpu --list-devices
    inside vmaf_gpu -r /reference.yuv -d /distorted.yuv -w 64 -h 48 -p 420 -b 8 --backend cpu \
        --json --precision max -q -o /log.json
    inside sh -c '! vmaf_gpu -r /reference.yuv -d /distorted.yuv -w 64 -h 48 -p 420 -b 8 --backend cuda -q' ||
        die "there cannot be a CUDA device in here"
}

# The second one has no shared library at all, ours and Debian's included.
use_library() {
    install_packages '/deb/libvmaf-gpu-dev_*.deb gcc libc6-dev pkg-config'
    cp examples/score.c "$chroot/score.c"
    inside sh -ec 'gcc -std=c99 -Wall -Werror /score.c -o /dynamic $(pkg-config --cflags --libs libvmaf_gpu)'
    install_packages libstdc++-12-dev zlib1g-dev
    inside sh -ec 'gcc -static -std=c99 -Wall -Werror /score.c -o /static \
            $(pkg-config --static --cflags --libs libvmaf_gpu) 2>&1 | grep -v "Using .dlopen. in statically\|in function" || true
        ldd /dynamic | grep libvmaf_gpu
        ! ldd /static
        for program in dynamic static; do
            /$program /reference.yuv /distorted.yuv 64 48 cpu >/$program.txt
            echo "$program: $(tail -n 1 /$program.txt)"
        done'
    python3 - "$chroot" <<'PYTHON'
import json, sys
log = json.load(open(sys.argv[1] + "/log.json"))
for name in ("dynamic", "static"):
    score = float(open(f"{sys.argv[1]}/{name}.txt").read().split()[-1])  # "mean NUMBER" comes last
    if score != log["pooled_metrics"]["vmaf"]["mean"]:
        sys.exit(f"{name}: {score!r} is not the tool's score")
PYTHON
}

remove_packages() {
    inside apt-get purge -y -q vmaf-gpu libvmaf-gpu-dev libvmaf-gpu0
    ! find "$chroot/usr" "$chroot/etc" "$chroot/var" -name '*vmaf*gpu*' -not -path '*/apt/archives/*' |
        grep . || die "files were left behind"
}

ls "$build"/deb/*.deb >/dev/null 2>&1 || die "no packages: run scripts/ci/build-deb.sh first"
debian_base "$@"
rm -rf "$chroot"
cp -a "$build/debian-base" "$chroot"
mkdir "$chroot/deb"
cp "$build"/deb/*.deb "$chroot/deb/"
python3 - "$chroot" <<'CLIPS'
import random, sys
generator = random.Random(1)
for name, step in (("reference", 1), ("distorted", 24)):
    generator.seed(1)
    with open(f"{sys.argv[1]}/{name}.yuv", "wb") as file:
        file.write(bytes(value // step * step for value in generator.randbytes(64 * 48 * 3 // 2 * 3)))
CLIPS
use_tool
use_library
remove_packages
note "packages: installed, used, removed"
