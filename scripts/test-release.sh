#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Unpacks an archive of scripts/release.sh in minimal systems of Debian 11, 12 and 13 and scores a clip
# in each, with the tool and, if it is there, with ffmpeg. All logs must be equal. Needs root and
# debootstrap; a system that cannot be had is skipped, and the last line counts.
#   scripts/test-release.sh [FOLDER]     where the archive is; default: dist/
#   TOOL=build/tools/vmaf_gpu            a tool whose log they must equal, too
# The systems stay in build/release/try; their package lists are never read.
. "$(dirname "$0")/lib.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/dist}")
try=$build/release/try
clips=$try/clips
passed=0
skipped=0
size=(-w 160 -h 90 -p 420 -b 8)

skip_all() {
    echo "SKIPPED: $*"
    echo "0 passed, 0 failed, 3 skipped"
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
print(json.dumps([log["frames"], log["pooled_metrics"]], sort_keys=True))
EOF
}

debian() { # SUITE; false if it cannot be had
    local mirror
    [ ! -d "$try/$1" ] || return 0
    # shellcheck disable=SC2016 # apt's
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
        "Codename: $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" | head -n 1)
    rm -rf "$try/$1.new"
    debootstrap --variant=minbase "$1" "$try/$1.new" ${mirror:+"$mirror"} >"$try/$1.log" 2>&1 || return 1
    mv "$try/$1.new" "$try/$1"
}

# With /proc, of which the loader learns where a program is; it is gone with the namespace.
# shellcheck disable=SC2016 # the other shell's
inside() { # SUITE COMMAND...
    local system=$try/$1
    shift
    unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/bin:/bin \
        HOME=/root LC_ALL=C "$@"' "$system" "$@"
}

must_equal() { # WHAT LOG
    local found
    found=$(scores_of "$2") || die "$1: no log to compare"
    [ -n "${wanted:-}" ] || wanted=$found
    [ "$found" = "$wanted" ] || die "$1: other scores than before"
    echo "$1: $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pooled_metrics"]["vmaf"]["mean"])' "$2")"
}

try_in() { # SUITE
    local there=$try/$1/try where=/try/$name
    rm -rf "$there"
    mkdir -p "$there"
    cp "$clips"/*.yuv "$there/"
    tar -C "$there" -xf "$archive"
    inside "$1" "$where/bin/vmaf_gpu" --version | grep -q '^[0-9]' || die "$1: the tool does not run"
    inside "$1" "$where/bin/vmaf_gpu" -r /try/r.yuv -d /try/d.yuv "${size[@]}" --backend cpu --json \
        --precision max -q -o /try/tool.json
    must_equal "$1, tool" "$there/tool.json"
    [ -f "$there/$name/bin/ffmpeg" ] || return 0
    inside "$1" "$where/bin/ffprobe" -v error -f rawvideo -video_size 160x90 -show_entries stream=width /try/d.yuv |
        grep -qx width=160 || die "$1: ffprobe does not run"
    inside "$1" "$where/bin/ffmpeg" -v error -nostdin -f rawvideo -video_size 160x90 -i /try/d.yuv -f rawvideo \
        -video_size 160x90 -i /try/r.yuv -f null - \
        -lavfi vmaf_gpu=backend=cpu:log_fmt=json:precision=max:log_path=/try/filter.json
    must_equal "$1, filter" "$there/filter.json"
}

[ "$(id -u)" -eq 0 ] || skip_all "chroots need root: sudo scripts/test-release.sh"
command -v debootstrap >/dev/null || skip_all "no debootstrap: sudo apt-get install debootstrap"
archive=$(find "$folder" -maxdepth 1 -name 'vmaf_gpu-*-linux-*.tar.xz' | sort | head -n 1)
[ -n "$archive" ] || die "no archive in $folder: run scripts/release.sh first"
(cd "$folder" && sha256sum --quiet --check SHA256SUMS) || die "$folder/SHA256SUMS does not agree"
name=$(basename "$archive" .tar.xz)
make_clips
if [ -n "${TOOL:-}" ]; then
    (cd "$OLDPWD" && "$TOOL" -r "$clips/r.yuv" -d "$clips/d.yuv" "${size[@]}" --backend cpu --json \
        --precision max -q -o "$clips/tool.json")
    must_equal "the build's tool" "$clips/tool.json"
fi
for suite in bullseye bookworm trixie; do
    if ! debian "$suite"; then
        echo "SKIPPED: debootstrap makes no Debian $suite here; see $try/$suite.log"
        skipped=$((skipped + 1))
        continue
    fi
    try_in "$suite"
    passed=$((passed + 1))
done
echo "$passed passed, 0 failed, $skipped skipped"
[ "$passed" -gt 0 ] || exit 77
