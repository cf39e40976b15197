#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# offset=auto: offsets of 1 to 120 frames of either input are found in encodes of ten clips, and none
# is invented where both begin alike, stand still or have nothing to do with each other. The clips are
# made by the ffmpeg of PATH, which has more sources and encoders. The rule: test_offset_search.cpp.
#   tests/filter/offset.sh FFMPEG
. "$(dirname "$0")/begin.sh"

maker=$(command -v ffmpeg || echo "$ffmpeg")
filter='vmaf_gpu=backend=cpu:model=:feature=name=psnr:log_fmt=json:log_path=log.json:offset=auto'

run() { # ARGUMENTS of ffmpeg
    rm -f log.json
    timeout --kill-after=5 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info "$@" >out 2>err
}

count() { # KEY of the pairing object in log.json
    sed -n "s/^    \"$1\": \(.*[^,]\),*\$/\1/p" log.json
}

# NAME.r.nut and an encode of it, NAME.d.nut. Both without losses from there on.
make_clip() { # NAME CRF ARGUMENTS of the source
    local name=$1 crf=$2 codec=(-c:v libx264 -preset veryfast -threads 1 -crf "$2")
    shift 2
    "$maker" -hide_banner -encoders | grep -q libx264 || codec=(-c:v mpeg4 -threads 1 -q:v $((crf / 5)))
    "$maker" -nostdin -v error -y "$@" -an -frames:v 200 -pix_fmt yuv420p -c:v ffv1 "$name.r.nut" &&
        "$maker" -nostdin -v error -y -i "$name.r.nut" "${codec[@]}" encode.nut &&
        "$maker" -nostdin -v error -y -i encode.nut -c:v ffv1 "$name.d.nut"
    verdict "making $name" $?
}

begin() { # INPUT FRAMES: its first ones are missing
    echo "[$1]trim=start_frame=$2,setpts=PTS-STARTPTS"
}

# ---------------------------------------------------------------- ten clips

generate() { # NAME CRF GRAPH
    make_clip "$1" "$2" -f lavfi -i "$3"
}
size=size=192x108:rate=25
generate figures 28 "testsrc2=$size"
generate poor 40 "testsrc2=$size"
generate clock 23 "testsrc=$size"
generate zoom 28 "mandelbrot=$size"
generate turn 30 "testsrc2=$size,rotate=t/3"
generate life 28 "life=$size:mold=10:ratio=0.4:seed=3:death_color=#C83232:life_color=#00ff00"
generate cells 30 "cellauto=$size:rule=110:seed=5"
generate noise 23 "color=gray:$size,noise=alls=60:allf=t+u:all_seed=9"
generate held 30 "testsrc2=size=192x108:rate=6,fps=25"
generate dark 28 "testsrc2=$size,lutyuv=y='16+(val-16)/4':enable='lt(t,1)',drawbox=t=fill:color=black:enable='lt(t,0.8)'"
clips=(figures poor clock zoom turn life cells noise held dark)
# Of scripts/demo.sh, where it was run.
camera=$(find "$root/build/demo/packages" -name cockatoo.mp4 2>/dev/null | head -n 1)
if [ -n "$camera" ]; then
    make_clip camera 28 -r 25 -i "$camera" -vf scale=320:-2
    clips+=(camera)
fi

finds() { # CLIP OFFSET OPTIONS
    local graph
    graph="$(begin 0 "$2")[d];[d][1]"
    [ "$2" -ge 0 ] || graph="$(begin 1 "${2#-}")[r];[0][r]"
    run -i "$1.d.nut" -i "$1.r.nut" -lavfi "$graph$filter$3" -f null - && [ "$(count offset)" = "$2" ] &&
        [ "$(count start)" = '"by_search"' ] && [ "$(count pairs)" -eq $((200 - ${2#-})) ] &&
        [ "$(grep -cF "offset=auto applied offset=$2: where main moves, the pictures differ by " err)" -eq 1 ] &&
        ! grep -q '\[warning\]' err
    verdict "$1: offset $2$3" $?
}
own=(2 3 7 12 24 25 48 77 99 100 119)
for i in "${!clips[@]}"; do
    for offset in 1 "${own[i]}" "-${own[i]}" -120; do
        finds "${clips[i]}" "$offset" :strict=1
    done
done
for rule in time index; do
    finds figures 31 ":pair=$rule"
    finds figures -31 ":pair=$rule"
done
finds figures 1 :offset_window=1
finds figures 120 ''
finds figures -1 ''
finds figures 160 :offset_window=8

# All frames leave, and pairs that the offset joins have their scores.
run -i figures.d.nut -i figures.r.nut -lavfi "$(begin 1 31)[r];[0][r]$filter,metadata=print:file=-" -f null - &&
    grep -q '^frame= *200 ' err && [ "$(grep -c 'vmaf_gpu.psnr_y=' out)" -eq 169 ]
verdict 'frames before the offset leave without scores' $?
run -i figures.d.nut -i figures.r.nut -lavfi "$(begin 1 31)[r];[0][r]${filter%auto}-31" -f null - &&
    grep -v '"offset=\|"options"\|"start"\|"fps"' log.json >given &&
    finds figures -31 '' && grep -v '"offset=\|"options"\|"start"\|"fps"' log.json | cmp -s - given
verdict 'as offset=-31' $?

# ---------------------------------------------------------------- none there

for clip in "${clips[@]}"; do
    finds "$clip" 0 :strict=1
done

none='fits clearly better than the others: where main moves, the pictures differ by'
refuses() { # NAME MESSAGE GRAPH OPTIONS
    ! run -i figures.d.nut -i zoom.r.nut -lavfi "$3$filter${4-}" -f null - && grep -qF "$2" err &&
        [ "$(grep -c 'offset=auto applied' err)" -eq 0 ] && [ ! -e log.json ]
    verdict "$1 is refused" $?
}
graph() { # MAIN REFERENCE: filters. FFmpeg 5.1 ends with 0 where a graph without inputs fails.
    echo "[0]$1[d];[1]$2[r];[d][r]"
}
still='trim=end_frame=1,loop=-1:1,setpts=N/25/TB,trim=end_frame=200'
black=drawbox=t=fill:color=black
noise="lutyuv=128:128:128,noise=alls=60:allf=t+u:all_seed"
rests='offset=auto: the first pictures of main stand still: give offset=N'
refuses 'a still picture' "$rests" "[0]split[a][b];[a]$still[d];[b]$still[r];[d][r]"
refuses 'a still picture with noise' "$none" "[0]split[a][b];[a]$still,noise=alls=9:allf=t[d];[b]$still[r];[d][r]"
refuses black "$rests" "$(graph "$black" "$black")"
refuses 'black against a clip' "$rests" "$(graph "$black" null)"
refuses 'a clip against black' "$none" "$(graph null "$black")"
refuses 'another clip' "$none" '[0][1]'
refuses 'another clip, the other way round' "$none" '[1][0]'
refuses 'another noise' "$none" "$(graph "$noise=1" "$noise=2")"
refuses 'another part of the clip' "$none" "[0]split[a][b];[a]trim=start_frame=140,setpts=PTS-STARTPTS[d];[b]trim=end_frame=60[r];[d][r]"
refuses 'an offset outside the window' 'no offset of up to 25 frames fits' \
    "[0]split[a][b];[a]trim=start_frame=40,setpts=PTS-STARTPTS[d];[d][b]" :offset_window=1
refuses 'a short clip' 'the inputs are too short, 26 frames of each are needed' \
    '[0]split[a][b];[a]trim=end_frame=20[d];[d][b]'
refuses pair=framesync 'offset has no meaning with pair=framesync' '[0][1]' :pair=framesync
refuses 'a chunk' 'it cannot be combined with offset=' '[0][1]' :pair=index:chunk=0-10-20:log_fmt=part
refuses offset_window=0 'offset_window is 0; allowed: 1 to 60 seconds' '[0][1]' :offset_window=0
without='offset_window has no meaning without offset=auto'
filter=${filter%:offset=auto}
refuses 'offset_window alone' "$without" '[0][1]' :offset_window=5
refuses 'offset_window beside a number' "$without" '[0][1]' :offset=3:offset_window=5
refuses 'offset_window of framesync' "$without" '[0][1]' :pair=framesync:offset_window=5

echo "offset: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
