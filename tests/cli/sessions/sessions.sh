# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Sessions: users that arrive at --session-rate, send requests with think times in between, and leave.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

# sessions OPTION...: runs point selects on the null driver.
sessions() {
    rm -f a.json
    run "$SYSRATE" oltp_point_select --db-driver=null --json=a.json --report=full --rand-seed=5 "$@" run
}

summary() { jq -c ".summary | $1" a.json; }

check_adds_up() {
    check_equal "$1: exit code" 0 "$status"
    check_equal "$1: offered = completed + failed + unfinished" true \
        "$(summary '.requests | .offered == .completed + .failed + .unfinished and .offered > 0')"
    check_equal "$1: begun = ended + in progress" true "$(summary '.sessions | .begun == .ended + .in_progress and .begun > 0')"
    check_no_match "$1: no alert" 'do not add up' "$err"
}

# 400 sessions per second for 1.5 s are 600, with a standard deviation of √600 = 24.5, of which 4.5 are 110.
sessions --threads=4 --session-rate=400 --session-length='geometric(3)' --think='exp(50ms)' --time=1.5 --warmup-time=0.3 \
    --report-interval=0.5 --csv=a.csv --html=a.html
check_adds_up "sessions"
check_between "sessions: as many as asked for" 490 "$(summary .sessions.begun)" 710
check_equal "sessions: times" true "$(summary '.session_ms.count == .sessions.ended and .session_ms.mean > 0 and .wait_ms.mean >= 0 and .service_ms.mean > 0')"
check_equal "sessions: those in progress count as lower bounds" true "$(jq '[.summary.histogram.censored.session[][1]] | add' a.json |
    jq --argjson n "$(summary .sessions.in_progress)" '. == $n')"
check_match "sessions: header" '^Target session rate: 400/sec, requests: geometric\(3\), think time: exp\(50ms\)$' "$out"
check_match "sessions: in text" '^Sessions:$' "$out"
check_match "sessions: the model" 'partly open: sessions begin independently' "$out"
check_no_match "sessions: not called terminals" 'Terminals:' "$out"
check_equal "sessions: columns of CSV" 4 "$(head -1 a.csv | tr , '\n' | grep -cE '^(sessions_in_progress|sessions_ended|session_ms_mean|session_ms_max)\s*$')"
check_equal "sessions: intervals" true "$(jq -e '.intervals | (map(.sessions_in_progress) | max > 0) and (map(.sessions_ended) | add > 0)' a.json)"
check "sessions: on the page" grep -q '"sessions_in_progress"' a.html
printed=$(printf '%s\n' "$out" | sed -n '/^Sessions:$/,/^$/p')
run "$SYSRATE" report a.json
check_equal "sessions: the same section from JSON" "$printed" "$(printf '%s\n' "$out" | sed -n '/^Sessions:$/,/^$/p')"

# A limited number of sessions: the run ends with the last one. Each of 50 has 4 requests and 3 think times of 20 ms.
sessions --threads=2 --session-rate=1k --session-length=4 --think=20ms --sessions=50 --time=60
check_adds_up "--sessions"
check_equal "--sessions: all have ended" '[50,50,0] 200' "$(summary '.sessions | [.begun, .ended, .in_progress]') $(summary .requests.completed)"
check_equal "--sessions: durations" true "$(summary '.session_ms.min >= 60')"
check_equal "--sessions: the run ends with them" true "$(summary '.elapsed_s < 30')"

# Length 1 is the open system: the same seed gives the same arrivals, to the nanosecond.
arrivals() { grep -v '^#' "$1" | cut -d' ' -f1 | sort -n | head -300; }
sessions --threads=4 --session-rate=300 --sessions=300 --time=30 --request-log=partly.log
sessions --threads=4 --tx-rate=300 --events=300 --time=30 --request-log=open.log
check_equal "length 1: as many requests" 300 "$(arrivals partly.log | wc -l)"
check_equal "length 1: the arrivals of the open system" "$(arrivals open.log)" "$(arrivals partly.log)"
sessions --threads=4 --session-rate=300 --arrival='gamma(2)' --sessions=300 --time=30 --request-log=partly.log
sessions --threads=4 --tx-rate=300 --arrival='gamma(2)' --events=300 --time=30 --request-log=open.log
check_equal "length 1, gamma(2): the arrivals of the open system" "$(arrivals open.log)" "$(arrivals partly.log)"

# Unlimited length and a fixed population is the closed system: 8 users never have more than 8 requests waiting or in
# service, and with a worker for each and no think time each worker is always busy.
sessions --threads=2 --session-rate=1000 --sessions=8 --session-length=unlimited --null-service=5ms --time=1
check_adds_up "unlimited"
check_equal "unlimited: nobody leaves" '[8,0,8]' "$(summary '.sessions | [.begun, .ended, .in_progress]')"
check_between "unlimited: most requests that 2 workers can serve" 20 "$(summary .requests.completed)" 400
check_equal "unlimited: unfinished requests" true "$(summary '.requests.queued <= 8')"
check_equal "unlimited: durations are lower bounds" true "$(summary '.session_ms.mean_censored')"
sessions --threads=2 --session-rate=1000 --sessions=8 --session-length=unlimited --null-service=5ms --time=0.5 --warmup-time=0.5
check_equal "unlimited, warm-up: all began before" '[0,0,8]' "$(summary '.sessions | [.begun, .in_progress, .in_progress_from_warm_up]')"

# The sessions of several ranks are those of one: the sum of the requests of 300 sessions depends on the seed only.
law=(--session-rate=2k '--session-length=geometric(4)' '--think=exp(2ms)' --sessions=300 --time=30)
sessions --threads=4 "${law[@]}"
alone=$(summary '[.sessions.begun, .sessions.ended, .requests.completed]')
for count in 2 4; do
    parts=()
    for ((i = 0; i < count; i++)); do
        sessions --threads=4 --node=$i/$count "${law[@]}"
        mv a.json "node$i.json"
        parts+=("node$i.json")
    done
    run "$SYSRATE" merge --json=a.json "${parts[@]}"
    check_equal "$count ranks: the sessions of one process" "$alone" "$(summary '[.sessions.begun, .sessions.ended, .requests.completed]')"
    check_match "$count ranks: in text" '^Sessions:$' "$out"
done

# Scripts: 100 sessions with 3 requests each.
cat >place.lua <<'LUA'
local SESSIONS, LENGTH = 100, 3
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local session, index = sysbench.session, sysbench.session.event_index()
   con:query("SELECT 1")
   if tonumber(sysbench.opt.session_rate) == 0 then
      assert(index == nil and session.number() == nil and not session.is_last())
   else
      assert(index >= 1 and index <= LENGTH and session.number() >= 1 and session.number() <= SESSIONS)
      assert(session.is_last() == (index == LENGTH))
      assert(sysbench.terminals.current() == nil)
      sysbench.tally("index", index)
   end
end
function sysbench.hooks.remarks(stat) return {audits = {{"index", "index", 1, 3}}} end
assert(sysbench.session.event_index() == nil)
LUA
run "$SYSRATE" place.lua --db-driver=null --json=a.json --threads=3 --session-rate=2k --session-length=3 --sessions=100 --time=30 run
check_equal "sysbench.session: exit code" 0 "$status"
check_equal "sysbench.session: mean number in the session" '300 2' "$(summary '.remarks.audits[0] | .count') $(summary '.remarks.audits[0].mean | . + 0')"
run "$SYSRATE" place.lua --db-driver=null --threads=3 --events=100 --tx-rate=1k run
check_equal "sysbench.session without sessions" 0 "$status"

# A session stays with the worker that served its first request, or may go to any worker. With think times of 1 ms and
# three workers, 100 sessions of 5 requests would stay by chance with a probability of 3^−400.
cat >keep.lua <<'LUA'
local mine = {}
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local number, index = sysbench.session.number(), sysbench.session.event_index()
   con:query("SELECT 1")
   if index == 1 then mine[number] = true end
   sysbench.tally("kept", mine[number] and 1 or 0)
end
function sysbench.hooks.remarks(stat) return {audits = {{"kept", "kept", 0, 1}}} end
LUA
for connection in any keep; do
    run "$SYSRATE" keep.lua --db-driver=null --null-service=2ms:exp --json=a.json --threads=3 --session-rate=300 --session-length=5 --think=1ms \
        --sessions=100 --session-connection=$connection --time=60 run
    check_adds_up "--session-connection=$connection"
    check_equal "--session-connection=$connection: all sessions end" '100 500' "$(summary .sessions.ended) $(summary .requests.completed)"
    check_equal "--session-connection=$connection: all requests on one worker" "$([ $connection = keep ] && echo true || echo false)" \
        "$(summary '.remarks.audits[0].mean == 1')"
done
# At the end of the run, sessions that are kept may wait although a worker is free; their requests are unfinished.
sessions --threads=4 --session-rate=1k --session-length=unlimited --null-service=5ms --session-connection=keep --time=0.5
check_adds_up "keep: unfinished requests"
check_equal "keep: queued requests" true "$(summary '.requests.queued > 0')"

# Retried requests: the session goes on.
cat >fails.lua <<'LUA'
local n = 0
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   n = n + 1
   con:query("SELECT 1")
   if n % 3 == 0 then error({errcode = sysbench.error.RESTART_EVENT}) end
end
LUA
run "$SYSRATE" fails.lua --db-driver=null --json=a.json --rand-seed=5 --threads=2 --session-rate=1k --session-length=4 --sessions=50 --time=20 run
check_equal "retried requests: all sessions end" '50 200' "$(summary '.sessions.ended') $(summary .requests.completed)"

# Too many sessions.
sessions --threads=1 --session-rate=1k --null-service=200ms --queue-size=20 --time=20
check_equal "full: exit code" 1 "$status"
check_match "full: message" 'event queue is full' "$err"
check_equal "full: sessions add up" true "$(summary '.sessions | .begun == .ended + .in_progress and .begun > 20')"

echo 1 >trace
for case in "--tx-rate=5|--session-rate and an arrival rate (--tx-rate) exclude each other" \
    "--pacing=terminals|--session-rate and --pacing=terminals exclude each other" \
    "--arrival-trace=trace|--session-rate and --arrival-trace exclude each other" \
    "--queue-full=drop|--session-rate and --queue-full=drop exclude each other"; do
    sessions --session-rate=5 "${case%%|*}"
    check_equal "${case%%=*}: exit code" 1 "$status"
    check_equal "${case%%=*}: refused with one line" "FATAL: ${case#*|}" "$err"
done
for option in --session-length=5 --think=1s --sessions=5 --session-connection=keep; do
    sessions "$option"
    check_equal "$option alone" "1 FATAL: ${option%%=*} needs sessions, which arrive at --session-rate" "$status $err"
done
finish
