#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --until: a run ends when its figures are known precisely enough.
. "$TESTS_DIR/cli/lib.sh" || exit 1

null=("$SYSRATE" --db-driver=null --null-service=1ms --threads=8)

# Requests of 1 ms at a constant rate: 20 batches know the median with 90 %, whatever else the machine does.
run "${null[@]}" --tx-rate=500 --time=120 --warmup-time=0.5 --report-interval=1 --until='p50+-90%,throughput±90%' --json=a.json oltp_point_select run
check_equal "--until: exit status" 0 "$status"
check_equal "--until: end" '"until"' "$(jq .summary.end a.json)"
check_between "--until: long before --time, not before 20 batches" 2 "$(jq .summary.elapsed_s a.json)" 60
check_equal "--until: figures and precisions in JSON" '[["p50",90,true],["throughput",90,true]]' \
    "$(jq -c '[.summary.until[] | [.figure, (.asked_percent | round), .reached_percent > 0 and .reached_percent <= 90]]' a.json)"
check_match "--until: message" '^--until: reached after [0-9.]+ s: p50 ± [0-9.]+ %, throughput ± [0-9.]+ %$' "$both"
check_match "--until: in the last lines" '^        ended by --until after [0-9.]+ s$' "$out"
check_equal "--until: all requests are accounted for" true \
    "$(jq '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished' a.json)"
check_equal "--until: the option is in the settings" '"p50+-90%,throughput±90%"' "$(jq .config.until a.json)"

run "${null[@]}" --time=120 --until='throughput±90%' --json=b.json oltp_point_select run
check_equal "--until in a closed loop" '0 "until"' "$status $(jq .summary.end b.json)"

run "${null[@]}" --tx-rate=100 --time=3 --until='p99.99±0.01%' --json=c.json oltp_point_select run
check_equal "--time is the maximum" '0 "time"' "$status $(jq .summary.end c.json)"
check_equal "--time is the maximum: not reached in JSON" true \
    "$(jq '.summary.until[0].reached_percent | . == null or . > 0.01' c.json)"
check_match "--time is the maximum: message" '^WARNING: --until: p99\.99±0\.01% was not reached in [0-9.]+ s \(--time\)' "$err"

run "${null[@]}" --time=0 --until='p99±3%' oltp_point_select run
check_equal "--until needs --time" "1 FATAL: --until needs the longest time that the run may take (--time)" "$status $err"
run "${null[@]}" --tx-rate=0:100,10:200 --time=20 --until='p99±3%' oltp_point_select run
check_equal "--until with a rate that changes: exit status" 1 "$status"
check_match "--until with a rate that changes: message" '^FATAL: --until needs a rate that does not change' "$err"
run "${null[@]}" --rand-seed=1 --node=1/2 --time=20 --until='p99±3%' oltp_point_select run
check_match "--until with several ranks" '^FATAL: --until cannot be used with several ranks' "$err"
run "$SYSRATE" capacity --out=limit --slo='p99<20ms' -- oltp_point_select --db-driver=null --until='p99±3%'
check_equal "capacity refuses --until: exit status" 1 "$status"
check_match "capacity refuses --until: message" "^FATAL: capacity: --until cannot be used after '--'" "$err"
run "$SYSRATE" ab --out=flush --a='--threads=1' --b='--threads=2' -- oltp_point_select --db-driver=null --until='p99±3%'
check_equal "ab refuses --until after '--': exit status" 1 "$status"
check_match "ab refuses --until after '--': message" "^FATAL: ab: --until cannot be used after '--'" "$err"

finish
