# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Compares the response times of a report with those of all requests in request logs. The report
# must have the percentiles 50, 95, 99 and 99.9. Sourced after lib.sh.

# exact LOG...: prints count, minimum, mean, maximum and percentiles 50, 95, 99, 99.9 of the
# response times of all requests in these logs, in ms.
exact() {
    grep -hv '^#' "$@" | awk '{ print $3 - $1 }' | sort -n | awk '
        { ns[NR] = $1; sum += $1 }
        function rank(p,   r) { r = NR * p / 100; return r == int(r) ? r : int(r) + 1 }
        END { printf "%d %.6f %.6f %.6f %.6f %.6f %.6f %.6f\n", NR, ns[1] / 1e6, sum / NR / 1e6, ns[NR] / 1e6,
                  ns[rank(50)] / 1e6, ns[rank(95)] / 1e6, ns[rank(99)] / 1e6, ns[rank(99.9)] / 1e6 }'
}

# within FIGURE PART: prints FIGURE · (1 − PART) and FIGURE · (1 + PART).
within() {
    awk -v figure="$1" -v part="$2" 'BEGIN { printf "%.9f %.9f\n", figure * (1 - part), figure * (1 + part) }'
}

# check_exact NAME REPORT LOG...: checks that counts, minimum and maximum are exact, and percentiles
# within the 0.1 % of the histogram.
check_exact() {
    local name=$1 report=$2 count min mean max p50 p95 p99 p999 low high p seen s='.summary.response_ms'
    shift 2
    read -r count min mean max p50 p95 p99 p999 < <(exact "$@")
    check_equal "$name: all requests" "$count" "$(jq -r "$s.count" "$report")"
    check_equal "$name: the minimum" "$min" "$(jq -r "$s.min" "$report" | xargs printf '%.6f')"
    check_equal "$name: the maximum" "$max" "$(jq -r "$s.max" "$report" | xargs printf '%.6f')"
    check_between "$name: the mean" "$(awk -v m="$mean" 'BEGIN { printf "%.9f", m - 2e-6 }')" "$(jq -r "$s.mean" "$report")" \
        "$(awk -v m="$mean" 'BEGIN { printf "%.9f", m + 2e-6 }')"
    for p in "50:$p50" "95:$p95" "99:$p99" "99.9:$p999"; do
        seen=$(jq -r "$s.percentiles[\"p${p%:*}\"].value" "$report")
        read -r low high < <(within "${p#*:}" 0.001)
        check_between "$name: percentile ${p%:*}" "$low" "$seen" "$high"
    done
}

# Prints the arrival times in request logs.
arrivals() {
    sort -n "$@" | grep -v '^#' | cut -d' ' -f1
}
