# SPDX-License-Identifier: GPL-2.0-or-later
"""PostgreSQL's own benchmark as a peer: point selects, and how late it starts what is scheduled (--rate)."""

import contextlib
import glob
import math
import os
import tempfile

from servers import PostgreSQL
from tools import Failed, NotAvailable, run

SELECT = "\\set id random(1, %d)\nSELECT c FROM sbtest1 WHERE id = :id;\n"
EMPTY = "\\set nothing 0\n"  # no statement: what is measured is the tool
LAG_FIELD = 6  # of a line of its log, in µs


def percentile(values, percent):
    """Nearest rank."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


class Pgbench:
    name = "pgbench"

    def __init__(self, server, folder):
        # Not the one in the PATH, which is a script that looks for this one.
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
        """From the scheduled time of empty transactions until they start."""
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
    """One that has a private server to connect to."""
    with PostgreSQL.running() as server, tempfile.TemporaryDirectory() as folder:
        yield Pgbench(server, folder)
