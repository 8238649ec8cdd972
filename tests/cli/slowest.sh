# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --slowest without a database: the null driver makes some statements slow. tests/db/why/slowest.sh does the same with servers.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

cat >slow.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   statement = con:prepare("SELECT c FROM accounts WHERE id = ?")
   id = statement:bind_create(sysbench.sql.type.INT)
   statement:bind_param(id)
   number = 0
end

function event()
   number = number + 1
   id:set(4711)
   statement:execute()
   con:query("UPDATE accounts SET password = 'secret' WHERE id = 4711")
   -- Each worker repeats one event.
   if number == 15 then
      number = 1000
      sysbench.sleep(0.2)
      error({errcode = sysbench.error.RESTART_EVENT})
   end
   con:query("COMMIT")
end
LUA

# A request has three statements of 2 ms each. One of 100 statements waits for 300 ms more.
slow=(--db-driver=null --null-waits=IO=2ms,Lock:row=300ms@1 --threads=16 --tx-rate=100 --rand-seed=3)
steadily run "$SYSRATE" slow.lua "${slow[@]}" --time=5 --warmup-time=1 --slowest=40 --wait-events=50 --report-interval=1 --json=a.json --report=full run
check_equal "exit code" 0 "$status"
check_equal "number of requests" '40 40' "$(json_figure '"\(.slowest.asked) \(.slowest.requests | length)"')"
check_equal "the slowest one has the largest response time" true "$(json_figure '.slowest.requests[0].response_ms == .summary.response_ms.max')"
check_equal "they are sorted" true "$(json_figure '[.slowest.requests[].response_ms] | . == (sort | reverse)')"
check_equal "none arrived in the warm-up" true "$(json_figure '[.slowest | .requests[], .others[] | .arrived_s >= 1] | all')"
check_equal "the parts add up to the response time" true "$(json_figure '[.slowest | .requests[], .others[] |
    (.client_late_ms + .waiting_ms + .service_ms - .response_ms) | . < 0.001 and . > -0.001] | all')"
check_equal "statements are within the service" true "$(json_figure '[.slowest | .requests[], .others[] | .service_ms as $s |
    .statements[] | .start_ms >= 0 and .start_ms + .ms <= $s + 0.001] | all')"
check_equal "their classes" '["commit","select accounts","update accounts"]' "$(json_figure '[.slowest | .requests[], .others[] |
    .statements[].class] | unique | tojson')"
check_equal "three statements per attempt" true "$(json_figure '[.slowest.requests[] | .retries as $r | (.statements | length) == 3 + 2 * $r] | all')"
check_equal "events that were repeated are slow" true "$(json_figure '[.slowest | .requests[], .others[] | .retries] | max == 1 and add >= 5 and add <= 16')"
check_equal "the null driver changes one row" true "$(json_figure '[.slowest.requests[].statements[] | select(.class == "update accounts") | .rows == 1] | all')"
# At least 15 samples are expected in 300 ms, so hardly any request has none.
check_equal "slow statements wait for the lock" true "$(json_figure '[.slowest.requests[] | select(any(.statements[]; .ms > 300)) |
    any(.waits[]; .event == "Lock:row")] | length > 3 and (map(select(.)) | length) >= length - 1')"
check_equal "each interval has ordinary requests" true "$(json_figure '[.slowest.others[] | .ended_s | floor] | unique | length >= 5')"
check_equal "no more than four others per interval" true "$(json_figure '[.slowest.others[] | .ended_s | floor] | group_by(.) | map(length) | max <= 4')"
check_equal "without --report-sql, no classes are reported" 0 "$(json_figure '.summary.statements | length')"
check_match "the text" '^Slowest requests \(3 of the 40 in the JSON report\):$' "$out"
check_match "the text has statements" '^        at [0-9.]+ ms: update accounts, [0-9.]+ ms, rows 1$' "$out"
check_match "the text has waits" '^        waits: .*Lock:row [0-9]+ %' "$out"
check_no_match "no values are shown" 'secret|= 4711' "$out$(cat a.json)"
sed -n '/^Slowest requests/,/^$/p' <<<"$out" >printed
run "$SYSRATE" report a.json
check_equal "sysrate report prints the same" "$(cat printed)" "$(sed -n '/^Slowest requests/,/^$/p' <<<"$out")"

# By default there are 10 with --wait-events, and none otherwise. --slowest works without samples, too.
run "$SYSRATE" slow.lua "${slow[@]}" --time=1 --wait-events --json=a.json run
check_equal "10 by default with --wait-events" 10 "$(json_figure .slowest.asked)"
run "$SYSRATE" slow.lua "${slow[@]}" --time=1 --wait-events --slowest=0 --json=a.json run
check_equal "none if none are asked for" null "$(json_figure .slowest)"
run "$SYSRATE" slow.lua "${slow[@]}" --time=1 --json=a.json run
check_equal "none without --wait-events" null "$(json_figure .slowest)"
run "$SYSRATE" slow.lua "${slow[@]}" --time=1 --slowest=2 --report-sql --json=a.json run
check_equal "without samples there are no waits" '2 null' "$(json_figure '"\(.slowest.requests | length) \(.slowest.requests[0].waits)"')"
check_equal "with --report-sql, classes are reported" 3 "$(json_figure '.summary.statements | length')"

# More workers than requests that are kept; a queue that grows; a test without statements.
run "$SYSRATE" slow.lua "${slow[@]}" --threads=1000 --tx-rate=2000 --time=2 --slowest=1000 --json=a.json run
check_equal "1000 workers: exit code" 0 "$status"
check_equal "1000 workers: requests" 1000 "$(json_figure '.slowest.requests | length')"
run "$SYSRATE" slow.lua --db-driver=null --null-waits=IO=20ms --threads=1 --tx-rate=40 --time=3 --rand-seed=1 --slowest=5 --json=a.json run
check_equal "overload: the slowest one has waited for the worker" true "$(json_figure '.slowest.requests[0] | .waiting_ms > .service_ms')"
run "$SYSRATE" cpu --time=1 --slowest=3 --json=a.json run
check_equal "no statements" '3 0' "$(json_figure '"\(.slowest.requests | length) \([.slowest.requests[].statements[]] | length)"')"

# Requests that fail, and requests that never end, are marked.
cat >fail.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   number = 0
end

function event()
   number = number + 1
   con:query("SELECT 1")
   if number == 3 then
      con:query("SELECT sleep")
      sysbench.sleep(0.3)
      error("broken")
   end
end
LUA
run "$SYSRATE" fail.lua --db-driver=null --threads=1 --events=10 --slowest=3 --json=a.json run
check_equal "failed: it is marked" failed "$(json_figure '.slowest.requests[0].outcome')"
run "$SYSRATE" slow.lua --db-driver=null --null-waits=IO=60s --threads=2 --time=1 --forced-shutdown=0.5 --slowest=3 --json=a.json run
check_equal "unfinished: they are marked" '["unfinished","unfinished"]' "$(json_figure '[.slowest.requests[].outcome] | tojson')"
check_equal "unfinished: the statement that still runs" '["select accounts",null]' "$(json_figure '.slowest.requests[0].statements[0] | [.class, .ms] | tojson')"

finish
