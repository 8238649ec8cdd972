# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate sweep with the tables of a database: which tables it removes, and writes that change nothing.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

# rows_of_table: the number of rows in a table of the user.
rows_of_table() { sqlite3 own.db 'SELECT count(*) FROM sbtest1'; }

test_tables_of_others() {
    local database=(oltp_point_select --db-driver=sqlite --sqlite-db=own.db)
    run "$SYSRATE" "${database[@]}" --table-size=777 prepare
    check_equal "a table of one's own: made" "0 777" "$status $(rows_of_table)"
    for start in first second; do
        run "$SYSRATE" sweep --vary=threads=1,2 --prepare --cleanup --out=dir -- "${database[@]}" --table-size=100 --time=0.1
        check_equal "a table of one's own, $start start: exit code" 1 "$status"
        check_match "a table of one's own, $start start: in the way" 'prepare failed: .*exists: run cleanup first' "$out"
        check_equal "a table of one's own, $start start: as it was" 777 "$(rows_of_table)"
    done
    rm own.db
    run "$SYSRATE" sweep --vary=threads=1,2 --prepare --cleanup --out=dir -- "${database[@]}" --table-size=100 --time=0.1
    check_match "without intervals: a warning before the first run" \
        "^WARNING: sweep: page.html has nothing to draw over time without --report-interval" "$(head -n 1 <<<"$err")"
    check_equal "a table of one's own, out of the way: exit code" 0 "$status"
    check_equal "a table of the sweep: none is left" "" "$(sqlite3 own.db .tables)"
    rm -r own.db dir
}

# Statements for rows that do not exist are fast: a rate of such statements must be marked.
test_no_ops() {
    local database=(--db-driver=sqlite --sqlite-db=own.db)
    run "$SYSRATE" oltp_update_index "${database[@]}" --table-size=100 prepare
    run "$SYSRATE" sweep --vary=threads=1,2,3 --out=dir -- oltp_update_index "${database[@]}" --table-size=10000 --events=100 --time=0 \
        --report-interval=0.1
    check_equal "no-ops: exit code" 0 "$status"
    check_equal "no-ops: in each note" 3 "$(grep -cE ' (9[0-9]|100) % no-op updates +\|$' dir/table.md)"
    check_match "no-ops: the warning is passed on" '^WARNING: threads=1: [0-9.]+% of the writes of kind update changed nothing' "$err"
    check_match "no-ops: one from before the run" '^WARNING: threads=1: table sbtest1 holds the ids 1 to 100, the options claim' "$err"
    check_equal "no-ops: each warning once" 2 "$(grep -c WARNING <<<"$err")"
    check_equal "no-ops: in the CSV" same "$(python3 - 2>&1 <<'EOF'
import csv, json
for row in csv.DictReader(open('dir/table.csv', newline=''), strict=True):
    writes = json.load(open('dir/' + row['file']))['summary']['effects']['update']
    assert abs(float(row['no_op_writes_percent']) - 100 * writes['no_op_writes'] / writes['count']) < 1e-9, row
print('same')
EOF
)"
    rm -r own.db dir
}

test_tables_of_others
test_no_ops
finish
