# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Deferred work: events queue it and executors execute it, with the null driver.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

# Each event defers two pieces of work of different types; each piece is a statement that takes --null-service.
cat >work.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   sysbench.event_type("put")
   sysbench.defer("first", sysbench.tid, 2.5)
   sysbench.defer("second")
end
function sysbench.hooks.deferred(name, tid, number, more)
   assert(name == "first" and tid >= 0 and number == 2.5 and more == nil or name == "second" and tid == nil)
   con:query("SELECT 1")
   sysbench.tally("done", 1)
end
function sysbench.hooks.remarks() return {audits = {{"done", "done", 1, 1}}} end
LUA

defer() {
    rm -f a.json
    run "$SYSRATE" --db-driver=null --json=a.json "$@" work.lua run
}

cat >early.lua <<'LUA'
function thread_init() sysbench.defer("mail") end
function event() end
function sysbench.hooks.deferred() end
LUA
run "$SYSRATE" --db-driver=null --events=1 early.lua run
check_equal "outside of an event: exit code" 1 "$status"
check_match "outside of an event: message" "defer\\('mail'\\) can only be called in event\\(\\)" "$err"

deferred() { jq -c "[.summary.deferred[] | $1]" a.json; }

# The entries queued are those that the events deferred, and all of them are accounted for.
check_adds_up() {
    check_equal "$1: queued = completed + failed + unfinished" "[true,true]" \
        "$(deferred '.queued == .completed + .failed + .unfinished and .queued > 0')"
    check_no_match "$1: it adds up" 'do not trust this report' "$both"
    check_equal "$1: it counts as no event" "$(jq '.summary.event_types[0].completed' a.json)" \
        "$(jq '.summary.requests.completed' a.json)"
}

defer --threads=3 --deferred-threads=2 --events=500 --time=0 --drain=60 --report-interval=1 --csv=a.csv --html=a.html --report=full
check_equal "all is done: exit code" 0 "$status"
check_equal "all is done" '[["first",500,500,0,0,500],["second",500,500,0,0,500]]' \
    "$(deferred '[.type, .queued, .completed, .failed, .unfinished, .response_ms.count]')"
check_adds_up "all is done"
check_equal "all is done: statements are the run's, too" "1000 [500,500]" "$(jq .summary.counters.reads a.json) $(deferred .counters.reads)"
check_equal "all is executed: figures of executors" 1000 "$(jq '.summary.remarks.audits[0].count' a.json)"
check_match "text" '^    second +500 +500 +0 +0 +0 ' "$out"
check_match "CSV" 'deferred_0_completed_per_s.*deferred_1_queued.*deferred_1_response_ms_p95' "$(head -n 1 a.csv)"
check_match "the page" 'Deferred work' "$(cat a.html)"
run "$SYSRATE" report a.json
check_match "text, from JSON" '^    second +500 +500 +0 +0 +0 ' "$out"

# 200 entries per second of 20 ms each are four times the capacity of one executor.
work=(--tx-rate=100 --arrival=constant --threads=2 --null-service=20ms)
defer "${work[@]}" --time=1 --slo='put:p99<10s,deferred.first:max<0.5s'
check_adds_up "without drain"
check_equal "without drain: something is unfinished" true "$(jq '[.summary.deferred[].unfinished] | add > 0' a.json)"
check_equal "without drain: which its times say" true "$(jq '.summary.deferred | all(.response_ms.censored == .unfinished)' a.json)"
check_equal "objectives: on deferred work" '[true,false]' "$(jq -c '[.summary.slo.objectives[].met]' a.json)"
check_equal "objectives: exit code" 3 "$status"
steadily defer "${work[@]}" --time=0.5 --drain=60
check_adds_up "with drain"
check_equal "with drain: all is done" "[0,0]" "$(deferred .unfinished)"
# The last entry was queued at the end of the run, after half a second, with 70 entries before it.
check_equal "completion counts from when it was queued" true "$(jq '[.summary.deferred[].response_ms.max] | max > 700' a.json)"
check_equal "and is not of the run" true "$(jq '.summary.elapsed_s < 1 and .summary.response_ms.max < 600' a.json)"
defer "${work[@]}" --time=1 --warmup-time=0.2 --deferred-threads=0
check_equal "--deferred-threads=0: the events do it" "0 null" "$status $(jq -c .summary.deferred a.json)"
check_equal "--deferred-threads=0: their times have it" true "$(jq '.summary.event_types[0].response_ms.min > 39' a.json)"

defer "${work[@]}" --time=10 --queue-size=5
check_equal "full: exit code" 1 "$status"
check_match "full: message with advice" 'the queue of deferred work is full.*--deferred-threads' "$err"
check_adds_up "full"
defer "${work[@]}" --time=0.5 --queue-size=5 --queue-full=drop
check_equal "full, --queue-full=drop: exit code" 0 "$status"
check_equal "full, --queue-full=drop: counted" true "$(jq '[.summary.deferred[].failed] | add > 0' a.json)"
check_adds_up "full, --queue-full=drop"

# After Ctrl-C and with a stuck executor, entries that were not executed are reported.
"$SYSRATE" --db-driver=null --json=a.json "${work[@]}" --time=60 work.lua run >run.out 2>&1 &
client=$!
has_begun() { grep -q 'Threads started' run.out; }
wait_for 30 has_begun
sleep 0.3
kill -INT "$client"
wait "$client"
check_equal "interrupted: exit code" 130 "$?"
out='' err=$(cat run.out) both=$(cat run.out)
check_adds_up "interrupted"
defer "${work[@]}" --time=0.5 --null-service=30s --forced-shutdown=0.3
check_equal "a stuck executor: exit code" 2 "$status"
check_adds_up "a stuck executor"
# After the last worker has ended, --drain starts, and --forced-shutdown starts after it.
defer --events=10 --time=0 --null-service=50ms --drain=20 --forced-shutdown=0.2
check_equal "--forced-shutdown after --drain: exit code, all is executed" '0 [10,10]' "$status $(deferred .completed)"
check_adds_up "--forced-shutdown behind --drain"
defer --events=10 --time=0 --null-service=30s --drain=0.3 --forced-shutdown=0.3
check_equal "a stuck executor after --events: exit code, the program does not wait for it" '2 [0,0]' "$status $(deferred .completed)"
check_adds_up "a stuck executor behind --events"

for node in 0 1; do
    defer --threads=4 --events=500 --time=0 --drain=60 --rand-seed=3 --node=$node/2
    mv a.json "node$node.json"
done
run "$SYSRATE" merge --json=a.json node0.json node1.json
check_equal "two ranks add up" '[["first",500,500],["second",500,500]]' "$(deferred '[.type, .queued, .completed]')"
check_adds_up "two ranks"

# hook TEXT: writes a script with this hook, or without a hook if TEXT is missing.
hook() {
    { echo 'function event() sysbench.defer("work", 1) end'; [ -z "$1" ] || echo "function sysbench.hooks.deferred(name, n) $1 end"; } >work.lua
    defer --events=1 --time=0 --drain=60
}
hook ''
check_match "no hook: message" 'no sysbench.hooks.deferred' "$err"
hook 'error("no luck", 0)'
check_equal "a hook that fails: exit code" 1 "$status"
check_match "a hook that fails: message" "hooks.deferred' function failed: no luck" "$err"
hook 'if not again then again = true error(sysbench.error.RESTART_EVENT) end'
check_equal "a hook that starts again: one piece of work" "0 [1]" "$status $(deferred .completed)"
hook 'sysbench.event_type("none") if name == "work" then sysbench.defer("deeper", n) end'
check_equal "no deferring by executors" '0 ["work"]' "$status $(deferred .type)"
for call in 'sysbench.defer()' 'sysbench.defer(5)' 'sysbench.defer("a", "b")' 'sysbench.defer("a", 1, 2, 3, 4, 5, 6, 7, 8, 9)'; do
    printf '%s\n' "function event() $call end" 'function sysbench.hooks.deferred() end' >work.lua
    defer --events=1 --time=0
    check_match "$call: refused" 'defer\(.*(expected|at most)' "$err"
done
finish
