#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests PostgreSQL with a pooler in transaction mode, which gives a server session to different clients. The session keeps the
# prepared statements of all clients, even of those that have ended. A run must never execute a statement of another client, and
# must end with an error if its own statement is missing.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

if ! "$SYSRATE" --help | grep -q '^  pgsql - '; then
    skip "pooler" "built without the pgsql driver"
    pass "nothing to test"
    finish
fi
PATH=$PATH:/usr/sbin
if ! command -v pgbouncer >/dev/null; then
    skip "pooler" "pgbouncer is not installed"
    pass "nothing to test"
    finish
fi
start_servers pgsql pgbouncer
server_options pgsql
direct=("${connect[@]}")
server_options pgbouncer
pooled=("${connect[@]}")

rows() { pgsql_sql "SELECT count(*) FROM sbtest1" sbtest; }
# Ends all server sessions, so that the pooler opens new ones without prepared statements.
has_no_sessions() { [ -z "$(pgbouncer_sql "SHOW SERVERS" pgbouncer)" ]; }
forget_sessions() {
    pgsql_sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'sbtest'" >/dev/null
    wait_for 30 has_no_sessions
}

# Prepares a DELETE as the first statement of its connection. The pooler has only one session at this time.
cat >delete.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   stmt = con:prepare("DELETE FROM sbtest1 WHERE id = ?")
   id = stmt:bind_create(sysbench.sql.type.INT)
   stmt:bind_param(id)
end
function event()
   id:set(1)
   stmt:execute()
end
-- Disconnects without closing the statement, so that it stays in the session, as after a crash of the client.
function thread_done() con:disconnect() end
LUA
# Prepares a SELECT as the first statement of its connection, in a second session because the first is in a transaction. Then
# executes the SELECT again in the first session, because the pooler uses the session that was used last.
cat >select.lua <<'LUA'
local drv = sysbench.sql.driver()
function thread_init()
   holder, con = drv:connect(), drv:connect()
   stmt = con:prepare("SELECT c FROM sbtest1 WHERE id = ?")
   id = stmt:bind_create(sysbench.sql.type.INT)
   stmt:bind_param(id)
end
function event()
   holder:query("BEGIN")
   id:set(5)
   stmt:execute()
   holder:query("COMMIT")
   stmt:execute()
end
LUA
# The hook makes each error restart the event.
{ cat select.lua; echo 'sysbench.hooks.sql_error_ignorable = function() return true end'; } >hook.lua

run "$SYSRATE" oltp_point_select "${direct[@]}" --tables=1 --table-size=1000 prepare
check_equal "the table is prepared" 0 "$status"

# read_again NAME SCRIPT OPTION...: after a run that has left its DELETE in the session, a run that only reads must end with an
# error.
read_again() {
    forget_sessions
    pgsql_sql "INSERT INTO sbtest1 VALUES (1, 1, '', '') ON CONFLICT DO NOTHING" sbtest
    run "$SYSRATE" ./delete.lua "${pooled[@]}" --threads=1 --events=1 --time=0 run
    check_equal "$1: a row is deleted by the run before" "0 999" "$status $(rows)"
    check_equal "$1: the statement of another run is there" "DELETE FROM sbtest1 WHERE id = \$1" \
        "$(pgbouncer_sql "SELECT statement FROM pg_prepared_statements")"
    run "$SYSRATE" "$2" "${pooled[@]}" --threads=1 --events=1 --time=5 --json=report.json "${@:3}" run
    check_equal "$1: it is not executed" 999 "$(rows)"
    check_equal "$1: the run ends with an error" 1 "$status"
    check_equal "$1: the error is not ignored" '["26000",1,0]' \
        "$(jq -c '.summary.errors[0] | [.state, .count, .ignored]' report.json)"
}
read_again "all errors are ignored" ./select.lua --pgsql-ignore-errors=all
check_match "the message names the likely cause and the remedy" \
    '^FATAL: pgsql driver: error (26000|42P05) .*prepared statement .*pooler in transaction mode.*--db-ps-mode=disable' "$err"

read_again "the option names the error" ./select.lua --pgsql-ignore-errors=26000,42P05
read_again "a hook of the script ignores errors" ./hook.lua

# A script prepares a statement twice under the same name, in SQL.
cat >named.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("PREPARE named AS SELECT 1") end
LUA
run "$SYSRATE" ./named.lua "${pooled[@]}" --threads=1 --events=2 --time=5 --pgsql-ignore-errors=all run
check_equal "a name that is taken ends the run" 1 "$status"
check_match "and is told with the likely cause" '^FATAL: pgsql driver: error 42P05 .*pooler in transaction mode' "$err"

# A session in this log prepares a statement under a name that another client has used.
forget_sessions
left=$(rows)
pgbouncer_sql "PREPARE p AS DELETE FROM sbtest1"
{
    echo "2026-11-24 03:37:01.000 UTC [7] LOG:  statement: PREPARE p AS SELECT 1"
    echo "2026-11-24 03:37:01.100 UTC [7] LOG:  statement: EXECUTE p"
    echo "2026-11-24 03:37:01.200 UTC [7] LOG:  statement: DEALLOCATE p"
} >prepares.log
run "$SYSRATE" "${pooled[@]}" --threads=1 --allow-writes --report-sql --json=report.json replay prepares.log run
check_equal "a replay does not execute the statement of another client" "0 $left" "$status $(rows)"
check_equal "its own statements have names of their own, and do not fail" '[3,3]' \
    "$(jq -c '[.summary.requests.offered, .summary.requests.completed]' report.json)"
check_equal "they are reported as in the log" '["deallocate","execute","prepare"]' \
    "$(jq -c '[.summary.statements[].class] | sort' report.json)"

# Without --allow-writes, a replay needs read-only sessions. A pooler that does not pass the setting on cannot give them; then the
# replay does not begin, and sessions of other clients are as before.
cat >reads.log <<'LOG'
2026-11-24 03:37:01.000 UTC [7] LOG:  statement: SELECT 1
2026-11-24 03:37:01.100 UTC [7] LOG:  statement: SELECT 2
LOG
# refuses NAME: a replay through the pooler does not begin.
refuses() {
    forget_sessions
    pgbouncer_sql "SELECT 1" >/dev/null
    run "$SYSRATE" "${pooled[@]}" --threads=2 replay reads.log run
    check_equal "$1: a replay does not begin" 1 "$status"
    check_match "$1: the message names the reason and the remedy" '^FATAL: .*session is not read only.*without the pooler' "$err"
    check_equal "$1: sessions of other clients are not changed" off "$(pgbouncer_sql "SHOW default_transaction_read_only")"
}
refuses "the pooler refuses the setting"
stop_server INT pgbouncer
echo "ignore_startup_parameters = options, extra_float_digits" >>"$SERVERS_DIR/pgbouncer.ini"
start_server pgbouncer
refuses "the pooler ignores the setting"
# Another client has changed both sessions of the pooler.
setters=()
for _ in 1 2; do
    pgbouncer_sql "BEGIN; SELECT pg_sleep(1); SET default_transaction_read_only = on; COMMIT" >/dev/null &
    setters+=($!)
done
wait "${setters[@]}"
run "$SYSRATE" "${pooled[@]}" --threads=2 replay reads.log run
check_equal "a session that another client has made read only does not count" 1 "$status"
# All sessions of the user are read only.
pgsql_sql "ALTER ROLE sbtest SET default_transaction_read_only = on"
forget_sessions
run "$SYSRATE" "${pooled[@]}" --threads=2 replay reads.log run
check_equal "a replay begins if the user's sessions are read only" 0 "$status"
pgsql_sql "ALTER ROLE sbtest RESET default_transaction_read_only"
forget_sessions
# Without the pooler, the setting is added to those of PGOPTIONS.
{
    echo "2026-11-24 03:37:01.000 UTC [7] LOG:  statement: SELECT count(*) FROM only_here"
    echo "2026-11-24 03:37:01.100 UTC [7] LOG:  statement: SELECT nextval('numbers')"
} >direct.log
pgsql_sql "CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.only_here (a int); CREATE SEQUENCE elsewhere.numbers;
    GRANT ALL ON SCHEMA elsewhere TO sbtest; GRANT ALL ON ALL TABLES IN SCHEMA elsewhere TO sbtest;
    GRANT ALL ON ALL SEQUENCES IN SCHEMA elsewhere TO sbtest" sbtest
PGOPTIONS="-c search_path=elsewhere" run "$SYSRATE" "${direct[@]}" --threads=1 --json=report.json replay direct.log run
check_equal "without the pooler, reads succeed and writes are refused" '[1,"25006"]' \
    "$(jq -c '[.summary.requests.failed, .summary.errors[0].state]' report.json)"

# Names of prepared statements are unique among the connections of one process and of several processes.
cat >names.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:prepare("SELECT 1"):execute()
   print("name " .. con:query_row("SELECT name FROM pg_prepared_statements"))
end
LUA
for _ in 1 2; do
    "$SYSRATE" ./names.lua "${direct[@]}" --threads=3 --events=3 --tx-rate=3 --time=10 run
done | sed -n 's/^name //p' | sort >names
check_equal "connections have statements" true "$([ "$(wc -l <names)" -ge 6 ] && echo true)"
check_equal "all of them have different names" "" "$(uniq -d names)"

forget_sessions
run "$SYSRATE" oltp_read_write "${pooled[@]}" --table-size=1000 --threads=8 --time=1 run
check_equal "a workload that prepares does not succeed" 1 "$status"
run "$SYSRATE" oltp_read_write "${pooled[@]}" --table-size=1000 --threads=8 --time=1 --db-ps-mode=disable run
check_equal "it does with the remedy" 0 "$status"

# The pooler accepts as many clients as it has now, and one more.
pgbouncer_sql "SET max_client_conn = 4" pgbouncer >/dev/null
run "$SYSRATE" oltp_point_select "${pooled[@]}" --table-size=1000 --threads=20 --time=1 --db-ps-mode=disable run
check_equal "too many clients: exit status" 1 "$status"
check_match "too many clients: the message names the setting of the pooler" \
    'fewer --threads, or raise its max_client_conn\.' "$err"
finish
