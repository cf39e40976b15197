#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# VAAPI and DRM_PRIME frames in the filter, without hardware: surfaces are memfds,
# libva talks to tests/filter/frames/va_standin.c, the GPU is emulated. What is
# read in place and what is downloaded must score as software frames do.
#   tests/filter/frames.sh FFMPEG
# FFMPEG stands in its source tree, against which the test program is built.
# No real driver, dma-buf or AMD GPU takes part. VMAFGPU_HIP_STANDIN: the stand-in for HIP, if not
# that of the build.
. "$(dirname "$0")/begin.sh"
tree=$(dirname "$ffmpeg")

if ! grep -qs 'CONFIG_LIBDRM 1' "$tree/config.h" || ! grep -qs 'CONFIG_VAAPI 1' "$tree/config.h"; then
    echo "SKIPPED frames: $tree is not an FFmpeg tree configured with libdrm and vaapi"
    exit 0
fi

# With the flags that FFmpeg's configure found; the libraries of the tree first.
build() { # NAME, flags
    local name=$1
    shift
    local compiler libraries
    compiler=$(sed -n 's/^CC=//p' "$tree/ffbuild/config.mak")
    libraries=$(sed -n 's/^EXTRALIBS-av[a-z]*=//p' "$tree/ffbuild/config.mak" | tr '\n' ' ')
    # shellcheck disable=SC2086 # lists of flags
    (cd "$tree" && $compiler -std=gnu11 -O1 -Wall -Wextra -Werror "$@" -I. "$here"/frames/*.c -o "$work/$name" \
        -Wl,--start-group lib*/lib*.a -Wl,--end-group $libraries) 2>"$work/build.log" || {
        tail -n 20 "$work/build.log"
        echo "FAILED frames: the test program does not build"
        exit 1
    }
}

# also: options that the expected scores need as well. STANDIN_DARK: that many flat frames first.
# program: frames, or large, with larger pictures.
also=
program=frames
export STANDIN_DARK=0

run() { # MAIN REFERENCE COUNT OPTIONS
    run_name="$1 $2 $4$also"
    timeout --kill-after=5 120 "$work/$program" "$1" "$2" "$3" "$4$also:precision=max" >out 2>err
}

# Scores of the same pictures as software frames, on the CPU, and like hardware frames not
# converted by FFmpeg.
expected() { # MAIN REFERENCE COUNT
    local main=software/${1##*/} reference=software/${2##*/} file=$work/expected-$program-${1##*/}-${2##*/}-$3-$STANDIN_DARK$also
    [ -s "$file" ] || { run "$main" "$reference" "$3" backend=cpu:formats=asis && mv out "$file"; }
    [ "$(wc -l <"$file")" -eq "$3" ] && [ "$(cut -d ' ' -f 2- "$file" | sort -u | wc -l)" -ge $(($3 - STANDIN_DARK)) ] ||
        echo "the expected scores are no good" >&2
    echo "$file"
}

# The run ends well, scores equal the expected ones, every fd, mapping and object of libva is gone.
scores() { # MAIN REFERENCE COUNT OPTIONS
    local file
    file=$(expected "$1" "$2" "$3")
    run "$1" "$2" "$3" "$4"
    expect "exit status" $?
    cmp -s "$file" out
    expect "other scores than as software frames" $?
    read -ra counts < <(sed -n 's/^fds: //p' err | tr -dc '0-9 \n')
    [ "${counts[0]:-}" = "${counts[3]:-x}" ]
    expect "fds stay open" $?
    # The decoder's pool grows at first. How many surfaces the engine holds when they are counted differs by a few; a
    # leak of one in ten frames is more.
    [ "$3" -lt 40 ] || [ "${counts[2]:-9}" -le $((${counts[1]:-0} + 4)) ]
    expect "the number of open fds grows" $?
    [ "${counts[4]:-1}" -eq 0 ]
    expect "surfaces stay mapped" $?
    [ "${counts[5]:-1}" -eq 0 ]
    expect "surfaces, contexts or buffers of libva stay" $?
}

refuses() { # MAIN REFERENCE OPTIONS MESSAGE
    run "$1" "$2" 12 "$3"
    [ $? -eq 1 ]
    expect "exit status is not 1" $?
    expect_message 1 "$4"
}

in_place() { # on a backend that can import
    local backend=$1
    for kind in drm vaapi; do
        for format in nv12 p010; do
            scores $kind/$format $kind/$format 12 "$backend"
            expect_message 2 ' linear: reading them in place'
        done
    done
    scores vaapi/nv12 vaapi/nv12 12 "$backend:inflight=1"
    scores drm/nv12 drm/nv12 12 "$backend:inflight=16:metadata=1"
    for kind in drm vaapi; do # their pools have no more surfaces than pairs in flight
        scores $kind/nv12 $kind/nv12 200 "$backend"
        grep -qE '400 pictures read in place, [123]?[0-9] imports' err
        expect "surfaces are imported again and again" $?
    done
    scores drm/nv12 software/nv12 12 "$backend"
    scores drm/nv12 vaapi/p010 12 "$backend"
    scores software/nv12 vaapi/nv12 12 "$backend"
    expect_message 1 'reference: VAAPI surfaces are linear: reading them in place'
    expect_message 0 'main: '
    for kind in drm vaapi; do # a decoder with few surfaces: main frames cannot wait
        scores $kind-few/nv12 $kind-few/nv12 120 "$backend"
        expect_message 1 'main has few surfaces, which cannot wait for later frames: paired by time'
        scores $kind-few/nv12 software/nv12 12 "$backend:inflight=1"
        scores software/nv12 $kind-few/nv12 120 "$backend"
        expect_message 0 'paired by time'
    done
    # New memory with every frame: the cache lets go of the oldest.
    scores drm-fresh/nv12 drm-fresh/nv12 200 "$backend"
    [ "${counts[1]}" -le $((counts[0] + 2 * 64 + 2 * 12)) ]
    expect "${counts[1]} fds: the imports are not bounded" $?
    expect_message 1 '400 pictures read in place, 400 imports'
}

# Tiled surfaces stay on the GPU, also with their chroma.
copied() { # on a backend that can import
    local backend=$1
    for format in nv12 p010; do
        scores vaapi-tiled/$format vaapi-tiled/$format 12 "$backend"
        expect_message 2 ': copying them to linear ones on the GPU'
        expect_message 2 'frames, copied on the GPU, equal a download'
        expect_message 0 downloading
        also=:feature=name=psnr
        scores vaapi-tiled/$format vaapi/$format 12 "$backend"
        expect_message 1 'main: VAAPI surfaces are tiled (modifier 0x200000018601b04): copying them to linear ones on the GPU'
        expect_message 1 'reference: VAAPI surfaces are linear: reading them in place'
        expect_message 0 downloading
        scores drm/$format vaapi-tiled/$format 12 "$backend"
        expect_message 0 downloading
        also=
    done
    scores vaapi-tiled-few/nv12 vaapi-tiled/nv12 200 "$backend"
    grep -qE '400 pictures read in place, [123]?[0-9] imports' err
    expect "linear surfaces are imported again and again" $?
    scores vaapi-unknown/nv12 software/nv12 12 "$backend"
    expect_message 1 'main: VAAPI surfaces are of unknown layout (no modifier): copying them to linear ones on the GPU'
    program=large
    also=:model=version=vmaf_v1.0.16_3d0h
    scores vaapi-tiled/p010 vaapi/p010 5 "$backend"
    expect_message 1 ': copying them to linear ones on the GPU'
    expect_message 1 ' linear: reading them in place'
    program=frames also=
    # AMD's driver does not say how large the memory is.
    scores vaapi-sizeless/nv12 vaapi-tiled-sizeless/nv12 12 "$backend"
    expect_message 1 ' linear: reading them in place'
    expect_message 1 ' copying them to linear ones on the GPU'
}

# A driver that cannot copy, in the end or at all, and one that is wrong.
not_copied() { # BACKEND, one that can import
    local backend=$1 tiled='main: VAAPI surfaces are tiled (modifier 0x200000018601b04)'
    while read -r kind text; do
        scores "vaapi-$kind/nv12" software/nv12 12 "$backend"
        expect_message 1 "$tiled$text"
        expect_message 1 downloading
    done <<EOF
tiled-novpp , and linear copies of them are not possible (vaCreateConfig: the requested VAEntryPoint is not supported): downloading; with Mesa, AMD_DEBUG=novideotiling makes them linear
tiled-stubborn , and linear copies of them are tiled (modifier 0x200000018601b04): downloading
tiled-dry , and linear copies of them are not possible (no linear surfaces: Cannot allocate memory): downloading
tiled-vpp6 , and linear copies of them are not possible (video processing: operation failed): downloading
tiled-export6 , and linear copies of them are not exported by their driver (Input/output error): downloading
EOF
    scores vaapi-tiled-vpp6/p010 vaapi-tiled-vpp6/p010 200 "$backend"
    expect_message 2 ': copying them to linear ones on the GPU'
    expect_message 2 ': downloading'
    scores vaapi-export6/nv12 vaapi-export6/p010 200 "$backend"
    expect_message 2 ' linear: reading them in place'
    expect_message 2 ' are not exported by their driver (Input/output error): downloading'
    # Found out by the comparison with a download. One that is not noticed gives other scores.
    scores vaapi-lies/nv12 vaapi-lies/p010 12 "$backend"
    expect_message 1 'main: frames, read in place, differ from a download in '
    expect_message 1 'reference: frames, read in place, differ from a download in '
    scores vaapi-tiled-spoilt/nv12 vaapi-tiled-spoilt/p010 12 "$backend"
    expect_message 2 ': frames, copied on the GPU, differ from a download in 1 samples: downloading'
    also=:feature=name=psnr
    scores vaapi-tiled-tinted/nv12 vaapi-tiled-tinted/nv12 12 "$backend"
    expect_message 2 ': frames, copied on the GPU, differ from a download in 1 samples: downloading'
    also=
    scores vaapi-tiled-tinted/nv12 vaapi-tiled-tinted/nv12 12 "$backend"
    expect_message 0 ' differ from a download' # chroma is not read
    # Nothing to compare with is no reason to end.
    scores vaapi-tiled-noimage/nv12 vaapi-noimage/nv12 12 "$backend"
    expect_message 1 'main: frames, copied on the GPU, cannot be compared with a download'
    expect_message 1 'reference: frames, read in place, cannot be compared with a download'
    # Flat pictures are equal in every layout: the first other one is compared.
    STANDIN_DARK=3
    scores vaapi-lies/nv12 software/nv12 12 "$backend"
    expect_message 1 'main: frames, read in place, differ from a download in '
    STANDIN_DARK=0
}

downloaded() { # on any backend
    local backend=$1
    scores vaapi-tiled-novpp/nv12 vaapi-tiled-novpp/nv12 12 "$backend"
    expect_message 2 ' downloading'
    expect_message 0 'in place'
    scores vaapi-unknown-novpp/nv12 vaapi-unknown-novpp/nv12 12 "$backend"
    expect_message 2 ' downloading'
    scores vaapi-tiled-novpp/nv12 drm/nv12 12 "$backend"
    scores drm-large/p010 drm-large/p010 12 "$backend"
    expect_message 2 ' downloading'
    # What FFmpeg would download as garbage.
    refuses drm-tiled drm "$backend" 'DRM_PRIME frames are tiled (modifier 0x200000018601b04), which neither'
    refuses drm drm-unknown "$backend" 'DRM_PRIME frames are of unknown layout (no modifier), which neither'
    refuses drm-short drm "$backend" 'DRM_PRIME frames are described with sizes that exceed their memory, which neither'
}

build frames
build large -DSURFACE_WIDTH=224 -DSURFACE_HEIGHT=160
for wave in 32 64; do
    in_place "backend=emu:device=$wave"
done
downloaded backend=emu
copied backend=emu
not_copied backend=emu
run drm-large vaapi-unknown-novpp 2 backend=emu
expect_message 1 'main: DRM_PRIME frames are not importable (emu64: fd '
expect_message 2 ' downloading'
expect_message 1 'reference: VAAPI surfaces are of unknown layout (no modifier), and linear copies of them are not possible ('
# Kernels that run as late as they may: a frame given back too early would show.
export VMAFGPU_EMU_DEFERRED=1
scores drm/nv12 drm/nv12 120 backend=emu
scores vaapi/p010 vaapi/p010 120 backend=emu:inflight=8
scores vaapi-tiled/p010 vaapi-tiled/p010 120 backend=emu:inflight=8
# Its only linear surface is still being read when the next picture comes.
scores vaapi-tiled-narrow/nv12 vaapi-tiled-narrow/nv12 120 backend=emu
expect_message 2 ': copying them to linear ones on the GPU'
expect_message 2 ' are not possible (no linear surface is left): downloading'
unset VMAFGPU_EMU_DEFERRED

downloaded backend=cpu
scores drm/nv12 vaapi/nv12 120 backend=cpu
expect_message 1 'main: DRM_PRIME frames are not readable by backend cpu: downloading'
expect_message 1 'reference: VAAPI surfaces are not readable by backend cpu: downloading'

# --------------------------------------------------------- what is no input

expect_refusal() { # NAME: the row of docs/history/regressions.md; then as refuses
    shift
    refuses "$@"
}

# 7.1 and later refuse the first of these themselves, with a text of their own.
unlinked='main: unsupported hardware frame format drm_prime'
grep -qs 'requires hw_frames_ctx to be' "$tree/libavfilter/buffersrc.c" &&
    unlinked='requires hw_frames_ctx to be'
expect_refusal 'reg55 an input without a frames context' drm-unlinked drm backend=cpu "$unlinked"
for kind in drm vaapi; do
    for backend in cpu emu; do
        expect_refusal 'reg55 a frame without a frames context' $kind-bare $kind backend=$backend \
            'main: a hardware frame has another format or device than its input, or no hw_frames_ctx'
        expect_refusal 'reg55 a frame of another device' $kind $kind-moved backend=$backend \
            'reference: a hardware frame has another format or device than its input'
    done
done

# CUDA frames whose contexts need no more than a driver that says yes. Those that are read are in cuda.sh.
if grep -qs 'CONFIG_CUDA 1' "$tree/config.h"; then
    header=$(pkg-config --variable=includedir ffnvcodec)/ffnvcodec/dynlink_loader.h
    sed -n 's/^ *LOAD_SYMBOL[A-Z_]*(.*"\(cu[A-Za-z0-9_]*\)").*/int \1(void) { return 0; }/p' "$header" |
        sort -u | gcc -shared -fPIC -x c - -o "$work/libcuda.so.1"
    export LD_LIBRARY_PATH=$work
    expect_refusal 'reg55 CUDA frames of two devices' cuda cuda backend=auto \
        'main and reference are on different devices (contexts '
    expect_refusal 'reg55 CUDA frames with another backend' cuda software backend=cpu \
        'backend=cpu was requested but frames are CUDA'
    unset LD_LIBRARY_PATH
else
    echo "SKIPPED frames of two CUDA devices: FFmpeg without CUDA"
fi

# AMD's runtime as tests/device has it, where this repository's build made one.
if [ -e "$standin" ]; then
    VMAFGPU_HIP_LIBRARY=$(realpath "$standin")
    export VMAFGPU_HIP_LIBRARY STANDIN_PCI
    STANDIN_PCI=0000:ff:1f.7
    scores drm/nv12 vaapi-tiled/nv12 12 backend=hip
    expect_message 1 'main: DRM_PRIME frames are on GPU 0000:ff:1f.7, but the engine is on '
    expect_message 1 'reference: VAAPI surfaces are on GPU 0000:ff:1f.7, but the engine is on '
    STANDIN_PCI=$(sed -n 's/.*but the engine is on \(.*\): downloading/\1/p' err | head -n 1)
    in_place backend=hip
    copied backend=hip
    downloaded backend=hip
    # A refused import is no misfortune, also in mid-stream; a lost device is the end.
    for call in hipImportExternalMemory#4=1 hipExternalMemoryGetMappedBuffer#2=2; do
        VMAFGPU_STANDIN_FAIL=$call run vaapi/nv12 vaapi/nv12 12 backend=hip
        cmp -s "$(expected vaapi/nv12 vaapi/nv12 12)" out
        expect "other scores after $call" $?
        expect_message 1 " are not importable (${call%%#*} of "
    done
    VMAFGPU_STANDIN_FAIL=hipImportExternalMemory#3=719 run vaapi/nv12 vaapi/nv12 12 backend=hip
    [ $? -eq 1 ] && ! grep -q 'VMAF score' err
    expect "a lost device goes unnoticed" $?
    VMAFGPU_STANDIN_WAVE=64 scores vaapi/p010 drm/nv12 120 backend=hip
    scores vaapi/nv12 software/nv12 12 backend=auto # the frames' GPU
    expect_message 2 'backend hip ('
    expect_message 1 ' linear: reading them in place'
    unset STANDIN_PCI
    scores vaapi/nv12 drm/nv12 12 backend=hip
    expect_message 2 'are on a GPU that has no PCI address: downloading'
else
    echo "SKIPPED frames with backend=hip: no $standin"
fi

summary
