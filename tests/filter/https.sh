#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Input from a server with TLS on this machine, by the command of docs/user/guide.md: the scores are those
# of the file. A certificate that is not trusted is refused. Needs openssl. Called by run.sh.
#   tests/filter/https.sh FFMPEG
. "$(dirname "$0")/begin.sh"
guide=$root/docs/user/guide.md
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

if ! "$ffmpeg" -hide_banner -protocols 2>/dev/null | grep -qx '  https'; then
    echo "SKIPPED https: FFmpeg without https"
    exit 0
fi
command -v openssl >/dev/null || {
    echo "FAILED https: openssl is not installed"
    exit 1
}

ffmpeg() {
    timeout --kill-after=5 60 "$ffmpeg" -hide_banner -nostdin -nostats -y "$@" >out 2>err
}

for name in server other; do
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$name.key" -out "$name.pem" 2>err || exit 1
done
ffmpeg -f lavfi -i testsrc2=size=320x180:rate=25:duration=1 -c:v mpeg4 -q:v 2 source.mp4 || exit 1
mkdir www
# Its index is at the end: FFmpeg has to seek.
ffmpeg -i source.mp4 -c:v mpeg4 -q:v 12 www/encode.mp4 || exit 1

: >requests
# Serves ranges, as web servers do; says its port first, and one line for each request.
python3 - >requests 2>server.err <<'PY' &
import http.server
import os
import re
import ssl
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open("www" + self.path, "rb") as file:
            data = file.read()
        wanted = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "bytes=0-"))
        first, last = int(wanted[1]), int(wanted[2] or len(data) - 1)
        self.send_response(206)
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.end_headers()
        self.wfile.write(data[first:last + 1])

    def log_message(self, form, *values):
        print(form % values, flush=True)


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("server.pem", "server.key")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
server=$!
for _ in $(seq 100); do
    port=$(head -n 1 requests)
    [ -z "$port" ] || break
    sleep 0.1
done
[ -n "$port" ] || { echo "FAILED https: no server: $(tail -n 1 server.err)" && exit 1; }

command=$(sed -n 's/^    \(ffmpeg .*https:.*\)/\1/p' "$guide")
[ "$(wc -l <<<"$command")" -eq 1 ] && [[ $command == *"-i https://example.com/"*" vmaf_gpu "* ]]
verdict "the guide has not the one command that this test is for: $command" $?
command=${command/example.com/localhost:$port}

scores() { # LOG
    grep '<frame ' "$1" >"$1.frames"
    grep -c ' vmaf="[0-9.]*"' "$1.frames"
}

score() { # CERTIFICATE COMMAND
    local words=${2/-tls_verify 1/-tls_verify 1 -ca_file $1}
    rm -f server.xml
    eval "${words/ vmaf_gpu / vmaf_gpu=backend=cpu:precision=max:log_path=server.xml }"
}

ffmpeg -i www/encode.mp4 -i source.mp4 -lavfi vmaf_gpu=backend=cpu:precision=max:log_path=file.xml -f null -
verdict "the file" $?
score server.pem "$command"
verdict "$command" $?
[ "$(scores file.xml)" -eq 25 ] && [ "$(scores server.xml)" -eq 25 ] && cmp file.xml.frames server.xml.frames 2>>err
verdict "the scores are not those of the file" $?
grep -q 'GET /encode.mp4' requests
verdict "nothing was read from the server" $?
[ "$(grep -c ' 206 ' requests)" -gt 1 ]
verdict "FFmpeg did not seek" $?
before=$(grep -c GET requests)
score other.pem "$command"
[ $? -ne 0 ] && grep -qi certificate err && [ "$(grep -c GET requests)" -eq "$before" ] && [ ! -e server.xml ]
verdict "a certificate that is not trusted is taken" $?

summary
