# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Serves a folder by HTTPS on 127.0.0.1, until it is killed.

    https_server.py FOLDER CERTIFICATE KEY PORT_FILE

The system chooses the port, which is written to PORT_FILE when connections are accepted.
"""
import functools
import http.server
import os
import ssl
import sys


def main():
    folder, certificate, key, port_file = sys.argv[1:]
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(port_file + ".new", "w", encoding="ascii") as file:
        file.write(str(server.server_address[1]))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()


main()
