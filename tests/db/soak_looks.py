# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks a long run for soak.sh. Prints a line for each problem, and nothing if there is none.

soak_looks.py look FILE PID URL         adds a line to FILE with memory, descriptors, threads, and the counters at URL, which must add up
soak_looks.py end FILE REPORT.json CSV  checks that nothing has grown between the lines of FILE, and that the intervals add up to the run
soak_looks.py freeze PID SECONDS        stops a random thread, except the first, for this time
"""
import csv
import ctypes
import glob
import json
import os
import random
import statistics
import sys
import time
import urllib.request

WORKERS = 8
COUNTS = ("offered", "completed", "failed", "dropped")
# Memory per interval, which the program keeps for the JSON report.
BYTES_PER_INTERVAL = 12 << 10
# Allowed growth of memory between two checks, because of the allocator.
SLACK_BYTES = 3 << 20
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WAIT_ALL = 0x40000000


def look_at_process(pid):
    with open("/proc/%s/status" % pid) as file:
        status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    return {"anonymous_bytes": int(status["RssAnon"].split()[0]) << 10, "threads": int(status["Threads"]),
            "descriptors": len(os.listdir("/proc/%s/fd" % pid))}


def look_at_metrics(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        lines = answer.read().decode().splitlines()
    value = {}
    for line in lines:
        name, _, number = line.partition(" ")
        if name.startswith("sysrate_requests_") or name in ("sysrate_queue", "sysrate_busy", "sysrate_reconnects_total"):
            value[name.removeprefix("sysrate_").removeprefix("requests_").removesuffix("_total")] = float(number)
    return value


def look(path, pid, url):
    seen = {"at": time.time(), **look_at_process(pid), **look_at_metrics(url)}
    before = looks(path)[-1] if os.path.exists(path) else seen
    with open(path, "a") as file:
        file.write(json.dumps(seen) + "\n")
    known = seen["completed"] + seen["failed"] + seen["dropped"] + seen["queue"] + seen["busy"]
    # The counts may differ by one per worker: they are read one after another, and a request whose worker has not woken up yet is in
    # none of them.
    if abs(seen["offered"] - known) > WORKERS:
        print("%d requests were offered, and %d are known: %s" % (seen["offered"], known, seen))
    for name in COUNTS:
        if seen[name] < before[name]:
            print("%s falls from %d to %d" % (name, before[name], seen[name]))


def looks(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def middle(part, name):
    return statistics.median(one[name] for one in part)


def judge_growth(seen, intervals):
    """Compares the last quarter of the lines with the second quarter. In the first quarter, caches and buffers fill."""
    quarter = len(seen) // 4
    early, late = seen[quarter:2 * quarter], seen[-quarter:]
    between = intervals * (late[quarter // 2]["at"] - early[quarter // 2]["at"]) / (seen[-1]["at"] - seen[0]["at"])
    grown = middle(late, "anonymous_bytes") - middle(early, "anonymous_bytes")
    if grown > SLACK_BYTES + between * BYTES_PER_INTERVAL:
        print("memory has grown by %d bytes in %d intervals" % (grown, between))
    for name in ("threads", "descriptors"):
        most = max(one[name] for one in early)
        if middle(late, name) > most:
            print("%s: %d early, %d late" % (name, most, middle(late, name)))


def judge_sums(report, rows):
    """Compares the sums over the intervals and over the rows of the CSV with the counts of the whole run."""
    summary = report["summary"]
    requests = summary["requests"]
    if requests["offered"] != requests["completed"] + requests["failed"] + requests["dropped"] + requests["unfinished"]:
        print("requests do not add up: %s" % requests)
    for name in COUNTS:
        for kind, parts in (("intervals", report["intervals"]), ("rows of the CSV", rows)):
            total = sum(float(part[name]) for part in parts)
            if total != requests[name]:
                print("%s: %d in %s, %d in all" % (name, total, kind, requests[name]))
    for name, total in summary["counters"].items():
        parts = sum(interval["counters"][name] for interval in report["intervals"])
        if parts != total:
            print("%s: %d in intervals, %d in all" % (name, parts, total))


def end(path, report_path, csv_path):
    with open(report_path) as file:
        report = json.load(file)
    with open(csv_path, newline="") as file:
        rows = list(csv.DictReader(file))
    seen = looks(path)
    judge_growth(seen, len(report["intervals"]))
    judge_sums(report, rows)
    if seen[-1]["completed"] > report["summary"]["requests"]["completed"]:
        print("the metrics had more completed requests than the report")
    first, last, counters = seen[len(seen) // 4], seen[-1], report["summary"]["counters"]
    print("%d looks, %d intervals; memory %.1f MiB, later %.1f MiB; descriptors %d, %d; threads %d, %d; %d requests, %d errors, %d reconnects"
          % (len(seen), len(rows), first["anonymous_bytes"] / 2**20, last["anonymous_bytes"] / 2**20, first["descriptors"],
             last["descriptors"], first["threads"], last["threads"], report["summary"]["requests"]["offered"], counters["errors"],
             counters["reconnects"]), file=sys.stderr)


def freeze(pid, seconds):
    threads = [int(os.path.basename(path)) for path in glob.glob("/proc/%s/task/*" % pid)]
    thread = random.choice([number for number in threads if number != int(pid)])
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if library.ptrace(PTRACE_SEIZE, thread, None, None) != 0:
        return  # it has ended, or is not to be looked into here
    library.ptrace(PTRACE_INTERRUPT, thread, None, None)
    os.waitpid(thread, WAIT_ALL)
    time.sleep(float(seconds))
    library.ptrace(PTRACE_DETACH, thread, None, None)


{"look": look, "end": end, "freeze": freeze}[sys.argv[1]](*sys.argv[2:])
