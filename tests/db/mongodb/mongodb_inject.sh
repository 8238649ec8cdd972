#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests --inject on our own server with MongoDB's protocol: commands during a load, a hanging command that is killed on the server, a
# server that dies during a command.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "--inject on MongoDB"
start_fake_mongodb --auth=joe:s3cret
mongodb_options
connect+=(--mongodb-user=joe --mongodb-password=s3cret)
hanging() { mongodb_lua 'return con:query([[{"aggregate": 1, "pipeline": [{"$currentOp": {}}], "cursor": {}}]]).nrows'; }
hang() { [ "$(hanging)" = "$1" ]; }

run "$SYSRATE" oltp_json "${connect[@]}" --table_size=1000 prepare
check_equal "prepare" 0 "$status"
mongodb_lua 'con:query([[{"insert": "big", "documents": [{"_id": 1}, {"_id": 2}]}]])' >/dev/null
# A command of another client, which must not be killed.
"$SYSRATE" - "${connect[@]}" >/dev/null 2>&1 <<<'sysbench.sql.driver():connect():query([[{"fakeHang": 1}]])' &
other_pid=$!
wait_for 20 hang 1
run "$SYSRATE" oltp_json "${connect[@]}" --table_size=1000 --threads=2 --rate=50 --time=2 --json=a.json --inject='0.2s: sql: {"find": "big"}' \
    --inject='0.3s: sql: {"delete": "big", "deletes": [{"q": {}, "limit": 0}]}' --inject='0.4s: sql: {"drop": "big"}' \
    --inject='0.5s: sql: {"drop": "big"}' --inject='0.6s: exec: true' --inject='0.7s: sql: {"fakeHang": 1}' run
check_equal "the run goes on" 0 "$status"
check_equal "no request is lost" true "$(json_figure '.summary.requests | .completed > 0 and
    .offered == .completed + .failed + .dropped + .unfinished')"
check_equal "what became of them" "done done done failed done stopped" "$(json_figure '[.injections[].state] | join(" ")')"
check_equal "documents are counted" "2 rows read, 2 rows changed" "$(json_figure '[.injections[:2][].output] | join(", ")')"
check_match "why one failed" '^error 26 \(NamespaceNotFound: ' "$(json_figure '.injections[3].error')"
check_equal "the other one still hangs, ours does not" 1 "$(hanging)"
kill "$other_pid"
wait "$other_pid" 2>/dev/null

# A text that is not a command is refused before the run starts.
run "$SYSRATE" oltp_json "${connect[@]}" --table_size=1000 --time=1 --inject='0.5s: sql: DROP TABLE big' run
check_equal "SQL: exit code" 1 "$status"
check_equal "SQL: it says what is allowed" \
    "FATAL: invalid value for --inject: 'sql: DROP TABLE big' (allowed: a command as JSON, such as {\"drop\": \"COLLECTION\"})" "$err"

# The server dies during a command and is still down for the next one.
"$SYSRATE" - "${connect[@]}" --threads=1 --rate=50 --time=10 --json=a.json --inject='0s: sql: {"fakeHang": 1}' \
    --inject='8s: sql: {"ping": 1}' run >run.out 2>run.err <<<'function event() end' &
pid=$!
wait_for 20 hang 2
stop_mongodb
wait $pid
check_equal "no server any more: exit code" 0 $?
check_equal "no server any more: both failed" "failed failed" "$(json_figure '[.injections[].state] | join(" ")')"
check_match "no server any more: lost, not found" '^error 9001 .* error 6 ' "$(json_figure '[.injections[].error] | join(" ")')"
finish
