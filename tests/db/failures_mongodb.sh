#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests failures that are specific to MongoDB, then those of failures.sh, on our own server with MongoDB's protocol.

. "$TESTS_DIR/db/failures.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "failures of MongoDB servers"

# There are more workers than the server accepts connections; it closes the surplus connections.
start_fake_mongodb --connections=5
mongodb_options
run "$SYSRATE" oltp_json "${connect[@]}" --table_size=100 prepare
check_equal "prepare" 0 "$status"
run "$SYSRATE" oltp_json "${connect[@]}" --table_size=100 --threads=8 --time=2 run
check_equal "out of connections: exit code" 1 "$status"
check_match "out of connections: message" \
    '^FATAL: unable to connect with the mongodb driver: No suitable servers found .*(connection closed|socket error)' "$err"
check_match "out of connections: how many" '^FATAL: [0-7] of 8 connections were opened; the last error: ' "$err"

# Write conflicts restart the event; other errors end the run.
cat >conflict.lua <<'LUA'
function event()
   con = con or sysbench.sql.driver():connect()
   con:query('{"insert": "c", "documents": [{"_id": ' .. sysbench.rand.unique() .. '}]}')
end
LUA
mongodb_lua 'con:query([[{"fakeFail": 112, "times": 3}]])' >/dev/null
run "$SYSRATE" conflict.lua "${connect[@]}" --events=20 --time=20 --json=a.json run
check_equal "write conflicts start the event again" "0 20 112 3 3" \
    "$status $(json_figure '.summary | "\(.counters.events) \(.errors[] | "\(.code) \(.count) \(.ignored)")"')"
check_match "write conflicts: named" 'WriteConflict: as it was told' "$out"
mongodb_lua 'con:query([[{"fakeFail": 91, "times": 1}]])' >/dev/null
run "$SYSRATE" conflict.lua "${connect[@]}" --events=20 --time=20 run
check_match "a server that shuts down is lost" '^FATAL: mongodb driver: the connection is lost: error 91 \(' "$err"
mongodb_lua 'con:query([[{"fakeFail": 10107, "times": 1}]])' >/dev/null
run "$SYSRATE" conflict.lua "${connect[@]}" --mongodb-ignore-errors=9001 --events=20 --time=20 --json=a.json run
check_equal "a server that is no primary any more: the worker looks for it again" "0 20 1" \
    "$status $(json_figure '.summary.counters | "\(.events) \(.reconnects)"')"

# If an idle connection is closed, it is reported as lost: the library does not reopen it silently.
cat >idle.lua <<'LUA'
function event()
   con = con or sysbench.sql.driver():connect()
   con:query('{"ping": 1}')
   if not pcall(con.query, con, '{"nosuch": 1}') then os.execute("touch idle; sleep 2.5") end
end
LUA
timeout 30 "$SYSRATE" idle.lua "${connect[@]}" --mongodb-ignore-errors=9001 --events=2 --time=20 --json=a.json run >run.out 2>run.err &
run_pid=$!
wait_for 20 test -e idle
kill_mongodb "$(connections_mongodb | head -n 1)"
wait $run_pid
check_equal "a connection that was closed while it was idle" "0 1 1" \
    "$? $(json_figure '"\(.summary.counters.reconnects) \([.summary.errors[] | select(.code == 9001) | .count] | add)"')"
stop_mongodb

# The server accepts connections but never answers.
start_fake_mongodb --silent
mongodb_options
run "$SYSRATE" oltp_json "${connect[@]}" --thread-init-timeout=1.5 prepare
check_equal "silent: prepare fails" 1 "$status"
check_match "silent: it says why" "^FATAL: unable to connect with the mongodb driver: .*socket timeout calling hello on '127\.0\.0\.1:" "$err"
stop_mongodb

# The server freezes: after the answer timeout the connection counts as lost.
start_fake_mongodb
mongodb_options
run "$SYSRATE" oltp_json "${connect[@]}" --table_size=100 prepare
other_port=$mongodb_port
frozen_pid=$mongodb_pid
start_fake_mongodb
mongodb_options
run "$SYSRATE" oltp_json "${connect[@]}" --table_size=100 prepare
timeout 60 "$SYSRATE" oltp_json --db-driver=mongodb --mongodb-host=127.0.0.1 --mongodb-port="$other_port,$mongodb_port" --table_size=100 \
    --threads=4 --tx-rate=200 --time=10 --failover --failover-timeout=3 --json=a.json run >run.out 2>run.err &
run_pid=$!
wait_for 20 grep -qs '^Threads started!' run.out
sleep 1
kill -s STOP "$frozen_pid"
wait $run_pid
check_equal "failover from a frozen server: exit code" 0 $?
kill -s KILL "$frozen_pid"
check_match "failover from a frozen server: said once" "^WARNING: 127\.0\.0\.1:$other_port is gone: connections go to the next host: " "$(cat run.err)"
check_equal "failover from a frozen server: workers go over" "2 true" "$(json_figure \
    '"\(.summary.counters.reconnects) \(.summary.requests | .offered == .completed + .failed + .dropped + .unfinished)"')"
stop_mongodb

test_failures mongodb
