#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# README.md's first command and those of "Use", as they stand there, on small clips that have the files' names; the
# lines that README shows for the first one are those that it prints, but for digits and the device. Commands of the
# quick start: demo.sh. Called by run.sh.
# The package of scripts/ci/test-python.sh stands for what `pip install .` installs. The search encodes by the ffmpeg of
# the system.
#   tests/filter/readme.sh FFMPEG
. "$(dirname "$0")/begin.sh"
build=$root/build
package=$(find "$build/python-site" -path '*/vmaf_gpu/__init__.py' 2>/dev/null | head -n 1)
system_ffmpeg=$(command -v ffmpeg || true)
export PYTHONDONTWRITEBYTECODE=1

for part in encoder=mpeg4 encoder=ffv1 muxer=mp4 muxer=yuv4mpegpipe; do
    "$ffmpeg" -hide_banner -h "$part" 2>&1 | grep -qE '^(Encoder|Muxer) ' && continue
    echo "SKIPPED readme: FFmpeg without $part"
    exit 0
done

make_clip() { # NAME SIZE OPTIONS...
    local name=$1 size=$2
    shift 2
    "$ffmpeg" -v error -y -f lavfi -i "testsrc2=size=$size:rate=10:duration=1" -vf format=yuv420p "$@" "$name" || exit 1
}
for name in r.mp4 reference.mp4; do make_clip $name 320x180 -c:v mpeg4 -q:v 1; done
for name in d.mp4 distorted.mp4; do make_clip $name 320x180 -c:v mpeg4 -q:v 2; done
make_clip 540p.mp4 960x540 -c:v mpeg4 -q:v 2
make_clip 1080p.mp4 1920x1080 -c:v mpeg4 -q:v 2
make_clip r.mkv 320x180 -c:v ffv1
for name in r d reference distorted; do "$ffmpeg" -v error -i "${name:0:1}.mp4" "$name.y4m" || exit 1; done

# The names that README uses, with what they stand for.
mkdir -p bin build
ln -s "$ffmpeg" bin/ffmpeg
ln -s "$build/tools" build/tools
printf '#!/bin/sh\n[ "$*" = "install ." ]\n' >bin/pip
printf '#!/bin/sh\nexec "%s" "$@"\n' "$build/python-venv/bin/python" >bin/python3
printf '#!/bin/sh\nPATH=%s exec "%s" -m vmaf_gpu.batch "$@" --tool "%s" --ffmpeg "%s" -q --range 18:20 --preset ultrafast\n' \
    "$PATH" "$build/python-venv/bin/python" "$build/tools/vmaf_gpu" "$system_ffmpeg" >bin/vmaf-gpu
chmod +x bin/*
[ -z "$package" ] || export PYTHONPATH="${package%/vmaf_gpu/__init__.py}"

# Indented lines up to the next heading, without comments, continued ones joined; the first block of the page has the
# output, too.
section() { # HEADING
    awk -v heading="$1" '/^#/ { is_on = $0 == heading; next } is_on && /^    / { print substr($0, 5) }' "$root/README.md" |
        grep -v '^#' | sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}'
}

# Digits, addresses and devices differ.
shape() {
    sed -E 's/@ 0x[0-9a-f]+/@ P/; s/backend [a-z]+ \(.*\)/backend B/; s/[0-9]+(\.[0-9]+)?/N/g'
}

mapfile -t first < <(section '# vmaf_gpu')
[ "${#first[@]}" -ge 3 ]
verdict "README begins with a command and its output" $?
PATH="$work/bin:$PATH" timeout -k 5 100 bash -c "${first[0]}" >out 2>err </dev/null
verdict "${first[0]}" $?
# Lines about the choice of a device and about small pictures depend on the machine and on these clips.
tr '\r' '\n' <err | grep '^\[Parsed_vmaf_gpu' | grep -vE 'pictures are|chosen by auto' >lines
diff <(printf '%s\n' "${first[@]:1}" | shape) <(shape <lines) >different
status=$?
verdict "the lines that README shows: $(cat different)" $status

count=0
while read -r command; do
    case $command in
    pip* | vmaf-gpu*)
        if [ -z "$package" ]; then
            echo "SKIPPED: $command: no Python package in build/: scripts/ci/test-python.sh makes it"
            continue
        fi
        ;;&
    vmaf-gpu*)
        "${system_ffmpeg:-false}" -hide_banner -h encoder=libx265 2>&1 | grep -q '^Encoder ' || {
            echo "SKIPPED: $command: no libx265"
            continue
        }
        ;;
    esac
    # 90 is reached: the clips are almost the same.
    PATH="$work/bin:$PATH" timeout -k 5 300 bash -c "$command" >out 2>err </dev/null
    verdict "$command" $?
    count=$((count + 1))
done < <(section '## Use')
[ "$count" -ge 6 ] && [ -s o.json ] && [ -s o.html ] && [ -s o.csv ] && [ -s scores.json ]
verdict "the commands of Use and their files" $?
summary
