# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Obstacles before a first result: a database with another name, a server that is not running, tables that are missing
# or exist already. Each is reported once, with advice. Under the name sysbench the messages are those of sysbench.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

ln -sf "$SYSRATE" sysbench
cp "$TESTS_DIR/cli/scripts/empty_event.lua" e.lua

# has_driver NAME: true if the program was built with that driver.
has_driver() { "$SYSRATE" --version | grep -q "^  $1 - "; }

# meant MESSAGE WORD: checks the message for --db-driver=WORD, which is not a driver.
meant() {
    run "$SYSRATE" --db-driver="$2" e.lua run
    check_equal "--db-driver=$2: exit code" 1 "$status"
    check_equal "--db-driver=$2" "$1" "$(tail -n 1 <<<"$err")"
}

test_drivers() {
    if has_driver pgsql; then
        meant "Did you mean pgsql?" postgres
        meant "Did you mean pgsql?" postgresql
        meant "Did you mean pgsql?" pg
    fi
    if has_driver mysql; then meant "Did you mean mysql?" MariaDB; fi
    if has_driver mongodb; then meant "Did you mean mongodb?" mongo; fi
    meant "Did you mean sqlite?" sqlite3
    run "$SYSRATE" --db-driver=oracle e.lua run
    check_no_match "--db-driver=oracle: no idea" 'Did you mean' "$err"
    run ./sysbench --db-driver=sqlite3 e.lua run
    check_no_match "--db-driver=sqlite3 under the name sysbench" 'Did you mean' "$err"
}

# A command without a test.
test_no_test() {
    local command
    for command in run prepare cleanup; do
        run "$SYSRATE" $command
        check_match "$command alone: what to do" "^The name of a test comes before the command: sysrate TEST $command\\." "$err"
    done
    run ./sysbench run
    check_no_match "run alone under the name sysbench" 'comes before' "$err"
}

test_standard_input() {
    # Only standard input is the terminal.
    script -qec "$SYSRATE - 2>said >/dev/null" /dev/null <<<$'\x04' >/dev/null
    check_equal "a script from the terminal" "reading the script from standard input (Ctrl-D ends)" "$(head -n 1 said)"
    run "$SYSRATE" - </dev/null
    check_no_match "a script from elsewhere" 'standard input' "$both"
}

# unreachable DRIVER ADVICE OPTION...: no server is running.
unreachable() {
    local driver=$1 advice=$2 command
    shift 2
    has_driver "$driver" || return 0
    for command in prepare run cleanup; do
        run "$SYSRATE" --db-driver="$driver" "$@" --threads=4 --time=1 oltp_read_only "$command"
        check_equal "$driver, no connection, $command: exit code" 1 "$status"
        check_match "$driver, no connection, $command: why" "^FATAL: unable to connect with the $driver driver: " "$err"
        check_match "$driver, no connection, $command: what to do" "$advice" "$(sed 1d <<<"$err")"
        check_equal "$driver, no connection, $command: number of lines" 2 "$(wc -l <<<"$err")"
        run ./sysbench --db-driver="$driver" "$@" --time=1 oltp_read_only "$command"
        check_match "$driver, no connection, $command, sysbench" 'function failed: .*: connection creation failed$' "$err"
        check_no_match "$driver, no connection, $command, sysbench: no advice" "^[^F]" "$err"
    done
}

test_no_connection() {
    unreachable mysql "--mysql-host .*--mysql-port.* --mysql-socket" \
        --mysql-host=127.0.0.1 --mysql-port=1
    unreachable pgsql "--pgsql-host .*--pgsql-port" --pgsql-host=127.0.0.1 --pgsql-port=1
    check_no_match "pgsql, no connection: two lines of libpq are two sentences" '[a-z] Is the server running' "$err"
    unreachable sqlite "--sqlite-db.* folder" --sqlite-db=/nosuch/x.db
    cat >own.lua <<'LUA'
function thread_init()
   if not pcall(sysbench.sql.driver().connect, sysbench.sql.driver()) then error("no database, no test") end
end
function event() end
LUA
    run "$SYSRATE" --db-driver=sqlite --sqlite-db=/nosuch/x.db own.lua run
    check_match "a script's own words are told" "function failed: own.lua:2: no database, no test$" "$err"
}

test_json_to_standard_output() {
    run "$SYSRATE" --tx-rate=200 --time=0.5 --json=- e.lua run
    check_equal "--json=-: exit code" 0 "$status"
    check_equal "--json=-: the document alone" e.lua "$(jq -r .test <<<"$out")"
    check_match "--json=-: the rest is on standard error" '^Result  ' "$err"
    run "$SYSRATE" --events=5 --json=- - run <<<'function event() print("seen") end'
    check_equal "--json=-: what a script prints" "5 5" "$(jq .summary.counters.events <<<"$out") $(grep -c '^seen$' <<<"$err")"
    "$SYSRATE" --events=5 --json=- e.lua run >a.json 2>/dev/null
    echo more >>a.json
    check_equal "--json=-: to a file" "5 more" "$(head -n -1 a.json | jq .summary.counters.events) $(tail -n 1 a.json)"
    check_equal "--json=-: into a pipe" 5 "$("$SYSRATE" --events=5 --json=- e.lua run 2>/dev/null | jq .summary.counters.events)"
    run "$SYSRATE" --events=5 --json=- --report-format=csv e.lua run
    check_match "--json=- beside --report-format" "^FATAL: --json=- cannot be used with --report-format" "$err"
    run "$SYSRATE" --events=5 --json=- cpu run
    check_equal "--json=- of a built-in test" 5 "$(jq .summary.counters.events <<<"$out")"
    check_not "--json=-: no file of that name" test -e ./-
    if [ -w /dev/full ]; then
        "$SYSRATE" --events=5 --json=- e.lua run >/dev/full 2>said
        check_equal "--json=- on a full disk" 1 $?
        check_match "--json=- on a full disk: why" '^FATAL: cannot write ' "$(cat said)"
    fi
    for tool in report compare; do
        run "$SYSRATE" $tool --json=-
        check_equal "$tool has no --json" 1 "$status"
    done
}

test_quantities() {
    run "$SYSRATE" --tx-rate=0:200,1m:0.2k --time=500ms --slo='p99 <= 1 m, errors < 1 %, throughput >= 0.01k' e.lua run
    check_equal "quantities: exit code" 0 "$status"
    check_match "quantities: objectives" '^ +throughput>=0\.01k +[0-9.]+ per s +met' "$out"
    run "$SYSRATE" --tx-rate='sine(0.2k,100,1m)' --time=300ms --inject='100ms: sh: true' e.lua run
    check_equal "quantities of a sine and an injection: exit code" 0 "$status"
    run "$SYSRATE" capacity --min-rate=0.1k --max-rate=1.5k --probe-time=1m --slo='p99 <= 1 m'
    check_no_match "quantities of a tool" 'invalid value' "$err"
    run "$SYSRATE" --tx-rate=1m e.lua run
    check_match "no minutes for a rate" "invalid value for --tx-rate: '1m'" "$err"
}

db=(--db-driver=sqlite --sqlite-db=f.db --table-size=100)

test_missing_tables() {
    local options advice="Prepare first: sysrate oltp_read_only prepare (with the same options)"
    rm -f f.db
    for options in "" --tx-rate=100 --report-format=json; do
        # shellcheck disable=SC2086  # none or one
        run "$SYSRATE" "${db[@]}" --threads=4 --time=1 $options --json=f.json oltp_read_only run
        check_equal "no tables ($options): exit code" 1 "$status"
        check_equal "no tables ($options): what to do, and no more" "FATAL: table sbtest1 does not exist
$advice" "$err"
        check_no_match "no tables ($options): no zeros" 'events|^Threads started' "$(grep -v '^{' <<<"$out")"
        check_equal "no tables ($options): no results in JSON" "{}" "$(jq -c .summary f.json)"
    done
    run "$SYSRATE" "${db[@]}" --threads=4 --time=1 --check-tables=off oltp_read_only run
    check_equal "no tables, unchecked: exit code" 1 "$status"
    check_match "no tables, unchecked: the statement" "^FATAL: sqlite driver: error 1 \(no such table: sbtest1\) for query" "$err"
    check_equal "no tables, unchecked: what to do, once" 1 "$(grep -Fxc "$advice" <<<"$err")"
    check_no_match "no tables, unchecked: no zeros" 'events:' "$out"
    run "$SYSRATE" --db-driver=sqlite --sqlite-db=f.db --threads=2 --time=1 bulk_insert run
    check_match "no tables, bulk_insert" "^FATAL: table sbtest1 does not exist \(2 tables" "$err"
    run ./sysbench "${db[@]}" --time=1 oltp_read_only run
    check_match "no tables, under the name sysbench: the report" 'total number of events: +0$' "$out"
    check_no_match "no tables, under the name sysbench: no advice" 'Prepare first' "$err"
}

# Scripts of users may have any name and options, so only their statements decide about the advice.
test_missing_tables_of_scripts() {
    cat >mine.lua <<'LUA'
local oltp = require("oltp_common")
function prepare_statements() end
function event() con:query("SELECT 1") end
LUA
    run "$SYSRATE" "${db[@]}" --events=3 mine.lua run
    check_equal "tables that a script does not touch: exit code" 0 "$status"
    check_match "tables that a script does not touch: a warning" '^WARNING: table sbtest1 does not exist' "$err"
    cat >gone.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1 FROM gone") end
LUA
    run "$SYSRATE" "${db[@]}" gone.lua run
    check_no_match "a script without prepare: no advice" 'Prepare first' "$err"
    check_match "a script without prepare: the report" 'total number of events: +0$' "$out"
    echo 'function prepare() end' >>gone.lua
    run "$SYSRATE" "${db[@]}" gone.lua run
    check_match "a script with prepare: advice" '^Prepare first: sysrate gone.lua prepare ' "$err"
    check_no_match "a script with prepare: no zeros" 'events:' "$out"
    cat >late.lua <<'LUA'
function prepare() end
function thread_init() con, n = sysbench.sql.driver():connect(), 0 end
function event() n = n + 1; con:query(n < 4 and "SELECT 1" or "SELECT 1 FROM gone") end
LUA
    run "$SYSRATE" "${db[@]}" late.lua run
    check_match "a table that goes missing later: what was measured" 'total number of events: +3$' "$out"
}

test_existing_tables() {
    rm -f f.db
    "$SYSRATE" "${db[@]}" --tables=2 oltp_read_only prepare >/dev/null 2>&1
    local command
    for command in "oltp_read_only prepare --threads=4 --tables=5" "oltp_insert prepare"; do
        # shellcheck disable=SC2086  # several words
        run "$SYSRATE" "${db[@]}" $command
        check_equal "$command, tables exist: exit code" 1 "$status"
        check_equal "$command, tables exist: what to do, and no more" \
            "FATAL: \`prepare' function failed: table sbtest1 exists: run cleanup first, or prepare --force" "$err"
        check_no_match "$command, tables exist: nothing is done before" 'Creating' "$out"
    done
    run ./sysbench "${db[@]}" --tables=2 oltp_read_only prepare
    check_match "tables exist, under the name sysbench: tried" "^Creating table 'sbtest1'" "$out"
    check_match "tables exist, under the name sysbench: failed" "function failed: .*already exists" "$err"
    run "$SYSRATE" "${db[@]}" --tables=3 --threads=2 oltp_read_only prepare --force
    check_equal "prepare --force: exit code" 0 "$status"
    run "$SYSRATE" "${db[@]}" --tables=3 --events=5 oltp_read_only run
    check_equal "prepare --force: tables are there" "0 " "$status $err"
    run "$SYSRATE" "${db[@]}" oltp_json prepare
    run "$SYSRATE" "${db[@]}" oltp_json prepare
    check_match "oltp_json, tables exist" "table jsondoc1 exists: run cleanup first" "$err"
}

test_json_to_standard_output
test_quantities
test_missing_tables
test_missing_tables_of_scripts
test_existing_tables
test_drivers
test_no_test
if command -v script >/dev/null; then test_standard_input; else skip "a script from the terminal" "script is not installed"; fi
test_no_connection
finish
