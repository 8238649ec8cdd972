#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A client that is frozen for S seconds at rate λ: the λS requests that arrive meanwhile are all served at its end, so
# their response times are uniform on (0, S). Of N requests in all
#
#     mean = λS²/2N        p99 = S (1 − 0.01 N/λS)
#
# Bounds: 2 % (design.md), and on top of it what chance and the clock of this script may do. The number of arrivals in
# the stall, Poisson with mean 2000, has a relative standard deviation of 2.2 % and the mean depends on it in proportion;
# therefore λS is taken from the run itself: k, the number of requests that took longer than 5 ms, from the histogram of the
# JSON. Given k, the mean of k uniform times has the relative standard error 1/sqrt(3k) = 1.3 %, times 4 makes 5 %;
# the 99 % quantile is the order statistic k − N/100 of k uniform ones, with the standard error
# S·sqrt(q(1 − q)/k) < 0.6 % of S. The length of the freeze is read from the largest response time, which lies within S/k of it.
. "$TESTS_DIR/cli/lib.sh" || exit 1

echo 'function event() end' >e.lua
"$SYSRATE" --db-driver=null --tx-rate=1000 --threads=8 --time=15 --percentile=99 --rand-seed=1 \
    --json=a.json e.lua run >out.txt 2>&1 &
pid=$!
sleep 6
kill -STOP $pid
sleep 2
kill -CONT $pid
wait $pid
check_equal "exits 0" 0 $?

figures=$(jq -r '.summary | [.response_ms.max, .response_ms.mean, .response_ms.percentiles["99"].value,
    .requests.offered, ([.histogram.response[] | select(.[0] > 5e6) | .[1]] | add)] | @tsv' a.json)
read -r max mean p99 n k <<<"$figures"
echo "# max $max ms, mean $mean ms, p99 $p99 ms, N $n, in the stall $k"

check_between "the freeze was 2 s" 1990 "$max" 2300
expected_p99=$(awk -v s="$max" -v n="$n" -v k="$k" 'BEGIN { print s * (1 - 0.01 * n / k) }')
expected_mean=$(awk -v s="$max" -v n="$n" -v k="$k" 'BEGIN { print s * k / (2 * n) }')
check_between "p99 is that of the formula" "$(awk -v e="$expected_p99" 'BEGIN { print 0.974 * e }')" "$p99" \
    "$(awk -v e="$expected_p99" 'BEGIN { print 1.026 * e }')"
check_between "mean is that of the formula" "$(awk -v e="$expected_mean" 'BEGIN { print 0.93 * e }')" "$mean" \
    "$(awk -v e="$expected_mean" 'BEGIN { print 1.07 * e }')"
check "requests add up" jq -e '.summary.requests |
    .offered == .completed + .failed + .dropped + .unfinished' a.json

finish
