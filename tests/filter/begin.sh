# SPDX-License-Identifier: BSD-2-Clause-Patent
# How most scripts of this folder begin: they source it. Sets `ffmpeg`, `here`, `root` and `standin`, HIP's
# stand-in runtime; moves to an empty folder, `work`, which is removed at the end. What a test runs writes its
# messages to the file err. `run_name` is printed with a failure.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$(dirname "$here")")
ffmpeg=${1:?usage: $(basename "$0") FFMPEG}
ffmpeg=$(realpath "$ffmpeg")
# shellcheck disable=SC2034 # the scripts'
standin=$(realpath -m "${VMAFGPU_HIP_STANDIN:-$root/build/tests/device/libamdhip64.so}")
work=$(mktemp -d)
# A signal for ffmpeg may meet a child of this shell that has not become ffmpeg yet.
trap '[ "$BASHPID" != "$$" ] || rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
passed=0
run_name=

fail() { # WHAT
    failed=$((failed + 1))
    printf 'FAILED %s: %s\n' "$(basename "$0" .sh)${run_name:+ $run_name}" "$1"
    [ ! -f err ] || grep -vE '^  (configuration|lib|built)' err | tail -n 8 | sed 's/^/    /'
}

verdict() { # NAME STATUS: that of the test before
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else fail "$1"; fi
}

expect() { # WHAT-IS-WRONG-ELSE STATUS
    verdict "$@"
}

expect_message() { # HOW-OFTEN TEXT
    [ "$(grep -cF -e "$2" err)" -eq "$1" ]
    expect "not $1 times: $2" $?
}

summary() { # [TEXT]: the script's last command
    printf '%s: %d passed, %d failed%s\n' "$(basename "$0" .sh)" "$passed" "$failed" "${1:-}"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
