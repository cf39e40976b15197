#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Pairs of files through every program: runs programs.py with the tool of build/, the package that
# scripts/ci/test-python.sh has left there, and the ffmpeg in PATH as one without the filter.
#   tests/filter/programs.sh FFMPEG [OPTIONS OF programs.py]
set -u
here=$(cd "$(dirname "$0")" && pwd)
ffmpeg=$(realpath "${1:?usage: programs.sh FFMPEG}")
shift
build=$(realpath "$here/../../build")
package=$(find "$build/python-site" -path '*/vmaf_gpu/__init__.py' 2>/dev/null | head -n 1)
python=$build/python-venv/bin/python
[ -n "$package" ] && PYTHONPATH=$(dirname "$(dirname "$package")") || {
    python=python3 PYTHONPATH=$here/../../python
    echo "SKIP: no Python package in build/: scripts/ci/test-python.sh makes it"
}
export PYTHONPATH
old=$(command -v ffmpeg) || echo "SKIP: no ffmpeg in PATH, which would be another decoder"
exec "$python" -B "$here/programs.py" "$ffmpeg" "$build/tools/vmaf_gpu" ${old:+--old "$old"} "$@"
