#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --read-hosts on a primary with two replicas: which host gets which transaction, replicas that are down or wrong, and
# sysbench.sql.reader().
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/connections/replicas_lib.sh" || exit 1

json() { jq -c "$1" a.json; }

load() {
    rm -f a.json
    run "$SYSRATE" "$1" "${connect[@]}" --threads=4 --json=a.json "${@:2}"
}

# Statements of the kind at the primary and at the two replicas.
at_hosts() { json "[.summary.hosts[] | .$1]"; }

reads_go_to_replicas() {
    load oltp_read_only --read-hosts="$read_hosts" --events=100 --time=0 run
    check_equal "$kind: reads from replicas: exit code" 0 "$status"
    check_equal "$kind: the primary has no connection of a worker, each replica has two" '[0,2,2]' "$(json '[.summary.hosts[].connections]')"
    check_equal "$kind: all reads are at replicas" "$(json .summary.counters.reads)" "$(json '[.summary.hosts[1:][].counters.reads] | add')"
    check "$kind: both replicas have some" test "$(json '[.summary.hosts[1:][].counters.reads > 0] | all')" = true
    for test in oltp_point_select select_random_points select_random_ranges; do
        load $test --read-hosts="$read_hosts" --events=20 --time=0 run
        check_equal "$kind: $test reads from replicas" 20 "$(json '[.summary.hosts[1:][].counters.reads] | add')"
    done
}

writes_go_to_primary() {
    load oltp_read_write --read-hosts="$read_hosts" --events=20 --time=0 run
    check_equal "$kind: transactions that write: exit code" 0 "$status"
    check_equal "$kind: nothing is at replicas" 0 "$(json '[.summary.hosts[1:][].counters.reads] | add')"
    check_match "$kind: a warning says so" '^WARNING: --read-hosts has no effect: the test has no read-only transactions' "$err"
    cat >both.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   reader = sysbench.sql.reader(con)
end
function event()
   con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = 1")
   reader:query("SELECT k FROM sbtest1 WHERE id = 1")
end
LUA
    rm -f a.json
    run "$SYSRATE" ./both.lua "${connect[@]:0:${#connect[@]}-1}" --threads=4 --events=100 --json=a.json --read-hosts="$read_hosts" --time=0 run
    check_equal "$kind: reader() of a script: exit code" 0 "$status"
    check_equal "$kind: writes and reads of the script" '[100,100]' "$(json '[.summary.hosts[0].counters.writes, ([.summary.hosts[1:][].counters.reads] | add)]')"
    run "$SYSRATE" ./both.lua "${connect[@]:0:${#connect[@]}-1}" --threads=1 --events=5 --json=a.json --time=0 run
    check_equal "$kind: without the option, reader(con) is con" '[5,5,1]' \
        "$(json '[.summary.counters.reads, .summary.counters.writes, (.summary.connect_ms.count // 1)]')"
}

replica_is_missing() {
    load oltp_read_only --read-hosts="$read_hosts,127.0.0.1:1" --events=10 --time=0 run
    check_equal "$kind: a wrong host: exit code" 1 "$status"
    check_match "$kind: a wrong host is named" "^Check --read-hosts: '127.0.0.1:1' is one of its hosts\\.$" "$err"
    load oltp_read_only --read-hosts="127.0.0.1:1,$read_hosts" --failover --events=10 --time=0 run
    check_equal "$kind: with --failover the others take over" 0 "$status"
    check_match "$kind: a warning names the host" '^WARNING: 127.0.0.1:1 is gone: connections go to the next host' "$err"
    check_equal "$kind: the primary still has no reads" 0 "$(json '.summary.hosts[0].counters.reads')"
}

for kind in mysql pgsql; do
    "$SYSRATE" --help | grep -q "^  $kind - " || { skip "read hosts with $kind" "built without the driver"; continue; }
    start_replicas $kind
    run "$SYSRATE" oltp_read_only "${connect[@]}" prepare
    check_equal "$kind: prepare: exit code" 0 "$status"
    for name in "${replica[@]}"; do
        check "$kind: $name follows" wait_for 60 caught_up "$name"
    done
    reads_go_to_replicas
    writes_go_to_primary
    replica_is_missing
    stop_servers
    rm -rf "$SERVERS_DIR"
done

run "$SYSRATE" oltp_read_only --db-driver=sqlite --sqlite-db=no.db --read-hosts=a run
check_equal "SQLite: exit code" 1 "$status"
check_match "SQLite has no servers" '^FATAL: --read-hosts: the sqlite driver has no servers' "$err"
run "$SYSRATE" cpu --read-hosts=a --time=0.1 run
check_match "a test without a database" '^WARNING: --read-hosts has no effect: the test uses no database$' "$err"
for bad in '' a,b:x a:0 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; do
    run "$SYSRATE" oltp_read_only --read-hosts="$bad" run
    check_equal "--read-hosts=$bad: exit code" 1 "$status"
    check_match "--read-hosts=$bad: allowed" 'read-hosts.*up to 16 of HOST, HOST:PORT or a socket' "$err"
done
finish
