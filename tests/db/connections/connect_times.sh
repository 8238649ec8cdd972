#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the times to connect in all reports, and connections that are opened again after events or after a lifetime.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

json() {
    jq -c "$1" report.json
}

# A script without a word about connections, with prepared statements.
cat >plain.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   stmt = con:prepare("SELECT id FROM sbtest1 WHERE id = ?")
   id = stmt:bind_create(sysbench.sql.type.INT)
   stmt:bind_param(id)
end
function event()
   id:set(1)
   stmt:execute()
end
LUA
{
    cat plain.lua
    echo 'function sysbench.hooks.after_reconnect() sysbench.sleep(0.05) end'
} >slow_hook.lua
# A script with a run loop of its own.
cat >own_loop.lua <<'LUA'
local ffi = require("ffi")
function thread_init() con = sysbench.sql.driver():connect() end
function thread_run(tid)
   while ffi.C.sb_more_events(tid) do
      ffi.C.sb_event_start(tid)
      con:query("SELECT 1")
      ffi.C.sb_event_stop(tid)
   end
end
LUA

# workload SCRIPT OPTION...: 2 workers execute 40 events.
workload() {
    run "$SYSRATE" "$1" "${connect[@]}" --tables=1 --table-size=100 --threads=2 --events=40 --time=0 --json=report.json "${@:2}" run
}

# check_connects NAME FIGURES SCRIPT OPTION...: the figures are the exit code, and the numbers of events, connects, failed connects
# and reconnects.
check_connects() {
    workload "${@:3}"
    check_equal "$server: $1" "$2" \
        "$status $(json '.summary | [.requests.completed, .connect_ms.count, .connects_failed, .counters.reconnects]')"
}

check_server() {
    server=$1
    server_options "$server"
    run "$SYSRATE" oltp_read_write "${connect[@]}" --tables=1 --table-size=100 prepare
    check_equal "$server: prepare" 0 "$status"

    check_connects "each worker connects once" "0 [40,2,0,0]" ./plain.lua --report=full
    check_match "$server: the text has a line" \
        '^Time to connect \(ms\): mean [0-9.]+, p50 [0-9.]+, p99 [0-9.]+, max [0-9.]+, of 2 connects; 0 failed$' "$out"
    run "$SYSRATE" report report.json
    check_match "$server: so has a report that is printed again" '^Time to connect \(ms\): .* of 2 connects; 0 failed$' "$out"
    check_equal "$server: the histogram agrees" true \
        "$(json '.summary | ([.histogram.connect[][1]] | add) == .connect_ms.count and .histogram.sums.connect.count == 2')"

    # One worker opens its connection again after events 3, 6, 9 and so on: 13 times.
    for when in auto off on; do
        check_connects "after 3 events, --connect-in-response=$when" "0 [40,14,0,13]" ./plain.lua --threads=1 --reconnect=3 --connect-in-response=$when
        check_connects "a script with its own loop, --connect-in-response=$when" "0 [40,14,0,13]" ./own_loop.lua --threads=1 --reconnect=3 --connect-in-response=$when
        check_connects "a bundled script, --connect-in-response=$when" "0 [40,14,0,13]" oltp_read_write --threads=1 --reconnect=3 --connect-in-response=$when
    done

    # After each of 39 reconnects, a hook takes 50 ms, 1.95 s in all. With `on` this is a part of the response times, with `off` it is
    # not: then the response times could only be that long if the 40 statements took 48 ms each.
    workload ./slow_hook.lua --threads=1 --reconnect=1 --connect-in-response=on
    check_equal "$server: on: reconnects are in the response times" true \
        "$(json '.summary.histogram.sums.response.sum_ns >= 1950000000')"
    workload ./slow_hook.lua --threads=1 --reconnect=1 --connect-in-response=off --report-sql
    check_equal "$server: off: reconnects are not in the response times" true \
        "$(json '.summary.histogram.sums.response.sum_ns < 1950000000')"
    check_equal "$server: the class of reconnects agrees" true \
        "$(json '.summary | (.statements[] | select(.class == "connect") | .count) == .counters.reconnects')"

    # Lifetimes of 50 ms ± 40 % are 30 to 70 ms, so each of 3 workers opens its connection at most 2 s / 30 ms = 66 times. A busy
    # machine may do less.
    run "$SYSRATE" ./plain.lua "${connect[@]}" --threads=3 --time=2 --connection-lifetime=50ms+-40% --csv=report.csv \
        --report-interval=1 --json=report.json run
    check_equal "$server: lifetime: exit code" 0 "$status"
    check_between "$server: lifetime: reconnects" 6 "$(json .summary.counters.reconnects)" 198
    check_equal "$server: lifetime: all connects are counted" true "$(json '.summary | .connect_ms.count == .counters.reconnects + 3')"
    check_equal "$server: lifetime: the intervals add up" true \
        "$(json '([.intervals[].connect_ms.count] | add) == .summary.connect_ms.count')"
    check_match "$server: columns of CSV" ',connect_ms_count,connect_ms_mean,connect_ms_max,connects_failed,' "$(head -n 1 report.csv)"
}

servers=()
for driver in mysql pgsql; do
    "$SYSRATE" --help | grep -q "^  $driver - " && servers+=("$driver")
done
if [ "${#servers[@]}" -eq 0 ]; then
    skip "connect times" "built without drivers for servers"
    pass "nothing to test"
    finish
fi
start_servers "${servers[@]}"
for server in "${servers[@]}"; do
    check_server "$server"
done

server_options "${servers[0]}"
cat >hook.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function sysbench.hooks.after_reconnect() print("opened again") end
function event() con:query("SELECT 1") end
LUA
run "$SYSRATE" ./hook.lua "${connect[@]}" --threads=1 --events=10 --time=0 --reconnect=4 run
check_equal "the hook after_reconnect is called" 2 "$(grep -c '^opened again$' <<<"$out")"

# If the hook fails between two events with the error that restarts an event, no event is executed a second time.
cat >restart.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function sysbench.hooks.after_reconnect() error(sysbench.error.RESTART_EVENT) end
function event()
   con:query("SELECT 1")
   print("executed")
end
LUA
run "$SYSRATE" ./restart.lua "${connect[@]}" --threads=1 --events=10 --time=0 --reconnect=4 --json=report.json run
check_equal "the hook fails: events, and executions" "10 10" "$(json .summary.requests.completed) $(grep -c '^executed$' <<<"$out")"

# Metrics count from the start of the run.
run "$SYSRATE" ./plain.lua "${connect[@]}" --threads=2 --time=2 --prom-file=metrics run
check_match "metrics" '^sysrate_connect_seconds_count 2$' "$(cat metrics)"
check_match "metrics: failures" '^sysrate_connects_failed_total 0$' "$(cat metrics)"

# A test without a database has no such figures.
run "$SYSRATE" cpu --events=10 --time=0 --json=report.json run
check_equal "no database, no figures" false "$(json '.summary | has("connect_ms")')"
finish
