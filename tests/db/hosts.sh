# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests runs with several hosts: the figures of the hosts add up to those of the run, and a dead host shows in its own row.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/cli/outputs/metrics_lib.sh"
. "$TESTS_DIR/db/servers.sh"
start_servers mysql mysql2

hosts=(--db-driver=mysql --mysql-socket="$(mysql_socket_of mysql),$(mysql_socket_of mysql2)" --mysql-password=secret)

# Prepare the tables on each server.
for server in mysql mysql2; do
    run "$SYSRATE" oltp_read_write --db-driver=mysql --mysql-socket="$(mysql_socket_of $server)" --mysql-password=secret \
        --table-size=1000 prepare
    check_equal "$server: prepare" 0 "$status"
done

json() { jq -c "$1" hosts.json; }

# sums PATH: prints the sum of a figure over all hosts
sums() { json "[.summary.hosts[] | $1] | add"; }

run "$SYSRATE" oltp_read_write "${hosts[@]}" --table-size=1000 --threads=6 --events=600 --time=0 --report-interval=0.2 \
    --percentile=50,99 --json=hosts.json --csv=hosts.csv --prom-file=hosts.prom run
check_equal "two hosts: exit code" 0 "$status"
check_equal "two hosts: no warning" "" "$err"
check_equal "two hosts: names" "[\"$(mysql_socket_of mysql)\",\"$(mysql_socket_of mysql2)\"]" "$(json '[.summary.hosts[].name]')"
check_equal "two hosts: connections go round" '[[3,0],[3,0]]' "$(json '[.summary.hosts[] | [.connections, .lost]]')"
check_equal "two hosts: each counter adds up to the run" true "$(json '[.summary.counters | to_entries[] | .key as $key |
    .value] == [.summary.counters | keys_unsorted[] as $key | 0] | not')"
for counter in events reads writes other errors reconnects failed; do
    check_equal "two hosts: $counter add up" "$(json ".summary.counters.$counter")" "$(sums ".counters.$counter")"
done
check_equal "two hosts: times add up" "$(json .summary.response_ms.count)" "$(sums .response_ms.count)"
check_equal "two hosts: and so do their buckets" "$(json '[.summary.histogram.response[][1]] | add')" \
    "$(sums '(.histogram | map(.[1]) | add)')"
check_equal "two hosts: sums of times, exactly" "$(json .summary.histogram.sums.response.sum_ns)" "$(sums .sums.sum_ns)"
check_equal "two hosts: intervals add up to the hosts" "$(json '[.summary.hosts[].completed]')" \
    "$(json '[.intervals[].hosts] | transpose | map(map(.completed) | add)')"
check_match "two hosts: heading" '^ +connections +lost +completed +failed +statements +errors +reconnects +down \(s\) +mean +p50 +p99 +max$' "$out"
# An event has 20 statements; events that restart after a conflict send some of them twice.
queries=$(json '.summary.counters | .reads + .writes + .other')
check "two hosts: statements" test "${queries%.*}" -ge 12000
check_equal "two hosts: the table adds up" "6 0 600 0 ${queries%.*} ok" "$(printf '%s\n' "$out" | awk '
    /^Hosts/ { on = 1 } on && /mysql2?\.sock/ { events += $4; queries += $6; connections += $2 }
    on && $1 == "all" { print $2, $3, $4, $5, $6, ($2 == connections && $4 == events && $6 == queries ? "ok" : "differs") }')"
check_match "two hosts: columns in CSV" 'host_0_completed_per_s,.*host_1_response_ms_p99' "$(head -n 1 hosts.csv)"
for n in 0 1; do
    check "two hosts: host $n has worked" test "$(json ".summary.hosts[$n].completed")" -gt 0
done

# metric NAME: prints the sum of its samples in the file.
metric() { awk -v name="sysrate_$1" 'index($1, name) == 1 && substr($1, length(name) + 1, 1) ~ /^[{]?$/ { sum += $NF } END { print sum }' hosts.prom; }
for name in requests_completed_total statements_total response_seconds_count; do
    check_equal "two hosts: metrics add up: $name" "$(metric $name)" "$(metric host_$name)"
done
check_equal "two hosts: metrics of connections" 6 "$(metric host_connections)"
check_equal "two hosts: their label" "$(json '.summary.hosts[].name')" \
    "$(sed -nE 's/^sysrate_host_connections\{host=(".*")\} .*/\1/p' hosts.prom)"
check_match "two hosts: metrics in a file, read strictly" '^600 600$' "$(python3 "$TESTS_DIR/cli/read_text_metrics.py" hosts.prom 2>&1)"

# Metrics are served during a run.
has_both() { fetch /metrics | sed 1d >live.page && [ "$(grep -c '^sysrate_host_service_seconds_count{' live.page)" = 2 ]; }
start_metrics oltp_point_select "${hosts[@]}" --table-size=1000 --threads=4 --tx-rate=200 --time=60
check "metrics of both hosts are served" wait_for 30 has_both
kill -INT "$pid"
wait "$pid"
parse "metrics of both hosts: the strict parser takes the page" live.page
check_match "metrics of both hosts: the dashboard for Grafana names what is exported" '^[0-9]+ panels, [0-9]+ queries$' \
    "$(python3 "$TESTS_DIR/cli/check_dashboard.py" --hosts "$SRCDIR/docs/grafana/sysrate.json" live.page 2>&1)"

# At a rate and with a warm-up: only the measured part counts.
run "$SYSRATE" oltp_point_select "${hosts[@]}" --table-size=1000 --threads=4 --tx-rate=200 --warmup-time=0.5 --time=1 \
    --json=hosts.json run
check_equal "at a rate: exit code" 0 "$status"
check_equal "at a rate: requests add up" "$(json .summary.requests.completed)" "$(sums .completed)"
check_equal "at a rate: service times add up" "$(json .summary.service_ms.count)" "$(sums .service_ms.count)"

# A run with one host has no table of hosts.
run "$SYSRATE" oltp_point_select --db-driver=mysql --mysql-socket="$(mysql_socket_of mysql)" --mysql-password=secret \
    --table-size=1000 --events=10 --json=hosts.json run
check_no_match "one host: no table" '^Hosts' "$out"
check_equal "one host: nothing in JSON" null "$(json .summary.hosts)"

# explained NAME CAUSE OPTION...: runs updates of which half change nothing, because half of the ids exist. The cause must name the
# host with the largest difference, unless the check before the run has found a cause.
explained() {
    run "$SYSRATE" oltp_update_index "${hosts[@]}" --table-size=2000 --threads=2 --events=200 --time=0 --json=hosts.json "${@:3}" run
    check_equal "nothing changed: $1" "$2" "$(jq -r .summary.no_op_cause hosts.json)"
}
first="table sbtest1 on $(mysql_socket_of mysql)" second="table sbtest1 on $(mysql_socket_of mysql2)"
explained "found before" "before the run $first held the ids 1 to 1000, the options claim 1 to 2000"
explained "no host has gaps" "rows that are not there: $first holds ids 1 to 1000 in 1000 rows" --check-tables=off
mysql2_sql "DELETE FROM sbtest1 WHERE id % 2 = 0 AND id < 999" sbtest
explained "the second host has gaps" "gaps in id: $second holds ids 1 to 1000 in 501 rows, 49.9% of the ids in between are missing" --check-tables=off
mysql2_sql "RENAME TABLE sbtest1 TO aside" sbtest
explained "the second host has no table" "$second does not exist" --threads=1 --check-tables=off
mysql2_sql "RENAME TABLE aside TO sbtest1" sbtest
run "$SYSRATE" oltp_read_only "${hosts[@]}" --tables=3 --table-size=1000 --events=1 --time=0 run
check_match "before: tables are counted by name" \
    "^FATAL: table sbtest2 on $(mysql_socket_of mysql) does not exist \\(2 tables are like this\\)\$" "$err"

# start OPTION...: starts a run in the background; returns when it has begun
start() {
    rm -f run.out
    timeout --kill-after=1 60 "$SYSRATE" oltp_point_select "${hosts[@]}" --table-size=1000 --threads=4 \
        --report-interval=0.5 --json=hosts.json "$@" run >run.out 2>run.err &
    run_pid=$!
    for _ in $(seq 200); do
        grep -qs '^Threads started!' run.out && break
        sleep 0.05
    done
}

row() { awk -v socket="$(mysql_socket_of "$1")" '$1 == socket' run.out; }

# If connection errors are ignored, the run continues on the other host. The server dies 3 seconds before the last interval.
start --mysql-ignore-errors=1213,2013 --time=4
sleep 0.3
stop_server KILL mysql2
wait "$run_pid"
check_equal "a host dies, ignored: exit code" 0 $?
check_equal "a host dies, ignored: its connections are lost, the other's are not" '[[2,0],[2,2]]' \
    "$(json '[.summary.hosts[] | [.connections, .lost]]')"
check_equal "a host dies, ignored: errors and failures are its own" '[[0,0],[2,2]]' \
    "$(json '[.summary.hosts[] | [.counters.errors, .failed]]')"
check_equal "a host dies, ignored: so is the time without connection" '[true,true]' \
    "$(json '.summary.hosts | [.[0].counters.down_ns == 0, .[1].counters.down_ns > 0]')"
check_equal "a host dies, ignored: the other one works to the end" '[true,true]' \
    "$(json '.intervals[-1].hosts | [.[0].completed > 0, .[1].completed == 0]')"
check_equal "a host dies, ignored: all adds up" "$(json .summary.counters.events)" "$(sums .counters.events)"
check_equal "a host dies, ignored: the table shows it" "2 2 2 2" "$(row mysql2 | awk '{ print $2, $3, $5, $7 }')"

# If connection errors are not ignored, the run ends.
start_server mysql2
start --time=30
stop_server KILL mysql2
wait "$run_pid"
check_equal "a host dies: exit code" 1 $?
check_match "a host dies: message" '^FATAL: mysql driver: the connection is lost: ' "$(cat run.err)"
check_between "a host dies: its row shows it" 1 "$(row mysql2 | awk '{ print $3 }')" 2
check_equal "a host dies: the other has lost nothing" 0 "$(row mysql | awk '{ print $3 }')"
finish
