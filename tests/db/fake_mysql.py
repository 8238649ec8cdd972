# SPDX-License-Identifier: GPL-2.0-or-later
"""A MySQL server that answers the first query with a request for a file of the client: fake_mysql.py PATH.

Prints its port, then what it was sent as the file.
"""
import socket
import struct
import sys


def packet(sequence, body):
    return struct.pack("<I", len(body))[:3] + bytes([sequence]) + body


def receive(connection):
    head = b""
    while len(head) < 4:
        data = connection.recv(4 - len(head))
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

server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
server.settimeout(20)
print(server.getsockname()[1], flush=True)
client, _ = server.accept()
client.sendall(packet(0, GREETING))
number, _ = receive(client)
client.sendall(packet(number + 1, OK))
while True:
    number, body = receive(client)
    if number is None:
        break
    if body[:1] == QUERY:
        client.sendall(packet(number + 1, b"\xfb" + sys.argv[1].encode()))
        number, content = receive(client)
        print("received:", content.decode(errors="replace"), flush=True)
        break
    client.sendall(packet(number + 1, OK))
