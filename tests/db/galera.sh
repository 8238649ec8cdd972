#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests runs on a Galera cluster of three members: the members' counts agree with the statements sent, and outages are found when a
# member freezes, is isolated or dies. The bounds of times hold on any machine: an outage lasts at least as long as its cause.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/galera_lib.sh"
if [ "$mysql_kind" != mariadb ] || [ ! -e "$GALERA_PROVIDER" ]; then
    skip "all of it" "$GALERA_PROVIDER is not installed, or not for this server"
    pass "nothing to test"
    finish
fi
start_galera

# If transactions on two members conflict, one of them fails with an error that is ignored.
user=(--db-driver=mysql --mysql-password=secret --mysql-ignore-errors=1213,1020,1205)
one=("${user[@]}" --mysql-socket="$(mysql_socket_of g1)")
three=("${user[@]}" --mysql-socket="$(mysql_socket_of g1),$(mysql_socket_of g2),$(mysql_socket_of g3)")

checks_of() { jq -c '[.probes.checks[] | [.what, .agrees]]' a.json; }


run "$SYSRATE" oltp_write_only "${one[@]}" --table-size=10000 prepare
check_equal "prepare" 0 "$status"

# Each member applies all changes, no matter which member received them.
both_agree='[["statements sent",true],["rows changed",true]]'
run "$SYSRATE" oltp_write_only "${three[@]}" --table-size=10000 --threads=6 --events=600 --time=0 --server-stats --json=a.json run
check_equal "all members are sent writes: exit code" 0 "$status"
check_equal "all members are sent writes: counts agree" "$both_agree" "$(checks_of)"
check_equal "all members are sent writes: rows were changed" true "$(jq '.probes.checks[1].ours >= 1800' a.json)"
run "$SYSRATE" oltp_write_only "${one[@]}" --table-size=10000 --threads=2 --events=600 --time=0 --server-stats --json=a.json run
check_equal "one member is sent writes: counts agree" "$both_agree" "$(checks_of)"

json() { jq -c "$1" a.json; }

has_begun() { grep -Eqs "^\[ [2-9][.0-9]*s " run.out; }

# start TEST OPTION...: starts a run on all members in the background, at a rate that does not load the machine; returns when
# intervals are reported.
start() {
    rm -f a.json run.out
    "$SYSRATE" "$1" "${three[@]}" --table-size=10000 --threads=6 --tx-rate=300 --time=100 --report-interval=0.5 --json=a.json "${@:2}" run >run.out 2>run.err &
    run_pid=$!
    wait_for 30 has_begun
}

end() {
    kill -INT $run_pid
    wait $run_pid
    status=$?
    out=$(cat run.out) err=$(settled run.err)
}

# outage HOST FILTER: prints FILTER (for jq) of the longest outage of a member, or of the whole run if HOST is ALL.
outage() {
    jq -c --arg host "$1" '[.outages.list[] | select((.host // "ALL") | endswith($host))] | max_by(.to_s - .from_s) | '"$2" a.json
}

# True if the last interval lines report no time without connection.
connected_again() { ! tail -n 12 run.out | grep -q 'without connection'; }

# A member freezes for less time than the timeout of the others: only reads on this member stall. The windows have 0.2 s.
start oltp_point_select --time=40
signal_server STOP g2
sleep 1.6
signal_server CONT g2
sleep 3
end
check_equal "frozen: exit code" 130 "$status"
check_equal "frozen: where" true "$(outage g2.sock '.ended and .to_s - .from_s >= 1.3')"
check_equal "frozen: nothing is lost, no connection either" '[0,0,null]' "$(outage g2.sock '[.lost, .disconnected, .connected_after_s]')"
check_equal "frozen: response times are not back before" true "$(outage g2.sock '(.back_after_s // 1000) >= .to_s - .from_s')"
check_match "frozen: in the text" '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +0 +([0-9.]+|never|-) +0 +-  .*g2.sock$' "$out"
check_equal "frozen: on the time line" true "$(json '[.marks[].text | endswith("g2.sock")] | any')"

# A member is isolated from the others but still reachable for clients.
start oltp_point_select --failover
g3_sql "SET GLOBAL wsrep_provider_options = 'gmcast.isolate = 1'"
check "cut off: workers leave it" wait_for 30 grep -q 'g3.sock is gone: .*WSREP' run.err
sleep 1
end
g3_sql "SET GLOBAL wsrep_provider_options = 'gmcast.isolate = 0'"
check_equal "cut off: the run went on" 130 "$status"
check_equal "cut off: all connections are at the others" '[[4,0],[2,0],[2,2]]' "$(json '[.summary.hosts[] | [.connections, .lost]]')"
check "cut off: it joins again" wait_for 60 galera_is_whole

# A member is killed during a load of writes: no commit succeeds until the others have removed it. It restarts, and its connections
# are reopened.
start oltp_update_index --mysql-ignore-errors=all
stop_server KILL g3
start_server g3
check "killed: it comes back" wait_for 60 galera_is_whole
wait_for 30 connected_again
end
check_equal "killed: exit code" 130 "$status"
check_equal "killed: its outage" true "$(json '[.outages.list[] | select(.host // "" | endswith("g3.sock")) |
    .ended and .disconnected > 0 and .connected_after_s >= 1] | any')"
check_equal "killed: the others too" true "$(outage ALL '.ended and .to_s - .from_s >= 1')"
finish
