# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate trend on generated histories: the text that docs/trend.md shows, JSON, the page, exit codes, saved results.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

# history NAME COUNT|story|searches [NAME=VALUE]...: makes an archive with that name.
history() {
    mkdir "$1.runs"
    python3 "$TESTS_DIR/cli/make_history.py" "$1.runs" "${@:2}"
    "$SYSRATE" archive add "$1" "$1.runs" >/dev/null
}

trend() {
    run "$SYSRATE" trend "$@"
}

test_story() {
    history story story
    trend --html=story.html story
    check_equal "story: exit code" 5 "$status"
    check_equal "story: the text is that of docs/trend.md" \
        "$(sed -n '/^    Series 1:/,/^The drift/p' "$SRCDIR/docs/trend.md" | sed '$d; s/^    //' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}')" "$out"
    trend --format=json story
    check_equal "story: JSON has the step" '[25,26,true]' "$(jq -c '.series[0].p99.steps[0] | [.last_before, .first_after, .worse]' <<<"$out")"
    check_equal "story: JSON has the changed setting" 'table_size 1000 | 2000' "$(jq -r '.series[1].changed' <<<"$out")"
    check_equal "story: runs that were not valid" '6 31' "$(jq -r '[.series[].runs[] | select(.valid | not) | .id] | join(" ")' <<<"$out")"
    check "story: the page is well-formed, with all runs, steps and the break" python3 - <<'PYTHON'
import re, xml.etree.ElementTree as tree
text = open('story.html').read()
svgs = [tree.fromstring(svg) for svg in re.findall(r'<svg.*?</svg>', text, re.S)]
assert [len(svg.findall('circle')) for svg in svgs] == [75] * 4
assert [len([c for c in svg.findall('circle') if c.get('class') == 'hollow']) for svg in svgs] == [2] * 4
assert [len(svg.findall("path[@class='worse']")) for svg in svgs] == [0, 3, 3, 3]
assert [len(svg.findall("path[@class='break']")) for svg in svgs] == [1] * 4
assert 'commit=' not in text or 'script' not in text
assert not re.search(r'(src|href)=', text)
PYTHON
    trend --until=2026-02-15 story
    check_equal "story: a part of it" 1 "$(grep -c '^Series' <<<"$out")"
    check_equal "story: a step that is longer ago" 0 "$("$SYSRATE" trend --until=2026-02-15 --within=10 story >/dev/null; echo $?)"
}

test_judgement() {
    history few 3
    trend few
    check_equal "three runs: exit code" 6 "$status"
    check_match "three runs" '^  cannot be judged: fewer than 4 valid runs$' "$out"
    mkdir limited.runs
    for i in 1 2 3; do
        jq '.summary.audit.verdict = {valid: false, findings: [{name: "CLIENT-LIMITED", figure: "", advice: ""}]}' \
            "few.runs/000$i.json" | sed "s/\"started\": \"2026-01/\"started\": \"2025-01/" >"limited.runs/000$i.json"
    done
    "$SYSRATE" archive add limited few.runs limited.runs >/dev/null
    trend limited
    check_match "runs that are not valid: the newest is named" \
        '^  cannot be judged: fewer than 4 valid runs; run [4-6] is CLIENT-LIMITED: its report says what to do$' "$out"
    history wide 6 spread=1
    trend wide
    check_match "runs that scatter widely: the newest is not said to be as before" '^  p99 of the newest, run 6: .* cannot be judged: the runs before scatter ' "$out"
    check_equal "runs that scatter widely: exit code" 6 "$status"
    history eleven 11
    trend eleven
    check_equal "eleven runs: exit code" 0 "$status"
    check_match "eleven runs" '^  too short for steps: fewer than 12 valid runs$' "$out"
    check_match "eleven runs: the newest" '^  p99 of the newest, run 11: .* as before: expected is ' "$out"
    check_equal "eleven runs: the figures" "throughput p50 p95 p99" "$(sed -nE 's/^  ([a-z0-9]+) of the newest, .*/\1/p' <<<"$out" | xargs)"
    mkdir slower.runs
    python3 "$TESTS_DIR/cli/make_history.py" slower.runs 8 mean=4
    for i in 1 2 3; do rm "slower.runs/000$i.json"; done
    cp eleven.runs/000[123].json slower.runs
    "$SYSRATE" archive add slower slower.runs/000[1234].json >/dev/null
    trend slower
    check_equal "the fourth run is twice as slow: exit code" 5 "$status"
    check_match "the fourth run is twice as slow" '^  p99 of the newest, run 4: .* SUSPECT: expected is ' "$out"
    trend --format=json slower
    check_equal "the fourth run is twice as slow: JSON" '[false,true,true,true]' \
        "$(jq -c '.series[0] | [.judged, .p50.newest.suspect, .p95.newest.suspect, .p99.newest.suspect]' <<<"$out")"
    "$SYSRATE" archive add slower slower.runs >/dev/null 2>&1
    trend slower
    check_equal "so are all that follow: exit code" 5 "$status"
    check_match "so are all that follow" '^  p99 of the newest, run 8: .* SUSPECT: expected is ' "$out"
    run "$SYSRATE" --db-driver=null --tx-rate=1 --time=0.001 --archive=none oltp_point_select run
    trend --format=json none
    check_equal "no valid run: nothing is said of the newest" '[null]' "$(jq -c '[.. | objects | select(has("newest")) | .newest] | unique' <<<"$out")"
    history even 40
    trend even
    check_equal "no step: exit code" 0 "$status"
    check_equal "no step" 4 "$(grep -c ': no step$' <<<"$out")"
    check_match "no step: the newest" 'p99 of the newest, run 40: .* as before' "$out"
    sed -E 's/"(sum_ns|min_ns|max_ns)": ([0-9]+)/"\1": \20/g; s/"started": "2026-../"started": "2026-11/' even.runs/0040.json |
        jq '.summary.histogram.response |= map([.[0] * 2, .[1]])' >late.json
    "$SYSRATE" archive add even late.json >/dev/null
    trend even
    check_match "one slow run: suspect" 'p99 of the newest, run 41: .* SUSPECT: .*; repeat it three times' "$out"
    check_equal "one slow run is no step" 0 "$status"
    trend nothing
    check_equal "no archive" 1 "$status"
    trend
    check_match "no folder" 'trend: needs the folder of an archive, not 0 arguments' "$err"
    trend --within=0 even
    check_match "within: allowed" "--within: '0' .allowed: a whole number .* from 1 to" "$err"
}

# The result is saved, does not change, and is not used if the runs are different.
test_memory() {
    local first
    history long 260 spread=0.02
    mkdir more.runs
    python3 "$TESTS_DIR/cli/make_history.py" more.runs 300 spread=0.02 mean=2.4
    for i in $(seq 261 300); do mv "more.runs/0$i.json" long.runs; done
    "$SYSRATE" archive add long long.runs >/dev/null 2>&1
    trend long
    first=$out
    check_match "a long history: its step" 'between run 260 .* and run 261 ' "$out"
    trend long
    check_equal "a long history: again" "$first" "$out"
    python3 - <<'PYTHON'
import sqlite3
db = sqlite3.connect('long/archive.sqlite')
rows = db.execute('SELECT figure, state FROM judged').fetchall()
assert len(rows) == 4, rows
for figure, state in rows:
    db.execute('UPDATE judged SET state = ? WHERE figure = ?', (state.replace('"steps":[', '"steps":[50,').replace(',]', ']'), figure))
db.commit()
PYTHON
    trend long
    check_match "what is kept is used" 'between run 50 .* and run 51 ' "$out"
    "$SYSRATE" archive rm long 7
    trend long
    check_no_match "what is kept of other runs is not" 'between run 50 ' "$out"
    check_match "other runs: the step" 'between run 260 .* and run 261 ' "$out"
}

# Searches have a series of their own, separate from runs of the same test; probes of searches have no series.
test_capacity() {
    history found searches
    trend --html=found.html found
    check_equal "searches: the step is longer ago than the newest objectives" 0 "$status"
    check_match "searches: their objectives" '^Series 1: made_up, capacity with p99<20ms, 4 workers, on made$' "$out"
    check_match "searches: which are valid" '^  40 searches, 38 of them valid, 2026-01-01 to 2026-02-09$' "$out"
    check_match "searches: the step" 'capacity: a step to the WORSE between run 25 .*, commit=2e668. and run 26 ' "$out"
    check_match "searches: its size" '^    1[67][0-9.]+/s to 1[45][0-9.]+/s, -1[0-9.]+ % ' "$out"
    check_match "searches: other objectives" 'begins with other settings: slo p99<20ms \| p99<50ms' "$out"
    check_match "searches: the newest" 'capacity of the newest, run 53: .* as before' "$out"
    check_no_match "searches: no figure of runs" 'p99 of|throughput' "$out"
    check_equal "searches: exit code while it is near" 5 "$("$SYSRATE" trend --until=2026-02-10 found >/dev/null; echo $?)"
    trend --format=json found
    check_equal "searches: JSON" '["capacity","p99<20ms",25,26,true]' \
        "$(jq -c '.series[0] | [.kind, .slo, (.capacity.steps[0] | .last_before, .first_after, .worse)]' <<<"$out")"
    check_equal "searches: JSON has the interval" true \
        "$(jq '.series[0].runs[0] | .capacity_low_per_s < .capacity_per_s and .capacity_per_s < .capacity_high_per_s' <<<"$out")"
    check "searches: the page has a chart for each objective, with all searches and their intervals" python3 - <<'PYTHON'
import re, xml.etree.ElementTree as tree
svgs = [tree.fromstring(svg) for svg in re.findall(r'<svg.*?</svg>', open('found.html').read(), re.S)]
assert [len(svg.findall('circle')) for svg in svgs] == [39, 13]
assert [len([c for c in svg.findall('circle') if c.get('class') == 'hollow']) for svg in svgs] == [1, 0]
assert [len([p for p in svg.findall('path') if 'V' in p.get('d') and p.get('class') == 'axis']) for svg in svgs] == [39, 13]
assert [len(svg.findall("path[@class='worse']")) for svg in svgs] == [1, 0]
PYTHON
    mkdir mixed.runs
    python3 "$TESTS_DIR/cli/make_history.py" mixed.runs 12
    for i in $(seq 12); do
        jq '.started |= sub("2026"; "2027") | .config.archive_kind = "probe"' "mixed.runs/$(printf %04d "$i").json" >"mixed.runs/later-$i.json"
    done
    "$SYSRATE" archive add mixed mixed.runs found.runs >/dev/null
    trend --until=2026-02-10 mixed
    check_equal "runs and searches: a series each, probes in none" 'Series 1: made_up, 4 workers Series 2: made_up, capacity with p99<20ms' \
        "$(sed -n 's/^\(Series [^,]*, [^,]*\), .*/\1/p' <<<"$out" | paste -sd ' ')"
}

test_story
test_judgement
test_memory
test_capacity
finish
