# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --inject on real servers during a load: a dump and DROP TABLE are marked and compared with the times before and after; hanging
# statements are cancelled on the server; a server that dies during an injection does not disturb the end of the run.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
start_servers

# loaded SERVER OPTION...: runs point selects for 3 s, so that statements that start in the first second have 2 s to end.
loaded() {
    server_options "$1"
    shift
    run "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=1000 --threads=2 --rate=100 --time=3 --report-interval=1 \
        --percentile=50,99 --json=a.json --html=a.html "$@" run
    check_equal "$server: exit code" 0 "$status"
    check_equal "$server: no request is lost" true "$(json_figure '.summary.requests | .completed > 0 and
        .offered == .completed + .failed + .dropped + .unfinished')"
    check_equal "$server: before, during and after: all requests" true "$(json_figure '.summary.requests.offered as $all |
        .injections[0] | [.before, .during, .after | .requests] | add <= $all')"
}

for server in mysql pgsql; do
    server_options $server
    run "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=1000 prepare
    check_equal "$server: prepare" 0 "$status"
done
mysql_sql "CREATE TABLE sbtest.big (a INT); INSERT INTO sbtest.big SELECT seq FROM $(numbers 100000)" sbtest
printf '[client]\nuser=sbtest\npassword=secret\nsocket=%s\n' "$mysql_socket" >my.cnf

server=mysql
# The dump reads a table that is not dropped, because it may still be running when the other table is dropped.
loaded mysql --inject='0.3s: exec: mysqldump --defaults-extra-file=my.cnf --skip-lock-tables --no-tablespaces --result-file=dump.sql sbtest sbtest1' \
    --inject='1s: sql: SELECT COUNT(*) FROM big; DROP TABLE big' --inject='1.2s: sql: SELECT a FROM no_such' \
    --inject='1.3s: sql: SELECT SLEEP(600)'
check_equal "mysql: what became of them" "done done failed stopped" "$(json_figure '[.injections[].state] | join(" ")')"
check "mysql: the dump is whole" grep -q 'Dump completed' dump.sql
check_equal "mysql: the table is gone" "" "$(mysql_sql "SHOW TABLES IN sbtest LIKE 'big'")"
check_match "mysql: why one failed" "^error 1146, state 42S02 .*no_such" "$(json_figure '.injections[2].error')"
check_equal "mysql: nothing goes on in the server" 0 "$(mysql_sql "SELECT COUNT(*) FROM information_schema.processlist
    WHERE info LIKE '%SLEEP(600)%' AND info NOT LIKE '%processlist%'")"
check_equal "mysql: four marks" 4 "$(json_figure '.marks | length')"
check_match "mysql: on the time line" '^\[ [0-9.]+s \] injection 2 begins: sql: SELECT COUNT' "$out"
check_equal "mysql: the page has them" 4 "$(grep -o '"number":' a.html | wc -l)"

server=pgsql
loaded pgsql --inject='0.5s: sql: CREATE TABLE t AS SELECT generate_series(1, 1000) AS a' --inject='1s: sql: SELECT a FROM t' \
    --inject='1.3s: sql: SELECT pg_sleep(600)' --inject='1.3s: sql: SELECT generate_series(1, 1000000000000)'
check_equal "pgsql: what became of them" "done done stopped stopped" "$(json_figure '[.injections[].state] | join(" ")')"
check_equal "pgsql: rows are counted" "1000 rows read" "$(json_figure '.injections[1].output')"
check_equal "pgsql: nothing goes on in the server" 0 "$(pgsql_sql "SELECT COUNT(*) FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE '%(600)%' AND pid <> pg_backend_pid()")"

# The server dies during a statement and is still down for the next one.
server_options mysql
"$SYSRATE" - "${connect[@]}" --threads=1 --rate=50 --time=6.5 --json=a.json --inject='0s: sql: SELECT SLEEP(600)' --inject='6s: sql: SELECT 1' \
    run >run.out 2>run.err <<<'function event() end' &
pid=$!
for _ in $(seq 400); do
    [ "$(mysql_sql "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(600)%'" 2>/dev/null)" = 1 ] && break
    sleep 0.02
done
stop_server KILL mysql
wait $pid
check_equal "no server any more: exit code" 0 $?
check_equal "no server any more: both failed" "failed failed" "$(json_figure '[.injections[].state] | join(" ")')"
check_match "no server any more: lost" '^error (2013|2006|2026)' "$(json_figure '.injections[0].error')"
check_match "no server any more: not found" '^error 2002' "$(json_figure '.injections[1].error')"

finish
