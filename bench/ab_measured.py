# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether ab finds a known difference of 5 % sooner than compare, on measured blocks."""

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time

from servers import PostgreSQL
from tools import BENCH, Failed, run

SCRIPT = os.path.join(BENCH, "scripts", "range_sum.lua")
# The neighbours use all processors at the lowest priority for BUSY_S of each PERIOD_S seconds. This makes p95 of a block 1.7 times as long.
BUSY_S, PERIOD_S = 80, 240


@contextlib.contextmanager
def neighbours():
    """Other programs on the machine, which are busy from time to time."""
    loop = ("import time\nwhile True:\n    end = time.monotonic() + %d\n    while time.monotonic() < end:\n        pass\n    time.sleep(%d)"
            % (BUSY_S, PERIOD_S - BUSY_S))
    children = [subprocess.Popen(["nice", "-n", "19", sys.executable, "-c", loop]) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()


def block(bench, server, percent, seed):
    """Returns p95 of a block of five seconds in milliseconds."""
    command = bench.ours.command(SCRIPT, *server.options, "--percent=%d" % percent, "--threads=4", "--tx-rate=250", "--time=5",
                                 "--warmup-time=0.3", "--percentile=95", "--rand-seed=%d" % seed)
    return bench.ours.run_with_json(command)[1]["summary"]["response_ms"]["percentiles"]["p95"]["value"]


def measure_pairs(bench, server, file):
    order = random.Random(1)
    for seed in range(1, bench.pick(60, 6) + 1):
        p95 = {}
        for percent in (100, 105) if order.random() < 0.5 else (105, 100):
            p95[percent] = block(bench, server, percent, seed)
        print("%.6f %.6f" % (p95[100], p95[105]), file=file)


def ab(bench):
    """Pairs needed by ab and runs needed by compare to find a difference of 5 % in p95, on a machine with noisy neighbours."""
    bench.table.heading("A known difference of 5 % in p95: blocks of 5 s on PostgreSQL, 250 requests per second")
    build = os.path.dirname(os.path.dirname(os.path.abspath(bench.ours.program)))
    subprocess.run(["make", "-s", "-C", build, "bench/ab_truth"], check=True)
    with PostgreSQL.running() as server, neighbours(), tempfile.NamedTemporaryFile("w", suffix=".pairs") as file:
        run(bench.ours.command("oltp_read_only", *server.options, "--tables=1", "--table-size=120000", command="prepare"))
        begin = time.monotonic()
        measure_pairs(bench, server, file)
        file.flush()
        result = subprocess.run([os.path.join(build, "bench/ab_truth"), "--measured", file.name], text=True, capture_output=True, check=False)
    if result.returncode != 0:
        raise Failed(result.stderr)
    print("  measured for %.0f s\n%s" % (time.monotonic() - begin, result.stdout))


SECTIONS = {"ab": ab}
