#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# README's two commands on new machines: clean roots, made by debootstrap, with a clone of the last
# commit. Needs root, debootstrap and the archive that apt uses here. Prints for each root and command
# the exit status, the minutes, the score and the clip; fails if a command does.
#   scripts/ci/test-fresh.sh [--demo-only] [ROOT...]
# Roots: debian12 debian12-clang14 debian12-clang15 debian12-clang16 debian13 ubuntu2404, all by default.
# A root that cannot be made is skipped aloud. What each printed: build/fresh.
. "$(dirname "$0")/../lib/common.sh"

commands=(scripts/demo.sh scripts/test.sh)
[ "${1:-}" != --demo-only ] || { commands=(scripts/demo.sh) && shift; }
[ $# -gt 0 ] || set -- debian12 debian12-clang14 debian12-clang15 debian12-clang16 debian13 ubuntu2404
[ "$(id -u)" -eq 0 ] || die "it needs root, for debootstrap and chroot: sudo scripts/ci/test-fresh.sh"
command -v debootstrap >/dev/null || die "no debootstrap: sudo apt-get install debootstrap"
work=$build/fresh
mkdir -p "$work"

packages_of() { # ROOT
    case $1 in
    debian12-clang14) echo clang,lld ;;
    debian12-clang15) echo clang-15,lld-15 ;;
    debian12-clang16) echo clang-16,lld-16 ;;
    esac
}

make_root() { # NAME
    local suite=bookworm mirror more script=/usr/share/debootstrap/scripts/sid options=()
    [ "$1" != debian13 ] || suite=trixie
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
    if [ "$1" = ubuntu2404 ]; then # which Debian's debootstrap does not know by name
        suite=noble script=/usr/share/debootstrap/scripts/gutsy
        mirror=$(sed -n '/old-releases/d; s/^\s*default_mirror //p' "$script" | head -n 1)
        options=(--components=main,universe --no-check-gpg) # a scratch system, and no key is at hand
    fi
    more=$(packages_of "$1")
    rm -rf "${work:?}/$1"
    debootstrap --variant=minbase --include="ca-certificates${more:+,$more}" "${options[@]}" "$suite" "$work/$1" \
        "$mirror" "$script" >"$work/$1.debootstrap" 2>&1
}

inside() { # NAME COMMAND: with nothing of this machine's environment
    chroot "$work/$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb CI="${CI:-}" \
        bash -c "[ -e /proc/self ] || mount -t proc proc /proc; cd /src && $2"
}

status=0
for name in "$@"; do
    if ! make_root "$name"; then
        echo "SKIPPED $name: debootstrap: $(tail -n 1 "$work/$name.debootstrap")"
        continue
    fi
    git clone --quiet --no-hardlinks "$root" "$work/$name/src"
    for command in "${commands[@]}"; do
        log=$work/$name.$(basename "$command" .sh).log
        begin=$SECONDS
        result=0
        inside "$name" "$command" >"$log" 2>&1 </dev/null || { result=$? && status=1; }
        printf '%s: %s: exit status %d, %d.%d minutes; %s\n' "$name" "$command" "$result" \
            $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60 / 6)) \
            "$(sed -nE '/^(clip: |VMAF score: |[0-9]+ passed)/p' "$log" | paste -sd ';' -)"
    done
    umount "$work/$name/proc" 2>/dev/null || true
    rm -rf --one-file-system "${work:?}/$name"
done
exit "$status"
