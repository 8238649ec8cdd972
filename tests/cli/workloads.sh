# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Every bundled workload script on SQLite and on the null driver: the database after prepare, the statements of one
# event, the database after runs in a closed loop and at a rate, and errors.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/cli/workload_lib.sh"

SIZE=1003 # rows per table; not divisible by the 2 or 4 threads
TABLES=2
DB=test.db

OLTP="oltp_read_write oltp_read_only oltp_write_only oltp_point_select oltp_insert oltp_delete
      oltp_update_index oltp_update_non_index select_random_points select_random_ranges"

# Statements per event with default options: reads, writes, others.
declare -A PER_EVENT=(
    [oltp_read_write]="14 4 2"
    [oltp_read_only]="14 0 2"
    [oltp_write_only]="0 4 2"
    [oltp_point_select]="1 0 0"
    [oltp_insert]="0 1 0"
    [oltp_delete]="0 1 0"
    [oltp_update_index]="0 1 0"
    [oltp_update_non_index]="0 1 0"
    [select_random_points]="1 0 0"
    [select_random_ranges]="1 0 0"
)

check_prepare() {
    local script=$1 threads=$2 name="$1 prepare, $2 threads" n
    new_database
    workload sqlite "$script" prepare --threads="$threads"
    check_equal "$name: exit code" 0 "$status"
    check_equal "$name: nothing on standard error" "" "$err"
    for n in $(seq "$TABLES"); do
        check_equal "$name: one message for sbtest$n" "1 1 1" \
            "$(lines "Creating table 'sbtest$n'...")"\
" $(lines "Inserting $SIZE records into 'sbtest$n'")"\
" $(lines "Creating a secondary index on 'sbtest$n'...")"
    done
    check_ids_dense "$name"
    check_equal "$name: indexes" "k_1 k_2" "$(indexes)"
    check_values "$name"
    check_integrity "$name"
}

# With events one after another in one thread, the number of statements is exact.
check_statements() {
    local script=$1
    workload sqlite "$script" run --events=20 --time=0
    check_equal "$script run, 20 events: exit code" 0 "$status"
    check_equal "$script run, 20 events: transactions" 20 "$(figure transactions)"
    check_equal "$script run, 20 events: reads, writes, others" \
        "$(times 20 "${PER_EVENT[$script]}")" \
        "$(statement_counts)"
}

check_runs() {
    local driver=$1 script=$2 name="$2 on $1"
    workload "$driver" "$script" run --threads=4 --time=0.3
    check_equal "$name, closed loop: exit code" 0 "$status"
    check_between "$name, closed loop: transactions" 1 "$(figure transactions)" 1000000000
    # The schedule does not depend on how busy the machine is. Draining completes all requests that arrived.
    workload "$driver" "$script" run --threads=4 --time=0.3 --rate=100 --drain=30
    check_equal "$name, at a rate: exit code" 0 "$status"
    # 30 arrivals are expected; fewer than 6 or more than 70 have a Poisson probability below 10^-7.
    check_between "$name, at a rate: offered" 6 "$(figure offered)" 70
    check_equal "$name, at a rate: transactions" "$(figure offered)" "$(figure transactions)"
}

# The contents of the tables after the runs.
check_remains() {
    local script=$1 rows=$2
    case $script in
    oltp_insert)
        check_between "$script: rows were added" "$((rows + 20))" "$(count_rows)" 1000000000
        ;;
    oltp_delete) check_between "$script: rows were deleted" 0 "$(count_rows)" "$((rows - 1))" ;;
    *) check_ids_dense "$script, after the runs" ;;
    esac
    check_integrity "$script, after the runs"
}

count_rows() {
    sql 'SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2)'
}

check_cleanup() {
    local script=$1
    workload sqlite "$script" cleanup
    check_equal "$script cleanup: exit code" 0 "$status"
    check_equal "$script cleanup: a message for each table" "1 1" \
        "$(lines "Dropping table 'sbtest1'...") $(lines "Dropping table 'sbtest2'...")"
    check_equal "$script cleanup: nothing is left" 0 "$(sql 'SELECT COUNT(*) FROM sqlite_master')"
    workload sqlite "$script" cleanup
    check_equal "$script cleanup again: exit code" 0 "$status"
}

test_on_sqlite() {
    local script=$1
    check_prepare "$script" 1
    check_prepare "$script" 4
    check_statements "$script"
    check_runs sqlite "$script"
    check_remains "$script" "$((SIZE * TABLES))"
    check_cleanup "$script"
}

test_on_null() {
    local script=$1 command
    for command in prepare cleanup; do
        workload null "$script" "$command" --threads=4
        check_equal "$script $command on null: exit code" 0 "$status"
    done
    check_runs null "$script"
}

test_warmup() {
    local command
    new_database
    workload sqlite oltp_read_only prepare
    for command in warmup prewarm; do
        workload sqlite oltp_read_only "$command" --threads=2
        check_equal "$command: exit code" 0 "$status"
        check_equal "$command: a message for each table" "1 1" \
            "$(lines 'Prewarming table sbtest1') $(lines 'Prewarming table sbtest2')"
    done
    workload null oltp_read_only warmup
    check_equal "warmup on null: exit code" 0 "$status"
}

# More threads than rows, tables that are divided within, one table for all threads.
test_shares() {
    local threads tables size
    while read -r threads tables size; do
        new_database
        SIZE=$size TABLES=$tables
        workload sqlite oltp_read_write prepare --threads="$threads"
        check_equal "prepare $tables x $size with $threads threads: exit code" 0 "$status"
        check_ids_dense "prepare $tables x $size with $threads threads"
    done <<'END'
8 1 3
3 2 1
4 1 20000
3 5 7
7 3 1000
END
    SIZE=1003 TABLES=2
}

# The statements that the threads send, from the debugging output of the null driver.
test_one_table_uses_all_threads() {
    workload null oltp_read_write prepare --threads=4 --tables=1 --table_size=4000 \
        --db-debug --verbosity=5
    check_equal "prepare 1 x 4000 with 4 threads: each loads a quarter" "1 1001 2001 3001" \
        "$(printf '%s\n' "$both" |
            grep -oE 'INSERT INTO sbtest1\(id, k, c, pad\) VALUES ?\([0-9]+' |
            grep -oE '[0-9]+$' | sort -n | tr '\n' ' ' | sed 's/ $//')"
}

test_schema_options() {
    local id
    new_database
    workload sqlite oltp_read_write prepare --create_secondary=off
    check_equal "--create_secondary=off: no index" "" "$(indexes)"

    new_database
    workload sqlite oltp_read_write prepare --secondary=on --threads=2
    check_equal "--secondary=on: indexes on id and k" "k_1 k_2 xid_1 xid_2" "$(indexes)"
    check_ids_dense "--secondary=on"
    check_equal "--secondary=on: no primary key" 0 \
        "$(sql "SELECT COUNT(*) FROM pragma_table_info('sbtest1') WHERE pk")"
    workload sqlite oltp_insert run --secondary=on --events=10
    check_equal "--secondary=on: oltp_insert makes ids" "0 $((SIZE * TABLES + 10))" \
        "$status $(count_rows)"

    new_database
    workload sqlite oltp_read_write prepare --create_table_options='STRICT'
    check_match "--create_table_options: was sent, SQLite refuses it for CHAR columns" sbtest1 \
        "$err"
    check_equal "--create_table_options: exit code" 1 "$status"

    new_database
    workload sqlite oltp_read_write prepare --auto_inc=off
    check_ids_dense "--auto_inc=off"
    workload sqlite oltp_insert run --auto_inc=off --events=50
    check_equal "--auto_inc=off: oltp_insert makes ids" "0 $((SIZE * TABLES + 50))" \
        "$status $(count_rows)"
    id=$(sql "SELECT COUNT(*) FROM sbtest1 WHERE id NOT BETWEEN -2147483648 AND 2147483647")
    check_equal "--auto_inc=off: ids fit 32 bits" 0 "$id"
}

# If all positive 32-bit ids were loaded, only 0 and negative ids are left.
test_new_ids() {
    workload null oltp_insert run --auto_inc=off --table_size=2147483647 --events=20 --time=0 \
        --db-ps-mode=disable --db-debug --verbosity=5
    check_equal "oltp_insert --auto_inc=off: 20 ids, not of loaded rows" 20 \
        "$(printf '%s\n' "$both" | grep -oE 'VALUES \( ?(0|-[0-9]+),' | sort -u | wc -l)"
}

# Automatic ids continue after the loaded ones.
test_automatic_ids() {
    new_database
    workload sqlite oltp_insert prepare --threads=3 --tables=1
    workload sqlite oltp_insert run --threads=2 --tables=1 --events=100 --time=0
    check_equal "oltp_insert: ids continue after the loaded ones" \
        "$((SIZE + 100)) 1 $((SIZE + 100)) $((SIZE + 100))" \
        "$(ids 1)"
}

# counts EXPECTED SCRIPT OPTION...: checks the number of statements of 10 events
check_counts() {
    local expected=$1 script=$2
    shift 2
    workload sqlite "$script" run --events=10 --time=0 "$@"
    check_equal "$script $*: reads, writes, others of 10 events" "$expected" "$(statement_counts)"
}

test_event_options() {
    new_database
    workload sqlite oltp_read_write prepare
    check_counts "140 40 0" oltp_read_write --skip_trx=on
    check_counts "140 40 0" oltp_read_write --skip-trx
    check_counts "100 40 20" oltp_read_write --range_selects=off
    check_counts "130 80 20" oltp_read_write --point_selects=7 --simple_ranges=2 --sum_ranges=0 \
        --order_ranges=3 --distinct_ranges=1 --index_updates=3 --non_index_updates=1 \
        --delete_inserts=2
    check_counts "0 0 20" oltp_read_only --point_selects=0 --range_selects=off
    check_counts "140 0 20" oltp_read_only --db-ps-mode=disable
    check_counts "10 0 0" oltp_point_select --point_selects=5
    check_counts "0 40 0" oltp_update_index --index_updates=4
    check_counts "0 30 0" oltp_update_non_index --non_index_updates=3
    check_counts "0 10 0" oltp_delete --delete_inserts=3
    check_counts "10 0 0" select_random_points --random_points=1
    check_counts "10 0 0" select_random_ranges --number_of_ranges=3 --delta=0
    check_counts "10 0 0" oltp_point_select --reconnect=3
    check_equal "oltp_point_select --reconnect=3: exit code" 0 "$status"
    check_counts "140 40 20" oltp_read_write --reconnect=1
    check_equal "oltp_read_write --reconnect=1: exit code" 0 "$status"
}

# begins SCRIPT: prints the statement that starts its transaction on SQLite
begins() {
    workload sqlite "$1" run --events=1 --time=0 --db-debug --verbosity=5
    printf '%s\n' "$both" | grep -oE 'BEGIN.*' | sort -u
}

# A transaction that reads first and then writes would fail whenever another one writes in between.
test_begin() {
    new_database
    workload sqlite oltp_read_write prepare
    check_equal "oltp_read_write takes the write lock at its beginning" "BEGIN IMMEDIATE" \
        "$(begins oltp_read_write)"
    check_equal "oltp_write_only takes the write lock at its beginning" "BEGIN IMMEDIATE" \
        "$(begins oltp_write_only)"
    check_equal "oltp_read_only does not" "BEGIN" "$(begins oltp_read_only)"
}

# Many writers on one database: restarted events are counted and never reported as errors.
test_writers() {
    new_database
    workload sqlite oltp_read_write prepare
    workload sqlite oltp_read_write run --threads=8 --time=1
    check_equal "8 threads of oltp_read_write: exit code" 0 "$status"
    check_no_match "8 threads of oltp_read_write: no message" 'FATAL|ALERT|WARNING' "$both"
    check_ids_dense "8 threads of oltp_read_write"
    check_integrity "8 threads of oltp_read_write"
}

test_bulk_insert() {
    local rows
    new_database
    workload sqlite bulk_insert prepare --threads=3
    check_equal "bulk_insert prepare: exit code" 0 "$status"
    check_equal "bulk_insert prepare: a table per thread" "sbtest1 sbtest2 sbtest3" \
        "$(sql "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master
                WHERE type = 'table' ORDER BY name)")"
    workload sqlite bulk_insert run --threads=3 --events=60000 --time=0
    check_equal "bulk_insert run: exit code" 0 "$status"
    check_equal "bulk_insert run: an event is a row" 60000 "$(figure transactions)"
    rows=$(($(count_rows) + $(sql 'SELECT COUNT(*) FROM sbtest3')))
    check_equal "bulk_insert run: all rows arrive" 60000 "$rows"
    check_equal "bulk_insert run: ids are dense" 1 \
        "$(sql 'SELECT COUNT(*) = 0 OR (MIN(id) = 1 AND MAX(id) = COUNT(*)) FROM sbtest1')"
    check_integrity "bulk_insert run"
    workload sqlite bulk_insert prepare --threads=3
    check_equal "bulk_insert prepare again leaves the tables, as sysbench does" "0 60000" "$status $(sql \
        'SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2) + (SELECT COUNT(*) FROM sbtest3)')"
    workload sqlite bulk_insert cleanup --threads=3
    check_equal "bulk_insert cleanup" "0 0" "$status $(sql 'SELECT COUNT(*) FROM sqlite_master')"
    workload sqlite bulk_insert prepare --threads=2
    workload sqlite bulk_insert run --threads=2 --time=0.3 --rate=1000
    check_equal "bulk_insert at a rate: exit code" 0 "$status"
    check_between "bulk_insert at a rate: rows arrive" 1 "$(count_rows)" 1000000000
    check_equal "bulk_insert at a rate: as many as were counted" "$(figure transactions)" \
        "$(count_rows)"
    check_runs null bulk_insert
}

# fails EXIT-MESSAGE SCRIPT COMMAND OPTION...
check_fails() {
    local message=$1 script=$2 command=$3
    shift 3
    workload sqlite "$script" "$command" "$@"
    check_equal "$script $command $*: exit code" 1 "$status"
    check_match "$script $command $*: message" "$message" "$err"
}

test_errors() {
    local command allowed="\(allowed: a whole number, at least"
    new_database
    for command in prepare run cleanup warmup; do
        check_fails "invalid value for --tables: '0' $allowed 1\)" oltp_read_write "$command" \
            --tables=0
        check_fails "invalid value for --table_size: '-5' $allowed 1\)" oltp_read_only \
            "$command" --table_size=-5
        check_fails "invalid value for --table-size: '-5' $allowed 1\)" oltp_read_only \
            "$command" --table-size=-5
        check_fails "invalid value for --range_size: '0' $allowed 1\)" oltp_point_select \
            "$command" --range_size=0
    done
    check_fails "invalid value for --point_selects: '-1' $allowed 0\)" oltp_read_write run \
        --point_selects=-1
    check_fails "invalid value for --random_points: '0' $allowed 1\)" select_random_points run \
        --random_points=0
    check_fails "invalid value for --number_of_ranges: '0' $allowed 1\)" \
        select_random_ranges run --number_of_ranges=0
    check_fails "invalid value for --delta: '-1' $allowed 0\)" select_random_ranges run --delta=-1
    check_fails "invalid value for --pgsql_variant: 'x' \(allowed: redshift\)" oltp_insert run \
        --pgsql_variant=x
    check_fails "table_size" oltp_insert run --table_size=many
    check_fails "invalid option: --range-sizes" oltp_read_write run --range-sizes=5
    check_fails "FATAL: table sbtest1 does not exist" oltp_read_write run
    check_equal "failed commands created nothing" "" "$(sql 'SELECT name FROM sqlite_master')"

    workload sqlite oltp_read_write prepare --threads=2
    for command in 1 4; do
        check_fails "table sbtest1 exists: run cleanup first, or prepare --force" oltp_read_write prepare --threads="$command"
        check_no_match "tables that exist: nothing is done before" 'Creating' "$out"
    done
    check_ids_dense "a second prepare"

    # If one thread of four fails, the others must not wait for it, and no row is loaded.
    workload sqlite oltp_read_write cleanup
    sql "CREATE TABLE sbtest3(x INTEGER)"
    TABLES=4
    check_fails "table sbtest3 exists: " oltp_read_write prepare --threads=4
    TABLES=2
    check_no_match "one thread fails: nothing is loaded" 'Inserting' "$out"

    run "$SYSRATE" oltp_read_write
    check_equal "no command: exit code" 1 "$status"
    check_match "no command: message" "Command is required" "$err"
}

test_help() {
    local script name
    for script in $OLTP; do
        run "$SYSRATE" "$script" help
        check_equal "$script help: exit code" 0 "$status"
        check_match "$script help: heading" "^$script options:" "$out"
        for name in table_size tables range_size auto_inc skip_trx; do
            check_match "$script help: --$name" "^  --$name\\b" "$out"
        done
    done
    check_match "help: booleans" '^  --auto_inc\[=on\|off\] .* \[on\]$' "$out"
    check_match "help: numbers" \
        '^  --range_size=N +Range size for range SELECT queries \[100\]$' "$out"
    run "$SYSRATE" select_random_points help
    check_match "help: --random_points" '^  --random_points=N .* \[10\]$' "$out"
    run "$SYSRATE" select_random_ranges help
    check_match "help: --number_of_ranges" '^  --number_of_ranges=N .* \[10\]$' "$out"
    check_match "help: --delta" '^  --delta=N .* \[5\]$' "$out"
}

# A custom script that uses oltp_common.
test_require() {
    new_database
    cat >own.lua <<'END'
require("oltp_common")

function prepare_statements()
   prepare_begin()
   prepare_commit()
   prepare_for_each_table("point_selects")
   prepare_delete_inserts()
end

function event()
   begin()
   param[1].point_selects[1]:set(1)
   stmt[1].point_selects:execute()
   execute_delete_inserts()
   commit()
end

sysbench.cmdline.commands.one = {function()
   local drv = sysbench.sql.driver()
   create_table(drv, drv:connect(), 1)
end}
END
    workload sqlite ./own.lua one
    check_equal "a script of one's own, create_table(): exit code" 0 "$status"
    check_equal "a script of one's own, create_table(): rows" "$SIZE 1 $SIZE $SIZE" "$(ids 1)"
    workload sqlite ./own.lua run --tables=1 --events=10 --time=0
    check_equal "a script of one's own: exit code" 0 "$status"
    check_equal "a script of one's own: reads, writes, others" "10 20 20" "$(statement_counts)"
}

# With the garbage collector stopped, events hardly add to the memory of Lua: they create no garbage.
test_garbage() {
    new_database
    workload sqlite oltp_read_write prepare
    for script in oltp_point_select oltp_read_write oltp_insert; do
        cat >garbage.lua <<END
require("$script")
local inner, count, before = event, 0, 0

function event()
   inner()
   count = count + 1
   if count == 500 then
      collectgarbage()
      collectgarbage("stop")
      before = collectgarbage("count")
   end
end

function thread_done()
   print(("bytes per event: %d"):format((collectgarbage("count") - before) * 1024 / (count - 500)))
end
END
        workload sqlite ./garbage.lua run --events=3000 --time=0
        check_between "$script: Lua garbage per event in bytes" 0 \
            "$(printf '%s\n' "$out" | sed -n 's/^bytes per event: //p')" 64
    done
}

for script in $OLTP; do
    test_on_sqlite "$script"
    test_on_null "$script"
done
test_bulk_insert
test_warmup
test_shares
test_one_table_uses_all_threads
test_schema_options
test_automatic_ids
test_new_ids
test_event_options
test_begin
test_writers
test_errors
test_help
test_require
test_garbage
finish
