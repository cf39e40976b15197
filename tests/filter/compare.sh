#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What the filter does with inputs that are not alike: which conversions FFmpeg makes
# before the comparison, and what the filter says, once, of comparisons that mean little.
# Each filter graph that a message gives is run.
#   tests/filter/compare.sh FFMPEG
# Scores are compared with those of the same conversions written out in the graph, and
# with those of FFmpeg's filter libvmaf where this ffmpeg has it.
. "$(dirname "$0")/begin.sh"

# From 7.0 on, libavfilter converts ranges between YUV formats, too.
negotiates_ranges=1
! "$ffmpeg" -version | grep -qE '^ffmpeg version n?[56]\.' || negotiates_ranges=0

has_libvmaf=0
! "$ffmpeg" -hide_banner -filters | grep -q ' libvmaf ' || has_libvmaf=1

# ---------------------------------------------------------------- conversions

# Main is blurred, and the reference has more than 8 bits' worth of levels.
make_clip() { # NAME FORMAT FILTERS
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i 'testsrc2=size=160x120:rate=5:duration=1' \
        -vf "format=yuv420p,format=yuv420p16,avgblur=$3" -pix_fmt "$2" -f rawvideo "$1" || exit 1
}
formats='yuv420p yuvj420p gray gray10le yuv420p10le yuv420p12le yuv420p14le yuv422p yuv444p nv12 p010le yuva420p rgb24'
for format in $formats; do
    through=$format
    # From 16 bits swscale rounds to these formats in another way.
    case $format in
    p010le) through=yuv420p10le ;;
    nv12) through=yuv420p ;;
    esac
    make_clip "main.$format" "$through" 3
    make_clip "ref.$format" "$through" 1
    [ "$format" = "$through" ] && continue
    for clip in main ref; do
        "$ffmpeg" -hide_banner -nostdin -v error -y -f rawvideo -video_size 160x120 \
            -pixel_format "$through" -i "$clip.$format" -vf "format=$format" -f rawvideo "$clip.new" || exit 1
        mv "$clip.new" "$clip.$format"
    done
done

# FORMAT may be written SAMPLES/FORMAT: the file of the first, read as the second; and
# FORMAT@RANGE: with that tag, set in the graph.
tagged() { # INPUT FORMAT FILTERS LABEL: prints a chain
    local range=
    [[ $2 != *@* ]] || range=setparams=range=${2#*@},
    printf '[%d:v]%s%s[%s];' "$1" "$range" "${3:-null}" "$4"
}

run() { # MAIN-FORMAT REFERENCE-FORMAT MAIN-FILTERS REFERENCE-FILTERS FILTER
    local main=${1%@*} ref=${2%@*}
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -nostats -y -loglevel level+verbose \
        -f rawvideo -framerate 5 -video_size 160x120 -pixel_format "${main#*/}" -i "main.${main%/*}" \
        -f rawvideo -framerate 5 -video_size 160x120 -pixel_format "${ref#*/}" -i "ref.${ref%/*}" \
        -lavfi "$(tagged 0 "$1" "$3" d)$(tagged 1 "$2" "$4" r)[d][r]$5" -f null - >out 2>err
}

score() { # as run: prints the scores of all frames
    rm -f log.csv
    run "$1" "$2" "$3" "$4" "$5=log_fmt=csv:log_path=log.csv${6:+:$6}" && [ -s log.csv ] &&
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "vmaf") column = i } NR > 1 { print $column }' log.csv |
        xargs
}

ours() { # MAIN REFERENCE [OPTIONS [MAIN-FILTERS REFERENCE-FILTERS]]
    score "$1" "$2" "${4:-}" "${5:-}" vmaf_gpu "backend=cpu${3:+:$3}"
}

converters() {
    grep -o 'auto_scale_[0-9]*' err | sort -u | wc -l
}

# The default score is that of the conversions written out, and of libvmaf's filter.
converts() { # MAIN REFERENCE MAIN-FILTERS REFERENCE-FILTERS
    local found wanted
    found=$(ours "$1" "$2")
    wanted=$(ours "$1" "$2" '' "$3" "$4")
    [ "$(wc -w <<<"$found")" -eq 5 ] && [ "$found" = "$wanted" ]
    expect "$1 against $2: '$found', with '$3' and '$4' '$wanted'" $?
    [ "$has_libvmaf" = 1 ] || return
    # FFmpeg 5.1's filter reads half of each row above 8 bits.
    ! [[ $negotiates_ranges = 0 && $1$2 =~ (le) ]] || return
    wanted=$(score "$1" "$2" '' '' libvmaf)
    [ -n "$wanted" ] && [ "$found" = "$wanted" ]
    expect "$1 against $2: '$found', libvmaf's filter '$wanted'" $?
}

# Two ways that must differ, or the tests below prove nothing.
differs() { # WHAT A B
    [ "$(wc -w <<<"$2")" -eq 5 ] && [ "$(wc -w <<<"$3")" -eq 5 ] && [ "$2" != "$3" ]
    expect "$1: '$2' and '$3'" $?
}

full=scale=in_range=pc:out_range=tv,format=yuv420p
as_is=$(ours yuvj420p yuv420p formats=asis)
differs 'full against limited, with and without a conversion' "$as_is" "$(ours yuvj420p yuv420p)"
[ "$as_is" = "$(ours yuvj420p/yuv420p yuv420p)" ]
expect 'formats=asis does not compare the samples as they are' $?
converts yuvj420p yuv420p $full ''
converts yuv420p yuvj420p '' $full
# gray and yuvj are never read as they are; what both become is FFmpeg's to say.
converts gray gray $full,format=yuv444p $full,format=yuv444p
converts gray yuv420p $full ''
converts yuv420p gray '' $full
gray=$(ours gray gray formats=asis)
differs 'gray with and without a conversion' "$gray" "$(ours gray gray)"
[ "$gray" = "$(ours gray/gray gray/gray formats=asis extractplanes=y extractplanes=y)" ] && [ "$(converters)" -eq 0 ]
expect 'formats=asis converts gray' $?

full_both=$(ours yuvj420p yuvj420p)
full_as_is=$(ours yuvj420p yuvj420p formats=asis)
if [ $negotiates_ranges = 1 ]; then
    [ "$full_both" = "$full_as_is" ]
    expect "full range on both sides is converted: '$full_both' is not '$full_as_is'" $?
    converts yuvj420p yuvj420p format=yuv420p format=yuv420p
    converts yuv420p@pc yuv420p@tv '' scale=in_range=tv:out_range=pc
    converts yuv420p@tv yuv420p@pc '' scale=in_range=pc:out_range=tv
    [ "$(ours yuv420p@pc yuv420p@tv formats=asis)" = "$(ours yuv420p yuv420p)" ] && [ "$(converters)" -eq 0 ]
    expect 'formats=asis converts a range' $?
else
    differs 'full against full' "$full_both" "$full_as_is"
    converts yuvj420p yuvj420p $full $full
    converts yuv420p@pc yuv420p@tv setparams=range=tv ''
fi

# A matrix that is tagged on one side only. (Scores of chains that convert it depend on the version.)
tag=setparams=colorspace=bt709
tagged=$(ours yuv420p yuv420p '' $tag '')
[ "$(ours yuv420p yuv420p formats=asis $tag '')" = "$(ours yuv420p yuv420p)" ] && [ "$(converters)" -eq 0 ]
expect 'formats=asis converts a matrix' $?
[ "$(ours yuv420p yuv420p '' $tag $tag)" = "$(ours yuv420p yuv420p)" ] && [ "$(converters)" -eq 0 ]
expect 'equal matrices are converted' $?
if [ $negotiates_ranges = 1 ]; then
    differs 'a matrix on one side' "$tagged" "$(ours yuv420p yuv420p)"
else
    [ "$tagged" = "$(ours yuv420p yuv420p)" ]
    expect 'a matrix is converted' $?
fi
if [ $has_libvmaf = 1 ]; then
    [ "$tagged" = "$(score yuv420p yuv420p $tag '' libvmaf)" ]
    expect "a matrix on one side: '$tagged' is not libvmaf's" $?
fi

# Depths: libvmaf's graph takes main's. Ours is compared with a promotion written out.
converts yuv420p yuv420p10le '' format=yuv420p
converts yuv420p10le yuv420p '' format=yuv420p10
converts yuv420p10le yuv420p12le '' format=yuv420p10
converts yuv422p yuv420p10le '' format=yuv422p
deeper=$(ours yuv420p yuv420p10le depth=deeper)
differs '8 bit against 10 bit' "$deeper" "$(ours yuv420p yuv420p10le)"
[ "$deeper" = "$(ours yuv420p yuv420p10le '' format=yuv420p10 '')" ]
expect 'depth=deeper does not promote main' $?
[ "$deeper" = "$(ours yuv420p yuv420p10le formats=asis)" ]
expect 'formats=asis does not promote main' $?
# The range is converted to more bits at the same time.
[ "$(ours yuvj420p yuv420p10le depth=deeper)" = "$(ours yuvj420p yuv420p10le depth=deeper format=yuv420p10 '')" ]
expect 'depth=deeper leaves a range unconverted' $?
differs 'full range at 8 bit against 10 bit' "$(ours yuvj420p yuv420p10le depth=deeper)" \
    "$(ours yuvj420p yuv420p10le formats=asis)"
if [ $negotiates_ranges = 1 ]; then
    converts yuv420p12le yuv420p12le null null
    [ "$(ours yuv420p12le yuv420p12le)" = "$(ours yuv420p12le yuv420p12le formats=asis)" ]
    expect '12 bit is converted' $?
else
    converts yuv420p12le yuv420p12le format=yuv420p10 format=yuv420p10
fi
differs '14 bit' "$(ours yuv420p14le yuv420p14le formats=asis)" "$(ours yuv420p yuv420p)"

# Layouts and formats with more than luma and chroma.
converts yuv420p yuv422p '' format=yuv420p
converts yuv444p yuv420p '' format=yuv444p
converts yuva420p yuv420p format=yuv420p ''
converts yuv420p rgb24 '' format=yuv420p
converts rgb24 rgb24 format=yuv444p format=yuv444p

# NV12 and P010 hold libvmaf's samples in another order: converted or read, all is equal.
planar=$(ours yuv420p yuv420p)
planar10=$(ours yuv420p10le yuv420p10le)
for pair in 'nv12 nv12' 'nv12 yuv420p' 'yuv420p nv12' 'p010le p010le' 'p010le yuv420p10le' 'yuv420p10le p010le'; do
    # shellcheck disable=SC2086 # two words
    converts $pair null null
    wanted=$planar
    [[ $pair != *10* ]] || wanted=$planar10
    # shellcheck disable=SC2086
    [ "$(ours $pair)" = "$wanted" ]
    expect "$pair are not as planar formats" $?
    [ "$(converters)" -eq 0 ] || [ $negotiates_ranges = 0 ]
    expect "$pair are converted" $?
done
converts nv12 p010le format=yuv420p format=yuv420p
[ $negotiates_ranges = 0 ] ||
    converts nv12 yuv420p@pc scale=in_range=tv:out_range=pc,format=yuv420p ''
[ "$(ours yuvj420p yuvj420p depth=deeper)" = "$full_both" ] && [ "$(ours gray gray depth=deeper)" = "$(ours gray gray)" ]
expect 'depth=deeper has an effect on inputs of one depth' $?
ours yuv422p yuv420p depth=deeper >scores && [ -s scores ] && [ "$(converters)" -eq 1 ]
expect 'depth=deeper leaves the chroma layouts of inputs of one depth' $?
[ "$(ours nv12 p010le depth=deeper)" = "$(ours nv12 p010le '' format=yuv420p10 format=yuv420p10)" ]
expect 'depth=deeper with NV12 and P010' $?

# ------------------------------------------------------------------- messages

# What is said of a pair of pictures SIZE with filters before them; -loglevel level+ marks levels.
say() { # SIZES MAIN-FILTERS REFERENCE-FILTERS [OPTIONS [GRAPH]]; SIZES: one, or MAIN/REFERENCE
    local graph=${5:-[0:v][1:v]vmaf_gpu}
    graph=${graph/%vmaf_gpu/vmaf_gpu=backend=cpu${4:+:$4}}
    graph=${graph/vmaf_gpu=model/vmaf_gpu=backend=cpu:model}
    graph=${graph//0:v/a}
    timeout --kill-after=5 100 "$ffmpeg" -hide_banner -nostdin -nostats -y -loglevel level+info \
        -f lavfi -i "testsrc2=size=${1%/*}:rate=5:duration=${seconds:-0.6}" \
        -f lavfi -i "testsrc2=size=${1#*/}:rate=5:duration=${seconds:-0.6}" \
        -lavfi "[0:v]${2:-null}[a];[1:v]${3:-null}[b];${graph//1:v/b}" -f null - >out 2>err
}

warnings() {
    grep 'vmaf_gpu' err | grep -c '\[warning\]'
}

# The graph that follows an example: the last way, if it names several.
graph_of() { # EXAMPLE
    local example=${1##*, or } main reference graph= d='[0:v]' r='[1:v]'
    case $example in
    *' behind your filters of '*) ;;
    model=*) echo "[0:v][1:v]vmaf_gpu=$example" && return ;;
    *) echo "$example" && return ;;
    esac
    main=$(sed -n 's/^\([^ ]*\) behind your filters of main.*/\1/p' <<<"$example")
    reference=$(sed -n 's/^\(.*, and \)\{0,1\}\([^ ]*\) behind your filters of reference$/\2/p' <<<"$example")
    [ -z "$main" ] || { graph+="[0:v]$main[d];" && d='[d]'; }
    [ -z "$reference" ] || { graph+="[1:v]$reference[r];" && r='[r]'; }
    echo "$graph$d${r}vmaf_gpu"
}

# One line of this text, and no other warning; then its example runs and is silent of it.
warns() { # TEXT SIZE MAIN-FILTERS REFERENCE-FILTERS [OPTIONS]
    local text=$1 example
    shift
    say "$@" && [ "$(grep -cF -e "[warning] $text" err)" -eq 1 ] && [ "$(warnings)" -eq 1 ]
    expect "not one line of: $text" $?
    example=$(graph_of "$(sed -n 's/.*, e\.g\. //p' err)")
    [ -n "$example" ] || return
    say "$1" "$2" "$3" "${4:-}" "$example" && ! grep -qF -e "[warning] ${text%%:*}" err && grep -q 'VMAF score: ' err
    expect "the example of '$text': $example" $?
}

yuv=format=yuv420p
plain() { # WHAT and the rest as for say
    local what=$1
    shift
    say "$@" && [ "$(warnings)" -eq 0 ] && grep -q 'VMAF score: ' err
    expect "a warning where there is nothing to say: $what" $?
}
plain 'a plain pair' 480x270 $yuv $yuv
plain '10 bit' 480x270 ${yuv}10 ${yuv}10
plain 'gray' 480x270 format=gray format=gray
plain 'RGB against YUV' 480x270 format=rgb24 $yuv
plain 'limited' 480x270 $yuv,setparams=range=tv $yuv,setparams=range=tv
plain 'full' 480x270 $yuv,setparams=range=pc $yuv,setparams=range=pc
plain 'full, another format' 480x270 format=yuvj420p format=yuvj422p
plain 'NV12' 480x270 format=nv12 $yuv
plain 'scaled from 854x480' 480x270 $yuv,scale=854:480,scale=480:270 $yuv
plain 'one curve of three names' 480x270 $yuv,setparams=color_trc=smpte170m $yuv,setparams=color_trc=bt709
plain 'v1 at 10 bit' 480x270 ${yuv}10 ${yuv}10 model=version=vmaf_v1.0.16_3d0h

# Ranges.
full_limited='main has full range, reference has limited range: '
if [ $negotiates_ranges = 1 ]; then
    warns "${full_limited}FFmpeg converts reference, as for libvmaf (formats=asis: no conversion)" 480x270 \
        $yuv,setparams=range=pc $yuv,setparams=range=tv
    warns 'main has no tagged range, reference has full range: FFmpeg converts reference, as for libvmaf' 480x270 \
        $yuv $yuv,setparams=range=pc
else
    warns "${full_limited}the samples are compared as they are; to convert main, e.g. " 480x270 \
        $yuv,setparams=range=pc $yuv,setparams=range=tv
    warns 'main has limited range, reference has full range: the samples are compared as they are' 480x270 \
        $yuv $yuv,setparams=range=pc
fi
warns "${full_limited}the samples are compared as they are; to convert main, e.g. " 480x270 \
    $yuv,setparams=range=pc $yuv,setparams=range=tv formats=asis
warns "${full_limited}FFmpeg converts main, as for libvmaf (formats=asis: no conversion)" 480x270 \
    format=yuvj420p $yuv,setparams=range=tv
say 480x270 format=gray $yuv,setparams=range=tv &&
    grep -qF '[warning] main has full range, as FFmpeg takes gray for it, reference has limited range: FFmpeg converts main' err &&
    grep -qF '[warning] main is grey, reference has colour' err && [ "$(warnings)" -eq 2 ]
expect "grey of full range against colour" $?
for range in tv unspecified; do
    "$ffmpeg" -hide_banner -nostdin -v error -y -f lavfi -i 'testsrc2=size=480x270:rate=5:duration=0.6' \
        -vf setparams=range=$range,$yuv -strict -1 -f yuv4mpegpipe $range.y4m || exit 1
done
files() { # MAIN REFERENCE GRAPH
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -nostats -y -loglevel level+verbose \
        -i "$1" -i "$2" -lavfi "$3" -f null - >out 2>err
}
# No warning: one container has a place for this tag, the next has none.
half='main has limited range, reference has no tagged range: both are taken for limited; if reference has full range, e.g. '
pairs=('tv.y4m tv.y4m' 'unspecified.y4m unspecified.y4m')
if [ $negotiates_ranges = 1 ]; then
    files tv.y4m unspecified.y4m vmaf_gpu=backend=cpu && [ "$(grep -cF "[verbose] $half" err)" -eq 1 ] && [ "$(warnings)" -eq 0 ]
    expect 'one tagged input goes unsaid' $?
    example=$(sed -n 's/.*, e\.g\. //p' err)
    files tv.y4m unspecified.y4m "$example=backend=cpu" && ! grep -qF "$half" err && [ "$(warnings)" -eq 1 ]
    expect "the example for one tagged input: $example" $?
else # an input without a tag is called limited
    pairs+=('tv.y4m unspecified.y4m')
fi
for pair in "${pairs[@]}"; do
    # shellcheck disable=SC2086 # two words
    files $pair vmaf_gpu=backend=cpu && ! grep -q 'tagged range' err && [ "$(warnings)" -eq 0 ]
    expect "something is said of $pair" $?
done

# Depths.
warns 'main is 8 bit, reference is 10 bit: FFmpeg converts to 8 bit, as for libvmaf (formats=asis: no bit is lost)' \
    480x270 $yuv ${yuv}10
warns 'main is 8 bit, reference is 10 bit: comparing at 10 bit' 480x270 $yuv ${yuv}10 depth=deeper
warns 'main is 10 bit, reference is 8 bit: comparing at 10 bit' 480x270 ${yuv}10 $yuv

# Fields, colours.
warns 'main is interlaced, reference is progressive: deinterlace main, e.g. ' 480x270 $yuv,setparams=field_mode=tff $yuv
warns 'main and reference are interlaced: a picture shows two moments, and no model was made for that: deinterlace both, e.g. ' \
    480x270 $yuv,setparams=field_mode=tff $yuv,setparams=field_mode=tff
warns 'main has its bottom field first, reference its top: once they are deinterlaced, their pictures are half a frame apart' \
    480x270 $yuv,setparams=field_mode=bff $yuv,setparams=field_mode=tff
warns 'reference is interlaced, main is progressive: deinterlace reference, e.g. ' 480x270 $yuv $yuv,setparams=field_mode=bff
sdr=$yuv,setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709
pq=$yuv,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc
pal=$yuv,setparams=color_primaries=bt470bg:color_trc=smpte170m:colorspace=bt709
warns 'main and reference differ in primaries (bt470bg, bt709): the samples are compared as they are; convert main, e.g. ' \
    480x270 $pal $sdr
if [ $negotiates_ranges = 1 ]; then
    bt709=$yuv,setparams=colorspace=bt709
    warns 'main has matrix bt709, reference has no tagged matrix: FFmpeg converts reference, as for libvmaf (formats=asis: no conversion); if both' \
        480x270 $bt709 $yuv
    warns 'main has no tagged matrix, reference has matrix bt709: FFmpeg converts reference, as for libvmaf' 480x270 $yuv $bt709
    warns 'main has matrix smpte170m, reference has matrix bt709: FFmpeg converts reference, as for libvmaf' 480x270 \
        $yuv,setparams=colorspace=smpte170m $bt709
    plain 'one matrix tag, no conversion' 480x270 $bt709 $yuv formats=asis
else
    warns 'main and reference differ in matrix (smpte170m, bt709): the samples are compared as they are' 480x270 \
        $yuv,setparams=colorspace=smpte170m $yuv,setparams=colorspace=bt709
fi
plain 'one matrix of two names' 480x270 $yuv,setparams=colorspace=smpte170m $yuv,setparams=colorspace=bt470bg
warns 'main and reference differ in transfer (smpte2084, bt709): the samples are compared as they are, and a score of HDR against SDR means nothing' 480x270 \
    $yuv,setparams=color_trc=smpte2084 $yuv,setparams=color_trc=bt709
# Linear light is never what the other one has to become.
for light in linear log100 log316; do
    lit=$sdr,setparams=color_trc=$light
    say 480x270 "$sdr" "$lit" && [ "$(warnings)" -eq 1 ] && grep -q "\[warning\] reference has [a-z]* light (transfer $light)" err &&
        grep -q ', e\.g\. zscale=t=bt709:m=bt709:r=tv,format=yuv420p behind your filters of reference$' err
    expect "$light of reference" $?
    say 480x270 "$lit" "$lit" && [ "$(warnings)" -eq 2 ] && [ "$(grep -c "has [a-z]* light (transfer $light)" err)" -eq 2 ]
    expect "$light of both" $?
done
warns 'the pictures are HDR (smpte2084), but model vmaf_v0.6.1 was made for SDR' 480x270 "$pq" "$pq"
warns 'the pictures are HDR (arib-std-b67), but model vmaf_v0.6.1neg was made for SDR' 480x270 \
    $yuv,setparams=color_trc=arib-std-b67 $yuv model=version=vmaf_v0.6.1neg

# Shapes of pixels.
warns 'main has sample aspect ratio 4:3, reference has 1:1: the pictures have different shapes; if it is only the tag' \
    480x270 $yuv,setsar=4/3 $yuv

# Models: sizes and depths. The limits are those of docs/user/filter.md.
seconds=0.2
made='the pictures are %s, but model %s was made for %s'
warns "$(printf "$made: scale both" 478x270 vmaf_v0.6.1 1920x1080)" 478x270 $yuv $yuv
warns "$(printf "$made: take the model for this size, e.g. model=version=vmaf_4k_v0.6.1" \
    3840x2160 vmaf_v0.6.1 1920x1080)" 3840x2160 $yuv $yuv
warns "$(printf "$made: take the model for this size, e.g. model=version=vmaf_v0.6.1" \
    2560x1438 vmaf_4k_v0.6.1 3840x2160)" 2560x1438 $yuv $yuv model=version=vmaf_4k_v0.6.1
plain 'the smallest for 2160p' 2560x1440 $yuv $yuv model=version=vmaf_4k_v0.6.1
plain 'the largest for 1080p' 3200x1800 $yuv $yuv
warns "$(printf "$made: take the model for this size, e.g. model=version=vmaf_v1.0.16_3d0h" \
    640x360 vmaf_v1.0.16_1d5h_2160 3840x2160)" 640x360 ${yuv}10 ${yuv}10 model=version=vmaf_v1.0.16_1d5h_2160
warns 'the pictures are 8 bit, but model vmaf_v1.0.16_3d0h was made for 10 bit: convert both, e.g. ' 640x360 \
    $yuv $yuv model=version=vmaf_v1.0.16_3d0h
warns 'the pictures are 8 bit, but model vmaf_v1.0.16_5d0h was made for 10 bit: convert both, e.g. ' 640x360 \
    format=yuv444p format=yuv444p model=version=vmaf_v1.0.16_5d0h

# Every model of the one size says so at the other, and the model that it names exists.
say 480x270 '' '' model=version=none
mapfile -t models < <(sed -n 's/.*no built-in model .none. (there are: \([^;]*\);.*/\1/p' err | tr -d ' ' | tr ',' '\n')
[ ${#models[@]} -ge 11 ]
expect "only ${#models[@]} models are known" $?
for model in "${models[@]}"; do
    size=3840x2160
    [[ $model != *4k* && $model != *2160 ]] || size=640x360
    say $size ${yuv}10 ${yuv}10 "model=version=$model" &&
        [ "$(grep -cF "[warning] the pictures are $size, but model $model was made for " err)" -eq 1 ]
    expect "$model at $size" $?
    other=$(sed -n 's/.*, e\.g\. model=version=//p' err)
    [ -z "$other" ] || [[ " ${models[*]} " == *" $other "* && $other != "$model" ]]
    expect "$model at $size: no built-in model '$other'" $?
done

# ---------------------------------------------------------- sizes that differ

# The error names filters, and with them the sizes agree.
refuses() { # MAIN-SIZE REFERENCE-SIZE EXAMPLE [MAIN-FILTERS REFERENCE-FILTERS]
    local example
    ! say "$1/$2" "${4:-$yuv}" "${5:-$yuv}" &&
        [ "$(grep -cF "main is $1 but reference is $2; " err)" -eq 1 ] && ! grep -q 'VMAF score' err
    expect "$1 against $2" $?
    example=$(graph_of "$(sed -n 's/.*, e\.g\. //p' err)")
    [ "$example" = "$3" ]
    expect "$1 against $2: '$example' is not '$3'" $?
    # The patterns of two shapes are two pictures.
    say "$1/$2" "${4:-$yuv}" "${5:-$yuv}" '' "$example" && grep -q 'VMAF score' err &&
        [ "$(warnings)" -eq "$(grep -c 'the pictures of [0-9]* pairs\{0,1\} do not belong together' err)" ]
    expect "$1 against $2: the example fails: $example" $?
}
refuses 1280x720 1920x1080 '[0:v]scale=1920:1080:flags=bicubic[d];[d][1:v]vmaf_gpu'
refuses 854x480 1280x720 '[0:v]scale=1280:720:flags=bicubic[d];[d][1:v]vmaf_gpu'
refuses 1440x1080 1920x1080 '[0:v]scale=1920:1080:flags=bicubic[d];[d][1:v]vmaf_gpu' $yuv,setsar=4/3
# A phone's video, of which one copy has lost the tag of its rotation.
refuses 640x1136 1136x640 '[0:v]transpose=clock[d];[d][1:v]vmaf_gpu'
# Rows of the coder's last macroblocks; bars.
refuses 1920x1080 1920x1088 '[1:v]crop=1920:1080:0:0[r];[0:v][r]vmaf_gpu'
refuses 1920x1088 1920x1080 '[0:v]crop=1920:1080:0:0[d];[d][1:v]vmaf_gpu'
refuses 1920x800 1920x1080 '[1:v]crop=1920:800:0:140[r];[0:v][r]vmaf_gpu'
refuses 1920x1080 1920x800 '[0:v]crop=1920:800:0:140[d];[d][1:v]vmaf_gpu'
refuses 1440x1080 1920x1080 '[1:v]crop=1440:1080:240:0[r];[0:v][r]vmaf_gpu'
refuses 720x480 704x480 '[0:v]crop=704:480:8:0[d];[d][1:v]vmaf_gpu'
refuses 853x480 854x480 '[1:v]crop=853:480:0:0:exact=1[r];[0:v][r]vmaf_gpu' $yuv,scale=853:480
# Bars and another scale: above and below, at the sides; in reference, in main.
refuses 1280x534 1920x1080 '[0:v]scale=1920:800:flags=bicubic[d];[1:v]crop=1920:800:0:140[r];[d][r]vmaf_gpu'
refuses 960x720 1920x1080 '[0:v]scale=1440:1080:flags=bicubic[d];[1:v]crop=1440:1080:240:0[r];[d][r]vmaf_gpu'
refuses 1280x720 1920x800 '[0:v]scale=1920:1080:flags=bicubic,crop=1920:800:0:140[d];[d][1:v]vmaf_gpu'
refuses 1280x720 1440x1080 '[0:v]scale=1920:1080:flags=bicubic,crop=1440:1080:240:0[d];[d][1:v]vmaf_gpu'
refuses 640x480 1920x800 '[0:v]scale=1920:1440:flags=bicubic,crop=1920:800:0:320[d];[d][1:v]vmaf_gpu'

# ------------------------------------------------------------------------ tiles

# One tile, and a whole still, of AVIF and HEIC have the clock of these raw pictures.
"$ffmpeg" -v error -f lavfi -i testsrc2=size=160x120 -frames:v 1 -vf format=yuv420p -f rawvideo still.yuv
for rate in 1 25; do
    "$ffmpeg" -hide_banner -nostdin -f rawvideo -framerate $rate -video_size 160x120 -i still.yuv \
        -f lavfi -i testsrc2=size=160x120:duration=0.04 -lavfi "[0:v]scale[d];[d][1:v]vmaf_gpu=backend=cpu" -f null - 2>err
    [ "$(grep -c 'main is stream 0:0 with the clock of stills in AVIF' err)-$(grep -c 'reference is stream' err)" = \
        "$((rate == 1))-0" ]
    expect "nothing is said of one tile, or of what is none: $rate" $?
done

summary
