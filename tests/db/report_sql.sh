# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --report-sql: statements by class and errors by code in the text report and in JSON.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

workload() {
    run "$SYSRATE" --db-driver=sqlite --sqlite-db=test.db --sqlite-synchronous=off --table-size=500 --tables=3 "$@"
}

# class NAME: prints the columns count, errors, matched and changed of a class.
class() {
    printf '%s\n' "$out" | awk -v name="$1" '/^Statements by class/ { on = 1 } on && $1 == name { print $2, $3, $4, $5 }'
}

json() {
    jq -c "$1" report.json
}

workload oltp_read_write prepare
check_equal "prepare" 0 "$status"

workload oltp_read_write --events=50 --time=0 --threads=2 --json=report.json run
check_no_match "without --report-sql no classes" '^Statements by class' "$out"
check_equal "neither in JSON" '[0,0]' "$(json '[.summary.statements, .summary.errors | length]')"

workload oltp_read_write --events=50 --time=0 --threads=2 --percentile=50,99 --report-sql --json=report.json run
check_equal "exit code" 0 "$status"
check_match "heading" '^    class +count +errors +matched +changed +mean +p50 +p99 +max$' "$out"
check_equal "begin" "50 0 0 0" "$(class begin)"
check_equal "commit" "50 0 0 0" "$(class commit)"
check_equal "point_selects" "500 0 500 0" "$(class point_selects)"
check_equal "index_updates" "50 0 50 50" "$(class index_updates)"
check_equal "deletes and inserts" "50 0 50 50 50 0 50 50" "$(class deletes) $(class inserts)"
check_equal "tables do not make classes" 11 "$(json '.summary.statements | length')"
check_equal "JSON adds up with the counters" true \
    "$(json '.summary | ([.statements[].count] | add) == .counters.reads + .counters.writes + .counters.other')"
check_equal "each time was recorded" true \
    "$(json '[.summary.statements[] | .count == .time_ms.count and .count == ([.histogram[][1]] | add)] | all')"
check_equal "percentiles are those asked for" '["p50","p99"]' "$(json '.summary.statements[0].time_ms.percentiles | keys')"

workload oltp_read_write --time=1 --threads=2 --tx-rate=50 --warmup-time=1 --report-sql --report-interval=0.5 --json=report.json --csv=report.csv run
check_equal "at a rate, behind a warm-up: as many as were counted" true \
    "$(json '.summary | ([.statements[].count] | add) == .counters.reads + .counters.writes + .counters.other')"
check_equal "the intervals have the same classes" true \
    "$(json '([.summary.statements[].class]) as $names | all(.intervals[]; [.statements[].class] == $names)')"
check_equal "their counts add up" true "$(json '[.intervals[].statements | map(.count)] | transpose | map(add)' |
    jq --slurpfile all report.json '. == [$all[0].summary.statements[].count]')"
check_equal "intervals have no histograms of classes" false "$(json '[.intervals[].statements[] | has("histogram")] | any')"
check_match "columns" ',statement_0_count,.*,statement_10_time_ms_p95' "$(head -n 1 report.csv)"

# A connection that an event opens again: its service time is the sum of the classes, with a class for the time to connect.
workload oltp_point_select --reconnect=1 --events=100 --time=0 --report-sql --json=report.json run
check_equal "reconnects have a class" "100 0 0 0" "$(class connect)"
check_equal "the classes are parts of the service time" true \
    "$(json '([.summary.statements[].sums.sum_ns] | add) as $sum | (.summary.histogram.sums.response.sum_ns) as $all | $sum > 0 and $sum <= $all')"

# Updates that change no row are visible in the table.
workload oltp_update_index --table-size=1000 --events=200 --time=0 --rand-seed=3 --report-sql run
set -- $(class index_updates)
check_equal "updates" 200 "$1"
check_between "about half of the ids exist" 60 "$3" 140
check_equal "changed as many as matched" "$3" "$4"

# A script that sets class names, and statements whose class name is derived from their text.
cat >names.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   stmt = con:prepare("SELECT id FROM sbtest1 WHERE id = 1", "by id")
end

function event()
   stmt:execute()
   con:query("SELECT 1", "one")
   con:query("SELECT COUNT(*) FROM sbtest2")
   con:query_row("SELECT 3", "row")
end
LUA
run "$SYSRATE" names.lua --db-driver=sqlite --sqlite-db=test.db --events=7 --report-sql --json=report.json run
check_equal "names given and found" '[["by id",7],["one",7],["row",7],["select sbtest",7]]' \
    "$(json '[.summary.statements[] | [.class, .count]] | sort')"

# Merged ranks whose scripts have other classes: a class has the same position in all intervals and in the summary.
cat >ranks.lua <<'LUA'
local n, name = 0, os.getenv("CLASS")
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   n = n + 1
   con:query("SELECT 1", name)
   if n > 10 then con:query("SELECT 1", "late " .. name) end
end
LUA
for rank in 0 1; do
    CLASS=class$rank steadily run "$SYSRATE" ranks.lua --db-driver=null --tx-rate=100 --threads=2 --time=1 --report-interval=0.25 --report-sql --rand-seed=1 \
        --node=$rank/2 --json=rank$rank.json run
    check_equal "rank $rank: exit code" 0 "$status"
done
run "$SYSRATE" merge --json=report.json rank0.json rank1.json
check_equal "merged: classes of the summary" '["class0","late class0","class1","late class1"]' "$(json '[.summary.statements[].class]')"
check_equal "merged: those of the intervals" true \
    "$(json '([.summary.statements[].class]) as $names | (.intervals | length >= 4) and all(.intervals[]; [.statements[].class] == $names)')"

# Errors by code.
cat >errors.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
end

local n = 0

function event()
   n = n + 1
   if n % 2 == 1 then
      con:query("INSERT INTO sbtest1 (id) VALUES (1)")
   end
   pcall(con.query, con, "SELECT * FROM missing")
end

function sysbench.hooks.sql_error_ignorable(e)
   return e.sql_errmsg:find("UNIQUE") ~= nil
end
LUA
run "$SYSRATE" errors.lua --db-driver=sqlite --sqlite-db=test.db --events=4 --json=report.json run
check_equal "errors: exit code" 0 "$status"
check_match "an error that was ignored" '^ +1555 +- +4 +4  UNIQUE constraint failed: sbtest1.id$' "$out"
check_match "an error that the script caught" '^ +1 +- +4 +0  no such table: missing$' "$out"
check_equal "errors in JSON" '[[1,null,4,0],[1555,null,4,4]]' \
    "$(json '[.summary.errors[] | [.code, .class, .count, .ignored]] | sort')"
check_equal "ignored errors of the report: those that were caught are among them" 8 "$(printf '%s\n' "$out" | sed -nE 's/^ *ignored errors: +([0-9]+).*/\1/p')"
check_equal "and in JSON" 8 "$(json .summary.counters.errors)"
run "$SYSRATE" errors.lua --db-driver=sqlite --sqlite-db=test.db --events=4 --report-sql --json=report.json run
check_equal "errors by class in JSON" '[["insert sbtest",1555,4],["select missing",1,4]]' \
    "$(json '[.summary.errors[] | [.class, .code, .count]] | sort')"

# Figures of the last statement in the connection object, and statistics in the report hook.
cat >fields.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   stmt = con:prepare("SELECT 1")
   print("before", con.sql_errno, con.sql_state, con.sql_errmsg)
end

function event()
   pcall(con.query, con, "SELECT * FROM missing")
   print("failed", con.sql_errno, con.sql_state, con.sql_errmsg)
   stmt:execute()
   print("after", con.sql_errno, con.sql_state, con.sql_errmsg, con.nothing)
end

function sysbench.hooks.report_cumulative(stat)
   print("stat", stat.errors)
end
LUA
run "$SYSRATE" fields.lua --db-driver=sqlite --sqlite-db=test.db --events=2 run
check_equal "fields of a connection, stat.errors" "before 0 nil nil
failed 1  no such table: missing
after 0 nil nil nil
failed 1  no such table: missing
after 0 nil nil nil
stat 2" "$(printf '%s\n' "$out" | tr '\t' ' ' | grep -E '^(before|failed|after|stat) ')"

# Outside of events there is nothing to restart, so that the error is reported.
cat >prepare.lua <<'LUA'
function prepare() sysbench.sql.driver():connect():query("INSERT INTO sbtest1 (id) VALUES (1)") end
function sysbench.hooks.sql_error_ignorable() return true end
LUA
run "$SYSRATE" prepare.lua --db-driver=sqlite --sqlite-db=test.db prepare
check_equal "an error to ignore ends a command, with its text" "1 FATAL: \`prepare' function failed: restart of the event: \
SQL error, errno = 1555, state = '': UNIQUE constraint failed: sbtest1.id" "$status $err"

# A driver that is opened only in event().
cat >late.lua <<'LUA'
function event()
   con = con or sysbench.sql.driver():connect()
   con:query("SELECT 1")
   ffi.C.usleep(1000)
end
ffi.cdef("int usleep(unsigned)")
LUA
steadily run "$SYSRATE" late.lua --db-driver=sqlite --sqlite-db=test.db --time=2 --report-interval=1 run
check_match "a driver opened by event(): intervals" '^\[ 1s \] thds: 1 tps: [1-9].* qps: [1-9]' "$out"
check_match "a driver opened by event(): the report" '^SQL statistics:$' "$out"
finish
