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
AT_MOST = 1.02  # highest ratio of p99 with samples to that without


def print_row(bench, name, sampled, plain, ratio, error, highest=False):
    """Adds a row to the table. `error` is half the width of the 95 % interval of the ratio; if it is too wide, there is no verdict."""
    limit = AT_MOST if highest else AT_LEAST
    passed = None if abs(ratio - limit) <= error else (ratio < limit) == highest
    bench.table.row(name, sampled, plain, "%.4f × ± %.4f" % (ratio, error), "%s %.2f ×" % ("<" if highest else ">", limit), passed)


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
    print_row(bench, server.name, quantity(ratio * plain, "/s"), quantity(plain, "/s"), ratio, 2 * error)


@contextlib.contextmanager
def on_processors(processors):
    """Restricts processes that are started in the body of the with statement to these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def one_processor():
    """
    Restricts processes that are started in the body of the with statement to one processor. With several processors, the figures of runs
    differ by 3 to 25 %, depending on whether two threads that wait for each other share a processor. On one processor they differ by
    3 %, and a sample takes twice the share of the CPU time.
    """
    return on_processors({max(os.sched_getaffinity(0))})


def count_samples(report):
    sources = report.get("probes", {}).get("sources", [])
    of_server = sum(source["mean"]["samples"] for source in sources if source["name"] == "server")
    return of_server + report.get("wait_events", {}).get("statements", 0)


def measure(bench, server, *sampling):
    """
    Returns the completions per second and p99 of a short run. With --server-stats=1 it begins at 0.1 s and contains one sample, at 1 s; two
    others are taken before and after the load. With --wait-events it begins at 0.5 s, when the sampler has its connection and has prepared its
    statement, and contains ten samples per second.
    """
    options = ["--threads=2", "--warmup-time=" + bench.warmup, "--time=1", "--percentile=99", *sampling]
    report = bench.ours.run_with_json(point_select(bench.ours, server, *options))[1]
    if sampling and count_samples(report) < 3:
        raise Failed("no sample was taken during the load")
    summary = report["summary"]
    return summary["completed_per_s"], summary["response_ms"]["percentiles"]["p99"]["value"]


def pair(bench, server, sampling, sampled_first):
    """Returns the figures of a run with samples and of a run without, which follow each other immediately."""
    figures = {}
    for sampled in (sampled_first, not sampled_first):
        figures[sampled] = measure(bench, server, *[sampling] * sampled)
    return figures[True], figures[False]


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


def pairs_of_runs(bench, server, sampling):
    run(point_select(bench.ours, server, command="prepare"))
    measure(bench, server)  # fills the caches
    pairs = [pair(bench, server, sampling, i % 2 == 0) for i in range(bench.pick(160, 6))]
    for i, (name, unit) in enumerate((("throughput", "/s"), ("p99", "ms"))):
        centre, error = hodges_lehmann([math.log(sampled[i] / plain[i]) for sampled, plain in pairs])
        typical = statistics.median(plain[i] for _, plain in pairs)
        print_row(bench, "%s, %s" % (server.name, name), quantity(math.exp(centre) * typical, unit), quantity(typical, unit),
                  math.exp(centre), math.exp(centre) * error, name == "p99")


def print_pairs(bench, sampling):
    bench.warmup = "0.5" if sampling == "--wait-events" else "0.1"
    bench.table.heading("%s, point selects, 2 threads: pairs of runs of 1 s, client and server on one processor; peer: without; 95 %% interval"
                        % sampling)
    with one_processor():
        on_each_server(bench, lambda bench, server: pairs_of_runs(bench, server, sampling))


def sampling(bench):
    """The loss of throughput of point selects by --server-stats=1."""
    bench.table.heading("--server-stats=1, point selects, 4 threads: tenths of a second of a run with a sample; "
                        "peer: the others; two standard errors")
    on_each_server(bench, within_run)
    print_pairs(bench, "--server-stats=1")


def waits(bench):
    """The loss of throughput of point selects by --wait-events, and the growth of p99."""
    print_pairs(bench, "--wait-events")


def read_write(tool, server, *options, command="run"):
    return tool.command("oltp_read_write", *server.options, "--tables=1", "--table-size=10000", *options, command=command)


def cut(report, threads):
    """Returns (samples of the sessions, completions per second, histogram) of each interval of a run with --wait-events. All workers are always busy."""
    return [(interval["wait_events"]["samples"] / threads, interval["completed_per_s"], interval["response_histogram"])
            for interval in report["intervals"][5:]]


def slope(intervals):
    """
    Returns the relative change of the throughput of an interval with each sample that was taken in the interval, by least squares. The
    throughput is divided by the mean of the ten intervals before and the ten after, so that slow changes of the machine cancel.
    """
    points = []
    for i in range(10, len(intervals) - 10):
        around = intervals[i - 10:i] + intervals[i + 1:i + 11]
        points.append((intervals[i][0], intervals[i][1] / statistics.mean(rate for _, rate, _ in around)))
    x_mean, y_mean = (statistics.mean(values) for values in zip(*points))
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)


def pooled_p99(intervals):
    """
    Returns p99 of the response times of several intervals in ns. The classes of the histogram are wide: within a class the logarithm of the
    share of longer times is taken as linear.
    """
    counts = {}
    for _, _, histogram in intervals:
        for low, count in histogram:
            counts[low] = counts.get(low, 0) + count
    rest, last = sum(counts.values()), None
    limit = 0.01 * rest
    for low in sorted(counts):
        if rest < limit:
            below, more = last
            return below + (low - below) * math.log(more / limit) / math.log(more / rest)
        last = low, rest
        rest -= counts[low]
    if last is None:
        raise Failed("there are no requests")
    return last[0]  # the lower bound of the slowest class, which has at least 1 % of the requests


def throughput_ratio(intervals):
    """At 10 samples per second, an interval of a tenth of a second has one sample on average."""
    return 1 + slope(intervals)


def p99_ratio(intervals):
    """Returns p99 of the intervals with samples, divided by p99 of the others."""
    sampled, others = ([interval for interval in intervals if (interval[0] > 0) == has] for has in (True, False))
    return pooled_p99(sampled) / pooled_p99(others)


def jackknife(intervals, figure, blocks=40):
    """
    Returns the figure of all intervals, and half the width of its 95 % interval. The variance is that of the figure when one of 40 blocks of
    successive intervals is left out: B. Efron, C. Stein, "The Jackknife Estimate of Variance", Annals of Statistics 9 (1981).
    """
    size = len(intervals) // blocks
    without = [figure(intervals[:i * size] + intervals[(i + 1) * size:]) for i in range(blocks)]
    variance = (blocks - 1) * statistics.pvariance(without)
    return figure(intervals), 2.02 * math.sqrt(variance)  # Student's t for 39 degrees of freedom


def waits_of_server(bench, server):
    run(read_write(bench.ours, server, command="prepare"))
    command = read_write(bench.ours, server, "--threads=16", "--warmup-time=1", "--time=%d" % bench.pick(300, 12), "--report-interval=0.1",
                         "--percentile=99", "--wait-events=5")
    intervals = cut(bench.ours.run_with_json(command)[1], 16)
    rate = statistics.mean(rate for _, rate, _ in intervals)
    p99 = pooled_p99([interval for interval in intervals if interval[0] == 0]) / 1e6
    ratio, error = jackknife(intervals, throughput_ratio)
    print_row(bench, server.name + ", throughput", quantity(ratio * rate, "/s"), quantity(rate, "/s"), ratio, error)
    ratio, error = jackknife(intervals, p99_ratio)
    print_row(bench, server.name + ", p99", quantity(ratio * p99, "ms"), quantity(p99, "ms"), ratio, error, True)


def waits_within_a_run(bench):
    """The same with oltp_read_write, measured within a run; only if it is named.

    Differences between runs have no influence then. Five samples are taken per second, at random times, and tenths of a second with samples
    are compared with others: 10 samples per second are one in each tenth.
    """
    bench.table.heading("--wait-events, oltp_read_write, 16 threads: tenths of a second of a run with a sample; peer: without; 95 % interval")
    on_each_server(bench, waits_of_server)


SECTIONS = {"sampling": sampling, "waits": waits}
NAMED = {"waits-within-a-run": waits_within_a_run}
