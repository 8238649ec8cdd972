#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How runs at an arrival rate end: by time, events, signals, errors or a full queue. All requests must add up.
. "$TESTS_DIR/cli/lib.sh" || exit 1

echo 'function event() end' >empty.lua
cat >ms.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event() ffi.C.usleep(1000) end
LUA

quiet() { "$@" >/dev/null; }

# The identity that every JSON report must satisfy.
check_adds_up() {
    check "$1: requests add up" quiet jq -e '.summary.requests |
        .offered == .completed + .failed + .dropped + .unfinished' "$2"
}

# With events of 1 ms at 2000/s, one worker cannot serve half of the requests.

run "$SYSRATE" --tx-rate=2000 --threads=1 --time=5 --percentile=99 --json=a.json ms.lua run
check_equal "overload: exits 0" 0 "$status"
# At most 5000 requests are served, fewer if usleep() takes longer. 10 000 ± 4.4 standard deviations of 100 arrive.
check_between "overload: unfinished" 4500 "$(json_figure .summary.requests.unfinished)" 10440
check_between "overload: offered" 9560 "$(json_figure .summary.requests.offered)" 10440
check_equal "overload: p99 is a lower bound" true \
    "$(json_figure '.summary.response_ms.percentiles["p99"].censored')"
check_match "overload: p99 is printed as one" '^ +99th percentile: +>[0-9.]+$' "$out"
check_adds_up "overload" a.json

# When the queue overflows, 1000 requests wait. Until the run has stopped, the worker still takes one per ms. The
# dropped request is the youngest one that the report counts as a lower bound, so its age is not less than that time.
run "$SYSRATE" --tx-rate=2000 --threads=1 --time=5 --queue-size=1000 --json=a.json ms.lua run
check_equal "queue full: exits 1" 1 "$status"
check_match "queue full: message" \
    '^FATAL: The event queue is full\. This means the worker threads are unable to keep up with the specified event generation rate$' "$err"
check_match "queue full: whole report" '^ +execution time \(avg/stddev\):' "$out"
check_equal "queue full: one request found no room" 1 "$(json_figure .summary.requests.dropped)"
check_between "queue full: the rest waits" \
    "$(json_figure '998 - (.summary.histogram.censored.response | map(.[0]) | min / 1e6)')" \
    "$(json_figure .summary.requests.unfinished)" 1000
check_between "queue full: ended early" 0.4 "$(json_figure .summary.elapsed_s)" 4
check_equal "queue full: the reason in JSON" queue_full "$(json_figure .summary.end)"
check_adds_up "queue full" a.json

run "$SYSRATE" --tx-rate=2000 --threads=1 --time=3 --queue-size=1000 --queue-full=drop --json=a.json ms.lua run
check_equal "drop: exits 0" 0 "$status"
# At most 3000 requests are served and 1000 wait, of 6000 ± 4.4 standard deviations of 77.
check_between "drop: counted" 1600 "$(json_figure .summary.requests.dropped)" 6340
check_between "drop: ran to the end" 3 "$(json_figure .summary.elapsed_s)" 60
check_between "drop: the run does not continue for waiting requests" 1 "$(json_figure .summary.requests.unfinished)" 1000
check_equal "drop: p95 is a lower bound" true "$(json_figure '.summary.response_ms.percentiles["p95"].censored')"
check_adds_up "drop" a.json

run "$SYSRATE" --tx-rate=2000 --threads=1 --time=2 --drain=50 --json=a.json ms.lua run
check_equal "drain: exits 0" 0 "$status"
check_equal "drain: nothing is unfinished" 0 "$(json_figure .summary.requests.unfinished)"
check_equal "drain: p95 is exact" false "$(json_figure '.summary.response_ms.percentiles["p95"].censored')"
check_adds_up "drain" a.json

# 3000 requests arrive, and at most 2000 can be served in 2 s.
run "$SYSRATE" --tx-rate=3000 --threads=1 --time=1 --drain=1 --json=a.json --request-log=a.log ms.lua run
check_equal "short drain: exits 0" 0 "$status"
check_between "short drain: something is left" 1 "$(json_figure .summary.requests.unfinished)" 3240
check_between "short drain: the last one began in it" 1000000001 "$(awk '!/^#/ && $2 > n { n = $2 } END { print n }' a.log)" 2000000000
check_adds_up "short drain" a.json

# Limits.

# With these seeds the next arrival is due at least 20 s after the end, and the run must not wait for it.
for seed in 3 5; do
    before=$(date +%s)
    run "$SYSRATE" --rate=0.02 --time=1 --rand-seed="$seed" --json=a.json empty.lua run
    check_equal "no arrival, time 1: exits 0 (seed $seed)" 0 "$status"
    check_equal "no arrival, time 1: none (seed $seed)" 0 "$(json_figure .summary.requests.offered)"
    check_between "no arrival, time 1: ends on time (seed $seed)" 1 $(($(date +%s) - before)) 15
done
# The run ends on time to a tenth of a second, unless the machine is busy.
short_run() {
    local before=$EPOCHREALTIME
    run "$SYSRATE" --rate=1 --time=2 --rand-seed=1 --json=a.json empty.lua run
    took=$(awk "BEGIN { print $EPOCHREALTIME - $before }")
}
try_until 'awk "BEGIN { exit !($took <= 2.1) }"' short_run
check_equal "rate 1, time 2: exits 0" 0 "$status"
check_between "rate 1, time 2: ends within 2.1 s" 2 "$took" 2.1
check_adds_up "rate 1, time 2" a.json

run "$SYSRATE" --tx-rate=0.5 --time=1 --json=a.json empty.lua run
check_equal "rate 0.5: exits 0" 0 "$status"
check_match "rate 0.5: in the header" '^Target transaction rate: 0\.5/sec$' "$out"

run "$SYSRATE" --tx-rate=5000 --events=1000 --time=0 --threads=4 --json=a.json empty.lua run
check_equal "events at a rate: the exact number" 1000 "$(json_figure .summary.requests.completed)"
check_equal "events at a rate: the reason in JSON" events "$(json_figure .summary.end)"
run "$SYSRATE" --events=100000 --time=0 --threads=4 --json=a.json empty.lua run
check_equal "events in a closed loop: the exact number" 100000 "$(json_figure .summary.requests.completed)"
run "$SYSRATE" --events=1000000000000 --time=0.2 --json=a.json empty.lua run
check_equal "events beyond 32 bits" time "$(json_figure .summary.end)"

# Suffixes of counts (powers of ten) and times. (Newer versions of jq print a number as it was written, unless it is
# computed.)
run "$SYSRATE" --events=1.5k --time=1m --tx-rate=100k --json=a.json empty.lua run
check_equal "1.5k events in a minute, 100k a second" "0 1500 60 1500 100000" \
    "$status $(json_figure '"\(.summary.requests.completed) \(.config.time + 0) \(.config.events) \(.config.rate + 0)"')"
check_match "suffixes: the header has the rate" '^Target transaction rate: 100000/sec$' "$out"
check_match "suffixes: scripts see numbers" '^1500 60 100000$' \
    "$(echo 'print(sysbench.opt.events, sysbench.opt.time, sysbench.opt.rate)' |
        "$SYSRATE" --events=1.5k --time=1m --tx-rate=100k - | tr '\t' ' ')"

# Warm-up and checkpoints: requests belong to a phase by their arrival time.

run "$SYSRATE" --tx-rate=1200 --warmup-time=1 --time=1 --drain=50 --threads=1 --report-interval=0.5 --percentile=50 \
    --json=a.json ms.lua run
check_equal "warm-up: exits 0" 0 "$status"
check_match "warm-up: in the header" '^Warmup time: 1s$' "$out"
check_between "warm-up: only arrivals after it count" 1040 "$(json_figure .summary.requests.offered)" 1360
check_adds_up "warm-up" a.json
# The backlog of the warm-up, 200 ± 35 requests of at least 1 ms, is served before the first measured request.
check_between "warm-up: its backlog is visible" 50 "$(json_figure .summary.wait_ms.min)" 50000
check_equal "warm-up: intervals before and after its end" "[false,true]" "$(jq -c '[.intervals[].warmup] | unique' a.json)"
check_equal "warm-up: intervals are marked" true "$(jq '[.intervals[] | .warmup == ((.from_s + .to_s) / 2 < 1)] | all' a.json)"

run "$SYSRATE" --tx-rate=1000 --time=2 --threads=2 --report-checkpoints=0.5,1.5 --json=a.json empty.lua run
check_equal "checkpoints: two reports and the end" 3 "$(printf '%s\n' "$out" | grep -c '^Latency (ms):')"
check_equal "checkpoints: the parts add up to the whole" true "$(jq '(.checkpoints | map(.counters.events) | add)
    <= .summary.counters.events and (.checkpoints | length) == 2' a.json)"

# Signals.

# interrupt SIGNAL REGEX COMMAND...: the same as run(), but sends the signal soon after a line that matches, or after
# 40 s.
interrupt() {
    local signal=$1 regex=$2
    shift 2
    rm -f .out .err
    "$@" >.out 2>.err &
    local pid=$!
    wait_for 40 grep -Eqsh -- "$regex" .out .err
    sleep 0.3
    kill "-$signal" "$pid"
    wait "$pid"
    status=$?
    out=$(cat .out)
    err=$(cat .err)
}

interrupt INT '^\[ [1-9]' "$SYSRATE" --tx-rate=500 --threads=2 --time=60 --report-interval=1 --json=a.json empty.lua run
check_equal "Ctrl-C: exit 130" 130 "$status"
check_match "Ctrl-C: report" '^ +execution time \(avg/stddev\):' "$out"
check_equal "Ctrl-C: interval lines" "$(jq '.intervals | length' a.json)" "$(printf '%s\n' "$out" | grep -c '^\[ [1-9][0-9.]*s \] thds: 2 eps:')"
check_equal "Ctrl-C: the partial interval is the last" true \
    "$(json_figure '(.intervals | length) >= 2 and (.intervals[-1].to_s - .summary.elapsed_s | fabs) < 0.002')"
check_match "Ctrl-C: the headline has it" '^        ended by a signal after [0-9.]+ s$' "$out"
check_equal "Ctrl-C: the reason in JSON" signal "$(json_figure .summary.end)"
check_between "Ctrl-C: elapsed" 1.2 "$(json_figure .summary.elapsed_s)" 50
check_adds_up "Ctrl-C" a.json

# These arrivals are too close for a sleep. Arrivals 10 s apart may come after the signal on a busy machine.
interrupt INT '^Threads started!' "$SYSRATE" --arrival-wait=spin --arrival=constant --tx-rate=300 --threads=2 --time=60 \
    --json=a.json empty.lua run
check_equal "Ctrl-C, spinning: exit 130" 130 "$status"
check_between "Ctrl-C, spinning: ends the arrivals" 0 "$(json_figure .summary.requests.unfinished)" 3000
check_adds_up "Ctrl-C, spinning" a.json

# How to wait for arrivals. A worker that only sleeps starts tens of microseconds late; an empty event takes 1 µs.
run_until 'grep -q "of p50 .* own lateness$" <<<"$out"' "$SYSRATE" --arrival-wait=sleep --arrival=constant --tx-rate=200 --time=1 \
    --json=a.json empty.lua run
check_match "sleep: the client's own lateness is reported" '^    of p50 [0-9.]+ ms, [0-9.]+ are the client.s own lateness$' "$out"
check_equal "sleep: and in JSON" true "$(json_figure '.summary.audit.lateness_ms.p50 > 0')"
cat >beside.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
LUA
for wait in auto spin; do
    for driver in null sqlite; do
        run "$SYSRATE" --arrival-wait=$wait --arrival=constant --tx-rate=200 --time=1 --db-driver=$driver --sqlite-db=beside.db \
            --json=$wait.$driver.json beside.lua run
        check_equal "--arrival-wait=$wait, $driver: exits 0" 0 "$status"
    done
done
check_equal "spinning next to a server is reported" "true false" "$(jq .summary.audit.spins_beside_server spin.sqlite.json spin.null.json | xargs)"
# auto may spin if there are many processors.
[ "$(nproc)" -gt 2 ] || check_equal "auto does not, on a small machine" false "$(jq .summary.audit.spins_beside_server auto.sqlite.json)"

# Workers that finish after the end prolong the run, but not the time in which requests arrived.
cat >late.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
local n = 0
function event()
   n = n + 1
   if n == 20 then ffi.C.usleep(900000) ffi.C.usleep(900000) ffi.C.usleep(900000) end
end
LUA
interrupt INT '^\[ 1' "$SYSRATE" --arrival=constant --tx-rate=100 --threads=2 --time=60 --report-interval=1 --json=a.json late.lua run
check_equal "Ctrl-C, late workers: elapsed is later than the signal" true "$(json_figure '.summary.elapsed_s > 2')"
check_match "Ctrl-C, late workers: offered per second" '^ +offered: +[0-9]+ +\((99|100)\.[0-9]+ per sec\.\)$' "$out"
check_equal "Ctrl-C, late workers: the last interval asks for no more" true \
    "$(json_figure '.intervals[-1] | (.asked_per_s - .offered_per_s | fabs) * (.to_s - .from_s) < 1.5')"

# A request that was put ahead and revoked must not be counted as waiting.
echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(90000) end' >slow.lua
interrupt INT '^Threads started!' "$SYSRATE" --arrival-wait=sleep --tx-rate=5 --threads=1 --time=60 --report-interval=50 --json=a.json \
    slow.lua run
check_equal "Ctrl-C: revoked requests are not in the queue" true "$(json_figure '.intervals[-1].queue == .summary.requests.queued')"
check_adds_up "Ctrl-C, revoked" a.json

# The program waits for stuck workers, but the run has ended, and with it its arrivals, intervals and windows.
cat >sometimes.lua <<'LUA'
ffi.cdef("int poll(void *, unsigned long, int)")
local n = 0
function event()
   n = n + 1
   if n % 50 == 0 then ffi.C.poll(nil, 0, 20000) end
end
LUA
interrupt INT '^\[ 3' "$SYSRATE" --tx-rate=100 --threads=4 --time=60 --report-interval=1 --json=a.json sometimes.lua run
check_equal "Ctrl-C, stuck workers: exit 130" 130 "$status"
check_equal "Ctrl-C, stuck workers: no arrival after it" true \
    "$(json_figure '.summary | (.requests.offered - 100 * .elapsed_s | fabs) < 4.4 * 10 * (.elapsed_s | sqrt)')"
check_equal "Ctrl-C, stuck workers: intervals in their order" true \
    "$(json_figure '[.intervals[] | .from_s, .to_s] as $t | ($t | sort) == $t and ($t[-1] - .summary.elapsed_s | fabs) < 0.002')"
check_equal "Ctrl-C, stuck workers: Little's law" true \
    "$(json_figure '.summary.audit.in_system | (.mean - .by_littles_law | fabs) < 0.01 * .mean')"
check_match "Ctrl-C, stuck workers: the stall is named" 'at least nothing was completed while' "$out"
check_adds_up "Ctrl-C, stuck workers" a.json

interrupt TERM '^Threads started!' "$SYSRATE" --time=60 --json=a.json empty.lua run
check_equal "SIGTERM in a closed loop: exit 143" 143 "$status"
check_adds_up "SIGTERM" a.json

cat >stuck.lua <<'LUA'
ffi.cdef("unsigned sleep(unsigned)")
function event() ffi.C.sleep(1000) end
LUA
run "$SYSRATE" --tx-rate=100 --threads=2 --time=1 --forced-shutdown=0.5 --json=a.json stuck.lua run
check_equal "forced shutdown: exit 2" 2 "$status"
check_match "forced shutdown: message" '^FATAL: The --time limit has expired, forcing shutdown\.\.\.$' "$err"
check_equal "forced shutdown: is cut short" CUT-SHORT "$(json_figure '.summary.audit.verdict.findings[0].name')"
check_equal "forced shutdown: in service" 2 "$(json_figure .summary.requests.in_service)"
check_adds_up "forced shutdown" a.json

# --forced-shutdown counts from the --time limit, even if the script ended the run before it.
cat >long_done.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event() return true end
function thread_done() ffi.C.usleep(500000) end
LUA
run "$SYSRATE" --threads=2 --time=60 --forced-shutdown=0 long_done.lua run
check_equal "a script that ends before the time limit, thread_done() of 0.5 s: exit 0" 0 "$status"
run "$SYSRATE" --threads=2 --time=0 --forced-shutdown=0 long_done.lua run
check_equal "no time limit: exit 2" 2 "$status"
check_match "no time limit: the workers that had not ended" '^FATAL: 2 worker\(s\) .*--forced-shutdown' "$err"

interrupt INT '^WARNING: still waiting' "$SYSRATE" --tx-rate=100 --threads=2 --time=1 --json=a.json stuck.lua run
check_equal "Ctrl-C while waiting: exit 130" 130 "$status"
check_match "waiting: a line after 5 s" \
    '^WARNING: still waiting for 2 worker\(s\), ([5-9]|[1-3][0-9]) s after the end of the run' "$err"
check_adds_up "Ctrl-C while waiting" a.json

"$SYSRATE" --tx-rate=100 --threads=2 --time=60 --forced-shutdown=60 stuck.lua run >.out 2>.err &
pid=$!
wait_for 40 grep -qs '^Threads started!' .out
sleep 0.3
kill -INT "$pid"
wait_for 40 grep -qs '^WARNING: still waiting' .err
kill -INT "$pid"
wait "$pid"
check_equal "a second Ctrl-C: exit 130" 130 $?
check_match "a second Ctrl-C: what it costs is said before" 'another Ctrl-C ends the program without a report$' "$(cat .err)"

# The last request of this trace arrives just before the end of an interval, so the workers have ended when the line of
# the interval is printed.
printf '\xef\xbb\xbf0.05\r\n0.0999\r\n' >times.txt # as an editor of Windows writes it
for attempt in 1 2 3; do
    run "$SYSRATE" --arrival-trace=times.txt --threads=2 --report-interval=0.1 empty.lua run
    check_equal "trace, attempt $attempt: workers of each interval" 2 "$(grep -o 'thds: [0-9]*' <<<"$out" | sort -u | tr -dc 0-9)"
done
check_match "trace: the header names it" '^Arrival trace: times\.txt \(2 arrivals in 0\.0999 s, 20\.02/sec on average\)$' "$out"

# A Lua error in one worker.

cat >boom.lua <<'LUA'
local n = 0
function event(tid)
   n = n + 1
   if tid == 1 and n > 20 then error("boom") end
end
LUA
for rate in 0 2000; do
    run "$SYSRATE" --tx-rate=$rate --threads=3 --time=20 --strict --json=a.json boom.lua run
    check_equal "Lua error, rate $rate: exit 1" 1 "$status"
    check_match "Lua error, rate $rate: names script and line" "^FATAL: .thread_run' function failed: boom.lua:4: boom$" "$err"
    check_match "Lua error, rate $rate: report" '^ +execution time \(avg/stddev\):' "$out"
    check_equal "Lua error, rate $rate: one failed" 1 "$(json_figure .summary.requests.failed)"
    check_adds_up "Lua error, rate $rate" a.json
done
check_equal "Lua error: is not valid" false "$(json_figure .summary.audit.verdict.valid)"
check_match "Lua error: is cut short" '^Verdict: CUT-SHORT' "$out"
check_match "Lua error: message with the time" '^    CUT-SHORT: an error ended the run after [0-9.]+ of 20\.0 s\.$' "$out"

# Errors with files.

run "$SYSRATE" --time=0.1 --json=/nowhere/a.json empty.lua run
check_equal "JSON cannot be written: exit 1" 1 "$status"
check_match "JSON cannot be written: message" '^FATAL: .*/nowhere' "$err"
check_no_match "JSON cannot be written: before the run" 'Threads started' "$out"
mkdir goes
echo 'function thread_init() os.remove("goes") end function event() end' >goes.lua
run "$SYSRATE" --time=0.1 --json=goes/a.json goes.lua run
check_equal "JSON can no longer be written: exit 1" 1 "$status"
check_match "JSON can no longer be written: message" "^FATAL: cannot write 'goes/a.json'" "$err"
check_match "JSON can no longer be written: the text report is there" '^Throughput:' "$out"
if [ -w /dev/full ]; then
    "$SYSRATE" --time=0.1 empty.lua run >/dev/full 2>.err
    check_equal "full disk for standard output: exit 1" 1 $?
    check_match "full disk for standard output: message" '^FATAL: cannot write to standard output' "$(cat .err)"
fi

# Many short runs: none must hang or crash, and all must add up.

wrong=0
for i in $(seq 60); do
    timeout 20 "$SYSRATE" --tx-rate=5000 --threads=16 --time=0.2 --json=b.json empty.lua run >.out 2>.err &&
        jq -e '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished
            and .offered > 0' b.json >/dev/null || wrong=$((wrong + 1))
done
check_equal "60 short runs" 0 "$wrong"

# Workers are given up and then continue while the totals are computed: each request must be counted once.
cat >loose.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event() ffi.C.usleep(100 + sysbench.tid * 30) end
LUA
wrong=0
for i in $(seq 30); do
    timeout 20 "$SYSRATE" --tx-rate=20000 --threads=16 --warmup-time=0.02 --time=0.05 --forced-shutdown=0 --json=b.json \
        loose.lua run >.out 2>.err
    jq -e '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished' b.json >/dev/null ||
        wrong=$((wrong + 1))
done
check_equal "30 runs whose workers are given up" 0 "$wrong"

run "$SYSRATE" --tx-rate=1000 --threads=1000 --time=1 --json=a.json empty.lua run
check_equal "1000 workers: exit 0" 0 "$status"
check_adds_up "1000 workers" a.json

finish
