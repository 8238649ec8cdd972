#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --staleness on a primary with two replicas: a replica whose applier is paused, a synchronous replica, one that is down, promoted,
# or no replica at all, and users without privileges.
#
# The age that a run reports is the time from the acknowledgement of the first marker that the replica lacks to a read. If the applier
# stands still from P to R, the first such marker is acknowledged at most one step (50 ms) after P, and the last read begins at most 10 ms
# before R. So the largest age is at least R - P - 60 ms, and at most the time from P until the replica has caught up. The threads that
# write and read may have to wait for a processor on a busy machine, for which 300 ms are allowed.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/connections/replicas_lib.sh" || exit 1

json() { jq -c "$1" a.json; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }
has_marker_table() { primary_sql "SELECT * FROM sysrate_marker" sbtest >/dev/null 2>&1; }
marker() { "$1_sql" "SELECT number FROM sysrate_marker" sbtest 2>/dev/null; }

# start OPTION...: starts a run in the background; returns when it has reported an interval.
start() {
    rm -f a.json run.out
    "$SYSRATE" oltp_read_write "${connect[@]}" --threads=2 --tx-rate=20 --time=60 --read-hosts="$read_hosts" --staleness \
        --report-interval=0.5 --json=a.json --csv=a.csv "$@" run >run.out 2>run.err &
    run_pid=$!
    wait_for 30 grep -qs '^\[ ' run.out
}

end() {
    kill -INT $run_pid
    wait $run_pid
    out=$(cat run.out) err=$(settled run.err)
}

follows() { [ "$(marker "$1")" -ge "$2" ] 2>/dev/null; }
paused_for_2_s() {
    local p0 p1 r0 r1 largest number
    start --slo='staleness.max<1s,staleness.p50<1m'
    p0=$(now_ms)
    pause_replica replica1
    p1=$(now_ms)
    sleep 2
    r0=$(now_ms)
    resume_replica replica1
    number=$(marker "$kind")
    wait_for 30 follows replica1 "$number"
    r1=$(now_ms)
    sleep 0.6
    end
    largest=$(json '.summary.staleness_ms.max')
    echo "# $kind: paused for $((r0 - p1)) to $((r1 - p0)) ms, largest age $largest ms"
    check_between "$kind: age of a replica that is paused for 2 s" $((r0 - p1 - 60 - 300)) "$largest" $((r1 - p0))
    check_equal "$kind: the intervals have the same maximum" "$largest" "$(json '[.intervals[].staleness_ms.max // 0] | max')"
    check_equal "$kind: all reads were answered" 0 "$(json .summary.staleness_unanswered)"
    check_match "$kind: text" '^Staleness of replicas \(ms\): mean .* reads; 0 not answered$' "$out"
    check_match "$kind: columns" 'staleness_ms_mean,staleness_ms_max,staleness_unanswered,staleness_ms_p50,staleness_ms_p95,staleness_ms_p99' \
        "$(head -n 1 a.csv)"
    check_equal "$kind: an objective that is missed and one that is met" '[false,true]' "$(json '[.summary.slo.objectives[].met]')"
    check_equal "$kind: the figure of the objective" "$largest" "$(json '.summary.slo.objectives[0].figure')"
    check_not "$kind: the table is dropped" has_marker_table
    check_equal "$kind: no warning" "" "$err"
}

synchronous_is_never_old() {
    pgsql_sql "ALTER SYSTEM SET synchronous_standby_names = '2 (replica1, replica2)'"
    pgsql_sql "ALTER SYSTEM SET synchronous_commit = remote_apply"
    pgsql_sql "SELECT pg_reload_conf()" >/dev/null
    wait_for 30 both_synchronous
    start --read-your-writes=0.5
    sleep 3
    end
    check_equal "pgsql: remote_apply: no own write was missed" 0 "$(json '.summary.quality.own_write_missed.mean * 1')"
    check "pgsql: remote_apply: own writes were read" test "$(json .summary.quality.own_write_missed.count)" -gt 5
    check_equal "pgsql: remote_apply: no read was old" 0 "$(json '.summary.staleness_ms.max * 1')"
    check "pgsql: remote_apply: there were reads" test "$(json .summary.staleness_ms.count)" -gt 20
    pgsql_sql "ALTER SYSTEM RESET synchronous_standby_names"
    pgsql_sql "SELECT pg_reload_conf()" >/dev/null
}
both_synchronous() { [ "$(pgsql_sql "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 2 ]; }

# The reads of the second worker go to the second replica.
own_writes_are_missed() {
    pause_replica replica2
    start --read-your-writes=1
    sleep 3
    end
    resume_replica replica2
    check_equal "$kind: own writes are missed at a replica that is paused, for as long as it is looked for them" '[true,1000]' \
        "$(json '.summary.quality | [.own_write_missed.mean > 0, .own_write_visible_ms.max // 1000]')"
    check "$kind: own writes were read" test "$(json '.summary.quality.own_write_missed.count')" -gt 1
    run "$SYSRATE" oltp_read_write "${connect[@]}" --read-hosts="$read_hosts" --read-your-writes=0.1 --time=1 run
    check_equal "$kind: the row needs the table of --staleness" "1 FATAL: --read-your-writes needs --staleness" "$status $(head -n 1 <<<"$err")"
}

down() {
    start
    stop_server KILL replica2
    wait_for 30 grep -qs 'does not answer' run.err
    sleep 1
    end
    check_match "$kind: a replica that is down" "^WARNING: --staleness: read host ${read_hosts#*,} does not answer" "$err"
    check "$kind: reads without an answer are counted" test "$(json .summary.staleness_unanswered)" -gt 0
    check "$kind: the other one is read" test "$(json .summary.staleness_ms.count)" -gt 20
    start_server replica2
}

promoted() {
    start
    promote_replica replica2
    sleep 2
    end
    check "$kind: a promoted replica gets older and older" test "$(json '.summary.staleness_ms.max > 1500')" = true
    start
    sleep 1
    end
    check_match "$kind: a host that is no replica is named" \
        "^WARNING: --staleness: no marker has appeared at read host ${read_hosts#*,}: it is no replica of the primary" "$err"
    check_equal "$kind: only this host" 1 "$(grep -c 'no marker has appeared' <<<"$err")"
}

refused() {
    if [ "$kind" = mysql ]; then
        mysql_sql "CREATE USER guest@'%' IDENTIFIED BY 'secret'; GRANT SELECT ON sbtest.* TO guest@'%'"
    else
        pgsql_sql "CREATE USER guest PASSWORD 'secret'"
    fi
    run "$SYSRATE" oltp_read_only "${connect[@]}" --$kind-user=guest --read-hosts="$read_hosts" --staleness --time=1 run
    check_equal "$kind: without privileges: exit code" 1 "$status"
    check_match "$kind: the message names the privileges" \
        '^FATAL: --staleness: the table sysrate_marker cannot be created: .*CREATE, DROP, INSERT, SELECT and UPDATE' "$err"
    run "$SYSRATE" oltp_read_only "${connect[@]}" --staleness --time=1 run
    check_match "$kind: read hosts are needed" '^FATAL: --staleness: there are no replicas to read from: --read-hosts is needed$' "$err"
}

for kind in mysql pgsql; do
    "$SYSRATE" --help | grep -q "^  $kind - " || { skip "staleness with $kind" "built without the driver"; continue; }
    start_replicas $kind
    run "$SYSRATE" oltp_read_write "${connect[@]}" prepare
    for name in "${replica[@]}"; do
        check "$kind: $name follows" wait_for 60 caught_up "$name"
    done
    paused_for_2_s
    [ $kind = mysql ] || synchronous_is_never_old
    own_writes_are_missed
    down
    refused
    promoted
    stop_servers
    rm -rf "$SERVERS_DIR"
done

run "$SYSRATE" cpu --staleness run
check_match "a test without a database" '^FATAL: --staleness: this test has no database$' "$err"
run "$SYSRATE" oltp_read_only --slo='staleness.p99<1s' run
check_equal "an objective without measurement: exit code" 1 "$status"
check_match "an objective without measurement" "^FATAL: --slo: 'staleness.p99<1s' needs --staleness$" "$err"
finish
