#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Habits of existing scripts: loaders whose threads end one by one, options without values, hooks that print lines of
# their own, scripts without descriptions.
. "$TESTS_DIR/cli/lib.sh" || exit 1

# A thread that has finished its part ends; the other threads continue.

cat >loader.lua <<'LUA'
local rows = 0
function event(tid)
   rows = rows + 1
   if rows == 10 * (tid + 1) then return 0 end
end
function thread_done(tid) print(("thread %d: %d rows"):format(tid, rows)) end
LUA

for rate in 0 2000; do
    run "$SYSRATE" loader.lua run --threads=4 --time=60 --rate=$rate --json=a.json
    check_equal "threads end one by one, rate $rate: exit code" 0 "$status"
    check_equal "threads end one by one, rate $rate: each has done its part" "thread 0: 10 rows
thread 1: 20 rows
thread 2: 30 rows
thread 3: 40 rows" "$(printf '%s\n' "$out" | grep rows | sort)"
    check_equal "threads end one by one, rate $rate: the run ends with the last" "script 100" \
        "$(json_figure '"\(.summary.end) \(.summary.requests.completed)"')"
    check_equal "threads end one by one, rate $rate: requests add up" true \
        "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
done

echo 'function event(tid) if tid == 0 then return true end end' >first.lua
for rate in 0 2000; do
    run "$SYSRATE" first.lua run --threads=2 --time=0.5 --rate=$rate --json=a.json
    check_equal "one thread of two ends, rate $rate: the run goes on to its time" "0 time" \
        "$status $(json_figure .summary.end)"
    run "$SYSRATE" first.lua run --threads=2 --time=0 --events=50 --rate=$rate --json=a.json
    check_equal "one thread of two ends, rate $rate: the run goes on to its last event" "0 events 50" \
        "$status $(json_figure '"\(.summary.end) \(.summary.requests.completed)"')"
done

# A script without help() and options has no help. A missing driver is reported at once.

run "$SYSRATE" first.lua help
check_equal "help of a script without help() and options" "1 'first.lua' test does not implement the 'help' command." \
    "$status $err"
run "$SYSRATE" cpu prepare
check_equal "a command that the test does not have" "1 'cpu' test does not implement the 'prepare' command." "$status $err"
run "$SYSRATE" first.lua frobnicate
check_equal "an unknown command" "1 Unknown command: frobnicate" "$status $err"
run "$SYSRATE" --test=cpu cpu --events=3 run
check_equal "--test=cpu together with cpu" "0 3" "$status $(figure 'total number of events')"
run "$SYSRATE" first.lua --db-driver=foo --events=1 run
check_match "--db-driver=foo without a connection" "^FATAL: invalid database driver name: 'foo' \(compiled in: " "$err"
check_equal "--db-driver=foo without a connection: exit code" 1 "$status"

# Scripts list the functions of sysbench.rand to try each of them; `special` is available to scripts that call it.

cat >rand.lua <<'LUA'
local names = {}
for name in pairs(sysbench.rand) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, " "))
local n = sysbench.rand.special(3, 9)
assert(n >= 3 and n <= 9)
assert(#sysbench.rand.alnum(2, 2) == 2)
sysbench.rand.stream(1)
LUA
run "$SYSRATE" rand.lua
check_equal "sysbench.rand.special and our additions work: exit code" "0 " "$status $err"
check_equal "pairs() shows the names of sysbench 1.1" \
    "default gaussian pareto string uniform uniform_double uniform_uint64 unique varstring zipfian" "$(printf '%s\n' "$out" | tail -n 1)"
run "$SYSRATE" first.lua --mysql-user --mysql-password --mysql-db --pgsql-password --db-driver=null --events=1 run
check_equal "names and passwords without a value are empty: exit code" 0 "$status"

# If all events were in the warm-up, the counts of the report are zero, and times are unknown.
run "$SYSRATE" first.lua --threads=1 --warmup-time=3 --time=0 --events=20 --percentile=50,99.9 --report=full --json=a.json run
check_equal "no request was measured: times of the report" "- - - - -" \
    "$(printf '%s\n' "$out" | sed -nE 's/^ +(min|avg|max|50th percentile|99\.9th percentile): +//p' | paste -sd ' ')"
check_match "no request was measured: last line" '^ +response ms  p50 -  p95 -  p99 -  p99.9 -  max -$' "$out"
check_equal "no request was measured: times in JSON" "null null null null" \
    "$(json_figure '.summary.response_ms | "\(.percentiles["p50"].value) \(.percentiles["p99.9"].value) \(.mean) \(.max)"')"
for layout in sysbench-1.0 sysbench-1.1; do
    run "$SYSRATE" first.lua --threads=1 --warmup-time=3 --time=0 --events=20 --report=$layout run
    check_equal "no request was measured, $layout: 0.00, as in sysbench" "0.00 0.00" "$(figure max) $(figure '95th percentile')"
done
run "$SYSRATE" first.lua --threads=1 --warmup-time=3 --time=0 --events=20 run
check_match "a run that ends in its warm-up: message" \
    '^WARNING: the run ended in its warm-up: nothing was measured$' "$err"
run "$SYSRATE" cpu --cpu-max-prime=100 --warmup-time=3 --time=0 --events=20 run
check_match "a run whose events were all in its warm-up: message" \
    '^WARNING: the run ended in its warm-up: nothing was measured \(--events counts from the start of the warm-up\)$' "$err"
run "$SYSRATE" cpu --cpu-max-prime=100 --warmup-time=0.1 --time=0.2 run
check_no_match "a run with a warm-up: no message" 'warm-up' "$err"

# Scripts in the style of sysbench 0.5 are connected before the run, unless they do not use a database.

nowhere=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port=1)
if "$SYSRATE" --help | grep -q '^  mysql - '; then
    echo 'function event(id) assert(sb_rand(1, num_threads) >= 1 and sb_rand_str("##")) end' >none.lua
    run "$SYSRATE" none.lua "${nowhere[@]}" --events=5 run
    check_equal "a script of 0.5 without a database: exit code" 0 "$status"
    for user in 'function event() db_query("SELECT 1") end' \
        'local function ask() db_query("SELECT 1") end; local function both() ask() ask() end; function event() both() end' \
        'dofile("ask.lua"); function event() ask(sb_rand(1, 2)) end'; do
        echo 'function ask(n) db_query("SELECT 1") end' >ask.lua
        echo "$user" >some.lua
        run "$SYSRATE" some.lua "${nowhere[@]}" --events=5 run
        check_equal "a script of 0.5 with a database: exit code" 1 "$status"
        check_no_match "a script of 0.5 with a database is connected first" '^Threads started!$' "$out"
    done
else
    skip "scripts of 0.5 with a database" "built without MySQL"
fi

# After os.exit() during a measurement, the run ends with a report and fails.

exiting() { # CODE RATE: runs a script that executes the code in its 20th event
    printf '%s\n' 'local n = 0' "function event() n = n + 1; if n == 20 then $1 end end" >exiting.lua
    run "$SYSRATE" exiting.lua --threads=2 --tx-rate=$2 --time=30 --json=exit.json run
}
for rate in 0 2000; do
    for call in 'os.exit(0)' 'os.exit(true)' 'os.exit(3, true)' 'pcall(os.exit, 0)' \
        'coroutine.wrap(function() os.exit(0) end)()'; do
        exiting "$call" $rate
        check_equal "$call in event(), rate $rate: exit 1" 1 "$status"
        check_match "$call in event(), rate $rate: message with the reason" '^FATAL: os\.exit\(\) ends the run' "$err"
        check_equal "$call in event(), rate $rate: report" "1 error" "$(grep -c '^Throughput:' <<<"$out") $(jq -r .summary.end exit.json)"
    done
done
echo 'function thread_init() os.exit(0) end function event() end' >exiting.lua
run "$SYSRATE" exiting.lua --time=1 run
check_equal "os.exit() in thread_init(): exit 1" 1 "$status"
check_match "os.exit() in thread_init(): message with the function" "^FATAL: .thread_init' function failed: exiting.lua:1: os.exit" "$err"
cat >exiting.lua <<'LUA'
sysbench.hooks.report_cumulative = function() os.exit(0) end
function event() end
function done() os.exit(7) end
LUA
run "$SYSRATE" exiting.lua --events=10 --json=exit.json run
check_equal "os.exit() in a report hook: JSON is written" events "$(jq -r .summary.end exit.json)"
check_match "os.exit() in a report hook: message" "^FATAL: .report_cumulative' function failed: " "$err"
check_equal "os.exit() in done(): ends the program" 7 "$status"
cat >exiting.lua <<'LUA'
sysbench.hooks.report_intermediate = function() os.exit(0) end
function event() end
LUA
run "$SYSRATE" exiting.lua --time=100 --rate=100 --report-interval=0.1 --json=exit.json run
check_equal "os.exit() in a hook of intervals ends the run" "1 error" "$status $(jq -r .summary.end exit.json)"
sed -i 's/report_intermediate/report_cumulative/' exiting.lua
run "$SYSRATE" exiting.lua --time=100 --rate=100 --report-checkpoints=0.2 --json=exit.json run
check_equal "os.exit() in the hook of a checkpoint ends the run" "1 error" "$status $(jq -r .summary.end exit.json)"
echo 'os.exit(5)' >exiting.lua
run "$SYSRATE" exiting.lua run
check_equal "os.exit() in the body of a script: ends the program" 5 "$status"

# Options without values.

cat >values.lua <<'LUA'
sysbench.cmdline.options = {
   quick = {"without a default", nil, sysbench.cmdline.ARG_BOOL},
   engine = {"a name", "innodb"},
}
function event()
   print(("quick %s, engine '%s'"):format(sysbench.opt.quick, sysbench.opt.engine))
   return 0
end
LUA
run "$SYSRATE" values.lua run
check_match "a switch without default is on" "^quick true, engine 'innodb'\$" "$out"
run "$SYSRATE" values.lua --engine --quick=off --luajit-cmd run
check_equal "an option of text alone, and --luajit-cmd: taken" "0 " "$status $err"
check_match "an option of text alone is the empty text" "^quick false, engine ''\$" "$out"
run "$SYSRATE" values.lua --luajit-cmd= run
check_equal "--luajit-cmd=: taken" "0 " "$status $err"

cat >bound.lua <<'LUA'
local con = sysbench.sql.driver():connect()
local statement = con:prepare("SELECT ?, ?")
local function row() local r = statement:execute():fetch_row() return ("%s,%s"):format(r[1], r[2]) end
statement:bind_param()
assert(row() == "nil,nil")
local n = statement:bind_create(sysbench.sql.type.INT)
statement:bind_param(n)
n:set(7)
statement:bind_param()
assert(row() == "7,nil")
LUA
for mode in auto disable; do
    run "$SYSRATE" bound.lua --db-driver=sqlite --sqlite-db=bound.db --db-ps-mode=$mode
    check_equal "parameters that are not bound are NULL, --db-ps-mode=$mode" "0 " "$status $err"
done

finish
