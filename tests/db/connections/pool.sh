#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --pool-size with servers and with SQLite: prepared statements on connections that workers share, transactions, and connections
# that are killed while they are in the pool. tests/cli/outputs/pool.sh tests the waits.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

# Each event reads a row with a key and a text of its own; the parameters of all workers are different objects.
cat >own_row.lua <<'LUA'
function thread_init(tid)
   con = sysbench.sql.driver():connect()
   stmt = con:prepare("SELECT id, c FROM sbtest1 WHERE id = ? AND c <> ?")
   id = stmt:bind_create(sysbench.sql.type.INT)
   other = stmt:bind_create(sysbench.sql.type.CHAR, 20 + tid)
   stmt:bind_param(id, other)
   count = 0
end
function event(tid)
   count = count + 1
   local key = (tid * 17 + count) % 100 + 1
   id:set(key)
   other:set(("x"):rep(1 + tid))
   local row = stmt:execute():fetch_row()
   if tonumber(row[1]) ~= key then
      error(("worker %d asked for row %d and got %s"):format(tid, key, row[1]))
   end
end
LUA

# An event moves 1 from one row to another, and checks within the transaction that it sees its own change. Every seventh event leaves
# its transaction open, which the pool must roll back.
cat >move.lua <<'LUA'
function thread_init(tid)
   con = sysbench.sql.driver():connect()
   count = tid
end
local function k_of(id)
   return tonumber((con:query_row("SELECT k FROM sbtest1 WHERE id = " .. id)))
end
function event(tid)
   count = count + 1
   local id = 10 * tid + 1
   con:query("BEGIN")
   local before = k_of(id)
   con:query("UPDATE sbtest1 SET k = k - 1 WHERE id = " .. id)
   if k_of(id) ~= before - 1 then
      error("another session has answered")
   end
   if count % 7 == 0 then
      return
   end
   con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. id + 1)
   con:query("COMMIT")
end
LUA

# Two statements with the same text share what was prepared, and have parameters of their own.
cat >same_text.lua <<'LUA'
local function make()
   local stmt = con:prepare("SELECT id FROM sbtest1 WHERE id = ?")
   local id = stmt:bind_create(sysbench.sql.type.INT)
   stmt:bind_param(id)
   return function(key)
      id:set(key)
      if tonumber(stmt:execute():fetch_row()[1]) ~= key then
         error("another row than " .. key)
      end
   end
end
function thread_init()
   con = sysbench.sql.driver():connect()
   a, b = make(), make()
end
function event(tid)
   a(tid + 1)
   b(tid + 51)
   a(tid + 2)
end
LUA

# workload SCRIPT OPTION...
workload() {
    run "$SYSRATE" "$1" "${connect[@]}" --tables=1 --table-size=100 --threads=6 --pool-size=2 --json=report.json "${@:2}" run
}
json() { jq -c "$1" report.json; }
in_table() {
    if [ "$server" = sqlite ]; then
        sqlite3 pool.db "$1"
    else
        "${server}_sql" "$1" sbtest
    fi
}
kill_sessions() {
    if [ "$server" = mysql ]; then
        local id
        for id in $(mysql_sql "SELECT id FROM information_schema.processlist WHERE user = 'sbtest'"); do
            mysql_sql "KILL $id"
        done
    else
        pgsql_sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'sbtest'" >/dev/null
    fi
}
# The number of statements that the server has prepared since it started.
prepared() { mysql_sql "SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'" | cut -f 2; }

check_server() {
    run "$SYSRATE" oltp_read_write "${connect[@]}" --tables=1 --table-size=100 prepare
    check_equal "$server: prepare" 0 "$status"

    for mode in auto disable; do
        workload oltp_read_write --events=200 --time=0 --db-ps-mode=$mode
        check_equal "$server: oltp_read_write, --db-ps-mode=$mode: six workers, two connections" "0 [200,2,200]" \
            "$status $(json '.summary | [.requests.completed, .connect_ms.count, .connection_wait_ms.count]')"
    done
    for scope in event transaction; do
        workload ./own_row.lua --events=600 --time=0 --pool-scope=$scope
        check_equal "$server: --pool-scope=$scope: each worker gets its own row" "0 [600,2]" \
            "$status $(json '.summary | [.requests.completed, .connect_ms.count]')"
        workload ./same_text.lua --events=300 --time=0 --pool-scope=$scope
        check_equal "$server: --pool-scope=$scope: two statements with the same text" "0 300" "$status $(json .summary.requests.completed)"
        workload oltp_read_write --events=100 --time=0 --db-ps-mode=disable --pool-scope=$scope
        check_equal "$server: --pool-scope=$scope: statements as text" "0 [100,2]" \
            "$status $(json '.summary | [.requests.completed, .connect_ms.count]')"
        sum=$(in_table "SELECT SUM(k) FROM sbtest1")
        workload ./move.lua --events=200 --time=0 --pool-scope=$scope
        check_equal "$server: --pool-scope=$scope: transactions are whole" "0 200 $sum" \
            "$status $(json .summary.requests.completed) $(in_table "SELECT SUM(k) FROM sbtest1")"
    done
    # Each of the two connections is opened again by the request that takes it after 10 events.
    for scope in event transaction; do
        workload oltp_point_select --events=100 --time=0 --reconnect=10 --pool-scope=$scope
        check_between "$server: --pool-scope=$scope: reconnects of a bundled script after 10 events of a connection" 8 \
            "$(json .summary.counters.reconnects)" 9
    done
    if [ "$server" = mysql ]; then
        before=$(prepared)
        workload ./own_row.lua --events=600 --time=0
        check_equal "$server: the statement is prepared once per connection" 2 $(($(prepared) - before))
    fi
    workload oltp_read_write --tx-rate=50 --time=2 --timeout=20s --connection-lifetime=300ms --report-sql --slowest=3 --wait-events
    check_equal "$server: with a policy, a lifetime, classes and samples" "0 true" \
        "$status $(json '.summary | .requests.failed == 0 and .counters.reconnects >= 2 and .connection_wait_ms.count == .requests.completed')"
    workload oltp_point_select --events=50 --time=0 --explain
    [ "$server" = sqlite ] || check_equal "$server: --explain has the plan" true "$(json '[.plans[].first.hash] | length > 0 and all(. != null)')"
    [ "$server" = sqlite ] && return

    # All sessions are killed, in the pool or in use, while 200 requests per second arrive. Errors of lost connections are ignored, and
    # the workers that have the connections open them again.
    rm -f out
    "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=100 --threads=6 --pool-size=2 --tx-rate=200 --time=60 \
        --"$server"-ignore-errors="$lost" --report-interval=1 --json=report.json run >out 2>err &
    pid=$!
    wait_for 30 grep -qs '^\[ 1s \]' out
    kill_sessions
    wait_for 30 grep -q 'reconn/s: [1-9]' out
    sleep 2
    kill -INT "$pid"
    wait "$pid"
    check_equal "$server: killed sessions are replaced, and no request is lost" true \
        "$(json '.summary | .counters.reconnects == 2 and .connect_ms.count == 4 and .requests.completed > 200 and
            .requests.offered == .requests.completed + .requests.failed + .requests.dropped + .requests.unfinished')"
}

servers=()
for driver in mysql pgsql; do
    "$SYSRATE" --help | grep -q "^  $driver - " && servers+=("$driver")
done
[ "${#servers[@]}" -eq 0 ] || start_servers "${servers[@]}"
declare -A lost_errors=([mysql]=1213,1927,2006,2013,1317 [pgsql]=08006,57P01)
for server in "${servers[@]}"; do
    server_options "$server"
    lost=${lost_errors[$server]}
    check_server
done
server=sqlite
connect=(--db-driver=sqlite --sqlite-db=pool.db)
check_server

if [ "${#servers[@]}" -gt 0 ]; then
    server_options "${servers[0]}"
    for other in --read-hosts=127.0.0.1 --connect-in-response=off; do
        run "$SYSRATE" oltp_point_select "${connect[@]}" --threads=2 --pool-size=1 "$other" run
        check_equal "$other is refused" "1 1" "$status $(grep -c -- "^FATAL: --pool-size cannot be used with ${other%%=*}" <<<"$err")"
    done
fi
finish
