# SPDX-License-Identifier: GPL-2.0-or-later
"""Sections on real servers: the time to fill tables, and the CPU time of the client per select."""

import os
import shutil
import statistics
import subprocess
import tempfile
import time

from instructions import measure, per_event
from pgbench import Pgbench
from servers import SERVERS, DocumentStore, quietly
from tools import BENCH, FIND, Failed, NotAvailable, Sysbench, alternate, run

ROWS = 10000  # rows of the table for selects
FASTER = {"MariaDB": 1.4, "PostgreSQL": 1.7}
AT_MOST = {Sysbench.name: 1.0, "bare C": 1.1}  # highest ratio of our user time per select to theirs


def require_driver(bench, server):
    if not bench.ours.has_driver(server.driver):
        raise NotAvailable("sysrate was built without the %s driver" % server.driver)


def on_each_server(bench, section):
    for kind in SERVERS:
        try:
            require_driver(bench, kind)
            with kind.running() as server:
                section(bench, server)
        except (NotAvailable, Failed) as reason:
            bench.table.not_available(kind.name, reason)


def time_prepare(tool, server, rows):
    options = [*server.options, "--tables=1", "--table-size=%d" % rows, "--threads=2"]
    run(tool.command("oltp_read_only", *options, command="cleanup"), check=False)
    begin = time.monotonic()
    result = run(tool.command("oltp_read_only", *options, command="prepare"))
    if "FATAL" in result.output:  # the peer exits 0 when a thread fails
        raise Failed("%s prepare: %s" % (tool.name, result.output[-300:].strip()))
    return time.monotonic() - begin


def prepare_on(bench, server):
    rows = bench.pick(1000000, 100000)
    ours, peer = alternate(bench.rounds, bench.tools, lambda tool: time_prepare(tool, server, rows))
    if isinstance(peer, Exception):
        bench.table.compare(server.name, ours, peer, "s")
        return
    # The figure is a rate, so that the ratio means "times faster".
    bench.table.compare("%s, %s rows" % (server.name, f"{rows:,}"), rows / ours, rows / peer, "/s",
                        at_least=FASTER[server.name])


def prepare(bench):
    """Fills a table and its index with 2 threads."""
    bench.table.heading("prepare: one table and its index, 2 threads: rows per second")
    on_each_server(bench, prepare_on)


class BareLoop:
    """The loop in C on the client library (bare_select_*.c), compiled on first use."""

    name = "bare C"
    source = "bare_select_%s.c"  # with the name of the driver

    def __init__(self, server, folder):
        if shutil.which("cc") is None:
            raise NotAvailable("there is no C compiler")
        flags = subprocess.run(server.library, capture_output=True, text=True, check=False)
        if flags.returncode != 0:
            raise NotAvailable("the client library cannot be compiled with: %s" % flags.stderr.strip())
        self.program = os.path.join(folder, "bare_" + server.driver)
        source = os.path.join(BENCH, self.source.replace("%s", server.driver))
        quietly(["cc", "-O2", "-o", self.program, source, *flags.stdout.split()])
        self.server = server

    def select_command(self, rows, events):
        return [self.program, *self.server.bare_arguments, str(rows), str(events)]


def other_peers(server, folder):
    """Returns the other tools that can select from the table, by name; the value is None if a tool is not available."""
    peers = {}
    for kind in [BareLoop] + [Pgbench] * (server.driver == "pgsql"):
        try:
            peers[kind.name] = kind(server, folder)
        except (NotAvailable, Failed, OSError):
            peers[kind.name] = None
    return peers


def point_select(tool, server, *options, command="run"):
    return tool.command("oltp_point_select", *server.options, "--tables=1", "--table-size=%d" % ROWS, *options, command=command)


def select_command(tool, server, events):
    if isinstance(tool, (BareLoop, Pgbench)):
        return tool.select_command(ROWS, events)
    return point_select(tool, server, "--threads=1", "--time=0", "--events=%d" % events)


def usage_of(bench, tools, command_of, events):
    """Returns the CPU time (user, user + system) in µs per event, by the name of the tool. The values are means of several runs,
    because the kernel samples at its clock ticks whether time is user or system time. About n = 100 ticks of a run are user time, so
    that the standard deviation of one run is 1/√n = 10 %, and that of the mean of ten runs 3 %."""
    rounds = bench.pick(10, bench.rounds)
    figures = {tool.name: [] for tool in tools}
    for _ in range(rounds):
        for tool in tools:
            result = run(command_of(tool, events))
            figures[tool.name].append((result.user_s * 1e6 / events, result.cpu_s * 1e6 / events))
    return {name: [statistics.mean(column) for column in zip(*rows)] for name, rows in figures.items()}


def select_instructions(server, tools):
    """Returns the instructions per select in the client, by the name of the tool. This figure varies little between runs."""
    return {tool.name: measure(per_event, lambda n, t=tool: select_command(t, server, n), 2000, 12000) for tool in tools}


def compare_selects(bench, label, unit, figures, others, bounds):
    """Adds rows to the table. `others` has the names of further peers; `bounds` has the highest ratio of our figure to a peer's figure, by
    the name of the peer."""
    for name in [bench.peer.name, *others]:
        which = "" if name == bench.peer.name else ", peer: " + name
        bench.table.compare(label + which, figures[bench.ours.name], figures.get(name), unit, at_most=bounds.get(name))


def selects_on(bench, server):
    run(point_select(bench.ours, server, command="prepare"))
    with tempfile.TemporaryDirectory() as folder:
        others = other_peers(server, folder)
        tools = bench.tools + [peer for peer in others.values() if peer is not None]
        usage = usage_of(bench, tools, lambda tool, n: select_command(tool, server, n), bench.pick(200000, 60000))
        user, all_cpu = ({name: figures[i] for name, figures in usage.items()} for i in (0, 1))
        compare_selects(bench, server.name + ", user", "µs", user, others, AT_MOST)
        compare_selects(bench, server.name + ", user + system", "µs", all_cpu, others, {})
        compare_selects(bench, server.name + ", instructions", "", select_instructions(server, tools), others, {})


def selects(bench):
    """CPU time of the client per prepared point select."""
    bench.table.heading("CPU of the client per prepared point select, 1 thread, local socket")
    on_each_server(bench, selects_on)


def find_command(tool, server, events):
    if isinstance(tool, BareLoop):
        return tool.select_command(ROWS, events)
    return tool.command(FIND, *server.options, "--table_size=%d" % ROWS, "--threads=1", "--time=0", "--events=%d" % events)


def find_on(bench, server, folder):
    bare = BareLoop(server, folder)
    run(bench.ours.command("oltp_json", *server.options, "--table_size=%d" % ROWS, command="prepare"))
    usage = usage_of(bench, [bench.ours, bare], lambda tool, n: find_command(tool, server, n),
                     bench.pick(40000, 20000))
    (user, all_cpu), (bare_user, bare_all) = (usage[tool.name] for tool in (bench.ours, bare))
    bench.table.compare("find by id, user", user, bare_user, "µs", at_most=1.1)
    bench.table.compare("find by id, user + system", all_cpu, bare_all, "µs")
    ours, peer = (measure(per_event, lambda n, t=tool: find_command(t, server, n), 500, 2500) for tool in (bench.ours, bare))
    bench.table.compare("find by id, instructions", ours, peer, "", at_most=1.1)


def finds(bench):
    """CPU time of the client per find by id in a document store."""
    bench.table.heading("CPU of the client per find by id, 1 thread, MongoDB's protocol; peer: a bare C loop on libmongoc")
    require_driver(bench, DocumentStore)
    with DocumentStore.running() as server, tempfile.TemporaryDirectory() as folder:
        find_on(bench, server, folder)


SECTIONS = {"prepare": prepare, "select": selects, "find": finds}
