# SPDX-License-Identifier: GPL-2.0-or-later
"""Sections that need no database: speed, arrivals, CPU and memory of the engine itself."""

import glob
import math
import os
import re
import tempfile

import pgbench
from servers import quietly
from table import quantity
from tools import BENCH, EMPTY, STARTS, Failed, NotAvailable, alternate, run

PERCENTILE = "--percentile=99"
LOWEST_RATE, HIGHEST_RATE = 10e3, 10e6
RATES, WORKERS = (1000, 5000, 20000), 8  # requests per second and workers in the section on arrivals


def closed_loop(bench):
    """Throughput of empty events in a closed loop."""
    bench.table.heading("Closed loop, empty Lua event: events per second")
    for threads, target in ((1, 3), (2, 3), (16, 2), (128, 2)):
        def measure(tool, n=threads):
            seconds = "--time=%d" % bench.pick(3, 1)
            return tool.events_per_s(run(tool.command(EMPTY, "--threads=%d" % n, seconds)))
        ours, peer = alternate(bench.rounds, bench.tools, measure)
        bench.table.compare("%d thread%s" % (threads, "s" * (threads > 1)), ours, peer, "/s", at_least=target)


def keeps_rate(bench, tool, threads, rate):
    """True if `tool` serves `rate` with p99 < 1 ms and no lost requests. Requests that arrived just before the end may be unfinished."""
    seconds = bench.pick(2, 1)
    command = tool.command(EMPTY, "--threads=%d" % threads, "--time=%d" % seconds, PERCENTILE, rate=rate)
    result = run(command, check=False)
    p99 = re.search(r"99(?:th|%) percentile:\s+([\d.]+)\s*$", result.output, re.M)
    if result.code != 0 or p99 is None:
        return False
    in_a_ms = rate / 1000
    noise = 5 * math.sqrt(rate * seconds)
    arrived = re.search(r"^\s+offered:\s+(\d+)", result.output, re.M)
    expected = float(arrived.group(1)) if arrived else rate * seconds - noise
    return float(p99.group(1)) < 1 and tool.events(result) >= expected - in_a_ms


def climb(keeps, rate, factor):
    """Returns the highest rate that is sustained before two steps in a row fail, or 0 if no rate is sustained."""
    best, failures = 0, 0
    while failures < 2 and rate < HIGHEST_RATE:
        if keeps(rate):
            best, failures = rate, 0
        else:
            failures += 1
        rate *= factor
    return best


def highest_rate(keeps, rate, factor):
    """Raises the rate from `rate` on. If this rate is not sustained, halves it until one is, and raises it from there."""
    best = climb(keeps, rate, factor)
    while best == 0 and rate > LOWEST_RATE:
        rate = max(LOWEST_RATE, rate / 2)
        if keeps(rate):
            best = climb(keeps, rate * factor, factor) or rate
    return best


def find_highest_rate(bench, tool, threads):
    """Makes several attempts at each step, because a busy machine spoils some of them."""
    def keeps(rate):
        return any(keeps_rate(bench, tool, threads, rate) for _ in range(bench.pick(3, 2)))
    found = highest_rate(keeps, bench.pick(400e3, 250e3), bench.pick(1.2, 1.5))
    if found == 0:
        raise NotAvailable("not even %s is kept: this machine is too busy to tell" % quantity(LOWEST_RATE, "/s"))
    return found


def arrival_rate(bench):
    """The highest arrival rate that is sustained."""
    bench.table.heading("Highest arrival rate kept, empty event: p99 < 1 ms, nothing dropped or left over")
    for threads in (1, 16):
        found = []
        for tool in bench.tools:
            try:
                found.append(find_highest_rate(bench, tool, threads))
            except NotAvailable as reason:
                found.append(reason)
        bench.table.absolute("%d worker%s" % (threads, "s" * (threads > 1)), *found, "/s", at_least=2e6)


def ks_distance(times_ns, rate):
    """Returns the Kolmogorov-Smirnov distance between the gaps of sorted times and the exponential distribution."""
    gaps = sorted(b - a for a, b in zip(times_ns, times_ns[1:]))
    n = len(gaps)
    if n < 100:
        raise Failed("only %d gaps were recorded" % n)
    distance = 0.0
    for i, gap in enumerate(gaps):
        expected = -math.expm1(-gap * rate / 1e9)
        distance = max(distance, expected - i / n, (i + 1) / n - expected)
    return distance


def start_distance(bench, tool, rate, seconds):
    """Returns the distance for the gaps between the starts of events, which the script has measured with its own clock."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "starts")
        run(tool.command(STARTS, "--threads=%d" % WORKERS, "--time=%d" % seconds, rate=rate), env={"BENCH_STARTS": prefix})
        times = []
        for path in glob.glob(prefix + ".*"):
            with open(path, encoding="ascii") as file:
                times += map(float, file)
    return ks_distance(sorted(times), rate)


def find_key(tree, *names):
    """Returns the first number in nested JSON whose key is one of `names`."""
    for key, value in tree.items() if isinstance(tree, dict) else ():
        if key in names and isinstance(value, (int, float)):
            return value
        found = find_key(value, *names)
        if found is not None:
            return found
    return None


def lateness(bench, rate, seconds):
    """Returns the figures about arrivals of our own report for a spinning generator: p50 and p99 of the generator lag in us, and the
    Kolmogorov-Smirnov distance of the gaps or None."""
    command = bench.ours.command(EMPTY, "--threads=%d" % WORKERS, "--time=%d" % seconds, "--percentile=50,99",
                                 *bench.ours.waiting("spin"), rate=rate)
    summary = bench.ours.run_with_json(command)[1]["summary"]
    lag = summary["generator_lag_us"]["percentiles"]
    return lag["p50"]["value"], lag["p99"]["value"], find_key(summary, "gap_distance")


def median_of(rows, column):
    values = sorted(row[column] for row in rows if row[column] is not None)
    return values[len(values) // 2] if values else None


def starts_beside_pgbench(bench):
    """Compares how long after their scheduled times events started. Pgbench needs a server to connect to, although it sends no queries."""
    label = "%d/s: start behind schedule p99, peer: pgbench"
    try:
        with pgbench.running() as peer:
            for rate in RATES:
                figures = alternate(bench.rounds, [bench.ours, peer],
                                    lambda tool, r=rate: tool.start_lag_p99_us(r, WORKERS, bench.pick(3, 1)))
                bench.table.compare(label % rate, *figures, "µs")
    except (NotAvailable, Failed) as reason:
        bench.table.not_available("start behind schedule, peer: pgbench", reason)


class BareArrivals:
    """A loop in C that generates the same arrivals and does nothing else. Its lateness is the lower bound for all tools on this machine."""

    def __init__(self, folder):
        self.program = os.path.join(folder, "bare_arrivals")
        quietly(["cc", "-O2", "-o", self.program, os.path.join(BENCH, "bare_arrivals.c"), "-lm"])

    def lateness(self, rate, seconds):
        """Returns the figures of the loop in the format of lateness()."""
        pairs = [tuple(map(int, line.split())) for line in run([self.program, str(rate), str(seconds)]).output.splitlines()]
        late = sorted((made - due) / 1e3 for due, made in pairs)
        return late[len(late) // 2], late[len(late) * 99 // 100], ks_distance([made for _, made in pairs], rate)


def lateness_in_turn(bench, rate, seconds):
    """Returns the medians of lateness() for sysrate and for the bare loop."""
    with tempfile.TemporaryDirectory() as folder:
        bare = BareArrivals(folder)
        rows = [(lateness(bench, rate, seconds), bare.lateness(rate, seconds)) for _ in range(bench.pick(5, 1))]
    return [[median_of(column, i) for i in range(3)] for column in zip(*rows)]


def arrivals(bench):
    """The precision of arrivals and of the starts of events."""
    bench.table.heading("Arrivals: lag, and distance of the gaps from the exponential distribution (%d workers)" % WORKERS)
    seconds = bench.pick(8, 3)
    for rate in RATES:
        label = "%d/s: " % rate
        ours, bare = lateness_in_turn(bench, rate, seconds)
        critical = 1.358 / math.sqrt(rate * seconds)
        bench.table.absolute(label + "lag p50, --arrival-wait=spin, peer: bare C", ours[0], bare[0], "µs")
        bench.table.absolute(label + "lag p99, --arrival-wait=spin, peer: bare C", ours[1], bare[1], "µs", at_most=20)
        bench.table.absolute(label + "KS of enqueue gaps, spin, peer: bare C", ours[2], bare[2], "",
                             at_most=max(critical, 0.01) if rate == 20000 else critical)
        # Even n exact starts have a distance of 0.8/sqrt(n) by chance. This must be small compared with a quarter of the peer's distance.
        span = bench.pick(max(6, 20000 // rate), 3)
        ours, peer = alternate(bench.pick(3, 1), bench.tools, lambda tool, r=rate: start_distance(bench, tool, r, span))
        bench.table.compare(label + "KS of event starts", ours, peer, "", at_most=0.25)
    starts_beside_pgbench(bench)


def cpu_per_request(bench):
    """CPU time of the whole client per request."""
    bench.table.heading("CPU of the client per request at an arrival rate, empty event, 16 workers")
    for rate in (1000, 10000):
        def measure(tool, r=rate, how="sleep"):
            options = tool.waiting(how) if tool is bench.ours else []
            seconds = "--time=%d" % bench.pick(5, 3)
            result = run(tool.command(EMPTY, "--threads=16", seconds, *options, rate=r))
            return result.cpu_s * 1e6 / tool.events(result)
        ours, peer = alternate(bench.rounds, bench.tools, measure)
        bench.table.compare("%d/s, --arrival-wait=sleep" % rate, ours, peer, "µs", at_most=1)
        auto = alternate(bench.rounds, [bench.ours], lambda tool, r=rate: measure(tool, r, "auto"))[0]
        bench.table.compare("%d/s, --arrival-wait=auto" % rate, auto, peer, "µs", at_most=1)


def many_workers(bench):
    """Memory and start time of 4 000 workers."""
    bench.table.heading("4 000 workers, empty event")
    figures = {tool.name: [] for tool in bench.tools}

    def measure(tool):
        result = run(tool.command(EMPTY, "--threads=4000", "--time=1", "--thread-init-timeout=120", rate=1000))
        figures[tool.name].append(result.started_s)
        return result.peak_kb / 1024

    ours, peer = alternate(bench.rounds, bench.tools, measure)
    bench.table.compare("peak memory", ours, peer, "MiB", at_most=1 / 3)
    starts = [sorted(v)[len(v) // 2] if v else NotAvailable("no run") for v in figures.values()]
    bench.table.compare("time until all have started", *starts, "s", at_most=1 / 3)


SECTIONS = {"closed": closed_loop, "rate": arrival_rate, "arrivals": arrivals, "cpu": cpu_per_request,
            "workers": many_workers}
