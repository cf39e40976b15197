#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the Python package in build/, beside what is there, and runs tests/tool/python. Needs python3-venv, and
# PyPI for what build/python-venv lacks.
#   scripts/ci/test-python.sh [ARGUMENTS OF unittest]
# PYTHON=python3.12: another Python than python3.
. "$(dirname "$0")/../lib/common.sh"

venv=$build/python-venv
site=$build/python-site
python=${PYTHON:-python3}

# Kept as long as it is of this Python.
make_venv() {
    local wanted
    wanted=$("$python" -c 'import sys; print(sys.version, sys.base_prefix)') || die "no $python"
    if [ ! -x "$venv/bin/python" ] ||
        [ "$("$venv/bin/python" -c 'import sys; print(sys.version, sys.base_prefix)')" != "$wanted" ]; then
        rm -rf "$venv"
        "$python" -m venv "$venv" || die "no virtual environment: sudo apt-get install python3-venv"
    fi
    "$venv/bin/python" -c 'import mypy, numpy, pandas' 2>/dev/null ||
        "$venv/bin/pip" install --quiet --disable-pip-version-check numpy mypy pandas ||
        die "numpy, mypy and pandas could not be installed: check the network"
}

build_package() {
    configure_engine test
    if [ "$(configured python)" != enabled ] || [ "$(configured python_program)" != "$venv/bin/python" ]; then
        meson setup --reconfigure "$build" -Dpython=enabled -Dpython_program="$venv/bin/python" >/dev/null
    fi
    ninja -C "$build" -j "$jobs" python-package
    rm -rf "$site"
    DESTDIR=$site meson install -C "$build" --no-rebuild --quiet --tags python-runtime
}

make_venv
build_package
# The stand-in for NVIDIA's driver, where the build has one.
if ninja -C "$build" -t query tests/device/libcuda.so.1 >/dev/null 2>&1; then
    ninja -C "$build" -j "$jobs" tests/device/libcuda.so.1
    export VMAFGPU_CUDA_LIBRARY=$build/tests/device/libcuda.so.1
fi
PYTHONPATH=$(dirname "$(find "$site" -path '*/vmaf_gpu/__init__.py')")
PYTHONPATH=$(dirname "$PYTHONPATH")
export PYTHONPATH VMAFGPU_TEST_TOOL=$build/tools/vmaf_gpu
cd tests/tool/python
if [ $# -gt 0 ]; then
    "$venv/bin/python" -B -m unittest "$@"
else
    "$venv/bin/python" -B -m unittest discover --verbose
fi
