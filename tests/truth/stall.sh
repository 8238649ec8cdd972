#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A client that is frozen for S seconds at rate λ. The k ≈ λS requests that arrive during the freeze
# are all served at its end, so their response times are uniform on (0, S). If N is the number of
# all requests:
#
#     mean = kS/2N        p99 = S (1 − 0.01 N/k)
#
# Bounds: 2 % for errors of the program, plus chance. The number of arrivals in the freeze is
# Poisson with mean 2000 and has a relative standard deviation of 2.2 %, and the mean is
# proportional to it. Therefore k is taken from the run itself, as twice the number of requests that
# took longer than S/2 (from the histogram in the JSON report), which is longer than delays caused
# by the machine. Given k, the mean of uniform times has a relative standard error of 1/sqrt(3k) =
# 1.3 % at k = 2000; four times that is 5 %. The 99 % quantile is an order statistic of the k values
# with the standard error S·sqrt(q(1 − q)/k) < 0.6 % of S. S is the longest response time, which
# differs from S by at most S/k. Delays caused by the machine at other times also contribute to the
# mean; they are known, because the log of requests has the requests outside of the freeze.
. "$TESTS_DIR/cli/lib.sh" || exit 1

echo 'function event() end' >e.lua
freeze_client() {
    rm -f out.txt
    "$SYSRATE" --db-driver=null --tx-rate=1000 --threads=8 --time=15 --drain=60 --percentile=99 --rand-seed=1 \
        --json=a.json --request-log=a.log e.lua run >out.txt 2>&1 &
    pid=$!
    wait_for 40 grep -qs '^Threads started!' out.txt
    sleep 6
    before_ns=$(date +%s%N)
    kill -STOP $pid
    stopped_ns=$(date +%s%N)
    sleep 2
    resumed_ns=$(date +%s%N)
    kill -CONT $pid
    after_ns=$(date +%s%N)
    wait $pid
    status=$?
}
steadily freeze_client
check_equal "exits 0" 0 "$status"

calculate() { awk "BEGIN { print $1 }"; }
figures=$(jq -r '.summary | .response_ms.max as $max | [$max, .response_ms.mean, .response_ms.percentiles["p99"].value,
    .requests.offered, 2 * ([.histogram.response[] | select(.[0] > $max * 5e5) | .[1]] | add)] | @tsv' a.json)
read -r max mean p99 n k <<<"$figures"
# The freeze begins at the arrival of the request with the longest response time.
elsewhere=$(awk '!/^#/ { arrival[++n] = $1; ms[n] = ($3 - $1) / 1e6; if (ms[n] > ms[worst]) worst = n }
    END { for (i = 1; i <= n; i++) if (arrival[i] < arrival[worst] || arrival[i] > arrival[worst] + ms[worst] * 1e6) sum += ms[i]
          print sum / n }' a.log)
echo "# max $max ms, mean $mean ms, of it $elsewhere ms elsewhere, p99 $p99 ms, N $n, in the stall $k"

# With an arrival every ms, a gap of 12 ms has a probability of 6·10^-6. Late wake-ups add to the
# gap.
check_between "the freeze was 2 s" "$(calculate "($resumed_ns - $stopped_ns) / 1e6 - 12")" "$max" \
    "$(calculate "($after_ns - $before_ns) / 1e6 + 2000")"
expected_p99=$(calculate "$max * (1 - 0.01 * $n / $k)")
expected_mean=$(calculate "$max * $k / (2 * $n) + $elsewhere")
check_between "p99 is that of the formula" "$(calculate "0.974 * $expected_p99")" "$p99" "$(calculate "1.026 * $expected_p99")"
check_between "mean is that of the formula" "$(calculate "0.93 * $expected_mean")" "$mean" "$(calculate "1.07 * $expected_mean")"
check "requests add up" jq -e '.summary.requests |
    .offered == .completed + .failed + .dropped + .unfinished' a.json

finish
