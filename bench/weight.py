# SPDX-License-Identifier: GPL-2.0-or-later
"""The influence of the client on the measured server, depending on how the client waits for arrivals, and the client's own CPU time."""

import contextlib
import math
import os
import statistics
import tempfile

from databases import on_each_server, point_select
from sampling import hodges_lehmann
from tools import EMPTY, Failed, NotAvailable, Sysrate, run

WORKERS, RATES = 16, (1000, 5000, 20000)
WAYS = ("auto", "sleep", "spin")
WARMUP_S = 1
# Limits for the default way of waiting: ratio of service time p99, client's own part of p50 in µs at up to 5 000/s, ratio of CPU time.
SLOWER, OWN_US, CPU = 1.05, 50, 1.1
EMPTY_WORKERS, EMPTY_RATE = (16, 256, 2000), 10000


class SQLite:
    """SQLite: the database is a file, and there is no server process."""

    name, driver = "SQLite", "sqlite"

    def __init__(self, folder):
        self.options = ["--db-driver=sqlite", "--sqlite-db=" + os.path.join(folder, "bench.db")]

    @classmethod
    @contextlib.contextmanager
    def running(cls):
        with tempfile.TemporaryDirectory() as folder:
            yield cls(folder)


class Way:
    """A program and its way of waiting for arrivals."""

    def __init__(self, tool, wait, name=None):
        self.tool, self.wait, self.name = tool, wait, name or wait

    def measure(self, bench, server, rate):
        """Runs the program and returns times in milliseconds and the CPU usage in processors."""
        seconds = bench.pick(2, 1)
        command = point_select(self.tool, server, "--threads=%d" % WORKERS, "--time=%d" % seconds,
                               "--warmup-time=%d" % WARMUP_S, "--percentile=50,99", "--tx-rate=%d" % rate,
                               *self.tool.waiting(self.wait))
        result, report = self.tool.run_with_json(command)
        summary = report["summary"]
        figures = {"%s p%s" % (name, p): summary[key]["percentiles"]["p" + p]["value"] * unit
                   for name, key, unit in (("service", "service_ms", 1), ("response", "response_ms", 1),
                                           ("lag", "generator_lag_us", 1e-3))
                   for p in ("50", "99")}
        figures["own"] = max(0, figures["response p50"] - figures["service p50"])
        figures["cpu"] = result.cpu_s / (WARMUP_S + seconds)
        return figures


def in_turn(bench, server, rate, ways):
    """Runs each way once per round, in the opposite order in every second round. Returns {name: [figures]}."""
    rounds = {way.name: [] for way in ways}
    for i in range(bench.pick(10, 2)):
        for way in ways if i % 2 == 0 else reversed(ways):
            rounds[way.name].append(way.measure(bench, server, rate))
    return rounds


def median(rounds, figure):
    return statistics.median(figures[figure] for figures in rounds)


def ratio(rounds, others, figure):
    """Returns the centre of the ratios within rounds, and the ends of its 95 % interval."""
    centre, error = hodges_lehmann([math.log(max(a[figure], 1e-9) / max(b[figure], 1e-9)) for a, b in zip(rounds, others)])
    return math.exp(centre), math.exp(centre - error), math.exp(centre + error)


def print_ratio(bench, what, unit, figures, target):
    """Adds a row. `figures` has the rounds of sysrate, the rounds of the reference, and the names of figures to print, of which the last is
    compared. `target` is the highest allowed value for the lower end of the interval, or None."""
    ours, reference, names = figures
    texts = [", ".join("%.3g" % median(rounds, name) for name in names) + unit for rounds in (ours, reference)]
    if ours is reference:
        return bench.table.row(what, texts[0], "", "", "", None)
    centre, low, high = ratio(ours, reference, names[-1])
    return bench.table.row(what, *texts, "%.2f × (%.2f to %.2f)" % (centre, low, high),
                           "" if target is None else "≤ %.2f ×" % target, None if target is None else low <= target)


def print_way(bench, label, rounds, reference, goals):
    """Adds the rows of one way of waiting. `goals` is false if the way has no targets and is only shown for comparison. "early" also sets the
    target for the client's own part of p50."""
    print_ratio(bench, label + ": service p50, p99", " ms", (rounds, reference, ["service p50", "service p99"]),
                SLOWER if goals else None)
    own, lags = median(rounds, "own") * 1000, [median(rounds, name) * 1000 for name in ("lag p50", "lag p99")]
    bench.table.row(label + ": own part of p50; lag p50, p99", "%.0f; %.1f, %.0f µs" % (own, *lags),
                    "%.0f µs" % (median(reference, "own") * 1000), "", "≤ %d µs" % OWN_US if goals == "early" else "",
                    own <= OWN_US if goals == "early" else None)
    print_ratio(bench, label + ": CPU, processors", "", (rounds, reference, ["cpu"]), CPU if goals else None)


def ways_of(bench):
    """Returns the ways of waiting that are compared, and the name of the reference: sleeping, with the program of --baseline if it is given."""
    ways = [Way(bench.ours, wait) for wait in WAYS]
    if bench.baseline is None:
        return ways, "sleep"
    return ways + [Way(Sysrate(bench.baseline), "sleep", "before: sleep")], "before: sleep"


def weigh(bench, server):
    ways, reference = ways_of(bench)
    run(point_select(bench.ours, server, command="prepare"))
    for rate in RATES:
        rounds = in_turn(bench, server, rate, ways)
        for way in ways:
            goals = "" if way.name != "auto" else "early" if rate <= 5000 else "set"
            print_way(bench, "%s %d/s, %s" % (server.name, rate, way.name), rounds[way.name], rounds[reference], goals)


def weigh_on_sqlite(bench):
    try:
        if not bench.ours.has_driver(SQLite.driver):
            raise NotAvailable("sysrate was built without the sqlite driver")
        with SQLite.running() as server:
            weigh(bench, server)
    except (NotAvailable, Failed) as reason:
        bench.table.not_available(SQLite.name, reason)


def client_alone(bench, workers):
    """Runs the tools in turn. Returns {name of the tool: [(context switches, CPU time in µs) per request]}."""
    rounds = {tool.name: [] for tool in bench.tools}
    for i in range(bench.pick(10, 2)):
        for tool in bench.tools if i % 2 == 0 else reversed(bench.tools):
            result = run(tool.command(EMPTY, "--threads=%d" % workers, "--time=%d" % bench.pick(3, 2), rate=EMPTY_RATE))
            events = tool.events(result)
            rounds[tool.name].append({"switches": result.switches / events, "cpu": result.cpu_s * 1e6 / events})
    return rounds


def client(bench):
    """Context switches and CPU time of the client per request."""
    bench.table.heading("The client alone: empty event, %d/s; peer: sysbench; 95 %% interval of the ratio in rounds" % EMPTY_RATE)
    for workers in EMPTY_WORKERS:
        try:
            ours, peer = client_alone(bench, workers).values()
        except (NotAvailable, Failed) as reason:
            bench.table.not_available("%d workers" % workers, reason)
            continue
        for what, name in (("context switches per request", "switches"), ("CPU per request, µs", "cpu")):
            print_ratio(bench, "%d workers: %s" % (workers, what), "", (ours, peer, [name]), 1)


def weight(bench):
    """The influence of waiting for arrivals on a server on the same processors."""
    bench.table.heading("oltp_point_select at a rate, %d workers, client and server on the same processors; peer: %s; "
                        "medians of runs in turn, 95 %% interval of the ratio in rounds" % (WORKERS, ways_of(bench)[1]))
    on_each_server(bench, weigh)
    weigh_on_sqlite(bench)


SECTIONS = {"weight": weight, "client": client}
