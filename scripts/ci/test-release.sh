#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Unpacks the archives of scripts/release.sh in minimal systems of Debian 11, 12 and 13 and scores a clip
# in each, with the tool and, if it is there, with ffmpeg. All logs must be equal. ffmpeg encodes and
# decodes H.264, HEVC and AV1, and reads a clip from an HTTPS server of this machine, too. An archive
# for 64-bit Arm runs under QEMU, among the libraries of Debian for Arm. Needs root and debootstrap; a
# system that cannot be had is skipped, and the last line counts.
#   scripts/ci/test-release.sh [FOLDER]            where the archives are; default: dist/
#   scripts/ci/test-release.sh FOLDER SYSTEM...    in these systems, too: a SYSTEM is the root folder of
#                                               another distribution, e.g. made by debootstrap or dnf;
#                                               the test writes to the folder try/ in it
#   TOOL=build/tools/vmaf_gpu                   a tool whose log they must equal, too
# Debian's systems stay in build/release/try; their package lists are never read.
. "$(dirname "$0")/../lib/common.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/dist}")
systems=()
for argument in "${@:2}"; do
    system=$(cd "$OLDPWD" && realpath -m "$argument")
    [ -x "$system/bin/sh" ] || die "$argument: no root folder of a system: there is no bin/sh in it"
    systems+=("$system")
done
try=$build/release/try
clips=$try/clips
passed=0
skipped=0
size=(-w 160 -h 90 -p 420 -b 8)
raw=(-f rawvideo -video_size 160x90)

skip_all() {
    echo "SKIPPED: $*"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}

# Waves that move, with noise; fewer levels in each frame of the distorted clip. All score differently.
make_clips() {
    mkdir -p "$clips"
    python3 - "$clips" <<'EOF'
import math
import random
import sys
generator = random.Random(1)
with open(sys.argv[1] + "/r.yuv", "wb") as reference, open(sys.argv[1] + "/d.yuv", "wb") as distorted:
    for frame in range(8):
        for width, height in ((160, 90), (80, 45), (80, 45)):
            samples = [int(128 + 50 * math.sin(x / 5 + frame / 20) + 40 * math.cos(y / 7)) +
                       generator.randrange(-3, 4) for y in range(height) for x in range(width)]
            step = 24 + 3 * frame
            reference.write(bytes(samples))
            distorted.write(bytes(sample // step * step for sample in samples))
EOF
}

# A log without what differs from run to run.
scores_of() { # LOG
    python3 - "$1" <<'EOF'
import json
import sys
log = json.load(open(sys.argv[1], encoding="utf-8"))
scores = [frame["metrics"]["vmaf"] for frame in log["frames"]]
if len(scores) != 8 or len(set(scores)) != 8:
    sys.exit(f"{sys.argv[1]}: 8 different scores are wanted, not {scores}")
# The filter tells times, too.
frames = [[frame["frameNum"], frame["metrics"]] for frame in log["frames"]]
print(json.dumps([frames, log["pooled_metrics"]], sort_keys=True))
EOF
}

debian() { # SUITE MACHINE; sets system; false if it cannot be had
    local mirror options=()
    system=$try/$1
    if [ "$2" = aarch64 ]; then
        # Unpacked, not configured: the C library is all that is wanted.
        options=(--foreign --arch=arm64)
        system+=-arm64
    fi
    [ ! -d "$system" ] || return 0
    # shellcheck disable=SC2016 # apt's
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
        "Codename: $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" | head -n 1)
    rm -rf "$system.new"
    debootstrap --variant=minbase "${options[@]}" "$1" "$system.new" ${mirror:+"$mirror"} >"$system.log" 2>&1 ||
        return 1
    mv "$system.new" "$system"
}

# With /proc, of which the loader learns where a program is; it is gone with the namespace.
# shellcheck disable=SC2016 # the other shell's
inside() { # PROGRAM ARGUMENTS...
    unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root LC_ALL=C chroot "$0" "$@"' "$system" "${runner[@]}" "$@"
}

# QEMU for programs of another machine, from here or from the system that they were built in.
find_runner() { # MACHINE; sets runner
    local qemu
    runner=()
    [ "$1" != "$(uname -m)" ] || return 0
    qemu=$(command -v "qemu-$1-static" || echo "$build/release/system-$1/usr/bin/qemu-$1-static")
    [ -x "$qemu" ] || die "$name: qemu-$1-static is missing: sudo apt-get install qemu-user-static"
    cp "$qemu" "$system/qemu"
    runner=(/qemu)
}

must_equal() { # WHAT LOG
    local found
    found=$(scores_of "$2") || die "$1: no log to compare"
    [ -n "${wanted:-}" ] || wanted=$found
    [ "$found" = "$wanted" ] || die "$1: other scores than before"
    echo "$1: $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pooled_metrics"]["vmaf"]["mean"])' "$2")"
}

try_tool() { # SUITE
    inside "$where/bin/vmaf_gpu" --version | grep -q '^[0-9]' || die "$1: the tool does not run"
    inside "$where/bin/vmaf_gpu" -r /try/r.yuv -d /try/d.yuv "${size[@]}" --backend cpu --json \
        --precision max -q -o /try/tool.json
    must_equal "$1, $name, tool" "$there/tool.json"
}

ffmpeg_here() { # OPTIONS...
    inside "$where/bin/ffmpeg" -v error -nostdin "$@"
}

try_filter() { # SUITE
    inside "$where/bin/ffprobe" -v error -f rawvideo -video_size 160x90 -show_entries stream=width /try/d.yuv |
        grep -qx width=160 || die "$1: ffprobe does not run"
    ffmpeg_here "${raw[@]}" -i /try/d.yuv "${raw[@]}" -i /try/r.yuv -f null - \
        -lavfi vmaf_gpu=backend=cpu:log_fmt=json:precision=max:log_path=/try/filter.json
    must_equal "$1, $name, filter" "$there/filter.json"
}

# A server for the clips, with a certificate that no system knows. Sets address.
start_https() {
    local port=$try/https.port
    command -v openssl >/dev/null || die "openssl is missing: sudo apt-get install openssl"
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$try/https.key" -out "$clips/https.pem" -days 2 \
        -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>"$try/https.log" ||
        die "no certificate was made; see $try/https.log"
    rm -f "$port"
    python3 tests/install/https_server.py "$clips" "$clips/https.pem" "$try/https.key" "$port" 2>>"$try/https.log" &
    server=$!
    trap 'kill "$server"' EXIT
    for _ in $(seq 100); do
        [ ! -s "$port" ] || break
        sleep 0.1
    done
    [ -s "$port" ] || die "the HTTPS server does not start; see $try/https.log"
    address=https://127.0.0.1:$(cat "$port")
}

try_https() { # SUITE
    local input=(-tls_verify 1 -ca_file /try/https.pem "${raw[@]}" -i "$address/d.yuv")
    cp "$clips/https.pem" "$there/"
    ffmpeg_here "${input[@]}" "${raw[@]}" -i /try/r.yuv -f null - \
        -lavfi vmaf_gpu=backend=cpu:log_fmt=json:precision=max:log_path=/try/https.json
    must_equal "$1, $name, HTTPS" "$there/https.json"
    # Without the certificate the server is not believed.
    ! ffmpeg_here -tls_verify 1 "${raw[@]}" -i "$address/d.yuv" -f null - 2>"$there/https.log" ||
        die "$1: an unknown certificate is believed"
    grep -q "certificate verify failed" "$there/https.log" ||
        die "$1: HTTPS fails for another reason than the certificate: $(cat "$there/https.log")"
}

# The stream of a codec, made by this archive, or by one before it if it lacks the encoder.
encode() { # CODEC ENCODER OPTIONS...; sets maker
    local codec=$1 encoder=$2
    shift 2
    if ffmpeg_here -encoders | grep -q " $encoder "; then
        ffmpeg_here "${raw[@]}" -i /try/d.yuv -c:v "$encoder" "$@" -y "/try/$codec.mkv"
        cp "$there/$codec.mkv" "$clips/"
        maker=$encoder
    else
        [ -f "$clips/$codec.mkv" ] || return 1
        cp "$clips/$codec.mkv" "$there/"
        maker="another archive's $encoder"
    fi
}

# x264 and x265 without loss: the decoder gives what went in. SVT-AV1 always loses something: the
# decoder gives the same in each system, near to what went in.
try_codec() { # SUITE CODEC ENCODER OPTIONS...
    local suite=$1 codec=$2 found maker
    shift
    encode "$@" || { missing+=" $codec" && return; }
    inside "$where/bin/ffprobe" -v error -show_entries stream=codec_name "/try/$codec.mkv" |
        grep -qx "codec_name=$codec" || die "$suite: $codec.mkv is something else"
    ffmpeg_here -i "/try/$codec.mkv" -f rawvideo -pix_fmt yuv420p -y /try/decoded.yuv
    if [ "$codec" = av1 ]; then
        ffmpeg_here "${raw[@]}" -i /try/decoded.yuv "${raw[@]}" -i /try/d.yuv -f null - \
            -lavfi psnr=stats_file=/try/psnr
        [ "$(grep -cE 'psnr_avg:([3-9][0-9]|inf)' "$there/psnr")" = 8 ] || die "$suite: AV1 is far from its source"
        [ -f "$clips/av1.yuv" ] || cp "$there/decoded.yuv" "$clips/av1.yuv"
        cmp "$there/decoded.yuv" "$clips/av1.yuv" || die "$suite: AV1 is decoded in another way than before"
    else
        cmp "$there/decoded.yuv" "$clips/d.yuv" || die "$suite: $codec is not decoded to what was encoded"
    fi
    found=$(stat -c %s "$there/$codec.mkv")
    echo "$suite, $name, $codec: $found bytes by $maker, decoded"
}

try_in() { # SUITE
    there=$system/try where=/try/$name
    rm -rf "$there"
    mkdir -p "$there"
    cp "$clips"/{r,d}.yuv "$there/"
    tar -C "$there" -xf "$archive"
    try_tool "$1"
    [ -f "$there/$name/bin/ffmpeg" ] || return 0
    try_filter "$1"
    if ffmpeg_here -buildconf | grep -q -e --enable-openssl; then
        try_https "$1"
    else
        echo "$1, $name: NOT TRIED: HTTPS, which FFMPEG_PROFILE=small has not"
    fi
    missing=
    try_codec "$1" h264 libx264 -qp 0
    try_codec "$1" hevc libx265 -x265-params lossless=1:log-level=none
    try_codec "$1" av1 libsvtav1 -crf 20 -preset 8
    [ -z "$missing" ] || echo "$1, $name: NOT TRIED:$missing; no archive here has an encoder for it"
}

[ "$(id -u)" -eq 0 ] || skip_all "chroots need root: sudo scripts/ci/test-release.sh"
command -v debootstrap >/dev/null || skip_all "no debootstrap: sudo apt-get install debootstrap"
# "-lgpl" behind the others, whose streams it decodes.
mapfile -t archives < <(find "$folder" -maxdepth 1 -name 'vmaf_gpu-*-linux-*.tar.xz' | LC_ALL=C sort -r)
[ "${#archives[@]}" -gt 0 ] || die "no archive in $folder: run scripts/release.sh first"
(cd "$folder" && sha256sum --quiet --check SHA256SUMS) || die "$folder/SHA256SUMS does not agree"
rm -rf "$clips"
make_clips
start_https
if [ -n "${TOOL:-}" ]; then
    (cd "$OLDPWD" && "$TOOL" -r "$clips/r.yuv" -d "$clips/d.yuv" "${size[@]}" --backend cpu --json \
        --precision max -q -o "$clips/tool.json")
    must_equal "the build's tool" "$clips/tool.json"
fi
for archive in "${archives[@]}"; do
    name=$(basename "$archive" .tar.xz)
    machine=${name#*-linux-}
    machine=${machine%%-*}
    for suite in bullseye bookworm trixie; do
        if ! debian "$suite" "$machine"; then
            echo "SKIPPED: $name: debootstrap makes no Debian $suite here; see $system.log"
            skipped=$((skipped + 1))
            continue
        fi
        find_runner "$machine"
        try_in "$suite"
        passed=$((passed + 1))
    done
    for system in "${systems[@]}"; do
        [ "$machine" = "$(uname -m)" ] || continue
        runner=()
        try_in "$(basename "$system")"
        passed=$((passed + 1))
    done
done
echo "$passed passed, 0 failed, $skipped skipped"
[ "$passed" -gt 0 ] || exit 77
