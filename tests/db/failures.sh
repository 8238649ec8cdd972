# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests runs whose server does not exist, refuses connections, dies, restarts, closes connections or freezes. Sourced by
# failures_mysql.sh, failures_pgsql.sh and failures_mongodb.sh, which call `test_failures mysql` and so on.

. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

# Each describe_SERVER sets options and expected messages of a server: options that connect by TCP, an error of each kind, and
# options that ignore connection errors. The following are the workload, one of its tables, and its options.
test=oltp_point_select
table=sbtest1
test_options=(--table-size=1000)
# Requests per second while the server is frozen; low enough that the server finishes the backlog soon.
frozen_rate=500

describe_mysql() {
    server_options mysql
    tcp=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${server_port[mysql]}" --mysql-password=secret)
    refused=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$(free_port)")
    refused_message="host '127\.0\.0\.1', port [0-9]+: Can't connect to .*server on '127\.0\.0\.1[':]"
    wrong_password=(--mysql-password=wrong)
    wrong_password_message="Access denied for user 'sbtest'"
    wrong_database=(--mysql-db=nosuch)
    wrong_database_message="(Unknown|Access denied .*) database 'nosuch'"
    missing_table_message="mysql driver: error 1146, state 42S02 \(Table 'sbtest\.sbtest1' doesn't exist\) for query 'SELECT c FROM sbtest1 WHERE id=\?'"
    lost_message="mysql driver: the connection is lost: error (2006|2013|1053|1927), state [0-9A-Z]+ \(.*\)\. In a run, workers reconnect if (2006|2013|1053|1927) is in --mysql-ignore-errors\."
    patient=(--mysql-ignore-errors=1213,2013)
}

describe_pgsql() {
    server_options pgsql
    tcp=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="${server_port[pgsql]}" --pgsql-password=secret)
    refused=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$(free_port)")
    refused_message='connection to server at "127\.0\.0\.1", port [0-9]+ failed: Connection refused'
    wrong_password=(--pgsql-password=wrong)
    wrong_password_message='password authentication failed for user "sbtest"'
    wrong_database=(--pgsql-db=nosuch)
    wrong_database_message='database "nosuch" does not exist'
    missing_table_message="pgsql driver: error 42P01 \(relation \"sbtest1\" does not exist\) for query 'SELECT c FROM sbtest1 WHERE id=\?'"
    lost_message="pgsql driver: the connection is lost: error (57P0[12]|08006) \(.*\)\. In a run, workers reconnect if (57P0[12]|08006) is in --pgsql-ignore-errors\."
    patient=(--pgsql-ignore-errors=40001,08006)
}

# MongoDB has no message for a missing table, because a command on a missing collection is not an error.
describe_mongodb() {
    test=oltp_json
    frozen_rate=200 # in Python
    table=jsondoc1
    # No inserts and deletes, because the fake server loses them when it is killed.
    test_options=(--table-size=1000 --inserts=0 --deletes=0)
    server_options mongodb
    tcp=("${connect[@]}")
    refused=(--db-driver=mongodb --mongodb-host=127.0.0.1 --mongodb-port="$(free_port)")
    refused_message="No suitable servers found .*connection refused calling hello on '127\.0\.0\.1:[0-9]+'"
    wrong_password=(--mongodb-password=wrong)
    wrong_password_message='Authentication failed'
    wrong_database=()
    missing_table_message=
    lost_message="mongodb driver: the connection is lost: error (6|9001) \(.*\)\. In a run, workers reconnect if (6|9001) is in --mongodb-ignore-errors\."
    patient=(--mongodb-ignore-errors=112,9001)
}

# Print the ids of the load's connections; kill_SERVER ends one of them as an administrator would.
connections_mysql() {
    mysql_sql "SELECT id FROM information_schema.processlist WHERE user = 'sbtest' ORDER BY id"
}

connections_pgsql() {
    pgsql_sql "SELECT pid FROM pg_stat_activity WHERE usename = 'sbtest' ORDER BY pid"
}

connections_mongodb() {
    "$SYSRATE" "${connect[@]}" --verbosity=0 "$TESTS_DIR/db/fakes/fake_connections.lua"
}

kill_mysql() { mysql_sql "KILL $1"; }

kill_pgsql() { pgsql_sql "SELECT pg_terminate_backend($1)" >/dev/null; }

kill_mongodb() {
    FAKE_KILL=$1 "$SYSRATE" "${connect[@]}" --verbosity=0 "$TESTS_DIR/db/fakes/fake_connections.lua"
}

# kill_one SERVER: ends a connection of the load and sets $killed to its id.
kill_one() {
    killed=$("connections_$1" | head -n 1)
    "kill_$1" "$killed"
}

# replaced SERVER: true if the load has eight connections and the killed one is not among them.
replaced() {
    local ids
    ids=$("connections_$1")
    [ "$(printf '%s\n' "$ids" | wc -l)" -eq 8 ] && ! printf '%s\n' "$ids" | grep -Fxq "$killed"
}

now() { date +%s.%N; }

# calculate EXPRESSION: prints the value of an expression with decimals
calculate() { awk "BEGIN { print $1 }"; }

# start SECONDS OPTION...: starts a run in the background, which is killed 30 s after its time; returns when its threads run.
start() {
    seconds=$1
    shift
    rm -f a.json run.out finish ended
    note_standstills >standstills &
    notes_pid=$!
    {
        timeout --kill-after=1 $((seconds + 30)) "$SYSRATE" ./until.lua "${connect[@]}" "${test_options[@]}" --threads=8 \
            --time="$seconds" --report-interval=1 --json=a.json "$@" run >run.out 2>run.err
        code=$?
        now >ended
        exit "$code"
    } &
    run_pid=$!
    wait_for 60 grep -qs '^Threads started!' run.out
    began=$(now)
}

# wait_for_run NAME [drain]: waits for the end of the run; sets status, out, err; checks its duration and the sum of its requests. A run that
# drains its queue may take longer than asked for, but it must end soon after the last request.
wait_for_run() {
    wait "$run_pid"
    status=$?
    kill "$notes_pid"
    wait "$notes_pid" 2>/dev/null
    took=$(calculate "$(cat ended) - $began")
    out=$(cat run.out)
    err=$(settled run.err)
    [ "${2:-}" != drain ] || seconds=$(json_figure .summary.elapsed_s)
    # The lower bound is negative, because a run that fails at once may end before its start is noticed.
    check_between "$1: ends on time" -60 "$took" "$(awk -v most="$(calculate "$seconds + 2")" '{ most += $1 - 0.1 } END { print most }' standstills)"
    check_equal "$1: requests add up" true "$(json_figure '.summary.requests |
        .offered == .completed + .failed + .dropped + .unfinished')"
}

check_start_failures() {
    run "$SYSRATE" $test "${refused[@]}" --threads=8 --time=2 run
    check_equal "$1, refused: exit code" 1 "$status"
    check_match "$1, refused: message" "^FATAL: unable to connect with the $1 driver: $refused_message" "$err"
    check_equal "$1, refused: said once" 1 "$(printf '%s\n' "$err" | grep -c 'unable to connect')"
    check_equal "$1, refused: what to do, and no more" 2 "$(printf '%s\n' "$err" | wc -l)"
    run "$SYSRATE" $test "${tcp[@]}" "${wrong_password[@]}" --threads=3 --time=2 run
    check_equal "$1, wrong password: exit code" 1 "$status"
    check_match "$1, wrong password: message" "unable to connect with the $1 driver: .*$wrong_password_message" "$err"
    check_equal "$1, wrong password: the reason stands once" 1 "$(printf '%s\n' "$err" | grep -Ec "$wrong_password_message")"
    check_no_match "$1, wrong password: is not shown" '=wrong' "$both"
    [ ${#wrong_database[@]} -gt 0 ] || return
    run "$SYSRATE" $test "${connect[@]}" "${wrong_database[@]}" --time=2 run
    check_equal "$1, unknown database: exit code" 1 "$status"
    check_match "$1, unknown database: message" "unable to connect with the $1 driver: .*$wrong_database_message" "$err"
}

check_missing_table() {
    run "$SYSRATE" $test "${connect[@]}" --threads=8 --time=2 run
    check_equal "$1, missing table: exit code" 1 "$status"
    check_equal "$1, missing table: message" "FATAL: table $table does not exist
Prepare first: sysrate $test prepare (with the same options)" "$err"
    check_no_match "$1, missing table: the run does not begin" '^(Threads started|.*events:)' "$out"
    [ -n "$missing_table_message" ] || return
    run "$SYSRATE" $test "${connect[@]}" --threads=8 --time=2 --check-tables=off run
    check_equal "$1, missing table, found by a statement: exit code" 1 "$status"
    check_match "$1, missing table, found by a statement: message" "^FATAL: $missing_table_message$" "$err"
    check_match "$1, missing table, found by a statement: what to do" '^Prepare first: ' "$err"
    check_no_match "$1, missing table, found by a statement: no report of nothing" 'events:' "$out"
}

# Only MySQL: PostgreSQL returns the results of all statements of a text or of none.
check_further_result() {
    [ "$1" = mysql ] || return
    cat >further.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT 1; SELECT * FROM nosuch", "two in one")
   con:next_result()
end
LUA
    run "$SYSRATE" further.lua "${connect[@]}" --events=1 --report-sql --json=a.json run
    check_equal "$1, a further result fails: exit code" 1 "$status"
    check_match "$1, a further result fails: message" "error 1146, state 42S02 .* for query '\(a further result\)'$" "$err"
    check_equal "$1, a further result fails: errors by code" '["two in one",1146,1,0]' \
        "$(jq -c '.summary.errors[] | [.class, .code, .count, .ignored]' a.json)"
}

check_killed() {
    start 20
    sleep 1.2
    stop_server KILL "$1"
    wait_for_run "$1, killed"
    check_equal "$1, killed: exit code" 1 "$status"
    check_between "$1, killed: ends then" 1 "$(json_figure .summary.elapsed_s)" 15
    check_equal "$1, killed: one message" 1 "$(printf '%s\n' "$err" | grep -Ec "^FATAL: $lost_message")"
    check_match "$1, killed: report" '^ +total number of events: +[1-9]' "$out"
    check_equal "$1, killed: JSON says why" error "$(json_figure .summary.end)"
    check_equal "$1, killed: nothing was ignored" "0 0" \
        "$(json_figure '"\([.summary.errors[].ignored] | add) \(.summary.counters.reconnects)"')"
    check_between "$1, killed: no worker had more than one error" 1 "$(json_figure .summary.counters.errors)" 8
    start_server "$1"
}

# If connection errors are ignored, workers reconnect soon after the server has restarted, no matter how long this takes.
check_restarted() {
    start 100 "${patient[@]}" --tx-rate=500 --events=3500 --time=0
    sleep 1.5
    stop_server KILL "$1"
    sleep 3
    start_server "$1"
    wait_for_run "$1, restarted"
    check_equal "$1, restarted: exit code" 0 "$status"
    check_equal "$1, restarted: no message" "" "$err"
    check_equal "$1, restarted: each worker came back" 8 "$(json_figure .summary.counters.reconnects)"
    check_between "$1, restarted: each had an error" 8 "$(json_figure .summary.counters.errors)" 16
    # Lower bound: 8 workers for 3 s, less the time until they noticed. Upper bound: 8 workers from 1.5 s on, less 0.1 s.
    check_between "$1, restarted: time without connection" 20 "$(json_figure '.summary.counters.down_ns / 1e9')" \
        "$(json_figure '8 * (.summary.elapsed_s - 1.4)')"
    check_match "$1, restarted: intervals tell it" '^\[ [0-9.]+s \] without connection: [1-9][0-9]*\.[0-9]+ s' "$out"
    check_equal "$1, restarted: most of an interval, for most of the workers" true "$(json_figure \
        '[.intervals[] | .counters.down_ns / 1e9 > 5 * (.to_s - .from_s)] | any')"
    check_equal "$1, restarted: intervals add up" true "$(json_figure \
        '([.intervals[].counters.down_ns] | add) == .summary.counters.down_ns')"
    check_equal "$1, restarted: nothing failed, all were served" "0 3500" \
        "$(json_figure '.summary.requests | "\(.failed) \(.completed)"')"
    check_between "$1, restarted: and their wait is in the figures" 2800 "$(json_figure .summary.response_ms.max)" \
        "$(json_figure '1000 * (.summary.elapsed_s - 1.4)')"
}

# The server is still down when the time of the run is over: the run does not wait for it.
check_gone() {
    start 8 "${patient[@]}"
    sleep 1
    stop_server KILL "$1"
    wait_for_run "$1, gone"
    check_equal "$1, gone: exit code" 0 "$status"
    check_equal "$1, gone: what was in service failed" 8 "$(json_figure .summary.requests.failed)"
    check_equal "$1, gone: no reconnects" 0 "$(json_figure .summary.counters.reconnects)"
    start_server "$1"
}

check_frozen_for_a_while() {
    start 8 --tx-rate=$frozen_rate --drain=60
    sleep 2
    local before stopped resumed shortest longest
    before=$(now)
    signal_server STOP "$1"
    stopped=$(now)
    sleep 5
    resumed=$(now)
    signal_server CONT "$1"
    longest=$(calculate "$(now) - $before")
    shortest=$(calculate "$resumed - $stopped")
    wait_for_run "$1, frozen 5 s" drain
    check_equal "$1, frozen 5 s: exit code" 0 "$status"
    check_between "$1, frozen 5 s: the longest response" "$(calculate "1000 * $shortest - 300")" \
        "$(json_figure .summary.response_ms.max)" "$(calculate "1000 * $longest + 3000")"
    # Lower bound: if the server is frozen for S of 8 seconds, S/8 of the requests arrive in this time and take S/2 on average, which makes
    # S²/16; less 15 % for chance, which is 4.5 times 1/√1000. Upper bound: slow requests take half of the longest response on average;
    # plus 30 % for the time needed to work off the backlog.
    check_between "$1, frozen 5 s: mean response" "$(calculate "0.85 * 1000 * $shortest^2 / 16")" "$(json_figure .summary.response_ms.mean)" \
        "$(json_figure '.summary | .response_ms.max * ([.histogram.response[] | select(.[0] > 20e6) | .[1]] | add) / .requests.offered * 0.65')"
    check_equal "$1, frozen 5 s: no errors" 0 "$(json_figure .summary.counters.errors)"
}

# The server freezes and does not recover: --forced-shutdown ends the run.
check_frozen() {
    start 8 --forced-shutdown=1 # long enough that a busy machine freezes the server in time
    sleep 0.5
    signal_server STOP "$1"
    wait_for_run "$1, frozen"
    signal_server CONT "$1"
    check_equal "$1, frozen: exit code" 2 "$status"
    check_match "$1, frozen: message" '^FATAL: The --time limit has expired, forcing shutdown\.\.\.$' "$err"
    check_equal "$1, frozen: what is in service is unfinished" 8 "$(json_figure .summary.requests.in_service)"
}

check_killed_connections() {
    start 100 "${patient[@]}" --tx-rate=200
    sleep 0.5
    local i killed
    for i in 1 2 3 4; do
        kill_one "$1"
        check "$1, connection $i killed: another takes its place" wait_for 20 replaced "$1"
    done
    touch finish
    wait_for_run "$1, connections killed"
    check_equal "$1, connections killed: exit code" 0 "$status"
    check_equal "$1, connections killed: each came back" 4 "$(json_figure .summary.counters.reconnects)"
    check_equal "$1, connections killed: an error each" 4 "$(json_figure .summary.counters.errors)"
    check_equal "$1, connections killed: no request failed" "0 0" \
        "$(json_figure '.summary.requests | "\(.failed) \(.dropped)"')"
    start 60
    kill_one "$1"
    wait_for_run "$1, a connection killed"
    check_equal "$1, a connection killed: exit code" 1 "$status"
    check_match "$1, a connection killed: message" "^FATAL: $lost_message" "$err"
}

test_failures() {
    start_servers "$1"
    "describe_$1"
    # The workload, which ends when a file "finish" exists.
    sed "s/TEST/$test/" >until.lua <<'LUA'
require("TEST")
local one_event = event

function event()
   one_event()
   local file = io.open("finish")
   if file then
      file:close()
      return true
   end
end
LUA
    check_start_failures "$1"
    check_missing_table "$1"
    check_further_result "$1"
    run "$SYSRATE" $test "${connect[@]}" "${test_options[@]}" prepare
    check_equal "$1: prepare" 0 "$status"
    check_killed_connections "$1"
    check_killed "$1"
    check_restarted "$1"
    check_gone "$1"
    check_frozen_for_a_while "$1"
    check_frozen "$1"
    finish
}
