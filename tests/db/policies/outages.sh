#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --timeout and --retry while a server is frozen, killed and started again: every request has one outcome, and the run recovers.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

json() {
    jq -c "$1" report.json
}

# disturbed OPTION...: a run of 8 s in the background; sets $pid.
disturbed() {
    "$SYSRATE" oltp_read_write "${connect[@]}" --tables=1 --table-size=1000 --threads=8 --tx-rate=50 --time=8 --forced-shutdown=20 \
        --timeout=200ms --retry='3 exp(10ms) budget 20%' --retry-on=timeout,deadlock,error --report-interval=1 --json=report.json "$@" run \
        >out.txt 2>err.txt &
    pid=$!
    wait_for 30 grep -q '^\[ 2s \]' out.txt
}

check_end() {
    wait "$pid"
    status=$?
    check_equal "$1: exit code" 0 "$status"
    check_equal "$1: requests add up" true \
        "$(json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished and .offered > 200')"
    check_equal "$1: requests complete, and some attempts fail" true \
        "$(json '.summary | .requests.completed > 20 and .requests.failed + .counters.retries > 0')"
    check_equal "$1: intervals and summary agree" true \
        "$(json '([.intervals[].counters.retries] | add) == .summary.counters.retries')"
}

start_servers
for server in mysql pgsql; do
    server_options "$server"
    run "$SYSRATE" oltp_read_write "${connect[@]}" --tables=1 --table-size=1000 prepare
    check_equal "$server: prepare" 0 "$status"

    disturbed
    signal_server STOP "$server"
    sleep 2
    signal_server CONT "$server"
    check_end "$server, frozen"

    disturbed --timeout-action=abandon
    signal_server STOP "$server"
    sleep 2
    signal_server CONT "$server"
    check_end "$server, frozen, abandon"

    disturbed --"$server"-ignore-errors=all
    stop_server KILL "$server"
    start_server "$server"
    check_end "$server, killed"
done
finish
