# SPDX-License-Identifier: GPL-2.0-or-later
"""Sections on PostgreSQL with pgvector: the time to load vectors, and the CPU time of the client per search."""

import math
import os
import statistics
import subprocess
import tempfile
import time

from databases import BareLoop, require_driver
from instructions import measure, per_event
from sampling import hodges_lehmann
from servers import PostgreSQL, quietly
from tools import Failed, NotAvailable, run

DIMENSIONS = 128
AT_MOST_COPY, AT_MOST_BARE = 1.25, 1.1
RECALL_SHARES = ["0", "0.1"]


def command(bench, server, rows, *options, step="run"):
    return bench.ours.command("oltp_vector", *server.options, "--vectors=%d" % rows, "--dimensions=%d" % DIMENSIONS, "--index=none",
                              *options, command=step)


def psql(server, *commands, user="sbtest"):
    arguments = [argument for text in commands for argument in ("-c", text)]
    quietly(["psql", "-X", "-q", "-h", server.folder, "-U", user, "-d", "sbtest", *arguments])


def timed(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


def prepare_again(bench, server, rows, threads):
    run(command(bench, server, rows, step="cleanup"))
    return timed(lambda: run(command(bench, server, rows, "--threads=%d" % threads, step="prepare")))


def copy_again(server, file):
    psql(server, "TRUNCATE vectors1")
    return timed(lambda: psql(server, "\\copy vectors1 FROM '%s'" % file))


def compare_prepare(bench, server):
    rows = bench.pick(100000, 10000)
    file = os.path.join(server.folder, "rows")
    prepare_again(bench, server, rows, 1)
    psql(server, "\\copy vectors1 TO '%s'" % file)
    times = {1: [], 2: []}
    copies = []
    for _ in range(bench.rounds):
        copies.append(copy_again(server, file))
        for threads, list_of_times in times.items():
            list_of_times.append(prepare_again(bench, server, rows, threads))
    for threads, list_of_times in times.items():
        bench.table.compare("prepare, %s × %d, threads: %d, peer: \\copy" % (f"{rows:,}", DIMENSIONS, threads),
                            statistics.median(list_of_times), statistics.median(copies), "s", at_most=AT_MOST_COPY)


class BareSearch(BareLoop):
    source = "bare_search_pgsql.c"

    def search_command(self, events):
        return [self.program, *self.server.bare_arguments, str(DIMENSIONS), str(events)]


def compare_cpu(bench, what, tools, command_of):
    """Runs both tools in alternating order and adds a row with the ratio of their CPU times and its 95 % interval."""
    events = bench.pick(20000, 5000)
    pairs = []
    for i in range(bench.pick(20, bench.rounds)):
        cpu = {tool: run(command_of(tool, events)).cpu_s * 1e6 / events for tool in (tools if i % 2 == 0 else reversed(tools))}
        pairs.append([cpu[tool] for tool in tools])
    centre, error = hodges_lehmann([math.log(ours / bare) for ours, bare in pairs])
    low, high = math.exp(centre - error), math.exp(centre + error)
    bench.table.row(what, *["%.1f µs" % statistics.median(column) for column in zip(*pairs)],
                    "%.2f × (%.2f to %.2f)" % (math.exp(centre), low, high), "≤ %s ×" % AT_MOST_BARE, low <= AT_MOST_BARE)


def compare_searches(bench, server):
    """The table is small, so that the server needs little time for a search."""
    rows = 1000
    prepare_again(bench, server, rows, 1)
    with tempfile.TemporaryDirectory() as folder:
        bare = BareSearch(server, folder)

        def search(tool, events, share):
            if tool is bare:
                return bare.search_command(events)
            return command(bench, server, rows, "--threads=1", "--time=0", "--events=%d" % events, "--recall-share=" + share)

        for share in RECALL_SHARES:
            label = "search, recall-share %s, peer: bare C" % share
            tools = [bench.ours, bare]
            compare_cpu(bench, label + ", user + system", tools, lambda tool, n, s=share: search(tool, n, s))
            bench.table.compare(label + ", instructions", *[
                measure(per_event, lambda n, t=tool, s=share: search(t, n, s), 500, 2500) for tool in tools], "")


def vectors(bench):
    """The time to load vectors compared with \\copy, and CPU time of the client per search compared with a bare loop; only if it is named."""
    bench.table.heading("oltp_vector on PostgreSQL with pgvector, without an index")
    try:
        require_driver(bench, PostgreSQL)
        with PostgreSQL.running() as server:
            try:
                psql(server, "CREATE EXTENSION vector", user="postgres")
            except Failed as reason:
                raise NotAvailable("pgvector is not installed") from reason
            compare_prepare(bench, server)
            compare_searches(bench, server)
    except (NotAvailable, Failed, subprocess.SubprocessError) as reason:
        bench.table.not_available(PostgreSQL.name, reason)


SECTIONS = {"vectors": vectors}
