# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Terminals, users with think times between their requests (--pacing=terminals), of a script and of tpcc; and the
# equivalent arrival rate (--pace).

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

cat >users.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() on = sysbench.terminals.populate(200, 0.2) end
function event()
   local number, visits = sysbench.terminals.current()
   assert((number ~= nil) == on and (not on or number >= 1 and number <= 200 and visits >= 0))
   con:query("SELECT 1")
   local think = sysbench.terminals.pause(0.02, 0.03, on and visits + 1)
   assert((think > 0) == on and think <= 0.3)
   sysbench.tally("longer", think > 0.03 and 1 or 0)
   sysbench.tally("visits", on and visits or 0)
end
function sysbench.hooks.remarks() return {audits = {{"think", "longer", 0.367, 0.369, true}, {"visits", "visits", 0, 1e9}}} end
LUA

users() {
    rm -f a.json
    run "$SYSRATE" --db-driver=null --json=a.json --report=full --rand-seed=5 "$@" users.lua run
}

summary() { jq -c ".summary | $1" a.json; }

check_adds_up() {
    check_equal "$1: offered = completed + failed + unfinished" true \
        "$(summary '.requests | .offered == .completed + .failed + .unfinished and .offered > 0')"
}

# 200 users with cycles of 50 ms and a standard deviation of 30 ms end at most 2000 requests in half a second, with a
# standard deviation of √(200 · 0.5 · 0.03² / 0.05³) = 27; 4.5 of these are 121. They end fewer on a busy machine.
users --threads=3 --pacing=terminals --time=0.5
check_equal "users: exit code" 0 "$status"
check_adds_up "users"
check_between "users: no more than they can" 100 "$(summary .requests.completed)" 2121
check_equal "users: their number" 200 "$(summary .requests.terminals)"
check_equal "users: think times" true "$(summary '.remarks.audits[0] | .state != "fails" and .count > 0')"
check_equal "users: come back" true "$(summary '.remarks.audits[1].mean > 0')"
check_match "users: in text" '^    number: +200$' "$out"
run "$SYSRATE" report a.json
check_match "users: in text, from JSON" '^    number: +200$' "$out"
check_no_match "users: no arrivals, from JSON" 'Generator lag' "$out"
# 3 workers serve 600 requests per second, and 200 users would send 4000: they wait for 0.3 s, and the wait counts.
users --threads=3 --pacing=terminals --time=0.7 --null-service=5ms --warmup-time=0.2
check_equal "users that wait: it counts from the moment when they send" true \
    "$(summary '.response_ms.mean > .service_ms.mean + 100 and .wait_ms.mean > 100')"
check_equal "users that wait: some at the end, too" true "$(summary '.requests.queued > 100')"
check_adds_up "users that wait"
users --threads=2 --pacing=terminals --events=500 --time=0
check_equal "users, --events: as many" "0 500" "$status $(summary .requests.completed)"
users --threads=2 --events=500 --time=0
check_equal "without --pacing: no users" '0 500 null' "$status $(summary '.requests | .completed, .terminals' | xargs)"
for node in 0 1; do
    users --threads=2 --pacing=terminals --events=500 --time=0 --node=$node/2
    mv a.json "node$node.json"
done
run "$SYSRATE" merge --json=a.json node0.json node1.json
check_equal "two ranks: the users of both" '200 500' "$(summary '.requests | .terminals, .completed' | xargs)"

users --pacing=terminals --tx-rate=5
check_equal "with a rate: exit code" 1 "$status"
check_match "with a rate: refused" '--pacing=terminals and an arrival rate' "$err"
users --pacing=users
check_match "unknown pacing: the allowed values" 'pacing.*workers.*terminals' "$err"
run "$SYSRATE" --db-driver=null --pacing=terminals oltp_point_select run
check_equal "a script without terminals: exit code" 1 "$status"
check_match "a script without terminals: message" 'has no terminals' "$err"
echo 'function thread_init(tid) sysbench.terminals.populate(10 + tid, 1) end function event() end' >users.lua
users --pacing=terminals --threads=2
check_match "threads that do not agree" 'do not agree' "$err"
for call in 'populate(0, 1)' 'populate(1e8, 1)' 'populate(5, -1)' 'populate()'; do
    echo "function thread_init() sysbench.terminals.$call end function event() end" >users.lua
    users --pacing=terminals
    check_match "$call: refused" 'a number from [01] to [0-9]+ was expected' "$err"
done

# tpcc. At 200 times the pace a cycle takes 0.105 s.
tpcc() { run "$SYSRATE" "$@" --db-driver=null --json=a.json --report=full --rand-seed=5 run; }
tpcc "$TESTS_DIR/cli/scripts/tpcc_terminals.lua" --warehouses=3 --pacing=terminals --pace=200 --threads=2 --time=1
check_equal "tpcc: terminals have the right parameters" 0 "$status"
check_equal "tpcc: ten in a warehouse" 30 "$(summary .requests.terminals)"
check_equal "tpcc: think times" '[5,0]' \
    "$(summary '[.remarks.audits[] | select(.text | startswith("think"))] | [length, (map(select(.state == "fails")) | length)]')"
check_match "tpcc: the pace is printed" 'keying and think times divided by 200' "$out"
check_match "tpcc: the name of the figure" '^New-Orders/min \(TPC-C derived, terminals\): ' "$out"
# The mean time between two transactions of a terminal is 20.99 s. It is computed as the time that all terminals did
# not wait for an answer, divided by the number of transactions sent. 500 terminals with cycles of 0.105 s and a
# standard deviation of 0.6 of that send about 4700 transactions per second: 4.5 standard deviations of the mean are 4
# %, and cycles cut by the start and end of the run add 2 %. A program that is stopped for long near the end of its
# time reports this, and its cycles are not usable.
calm() { jq -e '.summary | .elapsed_s < 1.02 and .response_ms.max < 300' a.json >/dev/null; }
try_until '[ "$status" -ne 0 ] || calm' tpcc "$TESTS_DIR/cli/scripts/tpcc_terminals.lua" --warehouses=50 --pacing=terminals --pace=200 --threads=1 --time=1
check_equal "tpcc: no terminal comes back too soon" 0 "$status"
check_between "tpcc: mean cycle of a terminal, in hundredths of a second" 1900 \
    "$(summary '(500 * .elapsed_s - .response_ms.count * .response_ms.mean / 1000) / .requests.offered * 200 * 100 | round')" 2246
# 5000 terminals with 2 workers: in 1 s, 1 / 20.99 of them send for the first time, that is 238 with a standard
# deviation of 15, and none sends for the second time. Seven standard deviations are 105.
tpcc tpcc --warehouses=500 --pacing=terminals --threads=2 --time=1
check_between "tpcc: the terminals of 500 warehouses" 133 "$(summary .requests.offered)" 343
check_no_match "tpcc: terminals are no deviation" '5\.2\.[25]' "$out"

# 10 / 20.99 requests per second are expected of each warehouse.
tpcc tpcc --warehouses=10 --pace=2 --time=0.1
check_match "--pace=2: the rate" '^Target transaction rate: 9\.52834' "$out"
check_equal "--pace=2: the rate, in JSON" true "$(jq '.config | (.rate // ."tx-rate") | tonumber | . > 9.528 and . < 9.529' a.json)"
tpcc tpcc --warehouses=10 --pace=1 --mix=deck --time=0.1
check_match "--pace=1 with decks" '^Target transaction rate: 4\.83' "$out"
tpcc tpcc --warehouses=10 --pace=1 --tx-rate=5
check_match "--pace and --tx-rate: refused" "pace.*0 with an arrival rate" "$err"
tpcc tpcc --warehouses=10 --pace=-1
check_match "--pace=-1: refused" 'pace.*0, or a number from' "$err"
tpcc tpcc --warehouses=10 --pace=1 --node=0/2 --threads=2
check_match "--pace and ranks: message with advice" 'give --tx-rate=4\.76' "$err"
run "$SYSRATE" sweep --vary=pace=100,200 --out=curve -- tpcc --db-driver=null --warehouses=2 --time=0.1
check_equal "sweep over --pace" 0 "$status"
check_match "sweep over --pace: each value" 'pace' "$out"
finish
