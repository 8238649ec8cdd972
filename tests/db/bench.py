# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of bench/: the search for the highest rate, and the comparison with pgbench on a private PostgreSQL.

The tests check that there are figures, not how good they are.
"""
import os
import sys

sys.path[:0] = [os.path.join(os.environ['SRCDIR'], folder) for folder in ('bench', 'tests')]

import databases
import engine
import pgbench
from bench import Bench
from checks import check, status
from servers import PostgreSQL
from tools import NotAvailable


class Keeper:
    """Simulates a machine that keeps rates up to a limit, except in the calls with the numbers in `disturbed`."""

    def __init__(self, limit, disturbed=()):
        self.limit, self.disturbed, self.asked = limit, disturbed, []

    def __call__(self, rate):
        self.asked.append(rate)
        return rate <= self.limit and len(self.asked) not in self.disturbed


def test_ladder():
    for name, keeper, low, high in (
            ('climbs to the limit', Keeper(3e6), 2.5e6, 3e6),
            ('one disturbed step is climbed over', Keeper(3e6, [4]), 2.5e6, 3e6),
            ('two steps that fail end it at the best so far', Keeper(3e6, [3, 4]), 480e3, 480e3),
            ('disturbed at the start: goes down and climbs again', Keeper(3e6, [1, 2, 3]), 2.5e6, 3e6),
            ('far below the start', Keeper(70e3), 70e3 / 1.2, 70e3),
            ('just below a step', Keeper(120e3 - 1), 100e3, 100e3),
            ('the lowest rate', Keeper(11e3), 10e3, 10e3),
            ('nothing is kept', Keeper(9e3), 0, 0),
            ('everything is kept', Keeper(1e9), 8e6, 10e6)):
        found = engine.highest_rate(keeper, 400e3, 1.2)
        check('highest rate: ' + name, low <= found <= high, (found, keeper.asked))
    keeper = Keeper(0)
    engine.highest_rate(keeper, 400e3, 1.2)
    check('highest rate: down by halves to 10 k/s', keeper.asked[2:] == [200e3, 100e3, 50e3, 25e3, 12.5e3, 10e3], keeper.asked)


def test_nothing_kept(bench):
    """If no rate is kept, the result is n/a, not 0."""
    engine.keeps_rate = lambda *_: False
    engine.arrival_rate(bench)
    row = bench.table.rows[-1]
    check('highest rate: of a machine that keeps none', (row[0], row[1], row[4].split(':')[0]) ==
          ('16 workers', 'n/a', 'not even 10 k/s is kept'), row)


def test_percentile():
    values = list(range(100, 0, -1))
    check('percentile: nearest rank', [pgbench.percentile(values, p) for p in (0, 1, 50, 99, 100)] == [1, 1, 50, 99, 100])


def test_selects(bench, server):
    """Runs the section with few requests and without callgrind."""
    databases.select_instructions = lambda *_: {bench.ours.name: NotAvailable('not asked for')}
    bench.tools, bench.pick = [bench.ours], lambda full, quick: 300
    databases.selects_on(bench, server)
    rows = {row[0]: row for row in bench.table.rows}
    # User time alone may be too short to be measured, so check the row of user + system time.
    row = rows['PostgreSQL, user + system, peer: pgbench']
    check('select: CPU time of pgbench beside ours', row[1].endswith(' µs') and row[2].endswith(' µs'), row)
    check('select: all three kinds', {'PostgreSQL, %s, peer: pgbench' % kind for kind in ('user', 'instructions')} <= set(rows))


def test_lags(bench, peer):
    for tool in (bench.ours, peer):
        lag = tool.start_lag_p99_us(500, 4, 1)
        check('start behind schedule: ' + tool.name, 0 < lag < 60e6, lag)


def test_on_server(bench):
    try:
        databases.require_driver(bench, PostgreSQL)
        with PostgreSQL.running() as server:
            test_selects(bench, server)
        with pgbench.running() as peer:
            test_lags(bench, peer)
    except NotAvailable as reason:
        print('skip - pgbench beside ours (%s)' % reason)


def main():
    bench = Bench(os.environ['SYSRATE'], quick=True)
    test_ladder()
    test_nothing_kept(bench)
    test_percentile()
    test_on_server(bench)
    sys.exit(status())


if __name__ == '__main__':
    main()
