# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate capacity -- replay LOG: the speed at which a replay meets its objectives. The server is the null driver with a
# constant service time, and the log has one session, so the response times at each speed follow from Lindley's
# recursion. tests/db/replays/capacity_replay.sh tests it with servers.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

refused() {
    run "$SYSRATE" capacity --slo='p90<30ms' --out=found "${@:3}"
    check_equal "refused: $1: exits 1" 1 "$status"
    check_match "refused: $1" "$2" "$err"
}
result() { jq -c "$1" found/capacity.json; }

# 200 statements of a Poisson process of 50 per second.
awk 'BEGIN { srand(4); for (i = 0; i < 200; i++) { t -= log(1 - rand()) / 50
    printf "2026-11-25T10:00:%09.6fZ\t    7 Query\tSELECT %d\n", t, i } }' >monday.log
head -n 1 monday.log >one.log

refused "no log" 'no log follows replay .needed: -- replay LOG .options.' -- replay
refused "another command" 'the only command allowed after .--. is run: walk' -- replay monday.log walk
refused "no such log" 'cannot read the log no.log' -- replay no.log --db-driver=null
refused "a log without a rate" 'capacity: the log one.log has no rate' -- replay one.log --db-driver=null
refused "--speed" 'capacity: --speed cannot be used after .--.: the search sets it' -- replay monday.log --speed=2
refused "an unknown option" 'invalid option: --nothing=1' -- replay monday.log --nothing=1
for option in min-rate=1 max-rate=50 probe-time=5 pairs=1; do
    refused "--$option" "capacity: --${option%=*} cannot be used with the replay of a log" --$option -- replay monday.log
done
refused "--min-speed with a script" 'capacity: --min-speed needs the replay of a log' --min-speed=2 -- oltp_point_select
refused "speeds" 'capacity: --min-speed=3 must be below --max-speed=2' --min-speed=3 --max-speed=2 -- replay monday.log
refused "a speed" "invalid value for --min-speed: '0' .allowed: a number from 0.001 to 1e.06.|invalid value for --min-speed: '0'" --min-speed=0 -- replay monday.log
refused "a command" "invalid value for --before-probe: 'restore' .allowed: exec: COMMAND" --before-probe=restore -- replay monday.log
check_not "nothing was made" test -e found

# A search. The probes and the commands before them.
RUN_TIMEOUT=300 run "$SYSRATE" capacity --slo='p90<40ms' --seed=3 --out=found --pause=0 --precision=15 --time-limit=240 \
    --before-probe='sh: echo restored >>'"$PWD/restores" -- replay monday.log --db-driver=null --null-service=10ms
check "it ends" test "$status" = 0 -o "$status" = 4
check_match "its name" '^Capacity of replay monday.log with --seed=3: p90<40ms$' "$out"
check_equal "a command before each probe" "$(result '.probes | length')" "$(grep -c restored restores)"
check_equal "the command in JSON" 1 "$(result '.before_probe | length')"
check_match "the first probe has speed 1" '^probe 1: bracket +[0-9.]+/s  met +speed 1  p90<40ms: ' "$err"
check_equal "speeds and rates" true "$(result '.log as $l | [.probes[] | .rate_per_s / .speed / $l.rate_per_s | . > 0.999 and . < 1.001] | all')"
check_equal "the log" 'monday.log 200 true' "$(jq -r '.log | "\(.file) \(.statements) \(.rate_per_s * .span_s > 199.9 and .rate_per_s * .span_s < 200.1)"' found/capacity.json)"
check_equal "each probe that completed has the whole log" true \
    "$(jq -s 'map(select(.summary.end == "events") | .summary.requests.offered) | length > 0 and all(. == 200)' found/probe-*.json)"
check_equal "another search is comparable only with this load and these commands" true \
    "$(result '.log.hash as $h | .settings.config | .log_hash == $h and ($h | length) == 16 and (.before_probe | length) == 1')"
search=$out
sed 's/SELECT 77$/SELECT 78/' monday.log >tuesday.log
cp monday.log copy.log
for log in monday tuesday copy; do
    run "$SYSRATE" --db-driver=null replay $log.log replay-load:$log.json
done
check_equal "a copy of the log is the same load" "$(jq .hash monday.json)" "$(jq .hash copy.json)"
check_equal "the hash of the search" "$(jq .hash monday.json)" "$(result .log.hash)"
check_not "another statement, another load" test "$(jq .hash monday.json)" = "$(jq .hash tuesday.json)"
check_match "the page" 'Capacity of replay monday.log</h1>' "$(cat found/page.html)"

# The edge by Lindley's recursion, for the shortest and the longest mean service time of the probes around it: timers of
# a busy machine fire late. The interval has a coverage of 95 %; here it must overlap this range, widened by 10 %.
cat >edge.py <<'PY'
import json, glob, math
times = []
for line in open("monday.log"):
    minutes, seconds = line.split("Z")[0].split("T")[1].split(":")[1:]
    times.append(60 * int(minutes) + float(seconds))
def p90(speed, service):
    free, responses = 0, []
    for t in times:
        free = max((t - times[0]) / speed, free) + service
        responses.append(free - (t - times[0]) / speed)
    return sorted(responses)[math.ceil(0.9 * len(responses)) - 1]
def edge(service):
    low, high = 0.1, 100
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if p90(middle, service) < 0.04 else (low, middle)
    return low
search = json.load(open("found/capacity.json"))
services = [json.load(open("found/" + p["file"]))["summary"]["service_ms"]["mean"] / 1000 for p in search["probes"]]
slowest, fastest = edge(max(services)) / 1.1, edge(min(services)) * 1.1
result = search["result"]
good = (result["low_speed"] or 0) <= fastest and (result["high_speed"] or 1e9) >= slowest
print("ok" if good else f"{result} {slowest} to {fastest}")
PY
check_equal "the interval has the edge" ok "$(python3 edge.py)"
if [ "$(result .result.outcome)" = '"found"' ]; then
    check_match "the result names the factor" '^Capacity: [0-9.]+ times the load of monday.log, 95 % confidence interval [0-9.]+ to [0-9.]+ ' "$search"
    check_match "the result names the rate" '^    that is [0-9.]+ statements/s on average, where the log has [0-9.]+$' "$search"
    check_equal "factor and rate in JSON" true "$(result '.log.rate_per_s as $r | .result | .rate_per_s / .speed / $r | . > 0.999 and . < 1.001')"
fi
run "$SYSRATE" archive add shelf found/capacity.json
run "$SYSRATE" archive show shelf 1
check_match "an archive shows it again" 'capacity of replay monday.log: p90<40ms' "$out"
rm -r found

# The bounds.
run "$SYSRATE" capacity --slo='p90<1us' --out=found --min-speed=20 --pause=0 -- replay monday.log --db-driver=null --null-service=1ms
check_equal "the lowest speed misses: exits 3" 3 "$status"
check_match "the lowest speed misses" '^Capacity: below 20 times the load of monday.log: the lowest speed misses already' "$out"
rm -r found
run "$SYSRATE" capacity --slo='p90<9s' --out=found --min-speed=20 --max-speed=30 --pause=0 -- replay monday.log --db-driver=null
check_equal "the highest speed meets: exits 0" 0 "$status"
check_match "the highest speed meets" '^Capacity: at least 30 times the load of monday.log: the highest speed meets' "$out"
rm -r found

# A command that fails ends the search.
run "$SYSRATE" capacity --slo='p90<9s' --out=found --before-probe='sh: echo no backup >&2; exit 3' -- replay monday.log --db-driver=null
check_equal "a failed command: exits 1" 1 "$status"
check_match "a failed command: its message" 'FATAL: capacity: --before-probe: .*no backup' "$err"
run "$SYSRATE" capacity --slo='p90<9s' --out=other --min-rate=100 --max-rate=200 --probe-time=0.2 --pause=0 --pairs=0 \
    --before-probe='sh: echo made >>'"$PWD/others" -- oltp_point_select --db-driver=null
check_equal "commands before probes of another test" "0 $(jq '.probes | length' other/capacity.json)" "$status $(grep -c made others)"

finish
