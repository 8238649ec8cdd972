#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests all bundled workloads through poolers and a proxy (poolers_lib.sh), with the statement modes that work there; what messages say
# if a mode does not work; poolers that are killed and come back; pools whose sessions are all in use; --server-stats and --check-tables.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1
. "$TESTS_DIR/db/connections/poolers_lib.sh" || exit 1

OLTP="oltp_delete oltp_insert oltp_point_select oltp_read_only oltp_read_write oltp_update_index oltp_update_non_index oltp_write_only
    select_random_points select_random_ranges"

has_driver() { "$SYSRATE" --help | grep -q "^  $1 - "; }
if ! has_driver pgsql; then
    skip "poolers" "built without the pgsql driver"
    pass "nothing to test"
    finish
fi
servers=(pgsql)
poolers=(pgbouncer_transaction pgbouncer_statement pgpool haproxy)
if has_driver mysql; then
    servers+=(mysql)
    poolers+=(haproxy_mysql)
fi
start_servers "${servers[@]}"
prepare_table() {
    run "$SYSRATE" oltp_read_write "${direct[@]}" --tables=1 --table-size=1000 prepare
    check_equal "prepare" 0 "$status"
}
# prepare_all SERVER: prepares all tables, and sets the array $direct to the options that connect to the server itself.
prepare_all() {
    server_options "$1"
    direct=("${connect[@]}")
    prepare_table
    run "$SYSRATE" oltp_json "${direct[@]}" --tables=1 --table-size=100 prepare
    check_equal "prepare oltp_json" 0 "$status"
    run "$SYSRATE" tpcc "${direct[@]}" --warehouses=1 --shrink=100 prepare
    check_equal "prepare tpcc" 0 "$status"
    vectors=
    if has_vectors "$1"; then
        vectors=yes
        run "$SYSRATE" oltp_vector "${direct[@]}" "${few_vectors[@]}" prepare
        check_equal "prepare oltp_vector" 0 "$status"
    fi
}
few_vectors=(--vectors=200 --dimensions=4 --queries=10 --index=none)
# Debian 12 has no server with vectors.
has_vectors() {
    if [ "$1" = mysql ]; then
        mysql_sql "SELECT VEC_FromText('[1]')" >/dev/null 2>&1
    else
        pgsql_sql "CREATE EXTENSION IF NOT EXISTS vector" sbtest >/dev/null 2>&1
    fi
}

# through MODE TEST OPTION...: 4 workers execute 40 events with this statement mode.
through() {
    run "$SYSRATE" "$2" "${connect[@]}" --threads=4 --events=40 --time=0 --db-ps-mode="$1" "${@:3}" run
    check_equal "$pooler: $2 ${*:3} --db-ps-mode=$1" "0 40" "$status $(sed -n 's/^ *total number of events: *//p' <<<"$out")"
}

# all_workloads MODE: the tests that use one table or several, JSON documents, and TPC-C.
all_workloads() {
    local test extra=()
    if [ "$pooler" = pgbouncer_statement ]; then
        extra=(--skip_trx)
    fi
    for test in $OLTP; do
        through "$1" "$test" --tables=1 --table-size=1000 "${extra[@]}"
    done
    through "$1" oltp_json --tables=1 --table-size=100
    if [ -n "$vectors" ]; then
        through "$1" oltp_vector "${few_vectors[@]}"
    fi
    if [ "$pooler" != pgbouncer_statement ]; then
        through "$1" tpcc
    fi
    # Its tables have the same names.
    "$SYSRATE" oltp_read_write "${direct[@]}" --tables=1 cleanup >/dev/null
    run "$SYSRATE" bulk_insert "${connect[@]}" --threads=4 prepare
    through "$1" bulk_insert
    "$SYSRATE" bulk_insert "${direct[@]}" --threads=4 cleanup >/dev/null
    prepare_table
}

# check_statistics: samples of the server and the check of the tables, on their own connections through the pooler.
check_statistics() {
    steadily run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=1000 --threads=2 --tx-rate=50 --time=2 --db-ps-mode=disable \
        --server-stats=0.5 --check-tables --json=report.json run
    check_equal "$pooler: --server-stats and --check-tables" 0 "$status"
    check_equal "$pooler: --server-stats has samples" true \
        "$(jq -c '.probes.sources[0] | if .mean.samples > 1 then true else [.mean.samples, .gaps] end' report.json)"
    run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=2000 --threads=2 --events=10 --time=0 \
        --db-ps-mode=disable --check-tables run
    check_match "$pooler: --check-tables compares the table with the options" '^WARNING: .*sbtest1' "$err"
}

answers_now() { pooler_sql "$1" "SELECT 1" >/dev/null 2>&1; }

# The last second of the run had at least 30 of its 50 requests.
completes_again() { grep 'tps: ' out 2>/dev/null | tail -n 1 | grep -Eq 'tps: ([3-9][0-9]|[0-9]{3,})\.'; }

# check_restart: the pooler is killed during a run and comes back. Errors of lost connections are ignored, so the workers reconnect.
check_restart() {
    local pid
    rm -f out report.json # of the pooler before
    "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=1000 --threads=2 --tx-rate=50 --time=60 --db-ps-mode=disable \
        "$ignored" --report-interval=1 --json=report.json run >out 2>err &
    pid=$!
    wait_for 30 grep -qs '^\[ 1s \]' out
    stop_server KILL "$pooler"
    sleep 0.5
    start_server "$pooler"
    wait_for 30 answers_now "$pooler"
    wait_for 30 completes_again
    sleep 3 # pauses between attempts to reconnect are at most one second
    kill -INT "$pid"
    wait "$pid"
    check_equal "$pooler: killed and restarted: both workers reconnect" true "$(jq '.summary.counters.reconnects >= 2' report.json)"
    check_equal "$pooler: killed and restarted: requests complete again" true "$(jq '.summary.requests.completed > 100' report.json)"
    check_equal "$pooler: killed and restarted: their times to connect are measured" true \
        "$(jq '.summary | .connect_ms.count >= .counters.reconnects + 2' report.json)"
}

ignored=--pgsql-ignore-errors=08006,57P01,08P01
prepare_all pgsql
for pooler in "${poolers[@]}"; do
    if ! has_pooler "$pooler"; then
        skip "$pooler" "${pooler%%_*} is not installed"
        continue
    fi
    if ! start_pooler "$pooler"; then
        fail "$pooler starts" "$(tail -n 20 "$SERVERS_DIR/$pooler.log")"
        continue
    fi
    if [ "$pooler" = haproxy_mysql ]; then
        ignored=--mysql-ignore-errors=1213,2002,2003,2006,2013
        prepare_all mysql
    fi
    pooler_options "$pooler"
    case $pooler in
    pgbouncer_*) all_workloads disable ;;
    *) all_workloads auto && all_workloads disable ;;
    esac
    check_statistics
    check_restart
done

if has_pooler pgbouncer; then
    pooler=pgbouncer_transaction
    pooler_options "$pooler"
    run "$SYSRATE" oltp_read_write "${connect[@]}" --tables=1 --table-size=1000 --threads=8 --time=5 run
    check_equal "transaction mode with prepared statements: exit code" 1 "$status"
    check_match "transaction mode with prepared statements: the message names the remedy" \
        '^FATAL: pgsql driver: error (26000|42P05) .*a pooler in transaction mode is the likely cause: .*--db-ps-mode=disable' "$err"
    pooler=pgbouncer_statement
    pooler_options "$pooler"
    run "$SYSRATE" oltp_read_write "${connect[@]}" --tables=1 --table-size=1000 --threads=2 --time=5 --db-ps-mode=disable run
    check_equal "statement mode with transactions: exit code" 1 "$status"
    check_match "statement mode with transactions: the message names the remedies" \
        '^FATAL: pgsql driver: .*statement pooling mode.*; the pooler must be in transaction mode, or use --skip_trx and --db-ps-mode=disable' "$err"

    # Both sessions of the pool are in use for longer than clients may wait.
    pooler=pgbouncer_transaction
    stop_server KILL "$pooler"
    POOL_WAIT=1 start_server "$pooler"
    pooler_options "$pooler"
    holders=()
    for _ in 1 2; do
        pooler_sql "$pooler" "BEGIN; SELECT pg_sleep(30); COMMIT" >/dev/null &
        holders+=($!)
    done
    has_no_session_left() { [ "$(pgsql_sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND usename = 'sbtest'")" -ge 2 ]; }
    wait_for 20 has_no_session_left
    run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=1000 --check-tables=off --threads=2 --time=5 --db-ps-mode=disable run
    check_equal "pool in use: exit code" 1 "$status"
    check_match "pool in use: the message names the remedy" 'query_wait_timeout.*all sessions of the pooler were in use: use fewer --threads' "$err"
    kill "${holders[@]}" 2>/dev/null
    wait "${holders[@]}" 2>/dev/null
fi
finish
