# SPDX-License-Identifier: GPL-2.0-or-later
"""Instruction counts by callgrind. They vary by a fraction of a percent only, even on a busy machine."""

import os
import shutil
import tempfile

from tools import EMPTY, NotAvailable, Failed, run


def count(command, **kwargs):
    """Returns the number of instructions that all threads of `command` execute in user space."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise NotAvailable("valgrind is not installed")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        result = run([valgrind, "--tool=callgrind", "--callgrind-out-file=" + out, *command], **kwargs)
    return result.number(r"Collected : (\d+)")


def per_event(command_of, few, many):
    """Returns the instructions per event from the difference of a long and a short run, so that start and end cancel out. command_of(events)
    returns the command."""
    return (count(command_of(many)) - count(command_of(few))) / (many - few)


def measure(function, *args):
    """Returns a figure, or the reason why it could not be measured."""
    try:
        return function(*args)
    except (NotAvailable, Failed) as reason:
        return reason


def closed(tool):
    return per_event(lambda n: tool.command(EMPTY, "--threads=1", "--time=0", "--events=%d" % n), 200000, 1200000)


def queued(tool):
    """All requests are due at once, so that no thread waits. Counts the work of all steps: draw, put, take, execute, record."""
    return per_event(lambda n: tool.command(EMPTY, "--threads=1", "--time=600", "--queue-size=1000000",
                                            "--events=%d" % n, rate=10 ** 9), 50000, 550000)


def prepared_select(tool, folder):
    """Runs oltp_point_select on SQLite."""
    options = ["--db-driver=sqlite", "--sqlite-db=" + os.path.join(folder, "bench.db"), "--tables=1",
               "--table-size=1000"]
    run(tool.command("oltp_point_select", *options, command="prepare"))
    return per_event(lambda n: tool.command("oltp_point_select", *options, "--threads=1", "--time=0",
                                            "--events=%d" % n), 2000, 22000)


def instructions(bench):
    """Instructions per event, per queued request and per prepared select."""
    bench.table.heading("Instructions in user space (callgrind)")
    figures = [measure(closed, tool) for tool in bench.tools]
    bench.table.compare("per empty event, closed loop", *figures, "")
    bench.table.compare("per queued request", measure(queued, bench.ours), None, "")
    with tempfile.TemporaryDirectory() as folder:
        bench.table.compare("per prepared select, SQLite", measure(prepared_select, bench.ours, folder), None, "")


SECTIONS = {"instructions": instructions}
