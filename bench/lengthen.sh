# SPDX-License-Identifier: BSD-2-Clause-Patent
# Long videos from short ones, for rates. Reads `ffmpeg`. Scripts of this folder source it.

now() { date +%s.%N; }

lengthen() { # FILE OUT FRAMES: repeat, without decoding, until there are enough; prints how many there are
    local count i
    count=$("$ffmpeg" -nostdin -v info -i "$1" -map 0:v -c copy -f null - 2>&1 |
        tr '\r' '\n' | sed -n 's/^frame= *\([0-9]*\).*/\1/p' | tail -n 1)
    [ -n "$count" ] || { echo "$1: no frames" >&2; return 1; }
    for ((i = 0; i * count < $3; i++)); do
        printf "file '%s'\n" "$(realpath "$1")"
    done >"$2.txt"
    "$ffmpeg" -nostdin -v error -y -f concat -safe 0 -i "$2.txt" -map 0:v -c copy -f mov "$2"
    echo $((i * count))
}
