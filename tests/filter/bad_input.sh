#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What the filter does with input it cannot score: a message that names the
# mistake, a failing exit status, no score line and no hang. And the opposite:
# with good input frames pass through bit for bit and the score line comes last.
#   tests/filter/bad_input.sh FFMPEG
. "$(dirname "$0")/begin.sh"

# The exit status is that of ffmpeg, 124 if it hung. Files as input, since the
# ffmpeg tool of 5.1 exits with 0 when a graph without inputs fails in mid-run.
run() { # MAIN REFERENCE GRAPH [OUTPUT-OPTIONS...]
    local main=$1 reference=$2 graph=$3
    shift 3
    [ $# -gt 0 ] || set -- -f null -
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info \
        -i "$main" -i "$reference" -lavfi "$graph" "$@" >out 2>err
}

# The filter's own lines about errors: exactly one, and it holds MESSAGE.
expect_error() { # NAME MESSAGE MAIN REFERENCE GRAPH
    local name=$1 message=$2 status
    shift 2
    run "$@"
    status=$?
    # 124 and 137: it hung; 134 and 139: it crashed. Recent tools exit with 256 - errno.
    if [[ " 0 124 134 137 139 " == *" $status "* ]]; then
        fail "$name: exit status $status"
    elif ! grep -qF -e "$message" err; then
        fail "$name: no message with: $message"
    elif [ "$(grep -cF -e "$message" err)" -ne 1 ]; then
        fail "$name: the message comes more than once"
    else
        passed=$((passed + 1))
        return
    fi
}

expect_no_score() { # NAME MESSAGE MAIN REFERENCE GRAPH
    expect_error "$@"
    ! grep -q 'VMAF score' err || fail "$1: a score was printed"
}

make_clip() { # NAME SIZE FILTERS
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i "testsrc2=size=$2:rate=5:duration=2" \
        -vf "$3" -pix_fmt yuv420p -c:v rawvideo "$1" || exit 1
}

make_clip ref.nut 160x120 null
make_clip dist.nut 160x120 avgblur=2
make_clip narrow.nut 128x120 null
make_clip tiny.nut 16x16 null
echo '{"param_dict": ' >broken.json
echo '{"model_dict": {"model_type": "forest"}}' >other.json
mkdir folder

pair='[0:v][1:v]vmaf_gpu=backend=cpu'
expect_option() { # NAME MESSAGE OPTIONS
    expect_no_score "$1" "$2" dist.nut ref.nut "$pair:$3"
}

expect_option 'unknown pool' "unknown pool 'avg' (known:" pool=avg
expect_option 'unknown log format' "unknown log_fmt 'yaml' (known:" log_fmt=yaml
expect_option 'unknown backend' "unknown backend 'metal' (known:" backend=metal
expect_option 'unknown compat' "unknown compat '2.0' (known:" compat=2.0
expect_option 'precision out of range' "precision is 3; allowed: 6 to 17, or max" precision=3
expect_option 'precision not a number' "Undefined constant or missing '(' in 'many'" precision=many
expect_option 'inflight out of range' "parameter 'inflight' out of range" inflight=17
expect_option 'unknown option' "'colour'" colour=1
expect_option 'device of the CPU' "device cpu takes no number, but 'cpu:1' was given" device=1

expect_option 'unknown model' "no built-in model 'vmaf_v9' (there are: " model=version=vmaf_v9
expect_option 'model without key' "cannot read model 'vmaf_v0.6.1'" model=vmaf_v0.6.1
expect_option 'empty model' "cannot read model ''" 'model=|'
expect_option 'unknown model key' "unknown model option 'colour' (there are: name, " \
    'model=version=vmaf_v0.6.1\\:colour=1'
expect_option 'version and path' "not both" 'model=version=vmaf_v0.6.1\\:path=x.json'
expect_option 'missing model file' "model file './none.json'" model=path=none.json
expect_option 'broken model file' "./broken.json: not valid JSON" model=path=broken.json
expect_option 'model of another kind' "./other.json: model_dict.model_type" model=path=other.json
expect_option 'two models of one name' "'vmaf' is used twice" \
    'model=version=vmaf_v0.6.1|version=vmaf_4k_v0.6.1'
# Not the backend's fault, so that its name is not in front of the message.
expect_option 'unknown feature' "] unknown feature 'ssimulacra' (features: adm, " feature=name=ssimulacra
expect_no_score 'refused depth' "feature psnr accepts 8, 10, 12 or 16 bits per sample, not 9" dist.nut ref.nut \
    '[0:v]format=yuv420p9[a];[1:v]format=yuv420p9[b];[a][b]vmaf_gpu=backend=cpu:formats=asis:feature=name=psnr'
expect_option 'feature without name' "a feature needs a name" feature=scale=1
expect_option 'pool behind a model' 'the filter pool=harmonic_mean' 'model=version=vmaf_v0.6.1\\:pool=harmonic_mean'
expect_option 'bad model option' "feature motion has no option 'nonsense'" 'model=version=vmaf_v0.6.1\\:motion.nonsense=1'

expect_option 'log in no folder' "cannot write log 'none/vmaf.xml': No such file" \
    log_path=none/vmaf.xml
expect_option 'log is a folder' "cannot write log 'folder': Is a directory" log_path=folder
expect_option 'stats in no folder' "cannot write stats_file 'none/s': No such file" stats_file=none/s
if [ -w /dev/full ]; then
    expect_error 'full log target' "cannot write log '/dev/full'" dist.nut ref.nut "$pair:log_path=/dev/full"
    expect_error 'full stats target' "cannot write stats_file '/dev/full'" dist.nut ref.nut \
        "$pair:stats_file=/dev/full:log_fmt=csv:log_path=full.csv"
    [ "$(wc -l <full.csv)" -eq 11 ] || fail 'full stats target: it costs the log'
else
    echo 'skipped: full targets, no /dev/full here'
fi

expect_no_score 'sizes differ' 'main is 160x120 but reference is 128x120; crop main or pad reference' \
    dist.nut narrow.nut "$pair"
expect_no_score 'too small' 'picture 16x16 is smaller than the minimum' tiny.nut tiny.nut "$pair"
expect_no_score 'no main frames' 'the main (distorted) input has no frames' dist.nut ref.nut \
    '[0:v]trim=start=10[d];[d][1:v]vmaf_gpu=backend=cpu'
expect_no_score 'no reference frames' 'the reference input has no frames' dist.nut ref.nut \
    '[1:v]trim=start=10[r];[0:v][r]vmaf_gpu=backend=cpu'
expect_no_score 'no frames at all' 'the main (distorted) input has no frames' dist.nut ref.nut \
    '[0:v]trim=start=10[d];[1:v]trim=start=10[r];[d][r]vmaf_gpu=backend=cpu'

# Tags that change in mid-stream. Of those that FFmpeg converts by, the unit tests of ssimulacra2.
changing='[0:v]split[a][b];[b]setparams=color_trc=smpte2084[h];[a][h]concat[m];[1:v]split[c][d];[c][d]concat[r];
    [m][r]vmaf_gpu=backend=cpu'
expect_error 'HDR from frame 10 on' 'frame 10 of main: feature ssimulacra2 was made for SDR pictures, not for HDR (smpte2084)' \
    dist.nut ref.nut "$changing:feature=name=ssimulacra2"
run dist.nut ref.nut "$changing"
expect 'other features take it' $?

# ------------------------------------------------------------- good input

frames() { # GRAPH > frame checksums
    run dist.nut ref.nut "$1" -map '[o]' -f framecrc - && grep -v '^#' out
}

frames '[1:v]nullsink;[0:v]null[o]' >plain.crc
for options in inflight=1 inflight=4 inflight=16 metadata=0 'enable=lt(n\,2)' n_subsample=3; do
    frames "[0:v][1:v]vmaf_gpu=backend=cpu:$options[o]" >scored.crc &&
        [ -s plain.crc ] && cmp plain.crc scored.crc
    expect "pass-through with $options" $?
done
# The ffmpeg tool before 7.0 ends with a filter's failure, and drops the frames that it has not written.
! frames "[0:v][1:v]vmaf_gpu=backend=cpu:enable=0[o]" &&
    if "$ffmpeg" -version | grep -qE '^ffmpeg version n?[56]\.'; then
        grep -q 'there is no score' err
    else
        grep -v '^#' out | cmp plain.crc -
    fi
expect 'pass-through of a run that fails for lack of a score' $?

run dist.nut ref.nut "$pair:log_fmt=csv:log_path=log.csv:stats_file=stats"
grep Parsed_vmaf_gpu err | tail -n 1 | grep -qE '\] VMAF score: [0-9]+\.[0-9]{6}$'
expect 'the score line is the last of the filter' $?
[ "$(wc -l <log.csv)" -eq 11 ] && [ "$(wc -l <stats)" -eq 10 ]
expect 'ten frames in the log and the statistics' $?

# The tool sees an early end as success; frames that never left do not count.
run dist.nut ref.nut "$pair:log_fmt=csv:log_path=short.csv" -frames:v 3 -f null -
expect 'early end' $?
[ "$(wc -l <short.csv)" -ge 4 ] && [ "$(wc -l <short.csv)" -le 11 ]
expect 'early end: log' $?

# Nothing that can be compared is no success: a script that looks at the exit status would not see it.
expect_no_score 'nothing scored' 'there is no score' dist.nut ref.nut "$pair:enable=0:log_path=empty.xml"
grep -q 'no pair of frames was scored' err && grep -q '</VMAF>' empty.xml
expect 'nothing scored: the reason and the log' $?

# Values of the whole run are printed without a model, too, and the score stays the last line.
run dist.nut ref.nut "$pair:model=:feature=name=xpsnr" && grep -q 'of the run: .*xpsnr' err
expect 'values of the run without a model' $?
run dist.nut ref.nut "$pair:feature=name=xpsnr" && grep -q 'of the run: .*xpsnr' err &&
    grep Parsed_vmaf_gpu err | tail -n 1 | grep -q 'VMAF score: '
expect 'values of the run come before the score' $?

# What the reference has beyond main is counted, though nothing would meet it.
make_clip half.nut 160x120 "avgblur=2,trim=end_frame=5"
for options in eof_action=pass repeatlast=0; do
    run half.nut ref.nut "$pair:$options" &&
        grep -q '5 pairs of 5 main and 10 reference frames' err && grep -q 'main ends 5 frames' err
    expect "$options: frames of the reference" $?
    run half.nut ref.nut "$pair:$options:strict=1"
    [ $? -ne 0 ] && grep -q 'strict: main ends 5 frames' err
    expect "$options: strict" $?
done

# A program without standard output and error: its messages are not the log's.
timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -y -v info -i dist.nut -i ref.nut \
    -lavfi "$pair:log_path=closed.xml:stats_file=closed.txt" -f null - <&- >&- 2>&-
[ "$(head -c 5 closed.xml)" = '<VMAF' ] && [ "$(tail -n 1 closed.xml)" = '</VMAF>' ] && [ "$(wc -l <closed.txt)" -eq 10 ]
expect 'closed standard output and error' $?

# reg50: the first input is the distorted one. Half of the contrast is less
# information than the reference has; the wrong way round it is more.
make_clip pale.nut 160x120 lutyuv=y=val/2
scale0() { # MAIN REFERENCE
    run "$1" "$2" "$pair:log_fmt=csv:log_path=order.csv" &&
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "integer_vif_scale0") column = i }
            NR == 2 { print ($column < 1 ? "less" : "more") }' order.csv
}
[ "$(scale0 pale.nut ref.nut)" = less ] && [ "$(scale0 ref.nut pale.nut)" = more ]
expect 'reg50 main first, reference second' $?

# One process, one log name, two graphs: neither log is lost.
run dist.nut ref.nut \
    "[0:v]split[a][b];[1:v]split[c][d];[a][c]vmaf_gpu=backend=cpu:log_path=two.xml,nullsink;[b][d]vmaf_gpu=backend=cpu:log_path=two.xml" &&
    [ -s two.xml ] && [ -s two.1.xml ] && grep -q "writing 'two.1.xml'" err
expect 'two logs of one name' $?

summary
