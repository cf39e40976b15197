#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# clang-format and clang-tidy over our C++ (the filter follows FFmpeg's style
# and is checked by its compiler), shell syntax, layer rules.
#   scripts/lint.sh BUILD_DIR
set -u
cd "$(dirname "$0")/.."
build=${1:-build}
status=0

mapfile -t sources < <(git ls-files 'src/*.cpp' 'src/*.h' 'include/*.h' 'tests/*.cpp' 'tests/*.h' \
    'bench/*.cpp' 'tools/*.c' 'tools/*.cpp' 'tools/*.h' 'docs/examples/*.c' 'docs/examples/*.cpp')
clang-format --dry-run -Werror "${sources[@]}" || status=1

# Headers are checked through the sources that include them.
mapfile -t compiled < <(python3 - "$build" <<'PY'
import json, os, sys
root = os.getcwd()
seen = set()
for entry in json.load(open(os.path.join(sys.argv[1], "compile_commands.json"))):
    path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
    path = os.path.relpath(path, root)
    if path.startswith(("src/", "tools/", "tests/parity/")):
        seen.add(path)
print("\n".join(sorted(seen)))
PY
)
printf '%s\n' "${compiled[@]}" | xargs -P "$(nproc)" -n 4 \
    clang-tidy --quiet -p "$build" 2>/dev/null || status=1

for script in $(git ls-files '*.sh'); do
    bash -n "$script" || status=1
done
python3 tests/lint/layers.py || status=1
python3 tests/lint/includes.py || status=1
[ "$status" -eq 0 ] && echo "lint: ${#sources[@]} files formatted, ${#compiled[@]} analysed, clean"
exit "$status"
