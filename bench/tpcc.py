# SPDX-License-Identifier: GPL-2.0-or-later
"""The time of `tpcc prepare`, compared with bare LOAD DATA or COPY of the same rows with the same number of connections."""

import os
import re
import statistics
import subprocess
import tempfile
import threading
import time

from databases import on_each_server
from tools import Failed, run

THREADS = 2
AT_MOST = 1.25  # highest ratio of our time to the time of the bare load
WAREHOUSE = {"warehouse": "w_id", "district": "d_w_id", "customer": "c_w_id", "history": "h_w_id",
             "orders": "o_w_id", "new_order": "no_w_id", "stock": "s_w_id", "order_line": "ol_w_id"}
TABLES = ["item", *WAREHOUSE]
INDEXES = ["CREATE INDEX bare_name ON bare_customer (c_w_id, c_d_id, c_last, c_first)",
           "CREATE INDEX bare_order ON bare_orders (o_w_id, o_d_id, o_c_id, o_id)"]
KEYS = {"item": "i_id", "warehouse": "w_id", "district": "d_w_id, d_id", "customer": "c_w_id, c_d_id, c_id",
        "orders": "o_w_id, o_d_id, o_id", "new_order": "no_w_id, no_d_id, no_o_id", "stock": "s_w_id, s_i_id",
        "order_line": "ol_w_id, ol_d_id, ol_o_id, ol_number"}


def prepare(bench, server, warehouses):
    options = [*server.options, "--warehouses=%d" % warehouses, "--threads=%d" % THREADS]
    run(bench.ours.command("tpcc", *server.options, command="cleanup"))
    begin = time.monotonic()
    run(bench.ours.command("tpcc", *options, command="prepare"))
    return time.monotonic() - begin


class Bare:
    """The client programs of a server."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        self.is_mysql = server.driver == "mysql"
        if self.is_mysql:
            self.client = ["mariadb", "--no-defaults", "--local-infile=1", "--socket=" + server.socket,
                           "--user=sbtest", "sbtest"]
        else:
            place = [o.split("=", 1)[1] for o in server.options if o.startswith("--pgsql-host=")][0]
            self.client = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", place, "-U", "sbtest",
                           "sbtest"]

    def execute(self, text):
        done = subprocess.run(self.client, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        if done.returncode != 0:
            raise Failed("%s: %s" % (self.client[0], done.stdout[-300:]))

    def file(self, table, warehouse):
        return os.path.join(self.folder, "%s.%d" % (table, warehouse))

    def save(self, table, warehouse):
        """Returns the rows of one warehouse in the format of the bulk load."""
        where = " WHERE %s = %d" % (WAREHOUSE[table], warehouse) if table in WAREHOUSE else ""
        select = "SELECT * FROM tpcc_%s%s" % (table, where)
        with open(self.file(table, warehouse), "w", encoding="ascii") as out:
            if self.is_mysql:
                rows = subprocess.run(self.client + ["--batch", "--skip-column-names", "--quick", "-e", select],
                                      stdout=subprocess.PIPE, text=True, check=True).stdout
                out.write(re.sub(r"\tNULL(?=[\t\n])", r"\t\\N", rows))
            else:
                subprocess.run(self.client + ["-c", "COPY (%s) TO STDOUT" % select], stdout=out, check=True)

    def load(self, table, warehouse):
        if self.is_mysql:
            return "LOAD DATA LOCAL INFILE '%s' INTO TABLE bare_%s;\n" % (self.file(table, warehouse), table)
        return "\\copy bare_%s FROM '%s'\n" % (table, self.file(table, warehouse))

    def create(self):
        text = ""
        for table in TABLES:
            text += "DROP TABLE IF EXISTS bare_%s;\n" % table
            like = "LIKE tpcc_" + table if self.is_mysql else "(LIKE tpcc_%s)" % table
            text += "CREATE TABLE bare_%s %s;\n" % (table, like)
        if self.is_mysql:  # the secondary indexes come after the load
            text += ("DROP INDEX tpcc_customer_name ON bare_customer;\n"
                     "DROP INDEX tpcc_orders_customer ON bare_orders;\n")
        self.execute(text)

    def after(self):
        keys = [] if self.is_mysql else ["ALTER TABLE bare_%s ADD PRIMARY KEY (%s)" % pair for pair in KEYS.items()]
        return keys + INDEXES

    def share(self, texts):
        """Executes the texts with THREADS clients; each client executes one text after the other."""
        texts, failures = list(reversed(texts)), []

        def work():
            while texts and not failures:
                try:
                    self.execute(texts.pop())
                except Failed as reason:
                    failures.append(reason)

        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def time(self, warehouses):
        self.create()
        begin = time.monotonic()
        self.share([self.load("item", 0)] + [self.load(table, w) for w in range(1, warehouses + 1)
                                             for table in reversed(WAREHOUSE)])
        self.share([text + ";\n" for text in self.after()])
        return time.monotonic() - begin


def prepare_on(bench, server):
    warehouses = bench.pick(10, 2)
    with tempfile.TemporaryDirectory(prefix="sysrate-bench.") as folder:
        prepare(bench, server, warehouses)
        bare = Bare(server, folder)
        for table in TABLES:
            for w in range(1, warehouses + 1) if table in WAREHOUSE else [0]:
                bare.save(table, w)
        times = [(prepare(bench, server, warehouses), bare.time(warehouses)) for _ in range(bench.rounds)]
    ours, peer = (statistics.median(column) for column in zip(*times))
    bench.table.compare("%s, %d warehouses" % (server.name, warehouses), ours, peer, "s", at_most=AT_MOST)


def tpcc_prepare(bench):
    """The time of `tpcc prepare`, compared with a bare load of the same rows."""
    bench.table.heading("tpcc prepare: population, keys and indexes, %d connections; the peer: bare LOAD DATA or COPY"
                        % THREADS)
    on_each_server(bench, prepare_on)


SECTIONS = {"tpcc": tpcc_prepare}
