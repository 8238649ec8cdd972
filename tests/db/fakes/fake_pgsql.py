# SPDX-License-Identifier: GPL-2.0-or-later
"""A fake PostgreSQL server. Prints its port. Ends after 30 s without a client.

fake_pgsql.py SQLSTATE MESSAGE   accepts the first client and closes the connection at its first query; refuses all later clients with
                                 the SQLSTATE and the message
fake_pgsql.py --silent           accepts one client but never answers
fake_pgsql.py --greets           refuses encryption, then never answers
fake_pgsql.py --slow=SECONDS     takes this time for each query of one client
fake_pgsql.py --writable=CLIENTS gives the first CLIENTS clients, one after the other, read-only sessions, and later clients others;
                                 prints the queries
fake_pgsql.py --drops=WORD       closes the connection when a query contains the word; prints the queries
"""
import socket
import struct
import sys
import time

SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
LET_IN = b"R" + struct.pack(">II", 8, 0) + b"Z" + struct.pack(">I", 5) + b"I"
DONE = b"C" + struct.pack(">I", 4 + 3) + b"OK\0" + b"Z" + struct.pack(">I", 5) + b"I"


def refusal(state, message, severity=b"FATAL"):
    fields = [b"S" + severity, b"V" + severity, b"C" + state.encode(), b"M" + message.encode(), b"Fauth.c", b"L326", b"Rauth_failed"]
    body = b"".join(field + b"\0" for field in fields) + b"\0"
    return b"E" + struct.pack(">I", 4 + len(body)) + body


def greet(client):
    """Reads the start of a connection; refuses encryption."""
    while True:
        length, code = struct.unpack(">II", client.recv(8, socket.MSG_WAITALL))
        client.recv(length - 8, socket.MSG_WAITALL)
        if code not in (SSL_REQUEST, GSS_REQUEST):
            return
        client.sendall(b"N")


def be_silent(client):
    while client.recv(4096):
        pass


def be_slow(client, seconds):
    client.sendall(LET_IN)
    while client.recv(1) == b"Q":
        length, = struct.unpack(">I", client.recv(4, socket.MSG_WAITALL))
        client.recv(length - 4, socket.MSG_WAITALL)
        time.sleep(seconds)
        client.sendall(DONE)


def queries(client):
    client.sendall(LET_IN)
    while client.recv(1) == b"Q":
        length, = struct.unpack(">I", client.recv(4, socket.MSG_WAITALL))
        query = client.recv(length - 4, socket.MSG_WAITALL)[:-1].decode()
        print(query, flush=True)
        yield query


def message(kind, body):
    return kind + struct.pack(">I", 4 + len(body)) + body


def row(*texts):
    """The answer to a query: one row of texts."""
    columns = b"".join(b"c\0" + struct.pack(">IHIhIH", 0, 0, 25, -1, 0xFFFFFFFF, 0) for _ in texts)
    values = b"".join(struct.pack(">I", len(text)) + text for text in texts)
    return message(b"T", struct.pack(">H", len(texts)) + columns) + message(b"D", struct.pack(">H", len(texts)) + values) + DONE


def be_writable(server, clients):
    while True:
        client, _ = server.accept()
        clients -= 1
        with client:
            greet(client)
            for query in queries(client):
                if "transaction_read_only" in query:
                    client.sendall(row(b"off", b"default") if clients < 0 else row(b"on", b"client"))
                else:
                    client.sendall(DONE)


def drop_at(server, word):
    while True:
        client, _ = server.accept()
        with client:
            greet(client)
            for query in queries(client):
                if word in query:
                    break
                client.sendall(row(b"on", b"client") if "transaction_read_only" in query else DONE)


def serve_one(server, kind):
    client, _ = server.accept()
    with client:
        if kind != "--silent":
            greet(client)
        if kind.startswith("--slow="):
            be_slow(client, float(kind.partition("=")[2]))
        else:
            be_silent(client)


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
            kind, _, value = sys.argv[1].partition("=")
            if kind == "--writable":
                be_writable(server, int(value))
            elif kind == "--drops":
                drop_at(server, value)
            elif kind.startswith("--"):
                serve_one(server, sys.argv[1])
            else:
                serve(server)
        except socket.timeout:
            pass


main()
