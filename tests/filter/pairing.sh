#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What goes with the pairing of frames: options, counts, messages, exit status, frames
# that pass, timeline editing, a stop from outside. Which frames are paired, in files of
# many containers and rates, is tested by tests/pairing.
#   tests/filter/pairing.sh FFMPEG
. "$(dirname "$0")/begin.sh"

run() { # ARGUMENTS of ffmpeg
    timeout --kill-after=5 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info "$@" >out 2>err
}

score() {
    sed -n 's/.*VMAF score: //p' err
}

count() { # KEY of the pairing object in log.json
    sed -n "s/^    \"$1\": \(.*[^,]\),*\$/\1/p" log.json
}

says() { # TEXT, once
    [ "$(grep -cF -e "$1" err)" -eq 1 ]
}

is_old() { # before 7.0
    "$ffmpeg" -version | grep -qE '^ffmpeg version n?[456]\.'
}

filter='vmaf_gpu=backend=cpu:log_fmt=json:log_path=log.json'
source='testsrc2=size=160x120:rate=24000/1001:duration=2'
"$ffmpeg" -hide_banner -nostdin -v error -f lavfi -i "$source" -pix_fmt yuv420p -c:v ffv1 r.nut &&
    "$ffmpeg" -hide_banner -nostdin -v error -i r.nut -vf avgblur=2 -c:v ffv1 d.nut || {
    echo "FAILED pairing: the clips could not be made"
    exit 1
}
last='select=lt(n\,40)'
gap='select=not(between(n\,20\,22))'

# --------------------------------------------------------------- rounded times

run -i d.nut -i r.nut -lavfi "$filter" -f null -
plain=$(score)
rounded='settb=1/1000,setpts=round(N*1001/24)'
for graph in "[0]$rounded[d];[d][1]" "[1]$rounded[r];[0][r]" "[0]$rounded[d];[1]$rounded[r];[d][r]"; do
    run -i d.nut -i r.nut -lavfi "$graph$filter" -f null - && [ "$(score)" = "$plain" ] &&
        [ "$(count by_number)" -eq 48 ] && ! grep -q '\[warning\]' err
    verdict "times rounded to milliseconds: $graph" $?
done
run -i d.nut -i r.nut -lavfi "[1]$rounded[r];[0][r]$filter:pair=framesync" -f null - &&
    [ "$(score)" != "$plain" ] && says 'pairs reuse a reference frame (pair=auto aligns the inputs)'
verdict 'pair=framesync: the frame before, with a hint' $?
run -i d.nut -i r.nut -lavfi "[1]$rounded[r];[0][r]$filter:ts_sync_mode=nearest" -f null - &&
    [ "$(count rule)" = '"framesync"' ] && [ "$(count by_number)" -eq 48 ]
verdict 'ts_sync_mode=nearest' $?

run -i d.nut -i r.nut -lavfi "[1]setpts=NAN[r];[0][r]$filter:pair=framesync" -f null - &&
    [ "$(count distance_median)" = 0 ] && [ "$(count distance_largest)" = 0 ]
verdict 'pair=framesync: a reference without times has no distance' $?

# ------------------------------------------------------ frames without partner

run -i d.nut -i r.nut -lavfi "[0]$gap[d];[d][1]$filter" -f null - && [ "$(count pairs)" -eq 45 ] &&
    [ "$(count unpaired_reference)" = '{"begin": 0, "middle": 3, "end": 0}' ] &&
    says '3 reference frames have no partner in main, the first at 0.834 s: main dropped frames? They are not in the score'
verdict 'main lacks three frames in the middle' $?
run -i d.nut -i r.nut -lavfi "[0]$last[d];[d][1]$filter" -f null - && [ "$(count pairs)" -eq 40 ] &&
    [ "$(count unpaired_reference)" = '{"begin": 0, "middle": 0, "end": 8}' ] &&
    says 'main ends 8 frames (0.334 s) before reference: those frames are not in the score'
verdict 'main lacks the last eight frames' $?
run -i d.nut -i r.nut -lavfi "[1]$last[r];[0][r]$filter" -f null - && [ "$(count pairs)" -eq 40 ] &&
    [ "$(count unpaired_main)" = '{"begin": 0, "middle": 0, "end": 8}' ] &&
    says 'reference ends 8 frames (0.334 s) before main: those frames are not in the score'
verdict 'the reference lacks the last eight frames' $?
run -i d.nut -i r.nut -lavfi "[1]$last[r];[0][r]$filter:shortest=1,metadata=print:file=-" -f null - &&
    [ "$(grep -c ^frame out)" -eq 40 ] && [ "$(count unpaired_main)" = '{"begin": 0, "middle": 0, "end": 0}' ]
verdict 'shortest=1: the output ends with the reference' $?

# -------------------------------------------------------------- rules, offset

for rule in auto time index; do
    run -i d.nut -i r.nut -lavfi "$filter:pair=$rule" -f null - && [ "$(score)" = "$plain" ] &&
        [ "$(count rule)" = "\"$rule\"" ] && [ "$(count start)" = '"together"' ]
    verdict "pair=$rule" $?
done
run -i d.nut -i r.nut -lavfi "[0]trim=start_frame=3,setpts=PTS-STARTPTS[d];[d][1]$filter:offset=3" -f null - &&
    [ "$(count pairs)" -eq 45 ] && [ "$(count start)" = '"by_option"' ] &&
    [ "$(count unpaired_reference)" = '{"begin": 3, "middle": 0, "end": 0}' ]
verdict 'offset=3' $?
run -i d.nut -i r.nut -lavfi "[1]trim=start_frame=3,setpts=PTS-STARTPTS[r];[0][r]$filter:offset=-3" -f null - &&
    [ "$(count pairs)" -eq 45 ] && [ "$(count unpaired_main)" = '{"begin": 3, "middle": 0, "end": 0}' ]
verdict 'offset=-3' $?
run -i d.nut -i r.nut -lavfi "[0]trim=start_frame=3,setpts=PTS-STARTPTS[d];[d][1]$filter:offset=3:pair=index" -f null - &&
    [ "$(count pairs)" -eq 45 ] && [ "$(count unpaired_reference)" = '{"begin": 3, "middle": 0, "end": 0}' ]
verdict 'offset=3 with pair=index' $?

# Pictures are not looked at: what is said must not claim it.
begins='main begins %d frames after reference and no pictures were compared: paired by time'
run -i d.nut -i r.nut -lavfi "[0]setpts=PTS+10*1001/24000/TB[d];[d][1]$filter:pair=time" -f null - && [ "$(count pairs)" -eq 38 ] &&
    says "$(printf "$begins; if the first frames are equal use pair=index" 10)"
verdict 'pair=time with main 10 frames late' $?
! run -i d.nut -i r.nut -lavfi "[0]setpts=PTS+100*1001/24000/TB[d];[d][1]$filter" -f null - && [ "$(count pairs)" -eq 0 ] &&
    says "$(printf "$begins, which leaves no pair; if the first frames are equal use pair=index" 100)"
verdict 'main 100 frames late, and no pair' $?
run -i d.nut -i r.nut -lavfi "[0]setpts=PTS+100*1001/24000/TB[d];[d][1]$filter:pair=index" -f null - && [ "$(score)" = "$plain" ]
verdict 'what that message tells the user' $?

# A file's cover is a stream, which ffmpeg takes for the second input if no label names another.
hint='47 pairs reuse the only reference frame (if it is the cover of a file, name the streams: [0:V][1:V]vmaf_gpu)'
run -i d.nut -i r.nut -lavfi "[1]trim=end_frame=1[r];[0][r]$filter" -f null - && [ "$(count pairs)" -eq 48 ] && says "$hint"
verdict 'a reference of one picture: a hint at covers' $?
! run -i d.nut -i r.nut -lavfi "$filter:offset=48" -f null - && [ "$(count pairs)" -eq 0 ] &&
    says 'no pair of frames was scored: offset=48 leaves no pair' && says 'there is no score: offset=48 leaves no pair'
verdict 'offset behind the end of the reference' $?

refuses() { # OPTIONS MESSAGE
    run -i d.nut -i r.nut -lavfi "$filter:$1" -f null -
    [ $? -ne 0 ] && says "$2"
    verdict "$1 is refused" $?
}
run -i d.nut -i r.nut -lavfi "$filter:pair=nearest" -f null -
[ $? -ne 0 ] && grep -qE "option 'pair' to filter 'vmaf_gpu'|parse option value \"nearest\"" err
verdict 'pair=nearest is refused' $?
refuses pair=time:eof_action=endall 'eof_action, repeatlast and ts_sync_mode need pair=framesync'
refuses pair=auto:repeatlast=0 'eof_action, repeatlast and ts_sync_mode need pair=framesync'
refuses pair=index:ts_sync_mode=nearest 'eof_action, repeatlast and ts_sync_mode need pair=framesync'
# What is the default, too, is a choice of that rule where it is given.
for options in eof_action=repeat repeatlast=1 ts_sync_mode=default; do
    run -i d.nut -i r.nut -lavfi "$filter:$options" -f null - && [ "$(count rule)" = '"framesync"' ]
    verdict "$options means pair=framesync" $?
    refuses "pair=index:$options" 'eof_action, repeatlast and ts_sync_mode need pair=framesync'
done
refuses pair=framesync:offset=2 'offset has no meaning with pair=framesync'
refuses eof_action=pass:offset=2 'offset has no meaning with pair=framesync, which eof_action, '
refuses offset=1.5 "offset '1.5' is not a whole number, -1000000000 ... 1000000000"
refuses fail_below=high "fail_below 'high' is neither a number nor NAME:number"
refuses 'fail_below=vmad\\:90' "fail_below: unknown score 'vmad'"
refuses model=:feature=name=psnr:fail_below=30 'fail_below: there is no model, so write NAME:30 (known: psnr_y psnr_cb psnr_cr)'

# ------------------------------------------------- strict, fail_below, output

fails() { # NAME OPTIONS MESSAGE GRAPH: log, scores and frames are complete all the same
    rm -f log.json
    run -i d.nut -i r.nut -lavfi "$4$filter:$2" -f null -
    [ $? -ne 0 ] && says "$3" && [ -s log.json ] && grep -q '"pooled_metrics"' log.json &&
        [ "$(grep Parsed_vmaf_gpu err | tail -n 1 | grep -c 'VMAF score: ')" -eq 1 ]
    verdict "$1" $?
}
fails 'strict=1 with dropped frames' strict=1 'strict: 3 reference frames have no partner' "[0]$gap[d];[d][1]"
fails 'strict=1 with a truncated file' strict=1 'strict: main ends 8 frames' "[0]$last[d];[d][1]"
# At the end of these no frame waits for its scores.
fails 'strict=1 with a truncated reference' strict=1 'strict: reference ends 8 frames' "[1]$last[r];[0][r]"
fails 'strict=1 with a truncated reference, by number' strict=1:pair=index 'strict: reference ends 8 frames' "[1]$last[r];[0][r]"
fails 'fail_below with metadata=0' fail_below=99.5:metadata=0 "fail_below: vmaf is $plain, less than 99.5" ''
fails 'strict=1 with repeated frames' strict=1:pair=framesync 'strict: ' "[1]$rounded[r];[0][r]"
fails fail_below fail_below=99.5 "fail_below: vmaf is $plain, less than 99.5" ''
fails 'fail_below of a feature' 'fail_below=integer_vif_scale0\\:0.99' 'fail_below: integer_vif_scale0 is 0.' ''
grep -q 'fail_below: integer_vif_scale0 is 0[.][0-9]*, less than 0.99$' err
verdict 'fail_below of a feature says the limit without the name' $?
run -i d.nut -i r.nut -lavfi "$filter:strict=1:fail_below=10" -f null -
verdict 'strict=1 and fail_below pass a good run' $?
run -loglevel error -i d.nut -i r.nut -lavfi "$filter:fail_below=99.5" -f null -
[ $? -ne 0 ] && says 'fail_below: vmaf is'
verdict 'fail_below with -loglevel error' $?
# What ends the output is known to FFmpeg alone, which then asks a filter nothing more.
for options in fail_below=99.5 log_path=/dev/full; do
    [ "$options" = fail_below=99.5 ] && said='fail_below: vmaf is' || said="cannot write log '/dev/full'"
    for stop in '-t 1' '-ss 0.5 -t 0.5' '-frames:v 20' '-map 2:v -t 1 -shortest'; do
        also=()
        [[ $stop != *-map* ]] || also=(-f lavfi -i "color=black:size=64x64:duration=1" -map '[o]')
        # shellcheck disable=SC2086 # words
        run -i d.nut -i r.nut "${also[@]:0:4}" -lavfi "[0][1]vmaf_gpu=backend=cpu:$options${also:+[o]}" "${also[@]:4}" $stop -f null -
        [ $? -eq 0 ] && says "$said" && says 'does not tell this failure; put -ss and -t before each -i, in place of -ss, -t, -frames:v or -shortest behind' &&
            grep -qE "only main's frames from 0[.]000 to [0-9]+[.][0-9]{3} s were scored[.] If -ss, -t, -frames:v or -shortest behind the inputs did so, put -ss and -t before each -i" err
        verdict "$options with $stop: a message, and a status that says nothing" $?
    done
    run -t 1 -i d.nut -t 1 -i r.nut -lavfi "vmaf_gpu=backend=cpu:$options" -f null -
    [ $? -ne 0 ] && says "$said" && ! grep -q 'exit status' err
    verdict "$options with -t before each -i" $?
done
run -i d.nut -i r.nut -lavfi "[0]$gap[d];[d][1]$filter:strict=1" -c:v ffv1 x.nut
status=$?
frames=$("$ffmpeg" -hide_banner -nostdin -v error -i x.nut -f framecrc - | grep -vc '^#')
# The ffmpeg tool before 7.0 stops at once, so that frames that wait for the encoder are lost.
[ "$status" -ne 0 ] && { is_old || [ "$frames" -eq 45 ]; }
verdict 'strict=1: the output file is complete' $?

# ---------------------------------------------------- frames, timeline, a stop

md5() { # INPUTS...
    "$ffmpeg" -hide_banner -nostdin -v error "$@" -f framemd5 - | grep -v '^#'
}
md5 -i d.nut >wanted.md5
for options in '' :metadata=0 :pair=time :pair=index :inflight=16 :inflight=1; do
    md5 -i d.nut -i r.nut -lavfi "[1]$last[r];[0][r]$filter$options" >got.md5
    cmp -s wanted.md5 got.md5 && [ "$(wc -l <got.md5)" -eq 48 ]
    verdict "every main frame leaves unchanged: $options" $?
done

for options in '' :metadata=0 :pair=time; do
    run -i d.nut -i r.nut -lavfi "$filter$options:enable='between(t,0.5,1.5)'" -f null -
    some=$(score) disabled=$(count disabled_main)
    cut='trim=start=0.4999:end=1.5001,setpts=PTS-STARTPTS'
    run -i d.nut -i r.nut -lavfi "[0]${cut}[d];[1]${cut}[r];[d][r]$filter" -f null -
    [ -n "$some" ] && [ "$some" = "$(score)" ] && [ "$disabled" -eq $((48 - $(count pairs))) ]
    verdict "enable= scores the frames that it names: $options" $?
done

for frames in 1 8 20; do
    cut="trim=end_frame=$frames"
    run -i d.nut -i r.nut -lavfi "[0]${cut}[d];[1]${cut}[r];[d][r]$filter" -f null -
    wanted=$(score)
    for options in '' :metadata=0 :pair=time :inflight=16; do
        run -i d.nut -i r.nut -lavfi "$filter$options:strict=1" -frames:v "$frames" -f null -
        status=$?
        # Since 7.0 the tool's threads look at a few frames more.
        [ "$status" -eq 0 ] && { ! is_old || { [ "$(score)" = "$wanted" ] && [ "$(count pairs)" -eq "$frames" ]; }; } &&
            [ "$(count at_least)" -eq 1 ]
        verdict "-frames:v $frames is the score of the first $frames frames: $options" $?
    done
done

# Pairs without scores count nowhere.
run -i d.nut -i r.nut -lavfi "[1]fps=2[r];[0]setpts=PTS+10[d];[d][r]$filter:pair=time:inflight=16" -frames:v 1 -f null - &&
    [ "$(count repeated_reference)" -eq $(($(count pairs) - 1)) ] && [ "$(count reference_frames)" -eq 1 ] &&
    [ "$(count main_frames)" -eq "$(count pairs)" ]
verdict 'a stop from outside: the counts are those of the scored pairs' $?

# At the end framesync repeats main frames, which count once.
for options in '' :eof_action=pass :repeatlast=0; do
    run -i d.nut -i r.nut -lavfi "[1]fps=60[r];[0][r]$filter:pair=framesync:enable='between(t,0.5,1.2)'$options" -f null - &&
        [ "$(($(count pairs) - $(count repeated_main) + $(count disabled_main)))" -eq 48 ] &&
        [ "$(count main_frames)" -eq 48 ] && [ "$(count unpaired_main)" = '{"begin": 0, "middle": 0, "end": 0}' ]
    verdict "enable= with pair=framesync: $options" $?
done

run -i d.nut -i r.nut -lavfi "[1]setpts=PTS+5[r];[0][r]$filter:stats_file=stats,metadata=print:file=-" -f null - &&
    [ "$(awk -F '[: ]' '{ print $6 - $4 }' stats | sort | uniq -c | tr -s ' ')" = ' 48 5' ] &&
    [ "$(grep -c 'lavfi.vmaf_gpu.ref_pts=[0-9]*$' out)" -eq 48 ] && grep -q 'lavfi.vmaf_gpu.ref_pts=5$' out
verdict 'statistics and metadata have the time of the partner' $?

# ------------------------------------------------------------------------ shots

scenes='smptebars=s=160x96:r=24:d=0.5[a];mandelbrot=s=160x96:r=24:end_pts=1[b];[b]trim=end_frame=12[b];[a][b]concat'
"$ffmpeg" -hide_banner -nostdin -v error -f lavfi -i "$scenes" -pix_fmt yuv420p -c:v ffv1 scenes.nut
for options in shots=1 shots=1:inflight=8 shots=cuts.txt; do
    echo '12 I' >cuts.txt
    run -i scenes.nut -i scenes.nut -lavfi "$filter:$options,metadata=print:key=lavfi.vmaf_gpu.shot:file=-" -f null - &&
        [ "$(grep -c 'shot=0$' out) $(grep -c 'shot=1$' out)" = '12 12' ] &&
        grep -A 99 '"shots": {' log.json | tr -d ' \n' | grep -q '"first":0,"last":11.*"first":12,"last":23'
    verdict "shots in metadata and log: $options" $?
done
printf '12\n24\n99\n' >cuts.txt
run -i scenes.nut -i scenes.nut -lavfi "$filter:shots=cuts.txt" -f null - &&
    says '2 shots of the file begin behind the last pair, and are left out'
verdict 'shots that the video does not have' $?
run -i scenes.nut -i scenes.nut -lavfi "$filter:shots=no_such" -f null -
[ $? -ne 0 ] && says "cannot read the shots of 'no_such': No such file or directory"
verdict 'a file of shots that is not there' $?

summary
