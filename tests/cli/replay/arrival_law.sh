# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate replay LOG --arrival-law: the arrivals of runs with known laws, as they would be in a server's log, and the
# options that the program finds for them.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

# law RUN_OPTION...: makes a run of 10 s, writes its arrivals as a general log, and reads the law of that log. A log of
# the scheduled arrivals does not depend on how busy this machine is.
law() {
    run "$SYSRATE" oltp_point_select --db-driver=null --threads=2 --time=10 --rand-seed=7 --request-log=requests "$@" run
    check_equal "a run with $*: exit code" 0 "$status"
    grep -v '^#' requests | sort -n | awk '{ s = $1 / 1e9
        printf "2026-11-25T10:00:%09.6fZ\t%5d Query\t%s\n", s, 7 + NR % 20, NR % 2 ? "SELECT 1" : "DELETE FROM t" }' >arrivals.log
    rm -f law.json
    run "$SYSRATE" replay arrivals.log --arrival-law --json=law.json
    check_equal "the law with $*: exit code" 0 "$status"
}
json() { jq -c "$1" law.json; }

# The CV of n gaps has a standard deviation of √(CV² ((k − 1)/4 − s CV + CV²)/n), where s is the skewness and k the
# kurtosis of a gap. Gamma gaps with a CV of 2 have s = 4 and k = 27: √(10/20000) = 0.0224, of which 4 are 0.09.
law --tx-rate=2000 --arrival='gamma(2)'
check_between "gamma(2): the CV" 1.91 "$(json .cv)" 2.09
check_equal "gamma(2): all statements count, also writes" true "$(json '.statements > 18000 and .sessions == 20')"
check_match "gamma(2): its options" "^    --tx-rate=[0-9.]+ --arrival='gamma\((1.9|2.0|2)[0-9]?\)'$" "$out"
check_match "gamma(2): the CV in the text" '^Coefficient of variation of the gaps: (1\.9|2\.0)[0-9]+$' "$out"
# I of windows with 200 arrivals is (4 · 200 − 2.5)/200 = 3.99, with a relative standard error of √(2/99) = 0.14.
check_between "gamma(2): I of long windows is near CV²" 1.7 "$(json '.dispersion[] | select(.window_s == 0.1) | .index')" 6.5
check_equal "windows that are too long for the log are not judged" null "$(json '.dispersion[] | select(.window_s == 60) | .index')"
check_match "text: a row for each scale" '100 ms +99 +[0-9.]+ +[0-9.]+' "$out"
check_match "text: windows that are too long" '^ +60 s +0 +- +-$' "$out"

# Exponential gaps: s = 2, k = 9, so the standard deviation is 1/√20000 = 0.0071.
law --tx-rate=2000
check_between "poisson: the CV" 0.97 "$(json .cv)" 1.03
check_equal "poisson" '"poisson"' "$(json .kind)"
law --tx-rate=2000 --arrival=constant
check_equal "constant" '"constant"' "$(json .kind)"

# I(w) = 1 + A (1 − (1 − exp(−x))/x), x = c w, c = 1/0.04 + 1/0.01 = 125/s, A = 2 p (1 − p) (b − a)²/(mean c) = 53: 24 at
# 10 ms, 50 at 100 ms. In 40 simulated logs the logarithms of the ratio of the rates and of the two times had standard
# deviations of 0.11, 0.25 and 0.23. Four of them are factors of 1.6, 2.7 and 2.5.
law --tx-rate=2000 --arrival='mmpp(1,10,40ms,10ms)'
check_equal "mmpp: it is recognised" '"mmpp"' "$(json .kind)"
check_equal "mmpp: I grows with the window" true \
    "$(json '[.dispersion[] | select(.window_s <= 0.05) | .index] | . == sort and .[2] > 1.3 * .[0]')"
check_equal "mmpp: its parameters" true "$(json '.arrival | capture("mmpp.(?<a>[^,]+),(?<b>[^,]+),(?<l>[^,]+)ms,(?<h>[^,]+)ms") |
    map_values(tonumber) | .b / .a > 6.2 and .b / .a < 16 and .l > 14 and .l < 110 and .h > 3.9 and .h < 25')"
arrival=$(json .arrival)
run "$SYSRATE" oltp_point_select --db-driver=null --tx-rate=2000 --arrival="${arrival//\"/}" --time=0.1 run
check_equal "mmpp: a run accepts it" 0 "$status"

# A rate that grows. Arrivals are exponential in operational time, so 17 500 gaps have a CV of 1 ± 0.03 with 4 standard
# deviations. Around a constant rate the pieces differ by far more than chance.
law --tx-rate=0s:500,10s:3000
check_equal "a ramp: exponential gaps around the curve" '"poisson"' "$(json .kind)"
check_between "a ramp: their CV" 0.96 "$(json .cv)" 1.04
check_equal "a ramp: the rate at its middle" true "$(json '.tx_rate | split(",") | .[4] | capture("^4.5s:(?<r>.*)$").r | tonumber | . > 1400 and . < 1850')"
check_match "a ramp: its options" "^    --tx-rate=0.5s:.*--arrival='poisson'$" "$out"
check_match "a ramp: I around a constant rate grows" '"window_s":0.5,"windows":19,"index":[0-9]{2}' "$(json '.dispersion[] | select(.window_s == 0.5)')"
cp law.json slow.json
run "$SYSRATE" replay arrivals.log run --arrival-law --speed=10 --json=law.json
check_equal "a speed: ten times the rate" true \
    "$(jq -s 'map(.rate_per_s) | .[1] / .[0] | . > 9.99 and . < 10.01' slow.json law.json)"
run "$SYSRATE" replay arrivals.log --arrival-law --json=-
check_equal "JSON on standard output" "0 1" "$status $(jq .arrival_law_schema <<<"$out")"

# A stationary MMPP whose states last about as long as a piece of the curve (5 s): in 40 of 40 simulated logs no curve is
# needed. A rule that compares pieces with shorter windows only takes 27 of them for a changing rate. A growing rate stays
# a curve. The seeds are fixed, so the logs are the same each time.
cat >arrivals.py <<'PY'
import random, sys
random.seed(int(sys.argv[2]))
now, span, state, until = 0.0, 60.0, 0, 0.0
while True:
    if sys.argv[1] == "mmpp":
        rate = (78, 1560)[state]
        gap = random.expovariate(rate)
        if now + gap > until:
            now, state = until, 1 - state
            until = now + random.expovariate(1 / (5, 2)[state])
            if now > span:
                break
            continue
    else:
        gap = random.expovariate(600)
    now += gap
    if now > span:
        break
    if sys.argv[1] == "mmpp" or random.random() < (1 + now / span) / 2:
        print(f"2026-11-25T10:00:{now:09.6f}Z\t    7 Query\tSELECT 1")
PY
for seed in 1 2 3 4 5 6; do
    for kind in mmpp ramp; do
        python3 arrivals.py $kind $seed >arrivals.log
        run "$SYSRATE" replay arrivals.log --arrival-law --json=law.json
        case $kind in
        mmpp) check_equal "a stationary MMPP, seed $seed: no curve" '["mmpp",true]' "$(json '[.kind, (.tx_rate | contains(":") | not)]')" ;;
        ramp) check_equal "a growing rate, seed $seed: a curve" '["poisson",true]' "$(json '[.kind, (.tx_rate | contains(":"))]')" ;;
        esac
    done
done

# A clock that ticks in seconds: the CV comes from the numbers of arrivals.
awk 'BEGIN { srand(3); for (s = 0; s < 100; s++) for (i = 0; i < 40 + 4 * (s % 2); i++)
    printf "261124  3:%02d:%02d\t%6d Query\tSELECT 1\n", s / 60, s % 60, i }' >coarse.log
run "$SYSRATE" replay coarse.log --arrival-law --json=law.json
check_match "a coarse clock: the CV is that of windows" 'in windows of 1 s, because the log.s clock is too coarse for gaps' "$out"
# 40 and 44 arrivals in turn: the variance is 4, the mean 42.
check_between "a coarse clock: I of a second" 0.09 "$(json '.dispersion[] | select(.window_s == 1) | .index')" 0.1
check_equal "a coarse clock: no shorter windows" null "$(json '.dispersion[] | select(.window_s == 0.5) | .index')"

# Extreme spans: 1 us, and 46 years.
for year in 2026 1980; do
    printf '%s-11-25T10:00:00.000000Z\t    7 Query\tSELECT 1\n2026-11-25T10:00:00.000001Z\t    7 Query\tSELECT 2\n' "$year" >span.log
    run "$SYSRATE" replay span.log --arrival-law --json=law.json
    check_equal "from $year to 2026: exit code, arrivals of the curve" "0 2" "$status $(json '[.curve[].arrivals] | add')"
done

# Logs that are too short, or empty, and wrong calls.
head -n 1 coarse.log >one.log
run "$SYSRATE" replay one.log --arrival-law
check_equal "one statement: exit code" 0 "$status"
check_match "one statement: no options" '^    the log is too short for its law$' "$out"
run "$SYSRATE" replay no.log --arrival-law
check_equal "no log: exit code" 1 "$status"
run "$SYSRATE" replay one.log --arrival-law=maybe
check_match "a wrong value" "invalid value for --arrival-law: 'maybe'" "$err"
run "$SYSRATE" replay one.log prepare --arrival-law
check_match "another command" 'does not implement the .prepare. command' "$err"

finish
