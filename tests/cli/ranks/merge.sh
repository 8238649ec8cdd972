#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysrate merge: combines the reports of ranks exactly, names missing ranks, and refuses reports
# that do not belong together.
. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/cli/ranks/exact_lib.sh"

LOAD="--db-driver=null --null-service=2ms:exp --threads=7 --time=2 --drain=10 --percentile=50,95,99,99.9 --report-interval=0.5"

# nodes N NAME SEED OPTION...: runs ranks 0 … N−1 at the same time, with reports NAME.0.json … and
# request logs NAME.0.log ….
nodes() {
    local count=$1 name=$2 seed=$3 rank pids=()
    shift 3
    touch "start.$name"
    for ((rank = 0; rank < count; rank++)); do
        # shellcheck disable=SC2086
        timeout 60 "$SYSRATE" --node="$rank/$count" --rand-seed="$seed" --start-at=+8:"start.$name" $LOAD --json="$name.$rank.json" \
            --request-log="$name.$rank.log" "$@" oltp_point_select run >"$name.$rank.out" 2>&1 &
        pids+=($!)
    done
    for ((rank = 0; rank < count; rank++)); do
        wait "${pids[rank]}"
        echo $? >"$name.$rank.status"
    done
}

# check_nodes N NAME: all of these ranks have ended well.
check_nodes() {
    local rank
    for ((rank = 0; rank < $1; rank++)); do
        check_equal "$2: rank $rank of $1 ends well" 0 "$(cat "$2.$rank.status")"
        [ "$(cat "$2.$rank.status")" = 0 ] || sed 's/^/#   /' "$2.$rank.out"
    done
}

field() {
    jq -r "$2" "$1"
}

all_nodes() {
    local ranks pids=()
    for ranks in 1 2 4 7; do
        nodes $ranks n$ranks 11 --tx-rate=1000 &
        pids+=($!)
    done
    wait "${pids[@]}"
}
# While the machine stands still, processes print one line for several intervals.
steadily all_nodes
for ranks in 1 2 4 7; do
    check_nodes $ranks n$ranks
done
for ranks in 2 4 7; do
    run "$SYSRATE" merge --json=all$ranks.json --html=all$ranks.html --csv=all$ranks.csv n$ranks.?.json
    check_match "$ranks ranks: the text has a table" '^Ranks \(times in ms\):$' "$out"
    check_equal "$ranks ranks: no message" "" "$err"
    check_exact "$ranks ranks" all$ranks.json n$ranks.?.log
    count=$(field n1.0.json .summary.response_ms.count)
    check_equal "$ranks ranks: as many as one process has" "$count" "$(field all$ranks.json .summary.response_ms.count)"
    check_equal "$ranks ranks: offered = completed + …" "true" \
        "$(field all$ranks.json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
    check_equal "$ranks ranks: intervals add up" "true" \
        "$(field all$ranks.json '([.intervals[].completed] | add) == .summary.requests.completed')"
    check_equal "$ranks ranks: an interval says what each rank had" "true" \
        "$(field all$ranks.json "[.intervals[] | ([.ranks[].rank] == [range($ranks)]) and ([.ranks[].completed] | add) == .completed
            and ([.ranks[].response_ms.count] | add) == .response_ms.count] | all")"
    # The last interval may be separate from what other ranks had left when they ended.
    for ((rank = 0; rank < ranks; rank++)); do
        check_equal "$ranks ranks: what rank $rank had is what its own report says" \
            "$(field n$ranks.$rank.json '[.intervals[:3][] | [.completed, .response_ms.max, .response_ms.percentiles["p99.9"].value]] | tostring')" \
            "$(field all$ranks.json "[.intervals[:3][].ranks[$rank] | [.completed, .response_ms.max, .response_ms.percentiles[\"p99.9\"].value]] | tostring")"
    done
    check_equal "$ranks ranks: intervals follow each other" "true" \
        "$(field all$ranks.json '[.intervals[].from_s][1:] == [.intervals[].to_s][:-1]')"
    check_equal "$ranks ranks: what was asked for" "7 1000 null" \
        "$(field all$ranks.json '"\(.config.threads) \(.config.tx_rate // (.config.rate + 0)) \(.config.node)"')"
    check_equal "$ranks ranks: each is there" "$(seq -s ' ' 0 $((ranks - 1)))" \
        "$(field all$ranks.json '[.ranks[].rank | tostring] | join(" ")')"
    check_equal "$ranks ranks: their counts add up" "$count" \
        "$(field all$ranks.json '[.ranks[].requests.completed] | add')"
    check_equal "$ranks ranks: nothing is said to be known of the clocks" null "$(field all$ranks.json .alignment.bound_ms)"
    check_equal "$ranks ranks: a row for each interval" "$(field all$ranks.json '.intervals | length')" \
        "$(($(wc -l <all$ranks.csv) - 1))"
    check "$ranks ranks: the union of their arrivals is the schedule of one process" cmp -s \
        <(grep -hv '^#' n1.0.log | cut -d' ' -f1 | sort -n) <(grep -hv '^#' n$ranks.?.log | cut -d' ' -f1 | sort -n)
done
check "a page" grep -q '"ranks":\[' all4.html
check_not "without the spool" grep -q '"spool"' all4.html

# Probes of the first rank are copied to the merged intervals.
jq '.probes = {"every_s": 1, "sources": [], "checks": []} | .intervals |= (to_entries | map(.value + {probes: {server: {samples: .key}}}))' n2.0.json \
    >watched.json
run "$SYSRATE" merge --json=probed.json watched.json n2.1.json
check_equal "what was watched: exit code" 0 "$status"
check_equal "what was watched, by interval" "$(field watched.json '[.intervals[].probes.server.samples] | unique | tostring')" \
    "$(field probed.json '[.intervals[].probes.server.samples] | unique | tostring')"

# The order of the files does not matter, and a merged report can be read again.
run "$SYSRATE" merge --json=other.json n4.3.json n4.1.json n4.0.json n4.2.json
check "in any order" cmp -s all4.json other.json
run "$SYSRATE" report all4.json
check_equal "the merged report is a report: exit code" 0 "$status"
check_match "the merged report is a report" '^ *offered: +' "$out"

# Missing ranks are named.
run "$SYSRATE" merge --json=part.json n4.0.json n4.2.json
check_equal "two of four ranks: exit code" 1 "$status"
check_match "two of four ranks: the verdict" \
    '^ *CUT-SHORT: only 2 of 4 ranks .* rank\(s\) 1, 3 ' "$out"
check_equal "two of four ranks: counts are those of the two" \
    "$(grep -hv '^#' n4.0.log n4.2.log | wc -l)" "$(field part.json .summary.requests.completed)"
check_match "two of four ranks: the rate stays what was asked for" 'asked 1000/s' "$out"

# Reports that do not belong together are refused.
refused() {
    local name=$1 pattern=$2
    shift 2
    run "$SYSRATE" merge --json=no.json "$@"
    check_equal "$name: exit code" 1 "$status"
    check_match "$name" "$pattern" "$err"
    check_not "$name: nothing is written" test -e no.json
}
nodes 2 seed 12 --tx-rate=1000 --time=0.2
nodes 2 rate 11 --tx-rate=1001 --time=0.2
nodes 2 same 11 --tx-rate=1000 --time=0.2
for name in seed rate same; do
    check_nodes 2 $name
done
refused "another seed" "rand_seed is 1[12] in one and 1[12] in the other$" seed.0.json same.1.json
refused "another rate" "(tx_)?rate is 100[01](\\.0)? in one and 100[01](\\.0)? in the other$" same.0.json rate.1.json
refused "the same rank" "'same.0.json' and 'same.0.json' are both rank 0$" same.0.json same.0.json
refused "another length" "time is (2.0|0.2) in one and (2.0|0.2) in the other$" n2.0.json same.1.json
refused "another number of ranks" "with [24] ranks, '.*' of one with [24]$" n2.0.json n4.1.json
refused "a rank and a whole run" '^FATAL: merge: some of the files are ranks of a run, others are whole runs$' n1.0.json n2.0.json
refused "one file" '^FATAL: merge: .*at least two reports' n2.0.json
refused "no file" "cannot read 'none.json'" n2.0.json none.json
jq '.spool = "AAAA"' n2.1.json >broken.json
# The number of the layout is the last character of the first line: "sysrate spool 3". In the report a varint precedes the packed text.
python3 - n2.1.json >other.json <<'PYTHON'
import base64, json, sys, zlib
report = json.load(open(sys.argv[1]))
packed = base64.b64decode(report["spool"])
head = next(i for i, byte in enumerate(packed) if byte < 128) + 1
spool = zlib.decompress(packed[head:])
end = spool.index(b"\n")
spool = spool[:end - 1] + bytes([spool[end - 1] ^ 1]) + spool[end:]
report["spool"] = base64.b64encode(packed[:head] + zlib.compress(spool)).decode()
print(json.dumps(report))
PYTHON
refused "a spool of another version" "cannot use 'other.json': another version of sysrate" n2.0.json other.json
refused "a broken spool" "cannot use 'broken.json': its \"spool\" is broken$" n2.0.json broken.json
sed 's/oltp_point_select/oltp_read_write/' same.1.json >test.json
refused "another test" "the test is 'oltp_" same.0.json test.json

# Repeats: whole runs with different seeds.
for seed in 1 2 3; do
    # shellcheck disable=SC2086
    "$SYSRATE" $LOAD --time=0.4 --tx-rate=500 --rand-seed=$seed --json=r$seed.json --request-log=r$seed.log oltp_point_select run >/dev/null &
done
# shellcheck disable=SC2086
"$SYSRATE" $LOAD --time=0.4 --tx-rate=600 --rand-seed=4 --json=u.json oltp_point_select run >/dev/null
# The rate begins at 100/s and grows by 50/s per second: an error ends each rank near 1.4 s. Also
# whole runs with a changing rate.
echo 'local n = 0 function event() n = n + 1 if n > 90 then error("no luck", 0) end end' >stops.lua
for rank in 0 1; do
    "$SYSRATE" --node=$rank/2 --rand-seed=7 --tx-rate=0s:100,60s:3100 --arrival=constant --threads=2 --time=60 --json=cut$rank.json \
        stops.lua run >/dev/null 2>&1 &
    "$SYSRATE" --rand-seed=$rank --tx-rate=0s:100,1s:200 --arrival=constant --time=1 --json=ramp$rank.json oltp_point_select \
        --db-driver=null run >/dev/null &
done
wait
run "$SYSRATE" merge --json=repeats.json r1.json r2.json r3.json
check_equal "repeats: exit code" 0 "$status"
check_match "repeats: says so" '^3 runs of oltp_point_select, added up as repeats$' "$out"
read -r count min mean max p50 p95 p99 p999 < <(exact r?.log)
check_equal "repeats: all requests" "$count $max" \
    "$(field repeats.json '.summary.response_ms | "\(.count) \(.max)"' | awk '{ printf "%d %.6f", $1, $2 }')"
check_equal "repeats: each is there" "r1.json r2.json r3.json" "$(field repeats.json '[.repeats[].host] | join(" ")')"
asked() {
    sed -nE 's|^        asked ([0-9.]+)/s.*|\1|p' <<<"$out"
}
run "$SYSRATE" merge --json=cut.json cut0.json cut1.json
most=$(jq '100.1 + 25 * .summary.elapsed_s' cut.json)
check_between "ranks that ended early: the mean rate until then" 118 "$(asked)" "$most"
run "$SYSRATE" report cut.json
check_between "ranks that ended early: and again from JSON" 118 "$(asked)" "$most"
run "$SYSRATE" report cut0.json
check_between "ranks that ended early: one of them had half of it" 59 "$(asked)" "$(jq '(100.1 + 25 * .summary.elapsed_s) / 2' cut0.json)"
run "$SYSRATE" merge --json=ramps.json ramp0.json ramp1.json
check_equal "repeats at a rate that changes: the mean of each" 150.00 "$(asked)"
run "$SYSRATE" report ramps.json
check_equal "repeats at a rate that changes: and again from JSON" 150.00 "$(asked)"
check_match "repeats from JSON: offered in the time of all of them" '  offered 1(49|50)\.[0-9]+/s  ' "$out"
refused "unlike runs" '^FATAL: .*use --unlike' r1.json u.json
refused "the same run twice" "^FATAL: 'r1.json' and 'r1.json' are the same run$" r1.json r1.json
run "$SYSRATE" merge --unlike --json=unlike.json r1.json u.json
check_equal "unlike runs with --unlike: exit code" 0 "$status"

# --start-at.
run "$SYSRATE" --start-at=@5 --time=0.1 --threads=1 cpu run
check_equal "a start that is past: exit code" 1 "$status"
check_match "a start that is past" '^FATAL: --start-at: .* [0-9.]+ s before this rank was ready' "$err"
run "$SYSRATE" --start-at=+5:none --time=0.1 --threads=1 cpu run
check_match "a file that is not there" "^FATAL: --start-at: .*'none': No such file or directory$" "$err"
# Half of what reading two clocks may take where many processes want each processor.
check_between "ranks begin at one time" 0 "$(field all7.json .alignment.apart_ms)" 100
finish
