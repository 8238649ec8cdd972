# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --wait-events on real servers, with causes that the test makes itself: a session holds the lock of a row or of a table, and a
# sleep in the event. The report must name the cause, and for locks the table and the session.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
start_servers

cat >update.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("UPDATE accounts SET balance = balance + 1 WHERE id = " .. sysbench.rand.uniform(1, 100))
end
LUA
sed 's/con:query.*/con:query(os.getenv("STATEMENT"))/' update.lua >statement.lua

mysql_client_of() { "${mysql_client[@]}" --socket="$mysql_socket" --user=root sbtest; }
pgsql_client_of() {
    psql --no-psqlrc --host="$SERVERS_DIR" --port="${server_port[pgsql]}" --username=postgres --quiet --dbname=sbtest
}

# hold SERVER FIRST LAST SECONDS: opens a session that executes FIRST, waits SECONDS, executes LAST and waits, for three times.
hold() {
    for _ in 1 2 3; do
        sleep 1.5
        echo "$2"
        sleep "$4"
        echo "$3"
    done | "${1}_client_of" >/dev/null 2>hold.err &
    holder=$!
}

# watched SERVER SCRIPT OPTION...: a run with samples.
watched() {
    server_options "$1"
    run "$SYSRATE" "$2" "${connect[@]}" --wait-events=20 --json=a.json --report=full --rand-seed=1 "${@:3}" run
    check_equal "$server: exit code" 0 "$status"
    check_equal "$server: columns add up to 100 %" true "$(json_figure '.wait_events as $w | [$w.requests | to_entries[] |
        select(.value.divided) | .key as $c | .value.client_late_percent + .value.waiting_percent +
        ([$w.events[][$c].percent] | add) | . > 99.9 and . < 100.1] | all')"
}

# above99 EVENT: prints the share of an event in the time above p99 in percent; "null" without one.
above99() { json_figure "[.wait_events | .locks, .events[] | select(.event == \"$1\") | .p99.percent] | .[0]"; }
# at_least NAME LEAST VALUE
at_least() { check "$1 ($3)" awk "BEGIN { exit !(\"$3\" != \"null\" && $3 >= $2) }"; }

mysql_sql "CREATE TABLE sbtest.accounts (id INT PRIMARY KEY, balance INT NOT NULL);
    INSERT INTO sbtest.accounts SELECT seq, 0 FROM $(numbers 100)" sbtest
mysql_sql "GRANT PROCESS ON *.* TO sbtest@localhost" 2>/dev/null || mysql_sql "GRANT PROCESS ON *.* TO sbtest"
mysql_sql "INSTALL SONAME 'metadata_lock_info'" 2>/dev/null
pgsql_sql "CREATE TABLE accounts (id INT PRIMARY KEY, balance INT NOT NULL);
    INSERT INTO accounts SELECT generate_series(1, 100), 0; GRANT ALL ON accounts TO sbtest;
    GRANT pg_read_all_stats TO sbtest" sbtest

declare -A row_lock=([mysql]=Lock:row [pgsql]=Lock:t) table_lock=([mysql]="Lock:table metadata" [pgsql]=Lock:relation)
declare -A begin_table=([mysql]="LOCK TABLES accounts WRITE;" [pgsql]="BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE;")
declare -A end_table=([mysql]="UNLOCK TABLES;" [pgsql]="ROLLBACK;")
declare -A pause=([mysql]="SELECT SLEEP(0.02)" [pgsql]="SELECT pg_sleep(0.02)") sleeps=([mysql]="User sleep" [pgsql]=Timeout:PgSleep)
declare -A text=([mysql]=null [pgsql]="UPDATE accounts SET balance = 0 WHERE id = 1;")

for server in pgsql mysql; do
    # Two requests per second need the row: some 4 of 400 wait for it while it is held, for a second on average.
    hold $server "BEGIN; UPDATE accounts SET balance = 0 WHERE id = 1;" "ROLLBACK;" 2
    watched $server update.lua --threads=32 --tx-rate=200 --time=10
    wait $holder
    at_least "$server, row: most of the time above p99" 90 "$(above99 "all locks")"
    check_equal "$server, row: the cause" "lock waits" "$(json_figure .wait_events.cause.event)"
    blocker='.wait_events.locks.blocked_by[0]'
    at_least "$server, row: the session" 90 "$(json_figure "[$blocker | select(.blocker | type == \"object\") | .percent] | .[0]")"
    check_equal "$server, row: its statement" "${text[$server]}" "$(json_figure "$blocker.blocker.text")"
    check_match "$server, row: the sentence" "p99 is lock waits: [0-9]+ % of the time of requests above p99.*, held by session [0-9]+" "$out"

    # All requests of a second wait for the table.
    hold $server "${begin_table[$server]}" "${end_table[$server]}" 1
    watched $server update.lua --threads=100 --tx-rate=60 --time=8
    wait $holder
    at_least "$server, table: most of the time above p95" 90 "$(json_figure "[.wait_events.events[] |
        select(.event == \"${table_lock[$server]}\") | .p95.percent] | .[0]")"
    check_match "$server, table: it is named" "^(sbtest\.)?accounts$" "$(json_figure '.wait_events.locks.blocked_by[0].table')"

    # The sleep takes all of the time but that of the answer.
    export STATEMENT=${pause[$server]}
    watched $server statement.lua --threads=8 --tx-rate=40 --time=8
    at_least "$server, sleep: most of the time" 70 "$(json_figure "[.wait_events.events[] |
        select(.event == \"${sleeps[$server]}\") | .all.percent] | .[0]")"
done

# Privileges that are missing are named, with the statement that grants them.
mysql_sql "REVOKE PROCESS ON *.* FROM sbtest@localhost" 2>/dev/null || mysql_sql "REVOKE PROCESS ON *.* FROM sbtest"
server_options mysql
run "$SYSRATE" update.lua "${connect[@]}" --wait-events --tx-rate=50 --time=1 run
check_equal "mysql, no privilege: exit code" 0 "$status"
check_match "mysql, no privilege: what to grant" "GRANT PROCESS ON \*\.\* TO 'sbtest'" "$err"

finish
