#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests --wait-events on our own server with MongoDB's protocol. Its command fakeLock waits for a lock, as $currentOp says.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "wait events of MongoDB"

json() {
    jq -c "$1" report.json
}

# Of each event, 40 ms are in the lock; the rest is in the script, that is 40 ms in which the server waits for the client.
cat >lock.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
end
function event()
   con:query('{"fakeLock": 40}')
   sysbench.sleep(0.04)
end
LUA
sampled() {
    run "$SYSRATE" ./lock.lua "${connect[@]}" --threads=4 --tx-rate=20 --time=6 --wait-events=50 --json=report.json --report=full run
}
share() { json "[.wait_events.events[] | select(.event == \"$1\") | .all.percent] | add // 0"; }

# A busy machine makes the parts of the client longer, and not those of the server.
start_fake_mongodb
mongodb_options
steadily sampled
check_equal "exit code" 0 "$status"
check_between "the share of the lock (percent)" 25 "$(share Lock:Collection)" 60
check_between "the server waits for the client (percent)" 25 "$(share 'waiting for the client')" 75
check_equal "the lock is on a collection, and the server does not say who blocks it" '[{"table":"sbtest.sbtest1","blocker":"unknown"}]' \
    "$(json '[.wait_events.events[] | select(.event == "Lock:Collection") | .blocked_by[] | {table, blocker}]')"
check_no_match "no warning" '^WARNING: --wait-events' "$err"
stop_mongodb

# A user who sees only its own operations.
start_fake_mongodb --own-operations
mongodb_options
steadily sampled
check_equal "own operations: exit code" 0 "$status"
check_between "own operations: the share of the lock (percent)" 25 "$(share Lock:Collection)" 60
check_equal "own operations: one warning says what to grant" 1 "$(grep -c '^WARNING: --wait-events: .*grant the role clusterMonitor' <<<"$err")"
finish
