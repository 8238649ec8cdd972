# SPDX-License-Identifier: GPL-2.0-or-later
"""How many of the intervals in the reports of runs on the null driver contain the true figures."""

import json
import os
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

from tools import BENCH, run

SCRIPT = os.path.join(BENCH, "scripts", "service.lua")
RUNS = 400
FIGURES = ("mean", "p50", "p95", "p99", "p99.9")

# Mean service times of 100 and 150 ms, so that delays by the machine matter little. Requests of the first two cases are independent, because
# there are many more workers than requests in service. At the beginning of a run only short services have ended, so it begins with a warm-up.
Case = namedtuple("Case", "name shape rate workers seconds at_once")
CASES = (Case("independent, exponential", "--null-service=100ms:exp", 200, 60, 100, 80),
         Case("independent, Pareto (α = 3)", "--pareto=100", 200, 90, 100, 80),
         Case("M/M/4 at a utilization of 0.8", "--null-service=100ms:exp", 32, 4, 1000, 200))
WARMUP_S = 5


def measure(bench, case, seed, path):
    """Makes a run, writes its report, and returns the intervals."""
    command = bench.ours.command(SCRIPT, "--db-driver=null", case.shape, "--threads=%d" % case.workers, "--time=%d" % case.seconds,
                                 "--warmup-time=%d" % WARMUP_S, "--drain=60", "--arrival-wait=sleep", "--percentile=50,95,99,99.9",
                                 "--rand-seed=%d" % seed, "--json=" + path, rate=case.rate)
    run(command, timeout_s=600 + case.seconds)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["summary"]["precision"]["response_ms"]


def true_figures(bench, folder, paths):
    """Returns the figures of all runs together. They contain the delays by the machine. With 400 runs, their error is a twentieth of that of a run."""
    merged = os.path.join(folder, "all.json")
    run([bench.ours.program, "merge", "--json=" + merged, *paths])
    with open(merged, encoding="utf-8") as file:
        response = json.load(file)["summary"]["response_ms"]
    return {"mean": response["mean"], **{name: p["value"] for name, p in response["percentiles"].items()}}


def counts(intervals, true_ms):
    """Returns how many intervals are known, and how many of these contain the true value."""
    known = [i for i in intervals if i["low"] is not None and i["high"] is not None]
    return len(known), sum(i["low"] <= true_ms <= i["high"] for i in known)


def cover(bench, case):
    runs = bench.pick(RUNS, 8)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(case.at_once) as pool:
        paths = [os.path.join(folder, "%d.json" % i) for i in range(runs)]
        precisions = list(pool.map(lambda i: measure(bench, case, i + 1, paths[i]), range(runs)))
        truth = true_figures(bench, folder, paths)
    cells = []
    for name in FIGURES:
        known, right = counts([precision[name] for precision in precisions], truth[name])
        without = "" if known == runs else " (%.1f)" % (100 * (runs - known) / runs)
        cells.append("%.1f%s" % (100 * right / known, without) if known >= runs / 20 else "not known")
    print("| %s | %d | %s |" % (case.name, case.rate * case.seconds, " | ".join(cells)))
    print("  true, in ms: " + ", ".join("%s %.2f" % (name, truth[name]) for name in FIGURES), flush=True)


def coverage(bench):
    """How many of the 95 % intervals of runs on the null driver contain the true figure; only if it is named."""
    print("\nPercent of the intervals of %d runs that contain the true figure (percent of the runs without an interval)\n" % bench.pick(RUNS, 8))
    print("| response times | requests | %s |\n|---|---|%s" % (" | ".join(FIGURES), "---|" * len(FIGURES)))
    for case in CASES:
        cover(bench, case)


SECTIONS = {"coverage": coverage}
