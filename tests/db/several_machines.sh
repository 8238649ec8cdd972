# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests runs from three machines (namespaces with separate clocks): the ranks prepare tables together, run at a rate with server
# statistics and a page, and search for the capacity; then a rank cannot reach the database.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/cli/ranks/mpirun_lib.sh"
. "$TESTS_DIR/cli/ranks/mpirun_hosts_lib.sh"
. "$TESTS_DIR/db/servers.sh"
trap 'close_hosts; stop_servers; cd / && rm -rf "$WORK_DIR"' EXIT
open_hosts 2>open.err || not_here "$(tail -n 1 open.err)"
ip addr add "$net.253/24" dev "$id"
# shellcheck disable=SC2034  # of servers.sh
MYSQL_SETTINGS=(--bind-address=0.0.0.0) PGSQL_SETTINGS=("--listen_addresses=*")
start_servers mysql pgsql
echo "host all all $net.0/24 scram-sha-256" >>"$SERVERS_DIR/pgsql/pg_hba.conf"
pgsql_sql 'SELECT pg_reload_conf()' >/dev/null

# All machines read the passwords from this file.
printf 'mysql-password=secret\npgsql-password=secret\n' >passwords
chmod 600 passwords
# machines OPTION...: runs the program on all three machines.
machines() {
    # shellcheck disable=SC2086  # several words
    run $launch "$SYSRATE" --config-file=passwords "${tables[@]}" "$@" </dev/null
}

for kind in mysql pgsql; do
    tables=(--db-driver=$kind --$kind-host="$net.253" --$kind-port="${server_port[$kind]}" --tables=1 --table-size=6000 --rand-seed=7)
    machines --threads=6 oltp_read_write prepare
    check_equal "$kind: prepare over three machines: exit code" 0 "$status"
    check_equal "$kind: one table has all rows" "6000 1 6000" "$(${kind}_sql 'SELECT count(*), min(id), max(id) FROM sbtest1' sbtest | tr '|\t' '  ')"

    machines --threads=9 --tx-rate=90 --time=3 --drain=20 --report-interval=1 --server-stats --json=a.json --html=$kind.html \
        --request-log=$kind.log oltp_read_write run
    check_equal "$kind: a run at a rate: exit code" 0 "$status"
    check_equal "$kind: all machines have worked" "host1 host2 host3" \
        "$(json_figure '[.ranks[] | select(.requests.completed > 30) | .host] | join(" ")')"
    check_equal "$kind: all requests" "$(grep -hv '^#' $kind.log.rank? | wc -l) true" \
        "$(json_figure '"\(.summary.requests.completed) \(.summary.requests | .offered == .completed + .failed)"')"
    check_equal "$kind: intervals add up" "$(json_figure .summary.requests.completed)" "$(json_figure '[.intervals[].completed] | add')"
    check "$kind: the server was watched by one" test "$(json_figure '[.intervals[].probes | select(. != null)] | length')" -ge 2
    check "$kind: the page has all" grep -q '"host":"host3"' $kind.html
    # The server's counts include the work of all machines, not of one: each transaction reads some rows.
    check_match "$kind: the table of ranks" '^ +2 +host3 +3 ' "$out"

    run "$SYSRATE" capacity --slo='p95<5s' --out=found.$kind --min-rate=15 --max-rate=30 --probe-time=1 --pairs=0 --precision=50 \
        --launcher="$(xargs <<<"$launch")" -- oltp_read_only --config-file="$WORK_DIR/passwords" "${tables[@]:0:5}" --threads=6
    check_equal "$kind: capacity over three machines: exit code" 0 "$status"
    check_equal "$kind: each probe is one of three machines" '[3]' \
        "$(cat found.$kind/probe-*.json | jq -sc '[.[].ranks | length] | unique')"

    # One machine cannot reach the database.
    ip -n "$id-3" route add unreachable "$net.253/32"
    began=$SECONDS
    machines --threads=3 --tx-rate=30 --time=60 oltp_read_write run
    check "$kind: no way to the database: an error" test "$status" -ne 0
    check_between "$kind: no way to the database: before the run would have ended" 0 $((SECONDS - began)) 45
    check_match "$kind: no way to the database: the rank says why" 'FATAL: rank 2: .*(connect|reach)' "$err"
    check_match "$kind: no way to the database: it is named" 'FATAL: rank 2 \(host3\) has ended before the run began' "$err"
    ip -n "$id-3" route del unreachable "$net.253/32"
    machines oltp_read_write cleanup
    check_equal "$kind: cleanup" 0 "$status"
    stop_server KILL $kind
done
finish
