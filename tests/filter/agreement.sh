#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pictures that do not belong together: each is told, with its place and cause, and fails strict=1;
# and what looks alike is not accused. The judgement itself: tests/unit/test_agreement.cpp.
# usage: tests/filter/agreement.sh FFMPEG
. "$(dirname "$0")/begin.sh"

reference='testsrc2=s=640x360:r=25:d=12,format=yuv420p'

# MAIN REFERENCE OPTIONS: graphs of sources; runs strict. Sets `status`, which of a graph without inputs
# FFmpeg 5.1 has 0.
compare() {
    "$ffmpeg" -hide_banner -nostdin -v info -f lavfi -i "$1" -f lavfi -i "$2" -lavfi "[0:v][1:v]vmaf_gpu=strict=1$3" \
        -f null - 2>err
    status=$?
}

# NAME TEXT MAIN REFERENCE [OPTIONS]: fails, and the cause is TEXT, which is the only warning about pairs.
told() {
    run_name=$1
    compare "$3" "$4" "${5:-}"
    [ "$status" -ne 0 ] && grep -qF -- "strict: from pair $2" err
    verdict "not told: $2" $?
}

# NAME MAIN REFERENCE [OPTIONS]: nothing is said against the pictures.
fits() {
    run_name=$1
    compare "$2" "$3" "${4:-}"
    [ "$status" -eq 0 ] && ! grep -q 'the pictures of' err
    verdict "accused" $?
}

cut() { # FRAMES AT: main lacks so many frames there
    echo "$reference,select='not(between(n,$2,$2+$1-1))',setpts=N"
}

for rule in time index; do
    told "jump, $rule" "150 (6.000 s) on, the pictures of 147 pairs agree with those that come 3 frames later in reference" \
        "$(cut 3 150),gblur=1" "$reference" ":pair=$rule"
done
for grain in 0 8 16; do
    told "cut, grain $grain" "100 (4.000 s) on, the pictures of 160 pairs agree with those that come 40 frames later in reference: main lacks frames there" \
        "$(cut 40 100),gblur=1" "$reference,noise=alls=$grain:allf=t:all_seed=1"
done
for rule in auto time index; do
    told "late, $rule" "31 (1.240 s) on, the pictures of 238 pairs agree with those that come 31 frames earlier in reference: use offset=-31" \
        "$reference" "$reference,trim=start_frame=31,setpts=PTS-STARTPTS" ":pair=$rule"
done
told 'another video' '0 (0.000 s) on, the pictures of 150 pairs do not belong together' \
    'testsrc2=s=640x360:r=25:d=6,format=yuv420p' 'mandelbrot=s=640x360:r=25,format=yuv420p,trim=end_frame=150'
for turn in 'hflip:mirrored' 'vflip:upside down' 'hflip,vflip:turned by 180 degrees'; do
    run_name=$turn
    compare "$reference,${turn%:*}" "$reference" ''
    [ "$status" -ne 0 ] &&
        grep -qF "do not belong together: main is ${turn#*:} (FFmpeg's filter" err
    verdict 'not told' $?
done
for change in crop=iw/1.2:ih/1.2 crop=iw:ih*0.75 crop=iw*0.75:ih crop=iw:ih-16:0:16 'crop=iw*0.95:ih:0:0,pad=640:360:32:0' crop=620:348; do
    told "$change" '0 (0.000 s) on, the pictures of 300 pairs do not belong together: main is cropped, padded or moved' \
        "$reference,$change,scale=640:360,setsar=1" "$reference"
done
# As a wrong order of fields, or a decoder that does not reorder frames, makes it.
raw=(-f rawvideo -video_size 320x180 -pixel_format gray -framerate 25)
"$ffmpeg" -v error -f lavfi -i testsrc2=s=320x180:r=25:d=4,format=gray -f rawvideo o.gray
for order in 1,0 1,0,2 2,1,0; do
    run_name="order $order"
    python3 -c "
order, size = ($order), 320 * 180
data = open('o.gray', 'rb').read()
frames = [data[at:at + size] for at in range(0, len(data), size)]
swapped = [frames[min(n - n % len(order) + order[n % len(order)], len(frames) - 1)] for n in range(len(frames))]
open('m.gray', 'wb').write(b''.join(swapped))"
    "$ffmpeg" -hide_banner -nostdin "${raw[@]}" -i m.gray "${raw[@]}" -i o.gray -lavfi vmaf_gpu=strict=1 -f null - 2>err
    status=$?
    [ "$status" -ne 0 ] &&
        grep -q "from pair 0 (0.000 s) on, the pictures of 100 pairs agree with others near theirs: main's frames are in another order" err
    verdict 'not told' $?
done
told 'one picture against another' '0 (0.000 s) on, the pictures of 1 pair do not belong together' \
    'testsrc2=s=640x360:d=1,trim=end_frame=1,format=yuv420p' 'mandelbrot=s=640x360,trim=end_frame=1,format=yuv420p'

# A cut of 40 frames follows from the pictures: the end is information.
run_name='the cause alone'
compare "$(cut 40 100),gblur=1" "$reference" ''
[ "$(grep -c 'vmaf_gpu.*main ends 40 frames' err)" -eq 1 ]
verdict 'the end is not said' $?
"$ffmpeg" -hide_banner -nostdin -v warning -filter_complex "$(cut 40 100)[d];${reference}[r];[d][r]vmaf_gpu[o]" \
    -map '[o]' -f null - 2>err
! grep -q 'main ends' err && grep -q 'come 40 frames later' err
verdict 'the end is a warning beside its cause' $?

# Followed by rule auto: a jump, and joints that are longer than a frame, with noise.
run_name='a jump that auto follows'
compare "$(cut 3 150),gblur=1" "$reference" ''
grep -q '297 pairs of 297 main and 300 reference frames' err && grep -q '3 reference frames have no partner in main, the first at 6.000' err
verdict 'not followed' $?
for grain in 0 8; do
    fits "joints, grain $grain" "$reference,gblur=1,settb=1/1000,setpts='N*40+25*floor(N/50)'" \
        "$reference,noise=alls=$grain:allf=t:all_seed=1"
    grep -q '300 pairs of 300 main' err
    verdict 'pairs are lost' $?
done

# Raw streams have no times, and programs guess their rate: RATE:GUESS.
# Without settb, times are whole frames of RATE: the first ones do not show the guess.
for rates in 60:25 50:25 30:25 60:30 24:30 30:25:coarse 30:24:coarse; do
    IFS=: read -r rate guess coarse <<<"$rates"
    run_name="raw stream, $rates"
    base=,settb=AVTB
    [ -z "$coarse" ] || base=
    source="testsrc2=s=640x360:r=$rate:d=4,format=yuv420p"
    compare "$source,gblur=1$base,setpts=N/$guess/TB" "$source" ''
    [ "$status" -eq 0 ] && grep -q 'the n-th pictures agree: paired by number' err &&
        grep -q "$((4 * rate)) pairs of $((4 * rate)) main and $((4 * rate)) reference" err
    verdict 'not paired by number' $?
done

# The log has the place.
run_name='the log'
compare "$(cut 40 100),gblur=1" "$reference" ':log_fmt=json:log_path=o.json'
python3 - <<'EOF'
import json
pairing = json.load(open("o.json"))["pairing"]
assert pairing["elsewhere"] == 160 and pairing["unrelated"] == 0 and pairing["warnings"] == 1, pairing
assert pairing["mismatch"] == {"pair": 100, "time": 4, "offset": 40}, pairing
EOF
verdict 'lacks it' $?

for change in gblur=sigma=8 'noise=alls=16:allf=t' 'eq=brightness=0.2:contrast=0.6' 'scale=80:45,scale=640:360' \
    'hqdn3d=8' 'drawbox=c=black:t=40' 'curves=preset=lighter' 'lutyuv=y=trunc(val/32)*32'; do
    fits "$change" "$reference,$change,format=yuv420p" "$reference"
done
fits 'fade' "$reference,fade=in:0:60,eq=brightness=0.1" "$reference,fade=in:0:60"
fits 'loop' "$reference,loop=8:25,trim=end_frame=200" "$reference,loop=8:25,trim=end_frame=200,gblur=2"
fits 'still' "$reference,loop=200:1,trim=end_frame=200,gblur=4" "$reference,loop=200:1,trim=end_frame=200,noise=alls=8:allf=t"
fits 'black at first' "$reference,tpad=start=60,gblur=2" "$reference,tpad=start=60"
fits 'frozen for a second' "$reference,loop=20:1:100,select='not(between(n,121,140))',setpts=N" "$reference"
summary
