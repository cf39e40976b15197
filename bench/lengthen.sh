# SPDX-License-Identifier: BSD-2-Clause-Patent
# Long videos from short ones, for rates. Scripts of this folder source it.

now() { date +%s.%N; }

begin() { # FFMPEG TOOL WORK: sets ffmpeg, tool, work, decode and failed
    ffmpeg=$(realpath "$1")
    tool=$(realpath "$2")
    mkdir -p "$3"
    work=$(cd "$3" && pwd)
    decode=${HWACCEL-cuda}
    failed=0
}

lengthen() { # FILE OUT FRAMES, by $ffmpeg: repeat, without decoding, until there are enough; prints how many there are
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
