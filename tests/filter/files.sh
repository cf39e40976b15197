#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Files that the filter writes: names in use, files of the user, pipes, and processes that are stopped
# or killed at any time. Links, mounts and long names are the engine's: tests/unit/test_report_*.cpp.
#   tests/filter/files.sh FFMPEG [STOPPED-RUNS]
. "$(dirname "$0")/begin.sh"

run() { # ARGUMENTS of ffmpeg; 124: it hung
    timeout --kill-after=5 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v verbose "$@" >out 2>err
}

for clip in 'ref null' 'dist avgblur=2'; do
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i 'testsrc2=size=64x48:rate=10:duration=1' \
        -vf "${clip#* }" -pix_fmt yuv420p -c:v rawvideo "${clip%% *}.nut" || exit 1
done
inputs=(-i dist.nut -i ref.nut)
filter='[0:v][1:v]vmaf_gpu=backend=cpu:n_threads=1:log_fmt=csv'
"$ffmpeg" -v error -i ref.nut -f rawvideo ref.yuv
cksum ./*.nut ref.yuv >sums

untouched() {
    cksum ./*.nut ref.yuv | cmp -s - sums
}

pairs() { # LOG
    echo $(($(wc -l <"$1") - 1))
}

# -------------------------------------------------------- files of the user

for option in log_path stats_file; do
    ln -sf ref.nut link
    for name in ref.nut ./ref.nut link; do
        ! run "${inputs[@]}" -lavfi "$filter:$option=$name" -f null - && untouched &&
            grep -q "'$name': this process has the file open" err && ! grep -q 'VMAF score' err
        verdict "$option=$name, the reference, is refused" $?
    done
    ! run "${inputs[@]}" -f rawvideo -video_size 64x48 -i ref.yuv -lavfi "$filter:$option=ref.yuv" \
        -map 2 -f null - && untouched
    verdict "$option is an input without any mark, which is refused" $?
    ! run "${inputs[@]}" -lavfi "$filter:$option=out.nut" -c:v rawvideo out.nut &&
        grep -q 'this process has the file open' err
    verdict "$option is the output, which is refused" $?
    cp ref.nut other.nut
    ! run "${inputs[@]}" -lavfi "$filter:$option=other.nut" -f null - && cmp -s ref.nut other.nut &&
        grep -q "'other.nut': it is no log, but a file that begins with 'nut/multimedia" err
    verdict "$option is another video, which is refused" $?
    run "${inputs[@]}" -lavfi "$filter:$option=other.nut:overwrite=1" -f null - && ! cmp -s ref.nut other.nut
    verdict "$option is a video, with overwrite=1" $?
    printf '#!/bin/sh\nexit 0\n' >script
    ! run "${inputs[@]}" -lavfi "$filter:$option=script" -f null - && [ "$(sed -n 2p script)" = 'exit 0' ] &&
        grep -q "'script': it is no log, but a file that begins with '#!/bin/sh'; to replace it, set overwrite=1" err
    verdict "$option is a file that is no log, which is refused" $?
    run "${inputs[@]}" -lavfi "$filter:$option=script:overwrite=1" -f null - && ! grep -q exit script &&
        run "${inputs[@]}" -lavfi "$filter:$option=script" -f null -
    verdict "$option is a file that is no log, with overwrite=1, and then what the filter wrote" $?
    rm -f other.nut out.nut script
done

# ------------------------------------------------------------- names in use

run "${inputs[@]}" -lavfi "[0:v]split[a][b];[1:v]split[c][d];
    [a][c]vmaf_gpu=backend=cpu:log_fmt=csv:log_path=same.csv,nullsink;
    [b][d]vmaf_gpu=backend=cpu:log_fmt=csv:log_path=./same.csv" -f null - && cmp same.csv ./same.1.csv &&
    grep -q "writing './same.1.csv'" err
verdict 'two spellings of one name' $?

# -------------------------------------------------------- pipes, descriptors

for name in /dev/stdout /proc/self/fd/1 /dev/fd/1 -; do
    run "${inputs[@]}" -lavfi "$filter:log_path=$name" -f null - && cmp out same.csv
    verdict "log_path=$name to a file" $?
    timeout 60 "$ffmpeg" -v error "${inputs[@]}" -lavfi "$filter:log_path=$name" -f null - </dev/null 2>err |
        cmp - same.csv
    verdict "log_path=$name to a pipe" $?
done
mkfifo fifo
timeout 60 cat fifo >got &
run "${inputs[@]}" -lavfi "$filter:log_path=fifo" -f null - && wait $! && cmp got same.csv && [ -p fifo ]
verdict 'a FIFO' $?
# Nobody reads it.
run "${inputs[@]}" -lavfi "$filter:log_path=fifo" -f null -
[ $? -ne 124 ] && grep -q "fifo.*No such device" err
verdict 'a FIFO without a reader' $?

# ---------------------------------------------------------- late failures

# backend=emu is in builds for tests: its call N fails as if the device were lost.
if "$ffmpeg" -v error "${inputs[@]}" -lavfi '[0:v][1:v]vmaf_gpu=backend=emu' -f null - 2>/dev/null; then
    for format in csv json; do
        for call in 250 300; do
            VMAFGPU_EMU_FAIL_AT=$call run "${inputs[@]}" -lavfi "[0:v][1:v]vmaf_gpu=backend=emu:inflight=1:log_fmt=$format:log_path=late.$format" \
                -f null -
            status=$?
            [[ " 0 124 134 139 " != *" $status "* ]] && grep -q incomplete "late.$format" && ! grep -q 'VMAF score' err
            verdict "call $call of the device fails: the $format log has what was scored" $?
        done
    done
    # All ten scores come at the end of the inputs; the last call that fails is then made.
    call=360 status=0
    while [ "$status" -eq 0 ] && ((call -= 5)); do
        VMAFGPU_EMU_FAIL_AT=$call run "${inputs[@]}" -lavfi '[0:v][1:v]vmaf_gpu=backend=emu:inflight=16:log_fmt=json:log_path=end.json' \
            -f null -
        status=$?
    done
    grep -q incomplete end.json && ! grep -q 'VMAF score' err
    verdict "the device fails at the end of the inputs: the log has what was scored" $?
    [ "$(grep -c '^[0-9]' late.csv)" -ge 1 ] && [ "$(grep -c '^[0-9]' late.csv)" -lt 10 ] &&
        grep '^[0-9]' late.csv | head -n 1 | cmp - <(sed -n 2p same.csv)
    verdict 'the scores of an incomplete log are those of a complete one' $?
else
    echo 'skipped: no backend=emu'
fi

if [ -w /dev/full ]; then
    ! run "${inputs[@]}" -lavfi "$filter:stats_file=/dev/full:log_path=kept.csv" -f null - && cmp kept.csv same.csv &&
        [ "$(grep -c "cannot write stats_file '/dev/full'" err)" -eq 1 ]
    verdict 'a full disk under stats_file does not cost the log' $?
fi

# ------------------------------------------------------- stopped and killed

# SIGTERM and SIGINT: a complete log of what was scored. SIGKILL: a complete log or none, and at
# most one hidden file, which the next run with this log replaces.
endless='testsrc2=size=64x48:rate=100'
complete=0
stops=${2:-200}
for ((i = 0; i < stops; i++)); do
    signals=(TERM INT KILL)
    signal=${signals[i % 3]}
    rm -f stop.csv
    "$ffmpeg" -nostdin -v error -f lavfi -i "$endless:duration=0.5" -f lavfi -i "$endless:duration=0.5" \
        -lavfi "$filter:log_path=stop.csv" -f null - >out 2>err &
    victim=$!
    sleep "0.$(printf '%03d' $((RANDOM % 300)))"
    kill -"$signal" "$victim" 2>/dev/null
    wait "$victim" 2>/dev/null
    status=$?
    if [ -e stop.csv ]; then
        complete=$((complete + 1))
        awk -F, 'NR == 1 { n = NF } NF != n || (NR > 1 && $1 != NR - 2) { bad = 1 } END { exit bad || NR < 1 }' stop.csv
        verdict "$signal: the log is whole" $?
    elif [ "$signal" != KILL ] && [ "$status" -eq 0 ]; then
        verdict "$signal: a log" 1
    fi
    [ "$(find . -name '.vmaf_gpu*' | wc -l)" -le 1 ]
    verdict "$signal: nothing else is left" $?
done
run "${inputs[@]}" -lavfi "$filter:log_path=stop.csv" -f null - && cmp stop.csv same.csv
verdict 'the log after stopped runs' $?
[ "$complete" -gt 0 ]
verdict 'some of the stopped runs have a log' $?

# The filter cannot always tell a signal from -frames:v, but with metadata=0 it need not.
"$ffmpeg" -nostdin -v debug -re -f lavfi -i "$endless" -re -f lavfi -i "$endless" \
    -lavfi "$filter:metadata=0:log_path=paced.csv" -f null - >out 2>err &
victim=$!
sleep 2
kill -TERM "$victim"
wait "$victim"
[ $? -eq 255 ] && ! grep -q incomplete paced.csv
verdict "SIGTERM is the end of both inputs to the filter: only ffmpeg's status tells it" $?
[ "$(pairs paced.csv)" -gt 0 ] && [ "$(pairs paced.csv)" -eq "$(grep -c 'pair: main [0-9]* reference' err)" ]
verdict 'SIGTERM with metadata=0: every submitted pair is in the log' $?

# ---------------------------------------------------------------- numbers

# As in a program that has set its user's locale.
mkdir locales
cat >setlocale.c <<'END'
#include <locale.h>
__attribute__((constructor)) static void use_locale(void) { setlocale(LC_ALL, "de_DE.UTF-8"); }
END
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null &&
    cc -shared -fPIC setlocale.c -o setlocale.so 2>/dev/null; then
    german() { # OPTIONS
        LOCPATH=$PWD/locales LD_PRELOAD=$PWD/setlocale.so run "${inputs[@]}" \
            -lavfi "$filter:$1,metadata=print:file=tags" -f null -
    }
    [ "$(LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 1,5')" = 1,5 ]
    verdict 'this locale has a decimal comma' $?
    german log_path=german.csv:stats_file=german.stats && cmp german.csv same.csv &&
        ! grep -q '[0-9],[0-9]' german.stats && grep -q 'vmaf:[0-9]*[.][0-9]*$' german.stats &&
        ! grep 'lavfi.vmaf_gpu' tags | grep -q '[0-9],[0-9]' && grep -q 'vmaf_gpu.vmaf=[0-9]*[.][0-9]*$' tags &&
        grep -q 'VMAF score: [0-9]*[.][0-9]*$' err && grep -q 'backend cpu.*, [0-9.]* fps$' err
    verdict 'a decimal point in metadata, statistics, log and messages' $?
    ! german fail_below=100.5 && grep -q 'fail_below: vmaf is [0-9]*[.][0-9]*, less than 100.5' err
    verdict 'options with a decimal point' $?
else
    echo 'skipped: no locale with a decimal comma can be made'
fi

# ---------------------------------------------------- a program of one's own

# With the flags that FFmpeg's configure found; the libraries of the tree first.
tree=$(dirname "$ffmpeg")
if [ -f "$tree/ffbuild/config.mak" ]; then
    compiler=$(sed -n 's/^CC=//p' "$tree/ffbuild/config.mak")
    libraries=$(sed -n 's/^EXTRALIBS-av[a-z]*=//p' "$tree/ffbuild/config.mak" | tr '\n' ' ')
    # shellcheck disable=SC2086 # lists of flags
    (cd "$tree" && $compiler -std=gnu11 -O1 -Wall -Wextra -Werror -I. "$here/written/written.c" -o "$work/written" \
        -Wl,--start-group lib*/lib*.a -Wl,--end-group $libraries) 2>err
    verdict 'the program with several graphs builds' $?
    mkdir written.d && (cd written.d && ../written 2>../err)
    verdict 'several graphs in a program' $?
    [ "$(cd written.d && wc -l log.csv log.1.csv | awk '{ print $1 }' | xargs)" = '6 6 12' ]
    verdict 'both logs are complete' $?
    grep -q "'late.csv' has become another file during the run: wrote 'late.1.csv'" err &&
        grep -q YUV4MPEG2 written.d/late.csv && [ "$(wc -l <written.d/late.1.csv)" -eq 6 ]
    verdict 'a video that comes to the name of the log stays' $?
else
    echo 'skipped: several graphs in a program, for ffmpeg is not in the tree that it was built in'
fi

untouched
verdict 'the inputs are what they were' $?
leftovers=$(find . -name '.vmaf_gpu*' | wc -l)
[ "$leftovers" -eq 0 ]
verdict 'no temporary file is left' $?

summary
