# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Formats for other programs are compared with the report, and read by independent readers.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

export_as() {
    run "$SYSRATE" report --format="$1" "${@:2}"
    check_equal "$1: exit code" 0 "$status"
    printf '%s\n' "$out" >"out.$1"
}

echo 'function event() end' >'<e>.lua'
run "$SYSRATE" '<e>.lua' --tx-rate=200 --threads=2 --time=0.5 --drain=30 '--slo=p99<100s,max<1ns' --label=branch=main '--label=commit=a"b' \
    --label=git_repo=here --json=a.json --percentile=50,95,99 run
mkdir runs
python3 "$TESTS_DIR/cli/make_history.py" runs 3

figure_of() {
    jq ".summary.$1" a.json
}
p99=$(figure_of 'response_ms.percentiles["p99"].value')
max=$(figure_of response_ms.max)
per_s=$(figure_of completed_per_s)

export_as otava-csv a.json runs
check "otava-csv: read as CSV" python3 - "$p99" "$max" "$per_s" <<'PYTHON'
import csv, datetime, sys
rows = list(csv.DictReader(open('out.otava-csv')))
assert len(rows) == 4, rows
one = rows[0]
assert [float(one[name]) for name in ('p99', 'max', 'throughput')] == [float(word) for word in sys.argv[1:]], one
assert (one['test'], one['branch'], one['commit']) == ('<e>.lua', 'main', 'a"b'), one
assert datetime.datetime.fromisoformat(rows[1]['time']).isoformat() == '2026-01-01T12:00:00+00:00', rows[1]
PYTHON

export_as nyrkio a.json runs
check_equal "nyrkio: the commit" '["here","main","a\"b"]' "$(jq -c '.[0].attributes | [.git_repo, .branch, .git_commit]' out.nyrkio)"
check_equal "nyrkio: p99" "$p99" "$(jq '.[0].metrics[] | select(.name == "p99").value' out.nyrkio)"
check_equal "nyrkio: the time" 1767268800 "$(jq '.[1].timestamp' out.nyrkio)"
check_equal "nyrkio: which way is better" 'higher_is_better lower_is_better' \
    "$(jq -r '[.[0].metrics[] | select(.name == "throughput" or .name == "p99").direction] | join(" ")' out.nyrkio)"

export_as bencher a.json
check_equal "bencher: a benchmark" '<e>.lua, 200/s, 2 workers' "$(jq -r 'keys[0]' out.bencher)"
check_equal "bencher: p99 in ns" "$(jq -n "$p99 * 1000000 | round")" "$(jq '.[].p99.value | round' out.bencher)"
check_equal "bencher: its own measures" "true" "$(jq '.[] | has("latency") and has("throughput")' out.bencher)"

export_as github-action a.json
check_equal "github-action: p99" "$p99" "$(jq '.[] | select(.name | endswith(": p99")).value' out.github-action)"
check_equal "github-action: nothing of which more is better" 0 "$(jq '[.[] | select(.name | contains("throughput"))] | length' out.github-action)"

export_as junit a.json
check "junit: read as XML" python3 - <<'PYTHON'
import xml.etree.ElementTree as tree
suites = tree.parse('out.junit').getroot()
suite = suites.find('testsuite')
assert (suites.tag, suite.get('tests'), suite.get('failures')) == ('testsuites', '2', '1')
cases = suite.findall('testcase')
assert [case.get('name') for case in cases] == ['p99<100s', 'max<1ns'], [case.attrib for case in cases]
assert [case.find('failure') is not None for case in cases] == [False, True]
assert suite.get('name') == '<e>.lua, 200/s, 2 workers'
PYTHON
run "$SYSRATE" report --format=junit runs
check_equal "junit: without objectives" 1 "$status"
check_match "junit: without objectives: message" "has no objectives .*JUnit" "$err"

run "$SYSRATE" report --price-per-hour=3.6 runs/0001.json
check_equal "the price of a million" 'Cost: 10 for a million requests, at 3.6 an hour and 100.00 requests/s' "$(tail -n 1 <<<"$out")"
run "$SYSRATE" report --price-per-hour=3.6 a.json
check_equal "the price of requests that are too slow" 'Cost: unknown, because the objectives were missed' "$(tail -n 1 <<<"$out")"
run "$SYSRATE" report --price-per-hour=3.6 --format=junit a.json
check_equal "no price in other formats" "WARNING: --price-per-hour has no effect with --format" "$err"
run "$SYSRATE" report --price-per-hour=3.6 --format=junit --csv=a.csv a.json
check_equal "nothing is printed in addition to a file" "0 WARNING: --format has no effect with --html or --csv
WARNING: --price-per-hour has no effect with --html or --csv" "$status $err"
run "$SYSRATE" report --price-per-hour=0 a.json
check_match "no price" "price-per-hour: '0' .allowed: a number above 0" "$err"
run "$SYSRATE" report --format=xml a.json
check_match "no format" "--format: 'xml' .allowed: one of text, nyrkio, bencher" "$err"
finish
