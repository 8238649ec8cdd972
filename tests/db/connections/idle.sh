#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests connections that do nothing beside the load, and storms of connections: 5000 on MySQL or MariaDB, 1000 on PostgreSQL.
. "$TESTS_DIR/cli/lib.sh" || exit 1

# The servers need many descriptors, which the limit of this test must allow.
ulimit -n "$(ulimit -H -n)"
# shellcheck disable=SC2034  # read by servers.sh
PGSQL_SETTINGS=(--max_connections=1100)
. "$TESTS_DIR/db/servers.sh" || exit 1

json() {
    jq -c "$1" report.json
}

servers=()
for driver in mysql pgsql; do
    "$SYSRATE" --help | grep -q "^  $driver - " && servers+=("$driver")
done
if [ "${#servers[@]}" -eq 0 ]; then
    skip "idle connections" "built without drivers for servers"
    pass "nothing to test"
    finish
fi
if [ "$(ulimit -n)" -lt 12000 ]; then
    skip "idle connections" "the limit on open files is too low"
    pass "nothing to test"
    finish
fi

# Combinations that are refused before a server is asked.
run "$SYSRATE" oltp_point_select --db-driver="${servers[0]}" --connection-storm='1s: 10' run
check_equal "a storm needs idle connections: exit code" 1 "$status"
check_match "a storm needs idle connections" '^FATAL: --connection-storm: 10 connections are more than there are \(--idle-connections=0\)$' "$err"
run "$SYSRATE" oltp_point_select --db-driver="${servers[0]}" --idle-connections=10 --connection-storm='9s: 10' --time=5 run
check_match "a storm after the end: its own option is named" '^FATAL: --connection-storm: 9 s is not before the end of the run, at 5 s ' "$err"
mapfile -t many < <(yes -- "--connection-storm=1s: 1" | head -n 101)
run "$SYSRATE" oltp_point_select --db-driver="${servers[0]}" --idle-connections=10 --inject='1s: exec: true' "${many[@]}" --time=5 run
check_match "too many storms: both options are named" '^FATAL: --inject and --connection-storm: given 102 times ' "$err"
run "$SYSRATE" oltp_point_select --db-driver=sqlite --sqlite-db=no.db --idle-connections=5 run
check_match "SQLite has no connections to a server" '^FATAL: --idle-connections: the database driver has no connections' "$err"
run "$SYSRATE" cpu --idle-connections=5 run
check_match "a test without a database" '^FATAL: --idle-connections: this test has no database$' "$err"
run bash -c 'ulimit -n 100; exec "$@"' - "$SYSRATE" oltp_point_select --db-driver="${servers[0]}" --idle-connections=5000 run
check_equal "too few descriptors: exit code" 1 "$status"
check_match "too few descriptors: one line names the limit" '^FATAL: too many open files \(ulimit -n is 100, some 50[0-9]+ are needed\)$' "$err"

start_servers "${servers[@]}"
if [[ " ${servers[*]} " == *" mysql "* ]]; then
    # MariaDB can change the way it handles threads only at its start.
    stop_server KILL mysql
    # shellcheck disable=SC2034
    MYSQL_SETTINGS=(--open-files-limit=12000 --max-connections=6000)
    if grep -qi mariadb <<<"$("$mysqld" --version)"; then
        MYSQL_SETTINGS+=(--thread-handling=pool-of-threads)
    fi
    start_server mysql
fi
echo 'function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end' >one.lua

# load SECONDS OPTION...: two workers execute 50 statements per second.
load() {
    run "$SYSRATE" ./one.lua "${connect[@]}" --threads=2 --tx-rate=50 --time="$1" --json=report.json "${@:2}" run
}

sessions_mysql() { mysql_sql "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'sbtest' AND command = 'Sleep'"; }
sessions_pgsql() { pgsql_sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'sbtest' AND state = 'idle'"; }
kill_10_mysql() {
    mysql_sql "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist
        WHERE user = 'sbtest' AND command = 'Sleep' AND time > 1 ORDER BY id DESC LIMIT 10" >kills
    mysql_sql "$(cat kills)"
}
kill_10_pgsql() {
    pgsql_sql "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE usename = 'sbtest' AND
        query NOT LIKE 'SELECT 1%' ORDER BY backend_start DESC LIMIT 10) last" >/dev/null
}
has_sessions() { [ "$("sessions_$1")" -ge "$2" ]; }

# check_server SERVER COUNT: a run with COUNT idle connections, of which the server closes ten, and a storm.
check_server() {
    local server=$1 count=$2 pid
    server_options "$server"
    "$SYSRATE" ./one.lua "${connect[@]}" --threads=2 --tx-rate=50 --time=0 --idle-connections="$count" --connect-rate=2000 \
        --json=report.json --report=full run >out 2>err &
    pid=$!
    wait_for 120 has_sessions "$server" "$count"
    check_equal "$server: $count connections stand on the server" true "$(has_sessions "$server" "$count" && echo true)"
    # Resident memory: 200 MB for 10 000 connections, and 40 MB for everything else.
    check_between "$server: memory in KB" 1 "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")" $((count * 20 + 40000))
    check_between "$server: one descriptor for each" "$count" "$(find "/proc/$pid/fd" -mindepth 1 | wc -l)" $((count + 40))
    sleep 2.5 # connections that have been idle for longer than workers ever are
    "kill_10_$server"
    wait_for 60 has_sessions "$server" "$count"
    sleep 3 # the server may end the sessions later, and the program opens others
    kill -INT "$pid"
    wait "$pid"
    out=$(cat out)
    check_equal "$server: asked for, open at the end, most, opened, refused, closed by the server" \
        "[$count,$count,$count,$((count + 10)),0,10]" \
        "$(json '.idle_connections | [.wanted, .open, .most_open, .opened, .refused, .closed_by_server]')"
    check_match "$server: the text says the same" \
        "^Idle connections: $count of $count were open at the end \(at most $count\); $((count + 10)) opened, 0 refused, 10 closed by the server" "$out"
    check_equal "$server: their connects are measured" "$((count + 12))" "$(json .summary.connect_ms.count)"

    # Each of 40 connections executes a statement every half second.
    load 6 --idle-connections=100 --connect-rate=1000 --idle-touch=500ms --connection-storm='3s: 60' --report=full --report-interval=1 \
        --html=page.html
    check_equal "$server: storm: exit code" 0 "$status"
    check_equal "$server: storm: all are open again" "[100,160,0,0]" \
        "$(json '.idle_connections | [.open, .opened, .refused, .closed_by_server]')"
    check_equal "$server: storm: it is an injection" '["storm","60 connections","done","60 connections closed, 60 opened again, 0 refused"]' \
        "$(json '.injections[0] | [.kind, .text, .state, .output]')"
    # On a busy machine, not all connections are open when the storm begins.
    check_equal "$server: storm: times to connect before, during and after" '[160,true]' \
        "$(json '.injections[0] | [.before, .during, .after | .connect_ms.count // 0] | [add, .[1] >= 60]')"
    check_match "$server: storm: they are in the text" '^ +connects +[0-9]+ +[0-9]+ +[0-9]+$' "$out"
    check_equal "$server: storm: it is marked on the time line" '["1. storm: 60 connections"]' "$(json '[.marks[].text]')"
    check_equal "$server: the intervals say how many are open" 100 "$(json '.intervals[-1].idle_connections')"
    # In 6 s each connection could execute 11 statements; on a busy machine fewer.
    check_between "$server: touches" 100 "$(json .idle_connections.statements)" 1200
}
[[ " ${servers[*]} " == *" mysql "* ]] && check_server mysql 5000
[[ " ${servers[*]} " == *" pgsql "* ]] && check_server pgsql 1000

# The first of two processes opens all of them, and the merged report has their counts.
server_options "${servers[0]}"
for rank in 0 1; do
    "$SYSRATE" ./one.lua "${connect[@]}" --threads=2 --tx-rate=50 --time=2 --rand-seed=1 --report-interval=1 --idle-connections=20 \
        --connection-storm='1s: 10' --node=$rank/2 --json=$rank.json run >/dev/null 2>&1
done
run "$SYSRATE" merge --json=report.json 0.json 1.json
check_equal "merged: exit code" 0 "$status"
check_equal "merged: asked for, open at the end, most" '[20,20,20]' "$(json '.idle_connections | [.wanted, .open, .most_open]')"
check_equal "merged: the intervals say how many are open" 20 "$(json '.intervals[-1].idle_connections')"

# The server refuses connections: the run goes on.
check_refusals() {
    local server=$1
    server_options "$server"
    load 4 --idle-connections=60 --report=full
    check_equal "$server: refusals: exit code" 0 "$status"
    check_between "$server: refusals: open" 10 "$(json .idle_connections.open)" 59
    check_equal "$server: refusals: they are counted" true "$(json '.idle_connections.refused > 0')"
    check_match "$server: refusals: the report says so" '^Idle connections: [0-9]+ of 60 were open at the end .*, [1-9][0-9]* refused, ' "$out"
    check_match "$server: refusals: with the reason" "^    last refusal: error $2" "$out"
    check_equal "$server: refusals: they are failed connects" true "$(json '.summary.connects_failed == .idle_connections.refused')"
    check_equal "$server: refusals: the load goes on" true "$(json '.summary.requests | .completed == .offered')"
}
if [[ " ${servers[*]} " == *" mysql "* ]]; then
    mysql_sql "SET GLOBAL max_connections = 30"
    check_refusals mysql "(1040|1203)"
fi
if [[ " ${servers[*]} " == *" pgsql "* ]]; then
    pgsql_sql "ALTER ROLE sbtest CONNECTION LIMIT 30"
    check_refusals pgsql 53300
fi
finish
