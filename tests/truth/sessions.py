#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions on the null driver against the formulas of three queueing networks:

- length 1, the open system: M/M/c, Erlang's C formula;
- geometric length and exponential think times, partly open: users go between the workers and their think times, a network
  with a product form (Baskett, Chandy, Muntz, Palacios 1975). Requests wait as in M/M/c at the rate of all requests; a
  session lasts MEAN responses and MEAN − 1 think times; Little's law gives the number in progress;
- unlimited length and a fixed population, the closed system: the machine-repair model M/M/c//N.

All service and think times are exponential. The report may differ from the formula for two reasons:

- chance: the size of the difference is found by simulating RUNS runs of the same length. The figures are nearly normally
  distributed on a logarithmic scale, with a longer upper tail: the bounds are 5 standard deviations below and 8 above;
- delays caused by the machine make service times longer. The log of requests says how long a request took from the moment
  at which it had been sent and a worker was free. The formula is evaluated with the mean of these times.

TRUTH_SECONDS (12) is the length of each of the three runs.
"""
import heapq
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from checks import steadily  # noqa: E402

SECONDS = float(os.environ.get("TRUTH_SECONDS", "12"))
WARMUP = 1.0
RUNS = 100
SIGMAS_BELOW, SIGMAS_ABOVE = 5, 8
SERVICE_S = 0.004
SERVERS = 2


def mmc(rate, service):
    """Mean response time of M/M/c, in seconds."""
    a = rate * service
    last = a**SERVERS / math.factorial(SERVERS) / (1 - a / SERVERS)
    wait = last / (sum(a**k / math.factorial(k) for k in range(SERVERS)) + last)
    return service + wait / (SERVERS / service - rate)


def repair(population, think, service):
    """Mean response time of M/M/c//N: the number at the workers is a birth-and-death process."""
    weights = [1.0]
    for k in range(1, population + 1):
        weights.append(weights[-1] * (population - k + 1) / think * service / min(k, SERVERS))
    total = sum(weights)
    rate = sum((population - k) / think * w for k, w in enumerate(weights)) / total
    return sum(k * w for k, w in enumerate(weights)) / total / rate


class Model:
    """One of the three systems. rate is that of the sessions, mean their length."""

    def __init__(self, name, rate, mean, think, population=0):
        self.name, self.rate, self.mean, self.think, self.population = name, rate, mean, think, population

    def options(self):
        if self.population:
            return ["--session-rate=1000", "--arrival=constant", f"--sessions={self.population}",
                    "--session-length=unlimited", f"--think=exp({self.think})"]
        length = f"geometric({self.mean})" if self.mean > 1 else "1"
        return [f"--session-rate={self.rate}", f"--session-length={length}", f"--think=exp({self.think})"]

    def formula(self, service):
        if self.population:
            response = repair(self.population, self.think, service)
            return {"response": response, "throughput": self.population / (response + self.think)}
        response = mmc(self.rate * self.mean, service)
        figures = {"response": response, "throughput": self.rate * self.mean}
        if self.mean > 1:
            figures["duration"] = self.mean * response + (self.mean - 1) * self.think
            figures["in progress"] = self.rate * figures["duration"]
        return figures

    def simulate(self, rng):
        """The figures of one run, by a simulation of the events in the order of time."""
        return Simulation(self, rng).figures()


class Simulation:
    def __init__(self, model, rng):
        self.model, self.rng = model, rng
        self.end = WARMUP + SECONDS
        self.free = [0.0] * SERVERS
        self.responses, self.durations, self.spent = [], [], 0.0
        events = [(i / 1000, 0, i / 1000, math.inf) for i in range(1, model.population + 1)] or self.arrivals()
        heapq.heapify(events)
        while events:
            self.step(events, heapq.heappop(events))

    def arrivals(self):
        events, at = [], self.rng.expovariate(self.model.rate)
        while at < self.end:
            length = 1
            while self.rng.random() * self.model.mean >= 1:
                length += 1
            events.append((at, len(events), at, length))
            at += self.rng.expovariate(self.model.rate)
        return events

    def step(self, events, event):
        """Serves a request that is sent at `sent`. Requests are taken in the order in which they were sent."""
        sent, number, begun, left = event
        if sent >= self.end:
            self.leave(begun, self.end)
            return
        done = max(sent, heapq.heappop(self.free)) + self.rng.expovariate(1 / SERVICE_S)
        heapq.heappush(self.free, done)
        if sent >= WARMUP:
            self.responses.append(done - sent)
        if left > 1:
            heapq.heappush(events, (done + self.rng.expovariate(1 / self.model.think), number, begun, left - 1))
        else:
            self.leave(begun, done)

    def leave(self, begun, end):
        if begun >= WARMUP:
            self.durations.append(end - begun)
        self.spent += max(0.0, min(end, self.end) - max(begun, WARMUP))

    def figures(self):
        figures = {"response": sum(self.responses) / len(self.responses), "throughput": len(self.responses) / SECONDS}
        if self.model.mean > 1 and not self.model.population:
            figures["duration"] = sum(self.durations) / len(self.durations)
            figures["in progress"] = self.spent / SECONDS
        return figures


def run(model, folder):
    report, log = os.path.join(folder, "a.json"), os.path.join(folder, "log")
    command = [os.environ.get("SYSRATE", "sysrate"), "oltp_point_select", "--db-driver=null",
               f"--null-service={SERVICE_S}s:exp", f"--threads={SERVERS}", f"--time={SECONDS!r}",
               f"--warmup-time={WARMUP!r}", "--rand-seed=11", f"--json={report}", f"--request-log={log}",
               *model.options(), "run"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=SECONDS + 120)
    with open(report, encoding="utf-8") as file:
        summary = json.load(file)["summary"]
    figures = {"response": summary["response_ms"]["mean"] / 1e3, "throughput": summary["requests"]["offered"] / SECONDS,
               "duration": (summary["session_ms"]["mean"] or 0) / 1e3, "in progress": summary["sessions"]["in_progress_mean"]}
    with open(log, encoding="utf-8") as file:
        return figures, sorted([int(word) for word in line.split()] for line in file if not line.startswith("#"))


def effective_service(logged):
    """Mean time in seconds from the moment at which a request could begin until its end."""
    free, total = [0] * SERVERS, 0
    for arrival, _, end, *_ in sorted(logged, key=lambda request: request[1]):
        total += end - max(arrival, heapq.heappop(free))
        heapq.heappush(free, end)
    return total / len(logged) / 1e9


def scatter(model):
    """Mean and standard deviation of ln (figure / formula) over simulated runs."""
    rng, truth = random.Random(1), model.formula(SERVICE_S)
    runs = [model.simulate(rng) for _ in range(RUNS)]
    result = {}
    for name, value in truth.items():
        logs = [math.log(figures[name] / value) for figures in runs]
        mean = sum(logs) / RUNS
        result[name] = mean, math.sqrt(sum((x - mean) ** 2 for x in logs) / (RUNS - 1))
    return result


def check(model):
    with tempfile.TemporaryDirectory() as folder:
        reported, logged = steadily(run, model, folder)
    service = effective_service(logged)
    truth, failed = model.formula(service), 0
    for name, (bias, deviation) in scatter(model).items():
        low = truth[name] * math.exp(bias - SIGMAS_BELOW * deviation)
        high = truth[name] * math.exp(bias + SIGMAS_ABOVE * deviation)
        good = low <= reported[name] <= high
        failed += not good
        print(f"{'ok' if good else 'not ok'} - {model.name}, {name}: formula {truth[name]:.4f}, reported "
              f"{reported[name]:.4f}, allowed {low:.4f} to {high:.4f} (service {1e3 * service:.3f} ms)")
    return failed


MODELS = (Model("length 1, open", 300, 1, 1), Model("partly open", 60, 5, 0.04), Model("unlimited, closed", 0, 0, 0.04, 20))

if __name__ == "__main__":
    sys.exit(1 if sum(check(model) for model in MODELS) else 0)
