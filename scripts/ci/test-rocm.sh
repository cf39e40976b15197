#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# AMD's real HIP runtime where there is no AMD GPU: our declarations against its
# header, and what the backend says when the runtime sees no device. The packages are
# unpacked below build/, not installed.
#   scripts/ci/test-rocm.sh                  the distribution's (Debian 12: ROCm 5.2)
#   scripts/ci/test-rocm.sh trixie forky experimental
#                                         those of other Debian releases (5.7, 6.4, 7.2), run in
#                                         their own root folder; needs root for chroot
. "$(dirname "$0")/../lib/common.sh"
set -o pipefail

probe=$build/tools/vmaf_gpu
headers_of() { find "$1/usr/include" -maxdepth 1 -name hip -printf '%h\n'; }

# Prints libamdhip64-N, the newest that the sources in use have.
runtime_package() { # APT COMMAND...
    local n
    for n in 7 6 5; do
        if "$@" show "libamdhip64-$n" >/dev/null 2>&1; then
            echo "libamdhip64-$n"
            return
        fi
    done
    return 1
}

unpack() { # FOLDER OF ARCHIVES, ROOT
    local archive
    mkdir -p "$2"
    for archive in "$1"/*.deb; do
        dpkg-deb -x "$archive" "$2"
    done
}

# The header's numbers and layouts are ours, and a changed number is noticed.
check_header() { # ROOT
    local include bad=$1/bad/hip
    include=$(headers_of "$1")
    mkdir -p "$bad"
    sed 's/kHipLaunchFailure = 719/kHipLaunchFailure = 718/' src/engine/hip/hip_api.h >"$bad/hip_api.h"
    ! cmp -s src/engine/hip/hip_api.h "$bad/hip_api.h" || die "hip_api.h no longer has the number to change"
    g++ -std=c++17 -fsyntax-only -isystem "$include" -I src/engine -I include tests/device/test_hip_abi.cpp ||
        die "hip_api.h disagrees with $include"
    ! g++ -std=c++17 -fsyntax-only -isystem "$include" -I "$1/bad" -I src/engine -I include \
        tests/device/test_hip_abi.cpp 2>/dev/null || die "a wrong number in hip_api.h went unnoticed"
}

# What backend=hip and auto say; "$@" runs the tool where the runtime is.
check_messages() { # NAME COMMAND...
    local name=$1 text status=0 part
    shift
    python3 -c 'open("'"$build"'/rocm/frame.yuv", "wb").write(bytes(32 * 32 * 3 // 2))'
    local score=(-r /frame.yuv -d /frame.yuv -w 32 -h 32 -p 420 -b 8)
    text=$("$@" "${score[@]}" --backend hip 2>&1) || status=$?
    [ "$status" -ne 0 ] || die "$name: backend=hip succeeds without a GPU: $text"
    for part in 'no AMD GPU is visible' libamdhip64.so /dev/kfd 'render and video'; do
        grep -q -- "$part" <<<"$text" || die "$name: backend=hip does not say '$part': $text"
    done
    echo "$name: $(grep -m1 'no AMD GPU' <<<"$text")"
    text=$("$@" "${score[@]}" --backend auto 2>&1) || die "$name: auto fails: $text"
    # Why is said at verbose, which the tool does not print; backend=hip says it, see above.
    grep -q 'backend cpu .*chosen by auto' <<<"$text" ||
        die "$name: auto does not go on with the CPU: $text"
    echo "$name: auto: goes on with the CPU"
}

own_release() {
    local folder=$build/rocm/own packages runtime
    private_apt_update # the lists there may be of another release: ffmpeg-source.sh
    runtime=$(runtime_package apt-cache -c "$build/apt/apt.conf") || {
        echo "SKIPPED: this distribution has no libamdhip64"
        return
    }
    mkdir -p "$folder/debs"
    # What a machine with our build packages lacks; LLVM is the runtime's largest part.
    packages=$(apt-cache -c "$build/apt/apt.conf" depends --recurse --no-recommends --no-suggests \
        --no-conflicts --no-breaks --no-replaces --no-enhances "$runtime" |
        grep -E '^(libamd|libhsa|libnuma|libllvm|libelf|libdrm|libz3)' | sort -u)
    # shellcheck disable=SC2086 # a list
    [ -d "$folder/usr" ] || { (cd "$folder/debs" && private_apt download $packages libamdhip64-dev) >/dev/null &&
        unpack "$folder/debs" "$folder"; }
    du -ch "$folder"/debs/*.deb | tail -n 1 | sed 's/total/downloaded/'
    check_header "$folder"
    in_own() { (cd "$build/rocm" && env LD_LIBRARY_PATH="$(dirname "$(find "$folder" -name 'libamdhip64.so.?')")" \
        "$probe" "${@//\/frame.yuv/frame.yuv}"); }
    check_messages "$runtime of this distribution" in_own
}

other_release() { # SUITE
    local suite=$1 folder=$build/rocm/$1 runtime suites=$1
    [ "$suite" != experimental ] || suites='sid experimental' # which has little but newer versions
    local apt=(-q -c "$folder/apt/apt.conf")
    [ "$(id -u)" -eq 0 ] || die "$suite: chroot needs root"
    mkdir -p "$folder/apt/sources.list.d" "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
    private_apt_update # the lists there may be of another release: ffmpeg-source.sh
    if [ ! -d "$folder/tree/usr" ]; then
        sed "s|$build/apt|$folder/apt|g" "$build/apt/apt.conf" >"$folder/apt/apt.conf"
        : >"$folder/apt/status" # nothing is installed there
        echo "Dir::State::status \"$folder/apt/status\";" >>"$folder/apt/apt.conf"
        find "$build/apt/sources.list.d" -type f | sort | head -n 1 | xargs cat |
            sed -n "1,/^\$/{s/^Suites:.*/Suites: $suites/;s/^Types:.*/Types: deb/;p}" \
                >"$folder/apt/sources.list.d/debian.sources"
        apt-get "${apt[@]}" update >/dev/null
        runtime=$(runtime_package apt-cache -c "$folder/apt/apt.conf") || die "$suite has no libamdhip64"
        apt-get "${apt[@]}" install -y --no-install-recommends --download-only -t "$suite" "$runtime" \
            libamdhip64-dev libstdc++6 >/dev/null
        unpack "$folder/apt/cache/archives" "$folder/tree"
        for link in lib lib64; do [ -e "$folder/tree/$link" ] || ln -s "usr/$link" "$folder/tree/$link"; done
    fi
    check_header "$folder/tree"
    cp "$probe" "$folder/tree/vmaf_gpu"
    mkdir -p "$folder/tree/dev" "$folder/tree/proc"
    in_root() { cp "$build/rocm/frame.yuv" "$folder/tree/" && chroot "$folder/tree" /vmaf_gpu "$@"; }
    check_messages "$suite, $(find "$folder/tree" -name 'libamdhip64.so.?.*' -printf '%f')" in_root
}

[ -x "$probe" ] || die "build first: ninja -C build"
mkdir -p "$build/rocm"
if [ $# -eq 0 ]; then own_release; fi
for suite in "$@"; do
    other_release "$suite"
done
