#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A host that a test can take away: passes connections on to a server. proxy.py PORT-FILE TARGET PORT

TARGET is a port of 127.0.0.1. Listens at PORT, or at a free port for 0, and writes it to PORT-FILE. Killed, it is a host that died;
stopped by SIGSTOP, one that is frozen or behind a cut cable: connections are there, and nothing comes."""

import os
import socket
import sys
import threading


def pump(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client, target):
    try:
        server = socket.create_connection(('127.0.0.1', int(target)))
    except OSError:
        client.close()
        return
    threading.Thread(target=pump, args=(server, client), daemon=True).start()
    pump(client, server)


def main():
    port_file, target, port = sys.argv[1:]
    listener = socket.create_server(('127.0.0.1', int(port)), backlog=100)
    with open(port_file + '.new', 'w', encoding='ascii') as file:
        file.write(f'{listener.getsockname()[1]}\n')
    os.rename(port_file + '.new', port_file)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, target), daemon=True).start()


main()
