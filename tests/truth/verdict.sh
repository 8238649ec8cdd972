#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The verdict of a run with a frozen client, with a frozen server, and with too much load, as read
# from the report. A busy machine may cause additional findings, so the absence of a finding is only
# checked if nothing but the program could cause it.
. "$TESTS_DIR/cli/lib.sh" || exit 1

echo 'function event() end' >empty.lua

# Requests that arrive while the server is frozen wait for the end of the freeze: from 3 to 4.5 s
# after the first event.
cat >frozen.lua <<'LUA'
ffi.cdef[[
typedef struct { long sec, nsec; } stall_timespec;
int clock_gettime(int clock, stall_timespec *now);
int clock_nanosleep(int clock, int flags, const stall_timespec *until, void *rest);
]]
local now = ffi.new("stall_timespec")
local function seconds()
   ffi.C.clock_gettime(1, now)
   return tonumber(now.sec) + tonumber(now.nsec) * 1e-9
end
local start
function thread_init() start = seconds() end
function event()
   local t = seconds() - start
   if t >= 3 and t < 4.5 then
      local stop = start + 4.5
      now.sec = math.floor(stop)
      now.nsec = (stop - math.floor(stop)) * 1e9
      ffi.C.clock_nanosleep(1, 1, now, nil)
   end
end
LUA

findings() { jq -r '.summary.audit.verdict.findings[].name' a.json | xargs; }
advice() { jq -r '.summary.audit.verdict.findings[] | .figure + " " + .advice' a.json; }

# freeze_client OPTION... SCRIPT: stops the program for 1.5 s in the middle of its run.
freeze_client() {
    rm -f out.txt
    "$SYSRATE" --time=8 --percentile=99 --report-interval=1 --json=a.json "$@" run >out.txt 2>&1 &
    local pid=$!
    wait_for 40 grep -qs '^Threads started!' out.txt
    sleep 3
    kill -STOP $pid
    sleep 1.5
    kill -CONT $pid
    wait $pid
    status=$?
}

# Returns true if the machine has stopped the program for 0.1 s or more in addition to the intended
# freeze, which may extend over two intervals.
disturbed() {
    [ "$(jq '[.intervals[] | select(.response_ms.max > 100)] | length > 2' a.json)" = true ] ||
        [ "$(jq .summary.requests.unfinished a.json)" -gt 20 ]
}

try_until '! disturbed' freeze_client --tx-rate=1000 --threads=8 empty.lua
check_equal "frozen client: exits 0" 0 $status
check_match "frozen client: is limited" 'CLIENT-LIMITED' "$(findings)"
check_match "frozen client: says whose stall it was" 'it was the client that stood still' "$(advice)"
check_match "frozen client: in the text" '^Verdict: CLIENT-LIMITED' "$(cat out.txt)"

# No worker waits for an arrival when the freeze begins: the worker is busy, and arrivals were put
# into the queue ahead of time.
echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(90000) end' >slow.lua
freeze_client --tx-rate=8 --arrival=constant --threads=1 slow.lua
check_match "frozen client, all workers busy: is limited" 'CLIENT-LIMITED' "$(findings)"
check_between "frozen client, all workers busy: largest lag" 1300 "$(jq .summary.generator_lag_us.max/1000 a.json)" 10000

# Returns true if the machine has delayed the program so much that the server's freeze is not the
# only stall.
delayed() {
    [ "$(jq '.summary | .generator_lag_us.percentiles["p99"].value > 50000 or .requests.unfinished > 20' a.json)" = true ]
}

run_until '! delayed' "$SYSRATE" --tx-rate=1000 --threads=8 --time=8 --percentile=99 --json=a.json frozen.lua run
check_equal "frozen server: exits 0" 0 "$status"
check_match "frozen server: is not stationary" 'NON-STATIONARY' "$(findings)"
check_match "frozen server: says whose stall it was" 'it was not the client' "$(advice)"
# Requests that arrive in the first N/100 ms of the freeze wait longer than p99: 80 of 8000 ± 5
# standard deviations.
max=$(jq .summary.response_ms.max a.json)
check_between "frozen server: longest response" 1488 "$max" 3000
check_between "frozen server: p99" "$(awk -v max="$max" 'BEGIN { print max - 130 }')" \
    "$(jq '.summary.response_ms.percentiles["p99"].value' a.json)" "$(awk -v max="$max" 'BEGIN { print max - 30 }')"

# Few requests: at least 3 arrive within the second, except with a probability of 5·10^-11.
run_until '! delayed' "$SYSRATE" --tx-rate=30 --threads=8 --time=6 --percentile=99 --json=a.json frozen.lua run
check_match "frozen server, few requests: says what and when" \
    'from [23]\.[0-9]+ to 4\.[0-9]+ s at least nothing was completed while [0-9]+ requests waited; the longest took 1[0-9]{3}\.' \
    "$(advice)"
check_match "frozen server, few requests: says whose stall it was" 'it was not the client' "$(advice)"

cat >slow.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event() ffi.C.usleep(10000) end
LUA
run "$SYSRATE" --tx-rate=500 --threads=2 --time=3 --strict --json=a.json slow.lua run
check_equal "overload: --strict exits 4" 4 "$status"
check_match "overload: is named" 'OVERLOADED' "$(findings)"
check_equal "overload: exit code in JSON" 4 "$(jq .summary.exit_code a.json)"
check_equal "overload: valid is false" false "$(jq .summary.audit.verdict.valid a.json)"

run "$SYSRATE" --tx-rate=500 --threads=2 --time=1 --queue-size=10 --strict --json=a.json slow.lua run
check_equal "an error is worse than a verdict: exits 1" 1 "$status"

# Four stalls of 0.8 s: all are in the table of outages, and three are named with their number.
sed 's/if t >= 3 and t < 4.5 then/local from = math.floor(t \/ 2) * 2\n   if from > 0 and from < 10 and t >= from and t < from + 0.8 then/; s/start + 4.5/start + from + 0.8/' \
    frozen.lua >stalls.lua
# Returns true if the machine has delayed the program so much that there may be other stalls.
shaken() { [ "$(jq '.outages.list | length != 4' a.json)" = true ]; }
try_until '[ "$status" -ne 0 ] || ! shaken' steadily run "$SYSRATE" --tx-rate=500 --threads=4 --time=12 --json=a.json stalls.lua run
check_equal "four stalls: all are outages" 4 "$(jq '.outages.list | length' a.json)"
check_equal "four stalls: none takes a second" true "$(jq '.outages.list | all(.to_s - .from_s < 1)' a.json)"
check_match "four stalls: the first three are named" \
    '4 times nothing was completed, from [12]\.[0-9]+ to 2\.[0-9]+ s, from [34]\.[0-9]+ to 4\.[0-9]+ s, from [56]\.[0-9]+ to 6\.[0-9]+ s and 1 more time;' \
    "$(advice)"
try_until '[ "$status" -ne 0 ] || ! shaken' steadily run "$SYSRATE" --tx-rate=500 --threads=4 --time=12 --queue-size=100 --queue-full=drop --json=a.json stalls.lua run
check_match "stalls with a full queue: the outages account for the dropped requests" \
    'found the queue full, because of outages' "$(advice)"
check_no_match "stalls with a full queue: the rate is not the cause" 'lower the rate, or raise' "$(advice)"

# A hump: one worker, 100 requests per second of 5 ms, which take 20 ms from second 2 to 5.
cat >hump.lua <<'LUA'
ffi.cdef[[
typedef struct { long sec, nsec; } hump_timespec;
int clock_gettime(int clock, hump_timespec *now);
int usleep(unsigned);
]]
local now = ffi.new("hump_timespec")
local function seconds()
   ffi.C.clock_gettime(1, now)
   return tonumber(now.sec) + tonumber(now.nsec) * 1e-9
end
local start
function thread_init() start = seconds() end
function event()
   local t = seconds() - start
   ffi.C.usleep((t >= 2 and t < 5) and 20000 or 5000)
end
LUA
run "$SYSRATE" --tx-rate=100 --threads=1 --time=12 --report-interval=0 --strict --json=a.json hump.lua run
check_equal "a hump: --strict exits 4" 4 "$status"
check_match "a hump: is an overload" 'OVERLOADED' "$(findings)"
# The episode overlaps the time from second 2 to 5, also if the machine was busy before or after it.
check_equal "a hump: an episode names its time" true \
    "$(jq '.summary.audit.verdict.overload_episodes | any(.from_s < 4 and .to_s > 3 and .load > 1.1)' a.json)"

# A burst that was asked for: one worker, events of 3 ms, ten times the rate for a second. Slowdowns that the rate explains are no finding.
echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(3000) end' >burst.lua
# Returns true if the machine has delayed the program.
late_generator() { [ "$(jq '.summary.generator_lag_us.percentiles["p99"].value > 20000' a.json)" = true ]; }
run_until '! late_generator' "$SYSRATE" --tx-rate=0s:100,4s:100,4s:1000,5s:1000,5s:100 --threads=1 --time=15 --percentile=99 --json=a.json burst.lua run
check_no_match "a burst that was asked for: is no slowdown" 'rose to' "$(advice)"
check_match "a burst that was asked for: the rate is named" 'asked for' "$(jq -r '.summary.audit.verdict | .remark // .findings[].figure' a.json)"

# Closed loops: the same, but no arrival rate shows when a request should have arrived.
echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(10000) end' >slow.lua
freeze_client --time=6 --threads=1 --strict slow.lua
check_equal "closed loop, frozen client: --strict exits 4" 4 $status
check_match "closed loop, frozen client: is not stationary" 'NON-STATIONARY' "$(findings)"
check_match "closed loop, frozen client: says whose stall it was" 'it was the client that stood still' "$(advice)"
check_match "closed loop, frozen client: told, though not in the text" '^WARNING: verdict NON-STATIONARY: ' "$(cat out.txt)"
check_no_match "closed loop, frozen client: the text is as ever" '^(Verdict|Result)' "$(cat out.txt)"
# Returns true if the client itself was late by more than a tenth of the freeze.
late() { ! advice | grep -q 'It was not the client'; }
try_until '! late' run "$SYSRATE" --threads=1 --time=6 --report=full --json=a.json frozen.lua run
check_match "closed loop, frozen server: says what and when" \
    'from [23]\.[0-9]+ to 4\.[0-9]+ s at least nothing was completed while 1 worker waited; the longest took 1[0-9]{3}\.' "$(advice)"
check_match "closed loop, frozen server: says whose stall it was" 'It was not the client' "$(advice)"
check_match "closed loop, frozen server: in the text" '^Verdict: .*NON-STATIONARY' "$out"

# Little's law: its two sides are counted independently and must agree.
run "$SYSRATE" --tx-rate=2000 --threads=1 --time=2 --json=a.json slow.lua run
check_equal "Little's law, 4000 requests of which few are served" true \
    "$(jq '.summary.audit.in_system | ((.mean - .by_littles_law) | fabs) < 0.01 * .mean' a.json)"

finish
