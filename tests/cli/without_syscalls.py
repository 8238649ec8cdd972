#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""without_syscalls.py NUMBER[,NUMBER...] COMMAND...: runs a command to which the kernel refuses
these system calls (EPERM), as it does in containers."""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050001


def instruction(code, true, false, value):
    return struct.pack("HBBI", code, true, false, value)


def main():
    numbers = [int(number) for number in sys.argv[1].split(",")]
    program = instruction(LOAD_WORD, 0, 0, 0)
    for number in numbers:
        program += instruction(JUMP_IF_EQUAL, 0, 1, number) + instruction(RETURN, 0, 0, REFUSE)
    program += instruction(RETURN, 0, 0, ALLOW)
    text = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(text)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    arguments = [(PR_SET_NO_NEW_PRIVS, 1, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(header))]
    for operation, first, second in arguments:
        if prctl(operation, ctypes.c_ulong(first), ctypes.c_ulong(second), 0, 0) != 0:
            sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[2], sys.argv[2:])


main()
