#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests --timeout and --retry on our own server with MongoDB's protocol. Its command fakeHang ends at its maxTimeMS, or never.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "timeouts on MongoDB"
start_fake_mongodb
mongodb_options

json() {
    jq -c "$1" report.json
}

# Each event with an odd number waits for half of the timeout and hangs until the deadline; the next one uses the same connection.
# The ids contain the number of the process, because a busy machine may need a second attempt.
cat >slow.lua <<'LUA'
local ffi = require("ffi")
ffi.cdef("int getpid(void);")
function thread_init()
   con = sysbench.sql.driver():connect()
   number = 1000 * ffi.C.getpid()
end
function event()
   number = number + 1
   con:query('{"insert": "policies", "documents": [{"_id": ' .. number .. '}]}')
   if number % 2 == 1 then
      sysbench.sleep(0.1)
      con:query('{"fakeHang": 1}')
      error("the slow command was not given up")
   end
end
LUA
# shellcheck disable=SC2016  # for run_until
run_until '[ "$(json ".summary.histogram.sums.failed.max_ns <= 250000000")" = true ]' "$SYSRATE" ./slow.lua "${connect[@]}" --threads=1 \
    --events=6 --time=0 --timeout=200ms --json=report.json run
check_equal "timeouts: exit code" 0 "$status"
check_equal "timeouts: requests add up" '[3,3]' "$(json '.summary.requests | [.completed, .failed]')"
check_equal "timeouts: counters" '[3,0,0,0]' "$(json '.summary.counters | [.timeouts, .unsent, .late, .reconnects]')"
check_between "timeouts: after 200 to 250 ms (in ms)" 200 "$(json '.summary.histogram.sums.failed.max_ns / 1000000')" 250
# A command that ends before its deadline would make the sum smaller than 3 · 200 ms.
check_equal "timeouts: no command ends before its deadline" true "$(json '.summary.histogram.sums.failed.sum_ns >= 600000000')"
check_equal "timeouts: nothing is left on the server" 0 \
    "$(mongodb_lua 'return con:query([[{"aggregate": 1, "pipeline": [{"$currentOp": {}}], "cursor": {}}]]).nrows')"

# Two write conflicts (error 112) are repeated as deadlocks.
cat >conflict.lua <<'LUA'
function event()
   if con == nil then
      con = sysbench.sql.driver():connect()
      con:query('{"fakeFail": 112, "times": 2}')
   end
   con:query('{"insert": "conflicts", "documents": [{"_id": 1}]}')
end
LUA
run "$SYSRATE" ./conflict.lua "${connect[@]}" --threads=1 --events=1 --time=0 --retry='3 1ms' --retry-on=deadlock --json=report.json run
check_equal "write conflicts: exit code" 0 "$status"
check_equal "write conflicts: requests and retries" '[1,0,2,0]' \
    "$(json '.summary | [.requests.completed, .requests.failed, .counters.retries, .counters.refused_retries]')"
finish
