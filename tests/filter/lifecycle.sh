#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What happens around the scores: inputs that begin late, jump, repeat or change,
# readers that go away, several filters at once, long runs.
#   tests/filter/lifecycle.sh FFMPEG
. "$(dirname "$0")/begin.sh"

run() { # ARGUMENTS of ffmpeg; 124: it hung
    timeout --kill-after=5 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info "$@" >out 2>err
}

# The number of pairs in a CSV log.
pairs() { # LOG
    echo $(($(wc -l <"$1") - 1))
}

filter='vmaf_gpu=backend=cpu:log_fmt=csv'
source='testsrc2=size=160x120:rate=5:duration=2,format=yuv420p'
two="$source,split[r][t];[t]avgblur=2[d];"

# ------------------------------------------------------------- timestamps

late="[r]setpts=PTS+1/TB[late];[d][late]"
run -lavfi "$two$late$filter:pair=time:shortest=1:log_path=late.csv" -f null - &&
    [ "$(pairs late.csv)" -eq 5 ] && grep -q 'main begins 5 frames before reference' err &&
    grep -q 'VMAF score: ' err
verdict 'a reference that begins a second later, by time: the common second is scored' $?

run -lavfi "$two[d][r]$filter:log_path=begin.csv" -f null - &&
    run -lavfi "$two$late$filter:log_path=late.csv" -f null - && cmp begin.csv late.csv &&
    grep -q 'main begins 5 frames before reference by its times, but the first pictures agree' err
verdict 'a reference whose times begin a second later: the pictures decide' $?

# In FFmpeg 7.1, setpts takes the frame rate away.
run -lavfi "$two[d]setpts='PTS+if(gte(N,5),3600/TB,0)'[jump];[jump][r]$filter:log_path=jump.csv" \
    -f null - && [ "$(pairs jump.csv)" -eq 5 ] &&
    grep -qE 'reference ends 5 frames (\(1.000 s\) )?before main: those frames are not in the score' err
verdict 'timestamps that jump an hour: the frames after the jump have no partner, which is told' $?

run -lavfi "$two[d]setpts='floor(N/2)*2/5/TB'[twice];[twice][r]$filter:log_path=twice.csv" \
    -f null - && grep -q 'VMAF score: ' err && [ "$(pairs twice.csv)" -ge 5 ]
verdict 'timestamps that repeat' $?

run -lavfi "$two[d][r]$filter:log_fmt=html:log_path=page.html" -f null - &&
    [ "$(grep -o '>9</td><td data-label="time">0:00:01.800</td>' page.html | wc -l)" -eq 2 ]
verdict 'the page has the time of each frame' $?

# ---------------------------------------------------------- several filters

run -lavfi "$two[d]split[d1][d2];[r]split[r1][r2];[d1][r1]$filter:log_path=a.csv[x];
    [d2][r2]$filter:log_path=b.csv[y];[x]nullsink;[y]null" -f null - && cmp a.csv b.csv
verdict 'two filters in a graph: equal logs' $?

run -f lavfi -i "$source" -f lavfi -i "$source,avgblur=2" \
    -filter_complex "[1:v][0:v]$filter:log_path=c.csv[x]" \
    -filter_complex "[1:v][0:v]$filter:log_path=d.csv[y]" \
    -map '[x]' -f null - -map '[y]' -f null - && cmp c.csv d.csv && cmp a.csv c.csv
verdict 'two graphs in a process: equal logs' $?

for threads in 1 2 7; do
    run -lavfi "$two[d][r]$filter:n_threads=$threads:log_path=t$threads.csv" -f null - &&
        cmp a.csv "t$threads.csv"
    verdict "$threads threads: the same log" $?
done

# Files get a number, which beside a device would be a file that nobody asked for.
null=log_path=/dev/null:stats_file=/dev/null
run -lavfi "$two[d]split[d1][d2];[r]split[r1][r2];[d1][r1]$filter:$null[x];[d2][r2]$filter:$null[y];
    [x]nullsink;[y]null" -f null - && ! grep -q 'another output has' err && [ ! -e /dev/null.1 ]
verdict 'two filters that both write to a device' $?

# --------------------------------------------------------- a size that changes

for size in 160x120 128x96; do
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i "testsrc2=size=$size:rate=5:duration=2" \
        -pix_fmt rgb24 -start_number "${size%%x*}" "%d.png"
done
n=0 # ten pictures of one size, then ten of the other
for picture in {160..169} {128..137}; do
    mv "$picture.png" "mixed$n.png"
    n=$((n + 1))
done
# The tool makes a new graph for each input that changes. In between the sizes differ,
# which is refused; what matters is that nothing crashes, hangs or goes unsaid.
run -i mixed%d.png -i mixed%d.png -lavfi \
    "[0:v]format=yuv420p[d];[1:v]format=yuv420p[r];[d][r]$filter:pair=time:log_path=both.csv" -f null -
status=$?
refusal='main is 128x96 but reference is 160x120'
if "$ffmpeg" -version | grep -qE '^ffmpeg version n?[456]\.'; then
    [ "$(pairs both.csv)" -ge 1 ]
else
    # Since 7.0 the tool's threads decide which input changes first, and after how many
    # pairs: perhaps none, or before there was a graph, which can only be a refusal.
    refusal="$refusal|main is 160x120 but reference is 128x96"
    if grep -q 'frames, backend' err; then
        grep -q 'no pair of frames was scored' err || [ "$(pairs both.csv)" -ge 1 ]
    else
        [ "$status" -ne 0 ]
    fi
fi
scored=$?
[[ " 124 134 137 139 " != *" $status "* ]] && [ "$scored" -eq 0 ] &&
    { [ "$status" -eq 0 ] || grep -qE "$refusal|there is no score" err; }
verdict 'a size that changes in mid-stream' $?

# Every pair that was submitted to the first graph is in its log, also those whose frames FFmpeg drops.
run -v debug -i mixed%d.png -i mixed%d.png -lavfi \
    "[0:v]format=yuv420p[d];[1:v]format=yuv420p[r];[d][r]$filter:pair=time:inflight=8:log_path=all.csv" -f null -
submitted=$(grep -c 'pair: main [0-9]* reference' err)
{ [ ! -e all.csv ] && [ "$submitted" -eq 0 ]; } || { [ "$(pairs all.csv)" -eq "$submitted" ] &&
    { [ "$submitted" -lt 2 ] || grep -q 'FFmpeg drops [0-9]* main frames' err; }; }
verdict 'a size that changes: every submitted pair is in the log' $?

# Three pictures are too few to pair by what they show: the first graph is taken down without a pair.
for n in 0 1 2; do
    cp "mixed$n.png" "few$n.png"
    cp "mixed1$n.png" "few$((n + 3)).png"
done
# The reference is made in the graph: with a second input, FFmpeg may build the first graph behind the change.
run -i few%d.png -lavfi "$source[r];[0:v]format=yuv420p[d];[d][r]vmaf_gpu=backend=cpu:scale=bicubic" -f null -
grep -q 'FFmpeg drops [1-9] main frames' err
verdict 'a size that changes before the first pair goes unsaid' $?

# ----------------------------------------------------------- what goes away

run -lavfi "$two[d][r]vmaf_gpu=backend=cpu:stats_file=-" -f null -
[ "$(grep -c '^n:' out)" -eq 10 ]
verdict 'statistics on standard output' $?

# The reader leaves after one line. ffmpeg ignores SIGPIPE or dies of it (141); it must not hang.
{
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -nostats -v error -lavfi \
        "testsrc2=size=160x120:rate=5:duration=2000,format=yuv420p,split[r][d];[d][r]vmaf_gpu=backend=cpu:stats_file=-" \
        -f null - 2>err
    echo $? >status
} | head -n 1 >first
[ -s first ] && ! grep -qE '^(124|137|134|139)$' status
verdict 'a reader of the statistics that goes away' $?

mkdir gone
run -lavfi "$two[d][r]$filter:log_path=gone/x.csv,metadata=print:file=gone/keep" -f null -
[ "$(pairs gone/x.csv)" -eq 10 ]
verdict 'a log in a folder' $?
(
    sleep 0.7
    rm -rf gone
) &
! run -re -f lavfi -i "$source" -lavfi "[0:v]split[d][r];[d][r]$filter:log_path=gone/x.csv" -f null - &&
    grep -q "log 'gone/x.csv': No such file" err
verdict 'the folder of the log vanishes: told, and the run fails' $?
wait

# ---------------------------------------------------------------- long runs

# Resident memory (KiB) and open files of the process of $1's command line.
watch_process() { # PID
    while kill -0 "$1" 2>/dev/null; do
        printf '%s %s\n' "$(awk '/VmRSS/ { print $2 }' "/proc/$1/status" 2>/dev/null)" \
            "$(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l)"
        sleep 0.2
    done
}
"$ffmpeg" -hide_banner -nostdin -nostats -v info -f lavfi \
    -i "color=gray:size=48x32:rate=100:duration=1000,format=gray" \
    -lavfi "[0:v]split[d][r];[d][r]vmaf_gpu=backend=cpu:n_threads=1:inflight=4" -f null - >out 2>err &
watch_process $! >usage
wait $!
verdict '100,000 frames' $?
# Without a log the scores of few frames are kept.
awk 'NF == 2 { n++; memory[n] = $1; files[n] = $2 }
    END {
        half = int(n / 3) + 1; last = n - 1
        growth = (memory[last] - memory[half]) * 1024 / 66667
        printf "    %d readings, %.0f bytes a frame, %d and %d files\n", n, growth, files[half], files[last]
        exit !(n > 5 && growth < 30 && files[last] <= files[half])
    }' usage
verdict '100,000 frames: memory and files stay' $?

summary
