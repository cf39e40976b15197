#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds packaging/Containerfile of the committed tree with buildah, and scores a video
# in the image. Needs root and buildah.
#   scripts/test-container.sh          base images from their registry
#   scripts/test-container.sh local    a Debian 12 of debootstrap's instead
# WITH_CUDA=1: nvcc of this machine's /usr/local/cuda compiles the CUDA kernels, not clang.
# MESON_ARGS="-Dnvcc_archs=90 -Dhip_archs=gfx90a,gfx1030" saves most of the time.
. "$(dirname "$0")/lib.sh"

state=$build/container
volumes=()
[ -z "${WITH_CUDA:-}" ] || volumes=(-v /usr/local/cuda:/usr/local/cuda:ro)
oci() { # buildah with a store of its own, and without the kernel features podman wants
    buildah --root "$state/root" --runroot "$state/run" --storage-driver vfs "$@"
}

rm -rf "$state/source" "$state/video"
mkdir -p "$state/source" "$state/video"
git archive HEAD | tar -C "$state/source" -xf -
pull=(--pull)
if [ "${1:-}" = local ]; then
    debian_base
    pull=(--pull-never)
    base=$(oci from scratch)
    oci add --quiet "$base" "$build/debian-base" /
    oci commit --quiet --rm "$base" docker.io/library/debian:12
    oci tag docker.io/library/debian:12 docker.io/library/debian:12-slim
fi
oci bud --isolation chroot "${pull[@]}" "${volumes[@]}" --build-arg "MESON_ARGS=${MESON_ARGS:-}" \
    -t vmaf-gpu -f packaging/Containerfile "$state/source"

container=$(oci from --pull-never vmaf-gpu)
inside() {
    oci run --isolation chroot -v "$state/video:/video" "$container" -- "$@"
}
inside ffmpeg -v error -y -f lavfi -i testsrc2=size=320x180:rate=10:duration=1 -c:v ffv1 r.mkv
inside ffmpeg -v error -y -i r.mkv -c:v mpeg4 -q:v 8 d.mp4
inside ffmpeg -hide_banner -nostdin -i d.mp4 -i r.mkv -lavfi vmaf_gpu -f null - 2>&1 |
    tee "$state/video/log.txt" | grep 'VMAF score: '
! inside sh -c 'ldd /usr/local/bin/ffmpeg' | grep -E 'not found|libcuda|libamdhip' || die "a library is missing"
! inside ffmpeg -v error -nostdin -i d.mp4 -i r.mkv -lavfi vmaf_gpu=backend=cuda -f null - \
    2>"$state/video/cuda.txt" || die "there cannot be a CUDA device in here"
cat "$state/video/cuda.txt"
oci rm "$container" >/dev/null
note "container: built, used"
