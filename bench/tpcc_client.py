# SPDX-License-Identifier: GPL-2.0-or-later
"""The CPU time of the client per tpcc transaction, compared with the same transactions as pgbench scripts."""

import os
import tempfile

from databases import usage_of
from instructions import measure, per_event
from pgbench import Pgbench
from servers import PostgreSQL
from tools import run

AT_MOST = 1.1  # highest ratio of our CPU time per transaction to that of pgbench
ITEMS, CUSTOMERS = 100000, 3000
MOST_LINES, LEAST_LINES = 15, 5

# Both tools use one warehouse and two of the five transaction types, which are 88 % of the mix. The statements, their order, the number of
# order lines and the choice of customers are those of src/lua/tpcc_transactions.lua. pgbench scripts have neither arrays nor text
# functions: each order line is written out, and the server composes texts.
NEW_ORDER_HEAD = """\\set d random(1, 10)
\\set c ((random(0, 1023) | random(1, {customers})) + 77) % {customers} + 1
\\set n random({least}, {most})
BEGIN;
SELECT w_tax FROM tpcc_warehouse WHERE w_id = 1 \\gset
SELECT d_tax, d_next_o_id AS o FROM tpcc_district WHERE d_w_id = 1 AND d_id = :d FOR UPDATE \\gset
UPDATE tpcc_district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = :d;
SELECT c_discount, c_last, c_credit FROM tpcc_customer WHERE c_w_id = 1 AND c_d_id = :d AND c_id = :c \\gset
INSERT INTO tpcc_orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) VALUES (:o, :d, 1, :c, \
CURRENT_TIMESTAMP, NULL, :n, 1);
INSERT INTO tpcc_new_order (no_o_id, no_d_id, no_w_id) VALUES (:o, :d, 1);
"""

LINE = """\\if :n >= {number}
\\set i ((random(0, 8191) | random(1, {items})) + 4711) % {items} + 1
\\set q random(1, 10)
SELECT i_price, i_name, i_data FROM tpcc_item WHERE i_id = :i \\gset
SELECT s_quantity, s_data, CASE :d::int WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 \
WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 \
END AS dist, s_w_id FROM tpcc_stock WHERE s_w_id = 1 AND s_i_id = :i FOR UPDATE \\gset
\\set left CASE WHEN :s_quantity >= :q + 10 THEN :s_quantity - :q ELSE :s_quantity - :q + 91 END
\\set amount :i_price * :q
UPDATE tpcc_stock SET s_quantity = :left, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + 0 \
WHERE s_w_id = 1 AND s_i_id = :i;
INSERT INTO tpcc_order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, \
ol_amount, ol_dist_info) VALUES (:o, :d, 1, {number}, :i, 1, NULL, :q, :amount, :dist);
\\endif
"""

PAYMENT = """\\set d random(1, 10)
\\set c ((random(0, 1023) | random(1, {customers})) + 77) % {customers} + 1
\\set cents random(100, 500000)
\\set amount :cents / 100.0
\\set named random(1, 100)
\\set bad random(1, 10)
BEGIN;
UPDATE tpcc_warehouse SET w_ytd = w_ytd + :amount WHERE w_id = 1;
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM tpcc_warehouse WHERE w_id = 1 \\gset
UPDATE tpcc_district SET d_ytd = d_ytd + :amount WHERE d_w_id = 1 AND d_id = :d;
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM tpcc_district WHERE d_w_id = 1 AND d_id = :d \\gset
\\if :named <= 60
SELECT c_id FROM tpcc_customer WHERE c_w_id = 1 AND c_d_id = :d AND c_last = (SELECT c_last FROM tpcc_customer WHERE c_w_id = 1 \
AND c_d_id = :d AND c_id = :c) ORDER BY c_first, c_id;
\\endif
SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, \
c_discount, c_balance FROM tpcc_customer WHERE c_w_id = 1 AND c_d_id = :d AND c_id = :c FOR UPDATE \\gset
\\if :bad = 1
SELECT c_data FROM tpcc_customer WHERE c_w_id = 1 AND c_d_id = :d AND c_id = :c \\gset
UPDATE tpcc_customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount, \
c_payment_cnt = c_payment_cnt + 1, c_data = :c_data WHERE c_w_id = 1 AND c_d_id = :d AND c_id = :c;
\\else
UPDATE tpcc_customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount, \
c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = 1 AND c_d_id = :d AND c_id = :c;
\\endif
INSERT INTO tpcc_history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (:c, :d, 1, :d, 1, \
CURRENT_TIMESTAMP, :amount, :w_name);
COMMIT;
"""


def new_order():
    lines = [LINE.format(number=number, items=ITEMS) for number in range(1, MOST_LINES + 1)]
    return NEW_ORDER_HEAD.format(customers=CUSTOMERS, least=LEAST_LINES, most=MOST_LINES) + "".join(lines) + "COMMIT;\n"


class Scripts(Pgbench):
    """pgbench with a script for each of the two transactions. Their weights are the shares of the mix."""

    def command_of(self, events):
        command = [self.program, "--no-vacuum", "--protocol=prepared", "--client=1", "--transactions=%d" % events]
        for name, text, weight in (("new_order", new_order(), 45), ("payment", PAYMENT.format(customers=CUSTOMERS), 43)):
            path = os.path.join(self.folder, name + ".sql")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            command.append("--file=%s@%d" % (path, weight))
        return command + self.connect


def tpcc_client(bench):
    """CPU time of the client per New-Order or Payment transaction."""
    bench.table.heading("tpcc: CPU of the client per transaction, New-Order and Payment as 45 to 43, 1 worker; peer: pgbench")
    with PostgreSQL.running() as server, tempfile.TemporaryDirectory() as folder:
        peer = Scripts(server, folder)
        run(bench.ours.command("tpcc", *server.options, "--warehouses=1", "--threads=2", command="prepare"))

        def command_of(tool, events):
            if tool is peer:
                return peer.command_of(events)
            return tool.command("tpcc", *server.options, "--mix=45,43,0,0,0", "--threads=1", "--deferred-threads=0", "--time=0",
                                "--events=%d" % events)

        usage = usage_of(bench, [bench.ours, peer], command_of, bench.pick(20000, 5000))
        for i, label in enumerate(("user", "user + system")):
            bench.table.compare("PostgreSQL, " + label, usage[bench.ours.name][i], usage[peer.name][i], "µs",
                                at_most=AT_MOST if i == 1 else None)
        ours, other = (measure(per_event, lambda n, t=tool: command_of(t, n), 300, 1300) for tool in (bench.ours, peer))
        bench.table.compare("PostgreSQL, instructions", ours, other, "")


SECTIONS = {"tpcc-client": tpcc_client}
