#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A proxy in front of a server, which a test can kill or freeze like a host. proxy.py PORT-FILE TARGET PORT

TARGET is a port of 127.0.0.1. The proxy listens on PORT, or on a free port if PORT is 0, and writes its port to PORT-FILE. If it is
killed, it behaves like a dead host. If it is stopped by SIGSTOP, it behaves like a frozen host or a cut cable: connections stay open,
but no data arrives."""

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
