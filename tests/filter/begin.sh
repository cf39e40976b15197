# SPDX-License-Identifier: BSD-2-Clause-Patent
# How most scripts of this folder begin: they source it. Sets `ffmpeg`, `here` and `root`, moves to an
# empty folder, `work`, which goes at the end, and counts what verdict() and expect() are told.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # the scripts'
root=$(dirname "$(dirname "$here")")
ffmpeg=${1:?usage: $(basename "$0") FFMPEG}
ffmpeg=$(realpath "$ffmpeg")
work=$(mktemp -d)
# A signal for ffmpeg may meet a child of this shell that has not become ffmpeg yet.
trap '[ "$BASHPID" != "$$" ] || rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
passed=0

verdict() { # NAME STATUS: that of the test before
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    printf 'FAILED %s\n' "$1"
    [ ! -f err ] || tail -n 6 err | sed 's/^/    /'
}

expect() {
    verdict "$@"
}
