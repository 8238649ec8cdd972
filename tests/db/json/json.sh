# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests oltp_json on SQLite, MySQL or MariaDB, PostgreSQL and MongoDB: the documents, the index, and the effect of each operation.
# The same seed must give the same documents in all databases, those of a model (json_model.lua). JSON_SERVERS lists the SQL
# databases to test; the default is all.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh"
. "$TESTS_DIR/db/json/json_lib.sh"
: "${JSON_SERVERS=sqlite mysql pgsql}"
[ -z "$JSON_SERVERS" ] || start_servers

SIZE=503

sqlite_sql() {
    sqlite3 -cmd '.timeout 10000' test.db "$1"
}

sql() {
    "${server}_sql" "$1" sbtest
}

workload() {
    run "$SYSRATE" oltp_json "${connect[@]}" --tables=2 --table_size=$SIZE --rand-seed=5 "$@"
}

# only OPERATION EVENTS: runs only this operation.
only() {
    local weights=() name
    for name in point_reads path_reads path_updates index_updates replaces array_appends range_reads inserts deletes; do
        weights+=("--$name=$([ $name = "$1" ] && echo 1 || echo 0)")
    done
    workload "${weights[@]}" --events="$2" --time=0 --report-sql --json=report.json "${@:3}" run
    check_equal "$server: $1: exit code" 0 "$status"
}

# class NAME: prints "count matched changed" of a class of statements.
class() {
    jq -r --arg name "$1" '.summary.statements[] | select(.class == $name) | "\(.count) \(.rows_matched) \(.rows_changed)"' report.json
}

# SQL expressions on a document, by server.
declare -A TOTAL VALID TAGS LENGTHS PLAN
TOTAL=([sqlite]="json_extract(doc, '\$.total')" [mysql]="JSON_VALUE(doc, '\$.total')" [pgsql]="(doc->>'total')::bigint")
VALID=([sqlite]="json_valid(doc)" [mysql]="JSON_VALID(doc)" [pgsql]="(jsonb_typeof(doc) = 'object')::int")
TAGS=([sqlite]="json_array_length(doc, '\$.tags')" [mysql]="JSON_LENGTH(doc, '\$.tags')"
    [pgsql]="jsonb_array_length(doc->'tags')")
LENGTHS=([sqlite]="length(doc)" [mysql]="LENGTH(doc)" [pgsql]="700")
# MySQL, like PostgreSQL, stores documents in a binary format with another size.
[[ $JSON_SERVERS != *mysql* ]] || mariadb_only "mysql: documents of the size asked for" || LENGTHS[mysql]="700"
PLAN=([sqlite]="EXPLAIN QUERY PLAN SELECT id FROM jsondoc1 WHERE json_extract(doc, '\$.total') BETWEEN 5 AND 9"
    [mysql]="EXPLAIN SELECT id FROM jsondoc1 WHERE total BETWEEN 5 AND 9"
    [pgsql]="SET enable_seqscan = off; EXPLAIN SELECT id FROM jsondoc1 WHERE (doc->>'total')::bigint BETWEEN 5 AND 9")

sum() {
    sql "SELECT SUM($1) FROM jsondoc1"
}

check_documents() {
    check_equal "$server: dense ids" "$SIZE 1 $SIZE" \
        "$(sql "SELECT COUNT(*) FROM jsondoc2") $(sql "SELECT MIN(id) FROM jsondoc2") $(sql "SELECT MAX(id) FROM jsondoc2")"
    check_equal "$server: every document is JSON" $SIZE "$(sum "${VALID[$server]}")"
    check_equal "$server: of the size asked for" "700 700" \
        "$(sql "SELECT MIN(${LENGTHS[$server]}) FROM jsondoc1") $(sql "SELECT MAX(${LENGTHS[$server]}) FROM jsondoc1")"
    check_equal "$server: two tags in each" $((2 * SIZE)) "$(sum "${TAGS[$server]}")"
    check_match "$server: ranges use the index" 'jsondoc_total_1' "$(sql "${PLAN[$server]}")"
}

check_operations() {
    only point_reads 100
    check_equal "$server: point_reads" "100 100 0" "$(class point_reads)"
    only path_reads 100
    check_equal "$server: path_reads" "100 100 0" "$(class path_reads)"
    only range_reads 100
    check_match "$server: range_reads" "^100 [0-9]{4} 0$" "$(class range_reads)"
    only path_updates 100
    check_equal "$server: path_updates" "100 100 100" "$(class path_updates)"
    local before
    before=$(sum "${TOTAL[$server]}")
    only index_updates 100
    check_match "$server: index_updates" "^100 100 [0-9]+$" "$(class index_updates)"
    check_not "$server: totals have changed" test "$before" = "$(sum "${TOTAL[$server]}")"
    only array_appends 100 --tables=1
    check_equal "$server: array_appends" "100 100 100 $((2 * SIZE + 100))" \
        "$(class array_appends) $(sum "${TAGS[$server]}")"
    only inserts 100 --tables=1
    check_equal "$server: inserts" "100 $((SIZE + 100))" \
        "$(class inserts | cut -d' ' -f1) $(sql "SELECT COUNT(*) FROM jsondoc1")"
    only replaces 300 --tables=1
    check_equal "$server: replaces" "300 300 300" "$(class replaces)"
    only deletes 100 --tables=1
    check_equal "$server: deletes and the inserts they need" "50 50 $((SIZE + 100))" \
        "$(class deletes | cut -d' ' -f1) $(class inserts | cut -d' ' -f1) $(sql "SELECT COUNT(*) FROM jsondoc1")"
    check_equal "$server: every document is JSON still" $((SIZE + 100)) "$(sum "${VALID[$server]}")"
}

make_model 1500 200

for server in $JSON_SERVERS; do
    options_of $server
    check_model --tx-rate=750
    workload --threads=3 --doc_size=700 prepare
    check_equal "$server: prepare" 0 "$status"
    check_documents
    first=$(sql "SELECT doc FROM jsondoc2 WHERE id = 77")
    check_operations
    workload --threads=4 --time=2 --doc_size=700 --report-sql --json=report.json run
    check_equal "$server: all operations, four threads" "0 0" "$status $(jq '.summary.errors | length' report.json)"
    check_equal "$server: all operations took place" 9 \
        "$(jq '[.summary.statements[] | select(.class != "thread_init" and .count > 0)] | length' report.json)"
    workload --threads=4 --time=2 --tx-rate=300 --db-ps-mode=disable run
    check_equal "$server: at a rate, statements as text" 0 "$status"
    workload --threads=2 warmup
    check_equal "$server: warmup" 0 "$status"
    workload --threads=3 --doc_size=700 prepare
    check_not "$server: prepare leaves tables that exist" test "$status" = 0
    workload --threads=3 --doc_size=700 --force --prepare_method=insert prepare
    check_equal "$server: prepare --force by INSERT" 0 "$status"
    check_documents
    workload cleanup
    check_equal "$server: cleanup" 0 "$status"
    workload --threads=3 --doc_size=700 prepare
    check_equal "$server: the same seed makes the same documents" "$first" "$(sql "SELECT doc FROM jsondoc2 WHERE id = 77")"
    workload --doc_size=20K --events=200 --time=0 run
    check_equal "$server: documents of 20 KB" 0 "$status"
done

# Without SQL, the counts of matched and changed documents are checked instead of the contents.
check_mongodb() {
    local expected
    options_of mongodb
    check_model --tx-rate=750
    workload --threads=3 --doc_size=700 prepare
    check_equal "$server: prepare" 0 "$status"
    check_match "$server: the index is there" 'jsondoc_total_1' "$(mongodb_lua \
        'local r = con:query([[{"listIndexes": "jsondoc1", "$fields": ["name"]}]]) return r:fetch_row()[1], r:fetch_row()[1]')"
    while read -r name expected; do
        only "$name" 100 --tables=1
        check_match "$server: $name" "^$expected$" "$(class "$name")"
    done <<'TABLE'
point_reads 100 100 0
path_reads 100 100 0
range_reads 100 [0-9]{4} 0
path_updates 100 100 100
index_updates 100 100 (9[0-9]|100)
array_appends 100 100 100
replaces 100 100 100
inserts 100 100 100
deletes 50 50 50
TABLE
    workload --threads=4 --time=1 --doc_size=700 --report-sql --json=report.json run
    check_equal "$server: all operations, four threads" "0 0" "$status $(jq '.summary.errors | length' report.json)"
    workload --threads=4 --time=1 --tx-rate=300 --db-ps-mode=disable run
    check_equal "$server: at a rate, statements as text" 0 "$status"
    workload --threads=2 warmup
    check_equal "$server: warmup" 0 "$status"
    workload --threads=3 --doc_size=700 prepare
    check_match "$server: prepare leaves collections that exist" 'table jsondoc1 exists: run cleanup first' "$err"
    workload --threads=3 --doc_size=700 --force --prepare_method=insert prepare
    check_equal "$server: prepare --force" 0 "$status"
    workload --table_size=2000 --events=10 run
    check_match "$server: a run looks at the ids" '^WARNING: table jsondoc1 holds the ids 1 to 503, the options claim 1 to 2000' "$err"
    workload cleanup
    check_equal "$server: cleanup" 0 "$status"
    workload --events=10 run
    check_match "$server: a run without collections does not begin" '^FATAL: table jsondoc1 does not exist' "$err"
}
if has_mongodb_driver && fetch_mongodb; then
    server=mongodb
    start_mongodb
    check_mongodb
else
    skip "oltp_json on MongoDB" "${why_not:-built without the driver}"
fi

# The comparison of databases in docs/tests/json-workload.md: one command writes one table and one page; all databases must execute the
# same operations with the same effect.
check_comparison() {
    local all=() servers
    read -ra servers <<<"$JSON_SERVERS mongodb"
    for server in "${servers[@]}"; do
        options_of "$server"
        all+=("${connect[@]:1}")
        run "$SYSRATE" oltp_json "${connect[@]}" cleanup # what the tests before have left
    done
    run "$SYSRATE" sweep --vary=db-driver="$(IFS=, && echo "${servers[*]}")" --seed=1 --prepare --cleanup --out=compared -- oltp_json "${all[@]}" \
        --table_size=100 --threads=1 --tx-rate=500 --events=300 --time=0 --rand-seed=1 --report-interval=0.2 --percentile=50,99 --report-sql
    check_equal "the comparison: exit code" 0 "$status"
    check_equal "the comparison: a table with a row for each" "$(printf '%s 300\n' "${servers[@]}" | sort)" \
        "$(sed -nE 's/^\| +([a-z]+) \| +([0-9]+) \|.*/\1 \2/p' compared/table.md | sort)"
    check_equal "the comparison: a page with all of them" "$(printf 'db-driver=%s\n' "${servers[@]}" | sort)" \
        "$(grep -oE 'db-driver=[a-z]+' compared/page.html | sort)"
    check_equal "the comparison: all have matched and changed the same" 1 "$(for report in compared/*.json; do
        jq -c '[.summary.statements[] | select(.class != "thread_init") | [.class, .count, .rows_matched]] | sort' "$report"
    done | sort -u | wc -l)"
}
if [ "$server" = mongodb ] && [ -n "$JSON_SERVERS" ]; then check_comparison; fi

run "$SYSRATE" oltp_json --db-driver=null --events=1000 run
check_equal "null driver" 0 "$status"
run "$SYSRATE" oltp_json --db-driver=null --prepare_method=fast prepare
check_match "--prepare_method=fast is refused" "'fast' \\(allowed: auto, insert, load\\)" "$err"
for bad in "doc_size=100" "table_size=0" "point_reads=-1" "range_reads=1001"; do
    run "$SYSRATE" oltp_json --db-driver=null --$bad run
    check_equal "--$bad is refused" 1 "$status"
    check_match "--$bad is refused with what is allowed" "invalid value for --${bad%%=*}: '${bad#*=}' \\(allowed: a whole number from" "$err"
done
run "$SYSRATE" oltp_json --db-driver=null --point_reads=0 --path_reads=0 --path_updates=0 --index_updates=0 --replaces=0 \
    --array_appends=0 --range_reads=0 --inserts=0 --deletes=0 run
check_equal "no operation at all is refused" 1 "$status"
finish
