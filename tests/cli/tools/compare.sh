# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate compare: output for runs with known figures, exit codes, and errors.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

report() {
    python3 "$TESTS_DIR/cli/make_report.py" "$@"
}

# compared NAME CODE COMMAND...
compared() {
    local name=$1 code=$2
    shift 2
    run "$SYSRATE" compare "$@"
    check_equal "$name: exit code" "$code" "$status"
}

# Thirty intervals that scatter by 1 %: the error of a difference is 0.26 %, and noise is about 4 times that.
test_pairs() {
    report a.json
    report same.json seed=2
    report slow.json seed=3 mean=2.2
    compared "the same setting" 0 a.json same.json
    check_match "the same setting: the verdict" '^Verdict: same$' "$out"
    check_match "the sides" '^A: a\.json \(made_up, 30\.0 s, 30 intervals, VALID\)$' "$out"
    check_match "the same setting: a figure" '^p99 \(ms\) +9\.[0-9]+ +9\.[0-9]+ +[-+]0\.[0-9]+ % +-[0-9.]+ to \+[0-9.]+ %  same$' "$out"
    check_match "the method is named" '^From the autocorrelation of intervals within the two runs \(30 and 30\)\.' "$out"
    check_no_match "the same setting: no setting differs" 'Settings' "$out"
    check_equal "the same setting: nothing on standard error" "" "$err"
    compared "10 % slower" 5 a.json slow.json
    check_match "10 % slower: the verdict" '^Verdict: different$' "$out"
    for figure in mean p50 p95 wait service typical; do
        check_match "10 % slower: $figure" "^$figure \(ms\) .* \+(9|10)\.[0-9]+ % .* different$" "$out"
    done
    check_match "10 % slower: as many requests" '^throughput \(per s\) +1000\.00 +1000\.00 .* same$' "$out"
    compared "10 % faster" 5 slow.json a.json
    check_match "10 % faster: a figure" '^mean \(ms\) .* -(8|9)\.[0-9]+ % .* different$' "$out"
    compared "less than asked for" 0 --min-change=15 a.json slow.json
}

test_conditions() {
    compared "beyond the limit" 5 '--fail-if=mean>+5%' a.json slow.json
    check_match "beyond the limit: said" '^mean>\+5%: yes \(\+(9|10)\.[0-9]+ %, interval [-+][0-9.]+ to [-+][0-9.]+ %\)$' "$out"
    check_match "beyond the limit: the verdict" '^Verdict: different' "$out"
    compared "within the limit" 0 '--fail-if=mean>+15%' a.json slow.json
    check_match "within the limit: said" '^mean>\+15%: no' "$out"
    compared "the other direction" 0 '--fail-if=mean<-5%' a.json slow.json
    compared "one of two" 5 '--fail-if=mean>+15%' '--fail-if=p95>5%' a.json slow.json
    compared "another figure" 0 '--fail-if=throughput<-1%' a.json slow.json
    report errors.json seed=2 errors=20
    compared "errors where there were none" 5 '--fail-if=errors>+10%' a.json errors.json
    check_match "errors where there were none: the figure" '^errors \(%\) +0\.00 +1\.96 +new +-  different$' "$out"
    report effective.json no_ops=0
    report phantom.json seed=2 no_ops=95
    compared "writes that change nothing" 5 '--fail-if=no_op_writes>+1%' effective.json phantom.json
    check_match "writes that change nothing: the figure" '^no_op_writes \(%\) +0\.00 +95\.00 +new +-  different$' "$out"
    compared "writes that change nothing, in both" 0 '--fail-if=no_op_writes>+1%' phantom.json phantom.json
    check_no_match "no writes: no such figure" '^no_op_writes' "$("$SYSRATE" compare a.json errors.json)"
    report bound.json seed=2 bound=true
    unknown "a lower bound hides the change" "--fail-if=p99>+1% cannot be judged: p99 of 'bound.json' is only a lower bound." \
        '--fail-if=p99>+1%' bound.json slow.json
    check_match "a lower bound hides the change: the verdict" '^Verdict: unknown' "$out"
    check_match "a lower bound hides the change: the figure" '^p99 \(ms\) +>9\.[0-9]+ .* unknown: a lower bound$' "$out"
    unknown "a lower bound may hide one" "--fail-if=p99>+1% cannot be judged: p99 of 'bound.json' is only a lower bound." \
        '--fail-if=p99>+1%' slow.json bound.json
    compared "a lower bound does not matter" 0 '--fail-if=p99>+15%' bound.json slow.json
    compared "unknown, and one that holds" 5 '--fail-if=p99>+1%' '--fail-if=mean>+1%' bound.json slow.json
    check_match "unknown, and one that holds: the verdict" '^Verdict: different' "$out"
    check_match "unknown, and one that holds: said" '^--fail-if=p99>\+1% cannot be judged' "$out"
    report few.json intervals=5 requests=20
    unknown "a sparse tail" "--fail-if=p99>+1% cannot be judged: too few independent requests of 'few.json' are beyond p99. Measure longer, \
or compare folders of repeats." '--fail-if=p99>+1%' a.json few.json
    compared "a lower bound above" 5 '--fail-if=p99>+1%' a.json <(report /dev/stdout seed=2 mean=4 bound=true)
}

# The work per request is printed next to each other, and has no influence on the verdict.
test_work() {
    report work.json
    report more.json seed=2
    for file in work more; do
        jq -c --argjson log "$([ $file = work ] && echo 800 || echo 1040)" '.probes = {"work_per_request": {"requests": 9,
            "server": {"log_bytes": $log, "rows_read": 4, "fsyncs": null}, "machine": {"cpu_us": 0}}}' $file.json >$file.tmp
        mv $file.tmp $file.json
    done
    compared "work per request" 0 work.json more.json
    check_match "work: side by side" '^    server   log bytes +800\.000 +1040\.000 +\+30\.00 %$' "$out"
    check_match "work: no change" '^    server   rows read +4\.000 +4\.000 +\+0\.00 %$' "$out"
    check_match "work: no change of 0" '^    machine  cpu us +0\.000 +0\.000$' "$out"
    check_no_match "work: unknown figures are left out" 'fsyncs' "$out"
    check_match "work: a sentence" '^    B has the same p99 as A, with 30 % more log bytes per request \(server\)\.$' "$out"
    compared "work in one of two" 0 a.json more.json
    check_no_match "work in one of two: not compared" 'log bytes' "$out"
    compared "work of the same run" 0 work.json work.json
    check_no_match "work of the same run: no sentence" 'per request \(' "$out"
}

# Classes whose plan differs at the end of the two runs are named with both plans; other classes are not.
test_plans() {
    report plans.json
    report more.json seed=2
    jq -c '.plans = [{"class": "select t", "first": null, "last": {"shape": "index k"}}, {"class": "update t", "first": null,
        "last": {"shape": "key"}}, {"class": "insert t", "first": null, "last": null}]' plans.json >plans.tmp
    jq -c '.plans = [{"class": "update t", "first": null, "last": {"shape": "key"}}, {"class": "insert t", "first": null,
        "last": {"shape": "insert"}}, {"class": "select t", "first": null, "last": {"shape": "scan"}}]' more.json >more.tmp
    mv plans.tmp plans.json
    mv more.tmp more.json
    compared "plans" 0 plans.json more.json
    check_equal "plans: the class that differs" "    select t|        A: index k|        B: scan" \
        "$(grep -A3 '^Statements with another plan:$' <<<"$out" | sed 1d | sed '/^$/d' | paste -sd'|')"
    compared "plans of the same run" 0 plans.json plans.json
    check_no_match "plans of the same run" 'another plan' "$out"
}

# The waits above p99 are printed next to each other; a run with too few samples has no shares.
test_waits() {
    report waits.json
    report more.json seed=2
    jq -c '.wait_events = {"requests": {"p99": {"divided": true, "client_late_percent": 2, "waiting_percent": 18}}, "events": [
        {"event": "Lock:row", "p99": {"percent": 50}}, {"event": "IO", "p99": {"percent": 30}}]}' waits.json >waits.tmp
    jq -c '.wait_events = {"requests": {"p99": {"divided": true, "client_late_percent": 0.5, "waiting_percent": 9.5}}, "events": [
        {"event": "IO", "p99": {"percent": 85}}, {"event": "on CPU", "p99": {"percent": 5}}, {"event": "x", "p99": null}]}' more.json >more.tmp
    mv waits.tmp waits.json
    mv more.tmp more.json
    compared "waits" 0 waits.json more.json
    check_match "waits: side by side" '^    waiting for a worker +18\.0 +9\.5$' "$out"
    check_match "waits: seen in one run" '^    Lock:row +50\.0 +0\.0$' "$out"
    check_match "waits: seen in the other run" '^    on CPU +0\.0 +5\.0$' "$out"
    check_no_match "waits: small ones are left out" '^    x ' "$out"
    jq -c '.wait_events.requests.p99.divided = false' more.json >few.json
    compared "waits: too few samples" 0 waits.json few.json
    check_no_match "waits: too few samples: not compared" 'Lock:row' "$out"
    compared "waits of a run without samples" 0 waits.json a.json
    check_no_match "waits of a run without samples: not compared" 'Lock:row' "$out"
}

# Intervals that scatter by 80 % each: the mean of thirty has an error of 15 %, a difference has 21 %; noise is about 4
# times that.
test_noise() {
    local unknown='It cannot be decided whether the runs differ: no difference is significant, but the noise of throughput, or of mean or typical exceeds'
    report wild.json scatter=0.8
    report wilder.json scatter=0.8 seed=2 mean=2.6
    unknown "all in noise" "$unknown 25 % and may hide one. Measure longer, or compare folders of repeats." wild.json wilder.json
    check_match "all in noise: a figure" '^mean \(ms\) .* -[0-9.]+ to \+[0-9.]+ %  unknown: too much noise$' "$out"
    check_match "all in noise: what can be told" '^throughput .* same$' "$out"
    check_match "all in noise: the limit is told" '^Same: not so, and the interval reaches at most 25 % from the change; smaller changes may go unnoticed\.$' "$out"
    check_match "all in noise: the verdict" '^Verdict: unknown \([0-9]+ of 10 figures cannot be judged: longer runs or repeats are needed\)$' "$out"
    compared "the difference is larger than wide noise" 5 wild.json <(report /dev/stdout scatter=0.8 seed=2 mean=20)
    compared "a narrower limit" 6 --max-noise=0.1 a.json same.json
    compared "a narrower limit, and a difference" 5 --max-noise=0.1 a.json slow.json
    report restless.json scatter=0.2
    report restless2.json scatter=0.2 seed=2
    compared "a narrower limit than the noise" 6 --max-noise=5 restless.json restless2.json
    compared "a wider limit than the noise" 0 --max-noise=40 restless.json restless2.json
    unknown "a change may hide" "--fail-if=mean>+10% cannot be judged: the noise of mean may hide a change beyond the limit. \
Measure longer, or compare folders of repeats." '--fail-if=mean>+10%' wild.json wilder.json
    check_match "a change may hide: said" '^mean>\+10%: unknown \([-+][0-9.]+ %, interval [-+][0-9.]+ to [-+][0-9.]+ %\)$' "$out"
    compared "no such change can hide" 0 '--fail-if=mean>+900%' wild.json wilder.json
    compared "a condition on what can be told" 0 '--fail-if=throughput<-5%' wild.json wilder.json
    jq '(.summary, .intervals[3]).counters.failed = 1' a.json >rare.json
    jq '(.summary, .intervals[3]).counters.failed = 2' a.json >rare2.json
    compared "hundredths of a point are little noise" 0 '--fail-if=errors>+10%' rare.json rare2.json
    check_match "hundredths of a point are little noise: the figure" '^errors .* \+[0-9]{3,}\.[0-9]+ %  same$' "$out"
    report bunched.json scatter=3 intervals=8
    unknown "of thousands few are independent" "--fail-if=p50>+1% cannot be judged: too few independent requests of 'bunched.json' \
are beyond p50. Measure longer, or compare folders of repeats." '--fail-if=p50>+1%' a.json bunched.json
    check_match "of thousands few are independent: the figure" '^p50 \(ms\) .* -  unknown: too few independent requests$' "$out"
}

# Repeats scatter as the intervals of one run: by 1 % / sqrt(30).
test_repeats() {
    mkdir base again slow mixed one empty
    for i in 1 2 3 4 5; do
        report "base/$i.json" "seed=$i" intervals=30 "rand_seed=$i"
        report "again/$i.json" "seed=1$i"
        report "slow/$i.json" "seed=2$i" mean=2.2
    done
    echo '# no report' >base/notes.md
    compared "repeats of one setting" 0 base again
    check_match "repeats: the sides" '^B: again \(made_up, 30\.0 s, 5 repeats, 5 of 5 VALID\)$' "$out"
    check_match "repeats: the method" '^From the scatter between repeats \(5 and 5 runs\)\.' "$out"
    compared "repeats of two settings" 5 base/ slow
    compared "a file against repeats" 5 base slow/3.json
    cp base/1.json mixed/1.json
    report mixed/2.json threads=8
    refused "repeats of two settings in one folder" "FATAL: 'mixed/2.json' is not a repeat of 'mixed/1.json': threads is 8, not 4" mixed base
    cp a.json one
    refused "a folder of one" \
        "FATAL: cannot use 'one': a folder of repeats needs two reports (*.json) at least, but has 1" one base
    refused "an empty folder" \
        "FATAL: cannot use 'empty': a folder of repeats needs two reports (*.json) at least, but has 0" base empty
}

# Three pairs of runs, each of which is different, and whose changes are x 1.45, 1.60 and 2.10. With times of their start
# the runs are rounds.
test_few_repeats() {
    local i before=(1.05 1 0.95) after=(1.52 1.6 2)
    mkdir three_a three_b rounds_a rounds_b
    for i in 0 1 2; do
        report "three_a/$i.json" "seed=3$i" "mean=${before[i]}" scatter=0.1
        report "three_b/$i.json" "seed=4$i" "mean=${after[i]}" scatter=0.1
        compared "pair $i is different" 5 "three_a/$i.json" "three_b/$i.json"
        jq ".started = \"2026-01-0${i}T00:00:00.000Z\"" "three_a/$i.json" >"rounds_a/$((9 - i)).json"
        jq ".started = \"2026-01-0${i}T01:00:00.000Z\"" "three_b/$i.json" >"rounds_b/$((7 - i)).json"
    done
    compared "so are all three" 5 three_a three_b
    check_match "so are all three: no pairs" '^From the scatter between repeats \(3 and 3 runs\)' "$out"
    check_match "so are all three: the mean" '^mean \(ms\) .* \+[67][0-9]\.[0-9]+ % +\+[0-9.]+ to \+[0-9.]+ %  different$' "$out"
    check_match "the result has a bound" '^The result is about these few runs, not yet about their settings' "$out"
    compared "rounds" 5 rounds_a rounds_b
    check_match "rounds: pairs" '^From the scatter between 3 pairs of runs, one pair a round\.' "$out"
    jq '.started = "2026-02-01T00:00:00.000Z"' rounds_b/7.json >rounds_b/1.json
    rm rounds_b/7.json
    run "$SYSRATE" compare rounds_a rounds_b
    check_match "no rounds: no pairs" '^From the scatter between repeats \(3 and 3 runs\)' "$out"
    jq '.summary.audit.verdict.findings = [{"name": "CLIENT-LIMITED"}, {"name": "OVERLOADED"}]' three_b/1.json >b.json
    mv b.json three_b/1.json
    run "$SYSRATE" compare three_a three_b
    check_match "verdicts are counted" '^B: three_b \(made_up, 30\.0 s, 3 repeats, 2 of 3 VALID, 1 of 3 CLIENT-LIMITED, 1 of 3 OVERLOADED\)$' "$out"
}

# Four runs of each of three settings: with 4 workers the mean is 2, with 8 it is 1.2, with 12 the same or 10 % more.
test_by() {
    local i
    mkdir all alike single mixed_by
    for i in 1 2 3 4; do
        report "all/1$i.json" "seed=5$i" threads=4
        report "all/2$i.json" "seed=6$i" threads=8 mean=1.2
        report "all/3$i.json" "seed=7$i" threads=12 mean=1.32
    done
    compared "by: settings that differ" 5 --by=threads --figure=mean all
    check_equal "by: the best is first" "threads=8 threads=12 threads=4" "$(sed -nE 's/^(threads=[0-9]+) .*/\1/p' <<<"$out" | xargs)"
    check_match "by: the best" '^threads=8 +4 +1\.2[0-9] .* best, 4 of 4 VALID$' "$out"
    check_match "by: another" '^threads=12 +4 +1\.3[0-9] +\+(9|10)\.[0-9]+ % +\+[0-9.]+ to \+[0-9.]+ %  different, 4 of 4 VALID$' "$out"
    check_match "by: the best is named" '^Best: threads=8, mean 1\.[0-9]+ ms; the next, threads=12, is at \+(9|10)\.[0-9]+ % \(\+[0-9.]+ to \+[0-9.]+ %\)$' "$out"
    compared "by: throughput" 0 --by=threads all
    check_match "by: throughput is the default of a closed loop" 'throughput \(per s\)' "$out"
    for i in 1 2; do
        report "alike/1$i.json" "seed=5$i" threads=4
        report "alike/2$i.json" "seed=6$i" threads=8 mean=2.004
    done
    compared "by: settings that are alike" 0 --by=threads --figure=mean alike
    check_match "by: alike: said" '^Best: not proven\. threads=[48] has the lowest mean, 2\.00 ms, but as good may be: threads=[48]$' "$out"
    check_no_match "by: alike: no row says best" ' best,' "$out"
    report alike/99.json threads=16 scatter=0.9
    compared "by: one cannot be judged" 6 --by=threads --figure=mean alike
    check_match "by: one cannot be judged: what to do" '--repeat' "$out"
    mkdir labels
    for i in 1 2; do
        jq '.config.label = ["side=a"]' "alike/1$i.json" >"labels/1$i.json"
        jq '.config.label = ["side=b"]' "alike/1$i.json" >"labels/2$i.json"
    done
    compared "by: lists of one value" 0 --by=label --figure=mean labels
    check_equal "by: lists of one value are printed as the value" "label=side=a label=side=b" "$(grep -o '^label=[^ ]*' <<<"$out" | sort | xargs)"
    mkdir wild_a wild_b
    for i in 1 2; do
        report "wild_a/$i.json" "seed=8$i" scatter=0.9
        report "wild_b/$i.json" "seed=9$i" scatter=0.9
    done
    compared "folders that cannot be judged" 6 wild_a wild_b
    check_match "folders that cannot be judged: more repeats" 'or compare more repeats\.$' "$out"
    cp all/11.json single
    report mixed_by/1.json threads=4 tables=1
    report mixed_by/2.json threads=8 tables=1
    report mixed_by/3.json threads=8 tables=2
    refused "by: one setting" "FATAL: --by=threads: all reports in 'single' have threads=4, so there is nothing to compare" --by=threads single
    refused "by: no such option" "FATAL: --by=nothing: 'all/11.json' has no option 'nothing' among its settings" --by=nothing all
    refused "by: two options vary" "FATAL: 'mixed_by/3.json' is not a repeat of 'mixed_by/2.json': tables is 2, not 1" --by=threads mixed_by
    compared "by: two options" 0 --by=threads,tables mixed_by
    check_match "by: two options: a group" '^threads=8 tables=2 +1 ' "$out"
    refused "by: no such figure" "FATAL: --figure=p42: 'all/11.json' has no such figure; use figures of a comparison, and percentiles of \
--percentile" --by=threads --figure=p42 all
    refused "by: two folders" "FATAL: compare: --by needs one folder of reports, not 2" --by=threads all alike
    refused "by: with a condition" "FATAL: compare: --by and --fail-if cannot be combined" --by=threads '--fail-if=p99>+1%' all
    refused "a figure without --by" "FATAL: compare: --figure needs --by" --figure=p99 a.json same.json
    refused "--by=" "FATAL: invalid value for --by: '' (allowed: the name of an option, or several with commas)" --by= all
}

# At a fixed rate the arrival process sets the throughput, so it is not judged. Waits of microseconds are too short to be judged.
test_left_out() {
    local name
    for name in one two; do
        report wild.json scatter=0.01 rate=1000
        jq '.summary.requests = {"offered": 30000, "completed": 29990, "dropped": 0}
            | (.intervals[], .summary).wait_ms.mean = 0.02' wild.json >"$name.json"
    done
    jq '.summary.counters.events = 33000 | .intervals[].counters.events = 1100
        | .summary.wait_ms.mean = 0.04 | .intervals[].wait_ms.mean = 0.04' two.json >busy.json
    compared "left out" 0 one.json busy.json
    check_match "left out: throughput" '^throughput .* not judged: set by the arrival rate$' "$out"
    check_match "left out: wait" '^wait .* not judged: too short to matter$' "$out"
    check_match "left out: not counted as unknown" '^Verdict: same$' "$out"
    jq '.summary.requests.completed = 20000' busy.json >lost.json
    compared "a throughput that was not reached" 5 one.json lost.json
    check_match "a throughput that was not reached: judged" '^throughput .* different$' "$out"
    compared "a condition on a figure that is left out" 5 '--fail-if=wait>+5%' one.json busy.json
}

test_settings() {
    report here.json threads=4 'mysql_host=["a","b"]' html='"x"' server.version='"10.11"' server.flush=1 server.gone=1
    report there.json seed=2 threads=8 'mysql_host=["a"]' html='"y"' archive='"kept"' label='["a=b"]' server.version='"11.4\u001b[1m"' server.flush=1
    run "$SYSRATE" compare here.json there.json
    check_equal "settings that differ" 'Settings that differ:
    threads                      4 | 8
    mysql_host                   ["a","b"] | ["a"]
    server version               10.11 | 11.4\u001B[1m
    server gone                  1 | -' "$(sed -n '/^Settings/,/^$/p' <<<"$out" | sed '/^$/d')"
}

# unknown NAME SENTENCE ARGUMENT...: checks exit code 6, that the output has this line, and that there are no messages.
unknown() {
    local name=$1 sentence=$2
    shift 2
    compared "$name" 6 "$@"
    check "$name: the sentence" grep -qxF -e "$sentence" <<<"$out"
    check_equal "$name: nothing on standard error" "" "$err"
}

# refused NAME MESSAGE ARGUMENT...: checks exit code 1 and that this line is the only message.
refused() {
    local name=$1 message=$2
    shift 2
    compared "$name" 1 "$@"
    check_equal "$name: the message" "$message" "$err"
}

test_files() {
    report none.json intervals=0
    unknown "no intervals" "Noise and change cannot be distinguished: 'none.json' has 0 measured intervals, but 5 are needed. Run with \
--report-interval=1, or compare folders of repeats." a.json none.json
    check_match "no intervals: the table is there" '^mean \(ms\) .* unknown: too few intervals$' "$out"
    head -c 3000 a.json >cut.json
    sed 's/"schema": 2/"schema": 9/' a.json >nine.json
    echo '[1,2]' >list.json
    : >empty.json
    sed 's/"summary": {.*/"summary": {}}/' a.json >nothing.json
    refused "no such file" "FATAL: cannot read 'no.json': No such file or directory" no.json a.json
    refused "cut short" "FATAL: cannot use 'cut.json': it is not JSON, or cut short" a.json cut.json
    refused "an empty file" "FATAL: cannot use 'empty.json': it is empty" a.json empty.json
    refused "another schema" "FATAL: cannot use 'nine.json': its schema is 9, this sysrate reads 2" nine.json a.json
    refused "no object" "FATAL: cannot use 'list.json': it is JSON, but not an object, so no report of sysrate" list.json a.json
    refused "nothing measured" "FATAL: cannot use 'nothing.json': its run has completed no requests" a.json nothing.json
}

test_arguments() {
    local bad option needed='needs two files that runs wrote with --json, or two folders of them'
    for bad in '' p99 'p99>' 'p99>10' 'p99<10%' 'p99>-1%' '>+5%' 'p99>+5ms'; do
        refused "--fail-if=$bad" "FATAL: invalid value for --fail-if: '$bad' (allowed: a figure, then >+PERCENT% or <-PERCENT%, \
such as p99>+10% or throughput<-5%)" "--fail-if=$bad" a.json same.json
    done
    refused "a figure that is not there" "FATAL: --fail-if=p99.9>+5%: 'a.json' has no figure 'p99.9'; use figures of the \
table, and percentiles of --percentile" '--fail-if=p99.9>+5%' a.json same.json
    sed 's/wait_ms/gone_ms/g' same.json >gone.json
    refused "a figure that one lacks" "FATAL: --fail-if=wait>+5%: 'gone.json' has no figure 'wait'; use figures of the \
table, and percentiles of --percentile" '--fail-if=wait>+5%' a.json gone.json
    for option in --min-change --max-noise; do
        for bad in '' x -1 1x 101 nan; do
            refused "$option=$bad" "FATAL: invalid value for $option: '$bad' (allowed: a number of percent from 0 to 100)" \
                "$option=$bad" a.json same.json
        done
    done
    refused "one file" "FATAL: compare: $needed, not 1 (--by=OPTION compares the settings of one folder)" a.json
    refused "three files" "FATAL: compare: $needed, not 3" a.json a.json a.json
    refused "an unknown option" \
        "FATAL: compare: invalid option: --html=x (allowed: --by=OPTION, --figure=FIGURE, --fail-if=CONDITION, --min-change=PERCENT, --max-noise=PERCENT, --help)" --html=x a.json a.json
    compared "help" 0 --help
    check_match "help: usage" '^  sysrate compare \[options\] A\.json B\.json$' "$out"
}

# Reports that runs have written can be read: compared with itself, a report has no differences.
test_real_run() {
    echo 'function event() end' >event.lua
    run "$SYSRATE" event.lua --time=1 --rate=500 --report-interval=0.1 --percentile=50,99 --json=run.json run
    check_equal "a run" 0 "$status"
    run "$SYSRATE" compare --max-noise=100 run.json run.json
    check_no_match "a run against itself: no figure differs" ' different$' "$out"
    check_match "a run against itself: its figures" '^(p50|wait) \(ms\) .* \+0\.00 % ' "$out"
    check_equal "a run against itself: all figures of the table" "throughput mean p50 p99 wait service typical errors ignored" \
        "$(sed -nE 's/^([a-z0-9]+) \((per s|ms|%)\) .*/\1/p' <<<"$out" | xargs)"
}

test_pairs
test_work
test_waits
test_plans
test_conditions
test_noise
test_repeats
test_few_repeats
test_by
test_left_out
test_settings
test_files
test_arguments
test_real_run
finish
