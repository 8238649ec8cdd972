#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --timeout: the client gives up a statement of 20 s after 200 ms, on each server, on SQLite and on the null driver.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

json() {
    jq -c "$1" report.json
}

# Each event with an odd number begins a transaction, inserts a row and runs the slow statement; the next one must find the table empty.
cat >slow.lua <<'LUA'
sysbench.cmdline.options = {slow = {"slow statement", "SELECT 1"}}
function thread_init()
   con = sysbench.sql.driver():connect()
   number = 0
end
function event()
   number = number + 1
   if number % 2 == 1 then
      con:query("BEGIN")
      con:query("INSERT INTO policies VALUES (" .. number .. ")")
      con:query(sysbench.opt.slow)
      con:query("COMMIT")
      error("the slow statement was not given up")
   end
   local row = con:query_row("SELECT count(*) FROM policies")
   assert(tonumber(row) == 0, "the transaction was not rolled back")
end
LUA
cat >table.lua <<'LUA'
function prepare() sysbench.sql.driver():connect():query("CREATE TABLE policies (id INT)") end
function event() end
LUA

# Sets the arrays of options for a database, and the text of a statement that takes 20 s or more.
database() {
    case $1 in
    mysql) slow="SELECT SLEEP(20)" ;;
    pgsql) slow="SELECT pg_sleep(20)" ;;
    sqlite)
        connect=(--db-driver=sqlite --sqlite-db="$PWD/policies.db")
        slow="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        return
        ;;
    esac
    server_options "$1"
}

# timeouts OPTION...: one worker executes 6 events, 3 of which are given up. The limit of a minute is for busy machines.
timeouts() {
    steadily run "$SYSRATE" ./slow.lua "${connect[@]}" --slow="$slow" --threads=1 --events=6 --time=0 --timeout=200ms --json=report.json \
        --report=full "$@" run
}

# The statements take at least 60 s in all; each is given up after 200 ms. A busy machine may need a few seconds more.
check_timeouts() {
    check_equal "$1: exit code" 0 "$status"
    check_equal "$1: requests add up" '[3,3]' "$(json '.summary | [.requests.completed, .requests.failed]')"
    check_equal "$1: counters" '[3,0,0]' "$(json '.summary.counters | [.timeouts, .unsent, .late]')"
    check_equal "$1: no statement ends before its time" true "$(json '.summary.histogram.sums.failed.sum_ns >= 600000000')"
    check_equal "$1: statements are given up" true "$(json '.summary.histogram.sums.failed.sum_ns < 30000000000')"
    check_match "$1: text" '^ *timeouts: +3, of which 0 were not sent$' "$out"
}

check_database() {
    database "$1"
    run "$SYSRATE" ./table.lua "${connect[@]}" prepare
    check_equal "$1: prepare" 0 "$status"
    timeouts
    check_timeouts "$1, cancel"
    timeouts --db-ps-mode=disable --report-sql
    check_timeouts "$1, cancel, with classes"
}

# Statements that the client has abandoned still run on the server.
check_abandon() {
    database "$1"
    timeouts --timeout-action=abandon
    check_timeouts "$1, abandon"
    check_equal "$1, abandon: workers reconnect" 3 "$(json .summary.counters.reconnects)"
    case $1 in
    mysql) left=$(mysql_sql "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(20)%'") ;;
    pgsql) left=$(pgsql_sql "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(20)%'") ;;
    esac
    printf '# %s statement(s) of %s still run after the client has gone\n' "$left" "$1"
}

# A statement of 2 s ends within 250 ms at the client, and is not on the server any longer.
still_running() {
    case $1 in
    mysql) mysql_sql "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '${slow/20/2}%'" ;;
    pgsql) pgsql_sql "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '${slow/20/2}%'" ;;
    sqlite) echo 0 ;;
    esac
}
check_prompt() {
    # shellcheck disable=SC2016  # for try_until
    run_until '[ "$(json ".summary.histogram.sums.failed.max_ns <= 250000000")" = true ]' "$SYSRATE" ./slow.lua "${connect[@]}" \
        --slow="${slow/20/2}" --threads=1 --events=6 --time=0 --timeout=200ms --json=report.json run
    check_equal "$1: nothing is left on the server" 0 "$(still_running "$1")"
    check_equal "$1: three statements are given up" '[3,3]' "$(json '.summary | [.requests.failed, .counters.timeouts]')"
    check_between "$1: after 200 to 250 ms (in ms)" 200 "$(json '.summary.histogram.sums.failed.max_ns / 1000000')" 250
}

# The server is frozen from 1 s to 5 s. Within this time, all workers wait in vain for a cancellation, and give up 1 s after the deadline.
cat >nap.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query(os.getenv("NAP")) end
LUA
check_frozen() {
    local pid=${server_main_pid[$1]}
    export NAP=${slow/20/0.02}
    echo "pids=\"$pid \$(pgrep -P $pid)\"; kill -STOP \$pids; sleep 4; kill -CONT \$pids" >freeze.sh
    steadily run "$SYSRATE" ./nap.lua "${connect[@]}" --threads=8 --tx-rate=100 --time=7 --timeout=200ms --report-interval=1 --json=report.json \
        --inject='1s: sh: sh freeze.sh' run
    check_equal "$1, frozen: exit code" 0 "$status"
    check_equal "$1, frozen: requests add up" true "$(json '.summary.requests | .offered == .completed + .failed + .unfinished')"
    check_equal "$1, frozen: workers give up before the server answers" true \
        "$(json '[.intervals[] | select(.to_s <= 4.1) | .counters.errors] | add > 0')"
}

start_servers
for server in mysql pgsql; do
    check_database "$server"
    check_abandon "$server"
    check_prompt "$server"
    check_frozen "$server"
done
check_database sqlite
check_prompt sqlite

run "$SYSRATE" ./slow.lua "${connect[@]}" --timeout=1s --timeout-action=abandon --events=1 run
check_match "SQLite cannot abandon" '^FATAL: --timeout-action=abandon cannot be used with the sqlite driver \(allowed: cancel\)$' "$err"
run "$SYSRATE" cpu --timeout=1s run
check_match "a test without statements" '^FATAL: --timeout cannot be used with cpu \(allowed: scripts\)$' "$err"

# Eight connections write to one SQLite file, which one of them locks for a while: the others wait for the lock until their deadline.
cat >lock.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event(id)
   con:query("BEGIN IMMEDIATE")
   sysbench.sleep(0.3)
   con:query("COMMIT")
end
LUA
run "$SYSRATE" ./lock.lua "${connect[@]}" --threads=8 --events=16 --time=0 --timeout=100ms --json=report.json run
check_equal "locks: exit code" 0 "$status"
check_equal "locks: all end" 16 "$(json '.summary.requests | .completed + .failed')"
check_equal "locks: all are given up or late" true "$(json '.summary | .counters.timeouts + .counters.late == 16')"

# No statement is sent after the deadline, so the transaction is not committed.
cat >late.lua <<'LUA'
function prepare() sysbench.sql.driver():connect():query("CREATE TABLE late (id INT)") end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("BEGIN")
   con:query("INSERT INTO late VALUES (1)")
   sysbench.sleep(0.2)
   con:query("COMMIT")
end
function count() print("rows: " .. sysbench.sql.driver():connect():query_row("SELECT count(*) FROM late")) end
LUA
"$SYSRATE" ./late.lua "${connect[@]}" prepare >/dev/null
steadily run "$SYSRATE" ./late.lua "${connect[@]}" --threads=1 --events=3 --time=0 --timeout=100ms --json=report.json run
check_equal "after the deadline: requests fail" '[0,3,3,0]' \
    "$(json '.summary | [.requests.completed, .requests.failed, .counters.timeouts, .counters.unsent]')"
run "$SYSRATE" ./late.lua "${connect[@]}" count
check_match "after the deadline: nothing is committed" '^rows: 0$' "$out"

# balance NAME: every request has one outcome, and requests fail because of their timeouts only.
balance() {
    check_equal "$1: exit code" 0 "$status"
    check_equal "$1: requests add up" true \
        "$(json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
    check_equal "$1: failed requests timed out" true "$(json '.summary | .requests.failed == .counters.timeouts and .counters.timeouts > 0')"
}

# The null driver with a service of 50 ms and one worker can serve 20 of 100 requests a second. Clients wait for 200 ms, so requests
# that waited in the queue for more than 150 ms are given up.
run "$SYSRATE" oltp_point_select --db-driver=null --null-service=50ms --tx-rate=100 --threads=1 --time=3 --timeout=200ms --json=report.json run
balance "null, in service"

# Each event takes 50 ms after its statement. So the time of most requests is over before they are taken from the queue.
cat >busy.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT 1")
   sysbench.sleep(0.05)
end
LUA
run "$SYSRATE" ./busy.lua --db-driver=null --tx-rate=100 --threads=1 --time=3 --timeout=200ms --json=report.json run
balance "null, in the queue"
check_equal "null, in the queue: requests are not sent" true "$(json '.summary.counters | .unsent == .timeouts and .lost_ns == 0')"
# A statement that begins within 200 ms of the arrival ends after this, if it begins in the last 50 ms.
check_equal "null, in the queue: some complete late" true "$(json '.summary | .counters.late > 0 and .counters.late <= .requests.completed')"

# A merged report, and a report that is read again, have the policy of the clients.
for rank in 0 1; do
    "$SYSRATE" ./busy.lua --db-driver=null --rand-seed=1 --tx-rate=100 --threads=2 --time=1 --timeout=200ms --retry='3 1ms' \
        --report-interval=1 --json=$rank.json --node=$rank/2 run >/dev/null 2>&1
done
run "$SYSRATE" merge --json=report.json 0.json 1.json
check_match "merged: the section" '^Clients give up after 200 ms:$' "$out"
check_equal "merged: attempts" true \
    "$(json '.summary | .counters.retries > 0 and (.policy.attempts_per_request - 1 - .counters.retries / (.requests.completed + .requests.failed) | fabs) < 1e-9')"
run "$SYSRATE" report report.json
check_match "read again: the section" '^Clients give up after 200 ms:$' "$out"
check_match "read again: retries" "^ *retries: +$(json .summary.counters.retries)," "$out"
finish
