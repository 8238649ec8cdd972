#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysrate capacity: errors, files, output and exit codes. The confidence intervals are tested in
# tests/unit/tools/capacity/test_capacity_search.c. The server here is a step: on any machine it is fast up to 100
# requests/s and slow above that.
. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

cat >step.lua <<'LUA'
sysbench.cmdline.options = {note = {"a text", "none"}}
ffi.cdef("int usleep(unsigned)")
local slow
function thread_init() slow = tonumber(sysbench.opt.rate) > 100 end
function event() if slow then ffi.C.usleep(450000) end end
LUA
echo 'function event() error("no such luck") end' >failing.lua
# The script declares an option, so other options are refused.
echo 'sysbench.cmdline.options = {size = {"a number", 1}} function event() end' >empty.lua
echo 'function event() return 1 end' >ending.lua

refused() {
    local name=$1 expected=$2
    shift 2
    run "$SYSRATE" capacity "$@"
    check_equal "refused: $name: exits 1" 1 "$status"
    check_equal "refused: $name" "$expected" "${err#FATAL: }"
}
allowed='different objectives such as p99<20ms, mean<500us, max<1s, errors<0.1%, throughput>500, TYPE:p90<5s or QUALITY>0.95, up to 16, separated by commas; or tpcc'
for slo in 'p99' 'p99<20ms,' 'p99>20ms' 'latency<1ms'; do
    refused "--slo='$slo'" "invalid value for --slo: '$slo' (allowed: $allowed)" --slo="$slo" --out=dir -- empty.lua
done
for unit in ms %; do
    slo='p99<20'
    [ "$unit" = ms ] || slo='errors<1'
    refused "--slo='$slo'" "invalid value for --slo: '$slo' (allowed: a limit with its unit, such as us, ms, s or %: '$slo$unit')" \
        --slo="$slo" --out=dir -- empty.lua
done
refused "no objectives" "capacity: --slo=OBJECTIVES is needed, such as --slo='p99<20ms'" --out=dir -- empty.lua
refused "a throughput" "capacity: throughput>5 cannot be an objective, because the search looks for the rate" \
    --slo='max<1s,throughput>5' --out=dir -- empty.lua
refused "no folder" "capacity: --out=DIR is needed, a folder for the results" --slo='max<1s' -- empty.lua
refused "no test" "capacity: the test and its options follow '--': sysrate capacity [options] -- TEST [options]" \
    --slo='max<1s' --out=dir
refused "a test before --" "capacity: the test and its options follow '--': sysrate capacity [options] -- TEST [options]" \
    --slo='max<1s' --out=dir empty.lua -- empty.lua
refused "an unknown option" "invalid option: --precission=3"$'\n'"Did you mean --precision?" --slo='max<1s' --out=dir --precission=3 -- empty.lua
refused "a precision" "invalid value for --precision: '0' (allowed: a number from 0.1 to 50)" \
    --slo='max<1s' --out=dir --precision=0 -- empty.lua
refused "rates" "capacity: --min-rate=100 must be below --max-rate=100" \
    --slo='max<1s' --out=dir --min-rate=100 --max-rate=100 -- empty.lua
for option in rate=5 tx_rate=5 time=5 slo=max\<1s warmup-time=1 rand-seed=1; do
    name=${option%%=*}
    refused "--$option behind --" "capacity: --$name cannot be used after '--': the search sets it" \
        --slo='max<1s' --out=dir -- empty.lua --"$option"
done
refused "an unknown option of the test" "invalid option: --nothing=1" --slo='max<1s' --out=dir -- empty.lua --nothing=1
check_not "nothing was made" test -e dir
mkdir used && touch used/something
refused "a folder with something in it" "--out=used is not empty: name a new folder" --slo='max<1s' --out=used -- empty.lua

result() { jq -c "$1" "dir/capacity.json"; }

run "$SYSRATE" capacity --slo='p50<200ms,errors<1%' --out=dir --min-rate=50 --probe-time=0.4 --pause=0 --pairs=0 --precision=20 \
    --seed=3 --time-limit=6 -- step.lua --threads=64 --note='<b>'
check "a search ends" test "$status" = 0 -o "$status" = 4
check_match "it says with what seed" '^Capacity of step.lua with --seed=3: p50<200ms errors<1%$' "$out"
check_match "its progress" '^probe 1: bracket +50\.00/s ' "$err"
check_match "its result" '^Capacity: ' "$out"
check_equal "no rate above the step meets" 0 "$(result '[.probes[] | select(.rate_per_s > 100 and .met)] | length')"
check "the seed is the search's alone" test "$(result '[.probes[].seed] | length == (unique | length)')" = true
check_equal "a report for each probe" "$(result '.probes | length')" "$(find dir -name 'probe-*.json' | wc -l)"
check_equal "the reports are those of the probes" "$(result '[.probes[].rate_per_s * 1000 | round]')" \
    "$(cat dir/probe-*.json | jq -sc '[.[].config.rate * 1000 | round]')"
python3 - <<'PY' >csv.txt
import csv, json
rows = list(csv.DictReader(open("dir/probes.csv", newline=""), strict=True))
probes = json.load(open("dir/capacity.json"))["probes"]
print(len(rows) == len(probes) and all(
    float(r["rate_per_s"]) == p["rate_per_s"] and r["phase"] == p["phase"] and r["met"] == str(int(p["met"])) and
    r["p50<200ms"] == f'{p["figures"]["p50<200ms"]["value"]:.15g}' for r, p in zip(rows, probes)))
PY
check_equal "the CSV says the same" True "$(cat csv.txt)"
check_match "the page has the result" '<b>[0-9.]+ requests/s</b>|<p>Capacity: (between|above)' "$(cat dir/page.html)"
check_equal "the page has a point for each probe" "$(result '.probes | length')" \
    "$(sed '1,/All probes/d' dir/page.html | grep -c '<g class="point')"
check_match "the page shows objectives as text" 'p50&lt;200ms' "$(cat dir/page.html)"
check "the page is well-formed" python3 -c 'import sys, xml.dom.minidom
text = open("dir/page.html").read()
xml.dom.minidom.parseString(text[text.index("<svg"):text.index("</svg>") + 6])'
check_equal "the page: each chart has titles at both axes, and a label" "$(grep -c '<svg' dir/page.html)" \
    "$(grep -A 99 '<svg.* aria-label="[A-Z]' dir/page.html | grep -c 'rotate(-90.*>share of the limit<')"
check_match "the page: the other axis" '>requests/s offered</text>' "$(cat dir/page.html)"
check_equal "the page: a shape for each result" "$(result '[.probes[] | .met] | "\(map(select(.)) | length) \(map(select(. | not)) | length)"' | tr -d '"')" \
    "$(sed '1,/All probes/d' dir/page.html | grep -c '"point met.*<circle') $(sed '1,/All probes/d' dir/page.html | grep -c '"point missed.*<path')"
rm -r dir

# Objectives of event types: the events of every second worker are slow beyond the step, one type never occurs, and one
# is deferred.
cat >types.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
local slow
function thread_init() slow = tonumber(sysbench.opt.rate) > 100 sysbench.event_type("rare") end
function event()
   local odd = sysbench.tid % 2 == 1
   sysbench.event_type(odd and "odd" or "even")
   if slow and odd then ffi.C.usleep(450000) end
   sysbench.defer("later")
end
function sysbench.hooks.deferred() end
LUA
run "$SYSRATE" capacity --slo='odd:p50<200ms,even:p50<9s,rare:p90<1ns,deferred.later:p50<9s' --out=dir --min-rate=50 --probe-time=0.4 \
    --pause=0 --pairs=0 --precision=20 --seed=3 --time-limit=6 -- types.lua --threads=64
check "types: a search ends" test "$status" = 0 -o "$status" = 4
check_equal "types: the lowest rate meets, and none above the step" "true 0" \
    "$(result '([.probes[] | select(.rate_per_s == 50 and .met)] | length > 0), ([.probes[] | select(.rate_per_s > 100 and .met)] | length)' | xargs)"
check_equal "types: figures of each, but of what never came" '[true,true,false,true]' \
    "$(result '[.probes[0].figures[].value | . != null]')"
rm -r dir
run "$SYSRATE" capacity --slo='nobody:p90<9s' --out=dir --min-rate=200 --probe-time=0.4 --pause=0 -- types.lua
check_equal "types: of a type that there is not, no rate meets" 3 "$status"
rm -r dir

run "$SYSRATE" capacity --slo='max<1ns' --out=dir --min-rate=200 --probe-time=0.4 --pause=0 -- empty.lua
check_equal "no rate meets: exits 3" 3 "$status"
check_match "no rate meets: says so" '^Capacity: below 200 requests/s' "$out"
check_equal "no rate meets: in JSON" '"below_min"' "$(result .result.outcome)"
rm -r dir
run "$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --max-rate=200 --probe-time=0.4 --pause=0 -- empty.lua --rand-init=on
check_equal "all rates meet: exits 0" 0 "$status"
check_equal "a warning of all probes: once" 1 "$(grep -c 'WARNING: probe at 100\.00/s: --rand-init is deprecated' <<<"$err")"
check_equal "a warning of all probes: not of the others" 1 "$(grep -c WARNING <<<"$err")"
check_equal "all rates meet: not cut short" "null" "$(result .result.cut_short)$(grep -c 'cut short' <<<"$out" | grep -v 0)"
check_match "all rates meet: says so" '^Capacity: 200 requests/s at least' "$out"
check_equal "probes of the bracket have 20 requests on average" '[0.2,0.1]' "$(jq -sc '[.[].config.time]' dir/probe-*.json)"
rm -r dir
run "$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --probe-time=0.4 --time-limit=0.001 -- empty.lua
check_equal "out of time: exits 4" 4 "$status"
check_match "out of time: what is known" '^Capacity: not found yet; above 100 requests/s$' "$out"
check_match "out of time: said" '^    the search was cut short: --time-limit=0.001 is over$' "$out"
rm -r dir
run "$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --probe-time=0.4 -- failing.lua
check_equal "a failing test: exits 1" 1 "$status"
check_match "a failing test: its message" 'no such luck' "$err"
check_match "a failing test: whose" '^FATAL: capacity: the probe at 100\.00/s failed: exit code 1$' "$err"
check_equal "a failing test: what is known" "Capacity: not found yet; no probe has completed
    the search was cut short: a probe failed" "$(tail -n 2 <<<"$out")"
run "$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --max-rate=200 --probe-time=0.4 --pause=0 -- empty.lua
check_equal "after a failing test: the next search may have its folder" "0 above_max" "$status $(result .result.outcome | tr -d '"')"
rm -r dir

echo 'ffi.cdef("int raise(int)") function event() ffi.C.raise(9) end' >killed.lua
run "$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --probe-time=0.4 -- killed.lua
check_equal "a run that is killed: exits 1" 1 "$status"
check_match "a run that is killed: named" '^FATAL: capacity: the probe at 100\.00/s failed: ended by signal 9 \(Killed\)$' "$err"
rm -r dir
run "$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --probe-time=0.4 -- ending.lua
check_equal "a test that ends early: exits 1" 1 "$status"
check_match "a test that ends early: says so" '^FATAL: capacity: the probe at 100\.00/s ended early \(end: script\)$' "$err"
rm -r dir
mkdir dir
flock dir "$SYSRATE" capacity --slo='max<1000s' --out=dir -- empty.lua 2>err.txt
check_equal "two at a time: refused" "FATAL: another search is using 'dir'" "$(cat err.txt)"
rmdir dir
mkdir -m 555 sealed
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$WORK_DIR"
    as_user=(setpriv --reuid=65534 --clear-groups)
fi
if "${as_user[@]}" test -x "$SYSRATE"; then
    run "${as_user[@]}" "$SYSRATE" capacity --slo='max<1000s' --out=sealed -- "$PWD/empty.lua"
    check_equal "a folder that cannot be written to: before any probe" \
        "FATAL: cannot write 'sealed/capacity.json': Permission denied" "$err"
    check_equal "a folder that cannot be written to: nothing was run" "1 " "$status $out"
else
    skip "a folder that cannot be written to" "root writes everywhere, and nobody cannot run the program"
fi

# Ctrl-C after the first probe, during a probe that would last an hour.
"$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --probe-time=0.8 --pause=3600 -- empty.lua >out.txt 2>err.txt &
pid=$!
until grep -q '^probe 1' err.txt || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -INT $pid
wait $pid
check_equal "Ctrl-C: exits 130" 130 $?
check_match "Ctrl-C: what is known" '^Capacity: not found yet; above 100 requests/s$' "$(cat out.txt)"
check_match "Ctrl-C: said" '^    the search was cut short: signal 2 \(Interrupt\)$' "$(cat out.txt)"
check_equal "Ctrl-C: in JSON" '"signal 2 (Interrupt)"' "$(result .result.cut_short)"
check_equal "Ctrl-C: the files are there" '["unknown",1]' "$(result '[.result.outcome, (.probes | length)]')"
rm -r dir
"$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --probe-time=14400 -- empty.lua --json-is-ours=no >out.txt 2>err.txt
check_equal "options of the test are looked at first" 'invalid option: --json-is-ours=no' "$(cat err.txt)"
"$SYSRATE" capacity --slo='max<1000s' --out=dir --min-rate=100 --probe-time=14400 -- empty.lua \
    --inject='0s: sh: echo $$ >injected; exec sleep 600' >out.txt 2>err.txt &
pid=$!
until test -s injected || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -INT $pid
wait $pid
check_equal "Ctrl-C within a probe: exits 130" 130 $?
check_equal "Ctrl-C within a probe: no process is left" "" "$(pgrep -P $pid)"
check_not "Ctrl-C within a probe: nor what it has started" test -d "/proc/$(cat injected)"
check_between "the seed is from the clock" 1 "$(sed -n 's/^Capacity of .* --seed=\([0-9]*\): .*/\1/p' out.txt)" 1000000000

run "$SYSRATE" capacity --help
check_match "help" '^  --slo=STRING ' "$out"
finish
