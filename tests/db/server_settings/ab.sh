#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests ab --a-server on MariaDB or MySQL and on PostgreSQL: each block has the values of its variant, and the old values are restored at
# the end, after Ctrl-C, and after kill -9 by the next start.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

flush=innodb_flush_log_at_trx_commit
mysql_value() { mysql_sql "SELECT @@GLOBAL.$flush"; }
pgsql_value() { pgsql_sql "SHOW synchronous_commit" sbtest; }

# ab OPTION...: an experiment with short blocks on the server of $connect.
ab() {
    run "$SYSRATE" ab --out=dir --allow-server-changes --max-pairs=2 --seed=1 "$@" -- oltp_point_select "${connect[@]}" --tables=1 \
        --table-size=100 --threads=1 --time="${time:-0.2}"
}

# configs NAME: the values in the reports of A, then of B.
# jq 1.7 prints the number 1.0 as 1.0, and other versions as 1.
whole='if type == "number" then . + 0 else . end'
configs() { jq -r ".config[\"server.$1\"] | $whole" dir/pair-*-a.json dir/pair-*-b.json | xargs; }

test_mysql() {
    server_options mysql
    "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=100 prepare >/dev/null
    mysql_sql "GRANT ALL ON *.* TO sbtest@'%'"
    mysql_sql "SET GLOBAL $flush = 0"
    rm -rf dir
    ab --a-server=$flush=1 --b-server=$flush=2
    check_equal "MySQL: the experiment ran" 7 "$status"
    check_match "MySQL: the changes are named" "that will be changed: $flush \(now 0\) to 1, 2\$" "$out"
    check_equal "MySQL: values in the reports" "1 1 2 2" "$(configs $flush)"
    check_equal "MySQL: restored" 0 "$(mysql_value)"
    ab --a-server=$flush=1 --b-server=$flush=2
    check_no_match "MySQL: no block is missing, so nothing is changed" "will be changed" "$out"
    rm -rf dir
    ab --b-server=$flush=2
    check_equal "MySQL: a variant without the setting has the old value, and no value in its reports" "null null 2 2" "$(configs $flush)"
    rm -rf dir
    ab --b-server=$flush=nonsense
    check_equal "MySQL: a value that is refused: exit status" 1 "$status"
    check_equal "MySQL: a value that is refused: no block" 0 "$(find dir -name 'pair-*' | wc -l)"
    check_equal "MySQL: a value that is refused: restored" 0 "$(mysql_value)"
}

# Longer ranges read more rows, and the ratio of the rows does not depend on speed.
test_work() {
    rm -rf dir
    run "$SYSRATE" ab --out=dir --seed=1 --a=--range-size=10 --b=--range-size=40 --until='server.rows_read±50%' --max-pairs=4 -- \
        oltp_read_only "${connect[@]}" --tables=1 --table-size=100 --threads=1 --time=0.5
    check_equal "work per request: exit status" 5 "$status"
    check_match "work per request: a row of the table" '^\| server.rows_read per request +\| .* \| +±50 \| worse +\|$' "$out"
    check_match "work per request: in the verdict" '^Verdict: B is worse: server.rows_read \+' "$out"
    check_equal "work per request: figures that were not asked are not judged" null \
        "$(jq -r '.experiment.figures[] | select(.name == "server.buffer_requests").result' dir/ab.json)"
    check "work per request: the values of a block" jq -e '.experiment.pairs[0].a.figures["server.rows_read"] > 1' dir/ab.json
}

# interrupt SIGNAL: ends an experiment when the server has the value of a variant.
interrupt() {
    local pid i=0
    rm -rf dir
    "$SYSRATE" ab --out=dir --allow-server-changes --seed=1 --a-server=$flush=1 --b-server=$flush=2 -- oltp_point_select "${connect[@]}" \
        --tables=1 --table-size=100 --threads=1 --time=3 >ab.out 2>ab.err &
    pid=$!
    while [ "$(mysql_value)" = 0 ] && ((i++ < 600)); do sleep 0.05; done
    kill "-$1" "$pid"
    wait "$pid" 2>/dev/null
    status=$?
}

test_interrupted() {
    interrupt INT
    check_equal "Ctrl-C: exit status" 130 "$status"
    check_equal "Ctrl-C: restored" 0 "$(mysql_value)"
    interrupt KILL
    check "kill -9: the journal is there" test -s dir/server-settings.journal
    time=3 ab --a-server=$flush=1 --b-server=$flush=2
    check_match "kill -9: the next start restores" "restored: $flush=0" "$out"
    check_equal "kill -9: restored at the end" 0 "$(mysql_value)"
}

test_pgsql() {
    server_options pgsql
    "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=100 prepare >/dev/null
    pgsql_sql "ALTER USER sbtest SUPERUSER"
    local before
    before=$(pgsql_value)
    rm -rf dir
    ab --a-server=synchronous_commit=off --b-server=synchronous_commit=local
    check_equal "PostgreSQL: the experiment ran" 7 "$status"
    check_equal "PostgreSQL: values in the reports" "off off local local" "$(configs synchronous_commit)"
    check_equal "PostgreSQL: restored" "$before" "$(pgsql_value)"
}

start_servers
test_mysql
test_work
test_interrupted
test_pgsql
finish
