#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --retry, --retry-on, the budget for retries and the objective for goodput, on the null driver, on SQLite
# and on servers.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

json() {
    jq -c "$1" report.json
}

# retries OPTION...: one worker executes requests on the null driver.
retries() {
    run "$SYSRATE" oltp_point_select --db-driver=null --threads=1 --time=0 --json=report.json --report=full "$@" run
}

# Each statement would take 10 s, so every attempt ends at its timeout of 20 ms.
counts='.summary | [.requests.completed, .requests.failed, .counters.timeouts, .counters.retries, .counters.refused_retries]'
retries --null-service=10s --events=10 --timeout=20ms --retry='3 1ms'
check_equal "three attempts: exit code" 0 "$status"
check_equal "three attempts" '[0,10,30,20,0]' "$(json "$counts")"
check_equal "attempts per request" '[3,3]' "$(json '.summary.policy | [.attempts_per_request, .load_amplification] | map(. * 1)')"
check_match "text: attempts" '^ *attempts per request: +3\.000, 3\.000 of them sent$' "$out"
check_match "text: retries" '^ *retries: +20, and 0 that the budget did not allow$' "$out"
# Response times count all attempts: at least 3 · 20 ms and two pauses of 0.5 ms or more.
check_equal "response times count all attempts" true "$(json '.summary.histogram.sums.failed.sum_ns >= 610000000')"

# Pauses of 10, 20 and 40 ms, each at least half of this: 35 ms a request.
retries --null-service=10s --events=4 --timeout=1ms --retry='4 exp(10ms)'
check_equal "pauses double" true "$(json '.summary.histogram.sums.failed.sum_ns >= 4 * (4 + 35) * 1000000')"

retries --null-service=10s --events=10 --timeout=5ms --retry='3 1ms' --retry-on=deadlock
check_equal "only deadlocks are repeated" '[0,10,10,0,0]' "$(json "$counts")"

# Each request adds 0.1 to the budget. So every tenth request has a second attempt, whose failure has no budget left.
retries --null-service=10s --events=100 --timeout=2ms --retry='3 budget 10%'
check_equal "a budget of 10 %" '[0,100,110,10,100]' "$(json "$counts")"
retries --null-service=10s --events=20 --timeout=2ms --retry='3 budget 0%'
check_equal "a budget of 0 %" '[0,20,20,0,20]' "$(json "$counts")"

# Half of the attempts time out. In each second, retries are at most 10 % of the requests, plus 1 that the budget has kept and 1 whose
# request ends in the next second, and 1 %.
run "$SYSRATE" oltp_point_select --db-driver=null --null-service=30ms:exp --tx-rate=300 --threads=60 --time=5 --timeout=20ms \
    --retry='3 budget 10%' --report-interval=1 --json=report.json --csv=report.csv run
check_equal "a budget at a rate: requests add up" true \
    "$(json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
check_equal "a budget at a rate: some retries, more refused" true "$(json '.summary.counters | .retries > 20 and .refused_retries > .retries')"
check_equal "a budget at a rate: every interval keeps it" true \
    "$(json '[.intervals[] | .counters.retries <= 0.11 * (.completed + .failed) + 2] | all')"
check_match "columns of CSV" ',policy_goodput_per_s,policy_attempts_per_request,policy_load_amplification,' "$(head -n 1 report.csv)"

# A row that exists already: an error that is not ignored ends the run, unless it is repeated.
cat >duplicate.lua <<'LUA'
function prepare() sysbench.sql.driver():connect():query("CREATE TABLE one (id INT PRIMARY KEY)") end
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("INSERT INTO one VALUES (1)") end
LUA
sqlite=(--db-driver=sqlite --sqlite-db="$PWD/retries.db" --threads=1 --time=0 --events=4 --json=report.json)
run "$SYSRATE" ./duplicate.lua "${sqlite[@]}" prepare
run "$SYSRATE" ./duplicate.lua "${sqlite[@]}" --retry='3 1ms' run
check_equal "errors are not repeated by default" 1 "$status"
run "$SYSRATE" ./duplicate.lua "${sqlite[@]}" --retry='3 1ms' --retry-on=error run
check_equal "--retry-on=error: exit code" 0 "$status"
# The run before has inserted the row before it failed.
check_equal "--retry-on=error" '[0,4,0,8,0]' "$(json "$counts")"

# A script that is busy for 20 ms after its statement completes late.
cat >late.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT 1")
   sysbench.sleep(0.02)
end
LUA
run "$SYSRATE" ./late.lua --db-driver=null --threads=1 --time=0 --events=10 --timeout=10ms --slo='throughput>1,goodput>1' --json=report.json run
check_equal "goodput is missed" 3 "$status"
check_equal "throughput without goodput" '[10,10,0]' "$(json '.summary | [.requests.completed, .counters.late, .policy.goodput_per_s] | map(. * 1)')"
run "$SYSRATE" ./late.lua --db-driver=null --threads=1 --time=0 --events=10 --timeout=1h --slo='goodput>0.01' run
check_equal "goodput is met" 0 "$status"

# Statements that do not wait for a lock fail with codes of their own. They count as deadlocks, and are repeated, whatever is ignored.
start_servers
cat >nowait.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("BEGIN")
   con:query("SELECT id FROM one WHERE id = 1 FOR UPDATE NOWAIT")
   sysbench.sleep(0.005)
   con:query("COMMIT")
end
LUA
for server in mysql pgsql; do
    server_options $server
    ${server}_sql "CREATE TABLE one (id INT PRIMARY KEY); INSERT INTO one VALUES (1)" sbtest
    ${server}_sql "GRANT ALL ON one TO sbtest" sbtest 2>/dev/null
    # On a busy machine, a worker may keep the row locked for longer than all attempts of another one take, or all may take turns.
    complete='.summary | .requests.completed == 50 and .counters.retries > 0'
    # shellcheck disable=SC2016  # for run_until
    run_until '[ "$(json "$complete")" = true ]' "$SYSRATE" ./nowait.lua "${connect[@]}" --threads=4 --events=50 --time=0 \
        --retry='100 10ms' --json=report.json run
    check_equal "$server, NOWAIT: exit code" 0 "$status"
    check_equal "$server, NOWAIT: all complete, some after retries" true "$(json "$complete")"
done
finish
