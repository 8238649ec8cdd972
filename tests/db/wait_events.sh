# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --wait-events on real servers, with causes that the test itself creates: a session that holds the lock of a row or of a table, and
# a sleep in the event. The report must name the cause, and for locks the table and the session.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/why/waits_lib.sh"
start_servers
create_accounts

cat >update.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("UPDATE accounts SET balance = balance + 1 WHERE id = " .. sysbench.rand.uniform(1, 100))
end
LUA
sed 's/con:query.*/con:query(os.getenv("STATEMENT"))/' update.lua >statement.lua

# watched SERVER SCRIPT OPTION...: a run with samples. If a busy machine has stopped the client itself for long, the report shows this
# instead of the waits of the server, and samples that are taken late know fewer blockers. The run is then repeated.
watched() {
    server_options "$1"
    run_until '[ "$(json_figure "[.wait_events.requests | .all, .p99 | .client_late_percent] | max <= 5")" = true ]' \
        "$SYSRATE" "$2" "${connect[@]}" --wait-events=20 --json=a.json --report=full --rand-seed=1 "${@:3}" run
    check_equal "$server: exit code" 0 "$status"
    columns_add_up "$server"
}

declare -A row_lock=([mysql]=Lock:row [pgsql]=Lock:t) table_lock=([mysql]="Lock:table metadata" [pgsql]=Lock:relation)
declare -A begin_table=([mysql]="LOCK TABLES accounts WRITE;" [pgsql]="BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE;")
declare -A end_table=([mysql]="UNLOCK TABLES;" [pgsql]="ROLLBACK;")
declare -A pause=([mysql]="SELECT SLEEP(0.1)" [pgsql]="SELECT pg_sleep(0.1)") sleeps=([mysql]="User sleep" [pgsql]=Timeout:PgSleep)
declare -A text=([mysql]=null [pgsql]="UPDATE accounts SET balance = 0 WHERE id <= 6;")

for server in pgsql mysql; do
    # 12 requests per second need one of the rows: some 72 of 2200 wait for it while it is held, for a second on average. These are all of
    # the 22 requests above p99, unless the machine stops others for as long. At the end of each 2 s some 24 wait; more than 32 do once in 20
    # times, and of these PostgreSQL is asked for the blockers of 32 only.
    hold $server "BEGIN; UPDATE accounts SET balance = 0 WHERE id <= 6;" "ROLLBACK;" 2
    watched $server update.lua --threads=64 --tx-rate=200 --time=11 "${hold[@]}"
    at_least "$server, row: most of the time above p99" 90 "$(share "all locks" p99)"
    check_equal "$server, row: the cause" "lock waits" "$(json_figure .wait_events.cause.event)"
    blocker='.wait_events.locks.blocked_by[0]'
    at_least "$server, row: the session" 90 "$(json_figure "[$blocker | select(.blocker | type == \"object\") | .percent] | .[0]")"
    check_match "$server, row: the table" "^(sbtest\.)?accounts$" "$(json_figure "$blocker.table")"
    check_equal "$server, row: its statement" "${text[$server]}" "$(json_figure "$blocker.blocker.text")"
    # The session holds the lock for 2 s, and the longest time seen is reported. MySQL, unlike MariaDB, counts whole seconds.
    held=$(json_figure "$blocker.blocker.seconds")
    at_least "$server, row: for how long" 1 "$held"
    [ "$server $mysql_kind" = "mysql mysql" ] || check_match "$server, row: parts of a second" '\.[0-9]' "$held"
    check_match "$server, row: the sentence" "p99 is lock waits: [0-9]+ % of the time of requests above p99.*, held by session [0-9]+" "$out"

    # All requests of a second wait for the table, 24 at its end. When 60 waited on a busy machine, LWLock:LockManager was 9 % of the time
    # above p95, presumably because samples ask for their blockers and PostgreSQL looks for deadlocks.
    hold $server "${begin_table[$server]}" "${end_table[$server]}" 1
    watched $server update.lua --threads=64 --tx-rate=24 --time=8 "${hold[@]}"
    at_least "$server, table: most of the time above p95" 90 "$(share "${table_lock[$server]}" p95)"
    check_match "$server, table: it is named" "^(sbtest\.)?accounts$" "$(json_figure '.wait_events.locks.blocked_by[0].table')"

    # The sleep takes all of the service time, except for that of the answer.
    export STATEMENT=${pause[$server]}
    watched $server statement.lua --threads=16 --tx-rate=40 --time=8
    at_least "$server, sleep: most of the time" 70 "$(share "${sleeps[$server]}" all)"

    # A frozen server.
    # shellcheck disable=SC2016  # the script expands them
    printf 'pids="%s $(pgrep -P %s)"; kill -STOP $pids; sleep 2; kill -CONT $pids' "${server_main_pid[$server]}" \
        "${server_main_pid[$server]}" >freeze.sh
    watched $server update.lua --threads=100 --tx-rate=30 --time=6 --inject='1.5s: sh: sh freeze.sh'
    at_least "$server, frozen: most of the time above p95" 80 "$(share "server did not answer" p95)"
    at_least "$server, frozen: the outage" 80 "$(json_figure '[.outages.list[].wait_events.events["server did not answer"]] | max')"
done

# Privileges that are missing are named, with the statement that grants them.
mysql_sql "REVOKE $sampling_privilege FROM sbtest@localhost" 2>/dev/null || mysql_sql "REVOKE $sampling_privilege FROM sbtest"
grant=$(sed 's/[*.]/\\&/g' <<<"GRANT $sampling_privilege TO 'sbtest'")
server_options mysql
run "$SYSRATE" update.lua "${connect[@]}" --wait-events --tx-rate=50 --time=1 --json=a.json run
check_equal "mysql, no privilege: exit code" 0 "$status"
check_match "mysql, no privilege: what to grant" "$grant" "$err"
check_match "mysql, no privilege: in the report" "^    Note: .*$grant" "$out"
check_match "mysql, no privilege: in the JSON" "$grant" "$(json_figure '.wait_events.notes[0]')"

pgsql_sql "REVOKE pg_read_all_stats FROM sbtest"
hold pgsql "BEGIN; UPDATE accounts SET balance = 0;" "ROLLBACK;" 1
server_options pgsql
run "$SYSRATE" update.lua "${connect[@]}" --wait-events=50 --threads=50 --tx-rate=20 --time=4 --wait-events-text=off --json=a.json \
    "${hold[@]}" run
check_equal "pgsql, no privilege: exit code" 0 "$status"
check_match "pgsql, no privilege: what to grant" 'GRANT pg_read_all_stats TO "sbtest"' "$err"
check_match "pgsql, no privilege: in the report" '^    Note: .*GRANT pg_read_all_stats TO "sbtest"' "$out"
check_match "pgsql, no privilege: in the JSON" 'GRANT pg_read_all_stats TO "sbtest"' "$(json_figure '.wait_events.notes[0]')"
check_equal "pgsql, no privilege: the locks are seen" true "$(json_figure '.wait_events.locks.all.percent > 0')"
check_equal "pgsql, no privilege: no text" '[null]' "$(json_figure '[.wait_events.locks.blocked_by[].blocker.text?] | unique | tostring')"

# A pooler gives its clients numbers that the server does not know.
if command -v pgbouncer >/dev/null; then
    start_servers pgbouncer
    server_options pgbouncer
    run "$SYSRATE" update.lua "${connect[@]}" --wait-events --tx-rate=50 --time=1 --db-ps-mode=disable --json=a.json run
    check_equal "pooler: exit code" 0 "$status"
    check_match "pooler: the warning" 'the server does not know the sessions of the workers' "$err"
    check_equal "pooler: no shares" '0 []' "$(json_figure '.wait_events | "\(.samples) \(.events)"')"
    check_match "pooler: in the report" '^    Note: the server does not know the sessions of the workers' "$out"
fi

finish
