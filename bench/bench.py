#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures sysrate and comparable tools (peers). bench/run.sh calls this program."""

import argparse
import os
import sys
import time

import ab_measured
import coverage
import databases
import engine
import equivalence
import in_turn
import instructions
import pages
import ranks
import sampling
import service
import tpcc
import tpcc_client
import vectors
import weight
from table import Table, first_line, machine, replace_results, write_results
from tools import Failed, NotAvailable, Sysbench, Sysrate

SECTIONS = {**engine.SECTIONS, **instructions.SECTIONS, **databases.SECTIONS, **sampling.SECTIONS, **tpcc.SECTIONS, **tpcc_client.SECTIONS,
            **weight.SECTIONS, **service.SECTIONS, **pages.SECTIONS, **ranks.SECTIONS}
# Sections that are measured only if they are named, because they belong to no table of RESULTS.md.
NAMED = {**ab_measured.SECTIONS, **coverage.SECTIONS, **equivalence.SECTIONS, **in_turn.SECTIONS, **sampling.NAMED, **vectors.SECTIONS}
RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md")


class Bench:
    """State that the sections share."""

    def __init__(self, program, quick, baseline=None):
        self.quick = quick
        self.pairs = self.seconds = None  # of the section equivalence; None: its own
        self.warmup = None  # of the runs of the section waits
        self.baseline = baseline  # another sysrate to compare with, or None
        self.rounds = 1 if quick else 3
        self.ours = Sysrate(program)
        self.peer = Sysbench()
        self.tools = [self.ours, self.peer]
        self.table = Table()

    def pick(self, full, quick):
        return quick if self.quick else full

    def versions(self):
        return [self.ours.version(), self.peer.version(), first_line(["valgrind", "--version"]),
                first_line(["mariadbd", "--no-defaults", "--version"]),
                first_line(["psql", "--version"])]


def arguments():
    parser = argparse.ArgumentParser(
        prog="bench/run.sh", description="Measures sysrate beside its peers and writes bench/RESULTS.md.",
        epilog="Sections: " + "; ".join("%s: %s" % (name, function.__doc__.splitlines()[0].rstrip("."))
                                        for name, function in {**SECTIONS, **NAMED}.items()) + ".")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="measure these sections only; RESULTS.md is then only written with --write")
    parser.add_argument("--quick", action="store_true", help="single short runs, about 4 minutes in all")
    parser.add_argument("--write", action="store_true",
                        help="with sections: replace the tables of these sections in RESULTS.md")
    parser.add_argument("--baseline", metavar="PROGRAM", help="another sysrate with which the section 'weight' compares")
    parser.add_argument("--pairs", type=int, choices=range(2, 11), metavar="N", help="pairs of runs of the section equivalence, 2 to 10")
    parser.add_argument("--seconds", type=int, metavar="N", help="length of these runs")
    parser.add_argument("--program", default="build-bench/src/sysrate", help="the sysrate to measure")
    args = parser.parse_args()
    for name in args.sections:
        if name not in {**SECTIONS, **NAMED}:
            parser.error("no section '%s'; there are: %s" % (name, ", ".join({**SECTIONS, **NAMED})))
    return args


def run_section(bench, name):
    begin = time.monotonic()
    try:
        {**SECTIONS, **NAMED}[name](bench)
    except (Failed, NotAvailable) as reason:
        bench.table.not_available(name, reason)
    print("  (%.0f s)" % (time.monotonic() - begin), flush=True)


def main():
    args = arguments()
    begin = time.monotonic()
    bench = Bench(args.program, args.quick, args.baseline)
    bench.pairs, bench.seconds = args.pairs, args.seconds
    facts = machine(bench.versions())
    print("\n".join(facts))
    for name in args.sections or SECTIONS:
        run_section(bench, name)
    if not args.sections:
        write_results(RESULTS, bench.table, facts, time.monotonic() - begin, args.quick)
        print("\nwritten to " + RESULTS)
    elif args.write:
        replace_results(RESULTS, bench.table, facts)
        print("\nput into " + RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
