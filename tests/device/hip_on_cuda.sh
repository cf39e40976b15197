#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The HIP backend on an NVIDIA GPU: hip_device.cpp over the stand-in runtime that
# forwards to CUDA's driver (tests/device/device_cuda.cpp), through all of check, the
# published clips, and a comparison of a log with those of cuda and cpu.
#   tests/device/hip_on_cuda.sh BUILD_DIR [DEPS [CODE_OBJECTS]]
# DEPS: as in bench/gpu-build.sh. CODE_OBJECTS: a folder of SOURCE@gfx1030.co files, made
# elsewhere from the same sources, for machines without a clang for AMD GPUs.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath -m "${1:?usage: tests/device/hip_on_cuda.sh BUILD_DIR [DEPS [CODE_OBJECTS]]}")
options=()
if [ $# -gt 1 ]; then
    deps=$(cd "$2" && pwd)
    export PKG_CONFIG_PATH="$deps/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
fi
if [ $# -gt 2 ]; then
    # What meson takes for clang: copies what is there, knows one architecture.
    objects=$(cd "$3" && pwd)
    cat >"$build.clang" <<COPY
#!/usr/bin/env bash
known=0 probe=0
while [ \$# -gt 0 ]; do
    case \$1 in
    --version) echo 'clang version prebuilt' && exit ;;
    --offload-arch=gfx1030) known=1 ;;
    /dev/null) probe=1 ;;
    *.cpp) source=\$(basename "\$1" .cpp) ;;
    -o) target=\$2 ;;
    -MF) : >"\$2" ;;
    esac
    shift
done
[ \$known = 1 ] || exit 1
[ \$probe = 1 ] || cp "$objects/\$source@gfx1030.co" "\$target"
COPY
    chmod +x "$build.clang"
    options=(-Dhip_clang="$build.clang")
fi
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
[ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=release -Dcuda=enabled \
    -Dnvcc_archs="$arch" -Dhip=enabled -Dhip_archs=gfx1030 "${options[@]}" >"$build.log" ||
    { tail -n 20 "$build.log" && exit 1; }
ninja -C "$build" tests/check/check tests/golden/golden tools/vmaf_gpu bench/bench \
    tests/device/libamdhip64_cuda.so >>"$build.log" || { tail -n 30 "$build.log" && exit 1; }

export VMAFGPU_HIP_LIBRARY=$build/tests/device/libamdhip64_cuda.so
"$build/tools/vmaf_gpu" --list-devices
status=0
PARTS=${PARTS:-check_all golden repeat} tests/gpu.sh "$build" hip:0 || status=1
for backend in cuda hip; do
    "$build/bench/bench" --backend=$backend:0 --size=1920x1080 --frames=2000 --resident | tail -n 1
done
exit "$status"
