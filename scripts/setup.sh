#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the Debian packages that are missing; asks for root only if some are.
#   scripts/setup.sh         what building and testing need
#   scripts/setup.sh build   without the tools of scripts/lint.sh and tests/pairing, which are large
. "$(dirname "$0")/lib.sh"

packages=(
    g++ make meson ninja-build nasm pkg-config python3
    nlohmann-json3-dev libpugixml-dev libhwy-dev libgtest-dev libcli11-dev
    zlib1g-dev libdav1d-dev libdrm-dev libva-dev
    dpkg-dev xz-utils
)
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && as_root=(sudo)
fi
can_install() {
    [ "$(id -u)" -eq 0 ] || [ ${#as_root[@]} -gt 0 ]
}

# A new container has no package lists at all, so that every question below would be
# answered with no.
if ! apt-cache show ninja-build >/dev/null 2>&1 && can_install; then
    "${as_root[@]}" apt-get update -q || note "package lists could not be read; going on"
fi

# Kernels for AMD GPUs: the newest clang there is, with its linker. Debian 12's clang-19
# knows every architecture of the default list, its clang-15 lacks those since gfx942.
clang=
for version in 21 20 19 18 17 16 15; do
    if apt-cache show "clang-$version" "lld-$version" >/dev/null 2>&1; then
        clang=$version
        packages+=("clang-$version" "lld-$version")
        break
    fi
done
[ -n "$clang" ] || note "no clang in the package lists (apt-get update?): AMD GPUs are left out"
# ffmpeg: its encoders make the files of tests/pairing. python3-jsonschema: tests/tool.
[ "${1:-}" = build ] || packages+=(clang-format clang-tidy clang libclang-rt-dev ffmpeg
    python3-jsonschema)

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    # A virtual or renamed package counts if something installed provides it.
    if [ "$state" != installed ] &&
        ! dpkg-query --show --showformat='${db:Status-Status} ${Provides}\n' |
            grep -qE "^installed .*\b${package//+/\\+}( |,|\$)"; then
        missing+=("$package")
    fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

can_install || die "as root, please: apt-get install ${missing[*]}"
note "installing ${missing[*]}"
"${as_root[@]}" apt-get update -q || note "package lists are not up to date; going on"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
