# SPDX-License-Identifier: GPL-2.0-or-later
"""A PostgreSQL server that speaks German: fake_pgsql.py SQLSTATE MESSAGE.

Lets the first client in and hangs up when that sends a query; refuses all others with the SQLSTATE and the message. Prints its
port. Ends by itself after 30 s without a client.
"""
import socket
import struct
import sys

SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
LET_IN = b"R" + struct.pack(">II", 8, 0) + b"Z" + struct.pack(">I", 5) + b"I"


def refusal(state, message):
    fields = [b"SFATAL", b"VFATAL", b"C" + state.encode(), b"M" + message.encode(), b"Fauth.c", b"L326", b"Rauth_failed"]
    body = b"".join(field + b"\0" for field in fields) + b"\0"
    return b"E" + struct.pack(">I", 4 + len(body)) + body


def greet(client):
    """Reads the start of a connection; says no to encryption."""
    while True:
        length, code = struct.unpack(">II", client.recv(8, socket.MSG_WAITALL))
        client.recv(length - 8, socket.MSG_WAITALL)
        if code not in (SSL_REQUEST, GSS_REQUEST):
            return
        client.sendall(b"N")


def serve(server):
    answer = LET_IN
    while True:
        client, _ = server.accept()
        with client:
            greet(client)
            client.sendall(answer)
            if answer == LET_IN:
                client.recv(1)
            answer = refusal(*sys.argv[1:3])


def main():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(5)
        server.settimeout(30)
        print(server.getsockname()[1], flush=True)
        try:
            serve(server)
        except socket.timeout:
            pass


main()
