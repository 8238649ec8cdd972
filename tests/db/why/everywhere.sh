# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --wait-events with 1 000 workers, several hosts of which one dies (--failover), a replayed log, and tpcc. In each run a session of
# the test holds locks for two seconds. The report must give the locks as the cause and name the session.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/why/waits_lib.sh"
export MYSQL_SETTINGS=(--max-connections=1200) PGSQL_SETTINGS=(--max_connections=1200)
start_servers
create_accounts
proxies=()
trap 'kill "${proxies[@]}" 2>/dev/null; stop_servers; cd / && rm -rf "$WORK_DIR"' EXIT

cat >update.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("UPDATE accounts SET balance = balance + 1 WHERE id = " .. sysbench.rand.uniform(1, 100))
end
LUA

# Runs sysrate with samples, while a session holds locks.
sampled() { run "$SYSRATE" "$@" --wait-events=20 --json=a.json --report=full --rand-seed=1 "${hold[@]}" run; }

# A busy machine may stop a server with 1 000 sessions, so that no sample is answered for long.
crowded() {
    try_until '[ "$status" -ne 0 ] || [ "$(json_figure "[.wait_events.events[] | select(.event == \"server did not answer\") | .p95.percent] | add // 0 | . <= 10")" = true ]' \
        sampled "$@"
}

# watched NAME WORKERS COMMAND...: a run with samples in which the locks must be found, as the run has no other waits of this length.
watched() {
    local name=$1 workers=$2
    "${@:3}"
    check_equal "$name: exit code" 0 "$status"
    check_equal "$name: workers" "$workers" "$(json_figure .config.threads)"
    columns_add_up "$name"
    # A hundred requests need a worker while the lock is held, and at most a few of them end before; see wait_events.sh.
    at_least "$name: locks above p95" 80 "$(share "all locks" p95)"
    # Workers that wait for each other are named, too, if the session that holds the first lock has just ended.
    check_equal "$name: a session of another program holds them" true \
        "$(json_figure '[.wait_events.locks.blocked_by[] | select(.blocker | type == "object") | .percent] | add > 30')"
}

# Starts two proxies in front of the server.
start_proxies() {
    local name
    ports=() proxies=()
    for name in a b; do
        rm -f $name.port
        python3 "$TESTS_DIR/db/fakes/proxy.py" $name.port "${server_port[$1]}" 0 &
        disown
        proxies+=($!)
        wait_for 30 test -s $name.port
        ports+=("$(cat $name.port)")
    done
}

# fail_over SERVER: the run kills the first proxy after a second.
fail_over() {
    start_proxies "$1"
    hold "$1" "$rows" "ROLLBACK;" 2 1
    hold=("${hold[0]/0.5s/2s}" --inject="1s: sh: kill -s KILL ${proxies[0]}")
    sampled update.lua --db-driver="$1" --"$1"-host=127.0.0.1 --"$1"-port="${ports[0]},${ports[1]}" --"$1"-password=secret --threads=64 \
        --tx-rate=150 --time=5 --failover
    kill -s KILL "${proxies[@]}" 2>/dev/null
}

# Prints a log of 20 sessions. Session N updates account N ten times per second, for four seconds. The last statement reads, because a
# write at the end of a log is not replayed.
log_of() {
    local tick session time statement
    for ((tick = 0; tick < 40; tick++)); do
        time=10:00:0$((tick / 10)).$((tick % 10))00
        for ((session = 1; session <= 20; session++)); do
            statement="UPDATE accounts SET balance = balance + 1 WHERE id = $session"
            [ "$tick $session" != "39 20" ] || statement="SELECT balance FROM accounts"
            if [ "$1" = pgsql ]; then
                printf '2026-11-25 %s UTC [%d] LOG:  statement: %s\n' $time $((100 + session)) "$statement"
            else
                [ $tick -gt 0 ] || printf '2026-11-25T%s000Z\t%5d Connect\tsbtest@localhost on sbtest using Socket\n' $time $session
                printf '2026-11-25T%s000Z\t%5d Query\t%s\n' $time $session "$statement"
            fi
        done
    done
}

rows="BEGIN; UPDATE accounts SET balance = 0 WHERE id <= 8;"
for server in pgsql mysql; do
    server_options $server
    hold $server "$rows" "ROLLBACK;" 2 1
    watched "$server, 1 000 workers" 1000 crowded update.lua "${connect[@]}" --threads=1000 --tx-rate=150 --time=4
    check_equal "$server, 1 000 workers: nothing failed" 0 "$(json_figure .summary.requests.failed)"

    watched "$server, failover" 64 steadily fail_over $server
    check_equal "$server, failover: half of the workers lost their host" 32 "$(json_figure '.summary.hosts[0].lost')"

    log_of $server >app.log
    hold $server "$rows" "ROLLBACK;" 2 1
    watched "$server, replay" 20 steadily sampled replay app.log "${connect[@]}" --allow-writes
    check_equal "$server, replay: all statements" 800 "$(json_figure .summary.requests.completed)"

    run "$SYSRATE" tpcc "${connect[@]}" --warehouses=1 --shrink=100 --threads=2 prepare
    check_equal "$server, tpcc: prepare" 0 "$status"
    hold $server "BEGIN; UPDATE tpcc_warehouse SET w_ytd = w_ytd + 1;" "ROLLBACK;" 2 1
    watched "$server, tpcc" 100 steadily sampled tpcc "${connect[@]}" --warehouses=1 --shrink=100 --threads=100 --tx-rate=30 --time=5
done
finish
