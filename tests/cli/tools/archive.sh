# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The archive: runs that add themselves, the actions of the tool, errors, and the state of the archive after kill -9 and
# on a full disk.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

history() {
    mkdir -p "$1"
    python3 "$TESTS_DIR/cli/make_history.py" "$@"
}

archive() {
    run "$SYSRATE" archive "$@"
}

# ids [OPTION...]: the numbers of the listed runs.
ids() {
    "$SYSRATE" archive list --format=json "$@" kept | jq -r '[.[].id] | join(" ")'
}

test_run() {
    echo 'function event() end' >e.lua
    run "$SYSRATE" e.lua --events=20 --tx-rate=1000 --archive=kept --label=branch=main --label=commit=a1 --json=a.json run
    check_equal "a run adds itself" 0 "$status"
    archive show --json kept 1
    check_equal "a run adds itself: its report, unchanged" "$(cat a.json)" "$out"
    archive list kept
    check_match "list: a row" '^ +1 +20[0-9T:-]+ +e\.lua +1000 +1 .* branch=main commit=a1$' "$out"
    archive list --format=json kept
    check_equal "list: completed per second is the report's" "$(jq .summary.completed_per_s a.json)" "$(jq '.[0].completed_per_s' <<<"$out")"
    check_equal "list: p95 is the report's" "$(jq '.summary.response_ms.percentiles["p95"].value' a.json)" "$(jq '.[0].response_ms_p95' <<<"$out")"
    check_equal "list: the client's machine" "$(uname -n)" "$(jq -r '.[0].host' <<<"$out")"
    run "$SYSRATE" report a.json
    expected=$(sed 1d <<<"$out")
    archive show kept 1
    check_equal "show: the text of the run" "$expected" "$(sed 1d <<<"$out")"
    run "$SYSRATE" sweep --vary=threads=1,2 --out=swept --archive=kept --label=kind=sweep -- e.lua --events=5
    check_equal "a sweep adds its runs" "2 3" "$(ids --label=kind=sweep)"
    archive list --format=json kept
    check_equal "another number of workers is another series" "3" "$(jq '[.[].series] | unique | length' <<<"$out")"
    run "$SYSRATE" e.lua --events=20 --tx-rate=1000 --archive=kept --rand-seed=7 run
    archive list --format=json kept
    check_equal "the same settings are the same series" "1" "$(jq 'map(select(.id == 1 or .id == 4) | .series) | unique | length' <<<"$out")"
}

test_actions() {
    rm -rf kept
    history made 6
    archive add --label=kind=made kept made
    check_equal "add: a folder" 0 "$status"
    check_equal "add: acknowledged" "made/0001.json: run 1" "$(head -n 1 <<<"$out")"
    archive add kept made/0003.json
    check_match "add: twice is once" "'made/0003.json' is run 3 already" "$err"
    check_equal "add: twice is once: said where it is" "made/0003.json: run 3" "$out"
    check_equal "list: in the order of their starts" "1 2 3 4 5 6" "$(ids)"
    check_equal "list: the newest" "5 6" "$(ids --limit=2)"
    check_equal "list: by time" "2 3" "$(ids --since=2026-01-02 --until=2026-01-04T00:00)"
    check_equal "list: by test" "" "$(ids --test-name=other)"
    check_equal "list: by verdict" "1 2 3 4 5 6" "$(ids --verdict=VALID)"
    archive tag kept 2 branch=dev kind=
    check_equal "tag: sets" "2" "$(ids --label=branch=dev)"
    check_equal "tag: removes" "1 3 4 5 6" "$(ids --label=kind=made)"
    check_equal "list: two labels" "" "$(ids --label=kind=made --label=branch=dev)"
    archive rm kept 1 6
    check_equal "rm" "2 3 4 5" "$(ids)"
    archive add kept made/0001.json
    check_equal "rm: numbers do not come again" "made/0001.json: run 7" "$out"
    archive list --format=csv kept
    check_equal "csv: read by a reader that is not ours" "7 2 3 4 5" \
        "$(python3 -c 'import csv, sys; print(*(row["id"] for row in csv.DictReader(sys.stdin)))' <<<"$out")"
}

test_refusals() {
    archive
    check_match "no action" 'archive: .* add, list, show, tag or rm' "$err"
    archive find kept
    check_match "an action that is none" "unknown action 'find' \(allowed: add, list, show, tag, rm\)" "$err"
    check_equal "an action that is none: exit code" 1 "$status"
    archive list nothing
    check_match "no archive" "it does not exist" "$err"
    check_not "no archive: none is made" test -e nothing
    archive show kept 99
    check_match "no such run" 'there is no run 99' "$err"
    archive tag kept 99 a=b
    check_match "tag: no such run" 'there is no run 99' "$err"
    archive rm kept 2x
    check_match "no number" "'2x' is not the number of a run" "$err"
    archive tag kept 2 'a b=c'
    check_match "no label" "'a b=c' is not a label \(allowed: NAME=VALUE" "$err"
    archive list --json kept
    check_match "an option of another action" 'archive list: --json is not an option' "$err"
    archive list --since=yesterday kept
    check_match "no time" 'since.*yesterday.*allowed: a time such as' "$err"
    archive list --since=2026-13-07 kept
    check_match "a month that is none" 'since.*2026-13-07.*allowed: a time such as' "$err"
    echo '{}' >no.json
    archive add kept no.json
    check_equal "no report: exit code" 1 "$status"
    check_match "no report" "cannot use 'no.json'" "$err"
    mkdir -p other
    python3 -c 'import sqlite3; c = sqlite3.connect("other/archive.sqlite"); c.execute("CREATE TABLE t (a)"); c.commit()'
    archive add other made/0001.json
    check_match "a file of others" 'is not an archive of sysrate' "$err"
    run "$SYSRATE" e.lua --events=1 --archive=e.lua run
    check_match "a run, where no archive can be" "archive 'e.lua/archive.sqlite': " "$err"
    check_no_match "a run, where no archive can be: not begun" 'Threads started' "$out"
    run "$SYSRATE" e.lua --events=1 --label=x run
    check_match "a run, no label" "label.*'?x'? .*allowed: NAME=VALUE" "$err"
}

# The name of a test and a label may contain any text.
test_hostile() {
    local name
    name=$(printf 'a,"b\033[31m\n.json')
    jq --arg name "$name" '.test = $name | .config.label = ["x=<script>,\"", "no label", 7]' made/0001.json >hostile.json
    archive add kept hostile.json
    archive list kept
    check_no_match "hostile: nothing acts on the terminal" $'\033' "$out"
    archive list --format=csv kept
    check "hostile: csv keeps it" python3 -c '
import csv, sys
row = [row for row in csv.DictReader(sys.stdin) if row["test"] != "made_up"][0]
sys.exit(row["test"] != sys.argv[1] or row["labels"] != r"""{"x":"<script>,\""}""")' "$name" <<<"$out"
}

# Four processes add runs at the same time; two of them are killed repeatedly. Each run that was acknowledged is in the
# archive, unchanged.
adder() {
    local i
    for i in $(seq "$2" "$3"); do
        "$SYSRATE" archive add racing "many/$(printf %04d "$i").json" >>"$1.said" 2>>"$1.err" &
        echo $! >"$1.pid"
        wait $!
    done
}

test_kills() {
    local i pids=()
    history many 120 rate=50
    for i in 1 2 3 4; do
        adder "adder$i" "$((i * 30 - 29))" "$((i * 30))" 2>/dev/null &
        pids+=($!)
    done
    for i in $(seq 30); do
        sleep 0.02
        kill -9 "$(cat "adder$((i % 2 + 1)).pid" 2>/dev/null)" 2>/dev/null
    done
    wait "${pids[@]}"
    check "kills: some were acknowledged" test "$(cat adder*.said | wc -l)" -ge 60
    check_equal "kills: all of those who were not killed" 60 "$(cat adder[34].said | wc -l)"
    check "kills: what was acknowledged is there, and nothing is twice" python3 - <<'PYTHON'
import collections, glob, sqlite3, sys, zlib
db = sqlite3.connect('racing/archive.sqlite')
assert db.execute('PRAGMA integrity_check').fetchone() == ('ok',)
kept = {run: zlib.decompress(packed).decode() for run, packed in db.execute('SELECT run, packed FROM reports')}
assert len(set(kept.values())) == len(kept) == db.execute('SELECT count(*) FROM runs').fetchone()[0]
for said in glob.glob('adder*.said'):
    for line in open(said):
        path, run = line.split(': run ')
        assert kept[int(run)] == open(path).read(), line
PYTHON
}

# File size limit: the archive does not change, and the run reports where it has saved its report.
test_full_disk() {
    local kib
    kib=$(du -k kept/archive.sqlite | cut -f 1)
    archive list kept
    local before=$out
    (
        trap '' XFSZ
        ulimit -f "$kib"
        for i in $(seq 20); do
            "$SYSRATE" archive add kept "many/$(printf %04d "$i").json" >>full.said 2>>full.err || break
        done
        "$SYSRATE" e.lua --events=500 --tx-rate=5000 --archive=kept run >full.out 2>full.run
        echo $? >full.status
    )
    check_match "a full disk: said" "^FATAL: archive 'kept/archive.sqlite': " "$(cat full.err)"
    check_equal "a full disk: the run ends with" 1 "$(cat full.status)"
    archive list kept
    check_equal "a full disk: nothing is lost" "" "$(grep -vxF "$out" <<<"$before")"
    check_equal "a full disk: what was acknowledged is there" "$(($(wc -l <<<"$before") + $(wc -l <full.said)))" "$(wc -l <<<"$out")"
    archive add kept many/0120.json
    check_equal "a full disk: room again" 0 "$status"
}

# On a full disk, a new archive that cannot be completed is removed, and an existing one does not change. The test has a
# mount namespace of its own, so that no mount is left. A new archive needs 44 KiB: the sizes leave no room for its
# tables, for a transaction, and for a report.
full_disks() {
    local kib
    mkdir -p disk
    for kib in 4 8 16 32 44 48 52 56 60 64; do
        mount -t tmpfs -o size=${kib}K tmpfs disk || return 1
        run "$SYSRATE" e.lua --events=5 --archive=disk/new run
        check_equal "a full disk of $kib KiB: the run ends with" 1 "$status"
        check_match "a full disk of $kib KiB: said" "^FATAL: archive" "$err"
        check_equal "a full disk of $kib KiB: nothing is left but the report that is named" \
            "$(sed -nE "s/.*its report is in '([^']*)'.*/\1/p" <<<"$err")" "$(find disk -mindepth 1 '(' -empty -o -type f ')')"
        rm -rf disk/new
        archive add disk/new many/0001.json
        check_equal "a full disk of $kib KiB: nothing is left by archive add" "" "$(find disk -mindepth 1)"
        umount disk
    done
    mount -t tmpfs -o size=64K tmpfs disk
    cp -r fresh disk/new
    head -c 64K /dev/zero >disk/filler 2>/dev/null
    run "$SYSRATE" e.lua --events=5 --archive=disk/new run
    check_equal "a full disk: a run into an archive that was there" 1 "$status"
    check_equal "a full disk: it is as it was" "" "$(cmp fresh/archive.sqlite disk/new/archive.sqlite 2>&1)"
    umount disk
}

test_full_disks() {
    unshare -rm true 2>/dev/null || { skip "an archive that is new on a full disk" "no right to mount"; return; }
    archive add fresh many/0001.json
    archive rm fresh 1
    echo '{' >bad.json
    archive add none bad.json
    check_equal "a new archive that takes nothing is not kept" "" "$(find . -maxdepth 1 -name none)"
    declare -f archive full_disks >full_disks.sh
    unshare -rm bash -c '. "$TESTS_DIR/cli/lib.sh" && cd "$0" && . ./full_disks.sh && full_disks && finish' "$PWD"
    check_equal "a new archive on a full disk: all checks" 0 $?
}

# A search and its probes: --archive and `archive add` of its folder have the same result.
test_search() {
    run "$SYSRATE" capacity --slo='max<1ns' --out=found --min-rate=200 --probe-time=0.4 --pause=0 --archive=searched --label=branch=main -- e.lua
    check_equal "a search: ends as without an archive" 3 "$status"
    run "$SYSRATE" archive list --kind=capacity --format=json searched
    check_equal "a search: its result" '[["capacity","e.lua","BELOW-MIN",null,1,"main"]]' \
        "$(jq -c '[.[] | [.kind, .test, .verdict, .capacity_per_s, (.workers | floor), .labels.branch]]' <<<"$out")"
    local id
    id=$(jq '.[0].id' <<<"$out")
    check_equal "a search: its probes" "$(find found -name 'probe-*.json' | wc -l)" \
        "$("$SYSRATE" archive list --kind=probe --format=json searched | jq length)"
    archive show --json searched "$id"
    check_equal "a search: its result, unchanged" "$(cat found/capacity.json)" "$out"
    archive show searched "$id"
    check_match "a search: shown" '^Capacity: below 200 requests/s: the lowest rate misses already' "$out"
    check_match "a search: shown with its probes" '^probe 1: bracket +200\.00/s  MISSED' "$out"
    archive add searched found
    check_equal "a search: added again is once" "found/capacity.json: run $id" "$(tail -n 1 <<<"$out")"
    check_equal "a search: so are its probes" "$(find found -name '*.json' | wc -l)" "$("$SYSRATE" archive list --format=json searched | jq length)"
    archive list searched
    check_match "a search: a row" " BELOW-MIN \(capacity\) branch=main$" "$out"
    jq '.result |= (.outcome = "found" | .precise = true | .rate_per_s = 1711.9123 | .low_per_s = 1656.81 | .high_per_s = 1773.6 | .slope = -2)' \
        found/capacity.json >other.json
    archive add --label=x=y searched other.json
    archive list --label=x=y searched
    check_match "a capacity: a row" ' VALID \(capacity 1711\.9/s, 1656\.8 to 1773\.6\) branch=main x=y$' "$out"
    archive list --kind=capacity --verdict=VALID --format=csv searched
    check_equal "a capacity: csv" '1711.9123 1656.81 1773.6' "$(python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin): print(row["capacity_per_s"], row["capacity_low_per_s"], row["capacity_high_per_s"])' <<<"$out")"
    run "$SYSRATE" report found/capacity.json
    check_match "a search is no run" "it is the result of a capacity search, not the report of a run" "$err"
    for broken in '.probes[0].rate_per_s = 1e300' '.probes[0].phase = "no"' '.result.outcome = "no"' '.slo = ["p99"]' \
        '.result.outcome = "found"'; do
        jq "$broken" found/capacity.json >broken.json
        archive add broken broken.json
        check_match "a search that is broken is refused: $broken" \
            'it is not the result of a capacity search .*: (probes/0/(rate_per_s|phase)|result/[a-z_]+|slo) has an unexpected value$' "$err"
    done
    jq 'del(.settings)' found/capacity.json >broken.json
    archive add broken broken.json
    check_match "a search without its settings" "'broken.json': it lacks \"settings\"" "$err"
    jq '.capacity_schema = 2' found/capacity.json >broken.json
    archive add broken broken.json
    check_equal "a search of another schema" "1 FATAL: cannot use 'broken.json': its capacity_schema is 2, this sysrate reads 1" "$status $err"
}

# An archive of another version.
test_versions() {
    local version
    for version in -7 1 3; do
        rm -rf other_version
        cp -r searched other_version
        python3 -c "import sqlite3; sqlite3.connect('other_version/archive.sqlite').execute('PRAGMA user_version = $version')"
        archive list other_version
        check_equal "an archive of schema $version: exit code" 1 "$status"
        check_equal "an archive of schema $version: one line" \
            "FATAL: archive 'other_version/archive.sqlite': its schema is $version, this sysrate reads 2" "$err"
    done
}

test_run
test_search
test_versions
test_actions
test_refusals
test_hostile
test_kills
test_full_disk
test_full_disks
finish
