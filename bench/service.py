# SPDX-License-Identifier: GPL-2.0-or-later
"""Response times of `sysrate serve` with an archive of 10 000 generated runs."""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from tools import BENCH, Failed

AT_MOST_MS = 200
ROUNDS = 20
ADDRESSES = ["/", "/?skip=5000", "/?test-name=made_up&verdict=VALID", "/api/v1/runs?limit=1000", "/trend", "/api/v1/trend",
             "/runs/1", "/api/v1/runs/1", "/compare?run=1&run=2", "/compare/page?a=1&b=2"]


def make_archive(bench, folder, runs):
    made = os.path.join(folder, "made")
    os.mkdir(made)
    subprocess.run([sys.executable, os.path.join(BENCH, "..", "tests", "cli", "make_history.py"), made, str(runs)], check=True)
    subprocess.run([bench.ours.program, "archive", "add", folder + "/runs", made], check=True, stdout=subprocess.DEVNULL)


def fetch_ms(address):
    begin = time.monotonic()
    with urllib.request.urlopen(address, timeout=60) as answer:
        answer.read()
    return 1000 * (time.monotonic() - begin)


def measure(bench, service):
    line = service.stdout.readline()
    if " at http://" not in line:
        raise Failed("sysrate serve: " + line)
    place = line.split(" at ")[1].strip().rstrip("/")
    fetch_ms(place + "/trend")  # the first request judges all runs; the archive keeps the result
    for address in ADDRESSES:
        times = [fetch_ms(place + address) for _ in range(ROUNDS)]
        bench.table.absolute(address + ", median", statistics.median(times), None, "ms", at_most=AT_MOST_MS)
        bench.table.absolute(address + ", longest", max(times), None, "ms", at_most=AT_MOST_MS)


def serve(bench):
    """Response times of pages and lists with an archive of 10 000 runs."""
    runs = bench.pick(10000, 1000)
    bench.table.heading("sysrate serve on an archive of %d runs, %d requests each" % (runs, ROUNDS))
    with tempfile.TemporaryDirectory(prefix="sysrate-bench.") as folder:
        make_archive(bench, folder, runs)
        service = subprocess.Popen([bench.ours.program, "serve", "--port=0", folder + "/runs"], stdout=subprocess.PIPE, text=True)
        try:
            measure(bench, service)
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait()


SECTIONS = {"serve": serve}
