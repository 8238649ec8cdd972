# SPDX-License-Identifier: GPL-2.0-or-later
"""How many of the intervals in the reports of runs on the null driver contain the true figures."""

import math
import os
import statistics
from concurrent.futures import ThreadPoolExecutor

from tools import BENCH

SCRIPT = os.path.join(BENCH, "scripts", "service.lua")
RUNS = 400
FIGURES = {"mean": None, "p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


class Exponential:
    """Independent requests, because there are many more workers than requests in service. Service times are long, so that delays by the machine
    matter little; the mean delay of all runs is added to the true figures."""

    name, shape = "independent, exponential", "--null-service=400ms:exp"
    mean_ms, rate, workers, seconds, at_once = 400.0, 200, 140, 25, 10

    @classmethod
    def true_ms(cls, share, service_ms):
        late = service_ms - cls.mean_ms
        return service_ms if share is None else late - cls.mean_ms * math.log(1 - share)


class Pareto(Exponential):
    name, shape = "independent, Pareto (α = 3)", "--pareto=400"
    mean_ms, workers = 600.0, 200

    @classmethod
    def true_ms(cls, share, service_ms):
        late = service_ms - cls.mean_ms
        return service_ms if share is None else late + 400 * (1 - share) ** (-1 / 3)


class Queue:
    """Requests that wait for each other. The distribution of the response time is that of A. K. Erlang (1917), as in Gross and Harris,
    Fundamentals of Queueing Theory, section "Multi-server queues (M/M/c)"."""

    name, shape = "M/M/4 at a utilization of 0.8", "--null-service=100ms:exp"
    mean_ms, rate, workers, seconds, at_once = 100.0, 32, 4, 250, 200

    @classmethod
    def waits(cls, service_ms):
        """Returns the probability that a request waits."""
        load, c = cls.rate * service_ms / 1000, cls.workers
        busy = load ** c / math.factorial(c) / (1 - load / c)
        return busy / (sum(load ** k / math.factorial(k) for k in range(c)) + busy)

    @classmethod
    def exceeds(cls, t, service_ms):
        """Returns the probability that a response time is above t."""
        free = cls.workers - cls.rate * service_ms / 1000  # mean number of free workers
        return math.exp(-t / service_ms) * (1 + cls.waits(service_ms) / (free - 1) * (1 - math.exp(-t / service_ms * (free - 1))))

    @classmethod
    def true_ms(cls, share, service_ms):
        if share is None:
            return service_ms * (1 + cls.waits(service_ms) / (cls.workers - cls.rate * service_ms / 1000))
        low, high = 0, 1000 * service_ms
        while high - low > 1e-6 * service_ms:
            middle = (low + high) / 2
            low, high = (middle, high) if cls.exceeds(middle, service_ms) > 1 - share else (low, middle)
        return low


def measure(bench, case, seed):
    command = bench.ours.command(SCRIPT, "--db-driver=null", case.shape, "--threads=%d" % case.workers, "--time=%d" % case.seconds,
                                 "--drain=60", "--arrival-wait=sleep", "--percentile=50,95,99,99.9", "--rand-seed=%d" % seed,
                                 rate=case.rate)
    summary = bench.ours.run_with_json(command, timeout_s=case.seconds + 120)[1]["summary"]
    return summary["precision"]["response_ms"], summary["service_ms"]["mean"]


def counts(intervals, true_ms):
    """Returns how many intervals are known, and how many of these contain the true value."""
    known = [i for i in intervals if i["low"] is not None and i["high"] is not None]
    return len(known), sum(i["low"] <= true_ms <= i["high"] for i in known)


def cover(bench, case):
    runs = bench.pick(RUNS, 8)
    with ThreadPoolExecutor(case.at_once) as pool:
        results = list(pool.map(lambda seed: measure(bench, case, seed), range(1, runs + 1)))
    service_ms = statistics.mean(service for _, service in results)
    cells = []
    for name, share in FIGURES.items():
        known, right = counts([precision[name] for precision, _ in results], case.true_ms(share, service_ms))
        without = "" if known == runs else " (%.1f)" % (100 * (runs - known) / runs)
        cells.append("%.1f%s" % (100 * right / known, without) if known >= runs / 20 else "not known")
    print("| %s | %d | %s |" % (case.name, case.rate * case.seconds, " | ".join(cells)))
    print("  mean service time %.3f ms, asked %.0f ms" % (service_ms, case.mean_ms), flush=True)


def coverage(bench):
    """How many of the 95 % intervals of runs on the null driver contain the true figure; only if it is named."""
    print("\nPercent of the intervals of %d runs that contain the true figure (percent of the runs without an interval)\n" % bench.pick(RUNS, 8))
    print("| response times | requests | %s |\n|---|---|%s" % (" | ".join(FIGURES), "---|" * len(FIGURES)))
    for case in (Exponential, Pareto, Queue):
        cover(bench, case)


SECTIONS = {"coverage": coverage}
