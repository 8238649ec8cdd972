# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Metrics for Prometheus: served during a run as OpenMetrics, and written to a file in the older text format that
# node_exporter reads.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/cli/outputs/metrics_lib.sh"

# A build without the library reports this before anything is measured, but still writes the file.
if "$SYSRATE" --version | grep -q '^Metrics over HTTP .*: left out'; then
    run "$SYSRATE" cpu --time=1 --prom=0 run
    check_equal "--prom without libmicrohttpd: exit code" 1 "$status"
    check_match "--prom without libmicrohttpd: message" '^FATAL: --prom: .*without libmicrohttpd' "$err"
    check_no_match "--prom without libmicrohttpd: nothing was measured" 'events per second' "$out"
    run "$SYSRATE" cpu --time=1 --prom-file=metrics.prom run
    check_match "--prom-file works without libmicrohttpd" '^sysrate_requests' "$(cat metrics.prom)"
    finish
fi

cat >query.lua <<'EOF'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
EOF

# start OPTION...: starts a run in the background; sets pid and address.
start() {
    start_metrics --db-driver=null --null-service=1ms --threads=2 "$@" query.lua
}

# scrape_twice NAME OPTION...
scrape_twice() {
    local name=$1
    shift
    start --time=60 "$@"
    check_match "$name: on the loopback address" '^http://127\.0\.0\.1:[0-9]+/metrics$' "$address"
    sleep 1.5
    fetch /metrics >first.page
    check_equal "$name: status and type" \
        '200 application/openmetrics-text; version=1.0.0; charset=utf-8' "$(head -n 1 first.page)"
    check_equal "$name: elsewhere" '404 text/plain' "$(fetch /other 2>/dev/null | head -n 1)"
    sleep 1.2
    fetch /metrics >second.page
    kill -INT "$pid"
    sed -i 1d first.page second.page
    if parse "$name: the strict parser takes the page" first.page second.page; then
        check_between "$name: requests go on" 1 "$(printf '%s\n' "$parsed" | awk 'NR == 1 { n = $1 } END { print $1 - n }')" 100000
    fi
    wait "$pid"
    check_equal "$name: exit code after Ctrl-C" 130 $?
    check_equal "$name: nothing on standard error" "" "$(grep -v '^WARNING' run.err)"
}

test_file() {
    run "$SYSRATE" --db-driver=null --null-service=1ms --tx-rate=500 --threads=4 --warmup-time=0.5 --time=1.5 \
        --prom-file=metrics --json=a.json query.lua run
    check_equal "file: exit code" 0 "$status"
    parsed=$(python3 "$TESTS_DIR/cli/read_text_metrics.py" metrics 2>&1)
    check_match "file: text format 0.0.4, read strictly" '^[0-9]+ [0-9]+$' "$parsed"
    check "file: warm-up and measured part are in it" \
        test "${parsed% *}" -gt "$(jq .summary.requests.completed a.json)"
    check_equal "file: each completed request has a time" "${parsed% *}" "${parsed#* }"
    check_equal "file: the build is a gauge" "# TYPE sysrate_build_info gauge" "$(grep 'TYPE.*build' metrics)"
    check_equal "file: nothing else is left" "a.json metrics query.lua" "$(ls -I '*.page' -I 'run.*' | xargs)"
}

# Prometheus' own parser reads the waits: 2 workers are in service nearly all of the time, and wait for IO. These 4 s are estimated
# by some 100 samples, whose number scatters by 10 %: 1 and 10 s are far outside.
test_waits() {
    start --time=60 --null-service=0 --null-waits=IO=5ms --wait-events=50
    sleep 2
    fetch /metrics | sed 1d >waits.page
    kill -INT "$pid"
    wait "$pid"
    parse "waits: the strict parser takes the page" waits.page || return
    check_match "waits: seconds by event" '^sysrate_wait_event_seconds_total\{event="IO"\} [1-9]\.[0-9]+$' "$(cat waits.page)"
    check_match "waits: samples" '^sysrate_wait_event_samples_total [1-9][0-9]*$' "$(cat waits.page)"
    run "$SYSRATE" --db-driver=null --null-waits=IO=5ms --wait-events=50 --time=1 --prom-file=metrics query.lua run
    check_match "waits: text format 0.0.4, read strictly" '^[0-9]+ [0-9]+$' "$(python3 "$TESTS_DIR/cli/read_text_metrics.py" metrics 2>&1)"
    check_match "waits: in the file" '^sysrate_wait_event_seconds_total\{event="IO"\} [0-9.]+$' "$(cat metrics)"
}

test_refused() {
    start --time=60
    run "$SYSRATE" --db-driver=null --time=1 "--prom=$(printf '%s' "$address" | sed 's|.*:||; s|/.*||')" query.lua run
    check_equal "a port in use: exit code" 1 "$status"
    check_match "a port in use: the message" '^FATAL: --prom=[0-9]+: cannot listen there: Address already in use$' "$err"
    kill -INT "$pid"
    wait "$pid"
    run "$SYSRATE" --db-driver=null --time=1 --prom=no-such-host.invalid:0 query.lua run
    check_equal "no such host: exit code" 1 "$status"
    check_match "no such host: the message" '^FATAL: --prom=no-such-host\.invalid:0: ' "$err"
    run "$SYSRATE" --db-driver=null --time=1 --prom-file=none/metrics query.lua run
    check_equal "no such folder: exit code" 1 "$status"
}

# Standard output contains only JSON or CSV.
test_other_formats() {
    for format in json csv; do
        run "$SYSRATE" --db-driver=null --events=1 --report-interval=1 --prom=0 --report-format=$format query.lua run
        check_match "$format on standard output: the address on standard error" '^Metrics: http://127\.0\.0\.1:[0-9]+/metrics$' "$err"
        check_not "$format on standard output: no other output" grep -q Metrics <<<"$out"
    done
}

scrape_twice "at a rate" --tx-rate=500
scrape_twice "closed loop"
test_file
test_waits
test_refused
test_other_formats
finish
