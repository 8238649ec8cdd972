#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --machine-metrics: figures of a real node_exporter, an exporter that ends during the run, an address that does not answer, an address
# of something else, and refused values.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

exporter_pid=
trap 'kill $exporter_pid 2>/dev/null; stop_servers; cd / && rm -rf "$WORK_DIR"' EXIT
exporter=$(command -v prometheus-node-exporter || command -v node_exporter)
json() { jq -c "$1" a.json; }

start_exporter() {
    exporter_port=$(free_port)
    "$exporter" --web.listen-address=127.0.0.1:"$exporter_port" >exporter.log 2>&1 &
    exporter_pid=$!
    wait_for 30 exporter_answers
}

exporter_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$exporter_port") 2>/dev/null; }

load() {
    run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=1000 --threads=2 --json=a.json "$@" run
}

refused() {
    run "$SYSRATE" "--machine-metrics=$1" oltp_point_select run
    check_equal "--machine-metrics=$1" "1 FATAL: invalid value for --machine-metrics: '$1' (allowed: up to 4 addresses such as \
http://db1:9100/metrics, separated by commas)" "$status $err"
}

bad_values() {
    local value
    for value in '' db1:9100 ftp://db1/ http:// http:///metrics http://db1:0/ http://db1:x/ http://me@db1/ 'http://db1/?a=b' \
        'http://db1/a b' http://a,b http://a,http://b,http://c,http://d,http://e; do
        refused "$value"
    done
}

# The exporter and this program read the same machine: each second of a processor is 1 000 000 µs, so the work of all requests lies
# between the CPU time of the client and the number of processors times the length of the run.
real_exporter() {
    local url=http://127.0.0.1:$exporter_port/metrics limit
    load --time=3 --machine-metrics="$url" --csv=a.csv --report-interval=1
    check_equal "an exporter: exits 0" "0 " "$status $err"
    check_equal "an exporter: where" "[\"$url\"]" "$(json '[.probes.sources[] | select(.name == "machine").where]')"
    check_equal "an exporter: CPU in percent" true "$(json '.probes.sources[] | select(.name == "machine").mean |
        .cpu_busy_percent > 0 and .cpu_busy_percent <= 100 and .load_1m > 0')"
    limit=$(json "$(nproc --all) * 1e6 * (.summary.elapsed_s + 4) / .probes.work_per_request.requests")
    check_between "an exporter: CPU time per request" 1 "$(json .probes.work_per_request.machine.cpu_us)" "$limit"
    check_equal "an exporter: context switches per request" true "$(json '.probes.work_per_request.machine.context_switches > 0.1')"
    check_equal "an exporter: does not know the client" null "$(json .probes.work_per_request.machine.client_cpu_us)"
    check_match "an exporter: columns" ',machine_cpu_busy_percent' "$(head -n 1 a.csv)"
    # Both exporters are the same machine, so the sum is twice as much.
    load --time=2 --machine-metrics="$url,$url"
    check_equal "two exporters: names" '["machine","machine2"]' "$(json '[.probes.sources[].name | select(startswith("machine"))]')"
    check_between "two exporters: the work is their sum" 1.6 \
        "$(json '.probes as $p | ($p.sources[] | select(.name == "machine2").mean.cpu_busy_percent) as $busy |
            $p.work_per_request.machine.cpu_us * $p.work_per_request.requests / ($busy / 100 * '"$(nproc --all)"' * 1e6 * .summary.elapsed_s)')" 4
}

without_exporter() {
    local port
    port=$(free_port)
    load --events=1000 --time=0 --machine-metrics=http://127.0.0.1:"$port"/metrics
    check_equal "no exporter: exits 0" 0 "$status"
    check_match "no exporter: a warning" "^WARNING: machine \(http://127.0.0.1:$port/metrics\) cannot be watched: .*; the next sample tries again$" "$err"
    check_equal "no exporter: one warning" 1 "$(grep -c WARNING <<<"$err")"
    check_equal "no exporter: nothing lost" 1000 "$(json .summary.requests.completed)"
    check_equal "no exporter: work is not known" null "$(json .probes.work_per_request.machine.cpu_us)"
    load --events=1000 --time=0 --machine-metrics=http://127.0.0.1:"$exporter_port"/
    check_match "another page: a warning" 'WARNING: machine .* cannot be watched: .*no node_cpu_seconds_total' "$err"
    check_equal "another page: nothing lost" 1000 "$(json .summary.requests.completed)"
    run "$SYSRATE" cpu --events=10 --machine-metrics=http://127.0.0.1:"$port"/metrics run
    check_match "no database" '^WARNING: --machine-metrics has no effect: the test uses no database' "$err"
}

exporter_that_ends() {
    rm -f run.out
    "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=1000 --threads=1 --tx-rate=50 --time=8 --json=a.json \
        --report-interval=0.5 --server-stats=0.5 --machine-metrics=http://127.0.0.1:"$exporter_port"/metrics run >run.out 2>run.err &
    local pid=$!
    wait_for 60 grep -q 'machine: cpu%' run.out
    kill "$exporter_pid"
    exporter_pid=
    wait $pid
    status=$?
    check_equal "an exporter that ends: exits 0" 0 "$status"
    check_equal "an exporter that ends: one warning" 1 "$(grep -c 'cannot be watched' run.err)"
    check_equal "an exporter that ends: a gap, and no work" true \
        "$(json '(.probes.sources[] | select(.name == "machine").gaps | length >= 1) and .probes.work_per_request.machine.cpu_us == null')"
}

if ! "$SYSRATE" --version | grep -q -- '--machine-metrics): libcurl [0-9]'; then
    skip "metrics of machines" "built without libcurl"
    pass "nothing to test"
    finish
fi
bad_values
if [ -z "$exporter" ]; then
    skip "metrics of machines" "prometheus-node-exporter is not installed"
    finish
fi
start_servers mysql
server_options mysql
run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=1000 prepare
start_exporter
real_exporter
without_exporter
exporter_that_ends
finish
