# SPDX-License-Identifier: GPL-2.0-or-later
"""pgbench, PostgreSQL's own benchmark, as a peer: point selects, and the lateness of scheduled transactions (--rate)."""

import contextlib
import glob
import math
import os
import tempfile

from servers import PostgreSQL
from tools import Failed, NotAvailable, run

SELECT = "\\set id random(1, %d)\nSELECT c FROM sbtest1 WHERE id = :id;\n"
EMPTY = "\\set nothing 0\n"  # a transaction without statements, to measure the tool only
LAG_FIELD = 6  # index of the lag, in µs, in a line of pgbench's log


def percentile(values, percent):
    """Returns the percentile by the nearest-rank method."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


class Pgbench:
    name = "pgbench"

    def __init__(self, server, folder):
        # The pgbench in the PATH is a script of Debian that searches for the real program. The real program is started directly.
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/pgbench"))
        if not programs:
            raise NotAvailable("pgbench is not installed")
        self.program, self.connect, self.folder = programs[-1], server.pgbench_arguments, folder

    def command(self, script, *options):
        path = os.path.join(self.folder, "pgbench.sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        return [self.program, "--no-vacuum", "--file=" + path, *options, *self.connect]

    def select_command(self, rows, events):
        return self.command(SELECT % rows, "--protocol=prepared", "--client=1", "--transactions=%d" % events)

    def start_lag_p99_us(self, rate, clients, seconds):
        """Returns how long after their scheduled times empty transactions start."""
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.join(folder, "log")
            run(self.command(EMPTY, "--rate=%d" % rate, "--client=%d" % clients, "--jobs=%d" % clients,
                             "--time=%d" % seconds, "--log", "--log-prefix=" + prefix))
            lags = []
            for path in glob.glob(prefix + ".*"):
                with open(path, encoding="ascii") as file:
                    lags += [int(line.split()[LAG_FIELD]) for line in file]
        if not lags:
            raise Failed("pgbench logged no transaction")
        return percentile(lags, 99)


@contextlib.contextmanager
def running():
    """Yields a Pgbench that is connected to a private server."""
    with PostgreSQL.running() as server, tempfile.TemporaryDirectory() as folder:
        yield Pgbench(server, folder)
