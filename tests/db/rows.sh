# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests counts of writes that change nothing against the server's counts, the reported causes, and warnings about tables before a run.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
# Makes automatic ids odd.
MYSQL_SETTINGS=(--auto-increment-increment=2)
. "$TESTS_DIR/db/servers.sh"
start_servers

json() { jq -c "$1" rows.json; }

# Prints a counter of the server that does not include rows that an update has left unchanged.
rows_updated() { mysql_sql "SHOW GLOBAL STATUS LIKE '$rows_updated_counter'" | cut -f 2; }

# make_table N: creates a table with 20000 rows, whose ids the server chooses
make_table() {
    mysql_sql "CREATE TABLE sbtest$1 (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER NOT NULL DEFAULT 0, c CHAR(120) NOT NULL
        DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id), KEY k_$1 (k));
        INSERT INTO sbtest$1 (k) SELECT seq FROM $(numbers 20000)" sbtest
}

# measure SCRIPT OPTION...: runs a script; sets $grown to the increase of the server's counter
measure() {
    local before
    before=$(rows_updated)
    run "$SYSRATE" "${connect[@]}" --rand-seed=5 --json=rows.json --threads=2 "$@" run
    grown=$(($(rows_updated) - before))
}

GAPS='gaps in id: .*table sbtest[12].*ids 1 to 39999 in about 20000 rows, 50\.0% of the ids in between are missing; auto_increment_increment is 2 on this server'
BLOCK='^Writes that changed nothing:$'

server_options mysql
make_table 1
make_table 2
cp "$SRCDIR"/src/lua/oltp_legacy/{common,update_index}.lua .
# Removes describe_tables() from common.lua, as in the scripts for sysbench 0.5 that users have.
sed '/describe_tables/,/^end/d' common.lua >tmp && mv tmp common.lua

# Each of 2000 ids exists with probability 1/2, so 1000 ± 22 are found; a correct program is outside of 1000 ± 100 less than once in
# 100000 runs.
for mode in auto disable; do
    measure oltp_update_index --tables=2 --table-size=20000 --db-ps-mode=$mode --events=2000 --time=0 \
        --report-interval=1 --csv=rows.csv
    check_equal "oltp_update_index, $mode: exit code" 0 "$status"
    check_between "oltp_update_index, $mode: half of the updates change nothing" 900 "$(json .summary.effects.update.no_op_writes)" 1100
    check_equal "oltp_update_index, $mode: they find nothing" "[2000,0]" \
        "$(json '.summary.effects.update | [.count, .unchanged]')"
    check_equal "oltp_update_index, $mode: the others are what the server has updated" "$grown" \
        "$(json .summary.effects.update.rows_changed)"
    check_equal "oltp_update_index, $mode: intervals in the CSV file have them" "$(json .summary.effects.update.no_op_writes)" \
        "$(python3 -c 'import csv; print(sum(int(row["no_op_writes"]) for row in csv.DictReader(open("rows.csv"))))')"
    check_match "oltp_update_index, $mode: block" "$BLOCK" "$out"
    check_match "oltp_update_index, $mode: effective rate" \
        '^    effective writes: +[0-9]+ +\([0-9.]+ per sec\. of [0-9.]+\)$' "$out"
    check_match "oltp_update_index, $mode: cause in the report" "^    likely cause: $GAPS" "$out"
    check_match "oltp_update_index, $mode: warning before" "^WARNING: $GAPS" "$err"
    check_match "oltp_update_index, $mode: warning after" "^WARNING: [45][0-9]\.[0-9]+% of the writes of kind update .*: $GAPS" "$err"
    check_match "oltp_update_index, $mode: cause in JSON" "$GAPS" "$(json .summary.no_op_cause)"
    check_equal "oltp_update_index, $mode: all warnings in JSON" "$(grep '^WARNING: ' <<<"$err")" \
        "$(jq -r '.warnings[] | "WARNING: " + .' rows.json | settled)"
done
for script in oltp_legacy/update_index ./update_index.lua; do
    measure --test=$script --oltp-tables-count=2 --oltp-table-size=20000 --max-requests=2000 --max-time=0
    check_between "$script: half of the updates change nothing" 900 "$(json .summary.effects.update.no_op_writes)" 1100
    check_equal "$script: the others are what the server has updated" "$grown" "$(json .summary.effects.update.rows_changed)"
    check_match "$script: warning before" "^WARNING: $GAPS" "$err"
    check_match "$script: cause" "^    likely cause: $GAPS" "$out"
done
measure oltp_update_index --tables=2 --table-size=20000 --check-tables=off --events=2000 --time=0 --verbosity=2
check_no_match "--check-tables=off: no warning before" '^WARNING: gaps' "$err"
check_match "--check-tables=off: one after" "^WARNING: .* of kind update .*: $GAPS" "$err"

# Tables made by prepare have no gaps.
run "$SYSRATE" oltp_update_index "${connect[@]}" --tables=2 --table-size=20000 --force prepare
measure oltp_update_index --tables=2 --table-size=20000 --events=2000 --time=0
check_equal "own tables: no warning" "" "$err"
check_equal "own tables: each update changes a row" '[2000,0,2000,2000]' \
    "$(json '.summary.effects.update | [.count, .no_op_writes, .rows_matched, .rows_changed]')"
check_equal "own tables: as the server sees it" 2000 "$grown"
check_no_match "own tables: no block" "$BLOCK" "$out"
measure --test=./update_index.lua --oltp-tables-count=2 --oltp-table-size=20000 --max-requests=2000 --max-time=0
check_equal "own tables, update_index.lua: each update changes a row" '[0,2000]' \
    "$(json '.summary.effects.update | [.no_op_writes, .rows_changed]')"

# A cause found before a run is reported, no matter how the run changes the tables.
measure oltp_write_only --tables=2 --table-size=40000 --events=500 --time=0
check_match "too small: cause" "^    likely cause: before the run table sbtest1 held the ids 1 to 20000, the options claim 1 to 40000$" "$out"
measure oltp_update_index --tables=2 --table-size=40000 --events=8 --time=0
check_no_match "a few writes: no warning" 'changed nothing' "$err"

# An injection deletes half of the rows during the run.
run "$SYSRATE" oltp_update_index "${connect[@]}" --table-size=20000 --force prepare
measure oltp_update_index --table-size=20000 --rate=500 --time=5 --server-stats --inject='0.5s: sql: DELETE FROM sbtest1 WHERE id % 2 = 1'
check_match "rows that an injection took: cause" "^    likely cause: rows that went during the run: table sbtest1 holds ids 2 to 20000 " "$out"
check_match "rows that an injection took: the server has counted them" \
    '^    rows changed: [0-9]+, counted there: [0-9]+ \(they DISAGREE by \+[0-9]+, more than .*: injection 1 \(10000 rows changed\) is counted there, too\)$' "$out"
check_equal "rows that an injection took: in JSON" '"injection 1 (10000 rows changed)"' "$(json .probes.beside)"

# All statements of an injection count, not only the last one.
for server in mysql pgsql; do
    server_options $server
    run "$SYSRATE" oltp_update_index "${connect[@]}" --table-size=2000 --force prepare
    measure oltp_update_index --table-size=2000 --rate=200 --time=5 --server-stats \
        --inject="0.5s: sql: BEGIN; UPDATE sbtest1 SET pad = 'a'; UPDATE sbtest1 SET pad = 'b' WHERE id <= 500; COMMIT" \
        --inject="1s: sql: SELECT 1; UPDATE sbtest1 SET pad = 'c' WHERE id <= 1000; SELECT 1" --inject='1.2s: sql: SELECT 1; SELECT 2'
    check_equal "$server: statements of a text: what they have done" '"2500 rows changed,1000 rows changed, 2 rows read,2 rows read"' \
        "$(json '[.injections[].output] | join(",")')"
    check_match "$server: statements of a text: the server has counted them" \
        'DISAGREE by \+.*: injection 1 \(2500 rows changed\), injection 2 \(1000 rows changed, 2 rows read\) is counted there, too\)$' "$out"
done
server_options mysql
run "$SYSRATE" oltp_update_index "${connect[@]}" --tables=2 --table-size=20000 --force prepare

# Warnings about tables before a run.
mysql_sql "ALTER TABLE sbtest1 DROP KEY k_1; DELETE FROM sbtest2" sbtest
run "$SYSRATE" oltp_read_only "${connect[@]}" --tables=2 --table-size=30000 --events=1 --time=0 run
check_match "before: no index" '^WARNING: table sbtest1 has no index on k, the options claim one$' "$err"
check_match "before: too small" '^WARNING: table sbtest1 holds the ids 1 to 20000, the options claim 1 to 30000: ' "$err"
check_match "before: empty" '^WARNING: table sbtest2 is empty, the options claim 30000 rows$' "$err"
run "$SYSRATE" oltp_read_only "${connect[@]}" --tables=4 --table-size=30000 --events=1 --time=0 run
check_equal "before: missing" 1 "$status"
check_match "before: missing: message" '^FATAL: table sbtest[34] does not exist \(2 tables are like this\)$' "$err"
check_match "before: missing: what to do" '^Prepare first: sysrate oltp_read_only prepare ' "$err"
run "$SYSRATE" oltp_read_only "${connect[@]}" --table-size=2000 --create_secondary=off --events=1 --time=0 run
check_match "before: too large" '^WARNING: table sbtest1 holds more rows than the 2000 that the options claim \(ids 1 to 20000 ' "$err"
check_equal "before: nothing else" 1 "$(printf '%s\n' "$err" | wc -l)"

# Effects of writes in each database: kind of write, then the number of statements, of those that matched no row, of those that matched
# rows but changed none, and the numbers of rows matched and changed.
cat >writes.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE effects (id INTEGER NOT NULL PRIMARY KEY, k INTEGER)")
end

function event()
   con:query("INSERT INTO effects VALUES (1, 1), (2, 2), (3, 3)")
   con:query("/* one */ UPDATE effects SET k = 7 WHERE id = 1")
   con:query("UPDATE effects SET k = 7 WHERE id = 1")
   con:query("UPDATE effects SET k = 7 WHERE id = 99")
   local statement = con:prepare("UPDATE effects SET k = 7 WHERE id <= ?")
   local id = statement:bind_create(sysbench.sql.type.INT)
   statement:bind_param(id)
   id:set(2)
   statement:execute()
   statement:execute()
   con:query("DELETE FROM effects WHERE id > 1")
   con:query("DELETE FROM effects WHERE id > 1")
   con:query("SELECT k FROM effects")
   con:query("DROP TABLE effects")
   return true
end
LUA
# Only MySQL reports rows that were matched but not changed, as in the second execution of the statement.
declare -A UPDATES=([mysql]="5,1,2,6,2" [pgsql]="5,1,0,6,6" [sqlite]="5,1,0,6,6")
for server in mysql pgsql sqlite; do
    connect=(--db-driver=sqlite --sqlite-db=effects.db)
    [ $server = sqlite ] || server_options $server
    for mode in auto disable; do
        run "$SYSRATE" writes.lua "${connect[@]}" --db-ps-mode=$mode --json=rows.json run
        check_equal "$server, $mode: updates" "[${UPDATES[$server]}]" \
            "$(json '.summary.effects.update | [.count, .unmatched, .unchanged, .rows_matched, .rows_changed]')"
        check_equal "$server, $mode: inserts and deletes" "[[1,0,3],[2,1,2]]" \
            "$(json '.summary.effects | [.insert, .delete] | map([.count, .no_op_writes, .rows_changed])')"
    done
done
run "$SYSRATE" oltp_write_only --db-driver=null --events=10 --json=rows.json run
check_equal "null: each write changes a row" '[["update",20,20],["insert",10,10],["delete",10,10]]' \
    "$(json '.summary.effects | to_entries | map([.key, .value.count, .value.rows_changed])')"
finish
