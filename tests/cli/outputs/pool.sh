#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --pool-size without a database: waits for a connection, limits and policies, and all formats. tests/db/connections/pool.sh does
# the same with servers, and tests/truth/mmc.py compares the waits with Erlang's C formula.
. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

cat >select.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
LUA

# pooled SCRIPT OPTION...
pooled() {
    run "$SYSRATE" "$1" --db-driver=null --json=a.json --report=full "${@:2}" run
}

# The parts of the response times of completed and failed requests are exact.
parts='.summary.histogram.sums | .response.sum_ns + .failed.sum_ns ==
    .wait.sum_ns + .connection_wait.sum_ns + .service.sum_ns + .failed_service.sum_ns'

pooled select.lua --null-service=2ms --threads=32 --pool-size=2 --tx-rate=600 --time=2 --csv=a.csv --report-interval=1 --prom-file=metrics
check_equal "exit code" 0 "$status"
check_equal "two connections" 2 "$(json_figure .summary.connect_ms.count)"
check_equal "the parts of the response times add up" true "$(json_figure "$parts")"
check_equal "each request has a wait for a connection" true \
    "$(json_figure '.summary | .connection_wait_ms.count == .requests.completed and .connection_wait_ms.mean > 0')"
check_equal "its histogram agrees" true \
    "$(json_figure '.summary | ([.histogram.connection_wait[][1]] | add) == .connection_wait_ms.count')"
check_equal "the intervals add up" true \
    "$(json_figure '([.intervals[].connection_wait_ms.count] | add) == .summary.connection_wait_ms.count')"
check_match "the table has a column" '^Response time \(ms\): +wait +connection +service +response$' "$out"
check_match "the means add up in the last lines" 'mean [0-9.]+ = wait [0-9.]+ \+ connection [0-9.]+ \+ service [0-9.]+' "$out"
line='^Wait for a connection of the pool \(ms\): mean [0-9.]+, p50 [0-9.]+, p99 [0-9.]+, max [0-9.]+, of [0-9]+ requests; 0 waits took too long$'
check_match "the text has a line" "$line" "$out"
run "$SYSRATE" report a.json
check_match "so has a report that is printed again" "$line" "$out"
check_match "columns of CSV" ',connection_wait_ms_mean,connection_wait_ms_max,pool_timeouts,' "$(head -n 1 a.csv)"
check_match "metrics" '^sysrate_connection_wait_seconds_count [1-9]' "$(cat metrics)"
run "$SYSRATE" select.lua --db-driver=null --threads=2 --time=1 --tx-rate=10 --json=b.json run
check_equal "without a pool there are no such figures" false "$(jq '.summary | has("connection_wait_ms")' b.json)"

# At most 2 statements of 5 ms are executed at the same time, so at most 400 in a second, and 2 at the end.
pooled select.lua --null-service=5ms --threads=16 --pool-size=2 --time=1
check_between "closed loop: two connections serve at most 400 requests per second" 50 "$(json_figure .summary.requests.completed)" \
    "$(json_figure '.summary | 400 * .elapsed_s + 2 | floor')"
check_equal "closed loop: waits are recorded" true "$(json_figure '.summary.connection_wait_ms.mean > 0')"

# Four workers share one connection. Each event waits 100 ms between two statements.
cat >pause.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("UPDATE t SET a = 1")
   sysbench.sleep(0.1)
   con:query("UPDATE t SET a = 2")
end
LUA
pooled pause.lua --threads=4 --pool-size=1 --time=2
check_between "--pool-scope=event: events follow each other" 1 "$(json_figure .summary.requests.completed)" 24
held=$(json_figure .summary.requests.completed)
pooled pause.lua --threads=4 --pool-size=1 --time=2 --pool-scope=transaction
check "--pool-scope=transaction: events overlap ($held, $(json_figure .summary.requests.completed))" \
    test "$(json_figure .summary.requests.completed)" -gt $((held * 3 / 2))

# One connection serves 1/0.3 s; 20 requests per second arrive.
run "$SYSRATE" select.lua --db-driver=null --pool-timeout=0.1 --events=1 run
check_match "--pool-timeout without a pool" '^WARNING: --pool-timeout has no effect without --pool-size' "$err"
pooled select.lua --null-service=300ms --threads=8 --pool-size=1 --pool-timeout=0.1 --tx-rate=20 --time=3
check_equal "--pool-timeout: exit code" 0 "$status"
check_equal "--pool-timeout: requests fail, and the run goes on" true \
    "$(json_figure '.summary | .requests.failed > 0 and .requests.failed == .counters.pool_timeouts and .requests.completed > 0')"
check_equal "--pool-timeout: nothing is lost" true \
    "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
check_equal "--pool-timeout: the parts of the response times add up" true "$(json_figure "$parts")"
pooled select.lua --null-service=300ms --threads=8 --pool-size=1 --pool-timeout=0.1 --tx-rate=20 --time=3 --retry='3 10ms' --retry-on=pool
check_equal "--retry-on=pool: further attempts" true "$(json_figure '.summary.counters | .retries > 0 and .pool_timeouts > .retries')"
pooled select.lua --null-service=300ms --threads=8 --pool-size=1 --pool-timeout=0.1 --tx-rate=20 --time=3 --retry='3 10ms' --retry-on=error
check_equal "--retry-on=error: no further attempts after such waits" true "$(json_figure '.summary.counters | .retries == 0 and .pool_timeouts > 0')"
pooled select.lua --null-service=300ms --threads=8 --pool-size=1 --tx-rate=20 --time=3 --timeout=400ms
check_equal "--timeout limits the wait for a connection, too" true "$(json_figure '.summary.counters | .timeouts > 0 and .pool_timeouts == 0')"

# A worker that fails gives its connection back, so that the others end.
cat >fails.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
local count = 0
function event()
   con:query("UPDATE t SET a = 1")
   count = count + 1
   if count == 3 then error("enough") end
end
LUA
pooled fails.lua --null-service=10ms --threads=8 --pool-size=1 --time=60
check_equal "a script that fails ends the run" "1 true" "$status $(json_figure '.summary.elapsed_s < 30')"

# Connections of the pool are opened again by the request that takes them.
pooled select.lua --threads=4 --pool-size=2 --tx-rate=200 --time=2 --connection-lifetime=100ms
check_between "--connection-lifetime: reconnects" 4 "$(json_figure .summary.counters.reconnects)" 42
check_equal "--connection-lifetime: connects" true "$(json_figure '.summary | .connect_ms.count == .counters.reconnects + 2')"
pooled select.lua --threads=4 --pool-size=2 --events=100 --time=0 --reconnect=10
check_between "--reconnect: after 10 events of a connection" 8 "$(json_figure .summary.counters.reconnects)" 9

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
pooled own_loop.lua --threads=4 --pool-size=1 --events=100 --time=0
check_equal "a script with its own loop" "0 100" "$status $(json_figure .summary.connection_wait_ms.count)"

# An overloaded run whose workers wait for connections says which number to raise.
pooled select.lua --null-service=20ms --threads=32 --pool-size=2 --tx-rate=150 --time=5
check_match "an overloaded pool: the advice" 'lower the rate, or raise --pool-size if the server has room' "$out"

# Built-in tests and replays have no pool.
run "$SYSRATE" cpu --pool-size=2 --events=1 run
check_equal "a built-in test" "1 FATAL: --pool-size cannot be used with cpu (allowed: scripts)" "$status $err"
run "$SYSRATE" cpu --reconnect=2 --events=1 run
check_equal "a built-in test: --reconnect" "1 FATAL: --reconnect cannot be used with cpu (allowed: scripts)" "$status $err"

# Two ranks are merged.
for node in 0 1; do
    "$SYSRATE" select.lua --db-driver=null --null-service=2ms --threads=8 --pool-size=3 --tx-rate=100 --time=2 --node=$node/2 \
        --rand-seed=7 --json=node$node.json run >/dev/null 2>&1 &
done
wait
run "$SYSRATE" merge --json=a.json node0.json node1.json
check_equal "ranks: waits are added, and the connections are divided" "0 true 3" \
    "$status $(json_figure '.summary | .connection_wait_ms.count == .requests.completed, .connect_ms.count' | tr '\n' ' ' | sed 's/ $//')"
pooled select.lua --threads=2 --pool-size=1 --node=1/2 --rand-seed=7 --events=1
check_equal "a rank without a connection" "1 1" "$status $(grep -c -- '--pool-size=1 leaves no connection for rank 1 of 2' <<<"$err")"

# Two connections in an event of two workers, but only two in the pool: each may hold one and wait for the other.
cat >two.lua <<'LUA'
function thread_init()
   a = sysbench.sql.driver():connect()
   b = sysbench.sql.driver():connect()
end
function event()
   a:query("UPDATE t SET a = 1")
   b:query("UPDATE t SET a = 1")
end
LUA
pooled two.lua --threads=2 --pool-size=2 --events=1 --time=0 --null-service=1ms
check_match "a pool that is too small for several connections per worker" '^WARNING: .*--pool-size=2.* at least 3,' "$err"
finish
