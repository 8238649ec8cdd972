# SPDX-License-Identifier: GPL-2.0-or-later
"""The throughput that sampling (--server-stats) costs on a saturated server, measured within runs and in pairs of runs."""

import contextlib
import math
import os
import statistics

from databases import on_each_server, point_select
from table import quantity
from tools import Failed, run

AT_LEAST = 0.99  # lowest ratio of the throughput with samples to that without


def print_row(bench, server, plain, ratio, error):
    """Adds a row to the table. `error` is half the width of the 95 % interval of the ratio; if it is too wide, there is no verdict."""
    passed = None if abs(ratio - AT_LEAST) <= error else ratio > AT_LEAST
    bench.table.row(server.name, quantity(ratio * plain, "/s"), quantity(plain, "/s"), "%.4f × ± %.4f" % (ratio, error),
                    "> %.2f ×" % AT_LEAST, passed)


def sampled_and_not(report):
    """Returns the completions per second of the intervals in which the server was sampled, and of the other intervals."""
    rates = {True: [], False: []}
    for interval in report["intervals"][5:]:
        samples = interval["probes"]["server"]["samples"]
        rates[samples > 0].append(interval["completed_per_s"])
    return rates[True], rates[False]


def within_run(bench, server):
    """Measures within a run: the throughput is read ten times a second, and the server is sampled once a second."""
    run(point_select(bench.ours, server, command="prepare"))
    command = point_select(bench.ours, server, "--threads=4", "--time=%d" % bench.pick(90, 5), "--report-interval=0.1",
                           "--server-stats=1")
    sampled, others = sampled_and_not(bench.ours.run_with_json(command)[1])
    share = len(sampled) / (len(sampled) + len(others))
    plain = statistics.mean(others)
    error = share * statistics.stdev(sampled) / math.sqrt(len(sampled)) / plain
    ratio = 1 + share * (statistics.mean(sampled) - plain) / plain
    print_row(bench, server, plain, ratio, 2 * error)


@contextlib.contextmanager
def one_processor():
    """
    Restricts processes that are started in the body of the with statement to one processor. With several processors, the figures of runs
    differ by 3 to 25 %, depending on whether two threads that wait for each other share a processor. On one processor they differ by
    3 %, and a sample takes twice the share of the CPU time.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def count_samples(report):
    sources = report.get("probes", {}).get("sources", [])
    return sum(source["mean"]["samples"] for source in sources if source["name"] == "server")


def throughput(bench, server, sampled):
    """
    Returns the completions per second from 0.1 to 1.1 s. With --server-stats=1 this time contains one sample, at 1 s; two others are taken
    before and after the load.
    """
    options = ["--threads=2", "--warmup-time=0.1", "--time=1"] + ["--server-stats=1"] * sampled
    report = bench.ours.run_with_json(point_select(bench.ours, server, *options))[1]
    if sampled and count_samples(report) < 3:
        raise Failed("no sample was taken during the load")
    return report["summary"]["completed_per_s"]


def pair(bench, server, sampled_first):
    """Returns the completions per second of a run with a sample and of a run without, which follow each other immediately."""
    rates = {}
    for sampled in (sampled_first, not sampled_first):
        rates[sampled] = throughput(bench, server, sampled)
    return rates[True], rates[False]


def hodges_lehmann(values):
    """
    Returns the centre of `values` and half the width of its 95 % interval. The method assumes symmetry only, so that single outliers have
    little influence: Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 2014, sections 3.2 and 3.3.
    """
    n = len(values)
    walsh = sorted((a + b) / 2 for i, a in enumerate(values) for b in values[i:])
    rank = len(walsh) / 2 - 1.96 * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    outside = max(0, round(rank) - 1)
    return statistics.median(walsh), (walsh[-1 - outside] - walsh[outside]) / 2


def pairs_of_runs(bench, server):
    run(point_select(bench.ours, server, command="prepare"))
    throughput(bench, server, sampled=False)  # fills the caches
    pairs = [pair(bench, server, i % 2 == 0) for i in range(bench.pick(160, 6))]
    centre, error = hodges_lehmann([math.log(sampled / plain) for sampled, plain in pairs])
    print_row(bench, server, statistics.median(plain for _, plain in pairs), math.exp(centre), error)


def sampling(bench):
    """The loss of throughput of point selects by --server-stats=1."""
    bench.table.heading("--server-stats=1, point selects, 4 threads: tenths of a second of a run with a sample; "
                        "peer: the others; two standard errors")
    on_each_server(bench, within_run)
    bench.table.heading("--server-stats=1, point selects, 2 threads: pairs of runs of 1 s, client and server on one "
                        "processor; peer: without; 95 % interval")
    with one_processor():
        on_each_server(bench, pairs_of_runs)


SECTIONS = {"sampling": sampling}
