# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Reports that an older sysrate has written (schema1/, real ones, of schema 1) are read like those of today: each tool says of
# them what it says of the same figures in the words of schema 2 (schema2.py). In schema1/: hosts.json has two hosts, types of
# events, classes of statements, sources, an injection, an objective and a checkpoint; merged.json has ranks.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

samples=$TESTS_DIR/cli/schema1
mkdir old new
for name in hosts rate1 rate2 closed merged; do
    cp "$samples/$name.json" old
    python3 "$TESTS_DIR/cli/schema2.py" "$samples/$name.json" >new/$name.json
done
check_equal "the samples are of schema 1, the others of 2" "1 2" "$(jq -s 'map(.schema) | unique | join(" ")' -r old/*.json) $(jq -s 'map(.schema) | unique | join(" ")' -r new/*.json)"

# same NAME COMMAND...: it does and writes the same in the folders old and new; what it writes is in the file `out`.
same() {
    local name=$1 folder seen=
    shift
    for folder in old new; do
        (cd $folder && rm -f out && "$@" >printed 2>errors; echo "exit $?" >>printed)
        seen+=$(cat $folder/printed $folder/errors $folder/out 2>/dev/null | cksum)' '
    done
    check_equal "$name: the same" "${seen%% *}" "$(cut -d ' ' -f 3 <<<"$seen")"
    check_match "$name: and it succeeds" '^exit [05]$' "$(cat old/printed)"
}

for name in hosts rate1 closed merged; do
    same "report $name" "$SYSRATE" report $name.json
    same "report --csv $name" "$SYSRATE" report --csv=out $name.json
    same "report --html $name" "$SYSRATE" report --html=out $name.json
    same "report --format $name" "$SYSRATE" report --format=otava-csv $name.json
done
same "compare" "$SYSRATE" compare --max-noise=100 rate1.json rate2.json
same "compare, with a condition" "$SYSRATE" compare '--fail-if=throughput<-50%' rate1.json rate2.json
same "merge" "$SYSRATE" merge --csv=out rate1.json rate2.json
same "merge: the report" bash -c '"$SYSRATE" merge --json=all rate1.json rate2.json >/dev/null && jq -S "del(.started)" all'

# Each other's: the same run.
for pair in "old/rate1.json new/rate1.json" "new/hosts.json old/hosts.json"; do
    # shellcheck disable=SC2086
    run "$SYSRATE" compare --max-noise=100 $pair
    check_equal "compare $pair: exit code" 0 "$status"
    check_match "compare $pair: verdict" '^Verdict: same( |$)' "$out"
    check_no_match "compare $pair: no setting differs" 'Settings that differ' "$out"
done

archives() {
    for folder in old new; do
        (cd $folder && "$SYSRATE" archive add kept hosts.json rate1.json rate2.json closed.json >/dev/null)
    done
    same "archive list" bash -c '"$SYSRATE" archive list --format=json kept | jq -c ".[] | del(.added)"'
    same "archive show" "$SYSRATE" archive show kept 1
    same "trend" bash -c '"$SYSRATE" trend --format=json kept; true'
    run "$SYSRATE" archive show --json old/kept 1
    check_equal "archive show --json: as it was given" "$(cat old/hosts.json)" "$out"
}
archives

# A sweep goes on after its reports of schema 1.
sweeps() {
    local point options=(-- oltp_point_select --db-driver=null --null-service=2ms:exp --tx-rate=300 --time=0.6
        --report-interval=0.2 --rand-seed=3 --percentile=50,99)
    for folder in old new; do
        mkdir $folder/sweep
        cp "$samples/sweep/sweep.plan" $folder/sweep
        for point in 1 2; do
            if [ $folder = old ]; then
                cat "$samples/sweep/$point.json"
            else
                python3 "$TESTS_DIR/cli/schema2.py" "$samples/sweep/$point.json"
            fi >"$folder/sweep/00$point-threads=$point.json"
        done
    done
    same "sweep" "$SYSRATE" sweep --vary=threads=1,2 --out=sweep "${options[@]}"
    check_match "sweep: nothing is run again" '2 runs, 2 of them finished earlier' "$(cat old/printed)"
    check_match "sweep: the figures are there" '^\| +2 \| +163 \|' "$(cat old/printed)"
    check_equal "sweep: the CSV" "$(cat new/sweep/table.csv)" "$(cat old/sweep/table.csv)"
    check_equal "sweep: the page" "$(cksum <new/sweep/page.html)" "$(cksum <old/sweep/page.html)"
    rm "old/sweep/002-threads=2.json"
    run "$SYSRATE" sweep --vary=threads=1,2 --out=old/sweep "${options[@]}"
    check_equal "sweep, a run of it anew: exit code" 0 "$status"
    check_equal "sweep, a run of it anew: schemas beside each other" "1 2" "$(jq -r .schema old/sweep/*.json | xargs)"
    check_match "sweep, a run of it anew: the table has both" '^\| +2 \| +[0-9]+ \|' "$out"
    check_match "sweep, a run of it anew: and the first" '^\| +1 \| +163 \|' "$out"
}
sweeps

# What only an older report can have.
sed 's/^{"schema":1/{"schema":3/' old/closed.json >three.json
run "$SYSRATE" report three.json
check_equal "a schema of the future is refused" "1 FATAL: cannot use 'three.json': its schema is 3, this sysrate reads 1 and 2" "$status $err"

finish
