# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the results of sysrate with those of sysbench: both run the same command on the same server, in alternating pairs."""

import math
import re
import statistics

from servers import SERVERS
from tools import Failed, NotAvailable, run

WORKLOADS = ["oltp_point_select", "oltp_read_only", "oltp_read_write", "oltp_write_only", "oltp_update_index", "oltp_update_non_index",
             "oltp_insert", "oltp_insert --db-ps-mode=disable", "oltp_delete", "bulk_insert", "select_random_points",
             "select_random_ranges"]
THREADS = 4
ROWS = 10000
# Quantiles 0.975 of Student's t by degrees of freedom.
STUDENT = [math.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def figures_of_sysbench(result):
    """Mean and throughput are computed from sums, because sysbench rounds times to 0.01 ms."""
    events = result.number(r"total number of events:\s+(\d+)")
    return {"throughput": events / result.number(r"total time:\s+([\d.]+)s"), "mean": result.number(r"sum:\s+([\d.]+)") / events,
            "p95": result.number(r"95th percentile:\s+([\d.]+)")}


def figures_of_ours(report):
    """The times are response times, which have the wait in the queue at a rate, as those of sysbench; then also service times."""
    summary = report["summary"]
    figures = {"throughput": summary["completed_per_s"]}
    for suffix, times in (("", summary["response_ms"]), (" of service", summary.get("service_ms"))):
        if times:
            figures["mean" + suffix] = times["mean"]
            figures["p95" + suffix] = times["percentiles"]["p95"]["value"]
    return figures


def interval(ratios):
    """Returns a text with the geometric mean of the ratios and its 95 % interval, or a dash if there are fewer than two ratios."""
    if len(ratios) < 2:
        return "–"
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.mean(logs)
    half = STUDENT[len(logs) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    ends = [math.exp(mean - half), math.exp(mean + half)]
    return "%.2f (%.2f to %s)" % (math.exp(mean), ends[0], "%.2f" % ends[1] if ends[1] < 100 else ">100")


class Comparison:
    def __init__(self, bench, server, workload, rate=None):
        self.bench, self.rate, self.ratios, self.throughput = bench, rate, {}, []
        # sysbench 1.0.20 has another default, with which workers wait for each other's locks.
        self.workload, *more = workload.split()
        self.options = [*server.options, *more, "--tables=1", "--table-size=%d" % ROWS, "--threads=%d" % THREADS, "--rand-type=uniform"]
        self.name = workload

    def command(self, tool, seconds):
        rated = ["--rate=%d" % self.rate] if self.rate else []
        return [tool.program, self.workload, *self.options, "--time=%d" % seconds, "--percentile=95", *rated, "run"]

    def prepare(self):
        for step in ("cleanup", "prepare"):
            run([self.bench.ours.program, self.workload, *self.options, step])

    def pair(self, number, seconds):
        peer = ours = None
        for turn in range(2):
            if self.workload == "bulk_insert":  # each run inserts the same keys
                self.prepare()
            if (turn + number // 2) % 2 == 0:
                peer = figures_of_sysbench(run(self.command(self.bench.peer, seconds)))
            else:
                ours = figures_of_ours(self.bench.ours.run_with_json(self.command(self.bench.ours, seconds))[1])
        self.throughput.append(peer["throughput"])
        for name, value in ours.items():
            theirs = peer[name.replace(" of service", "")]
            if theirs > 0:  # sysbench prints a p95 below 0.005 ms as 0.00
                self.ratios.setdefault(name, []).append(value / theirs)

    def measure(self, pairs, seconds):
        self.prepare()
        for number in range(pairs):
            self.pair(number, seconds)

    def row(self):
        names = ["throughput", "mean", "p95"] + (["mean of service", "p95 of service"] if self.rate else [])
        return "| %s | %s |" % (self.name, " | ".join(interval(self.ratios.get(name, [])) for name in names))


def print_heading(server, rated):
    columns = ["throughput", "mean", "p95"] + (["mean of service", "p95 of service"] if rated else [])
    print("\n### %s, %s\n\n| workload | %s |\n|:---|%s" % (server.name, "at a rate" if rated else "closed loop", " | ".join(columns),
                                                       "---:|" * len(columns)), flush=True)


def compare_all(bench, server, pairs, seconds):
    """Compares all workloads in the closed loop, then at a fifth of the throughput that sysbench had there."""
    rates = {}  # of the workloads that ran in the closed loop
    for rated in (False, True):
        print_heading(server, rated)
        for workload in rates if rated else bench.pick(WORKLOADS, WORKLOADS[:3]):
            comparison = Comparison(bench, server, workload, max(1, round(rates[workload] / 5)) if rated else None)
            try:
                comparison.measure(pairs, seconds)
            except (Failed, KeyError) as reason:
                print("| %s | failed: %s |" % (workload, re.sub(r"\s+", " ", str(reason))[-150:]), flush=True)
                continue
            rates[workload] = statistics.median(comparison.throughput)
            print(comparison.row(), flush=True)


def measure_equivalence(bench):
    """Ratios of sysrate's results to sysbench's, for each bundled workload; only if it is named."""
    if bench.peer.program is None:
        raise NotAvailable("sysbench is not installed")
    pairs, seconds = bench.pairs or bench.pick(6, 2), bench.seconds or bench.pick(10, 1)
    print("\nsysrate / sysbench: %d pairs of %d s, %d threads, %d rows; 95 %% intervals" % (pairs, seconds, THREADS, ROWS))
    for kind in SERVERS:
        with kind.running() as server:
            compare_all(bench, server, pairs, seconds)


SECTIONS = {"equivalence": measure_equivalence}
