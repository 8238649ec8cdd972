#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysbench.quality(): the figures of a script in text, JSON, CSV, page and metrics, of several ranks, and as objectives.
. "$TESTS_DIR/cli/lib.sh" || exit 1

# Each worker counts its own values of "f", which are of no simple form, and prints their number and sum at its end.
cat >values.lua <<'LUA'
local n, sum = 0, 0
function thread_init()
   sysbench.quality("f")
   sysbench.quality("later")
end
function event()
   local value = sysbench.rand.uniform(0, 10) / 7
   n, sum = n + 1, sum + value
   sysbench.quality("f", value)
   sysbench.quality("one", 1)
end
-- One call for each line, so that lines of several threads are not mixed.
function thread_done() io.write(("SUM %d %.17g\n"):format(n, sum)) end
LUA

# Prints the count and the mean that the workers have counted, with 12 digits. A worker may end while the program prints a line in parts.
counted() { grep -o 'SUM [0-9]* [0-9.e+-]*' | awk '{n += $2; s += $3} END {printf "%d %.12f", n, s / n}'; }

run "$SYSRATE" --threads=4 --tx-rate=1000 --time=1.2 --report-interval=0.3 --drain=10 --json=a.json --csv=a.csv --html=a.html \
    --prom-file=a.prom values.lua run
check_equal "the run exits 0" 0 "$status"
check_equal "JSON: count and mean are those that the script has counted" "$(counted <<<"$out")" \
    "$(jq -r '.summary.quality.f | "\(.count) \(.mean)"' a.json | awk '{printf "%d %.12f", $1, $2}')"
check_equal "JSON: the intervals have the same values" true \
    "$(jq '(.summary.quality.f.count == ([.intervals[].quality.f.count] | add)) and
        ((.summary.quality.f.mean - ([.intervals[].quality.f | select(.count > 0) | .mean * .count] | add) / .summary.quality.f.count) | fabs < 1e-12)' a.json)"
check_equal "JSON: equal values have an interval of width 0" '[1,1,1]' "$(jq -c '.summary.quality.one | [.mean, .low, .high] | map(floor)' a.json)"
# 0 to 10 with equal probability have a standard deviation of the square root of 10.
check_equal "JSON: the 95 % interval is 1.96 standard deviations to both sides" true \
    "$(jq '.summary.quality.f | (.high - .low) / (2 * 1.96 * ((10 | sqrt) / 7) / (.count | sqrt)) | . > 0.9 and . < 1.1' a.json)"
check_equal "JSON: a figure without values" '{"count":0,"mean":null,"low":null,"high":null}' \
    "$(jq -c '.summary.quality.later | del(.squares)' a.json)"
check_match "text: the section" '^Quality:$' "$out"
check_match "text: the mean with its interval" \
    "^    f  +$(jq -r '.summary.quality.f | "\(.mean) \(.low) \(.high) \(.count)"' a.json | awk '{printf "%.4f, 95 %% interval %.4f to %.4f, of %d values", $1, $2, $3, $4}')\$" "$out"
check_match "text: a figure without values" '^    later +nothing measured$' "$out"
check_match "text: a line for each interval" '^\[ [0-9.]+s \] quality: f [0-9]\.[0-9]{4} \(of [0-9]+\) later - ' "$out"
check_equal "CSV: the columns" "quality_f quality_f_low quality_f_high quality_f_count" \
    "$(head -1 a.csv | tr -d '\r' | tr , '\n' | grep '^quality_f' | paste -sd' ')"
check_equal "CSV: the values of the intervals" True "$(python3 -c 'import csv, json
means = [i["quality"]["f"]["mean"] for i in json.load(open("a.json"))["intervals"]]
rows = [r["quality_f"] for r in csv.DictReader(open("a.csv", newline=""))]
print([None if r == "" else float(r) for r in rows] == means)')"
check_match "page: the column over time" '"quality_f":\[' "$(cat a.html)"
check_equal "metrics: the number of values" "$(jq .summary.quality.f.count a.json)" \
    "$(sed -n 's/^sysrate_quality_values_total{figure="f"} //p' a.prom)"
check_match "metrics: their sum" '^sysrate_quality_values_sum\{figure="one"\} [0-9]+$' "$(cat a.prom)"
run "$SYSRATE" report a.json
check_match "report prints the section again" '^    later +nothing measured$' "$out"

# The warm-up does not count: its values are 0.
cat >warm.lua <<'LUA'
local start = sysbench.clock()
function event() sysbench.quality("f", sysbench.clock() - start < 0.2 and 0 or 1) sysbench.sleep(0.01) end
LUA
run "$SYSRATE" --warmup-time=0.6 --time=0.3 --json=a.json warm.lua run
check_equal "values of the warm-up are left out" 1 "$(jq '.summary.quality.f.mean | floor' a.json)"

# Objectives.
run "$SYSRATE" --threads=2 --time=0.3 --slo='one>=1,f<1,f>0.5' --json=a.json values.lua run
check_equal "objectives that are met: exits 0" 0 "$status"
check_match "objectives that are met: the figure" '^    one>=1 +1\.0000 +met$' "$out"
check_equal "objectives in JSON" '["one>=1","",1]' "$(jq -c '.summary.slo.objectives[0] | [.objective, .unit, (.figure | floor)]' a.json)"
run "$SYSRATE" --time=0.2 --slo='one>1' values.lua run
check_equal "an objective that is missed: exits 3" 3 "$status"
run "$SYSRATE" --time=0.2 --slo='recall>0.5' values.lua run
check_equal "a figure that the script does not have: exits 3" 3 "$status"
check_match "a figure that the script does not have: nothing measured" '^    recall>0\.5 +nothing measured +MISSED$' "$out"
run "$SYSRATE" --time=60 --slo='one<1' --slo-abort=0.3 --json=a.json values.lua run
check_equal "--slo-abort ends a run with a bad figure" '3 slo' "$status $(jq -r .summary.end a.json)"

# A script with a figure that no rate can help, and one that is good.
run "$SYSRATE" capacity --slo='max<100s,one>1' --out=bad --min-rate=50 --max-rate=100 --probe-time=0.3 --pause=0 --pairs=0 --seed=3 \
    --time-limit=5 -- values.lua --threads=2
check_equal "capacity: no rate meets a figure that is always bad" '[true,false]' "$(jq -c '[.probes[].met] | [length > 0, any]' bad/capacity.json)"
run "$SYSRATE" capacity --slo='max<100s,one>0.9' --out=good --min-rate=50 --max-rate=100 --probe-time=0.3 --pause=0 --pairs=0 --seed=3 \
    --time-limit=5 -- values.lua --threads=2
check_equal "capacity: each rate meets a figure that is always good" '[true,true]' \
    "$(jq -c '[.probes[].figures["one>0.9"].met] | [length > 0, all]' good/capacity.json)"

# Ranks: each rank has its own values; the merged report has all of them.
touch start
for rank in 0 1; do
    "$SYSRATE" --node=$rank/2 --rand-seed=7 --start-at=+3:start --threads=4 --tx-rate=500 --time=1 --drain=10 --report-interval=0.5 \
        --json=rank.$rank.json values.lua run >rank.$rank.out 2>&1 &
done
wait
run "$SYSRATE" merge --json=all.json rank.0.json rank.1.json
check_equal "merge exits 0" 0 "$status"
check_equal "merge: the values of both ranks" "$(cat rank.*.out | counted)" \
    "$(jq -r '.summary.quality.f | "\(.count) \(.mean)"' all.json | awk '{printf "%d %.12f", $1, $2}')"
check_equal "merge: also in the intervals" true "$(jq '.summary.quality.f.count == ([.intervals[].quality.f.count] | add)' all.json)"

# Wrong calls.
wrong() {
    echo "function event() $2 end" >wrong.lua
    run "$SYSRATE" --events=1 wrong.lua run
    check_equal "$1: exits 1" 1 "$status"
    check_match "$1: the message" "$3" "$err"
}
wrong "no name" 'sysbench.quality()' 'quality\(nil\): the name of a figure was expected'
wrong "a name of an objective" 'sysbench.quality("p99", 1)' 'quality\(p99\): the name of a figure was expected'
wrong "no number" 'sysbench.quality("f", "x")' "quality\('f', x\): a number from -1e15 to 1e15 was expected"
wrong "not a number" 'sysbench.quality("f", 0 / 0)' "quality\('f', -?nan\): a number from -1e15 to 1e15 was expected"

finish
