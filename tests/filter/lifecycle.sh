#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What happens around the scores: inputs that begin late, jump or repeat,
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
    grep -q 'the times of an input jump: at the end 5 main and 5 reference frames have no partner' err
verdict 'timestamps that jump an hour: the frames after the jump have no partner, which is told' $?

run -lavfi "$two[d]setpts='floor(N/2)*2/5/TB'[twice];[twice][r]$filter:log_path=twice.csv" \
    -f null - && grep -q 'VMAF score: ' err && [ "$(pairs twice.csv)" -ge 5 ]
verdict 'timestamps that repeat' $?

run -lavfi "$two[d][r]$filter:log_fmt=html:log_path=page.html" -f null - &&
    [ "$(grep -o '>9</td><td>0:00:01.800</td>' page.html | wc -l)" -eq 2 ]
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
