#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pictures in the filter's page: those of the tool's page of the same files, byte for byte, of the same
# pairs, with the same captions and the same note.
#   tests/filter/thumbnails.sh FFMPEG
. "$(dirname "$0")/begin.sh"

tool=$root/build/tools/vmaf_gpu
[ -x "$tool" ] || {
    echo "FAILED thumbnails: there is no $tool: ninja -C build tools/vmaf_gpu"
    exit 1
}
export VMAF_GPU_FFMPEG=$ffmpeg
filter=vmaf_gpu=backend=cpu:log_fmt=html:log_path=filter.html

cat >pictures.py <<'END'
"""Prints captions, pictures and the note of a page; or only how many pictures there are."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read()
found = re.findall(r'<img alt="[^"]*" width="\d+" height="\d+" src="[^"]*">', page)
if sys.argv[2:]:
    print(len(found))
else:
    print("\n".join(re.findall(r"<figcaption>.*?</figcaption>|no picture", page) + found
                    + re.findall(r"<p>(?:No pictures|Pictures of)[^<]*</p>", page)))
END

quietly() { # ARGUMENTS of ffmpeg
    timeout --kill-after=5 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info "$@" 2>err
}

# Pairs of which some are worse than others. FOLDER/d has the frames of FOLDER/r from the 4th on.
uneven="avgblur=1:enable='not(mod(n,3))',unsharp=5:5:1.5:enable='not(mod(n,4))'"
uneven+=",noise=alls=12:allf=t:all_seed=5:enable='not(mod(n,5))'"
encoder=(-c:v ffv1)
length=40
clips() { # FOLDER FORMAT SIZE [FILTERS]
    mkdir "$1"
    quietly -f lavfi -i "testsrc2=size=$3:rate=25${4:+,$4}" -frames:v "$length" -pix_fmt "$2" "${encoder[@]}" "$1/r.mkv" &&
        quietly -i "$1/r.mkv" -vf "$uneven" -pix_fmt "$2" "${encoder[@]}" "$1/d.mkv" &&
        quietly -i "$1/d.mkv" -vf 'trim=start_frame=3,setpts=PTS-STARTPTS' -c:v ffv1 "$1/later.mkv"
    expect "making the clips $1" $?
}

# The filter's page is there; so many pictures, and all as in the tool's.
same() { # NAME PICTURES FOLDER ARGUMENTS of the tool
    local run_name=$1 count=$2 folder=$3 difference pictures
    shift 3
    "$tool" -q --backend cpu -r "$folder/r.mkv" -d "$folder/d.mkv" --html -o tool.html "$@" 2>>err &&
        python3 pictures.py tool.html >wanted && python3 pictures.py filter.html >found
    expect "the tool's page" $?
    pictures=$(grep -c '^<img' found)
    [ "$pictures" = "$count" ]
    expect "$pictures pictures, not $count" $?
    difference=$(diff wanted found | cut -c 1-150 | head -n 3)
    [ -z "$difference" ]
    expect "not as in the tool's page: $difference" $?
}

run() { # FOLDER OPTIONS [GRAPH before the filter [ARGUMENTS of ffmpeg]]
    local graph=${3:-}
    rm -f filter.html
    quietly -i "$1/d.mkv" -i "$1/r.mkv" -lavfi "$graph$filter$2" "${@:4}" -f null -
    expect "run $*" $?
}

# ------------------------------------------------------- layouts and colours

while read -r format size options; do
    clips "$format" "$format" "$size" "$options"
    run "$format" ''
    same "$format" 12 "$format"
done <<END
yuv420p 160x90
yuv420p10le 162x94 setparams=colorspace=bt709
yuv444p 400x226
yuv444p10le 160x90 setparams=colorspace=bt2020nc
gray 160x90
END
run yuv420p :metadata=0
same metadata=0 12 yuv420p
encoder=(-c:v mjpeg -q:v 2)
clips full yuvj420p 160x90
encoder=(-c:v ffv1)
run full :formats=asis
same 'full range' 12 full --formats asis
grep -q '), full range' found
expect 'the range of full' $?
# Interleaved chroma, and samples in the upper bits.
run yuv420p :formats=asis '[0]format=nv12[d];[1]format=nv12[r];[d][r]'
same nv12 12 yuv420p
run yuv420p10le :formats=asis '[0]format=p010[d];[1]format=p010[r];[d][r]'
same p010 12 yuv420p10le

# ------------------------------------------------------------------- pairs

models='model=version=vmaf_v0.6.1|version=vmaf_v0.6.1neg\\:name=neg'
tool_models=(-m version=vmaf_v0.6.1 -m version=vmaf_v0.6.1neg:name=neg)
run yuv420p ":$models"
# Both models share 5 of their 6 pairs, whose pictures are shown twice.
same 'two models' 24 yuv420p "${tool_models[@]}"
run yuv420p ':model=:feature=name=psnr|name=float_ssim'
same 'no model' 12 yuv420p --no_prediction --feature psnr --feature float_ssim
run yuv420p :n_subsample=4
same 'every 4th pair' 12 yuv420p --subsample 4
for offset in auto 3; do
    mkdir "offset$offset"
    cp yuv420p/r.mkv "offset$offset/r.mkv"
    cp yuv420p/later.mkv "offset$offset/d.mkv"
    run "offset$offset" ":offset=$offset"
    same "offset=$offset" 12 "offset$offset" --pair auto --offset "$offset"
done
run yuv420p '' '[0]trim=end_frame=1[d];[1]trim=end_frame=1[r];[d][r]'
same 'one frame' 2 yuv420p --frame_cnt 1

# FFmpeg stops the filter: the last pair's score, which came, loses its successor. Where a picture is held
# the pair then joins the worst ones, or leaves them.
before=$uneven
uneven=avgblur=1
clips held yuv420p 160x90 fps=10,fps=25
uneven=$before
for frames in 1 2 6 9 11 14 19 21; do
    run held '' '' -frames:v "$frames"
    same "stopped after $frames" $((frames < 6 ? 2 * frames : 12)) held --frame_cnt "$frames"
done

# ----------------------------------------------- not theirs, and not at all

# The worst frames are long gone elsewhere, and a filter behind this one draws into what it gets.
length=160
clips long yuv420p 160x90
for metadata in 0 1; do
    quietly -i long/d.mkv -i long/r.mkv -lavfi "$filter:metadata=$metadata,drawbox=t=fill" -f null -
    expect "a filter behind this one, metadata=$metadata" $?
    same "a filter behind this one, metadata=$metadata" 12 long
done
rm -f filter.html
quietly -i yuv420p/d.mkv -i yuv420p/r.mkv -lavfi "$filter:fail_below=100" -f null -
[ $? -ne 0 ]
expect 'fail_below=100 is reached' $?
same 'a run that fails at its end' 12 yuv420p
quietly -i yuv420p/d.mkv -i yuv420p/r.mkv -lavfi "$filter:pair=index:chunk=0-0-50-60" -f null -
[ $? -ne 0 ] && grep -q 'Incomplete: ' filter.html && [ "$(python3 pictures.py filter.html count)" = 0 ]
expect 'an incomplete page has pictures, as if its frames were the worst ones' $?
for format in json xml csv; do
    quietly -i yuv420p/d.mkv -i yuv420p/r.mkv -lavfi "vmaf_gpu=backend=cpu:log_fmt=$format:log_path=log" -f null -
    expect "log_fmt=$format" $?
    ! grep -q 'ictures of' log
    expect "log_fmt=$format shows pictures" $?
done

# Frames in GPU memory, here of a driver without a GPU. The page names a command that has pictures.
driver=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1)
if [ -z "$driver" ] || ! "$ffmpeg" -v quiet -init_hw_device list | grep -q vulkan; then
    summary '; SKIPPED GPU memory: no Vulkan (FFMPEG_VULKAN=1), or no llvmpipe'
    exit
fi
export VK_ICD_FILENAMES=$driver
filter=${filter/=cpu/=emu:device=32}
uploaded='[0]format=nv12,hwupload[d];[1]format=nv12'
gpu=(-init_hw_device vulkan=vk -filter_hw_device vk)
mkdir first
for clip in r d; do
    quietly -i "yuv420p/$clip.mkv" -frames:v 3 -c copy "first/$clip.mkv"
    expect "the first frames of $clip" $?
done
run first '' "$uploaded,hwupload[r];[d][r]" "${gpu[@]}"
[ "$(python3 pictures.py filter.html count)" = 0 ]
expect 'pictures of frames in GPU memory' $?
command=$(sed -n 's/^<p>Pictures of both videos: none; frames in GPU memory are not kept. For a page with pictures: vmaf_gpu \(.*\)\.<\/p>$/\1/p' filter.html)
command=${command/REFERENCE/first\/r.mkv}
command=${command/DISTORTED/first\/d.mkv}
# shellcheck disable=SC2086 # words
[ -n "$command" ] && "$tool" -q ${command/PAGE/tool.html} 2>err &&
    [ "$(python3 pictures.py tool.html count)" = 6 ]
expect "the note's command: $command" $?
run first '' "$uploaded[r];[d][r]" "${gpu[@]}"
[ "$(python3 pictures.py filter.html count)" = 3 ] &&
    grep -q '^<p>Pictures of the reference: converted by .* range\. Pictures of the distorted video: none; ' filter.html
expect 'pictures of the input in host memory alone' $?

summary
