#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --timeout and --retry while a server is frozen, killed and started again: every request has one outcome, and the run recovers.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

json() {
    jq -c "$1" report.json
}

# disturbed OPTION...: a run of 8 s in the background; sets $pid. A transaction has 7 statements, so that it ends within the timeout also if
# other programs delay each statement by 20 ms.
disturbed() {
    rm -f out.txt # of the run before: the shell may look for the line of 2 s before this run has opened its own file
    "$SYSRATE" oltp_read_write "${connect[@]}" --tables=1 --table-size=1000 --point-selects=1 --range-selects=off --threads=8 \
        --tx-rate=50 --time=8 --forced-shutdown=20 --timeout=400ms --retry='3 exp(10ms) budget 20%' \
        --retry-on=timeout,deadlock,error --report-interval=1 --json=report.json "$@" run >out.txt 2>err.txt &
    pid=$!
    wait_for 30 grep -qs '^\[ 2s \]' out.txt
}

check_end() {
    wait "$pid"
    status=$?
    check_equal "$1: exit code" 0 "$status"
    check_equal "$1: requests add up" true \
        "$(json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished and .offered > 200')"
    check_between "$1: requests complete" 21 "$(json .summary.requests.completed)" 1000
    check_between "$1: attempts fail" 1 "$(json '.summary | .requests.failed + .counters.retries')" 10000
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
# One of two hosts dies. The hosts are proxies in front of one server.
cat >two.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT 1")
   sysbench.sleep(0.01)
   con:query("SELECT 2")
end
LUA
proxies=()
trap 'kill "${proxies[@]}" 2>/dev/null; stop_servers; cd / && rm -rf "$WORK_DIR"' EXIT
for server in mysql pgsql; do
    ports=()
    for name in a b; do
        rm -f $name.port
        python3 "$TESTS_DIR/db/fakes/proxy.py" $name.port "${server_port[$server]}" 0 &
        disown
        proxies+=($!)
        wait_for 30 test -s $name.port
        ports+=("$(cat $name.port)")
    done
    # The first host is silent from 1 s on. After --failover-timeout, at 3 s, its connections count as lost.
    lose_a_host() {
        kill -s CONT "${proxies[-2]}"
        run "$SYSRATE" ./two.lua --db-driver=$server --$server-host=127.0.0.1 --$server-port="${ports[0]},${ports[1]}" \
            --$server-password=secret --failover --failover-timeout=2 --threads=8 --tx-rate=100 --time=8 --timeout=200ms \
            --timeout-action=$action --retry='3 10ms' --report-interval=1 --json=report.json \
            --inject="1s: sh: kill -s STOP ${proxies[-2]}" run
    }
    for action in cancel abandon; do
        steadily lose_a_host
        check_equal "$server, failover, $action: exit code" 0 "$status"
        check_equal "$server, failover, $action: requests add up" true \
            "$(json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
        check_equal "$server, failover, $action: attempts add up" true \
            "$(json '.summary | (.policy.attempts_per_request - 1) * (.requests.completed + .requests.failed) - .counters.retries | fabs < 1e-6')"
        check_equal "$server, failover, $action: some attempts time out" true "$(json '.summary.counters.timeouts > 0')"
        check_equal "$server, failover, $action: half of the workers go to the other host" 4 "$(json '.summary.hosts[0].lost')"
        check_equal "$server, failover, $action: all is well at the end" true "$(json '.intervals[-1].policy.goodput_per_s > 30')"
    done
    kill -s KILL "${proxies[@]}"
    proxies=()
done
finish
