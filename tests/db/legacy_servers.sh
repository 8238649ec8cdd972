# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests the oltp_legacy set on MariaDB and PostgreSQL, also with published command lines. These are unchanged except for the paths,
# the server, and options added at the end for a shorter run on smaller tables.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
# Makes automatic ids odd, so that tests that rely on consecutive ids would update rows that do not exist.
MYSQL_SETTINGS=(--auto-increment-increment=2)
. "$TESTS_DIR/db/servers.sh"
start_servers

ids() {
    "$1_sql" "SELECT CONCAT(COUNT(*), ' ', MIN(id), ' ', MAX(id)) FROM sbtest3" sbtest
}

mkdir -p tests/db usr/share/sysbench/tests/include/oltp_legacy
cp "$SRCDIR"/src/lua/oltp_legacy/*.lua tests/db/
cp "$SRCDIR"/src/lua/oltp_legacy/*.lua usr/share/sysbench/tests/include/oltp_legacy/
ln -s "$SYSRATE" sysbench

declare -A PER_EVENT=(
    [oltp]="14 4 2" [oltp_simple]="1 0 0" [select]="1 0 0" [insert]="0 1 0" [delete]="0 1 0" [update_index]="0 1 0"
    [update_non_index]="0 1 0" [select_random_points]="1 0 0" [select_random_ranges]="1 0 0"
)

for server in mysql pgsql; do
    server_options $server
    tables=("${connect[@]}" --oltp-tables-count=3 --oltp-table-size=1003)
    for script in "${!PER_EVENT[@]}"; do
        run "$SYSRATE" --test=tests/db/$script.lua "${tables[@]}" prepare
        check_equal "$server: $script: prepare makes dense ids" "0 1003 1 1003" "$status $(ids $server)"
        # One thread, because statements of transactions that restart after a deadlock are counted twice.
        run "$SYSRATE" --test=tests/db/$script.lua "${tables[@]}" --max-requests=60 --max-time=0 run
        check_equal "$server: $script: statements" "0 $(times 60 "${PER_EVENT[$script]}")" "$status $(statement_counts)"
        # On PostgreSQL, two threads that delete and insert the same row can get a duplicate key error, which restarts the event.
        run "$SYSRATE" --test=tests/db/$script.lua "${tables[@]}" --max-requests=0 --max-time=1 --num-threads=4 run
        check_equal "$server: $script: four threads" 0 "$status"
        run "$SYSRATE" --test=tests/db/$script.lua "${tables[@]}" cleanup
        check_equal "$server: $script: cleanup" 0 "$status"
    done
    run "$SYSRATE" --test=tests/db/parallel_prepare.lua "${tables[@]}" --num-threads=3 run
    check_equal "$server: parallel_prepare" "0 1003 1 1003" "$status $(ids $server)"
    run "$SYSRATE" oltp_legacy/update_index "${tables[@]}" --max-requests=500 --report-sql --json=report.json run
    check_equal "$server: each update finds a row" '["update sbtest",500,500,500]' \
        "$(jq -c '.summary.statements[0] | [.class, .count, .rows_matched, .rows_changed]' report.json)"
    run "$SYSRATE" oltp_legacy/oltp "${tables[@]}" --max-requests=20 --oltp-read-only=on run
    check_equal "$server: --oltp-read-only" "0 280 0 40" "$status $(statement_counts)"
    run "$SYSRATE" oltp_legacy/oltp "${tables[@]}" cleanup
done

# A statement with parameters.
cat >params.lua <<'LUA'
function prepare()
   db_query("CREATE TABLE params (a INTEGER, b VARCHAR(20))")
end

function event()
   local values = {7, "it's"}
   local stmt = db_prepare("INSERT INTO params (a, b) VALUES (?, ?)")
   db_bind_param(stmt, values)
   db_execute(stmt)
   values[1], values[2] = 8.9, "longer than before"
   db_execute(stmt)
   db_close(stmt)
   stmt = db_prepare("SELECT b FROM params WHERE a = ?")
   db_bind_param(stmt, {8})
   local rs = db_execute(stmt)
   db_store_results(rs)
   print("row: " .. rs:fetch_row()[1])
   db_free_results(rs)
   db_close(stmt)
end
LUA
for server in mysql pgsql; do
    for mode in auto disable; do
        server_options $server
        "${server}_sql" "DROP TABLE IF EXISTS params" sbtest 2>/dev/null
        run "$SYSRATE" params.lua "${connect[@]}" --db-ps-mode=$mode prepare
        run "$SYSRATE" params.lua "${connect[@]}" --db-ps-mode=$mode --max-requests=1 run
        check_equal "$server: parameters with --db-ps-mode=$mode: exit code" 0 "$status"
        check_match "$server: parameters with --db-ps-mode=$mode" '^row: longer than before$' "$out"
    done
done

# Published command lines. The server has the users and databases that they expect, also a user without a password.

mysql_sql "CREATE DATABASE sysbench; CREATE USER ''@'localhost'; GRANT ALL ON sbtest.* TO ''@'localhost';
    ALTER USER sbtest@'%' IDENTIFIED BY '123456'; GRANT ALL ON sysbench.* TO sbtest@'%'"
port=${server_port[mysql]}
legacy=usr/share/sysbench/tests/include/oltp_legacy/oltp.lua

one_table=(--db-driver=mysql --mysql-db=sysbench --mysql-user=sbtest --mysql-password=123456 --mysql-port="$port"
    --mysql-host=127.0.0.1 --oltp-tables-count=1 --oltp-table-size=100000)
run ./sysbench $legacy "${one_table[@]}" --threads=100 --time=180 --report-interval=10 --oltp-table-size=20000 prepare
check_equal "prepare of one table" 0 "$status"
run ./sysbench $legacy "${one_table[@]}" --threads=100 --time=180 --report-interval=10 \
    --oltp-table-size=20000 --time=3 --report-interval=1 run
check_equal "one table, 100 threads" 0 "$status"
check_match "its interval lines" '^\[ [0-9.]+s \] thds: 100 tps: [0-9.]+ qps: [0-9.]+ \(r/w/o: [0-9./]+\) lat \(ms,95%\): [0-9.]+ err/s: [0-9.]+ reconn/s: 0\.00$' "$out"
check "it has done something" test "$(figure transactions)" -gt 10
run ./sysbench $legacy "${one_table[@]}" --oltp-read-only=on --threads=200 --time=180 --report-interval=10 \
    --oltp-table-size=20000 --time=2 run
check_equal "reads only, 200 threads" "0 0" "$status $(figure write)"

run ./sysbench --test=tests/db/update_index.lua --mysql-host=localhost --mysql-user=root --mysql-db=sbtest \
    --oltp-tables-count=20 --oltp-table-size=500 --mysql-socket="$mysql_socket" prepare
check_equal "prepare of twenty tables" 0 "$status"
run ./sysbench --test=tests/db/update_index.lua --mysql-host=localhost --mysql-user=root --mysql-db=sbtest \
    --oltp-tables-count=20 --oltp-table-size=1000000 --mysql-socket="$mysql_socket" \
    --max-requests=10000000000 --max-time=600 --num-threads=128 \
    --oltp-table-size=500 --max-time=3 --report-sql --json=report.json run
check_equal "update_index, 128 threads" 0 "$status"
check_equal "each of its updates finds a row" true \
    "$(jq '.summary.statements[0] | .count > 100 and .rows_matched == .count' report.json)"

sql_options=(--skip_trx=on --db-ps-mode=disable)
mysql_sql "DROP TABLE sbtest1" sysbench
# One thread, because without transactions two threads that delete and insert the same row get a duplicate key error.
for type in uniform special; do
    run ./sysbench oltp_read_write "${one_table[@]:0:6}" --table_size=1000 --tables=2 "${sql_options[@]}" --rand-type=$type prepare
    check_equal "oltp_read_write, $type: prepare" 0 "$status"
    run ./sysbench oltp_read_write "${one_table[@]:0:6}" --table_size=1000 --tables=2 "${sql_options[@]}" --rand-type=$type \
        --threads=1 --time=2 run
    check_equal "oltp_read_write, $type: run" 0 "$status"
    run ./sysbench oltp_read_write "${one_table[@]:0:6}" --tables=2 cleanup
    mysql_sql "DROP TABLE IF EXISTS sbtest1, sbtest2" sysbench
done
finish
