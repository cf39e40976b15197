#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What the filter's logs say of the run, and its score lines: the JSON schema, options, formats,
# warnings, times, names of models, several filters. Called by run.sh.
#   tests/filter/report.sh FFMPEG
. "$(dirname "$0")/begin.sh"

run() { # ARGUMENTS of ffmpeg
    timeout --kill-after=5 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v info "$@" >out 2>err
}

get() { # EXPRESSION over log, LOG: prints its value
    python3 -c 'import json, sys; log = json.load(open(sys.argv[2])); print(eval(sys.argv[1]))' "$1" "$2"
}

is() { # EXPRESSION over log.json, VALUE
    local found
    found=$(get "$1" log.json) && [ "$found" = "$2" ]
    expect "$1 is not $2 but $found" $?
}

source='testsrc2=size=160x120:rate=24000/1001:duration=1'
"$ffmpeg" -hide_banner -nostdin -v error -f lavfi -i "$source" -pix_fmt yuv420p -c:v ffv1 r.nut &&
    "$ffmpeg" -hide_banner -nostdin -v error -i r.nut -vf avgblur=2 -c:v ffv1 d.nut || {
    echo "FAILED report: the clips could not be made"
    exit 1
}
filter=vmaf_gpu=backend=cpu

# ------------------------------------------------------------------ the log

two='model=version=vmaf_v0.6.1\\:name=hd\\:disable_clip=true|version=vmaf_4k_v0.6.1\\:name=uhd'
run -i d.nut -i r.nut -lavfi "[0]format=yuv420p10[d];[d][1]$filter:log_fmt=json:log_path=log.json:$two:title=a b:pair=time:feature=name=motion\\\\:debug=true:shortest=1" -f null -
expect 'a log with everything' $?
python3 "$here/../tool/log_schema.py" "$here/../../docs/user/log.schema.json" log.json >>err 2>&1
status=$?
[ "$status" -eq 77 ] && tail -n 1 err
[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
expect 'the log is not what the schema says' $?
is 'log["schema_version"]' 1
is 'log["vmaf_gpu"]["title"]' 'a b'
is 'log["vmaf_gpu"]["backend"]' cpu
is 'log["vmaf_gpu"]["width"], log["vmaf_gpu"]["height"]' '(160, 120)'
is '[m["name"] + "=" + m["source"] for m in log["vmaf_gpu"]["models"]]' \
    "['hd=vmaf_v0.6.1', 'uhd=vmaf_4k_v0.6.1']"
is 'log["vmaf_gpu"]["models"][0]["options"]' "{'disable_clip': 'true'}"
is 'log["vmaf_gpu"]["features"]' "[{'name': 'motion', 'options': 'debug=true'}]"
is 'all(part in log["vmaf_gpu"]["options"] for part in ("pair=time", "shortest=true"))' True
is '"metadata" in log["vmaf_gpu"]["options"]' False # a default
# Parts of a run may differ in these.
is 'any(part in log["vmaf_gpu"]["options"] for part in ("backend", "log_path", "log_fmt"))' False
is 'log["vmaf_gpu"]["reference_format"] == log["vmaf_gpu"]["main_format"]' True
is 'any("main is 10 bit, reference is 8 bit" in w for w in log["vmaf_gpu"]["warnings"])' True
is 'any("made for 1920x1080" in w for w in log["vmaf_gpu"]["warnings"])' True
is 'list(log)[:5]' "['version', 'fps', 'frames', 'pooled_metrics', 'aggregate_metrics']"
is 'log["frames"][7]["pts"] / int(log["vmaf_gpu"]["time_base"].split("/")[1]) * int(log["vmaf_gpu"]["time_base"].split("/")[0])' \
    "$(python3 -c 'print(7 * 1001 / 24000)')"
is 'abs(log["frames"][7]["time"] - 7 * 1001 / 24000) < 1e-9' True
is 'all(set(f) == {"frameNum", "metrics", "pts", "time"} for f in log["frames"])' True

# Four warnings, three of them of the pairs. Whatever was said is in the log and on the page.
gaps="[0]select='not(between(n,5,8))',trim=end_frame=14[d];[1]select='not(between(n,11,12))'[r]"
for format in json html; do
    timeout 120 "$ffmpeg" -hide_banner -nostdin -nostats -y -v level+info -i d.nut -i r.nut -lavfi \
        "$gaps;[d][r]$filter:pair=time:log_fmt=$format:log_path=log.$format" -f null - 2>err
    expect "the log of a run with warnings, $format" $?
done
sed -n 's/^\[Parsed_vmaf_gpu[^]]*\] \[warning\] //p' err >warnings
[ "$(wc -l <warnings)" -eq 4 ]
expect 'a run with four warnings' $?
is '"\n".join(log["vmaf_gpu"]["warnings"])' "$(cat warnings)"
is 'log["pairing"]["warnings"]' 3
while read -r warning; do
    grep -qF "${warning//>/&gt;}" log.html
    expect "the page does not say '$warning'" $?
done <warnings

run -i d.nut -i r.nut -lavfi "$filter:log_fmt=json:log_path=log.json" -f null -
is '"title" in log["vmaf_gpu"]' False
is 'log["vmaf_gpu"]["main_format"]' yuv420p
is '[len(m["digest"]) for m in log["vmaf_gpu"]["models"]]' '[64]'

run -i d.nut -i r.nut -lavfi "$filter:log_path=log.xml" -f null - && python3 - <<'END'
import xml.etree.ElementTree as tree
root = tree.parse("log.xml").getroot()
assert [child.tag for child in root] == ["params", "fyi", "frames", "pooled_metrics",
                                         "aggregate_metrics", "vmaf_gpu", "pairing"], list(root)
assert root.find("vmaf_gpu").attrib["main_format"] == "yuv420p"
assert root.find("vmaf_gpu/model").attrib["source"] == "vmaf_v0.6.1"
assert list(root.find("fyi").attrib) == ["fps"]
names = [metric.attrib["name"] for metric in root.find("pooled_metrics")]
for frame in root.find("frames"):
    assert list(frame.attrib) == ["frameNum"] + names, frame.attrib
END
expect 'the XML log' $?

for csv in libvmaf strict; do
    run -i d.nut -i r.nut -lavfi "$filter:log_fmt=csv:log_path=$csv.csv:csv=$csv" -f null -
    expect "csv=$csv" $?
done
[ "$(grep -c ',$' libvmaf.csv)" -eq "$(wc -l <libvmaf.csv)" ] && ! grep -q ',$' strict.csv &&
    sed 's/,$//' libvmaf.csv | cmp - strict.csv >>err 2>&1
expect 'csv=strict removes more or less than the last comma' $?
run -i d.nut -i r.nut -lavfi "$filter:csv=other" -f null -
[ $? -ne 0 ] && grep -qE "option 'csv' to filter 'vmaf_gpu'|parse option value \"other\"" err
expect 'csv=other is accepted' $?

# ------------------------------------------------------------- score lines

labels() { # prints what is before "VMAF score: NUMBER" in each line, separated by commas
    sed -n 's/^\[[^]]*\] \(.*\)VMAF score: [0-9.]*$/\1/p' err | paste -sd,
}

expect_labels() { # LABELS ARGUMENTS of ffmpeg
    local wanted=$1 found
    shift
    run "$@" && found=$(labels) && [ "$found" = "$wanted" ]
    expect "score lines '$found', not '$wanted'" $?
}

two=(-i d.nut -i r.nut)
expect_labels '' "${two[@]}" -lavfi "$filter" -f null -
[ "$(grep -c 'VMAF score: ' err)" -eq 1 ] && grep -qE '^\[Parsed_vmaf_gpu_0 @ 0x[0-9a-f]+\] VMAF score: [0-9.]+$' err
expect "one unnamed model: libvmaf's line" $?
expect_labels 'hd: ' "${two[@]}" -lavfi "$filter:model=version=vmaf_v0.6.1\\\\:name=hd" -f null -
expect_labels 'vmaf: ,uhd: ' "${two[@]}" \
    -lavfi "$filter:model=version=vmaf_v0.6.1|version=vmaf_4k_v0.6.1\\\\:name=uhd" -f null -

# Six filters: they end in an order of their own, and FFmpeg frees them in another.
graph='[0]split=6[d1][d2][d3][d4][d5][d6];[1]split=6[r1][r2][r3][r4][r5][r6]'
wanted=
outputs=()
for i in 1 2 3 4 5 6; do
    [ "$i" -eq 3 ] && name='' || name=":model=version=vmaf_v0.6.1\\\\:name=m$i"
    graph+=";[d$i]trim=end_frame=$((30 - 3 * i))[e$i];[e$i][r$i]vmaf_gpu@f$i=backend=cpu$name[o$i]"
    [ "$i" -eq 3 ] && wanted+='vmaf_gpu@f3: ,' || wanted+="m$i: ,"
    outputs+=(-map "[o$i]" -f null -)
done
# Each one prints its own, behind its other messages, in the order in which FFmpeg frees them.
expect_labels_of_six() { # ARGUMENTS of ffmpeg
    run "$@" && [ "$(labels | tr , '\n' | sort)" = "$(tr , '\n' <<<"${wanted%,}" | sort)" ]
    expect "score lines '$(labels)', not '${wanted%,}'" $?
    for i in 1 2 3 4 5 6; do
        grep "vmaf_gpu@f$i" err | tail -n 1 | grep -q 'VMAF score: '
        expect "the score line is not the last one of filter $i" $?
    done
}
expect_labels_of_six "${two[@]}" -filter_complex "$graph" "${outputs[@]}"
stopped=()
for i in 1 2 3 4 5 6; do stopped+=(-map "[o$i]" -frames:v 3 -f null -); done
expect_labels_of_six "${two[@]}" -filter_complex "$graph" "${stopped[@]}"

summary
