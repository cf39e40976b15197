#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds both images of packaging/Containerfile of the committed tree with buildah, and scores a video in each; in
# that for clusters also by the tasks of an array job. Needs root and buildah.
#   scripts/ci/test-container.sh          base images from their registry
#   scripts/ci/test-container.sh local    a Debian 12 of debootstrap's instead
# PIP_CERT=FILE: a certificate that pip in the image trusts.
# WITH_CUDA=1: nvcc of this machine's /usr/local/cuda compiles the CUDA kernels, not clang.
# MESON_ARGS="-Dnvcc_archs=90 -Dhip_archs=gfx90a,gfx1030" and FFMPEG_PROFILE=small save most of the time.
. "$(dirname "$0")/../lib/common.sh"

state=$build/container
volumes=()
[ -z "${WITH_CUDA:-}" ] || volumes=(-v /usr/local/cuda:/usr/local/cuda:ro)
# Where pip trusts a certificate of this machine's, it does so in the image while that is built.
if [ -n "${PIP_CERT:-}" ]; then
    mkdir -p "$state"
    printf '[global]\ncert = /etc/pip-cert.pem\n' >"$state/pip.conf"
    volumes+=(-v "$PIP_CERT:/etc/pip-cert.pem:ro" -v "$state/pip.conf:/etc/pip.conf:ro")
fi
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
build_image() { # NAME WORDS...
    oci bud --isolation chroot --layers "${pull[@]}" "${volumes[@]}" --build-arg "MESON_ARGS=${MESON_ARGS:-}" \
        --build-arg "FFMPEG_PROFILE=${FFMPEG_PROFILE:-full}" "${@:2}" -t "$1" -f packaging/Containerfile "$state/source"
}
build_image vmaf-gpu
[ "$(oci inspect --type image --format '{{.OCIv1.Config.Entrypoint}}' vmaf-gpu)" = '[ffmpeg]' ] || die "no entry point"

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

build_image vmaf-gpu-batch --target batch
[ "$(oci inspect --type image --format '{{.OCIv1.Config.Entrypoint}}' vmaf-gpu-batch)" = '[]' ] ||
    die "an entry point comes before a job's command"
container=$(oci from --pull-never vmaf-gpu-batch)
! inside sh -c 'ldd /usr/local/bin/* /usr/local/lib/python3*/dist-packages/vmaf_gpu/*.so' 2>/dev/null |
    grep -E 'not found|libcuda|libamdhip' || die "a library is missing"
inside vmaf-gpu score d.mp4 r.mkv --precision max -o score.json | tee "$state/video/score.txt"
echo '{"id": "p", "ref": "r.mkv", "dis": "d.mp4"}' >"$state/video/pairs.jsonl"
inside vmaf-gpu plan pairs.jsonl job --frames-per-task 5 | grep 'runner filter' || die "the filter is not used"
for index in 0 1; do
    inside env JOB_COMPLETION_INDEX=$index vmaf-gpu task /video/job
done
inside vmaf-gpu merge job --precision max
diff <(grep -v '"fps"' "$state/video/score.json") <(grep -v '"fps"' "$state/video/job/results/p.json") ||
    die "the job's scores are not those of vmaf-gpu score"
inside python3 -c 'import vmaf_gpu; assert vmaf_gpu.score("r.mkv", "d.mp4", device="cpu").score > 1'
oci rm "$container" >/dev/null
note "container: built, used"
