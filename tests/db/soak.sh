#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Three long runs at a rate with all outputs, on MariaDB or MySQL, PostgreSQL and SQLite, with random faults: connections are killed,
# servers restarted, and servers, the program or one of its threads frozen. Checks repeatedly that memory, descriptors and threads do
# not grow and that the counts of requests add up, and at the end that the intervals add up. SOAK_SECONDS is the duration, SOAK_LOOK
# the number of seconds between two checks, SOAK_SEED selects the faults. scripts/soak.sh runs this for hours.
. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"

: "${SOAK_SECONDS:=120}" "${SOAK_LOOK:=5}" "${SOAK_SEED:=1}"
RANDOM=$SOAK_SEED
declare -A run_pid metrics faults
names=(mysql pgsql sqlite)
ignored=(--mysql-ignore-errors=1213,1020,1205,2013 --pgsql-ignore-errors=40001,40P01,23505,08006)

options_for() {
    if [ "$1" = sqlite ]; then
        connect=(--db-driver=sqlite --sqlite-db=soak.db --sqlite-busy-timeout=1000 --sqlite-cache-size=100K)
    else
        server_options "$1"
        connect+=(--server-stats=5)
    fi
    connect+=("${ignored[@]}" --tables=2 --table-size=2000)
}

start_run() {
    options_for "$1"
    run "$SYSRATE" oltp_read_write "${connect[@]}" --threads=2 prepare
    check_equal "$1: prepare" 0 "$status"
    "$SYSRATE" oltp_read_write "${connect[@]}" --threads=8 --tx-rate=30 --time="$SOAK_SECONDS" --queue-size=400 --queue-full=drop \
        --report-interval="$((SOAK_LOOK / 5))" --percentile=50,99,99.9 --report-sql --json="$1.json" --html="$1.html" --csv="$1.csv" \
        --hlog="$1.hlog" --prom=127.0.0.1:0 --rand-seed="$SOAK_SEED" run >"$1.out" 2>"$1.err" &
    run_pid[$1]=$!
    wait_for 60 grep -qs '^Threads started!' "$1.out"
    metrics[$1]=$(sed -n 's/^Metrics: //p' "$1.out")
}

# between LOW HIGH: prints a random number.
between() { echo $(($1 + RANDOM % ($2 - $1 + 1))); }

connections_mysql() { mysql_sql "SELECT id FROM information_schema.processlist WHERE user = 'sbtest'"; }
connections_pgsql() { pgsql_sql "SELECT pid FROM pg_stat_activity WHERE usename = 'sbtest'"; }
kill_mysql() { mysql_sql "KILL $1"; }
kill_pgsql() { pgsql_sql "SELECT pg_terminate_backend($1)" >/dev/null; }

kill_connection() {
    local victim
    mapfile -t victim < <("connections_$1" 2>/dev/null)
    [ ${#victim[@]} -eq 0 ] || "kill_$1" "${victim[RANDOM % ${#victim[@]}]}" 2>/dev/null
}

restart_server() {
    stop_server KILL "$1"
    sleep "$(between 0 3)"
    start_server "$1"
}

freeze_server() {
    signal_server STOP "$1"
    sleep "$(between 1 4)"
    signal_server CONT "$1"
}

freeze_program() {
    kill -s STOP "${run_pid[$1]}"
    sleep "$(between 1 4)"
    kill -s CONT "${run_pid[$1]}"
}

freeze_thread() { python3 "$TESTS_DIR/db/soak_looks.py" freeze "${run_pid[$1]}" "$(between 1 4)"; }

# Locks the database for 1 to 4 s, which may be longer or shorter than the time that the program waits for a lock.
lock_database() { sqlite3 soak.db 'BEGIN IMMEDIATE' ".shell sleep $(between 1 4)" ROLLBACK 2>/dev/null; }

one_fault() {
    local name=${names[RANDOM % 3]} kinds=(kill_connection kill_connection freeze_server restart_server freeze_program freeze_thread)
    [ "$name" != sqlite ] || kinds=(lock_database freeze_program freeze_thread)
    local kind=${kinds[RANDOM % ${#kinds[@]}]}
    "$kind" "$name"
    faults[$name $kind]=$((${faults[$name $kind]:-0} + 1))
}

look_at_all() {
    local name
    for name in "${names[@]}"; do
        python3 "$TESTS_DIR/db/soak_looks.py" look "$name.looks" "${run_pid[$name]}" "${metrics[$name]}" >>"$name.findings" 2>&1
    done
    next_look=$((next_look + SOAK_LOOK))
}

start_servers
for name in "${names[@]}"; do
    start_run "$name"
done
SECONDS=0
next_look=$SOAK_LOOK
# Faults stop 25 s before the end, so that the runs have recovered by then.
while [ "$SECONDS" -lt $((SOAK_SECONDS - 25)) ]; do
    one_fault
    sleep "$(between 0 $((SOAK_LOOK / 4)))"
    [ "$SECONDS" -lt "$next_look" ] || look_at_all
done
sleep 5
look_at_all

for fault in "${!faults[@]}"; do
    echo "# $fault: ${faults[$fault]} times"
done | sort
for name in "${names[@]}"; do
    wait "${run_pid[$name]}"
    check_equal "$name: the run ends well" 0 $?
    check_equal "$name: whenever it was looked at, all requests were known" "" "$(cat "$name.findings")"
    check_equal "$name: nothing has grown, and intervals add up to the end" "" \
        "$(python3 "$TESTS_DIR/db/soak_looks.py" end "$name.looks" "$name.json" "$name.csv" 2>"$name.figures")"
    sed "s/^/# $name: /" "$name.figures"
    check_no_match "$name: nothing is fatal" '^(FATAL|ALERT)' "$(cat "$name.err")"
    check "$name: a page" grep -q '</html>' "$name.html"
done
finish
