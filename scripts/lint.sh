#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# clang-format and clang-tidy over our C++ (the filter follows FFmpeg's style
# and is checked by its compiler), shell syntax, layer rules.
#   scripts/lint.sh BUILD_DIR
#   scripts/lint.sh BUILD_DIR COMMIT     format and analyse only what differs from COMMIT: sources,
#                                        and for each header one source that includes it
set -u
cd "$(dirname "$0")/.."
build=${1:-build}
base=${2:-}
status=0

files=('src/*.cpp' 'src/*.h' 'include/*.h' 'tests/*.cpp' 'tests/*.h' 'bench/*.cpp' 'tools/*.c'
    'tools/*.cpp' 'tools/*.h' 'python/*.cpp' 'python/*.h' 'docs/examples/*.c' 'docs/examples/*.cpp')
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
[ ${#sources[@]} -eq 0 ] || clang-format --dry-run -Werror "${sources[@]}" || status=1

# Headers are checked through the sources that include them.
list=$(python3 - "$build" "$base" "${changed[@]}" <<'PY'
import json, os, subprocess, sys
root, build, base, changed = os.getcwd(), sys.argv[1], sys.argv[2], sys.argv[3:]

def relative(folder, path):
    return os.path.relpath(os.path.normpath(os.path.join(folder, path)), root)

with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
    entries = json.load(file)
source_of = {entry["output"]: relative(entry["directory"], entry["file"]) for entry in entries}
source_of = {output: path for output, path in source_of.items()
             if path.startswith(("src/", "tools/", "python/", "tests/parity/"))}
chosen = set(source_of.values())
if base:
    includers, output = {}, ""
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, text=True,
                               capture_output=True).stdout.splitlines():
        if line[:1] not in ("", " "):
            output = line.split(":")[0]
        elif line and output in source_of:
            includers.setdefault(relative(build, line.strip()), set()).add(source_of[output])
    # The source of a header's own name before others.
    chosen = chosen & set(changed) | {
        min(includers[header], key=lambda path: (os.path.splitext(path)[0] != header[:-2], path))
        for header in changed if header.endswith(".h") and header in includers}
print("\n".join(sorted(chosen)))
PY
) || status=1
mapfile -t compiled < <(printf '%s' "$list")
if [ -z "$base" ] && { [ ${#sources[@]} -eq 0 ] || [ ${#compiled[@]} -eq 0 ]; }; then
    echo "lint: no sources found: is this a git clone, and $build configured?" >&2
    status=1
fi
[ ${#compiled[@]} -eq 0 ] || printf '%s\n' "${compiled[@]}" | xargs -P "$(nproc)" -n 4 \
    clang-tidy --quiet -p "$build" 2>/dev/null || status=1

for script in $(git ls-files '*.sh'); do
    bash -n "$script" || status=1
done
python3 tests/lint/layers.py || status=1
python3 tests/lint/includes.py || status=1
[ "$status" -eq 0 ] && echo "lint: ${#sources[@]} files formatted, ${#compiled[@]} analysed, clean"
exit "$status"
