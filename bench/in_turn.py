# SPDX-License-Identifier: GPL-2.0-or-later
"""
The influence of --wait-events on a saturated server, measured with two runs that are frozen in turn: one with the option and one without,
each on tables of its own. So they follow each other about every half second, and slow changes of the machine have the same influence on both.
"""

import contextlib
import json
import math
import os
import signal
import statistics
import subprocess
import tempfile
import time

from databases import on_each_server
from sampling import hodges_lehmann, on_processors, one_processor, pooled_p99, print_row, read_write
from table import quantity
from tools import Failed, NotAvailable, run

TURN_S = 0.57  # not half a second: MariaDB flushes pages once a second, which would always fall into the turns of the same run
FROZEN_S = 0.3  # an interval of the report that is longer contains a turn of the other run


@contextlib.contextmanager
def started(command):
    """Starts a run and waits until it loads the server. It may be frozen when the body ends: it goes on, and is ended."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for line in child.stdout:
            if line.startswith("Threads started!"):
                break
        yield child
    finally:
        child.send_signal(signal.SIGCONT)
        child.send_signal(signal.SIGINT)
        try:
            child.communicate(timeout=60)
        finally:
            child.kill()


def turns(path):
    """Returns the turns of a run: for each, its intervals as (samples, completions per second, histogram). The first interval of a turn is left
    out, because it has the requests that were frozen in service."""
    with open(path, encoding="utf-8") as file:
        intervals = json.load(file)["intervals"]
    result = [[]]
    first = True
    for interval in intervals:
        if interval["seconds"] > FROZEN_S:
            result.append([])
            first = True
            continue
        if not first:
            samples = interval.get("wait_events", {}).get("samples", 0)
            result[-1].append((samples, interval["completed_per_s"], interval["response_histogram"]))
        first = False
    return result


def cycles(plain, sampled):
    """Returns for each turn of the sampled run its intervals and those of the turns of the other run before and after. Both start together, and the
    plain run has the first turn."""
    found = [(sampled[i], plain[i - 1] + plain[i]) for i in range(2, min(len(plain), len(sampled)) - 1)]
    return [(own, others) for own, others in found if own and others]


def measure(bench, server, seconds, swapped, *options):
    """Returns the cycles of two runs with these options. If `swapped`, the sampled run uses the first database."""
    databases = [[], [server.second_database]]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("plain", "sampled")]
        commands = [read_write(bench.ours, server, *databases[i ^ swapped], *options, "--threads=16", "--time=%d" % (seconds + 60),
                               "--report-interval=0.1", "--percentile=99", "--json=" + paths[i], *["--wait-events"] * i) for i in (0, 1)]
        with started(commands[0]) as plain, started(commands[1]) as sampled:
            end = time.monotonic() + seconds
            sampled.send_signal(signal.SIGSTOP)
            while time.monotonic() < end and plain.poll() is None and sampled.poll() is None:
                for frozen, active in ((plain, sampled), (sampled, plain)):
                    time.sleep(TURN_S)
                    frozen.send_signal(signal.SIGSTOP)
                    active.send_signal(signal.SIGCONT)
        return cycles(turns(paths[0]), turns(paths[1]))


def rate(intervals):
    return statistics.mean(completed for _, completed, _ in intervals)


def throughput_ratio(found):
    return math.exp(statistics.mean(math.log(max(1, rate(own)) / max(1, rate(others))) for own, others in found))


def p99_ratio(found):
    """Each turn of the plain run counts for two cycles, so it has the weight of one."""
    own, others = ([interval for cycle in found for interval in cycle[i]] for i in (0, 1))
    return pooled_p99(own) / pooled_p99(others)


def compare(bench, server, *options):
    """
    Makes many pairs of short runs. The ratios of pairs differ by more than the turns within a pair explain: the tables of one database may be
    faster, and something differs between two processes as long as they exist. So the databases are swapped after each pair, and the error is
    computed from the mean logarithms of two successive pairs.
    """
    for database in ([], [server.second_database]):
        run(read_write(bench.ours, server, *database, *options, command="prepare"))
    measure(bench, server, 5, False, *options)  # fills the caches
    twos = [[measure(bench, server, 8, swapped, *options) for swapped in (False, True)] for _ in range(bench.pick(50, 3))]
    if not all(map(all, twos)):
        print("  %d times two pairs, one without a complete turn, are left out" % sum(not all(two) for two in twos), flush=True)
        twos = [two for two in twos if all(two)]
    pairs = [found for two in twos for found in two]
    if sum(samples for found in pairs for own, _ in found for samples, _, _ in own) == 0:
        raise Failed("no sample was taken")
    plain = [interval for found in pairs for _, others in found for interval in others]
    for name, unit, figure, typical in (("throughput", "/s", throughput_ratio, rate(plain)), ("p99", "ms", p99_ratio, pooled_p99(plain) / 1e6)):
        centre, error = hodges_lehmann([statistics.mean(math.log(figure(found)) for found in two) for two in twos])
        ratio = math.exp(centre)
        print_row(bench, "%s, %s" % (server.name, name), quantity(ratio * typical, unit), quantity(typical, unit), ratio, ratio * error, name == "p99")


HEADING = f"--wait-events, oltp_read_write, 16 threads%s: with and without, in turn for {TURN_S} s each; peer: without; 95 %% interval"


def waits_in_turn(bench):
    """The loss of throughput of oltp_read_write by --wait-events, and the growth of p99, in two runs that are frozen in turn; only if it is named."""
    bench.table.heading(HEADING % "")
    on_each_server(bench, compare)


def waits_on_one_processor(bench):
    """The same with client and server on one processor; only if it is named."""
    bench.table.heading(HEADING % ", on one processor")
    with one_processor():
        on_each_server(bench, compare)


def waits_apart(bench):
    """The same with a processor for the client and another for the server; only if it is named.

    Few requests wait for locks, because 100 000 rows are chosen uniformly.
    """
    bench.table.heading(HEADING % ", client and server on a processor each, 100 000 rows")
    processors = os.sched_getaffinity(0)
    if len(processors) < 2:
        raise NotAvailable("there is only one processor")

    def compare_apart(bench, server):
        with on_processors({min(processors)}):
            compare(bench, server, "--table-size=100000", "--rand-type=uniform")

    with on_processors({max(processors)}):
        on_each_server(bench, compare_apart)


SECTIONS = {"waits-in-turn": waits_in_turn, "waits-on-one-processor": waits_on_one_processor, "waits-apart": waits_apart}
