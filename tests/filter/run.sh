#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs the shell tests of the built filter, one on each core; called by scripts/test.sh.
#   tests/filter/run.sh FFMPEG [NAME...]     NAME.sh of this folder; default: all but programs, which
#                                            takes as long as the others and is a step of its own
# Prints the output of each in one piece, with its status and time. Fails if one fails, or has
# not ended.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ffmpeg=$(realpath "${1:?usage: run.sh FFMPEG [NAME...]}")
shift
logs=$(mktemp -d)
status=0
ended=0
declare -A name_of=()

# demo.sh builds what the others run; a sleep of lifecycle.sh has to be longer than a start.
alone=(demo lifecycle)
# The longest ones first, so that no core is idle at the end; the others have less than a few seconds.
long=(frames ffmpeg_metrics offset vulkan files compare guide)
if [ $# -gt 0 ]; then
    names=("$@")
else
    mapfile -t names < <(cd "$here" && printf '%s\n' *.sh | sed 's/\.sh$//' | grep -vxE 'run|programs|begin')
fi
for name in "${names[@]}" "${alone[@]}" "${long[@]}"; do
    [ -x "$here/$name.sh" ] || { echo "FAILED run: no test $here/$name.sh" && exit 1; }
done

is_in() { # NAME LIST...
    [[ " ${*:2} " == *" $1 "* ]]
}

finish() {
    rm -rf "$logs"
    [ ${#name_of[@]} -eq 0 ] || echo "FAILED run: not ended: ${name_of[*]}"
}
trap finish EXIT

start() { # NAME
    (
        begin=$SECONDS
        "$here/$1.sh" "$ffmpeg" >"$logs/$1" 2>&1
        code=$?
        printf '%s.sh: status %d, %d s\n' "$1" "$code" $((SECONDS - begin)) >>"$logs/$1"
        exit "$code"
    ) </dev/null &
    name_of[$!]=$1
}

collect() { # waits for one and prints what it wrote
    local pid code
    wait -n -p pid "${!name_of[@]}"
    code=$?
    cat "$logs/${name_of[$pid]}"
    ended=$((ended + 1))
    [ "$code" -eq 0 ] || { status=1 && echo "FAILED ${name_of[$pid]}.sh: status $code"; }
    unset "name_of[$pid]"
}

side_by_side=()
for name in "${long[@]}" "${names[@]}"; do
    is_in "$name" "${names[@]}" && ! is_in "$name" "${alone[@]}" "${side_by_side[@]}" && side_by_side+=("$name")
done
for name in "${side_by_side[@]}"; do
    while [ ${#name_of[@]} -ge "$(nproc)" ]; do collect; done
    start "$name"
done
while [ ${#name_of[@]} -gt 0 ]; do collect; done
for name in "${alone[@]}"; do
    is_in "$name" "${names[@]}" || continue
    start "$name"
    collect
done
[ "$ended" -eq "${#names[@]}" ] || { status=1 && echo "FAILED run: $ended of ${#names[@]} tests ended"; }
printf 'filter: %d scripts, status %d\n' "$ended" "$status"
exit "$status"
