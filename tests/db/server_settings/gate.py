#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A proxy between unix sockets that holds a program at a known point. gate.py SOCKET TARGET FOLDER

SOCKET is made, TARGET is the socket of the server. If the file FOLDER/hold has "connect N", connection N is not forwarded; if it has
"TEXT N", the Nth data of clients with this text are not forwarded. The gate then makes FOLDER/held, and goes on when the file hold is
removed. If there is a file FOLDER/drop then, it closes the connection instead. FOLDER/connections has the number of connections. The gate
ends when the folder is removed."""

import os
import socket
import sys
import threading
import time

lock = threading.Lock()
counts = {}


def path_of(name):
    return os.path.join(sys.argv[3], name)


def read_hold():
    try:
        with open(path_of('hold'), encoding='ascii') as file:
            text, number = file.read().split()
            return text, int(number)
    except OSError:
        return None, 0


def passes(text):
    """Counts an event of this kind. Returns False if the connection must be closed."""
    with lock:
        number = counts[text] = counts.get(text, 0) + 1
        if read_hold() != (text, number):
            return True
        with open(path_of('held'), 'w', encoding='ascii'):
            pass
    while os.path.exists(path_of('hold')):
        time.sleep(0.01)
    return not os.path.exists(path_of('drop'))


def close(*ends):
    for end in ends:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()


def pump(source, sink, is_client):
    try:
        while data := source.recv(65536):
            text = read_hold()[0]
            if is_client and text and text != 'connect' and text.encode() in data and not passes(text):
                break
            sink.sendall(data)
    except OSError:
        pass
    close(source, sink)


def serve(client):
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(sys.argv[2])
    except OSError:
        close(client, server)
        return
    threading.Thread(target=pump, args=(server, client, False), daemon=True).start()
    pump(client, server, True)


def accept(client):
    if passes('connect'):
        serve(client)
    else:
        close(client)


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    os.chmod(sys.argv[1], 0o777)
    listener.listen(100)
    listener.settimeout(5)
    number = 0
    while os.path.isdir(sys.argv[3]):
        try:
            client, _ = listener.accept()
        except TimeoutError:
            continue
        client.setblocking(True)
        number += 1
        with open(path_of('connections'), 'w', encoding='ascii') as file:
            file.write(f'{number}\n')
        threading.Thread(target=accept, args=(client,), daemon=True).start()


main()
