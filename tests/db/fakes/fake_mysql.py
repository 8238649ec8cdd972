# SPDX-License-Identifier: GPL-2.0-or-later
"""A fake MySQL server for one client. It prints its port.

fake_mysql.py PATH             answers the first query with a request for this file; prints the data that the client sends
fake_mysql.py --silent         accepts a connection but never sends anything
fake_mysql.py --greets         sends its greeting, then nothing
fake_mysql.py --slow=SECONDS   takes this time for each query
fake_mysql.py --uuid=UUID      answers SHOW with this server_uuid; accepts several clients, one after the other
fake_mysql.py --version=TEXT[,ERROR]   answers SELECT VERSION() with this text, and statements with DISTANCE with this error (1305);
                               accepts several clients, one after the other, and ends after 20 s without one
"""
import socket
import struct
import sys
import time


def packet(sequence, body):
    return struct.pack("<I", len(body))[:3] + bytes([sequence]) + body


def receive(connection):
    head = b""
    while len(head) < 4:
        try:
            data = connection.recv(4 - len(head))
        except ConnectionError:
            data = b""
        if not data:
            return None, b""
        head += data
    length = head[0] | head[1] << 8 | head[2] << 16
    body = b""
    while len(body) < length:
        body += connection.recv(length - len(body))
    return head[3], body


OK = b"\0\0\0\2\0\0\0"
CAPABILITIES = (0xF7FF | 0x0080) & ~0x0800  # LOCAL FILES among them, no TLS
GREETING = (b"\x0a5.7.30\0" + struct.pack("<I", 1) + b"A" * 8 + b"\0" + struct.pack("<H", CAPABILITIES) + b"\x21" +
            struct.pack("<H", 2) + struct.pack("<H", 0x8008) + bytes([21]) + b"\0" * 10 + b"B" * 12 + b"\0" +
            b"mysql_native_password\0")
QUERY = b"\x03"


def let_in(client):
    client.sendall(packet(0, GREETING))
    number, _ = receive(client)
    client.sendall(packet((number or 0) + 1, OK))


def be_curious(client, path):
    while True:
        number, body = receive(client)
        if number is None:
            return
        if body[:1] == QUERY:
            client.sendall(packet(number + 1, b"\xfb" + path.encode()))
            number, content = receive(client)
            print("received:", content.decode(errors="replace"), flush=True)
            return
        client.sendall(packet(number + 1, OK))


def be_slow(client, seconds):
    number, body = receive(client)
    while number is not None:
        if body[:1] == QUERY:
            time.sleep(seconds)
        client.sendall(packet(number + 1, OK))
        number, body = receive(client)


def text(value):
    return bytes([len(value)]) + value.encode()


def column(name):
    return text("def") + text("") * 3 + text(name) + text(name) + b"\x0c" + struct.pack("<HIBHBH", 33, 255, 253, 0, 0, 0)


END = b"\xfe\0\0\2\0"


def be_known(client, uuid):
    number, body = receive(client)
    while number is not None:
        shows = body[:1] == QUERY and b"SHOW" in body
        rows = [b"\2", column("Variable_name"), column("Value"), END, text("server_uuid") + text(uuid), END] if shows else [OK]
        client.sendall(b"".join(packet(number + 1 + i, row) for i, row in enumerate(rows)))
        number, body = receive(client)


def be_without_distance(client, version, error):
    number, body = receive(client)
    while number is not None:
        if body[:1] == QUERY and b"VERSION()" in body:
            rows = [b"\1", column("VERSION()"), END, text(version), END]
        elif b"DISTANCE" in body:
            rows = [b"\xff" + struct.pack("<H", error) + b"#42000FUNCTION DISTANCE does not exist"]
        else:
            rows = [OK]
        client.sendall(b"".join(packet(number + 1 + i, row) for i, row in enumerate(rows)))
        number, body = receive(client)


def serve(client, kind):
    if kind == "--greets":
        client.sendall(packet(0, GREETING))
    if kind in ("--silent", "--greets"):
        while client.recv(4096):
            pass
        return
    let_in(client)
    if kind.startswith("--uuid="):
        be_known(client, kind.partition("=")[2])
    elif kind.startswith("--version="):
        version, _, error = kind.partition("=")[2].partition(",")
        be_without_distance(client, version, int(error or 1305))
    elif kind.startswith("--slow="):
        be_slow(client, float(kind.partition("=")[2]))
    else:
        be_curious(client, kind)


def main():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        known = sys.argv[1].startswith("--uuid=")
        server.settimeout(None if known else 20)
        print(server.getsockname()[1], flush=True)
        again = True
        while again:
            client, _ = server.accept()
            with client:
                client.settimeout(60)
                serve(client, sys.argv[1])
            again = known or sys.argv[1].startswith("--version=")


main()
