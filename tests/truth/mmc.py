#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""M/M/4 with 2 ms mean service: the reported response times against Erlang's C formula.

The four servers are the workers of a run and, in further runs, the four connections that 64 workers share (--pool-size). In the latter,
requests wait for a connection and rarely for a worker; the two waits are compared with the formula as one.

This test uses the output of the program only. TRUTH_SECONDS (15) is the length of each run. The report may differ from
the formula for two reasons:

- chance: a run of this length differs from the steady state. The size of the difference is found by simulating RUNS such runs. The
  figures are nearly normally distributed on a logarithmic scale, with a longer upper tail: the bounds are 5 standard deviations below
  and 8 above;
- delays caused by the machine: the arrivals and service times follow from the seed (two streams of random numbers, see
  src/base/rand_stream.h) and are replayed here. What the report shows in addition was caused by the machine.
"""
import heapq
import json
import math
import os
import random
import subprocess
import sys
import tempfile

SERVERS, SERVICE_S, SEED = 4, 0.002, 7
LOADS = (0.5, 0.73, 0.88)
POOL_LOADS, POOL_WORKERS = (0.6, 0.88), 64
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
SECONDS = float(os.environ.get("TRUTH_SECONDS", "15"))
RUNS = 60
SIGMAS_BELOW, SIGMAS_ABOVE = 5, 8

SCRIPT = """
local con
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
"""

MASK = 2**64 - 1
WEYL = 0x9E3779B97F4A7C15
RAND_ARRIVAL, RAND_SERVICE = 0, 2


def mix64(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def rotl(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def exponentials(seed, purpose, index):
    """Unit exponential numbers: xoshiro256** seeded by SplitMix64."""
    x = mix64((seed + WEYL) & MASK)
    x = mix64((x + WEYL * (purpose + 1)) & MASK)
    x = mix64((x + WEYL * (index + 1)) & MASK)
    s = []
    for _ in range(4):
        x = (x + WEYL) & MASK
        s.append(mix64(x))
    while True:
        result = rotl(s[1] * 5 & MASK, 7) * 9 & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        yield -math.log(((result >> 12) + 0.5) * 2.0**-52)


def formula(rate, service):
    """Mean and quantiles of the response time, in ms, from the textbook's sums."""
    a, c = rate * service, SERVERS
    last = a**c / math.factorial(c) / (1 - a / c)
    wait = last / (sum(a**k / math.factorial(k) for k in range(c)) + last)
    mu, theta = 1 / service, c / service - rate

    def exceeds(t):
        if abs(theta - mu) < 1e-6 * mu:
            both = (1 + mu * t) * math.exp(-mu * t)
        else:
            both = (theta * math.exp(-mu * t) - mu * math.exp(-theta * t)) / (theta - mu)
        return (1 - wait) * math.exp(-mu * t) + wait * both

    figures = {"mean": service + wait / theta, "mean wait": wait / theta}
    for name, q in QUANTILES.items():
        low, high = 0.0, 100 / theta
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if exceeds(middle) > 1 - q else (low, middle)
        figures[name] = high
    return {name: 1e3 * value for name, value in figures.items()}


def respond(requests):
    """Waits and response times of (arrival, service) in the order of arrival: each goes to the server that is free first."""
    free = [0.0] * SERVERS
    for arrival, service in requests:
        start = max(arrival, heapq.heappop(free))
        heapq.heappush(free, start + service)
        yield start - arrival, start + service - arrival


def figures_of(times):
    waits, responses = zip(*times)
    ordered = sorted(responses)
    n = len(ordered)
    figures = {"mean": sum(ordered) / n, "mean wait": sum(waits) / n}
    for name, q in QUANTILES.items():
        figures[name] = ordered[max(1, math.ceil(round(n * q, 6))) - 1]
    return {name: 1e3 * value for name, value in figures.items()}


def log_ratios(requests):
    """ln (figure / formula with the rate and the mean service time of these requests)."""
    rate = len(requests) / SECONDS
    service = sum(s for _, s in requests) / len(requests)
    truth = formula(rate, service)
    return {name: math.log(value / truth[name]) for name, value in figures_of(respond(requests)).items()}


def scatter(rate):
    rng = random.Random(1)
    runs = []
    for _ in range(RUNS):
        requests, at = [], rng.expovariate(rate)
        while at < SECONDS:
            requests.append((at, rng.expovariate(1 / SERVICE_S)))
            at += rng.expovariate(rate)
        runs.append(log_ratios(requests))
    result = {}
    for name in runs[0]:
        values = [run[name] for run in runs]
        mean = sum(values) / RUNS
        result[name] = mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (RUNS - 1))
    return result


def check_sums(summary):
    """The sums of the parts are exact: wait for a worker + wait for a connection + service = response."""
    sums = {name: int(part["sum_ns"]) for name, part in summary["histogram"]["sums"].items()}
    good = sums["response"] == sums["wait"] + sums["connection_wait"] + sums["service"] and sums["connection_wait"] > 0
    print(f"{'ok' if good else 'not ok'} - the parts of the response time add up: {sums}")
    return 0 if good else 1


def run(rate, folder, pooled):
    report, log = os.path.join(folder, "a.json"), os.path.join(folder, "log")
    command = [os.environ.get("SYSRATE", "sysrate"), "--db-driver=null", "--null-service=2ms:exp",
               f"--tx-rate={rate!r}", f"--threads={POOL_WORKERS if pooled else SERVERS}", f"--time={SECONDS!r}", "--drain=60",
               "--percentile=50,95,99", f"--rand-seed={SEED}", f"--json={report}",
               f"--request-log={log}", "-", "run"]
    if pooled:
        command[1:1] = [f"--pool-size={SERVERS}"]
    subprocess.run(command, input=SCRIPT.encode(), check=True, stdout=subprocess.DEVNULL, timeout=SECONDS + 120)
    with open(report, encoding="utf-8") as file:
        summary = json.load(file)["summary"]
    response = summary["response_ms"]
    reported = {name: response["percentiles"][name]["value"] for name in QUANTILES}
    reported["mean"] = response["mean"]
    reported["mean wait"] = summary["wait_ms"]["mean"] + summary.get("connection_wait_ms", {"mean": 0})["mean"]
    with open(log, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    failed = check_sums(summary) if pooled else 0
    return reported, sorted((int(arrival), int(start), int(thread)) for arrival, start, _, thread in lines), failed


def drawn(rate, logged):
    """(arrival, service) in seconds as they follow from the seed; the log says which worker served which request."""
    services = [exponentials(SEED, RAND_SERVICE, i) for i in range(POOL_WORKERS)]
    gaps = exponentials(SEED, RAND_ARRIVAL, 0)
    requests, at = [], 0.0
    for arrival_ns, _, thread in logged:
        at += next(gaps) / rate
        if abs(at * 1e9 - arrival_ns) > 1:
            raise SystemExit(f"not ok - arrival {len(requests)} is at {arrival_ns} ns, scheduled was {at * 1e9}")
        requests.append((at, SERVICE_S * next(services[thread])))
    return requests


def check(load, pooled=False):
    rate = load * SERVERS / SERVICE_S
    with tempfile.TemporaryDirectory() as folder:
        reported, logged, failed = run(rate, folder, pooled)
    requests = drawn(rate, logged)
    truth = formula(len(requests) / SECONDS, sum(s for _, s in requests) / len(requests))
    replayed = figures_of(respond(requests))
    for name, (bias, deviation) in scatter(rate).items():
        delay = max(0.0, reported[name] - replayed[name])
        low = truth[name] * math.exp(bias - SIGMAS_BELOW * deviation)
        high = truth[name] * math.exp(bias + SIGMAS_ABOVE * deviation) + delay
        good = low <= reported[name] <= high and reported[name] >= 0.998 * replayed[name]
        failed += not good
        print(f"{'ok' if good else 'not ok'} - load {load}{' of the pool' if pooled else ''}, {name}: formula {truth[name]:.3f}, "
              f"replayed {replayed[name]:.3f}, reported {reported[name]:.3f}, allowed {low:.3f} to {high:.3f} ms")
    return failed


if __name__ == "__main__":
    sys.exit(1 if sum(check(load) for load in LOADS) + sum(check(load, pooled=True) for load in POOL_LOADS) else 0)
