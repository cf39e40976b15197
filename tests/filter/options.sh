#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Options that take a word: ffmpeg lists their values, accepts each of them in upper and
# lower case, and uses the one that was named. Called by run.sh.
#   tests/filter/options.sh FFMPEG
. "$(dirname "$0")/begin.sh"

run() { # OPTIONS
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info -i dist.nut -i ref.nut \
        -lavfi "[0:v][1:v]vmaf_gpu=$1" -f null - >out 2>err
}

score() { # prints the number of the score line
    sed -n 's/.*VMAF score: //p' err
}

# What the log says of the run: all of it but the version, the speed and the options as they were
# written.
log_lines() { # FILE
    grep -v -e fps -e version -e '^    "options": "' "$1" |
        sed -e 's|[0-9.]* frames/s||' -e 's|<td>options</td><td>[^<]*</td>||'
}

values_of() { # OPTION: prints the values that ffmpeg lists
    "$ffmpeg" -hide_banner -h filter=vmaf_gpu | awk -v option="$1" '
        /^   [a-z]/ { mine = $1 == option }
        mine && /^     [^ ]/ { print $1 }'
}

spellings() { # WORD: two other ways to write it
    printf '%s\n' "$1" | tr '[:lower:]' '[:upper:]'
    printf '%s\n' "$1" | sed 's/\(^\|_\)\([a-z]\)/\1\u\2/g'
}

python3 "$here/../lint/options.py" --ffmpeg "$ffmpeg" >err 2>&1
expect 'the texts name other options than ffmpeg' $?

for clip in 'ref null' 'dist avgblur=2'; do
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i 'testsrc2=size=64x48:rate=9:duration=1' \
        -vf "${clip#* }" -pix_fmt yuv420p -c:v rawvideo "${clip%% *}.nut" || exit 1
done

# A part has pairs by number only.
for value in $(values_of log_fmt); do
    run "backend=cpu:pair=index:log_fmt=$value:log_path=lower.$value" && [ -s "lower.$value" ]
    expect "log_fmt=$value" $?
    for word in $(spellings "$value"); do
        run "backend=cpu:pair=index:log_fmt=$word:log_path=other" && [ -s other ] &&
            diff <(log_lines "lower.$value") <(log_lines other) >/dev/null
        expect "log_fmt=$word is another log" $?
    done
done
[ "$(for log in lower.*; do log_lines "$log" | md5sum; done | sort -u | wc -l)" -eq \
    "$(values_of log_fmt | wc -l)" ]
expect 'two formats give one log' $?

# From the scores of the frames, not from what the engine pooled.
run backend=cpu:log_fmt=json:precision=max:log_path=frames.json
expect 'the log of all frames' $?
python3 - >pooled <<'PY'
import json, math
scores = sorted(f["metrics"]["vmaf"] for f in json.load(open("frames.json"))["frames"])
assert len(set(scores)) > 3, scores
def percentile(p):
    at = p / 100 * (len(scores) - 1)
    low = math.floor(at)
    return scores[low] + (at - low) * (scores[math.ceil(at)] - scores[low])
print("mean %.6f" % (math.fsum(scores) / len(scores)))
print("min %.6f" % scores[0])
print("max %.6f" % scores[-1])
print("harmonic_mean %.6f" % (len(scores) / math.fsum(1 / (s + 1) for s in scores) - 1))
for p in 1, 5, 10, 20:
    print("perc%d %.6f" % (p, percentile(p)))
PY
[ "$(values_of pool | sort)" = "$(cut -d ' ' -f 1 pooled | sort)" ]
expect 'ffmpeg lists other pools than are tested' $?
[ "$(cut -d ' ' -f 2 pooled | sort -u | wc -l)" -eq "$(wc -l <pooled)" ]
expect 'two pools have one result' $?
while read -r value wanted; do
    for word in "$value" $(spellings "$value"); do
        run "backend=cpu:pool=$word" && [ "$(score)" = "$wanted" ]
        expect "pool=$word is not $wanted" $?
    done
done <pooled

run backend=cpu:log_fmt=json:precision=17:log_path=long.json && ! cmp -s <(log_lines frames.json) <(log_lines long.json)
expect 'precision=17 is the log of precision=max' $?

# libvmaf 3.1 computes motion in another way, so that the logs differ.
[ "$(values_of compat | sort | xargs)" = '3.1 3.2' ]
expect 'ffmpeg lists other versions than are tested' $?
for value in $(values_of compat); do
    run "backend=cpu:compat=$value:log_fmt=csv:log_path=$value.csv" && [ -s "$value.csv" ]
    expect "compat=$value" $?
done
run backend=cpu:log_fmt=csv:log_path=default.csv && cmp -s default.csv 3.2.csv && ! cmp -s 3.1.csv 3.2.csv
expect 'compat is not used' $?

# Values without a name go to the options in libvmaf's order.
run backend=cpu:log_path=named.csv:log_fmt=csv:pool=min:n_threads=1:n_subsample=2 &&
    wanted=$(score) && [ -n "$wanted" ] && run unnamed.csv:csv:min:1:2:backend=cpu &&
    [ "$(score)" = "$wanted" ] && cmp -s named.csv unnamed.csv && ! cmp -s named.csv default.csv
expect 'values without a name are not in the order of libvmaf' $?

# Without a model: features only, and no score line.
run backend=cpu:model=:feature=name=psnr:log_fmt=csv:csv=strict:log_path=psnr.csv && [ -z "$(score)" ] &&
    [ "$(head -n 1 psnr.csv)" = Frame,psnr_y,psnr_cb,psnr_cr ] && [ "$(wc -l <psnr.csv)" -eq 10 ]
expect 'model= with a feature does not log the feature alone' $?

# The limit is the engine's.
run backend=cpu:n_threads=1024
expect 'n_threads=1024' $?
! run backend=cpu:n_threads=1025 && grep -q "'n_threads' out of range .0 - 1024." err
expect 'n_threads=1025 does not name the option and its range' $?

# A backend that is named runs or is an error, never another.
for value in $(values_of backend); do
    for word in "$value" $(spellings "$value"); do
        if run "backend=$word"; then
            ran=$(sed -n 's/.* frames, backend \([^ ]*\) .*/\1/p' err)
            [ "$value" = auto ] || [ "$ran" = "$value" ]
            expect "backend=$word ran on '$ran'" $?
        else
            [ "$value" != auto ] && [ "$value" != cpu ] && [ -z "$(score)" ] &&
                grep -qF "backend=$value: " err
            expect "backend=$word failed" $?
        fi
    done
done

# What an integer option of libavutil would take for a number.
for word in none all default 0 1 1.2 min+1 ''; do
    for option in log_fmt pool compat backend; do
        run "$option='$word'"
        status=$?
        [ $status -ne 0 ] && [ $status -ne 124 ] && [ -z "$(score)" ] &&
            grep -qF "unknown $option '$word' (known: $(values_of $option | xargs))" err
        expect "$option=$word is no error" $?
    done
done

summary
