# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests sysrate replay: replays logs that MariaDB (or MySQL) and PostgreSQL have written during a run of sysrate and of pgbench. The
# server's log of the replay must have the same statements in the same order in each session.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"

logs=$SERVERS_DIR/logs
mkdir -p "$logs"
chmod 711 "$SERVERS_DIR"
chmod 1777 "$logs"
MYSQL_SETTINGS=(--general-log-file="$logs/start.log" --slow-query-log-file="$logs/start.slow" --long-query-time=0 --log-output=FILE)
PGSQL_SETTINGS=(--log_min_duration_statement=0 --log_destination=csvlog,stderr --logging_collector=on --log_directory="$logs"
    --log_filename=pgsql.log --log_connections=on --log_disconnections=on)
start_servers mysql pgsql

sessions() { python3 "$TESTS_DIR/db/replay_sessions.py" sessions "$1"; }
json() { jq -c "$1" report.json; }
# Prints the number after "behind schedule: at most" in the report, in ms.
furthest_ms() { printf '%s\n' "$out" | sed -n 's/^ *behind schedule: at most \([0-9.]*\) s.*/\1/p' | awk '{ print $1 * 1000 }'; }

aside="SET SESSION long_query_time = 1000" # not a word of the test's own in the slow log
# mysql_log NAME: from now on, the server writes its general log to NAME.log and its slow log to NAME.slow.
mysql_log() {
    mysql_sql "$aside; SET GLOBAL general_log_file = '$logs/$1.log'; SET GLOBAL slow_query_log_file = '$logs/$1.slow';
        SET GLOBAL slow_query_log = ON; SET GLOBAL general_log = ON"
}
mysql_log_off() {
    mysql_sql "$aside; SET GLOBAL general_log = OFF; SET GLOBAL slow_query_log = OFF"
    sed -i '/general_log/d; /long_query_time/d' "$logs/$1.log"
}
# pgsql_log NAME: copies the log since the last call to NAME.csv and NAME.log, up to a mark. Waits until all sessions have ended before
# it writes the mark, so that the log of each session is complete.
pgsql_ended() { [ "$(pgsql_sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'sbtest' /* oracle */")" = 0 ]; }
pgsql_marked() { grep -q "oracle mark" "$logs/pgsql.csv" && grep -q "oracle mark" "$logs/pgsql.log"; }
pgsql_log() {
    wait_for 30 pgsql_ended
    pgsql_sql "SELECT 'oracle mark'" >/dev/null
    wait_for 30 pgsql_marked
    cp "$logs/pgsql.csv" "$1.csv"
    cp "$logs/pgsql.log" "$1.log"
    : >"$logs/pgsql.csv"
    : >"$logs/pgsql.log"
}
# On a busy machine, transactions may meet that did not meet in the original run. Such a conflict is the only error that is allowed.
# Since MariaDB 11.6 a snapshot that is too old is a conflict, too ("Record has changed since last read"). A deadlock rolls the
# transaction of MySQL back with its DELETE, so the INSERT of the same row that follows may find the row.
adds_up() {
    local conflicts='Deadlock found|Record has changed|deadlock detected|current transaction is aborted'
    ! grep -qE 'not in the log: (Deadlock|Record)' <<<"$out" || conflicts+='|Duplicate entry'
    check_equal "$1: all adds up" true "$(json '.summary.requests | .completed + .failed == .offered and .unfinished == 0')"
    check_equal "$1: nothing fails but conflicts" "" "$(grep 'not in the log: [^0-9]' <<<"$out" |
        grep -vE "$conflicts")"
}

small=(--table-size=100 --tables=2)
load=("${small[@]}" --check-tables=off --threads=3 --tx-rate=30 --time=1.2 --rand-seed=1 oltp_read_write run)

# replay_mysql LOG SPEED: replays a log; the server must log the same as during the original run.
replay_mysql() {
    local name="mysql: ${1##*.} log, speed $2"
    mysql_log again
    run "$SYSRATE" "${connect[@]}" --json=report.json --request-log=requests.txt --speed="$2" --allow-writes replay "$1" run
    mysql_log_off again
    check_equal "$name: exit code" 0 "$status"
    sessions "$logs/again.log" >again
    rm "$logs/again.log" "$logs/again.slow"
    check "$name: the same statements in the same order in each session" cmp first again
    check_equal "$name: as many as the log has" "$(python3 "$TESTS_DIR/db/replay_sessions.py" count "$logs/first.log")" "$(json .summary.requests.offered)"
    adds_up "$name"
    # Starts may be late by the reported lag, which includes waiting for the previous statement of the session.
    check_equal "$name: starts are within the lag that is reported" true "$(awk -v most="$(furthest_ms)" \
        '/^[0-9]/ && ($2 - $1) / 1e6 > most + 1 { bad = 1 } END { print bad ? "false" : "true" }' requests.txt)"
}
due() { awk '/^[0-9]/ { print $1 }' "$1" | sort -n | awk 'NR == 1 { first = $1 } { printf "%d\n", $1 - first }'; }
# unmatched BY SEEN EXPECTED: compares two files with a number per line, both sorted. Prints each expected number that was not seen, and
# each seen number that was not expected, followed by "not expected". Numbers are equal if they differ by at most BY.
unmatched() {
    awk -v by="$1" 'NR == FNR { expected[++count] = $1; next }
        {
            while (at < count && expected[at + 1] < $1 - by)
                print expected[++at]
            if (at < count && expected[at + 1] <= $1 + by) at++; else print $1 " not expected"
        }
        END { while (at < count) print expected[++at] }' "$3" "$2"
}

server_options mysql
"$SYSRATE" "${connect[@]}" "${small[@]}" oltp_read_write prepare >/dev/null
mysql_log first
"$SYSRATE" "${connect[@]}" "${load[@]}" >first.txt
mysql_log_off first
sessions "$logs/first.log" >first
check_equal "mysql: the log has the sessions of the run" 3 "$(wc -l <first)"
for kind in slow log; do
    replay_mysql "$logs/first.$kind" 4
    replay_mysql "$logs/first.$kind" 1
done
due requests.txt >arrivals
python3 "$TESTS_DIR/db/replay_sessions.py" arrivals "$logs/first.log" >expected
# The log of requests has no failed ones: MariaDB 11.8 fails statements whose snapshot is too old.
unmatched 2000 arrivals expected >unmatched.txt
check_equal "mysql: the schedule is that of the log, read by another" "$(json .summary.requests.failed) 0" \
    "$(wc -l <unmatched.txt) $(grep -c 'not expected' unmatched.txt)"

run "$SYSRATE" "${connect[@]}" --json=report.json --speed=10 replay "$logs/first.log" run
check_match "mysql: without --allow-writes writes stay away" \
    'not replayed without --allow-writes: [0-9]+ statements that may write \(line [0-9]+: UPDATE' "$out"
check_equal "mysql: and none is sent" 0 "$(json .summary.counters.writes)"
# A write hidden in a function is refused by the server, because the session is read only.
mysql_sql $'DELIMITER //\nCREATE FUNCTION sbtest.hidden() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM sbtest1; RETURN 1; END//'
printf '%s\n' '261124  3:37:01	     7 Query	SELECT hidden()' >hidden.log
run "$SYSRATE" "${connect[@]}" --json=report.json replay hidden.log run
check_match "mysql: a function that writes is refused" 'not in the log: .*READ ONLY transaction' "$out"


# The log gives the database of a session at its start and when its user changes. A reopened connection must use the same database, and
# if the change to a database was refused, no statement is executed in another one. Another user may have no database; its session is
# read only as well. A session that changes its database at once does not need its first database.
mysql_sql "CREATE DATABASE shop; CREATE TABLE shop.only_here (a INT); CREATE DATABASE store; CREATE TABLE store.only_there (a INT);
    GRANT SELECT ON shop.* TO sbtest@'%'; GRANT SELECT ON store.* TO sbtest@'%'"
session=7
at() { printf '261124  3:37:0%s\t     %s %s\t%s\n' "$1" "$session" "${@:2}"; }
{
    at 1 Connect 'sbtest@localhost on shop using Socket'
    at 1 Query 'SELECT a FROM only_here'
    at 1 Query 'SET SESSION wait_timeout = 1'
    at 4 Query 'SELECT "is lost"'
    at 5 Query 'SELECT a FROM only_here'
    at 5 'Change user' 'sbtest@localhost on store using Socket'
    at 5 Query 'SELECT a FROM only_there'
    at 5 Query 'USE shop'
    at 5 Query 'SET SESSION wait_timeout = 1'
    at 8 Query 'SELECT "is lost"'
    at 8 Query 'SELECT a FROM only_here'
    at 8 'Change user' 'sbtest@localhost on nowhere using Socket'
    at 8 Query 'SELECT 1'
    at 8 Query 'SELECT 2'
    session=8
    at 1 Connect 'sbtest@localhost on shop using Socket'
    at 1 Query 'SELECT a FROM only_here'
    at 1 'Change user' 'sbtest@localhost on  using Socket'
    at 1 Query 'SELECT a FROM only_here'
    at 1 Query 'SELECT sbtest.hidden()'
    at 1 Query 'SET SESSION wait_timeout = 1'
    at 4 Query 'SELECT "is lost"'
    at 5 Query 'SELECT a FROM only_here'
    at 5 Query 'USE /* there */ `store`'
    at 5 Query 'SELECT a FROM only_there'
    at 5 Query 'SET SESSION wait_timeout = 1'
    at 8 Query 'SELECT "is lost"'
    at 8 Query 'SELECT a FROM only_there'
    session=9
    at 1 Connect 'sbtest@localhost on nowhere using Socket'
    at 1 'Init DB' shop
    at 1 Query 'SELECT a FROM only_here'
} | sort -s -t$'\t' -k1,1 >lost.log
run "$SYSRATE" "${connect[@]}" --json=report.json replay lost.log run
check_equal "mysql: a session stays in its database, or in none: what fails is what found no connection or database, and what may not write" \
    '[24,15,9]' "$(json '.summary.requests | [.offered, .completed, .failed]')"
check_no_match "mysql: no table is missing" "doesn't exist" "$out"
check_match "mysql: a session whose new user is in no database" 'not in the log: No database selected' "$out"
check_match "mysql: what could not go there was not executed" 'of these, not executed: 2 statements' "$out"

mysql_sql 'CREATE DATABASE `odd``shop`; CREATE TABLE `odd``shop`.only_odd (a INT); GRANT SELECT ON `odd``shop`.* TO sbtest@"%"'
{
    at 1 Connect 'sbtest@localhost on odd`shop using Socket'
    at 1 Query 'SELECT a FROM only_odd'
    session=10
    at 1 'Init DB' 'odd`shop'
    at 1 Query 'SELECT a FROM only_odd'
} >odd.log
run "$SYSRATE" "${connect[@]}" --json=report.json replay odd.log run
check_equal "mysql: a database with a backtick in its name" '[3,3] ' \
    "$(json '.summary.requests | [.offered, .completed]') $(grep 'not in the log' <<<"$out" | grep -v 'errors: 0; in the log: 0;')"

# freeze SERVER LOG: a frozen server shows in the response times, and does not delay later arrivals.
freeze() {
    local pid=${server_main_pid[$1]}
    run "$SYSRATE" "${connect[@]}" --json=report.json --request-log=moving.txt --server-stats=0.5 --html=page.html --slo='p50<60s' \
        --report-interval=1 replay "$2" run
    check_equal "$1: exit code" 0 "$status"
    check_equal "$1: verdict, objectives and the server's side" '[true,true,true]' \
        "$(json '[(.summary.audit.verdict | has("valid")), .summary.slo.met, (.probes.sources | length > 0)]')"
    check "$1: a page" grep -q 'behind schedule: at most' page.html
    run "$SYSRATE" "${connect[@]}" --json=report.json --request-log=frozen.txt \
        --inject="0.2s: sh: all='$pid '\$(pgrep -P $pid); kill -STOP \$all; sleep 1.5; kill -CONT \$all" replay "$2" run
    check_equal "$1: exit code of a run with a frozen server" 0 "$status"
    check_equal "$1: frozen for 1.5 s, a response took half of that and more" true "$(json '.summary.response_ms.max > 750')"
    check_between "$1: and that is how far it was behind" 700 "$(furthest_ms)" 1e6
    due moving.txt >moving
    due frozen.txt >frozen
    check "$1: the schedule is that of a server which moves" cmp moving frozen
}
freeze mysql "$logs/first.log"

# replay_pgsql LOG SPEED: replays a log and compares it with the server's log; the .csv and the .log of a load are equivalent.
replay_pgsql() {
    local name="pgsql: $1, speed $2" from=${1%.*}
    run "$SYSRATE" "${connect[@]}" --json=report.json --speed="$2" --allow-writes replay "$1" run
    check_equal "$name: exit code" 0 "$status"
    pgsql_log again
    sessions again.csv >again
    check "$name: the same statements in the same order in each session" cmp "$from" again
    adds_up "$name"
    # The start in the server's log is between the start and the response of the client; both clocks have a resolution of 1 ms.
    check_equal "$name: starts are where they were, within the lag that is reported" within "$(python3 "$TESTS_DIR/db/replay_sessions.py" \
        starts "$from.csv" again.csv "$2" "$(awk -v lag="$(furthest_ms)" 'BEGIN { print lag + 3 }')" "$(json '.summary.response_ms.max + 3')")"
}

server_options pgsql
pgbench=("$(pgsql_bin)/pgbench" --host="$SERVERS_DIR" --port="${server_port[pgsql]}" --username=sbtest)
"${pgbench[@]}" -i -q sbtest >/dev/null 2>&1
"$SYSRATE" "${connect[@]}" "${small[@]}" oltp_read_write prepare >/dev/null
pgsql_log nothing
"${pgbench[@]}" --client=2 --transactions=15 --rate=30 --protocol=prepared --random-seed=1 sbtest >pgbench.txt 2>&1
pgsql_log bench
"$SYSRATE" "${connect[@]}" "${load[@]}" >own.txt
pgsql_log own
for name in bench own; do
    sessions "$name.csv" >"$name"
    check_equal "pgsql: $name: the log has the sessions of the run" 3 "$(wc -l <"$name")"
    for kind in csv log; do
        replay_pgsql "$name.$kind" 4
        replay_pgsql "$name.$kind" 1
        [ $name = own ] || check_match "pgsql: $kind: logged durations beside" '^    update pgbench_accounts +logged +30 ' "$out"
    done
done
freeze pgsql own.csv

# Statements that a server executes even in a read-only session; the program itself must refuse them.
session_line() { printf '2026-11-24 03:37:01.000 UTC [7] LOG:  statement: %s\n' "$1"; }
for text in "EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1" "SELECT lo_creat(-1)" "SELECT pg_cancel_backend(1)" \
    "SELECT set_config('default_transaction_read_only', 'off', false)" "SELECT set_config('search_path', 'pg_catalog', false)" \
    "SELECT to_regclass('made')"; do
    session_line "$text"
done >beyond.log
run "$SYSRATE" "${connect[@]}" --json=report.json replay beyond.log run
check_equal "pgsql: what a read-only transaction may change is not replayed" '[2,2]' "$(json '.summary.requests | [.offered, .completed]')"
check_match "pgsql: and is counted" 'not replayed without --allow-writes: 3 statements.*EXPLAIN ANALYZE CREATE' "$out"
check_equal "pgsql: none of it was done" "0	0" "$(pgsql_sql "SELECT (SELECT count(*) FROM pg_largeobject_metadata),
    (SELECT count(*) FROM pg_class WHERE relname = 'made')" sbtest)"

finish
