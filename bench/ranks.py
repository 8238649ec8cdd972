# SPDX-License-Identifier: GPL-2.0-or-later
"""The work of rank 0 in a run of many ranks, with simulated ranks (rank_zero.c)."""

import os
import subprocess

from tools import Failed

AT_MOST_MS = 0.5
CASES = [(2, 1000), (64, 1000), (64, 200000), (1000, 10), (1000, 1000)]


def build(program):
    folder = os.path.dirname(os.path.dirname(program))
    subprocess.run(["make", "-s", "-C", folder, "bench/rank_zero"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "bench", "rank_zero")


def ranks(bench):
    """Cost of receiving, adding and presenting the messages that ranks send each second, and of receiving their results."""
    rank_zero = build(bench.ours.program)
    for count, requests in CASES:
        bench.table.heading("rank 0 of %d ranks with %d requests each a second" % (count, requests))
        done = subprocess.run([rank_zero, str(count), str(requests), str(bench.pick(10, 3))], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Failed("rank_zero failed")
        kb, made, taken, memory, result_kb, result, result_mb = [float(word) for word in done.stdout.split()[:7]]
        bench.table.absolute("message of a rank", kb, None, "kB")
        bench.table.absolute("CPU to make one, in the rank", made, None, "ms")
        bench.table.absolute("CPU at rank 0, for each rank", taken, None, "ms", at_most=AT_MOST_MS)
        bench.table.absolute("memory of rank 0", memory, None, "MB")
        bench.table.absolute("result of a rank", result_kb, None, "kB")
        bench.table.absolute("CPU at rank 0 to read it", result, None, "ms")
        bench.table.absolute("memory for it", result_mb, None, "MB")


SECTIONS = {"ranks": ranks}
