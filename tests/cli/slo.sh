#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Objectives of a run: text, JSON, exit status. No machine can miss or meet these objectives by chance.
. "$TESTS_DIR/cli/lib.sh" || exit 1

echo 'function event() end' >empty.lua
cat >slow.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event() ffi.C.usleep(10000) end
LUA

slo() { jq -c ".summary.slo$1" a.json; }

run "$SYSRATE" --rate=200 --time=0.5 --drain=30 --slo='max<1000s' --slo='errors<1%,throughput>1' --json=a.json empty.lua run
check_equal "met: exits 0" 0 "$status"
check_match "met: message" '^Objectives: met$' "$out"
check_match "met: each with its figure" '^    errors<1% +0\.00 % +met$' "$out"
check_equal "met: in JSON" '[true,"max<1000s","errors<1%","throughput>1"]' "$(slo ' | [.met, .objectives[].objective]')"
check_equal "the JSON has the figure of the report" true \
    "$(jq '.summary | .slo.objectives[0].figure == .response_ms.max' a.json)"

run "$SYSRATE" --time=0.2 --slo='max<1ns,errors<1%' --json=a.json empty.lua run
check_equal "missed, in a closed loop: exits 3" 3 "$status"
check_match "missed: message" '^Objectives: MISSED$' "$out"
check_match "missed: which" '^    max<1ns +.* ms +MISSED$' "$out"
check_match "missed: which not" '^    errors<1% .*met$' "$out"
check_equal "missed: exit code in JSON" 3 "$(jq .summary.exit_code a.json)"
check_equal "missed: in JSON" '[false,false,true]' "$(slo ' | [.met, .objectives[].met]')"

run "$SYSRATE" --time=0.1 --json=a.json empty.lua run
check_equal "no objectives: exits 0" 0 "$status"
check_no_match "no objectives: no lines" 'Objectives' "$out"
check_equal "no objectives: nothing in JSON" null "$(slo '')"

run "$SYSRATE" --rate=500 --threads=2 --time=2 --strict --slo='max<1ns' --json=a.json slow.lua run
check_match "missed: in the headline" '^        objectives missed: 1 of 1$' "$out"
check_equal "a run that is not VALID is worse with --strict: exits 4" 4 "$status"
run "$SYSRATE" --rate=500 --threads=2 --time=2 --queue-size=10 --slo='max<1ns' --json=a.json slow.lua run
check_equal "an error is worse: exits 1" 1 "$status"
check_equal "an error: the run is judged nevertheless" false "$(slo .met)"

# 500 requests arrive per second and at most 200 are served: requests left at the end have waited for at least 0.5 s.
run "$SYSRATE" --rate=500 --threads=2 --time=1 --slo='p99<100ms' --json=a.json slow.lua run
check_equal "unfinished requests count: exits 3" 3 "$status"
check_match "unfinished requests count: as lower bounds" '^    p99<100ms +>[0-9.]+ ms +MISSED$' "$out"

# The miss is certain after 105 of the 10 000 requests.
for abort in 0 0.3; do
    run "$SYSRATE" --rate=500 --threads=2 --time=20 --slo='p99<1ms' --slo-abort=$abort --json=a.json slow.lua run
    check_equal "--slo-abort=$abort ends it: exits 3" 3 "$status"
    check_equal "--slo-abort=$abort: end" '"slo"' "$(jq .summary.end a.json)"
    check_match "--slo-abort=$abort: the full report" '^Objectives: MISSED' "$out"
    check_match "--slo-abort=$abort: message with the reason" '^WARNING: the run ends early' "$err"
    check_equal "--slo-abort=$abort: all requests are accounted for" true \
        "$(jq '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished' a.json)"
done
run "$SYSRATE" --time=600 --slo='max<1ns' --slo-abort=0.3 empty.lua run
check_equal "--slo-abort in a closed loop: exits 3" 3 "$status"
run "$SYSRATE" --rate=200 --time=1 --drain=30 --slo='max<1000s' --slo-abort=0.3 --json=a.json empty.lua run
check_equal "--slo-abort leaves a good run alone" '0 "time"' "$status $(jq .summary.end a.json)"
# No request completes for 0.8 s, which is not a miss yet.
run "$SYSRATE" --db-driver=null --null-service=800ms --tx-rate=20 --threads=64 --time=1 --drain=30 --slo='p99<1000s' --slo-abort=0.2 \
    --json=a.json oltp_point_select run
check_equal "--slo-abort leaves long requests alone that are within the limit" '0 "time"' "$status $(jq .summary.end a.json)"
# A type that occurs once in a run has no requests in most windows.
echo 'local n = 0 function event() n = n + 1 sysbench.event_type(n == 1 and "rare" or "usual") end' >rare.lua
run "$SYSRATE" --rate=50 --time=2 --drain=30 --slo='rare:max<1000s' --slo-abort=0.3 --json=a.json rare.lua run
check_equal "--slo-abort leaves a run alone whose type is rare" '0 "time"' "$status $(jq .summary.end a.json)"
run "$SYSRATE" --time=0.1 --slo-abort=1 empty.lua run
check_match "--slo-abort without --slo" '^WARNING: --slo-abort has no effect without objectives' "$err"

# Types of events: figures, objectives and JSON. The types add up to the run.
cat >types.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
local n = 0
function event()
   n = n + 1
   sysbench.event_type(n % 4 == 0 and "slow" or "fast")
   if n % 4 == 0 then ffi.C.usleep(20000) end
end
LUA
run "$SYSRATE" --events=40 --time=0 --slo='slow:p50<10ms,fast:max<1000s,tpcc' --json=a.json types.lua run
check_equal "types: one misses" '3 [false,true,false,false,false,false,false,false]' "$status $(slo ' | [.objectives[].met]')"
check_match "types: in text" '^    slow +10 +25\.00% +0 +0 +[2-9][0-9]+\.|^    slow +10 +25\.00% +0 +0 +[0-9]{3,}\.' "$out"
check_match "types: nothing of a type" '^    payment:p90<=5s +nothing measured +MISSED$' "$out"
check_equal "types: in JSON" '[["fast",30],["slow",10]]' "$(jq -c '[.summary.event_types[] | [.type, .completed]]' a.json)"
check_equal "types: as many in the histogram" true \
    "$(jq '[.summary.event_types[] | ([.histogram[][1]] | add) == .completed] | all' a.json)"
run "$SYSRATE" report a.json
check_match "types: in a report again" '^    slow +10 +25\.00%' "$out"
# One worker, and 20 ms for every fourth event: 200 of the 500 requests per second are served. Most requests wait at
# the end, and their type is unknown.
run "$SYSRATE" --rate=500 --time=1 --slo='fast:p90<500ms' --json=a.json types.lua run
check_match "types: unfinished requests are shared out" '^    fast:p90<500ms +>[0-9.]+ ms +MISSED$' "$out"
check_between "types: all of them" 0 \
    "$(jq '([.summary.event_types[].response_ms.censored] | add) - .summary.response_ms.censored' a.json)" 20000

finish
