# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests tpcc on MySQL or MariaDB and PostgreSQL: the data must be the same as on SQLite after the same transactions. The consistency
# conditions must hold after deadlocks, after the client or the server was killed, after an interrupted prepare, and after a short soak.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
start_servers

options_of() {
    if [ "$1" = sqlite ]; then
        connect=(--db-driver=sqlite --sqlite-db=test.db --sqlite-synchronous=off)
    else
        server_options "$1"
    fi
}

tpcc() {
    run "$SYSRATE" tpcc "${connect[@]}" --rand-seed=17 "$@"
}

sql() {
    "${server}_sql" "$1" sbtest
}

holds() {
    tpcc --threads=2 check
    check_equal "$server: $1: the data is consistent" "0 12" "$status $(grep -c '^condition [0-9]* holds' <<<"$out")"
    [ "$status" -eq 0 ] || printf '%s\n' "$out" | grep -A3 NOT
}

prepare() {
    tpcc --shrink=100 --force "$@" prepare
    check_equal "$server: prepare $*" 0 "$status"
}

# Writes the rows after 1000 transactions of one worker with a fixed seed to the file rows.SERVER.
check_rows() {
    prepare --warehouses=2 --threads=3
    holds "after prepare"
    tpcc --events=1000 --time=0 --deferred-threads=0 run
    check_equal "$server: 1000 transactions" 0 "$status"
    holds "after 1000 transactions"
    "$SYSRATE" "$TESTS_DIR/db/scripts/tpcc_rows.lua" "${connect[@]}" show >"rows.$server"
    check_equal "$server: as many rows as the others, and the same" "$(md5sum <rows.sqlite)" "$(md5sum <"rows.$server")"
    [ "$server" = sqlite ] || diff rows.sqlite "rows.$server" | head -n 6
}

# 64 workers use the stock of one warehouse, so that they get deadlocks.
check_deadlocks() {
    prepare --warehouses=1
    tpcc --threads=64 --time=2 --mix=60,20,5,10,5 --json=report.json run
    check_equal "$server: 64 workers on one warehouse" 0 "$status"
    check "$server: some transactions were started again" test "$(jq '[.summary.errors[].ignored] | add // 0' report.json)" -gt 0
    holds "deadlocks"
    tpcc --threads=8 --time=1 --tx-rate=100 --isolation=serializable run
    check_equal "$server: serializable" 0 "$status"
    tpcc --threads=8 --time=1 --isolation=repeatable-read run
    check_equal "$server: repeatable read" 0 "$status"
    tpcc --threads=8 --time=1 --isolation=read-committed run
    check_equal "$server: read committed" 0 "$status"
    holds "isolation levels"
}

has_new_orders() {
    [ "$(sql "SELECT SUM(d_next_o_id) FROM tpcc_district")" -gt "$1" ]
}

# Kill during transactions.
begin_run() {
    local orders
    orders=$(sql "SELECT SUM(d_next_o_id) FROM tpcc_district")
    "$SYSRATE" tpcc "${connect[@]}" --threads=8 --time=60 run >run.out 2>&1 &
    client=$!
    check "$server: transactions take place" wait_for 30 has_new_orders $((orders + 50))
}

check_kills() {
    begin_run
    kill -KILL "$client"
    wait "$client" 2>/dev/null
    holds "the client was killed"
    begin_run
    stop_server KILL "$server"
    kill -KILL "$client" 2>/dev/null
    wait "$client" 2>/dev/null
    start_server "$server"
    holds "the server was killed"
}

is_loading() {
    [ "$(sql 'SELECT COUNT(*) FROM tpcc_info' 2>/dev/null || echo 0)" -gt "$1" ]
}

# Prepare writes the names of 1 + 3·4 pieces and three further names to tpcc_info. It is killed after more than five of them, so that
# some pieces are loaded and some are not.
check_interrupted_prepare() {
    tpcc cleanup
    "$SYSRATE" tpcc "${connect[@]}" --shrink=10 --warehouses=3 --threads=2 prepare >prepare.out 2>&1 &
    client=$!
    wait_for 30 is_loading 5
    kill -KILL "$client" 2>/dev/null
    wait "$client" 2>/dev/null
    check_equal "$server: an interrupted prepare" "0" "$(sql "SELECT value FROM tpcc_info WHERE name = 'ready'")"
    tpcc --shrink=10 --warehouses=3 --threads=5 "$@" prepare
    check_equal "$server: prepare goes on" "0 " "$status $(grep FATAL <<<"$out$err" | head -n 3)"
    check_equal "$server: with all rows" "30000 9000" \
        "$(sql 'SELECT COUNT(*) FROM tpcc_stock') $(sql 'SELECT COUNT(*) FROM tpcc_customer')"
    holds "prepare went on"
}

# 16 threads load 81 small pieces, and so write names to tpcc_info at the same time.
check_many_threads() {
    prepare --warehouses=20 --threads=16
    check_equal "$server: prepare with many threads: warehouses" 20 "$(sql "SELECT value FROM tpcc_info WHERE name = 'ready'")"
}

check_kinds_of_tables() {
    prepare --warehouses=2 --foreign_keys --threads=2
    tpcc --threads=4 --time=1 --foreign_keys run
    check_equal "$server: with foreign keys" 0 "$status"
    # Prepare with --force must drop tables that have foreign keys.
    prepare --warehouses=3 --foreign_keys
    check_equal "$server: with foreign keys, prepared again" 0 "$status"
    prepare --warehouses=2 --partitions=3 --prepare_method=insert
    tpcc --threads=4 --time=1 run
    check_equal "$server: with partitions" 0 "$status"
    holds "partitions"
    tpcc cleanup
    check_equal "$server: cleanup leaves nothing" "0 0" "$status $(sql \
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_name LIKE 'tpcc%'")"
}

# Runs for ten seconds at a rate on all three databases at once.
check_soak() {
    local -A client
    for server in sqlite mysql pgsql; do
        options_of $server
        prepare --warehouses=2
        "$SYSRATE" tpcc "${connect[@]}" --threads=4 --tx-rate=40 --time=10 --drain=60 --json="soak.$server.json" run \
            >"soak.$server" 2>&1 &
        client[$server]=$!
    done
    for server in sqlite mysql pgsql; do
        wait "${client[$server]}"
        check_equal "$server: ten seconds at a rate: exit code" 0 "$?"
        check_equal "$server: ten seconds at a rate: all of it was done, deliveries too" "0 0" \
            "$(jq '.summary | [.requests.unfinished, .requests.failed, .deferred[].unfinished, .deferred[].failed] | add' \
                "soak.$server.json") $(grep -c '^FATAL' "soak.$server")"
        options_of $server
        holds "ten seconds at a rate"
    done
}

for server in sqlite mysql pgsql; do
    options_of $server
    check_rows
    [ $server = sqlite ] || {
        check_deadlocks
        check_kills
        check_interrupted_prepare
        check_many_threads
        check_kinds_of_tables
    }
done
check_soak
finish
