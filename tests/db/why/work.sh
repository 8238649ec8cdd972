#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Work per completed request (--server-stats) on MySQL or MariaDB and PostgreSQL: log bytes and rows of requests that write and read a
# known amount, in text, JSON and CSV, with a warm-up and with several connections.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

json() { jq -c "$1" a.json; }
work() { json ".probes.work_per_request.$1"; }

load() {
    run "$SYSRATE" "$1" "${connect[@]}" --threads=2 --server-stats=0.5 --json=a.json "${@:2}" run
    check_equal "$server, $1: exits 0" 0 "$status"
}

# Each request writes a text of 100 000 bytes that cannot be compressed or shared, and reads all 1000 rows of a table without an index.
write_scripts() {
    cat >write.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query(statement) end
LUA
    cat write.lua >write_mysql.lua
    echo 'statement = "INSERT INTO logged (data) VALUES (REPEAT(\"a\", 100000))"' >>write_mysql.lua
    cat write.lua >write_pgsql.lua
    echo "statement = \"SELECT pg_logical_emit_message(true, 'x', repeat('a', 100000))\"" >>write_pgsql.lua
    cat >read.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT count(*) FROM scanned WHERE n >= 0")
   con:query("INSERT INTO written VALUES (1)")
end
LUA
}

# PostgreSQL writes the text as one record, with less than 100 bytes of headers, and a header of 24 bytes for each page of 8192 bytes;
# other programs of the server write a few KiB. InnoDB writes the text to pages of its own, with at most 100 bytes for each of its
# seven pages, the row, and an undo record; each commit may fill a block of 4096 bytes. Each commit must write its log before it ends:
# otherwise up to a whole log buffer (64 MiB on MySQL 9) is written after the run, and counted in the next one.
test_log() {
    load "write_$server.lua" --events=500 --time=0
    check_between "$server: log bytes" 100000 "$(work "server.log_bytes")" 112000
    check_equal "$server: requests" 500 "$(work requests)"
    check_match "$server: in the text" "^    per completed request \(500 requests of the whole run\):$" "$out"
    check_match "$server: log bytes in the text" '^        server   log bytes +1[01][0-9]{4}\.[0-9]{3}$' "$out"
    # The warm-up has requests, too: dividing by those after it would double the figure.
    load "write_$server.lua" --tx-rate=100 --warmup-time=1 --time=1
    check_between "$server, with a warm-up: log bytes" 100000 "$(work "server.log_bytes")" 120000
    check_equal "$server, with a warm-up: more requests than those measured" true \
        "$(json '.probes.work_per_request.requests > 1.3 * .summary.requests.completed')"
}

# A run of 500 requests takes a few samples, each of which reads some rows of the server's own tables. The last sample is taken when the
# server has counted the rows of all INSERTs.
test_rows() {
    load read.lua --events=500 --time=0
    check_between "$server: rows read" 1000 "$(work "server.rows_read")" 1050
    check_between "$server: rows changed" 0.99 "$(work "server.rows_changed")" 1.1
    check_equal "$server: buffer requests" true "$(work "server.buffer_requests >= 1")"
    check_equal "$server: the machine used CPU, of which the client used a part" true \
        "$(work "machine | .cpu_us > 0 and .client_cpu_us > 0")"
    check_equal "$server: context switches" true "$(work "machine.context_switches > 0")"
}

test_server() {
    server_options "$server"
    test_log
    test_rows
}

write_scripts
start_servers mysql pgsql
mysql_sql "CREATE TABLE sbtest.logged (id INT AUTO_INCREMENT PRIMARY KEY, data MEDIUMTEXT) ENGINE=InnoDB;
    CREATE TABLE sbtest.scanned (n INT) ENGINE=InnoDB; INSERT INTO sbtest.scanned SELECT seq FROM $(numbers 1000);
    CREATE TABLE sbtest.written (n INT) ENGINE=InnoDB; SET GLOBAL innodb_flush_log_at_trx_commit = 2"
pgsql_sql "CREATE TABLE scanned AS SELECT generate_series(1, 1000) AS n; CREATE TABLE written (n INT);
    GRANT ALL ON scanned, written TO sbtest" sbtest
server=mysql test_server
server=pgsql test_server
finish
