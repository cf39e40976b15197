#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs a command of a clone of the last commit in a clean Debian 12, and brings its dist/ back. The system stays in
# build/debian-system for the next command. Needs root; installs debootstrap where there is apt.
#   scripts/ci/in-debian.sh COMMAND...     as in: in-debian.sh scripts/demo.sh
#   scripts/ci/in-debian.sh trixie COMMAND...   Debian 13, in build/debian-system-trixie
. "$(dirname "$0")/../lib/common.sh"

suite=bookworm
[ "${1:-}" != trixie ] || { suite=trixie && shift; }
[ $# -gt 0 ] || die "usage: in-debian.sh [trixie] COMMAND..."
[ "$(id -u)" -eq 0 ] || die "it needs root, for debootstrap and chroot: sudo scripts/ci/in-debian.sh $*"
if ! command -v debootstrap >/dev/null; then
    apt-get update -q >/dev/null
    apt-get install -q -y --no-install-recommends debootstrap debian-archive-keyring >/dev/null ||
        die "debootstrap could not be installed"
fi
other=${suite#bookworm}
system=$build/debian-system${other:+-$other}
if [ ! -d "$system" ]; then
    debian_base "" "$suite"
    rm -rf "$system.new"
    cp -a "$build/debian-base${other:+-$other}" "$system.new"
    # Names of servers, and the certificates with which this machine reaches them.
    cp -L /etc/resolv.conf /etc/hosts "$system.new/etc/"
    [ ! -d /usr/local/share/ca-certificates ] || cp -rL /usr/local/share/ca-certificates "$system.new/usr/local/share/"
    mv "$system.new" "$system"
fi

# What is mounted is gone with the namespace. The root is a mount point, or unshare fails in the system, and release.sh with it.
# shellcheck disable=SC2016 # the other shell's
inside() { # COMMAND...
    unshare --mount bash -c 'mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && exec chroot "$0" \
        env -i HOME=/root TERM=dumb CI="${CI:-}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        bash -c "cd /vmaf_gpu-clone && \"\$@\"" bash "$@"' "$system" "$@"
}

# What the clone has built is kept; its files become those of the commit. Programs of a release are searched for the
# name of its folder, so that it is one that no library's sources have.
clone=$system/vmaf_gpu-clone
commit=$(git -c safe.directory="$root" rev-parse HEAD)
if [ "$(cat "$clone/build/commit" 2>/dev/null)" != "$commit" ]; then
    rm -rf "$clone"
    git -c safe.directory="$root/.git" -c safe.directory="$root" clone --quiet --no-hardlinks "$root" "$clone"
    chown -R root:root "$clone"
    mkdir -p "$clone/build"
    echo "$commit" >"$clone/build/commit"
fi
inside apt-get update -q >/dev/null
inside apt-get install -q -y --no-install-recommends ca-certificates git >/dev/null
inside "$@"
if [ -d "$clone/dist" ]; then
    mkdir -p dist
    cp -r "$clone/dist/." dist/
    [ -z "${SUDO_UID:-}" ] || chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" dist
fi
