# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --wait-events without a database: the null driver gives labels to the phases of its statements, so the answer is known.
# tests/db/wait_events.sh does the same with servers.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

cat >select.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("SELECT 1")
end
LUA

# percent EVENT COLUMN: the share of an event in the time of the two phases, in percent.
percent() {
    json_figure "([.wait_events.events[] | select(.event == \"$1\") | .$2.percent] | add) /
        ([.wait_events.events[] | select(.event == \"IO\" or .event == \"Lock:row\") | .$2.percent] | add) * 100"
}
error() { json_figure "[.wait_events.events[] | select(.event == \"$1\") | .$2.error] | .[0]"; }

# Each request takes 20 ms on average for "IO", and one of ten another 180 ms for "Lock:row": 10/19 and 9/19 of the time. The error is
# half of a 95 % interval, that is 1.96 standard deviations at least; a deviation of twice the error occurs once in 10 000 runs. The
# phases are long, so that it does not matter whether a busy machine wakes the workers some milliseconds late.
steadily run "$SYSRATE" select.lua --db-driver=null --null-waits=IO=20ms:exp,Lock:row=180ms:exp@10 --threads=32 --tx-rate=80 --time=8 \
    --wait-events=50 --rand-seed=7 --json=a.json --csv=a.csv --report-interval=1 --inject='3s: sh: sleep 2' --report=full run
check_equal "exit code" 0 "$status"
check "IO has 52.6 % of the time ($(percent IO all) ± $(error IO all))" awk \
    "BEGIN { d = $(percent IO all) - 52.63; exit !(d < 2 * $(error IO all) && -d < 2 * $(error IO all)) }"
check "above p95, the lock has most of the time ($(percent Lock:row p95))" awk "BEGIN { exit !($(percent Lock:row p95) > 60) }"
# jq 1.7 prints 50.0 unchanged, but the result of an addition as 50.
check_equal "samples per second that were asked for" 50 "$(json_figure '.wait_events.asked_per_s + 0')"
check_equal "columns add up to 100 %" true "$(json_figure '.wait_events as $w | [$w.requests | to_entries[] |
    select(.value.divided) | .key as $c | .value.client_late_percent + .value.waiting_percent +
    ([$w.events[][$c].percent] | add) | . > 99.9 and . < 100.1] | length > 0 and all')"
check_match "the table" '^What requests waited for \(share of the response time; [0-9]+ samples, [0-9]+ of requests above p99\):' "$out"
check_match "a row" '^    Lock:row +[0-9.]+ % ± [0-9.]+ +[0-9.]+ % ± [0-9.]+' "$out"
# On a busy machine, "client did not run" may have most of the time.
check_match "the waits of the injection" '^    waits \([0-9]+ samples\): .*(IO|Lock:row) [0-9]+ %' "$out"

# table TEXT: the section of a report.
table() { printf '%s\n' "$1" | sed -n '/^What requests waited for/,/^$/p'; }
first=$(table "$out")
check_no_match "no line ends in blanks" ' $' "$first"
run "$SYSRATE" report a.json
check_equal "report prints the same table" "$first" "$(table "$out")"

# The shares of an interval add up to 100 %. Over all intervals, the part of IO in the service is again 10/19; its error, 8 % at most, is
# half of a 95 % interval, so a deviation of twice the error occurs once in 10 000 runs.
check_equal "intervals add up to 100 %" true "$(json_figure '[.intervals[].wait_events | .client_late_percent + .waiting_percent +
    .undivided_percent + ([.events[]] | add // 0) | . > 99.9 and . < 100.1] | length >= 6 and all')"
check_equal "kinds of waits add up to the events" true "$(json_figure '[.intervals[].wait_events | ([.events[]] | add // 0) -
    .cpu_percent - .locks_percent - .io_percent - .client_percent - .silent_percent - .other_percent | . > -0.01 and . < 0.01] | all')"
check_equal "intervals have all samples" true "$(json_figure '([.intervals[].wait_events.samples] | add) >= .wait_events.samples')"
io=$(json_figure '[.intervals[] | .busy_mean as $busy | .wait_events.events | [$busy * (.IO // 0), $busy * (.["Lock:row"] // 0)]] |
    transpose | map(add) | .[0] / (.[0] + .[1]) * 100')
check_between "intervals: the part of IO" 36 "${io%.*}" 69
check_equal "CSV has the same" "$(json_figure '[.intervals[].wait_events.locks_percent * 1000 | round | tostring] | join(" ")')" "$(python3 -c '
import csv
with open("a.csv", newline="") as file:
    print(*(round(float(row["wait_events_locks_percent"]) * 1000) for row in csv.DictReader(file, strict=True)))')"
check_equal "injection: shares of its span" true "$(json_figure '.injections[0].wait_events | .samples >= 30 and
    ([.events[]] | add | . > 99.9 and . < 100.1) and (.events.IO // 0) + (.events["Lock:row"] // 0) > 5')"

# Without an arrival rate, the workers are busy all the time.
steadily run "$SYSRATE" select.lua --db-driver=null --null-waits=IO=20ms:exp --threads=4 --time=2 --wait-events=50 --json=b.json \
    --report-interval=0.5 run
check_equal "closed loop: exit code" 0 "$status"
check_equal "closed loop: intervals add up to 100 %" true "$(jq '[.intervals[].wait_events | .undivided_percent + ([.events[]] | add // 0) |
    . > 99.9 and . < 100.1] | length >= 4 and all' b.json)"

# Requests wait for a worker: 40 requests of 20 ms per second for one worker.
run "$SYSRATE" select.lua --db-driver=null --null-waits=IO=20ms --threads=1 --tx-rate=40 --time=4 --wait-events --rand-seed=7 --json=a.json run
check "requests wait for a worker ($(json_figure .wait_events.requests.all.waiting_percent) %)" awk \
    "BEGIN { exit !($(json_figure .wait_events.requests.all.waiting_percent) > 20) }"

# A frozen client: the requests that arrive in 1.5 s wait for the client, not for workers and not for the server.
frozen_client() {
    "$SYSRATE" select.lua --db-driver=null --null-waits=IO=1ms --threads=8 --tx-rate=100 --time=5 --wait-events --rand-seed=7 --json=a.json \
        --report-interval=0.5 run >run.out 2>run.err &
    pid=$!
    sleep 2
    kill -STOP $pid
    sleep 1.5
    kill -CONT $pid
    wait $pid
    late=$(json_figure .wait_events.requests.p95.client_late_percent)
}
# The program must get a processor soon after the freeze, or its workers are late, too.
try_until '[ "${late%.*}" -gt 80 ]' frozen_client
check "a frozen client is late ($late % above p95)" awk "BEGIN { exit !($late > 80) }"
late=$(json_figure '[.intervals[] | .seconds as $s | .in_system.mean * $s * .wait_events.client_late_percent] | add')
waited=$(json_figure '[.intervals[] | .seconds as $s | .in_system.mean * $s * .wait_events.waiting_percent] | add')
check "intervals: the client was late ($late), not the workers ($waited)" awk "BEGIN { exit !($late > 5 * $waited) }"
check_match "the cause" '^    p99 is client late: [0-9]+ % of the time of requests above p99' "$(cat run.out)"

# If there are too few samples, the report has no shares but the length of a run that suffices.
run "$SYSRATE" select.lua --db-driver=null --null-waits=IO=1ms --threads=1 --tx-rate=20 --time=1 --wait-events --json=a.json --report=full run
check_equal "too few samples: exit code" 0 "$status"
check_equal "too few samples: nothing is divided" false "$(json_figure .wait_events.requests.p99.divided)"
check_equal "too few samples: a longer run would do" true "$(json_figure '.wait_events.requests.p99.enough_s > 1')"
check_match "too few samples: the text says so" '^    Above p99, [0-9]+ samples .* too few \(30 samples of 5 requests are needed\): a run of [0-9]+ s would' "$out"

# In a closed loop there is no time before the service.
run "$SYSRATE" select.lua --db-driver=null --null-waits=IO=5ms --threads=4 --time=2 --wait-events=50 --json=a.json run
check_equal "closed loop: all of the time is service" 100 "$(json_figure '.wait_events.requests.all.service_percent + 0')"
check_equal "closed loop: the server did nothing else" IO "$(json_figure '[.wait_events.events[].event |
    select(IN("waiting for the client", "client did not run") | not)] | join(" ")')"

# SQLite: another program locks the file for 2 s, three times. Of the 400 requests of 8 s some 300 wait for the lock, for a second on
# average, so the 20 requests above p95 do little else.
cat >hold.py <<'PY'
import sqlite3, time
connection = sqlite3.connect("a.db", isolation_level=None, timeout=60)
for _ in range(3):
    connection.execute("BEGIN IMMEDIATE")
    time.sleep(2)
    connection.execute("ROLLBACK")
    time.sleep(0.3)
PY
cat >update.lua <<'LUA'
function prepare() sysbench.sql.driver():connect():query("CREATE TABLE t (id INTEGER PRIMARY KEY, n INT)") end
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("INSERT INTO t (n) VALUES (1)") end
LUA
sqlite=(--db-driver=sqlite --sqlite-db=a.db --sqlite-synchronous=off)
"$SYSRATE" update.lua "${sqlite[@]}" prepare >/dev/null
run "$SYSRATE" update.lua "${sqlite[@]}" --threads=100 --tx-rate=50 --time=8 --wait-events=20 --json=a.json \
    --inject='0.5s: sh: python3 hold.py' run
check_equal "SQLite: exit code" 0 "$status"
check_match "SQLite: the row" '^    Lock:database +[0-9]' "$out"
# A busy machine makes only the time of the client longer.
check_between "SQLite: most of the time of the database above p95" 90 "$(json_figure '100 * .wait_events.locks.p95.percent /
    ([.wait_events.events[] | select(.event | IN("Lock:database", "on CPU")) | .p95.percent] | add)')" 101

# The driver measures the waits itself: a single request that waits for the rest of 2 s is known without samples.
cat >hold_once.py <<'PY'
import sqlite3, time
connection = sqlite3.connect("a.db", isolation_level=None, timeout=60)
connection.execute("BEGIN IMMEDIATE")
open("held", "w").close()
time.sleep(2)
connection.execute("ROLLBACK")
PY
one_request() {
    rm -f held
    python3 hold_once.py &
    local holder=$!
    wait_for 30 test -e held
    run "$SYSRATE" update.lua "${sqlite[@]}" --threads=1 --events=1 --wait-events=1 --json=a.json run
    wait $holder
}
steadily one_request
check_equal "SQLite, one request: exit code" 0 "$status"
locked='.wait_events.events[] | select(.event == "Lock:database")'
check_equal "SQLite, one request: there are too few samples" false "$(json_figure .wait_events.requests.p99.divided)"
check_equal "SQLite, one request: the wait is exact" true "$(json_figure "$locked | .exact and .p99.error == 0")"
# Everything but the waits takes milliseconds, on a busy machine perhaps 0.2 s.
check_between "SQLite, one request: nearly all of its time" 80 "$(json_figure "$locked | .p99.percent")" 100
check_match "SQLite, one request: the text has no error" '^    Lock:database( +[0-9]+\.[0-9] %){3}$' "$out"
check_equal "SQLite, one request: the cause" "lock waits" "$(json_figure .wait_events.cause.event)"

# Without the option there is no section. If nothing can be sampled, one line says so.
run "$SYSRATE" select.lua --db-driver=null --events=10 --json=a.json run
check_equal "not asked for" null "$(json_figure .wait_events)"
run "$SYSRATE" cpu --events=1 --wait-events run
check_equal "no database: exit code" 0 "$status"
check_match "no database" '^WARNING: --wait-events has no effect: the test uses no database$' "$err"
for value in x IO=1 IO=1ms, IO=1ms@101 =1ms; do
    run "$SYSRATE" select.lua --db-driver=null --null-waits=$value run
    check_equal "--null-waits=$value: exit code" 1 "$status"
    check_match "--null-waits=$value" "^FATAL: invalid value for --null-waits: '$value' \\(allowed: up to 16 of LABEL=TIME, " "$err"
done
# Each rank takes its part of the samples. Merging adds them, and the columns still add up to the response time.
both_ranks() {
    local rank pids=()
    rm -f rank?.json
    for rank in 0 1; do
        "$SYSRATE" select.lua --db-driver=null --null-waits=IO=5ms,Lock:row=20ms@30 --rand-seed=1 --threads=4 --tx-rate=100 --time=3 \
            --node=$rank/2 --wait-events=100 --slowest=3 --report-interval=1 --json=rank$rank.json run >/dev/null 2>&1 &
        pids+=($!)
    done
    wait "${pids[@]}"
}
steadily both_ranks
run "$SYSRATE" merge rank0.json rank1.json --json=a.json
check_equal "ranks: merge" 0 "$status"
check_equal "ranks: each takes half of the samples per second" "50 50 100" \
    "$(jq -r '.wait_events.asked_per_s * 1' rank0.json rank1.json a.json | xargs)"
for figure in samples statements near_edge requests.all.requests; do
    check_equal "ranks: $figure" "$(jq -s "map(.wait_events.$figure) | add" rank0.json rank1.json)" "$(json_figure ".wait_events.$figure")"
done
check_equal "ranks: samples of each interval" "$(jq -s '[.[].intervals[0:3] | map(.wait_events.samples)] | transpose | map(add) | tostring' rank0.json rank1.json)" \
    "$(jq '.intervals[0:3] | map(.wait_events.samples) | tostring' a.json)"
check_equal "ranks: intervals add up to 100 %" true "$(json_figure '[.intervals[0:3][].wait_events | .client_late_percent + .waiting_percent +
    .undivided_percent + ([.events[]] | add // 0) | . > 99.9 and . < 100.1] | length == 3 and all')"
check_equal "ranks: all times are there" true \
    "$(json_figure '.wait_events | (.requests.all | .client_late_percent + .waiting_percent) + (.events | map(.all.percent) | add) | . > 99.9 and . < 100.1')"
check_equal "ranks: the slowest requests of both" "$(jq -s '[.[].slowest.requests[].response_ms] | sort | reverse | .[:3] | map(. * 1e6 | round)' -c rank?.json)" \
    "$(json_figure '[.slowest.requests[].response_ms * 1e6 | round] | tojson')"
check_equal "ranks: their waits are named" "$(jq -s '[.[].slowest.requests[]] | sort_by(-.response_ms) | .[:3] | map([.waits[].event])' -c rank?.json)" \
    "$(json_figure '[.slowest.requests[] | [.waits[].event]] | tojson')"
check_equal "ranks: workers have the numbers of the whole run" true "$(jq '[.slowest | .requests[], .others[] | .worker | . >= 2 and . <= 3] | all' rank1.json)"

finish
