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
    check_match "the same setting: a figure" '^p99 \(ms\) +9\.[0-9]+ +9\.[0-9]+ +[-+]0\.[0-9]+ % +\+- [0-9.]+ %  same$' "$out"
    check_match "the method is named" '^autocorrelation of intervals within the two runs \(30 and 30\)\.' "$out"
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
    check_match "beyond the limit: said" '^mean>\+5%: yes \(\+(9|10)\.[0-9]+ %, noise \+- [0-9.]+ %\)$' "$out"
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
    refused "a lower bound hides the change" "FATAL: --fail-if=p99>+1% cannot be judged: p99 of 'bound.json' is only a lower bound" \
        '--fail-if=p99>+1%' bound.json slow.json
    check_match "a lower bound hides the change: the verdict" '^Verdict: unknown' "$out"
    check_match "a lower bound hides the change: the figure" '^p99 \(ms\) +>9\.[0-9]+ .* unknown: a lower bound$' "$out"
    refused "a lower bound may hide one" "FATAL: --fail-if=p99>+1% cannot be judged: p99 of 'bound.json' is only a lower bound" \
        '--fail-if=p99>+1%' slow.json bound.json
    compared "a lower bound does not matter" 0 '--fail-if=p99>+15%' bound.json slow.json
    compared "unknown, and one that holds" 5 '--fail-if=p99>+1%' '--fail-if=mean>+1%' bound.json slow.json
    check_match "unknown, and one that holds: the verdict" '^Verdict: different' "$out"
    check_match "unknown, and one that holds: said" '^FATAL: --fail-if=p99>\+1% cannot be judged' "$err"
    report few.json intervals=5 requests=20
    refused "a sparse tail" "FATAL: --fail-if=p99>+1% cannot be judged: too few independent requests of 'few.json' are beyond p99: measure longer, \
or compare folders of repeats" '--fail-if=p99>+1%' a.json few.json
    compared "a lower bound above" 5 '--fail-if=p99>+1%' a.json <(report /dev/stdout seed=2 mean=4 bound=true)
}

# Intervals that scatter by 80 % each: the mean of thirty has an error of 15 %, a difference has 21 %; noise is about 4
# times that.
test_noise() {
    local unknown='cannot decide whether the runs differ: there is no significant difference, but the noise of throughput, and of mean or typical, must be at most'
    report wild.json scatter=0.8
    report wilder.json scatter=0.8 seed=2 mean=2.6
    refused "all in noise" "FATAL: $unknown 25 %: measure longer, or compare folders of repeats" wild.json wilder.json
    check_match "all in noise: a figure" '^mean \(ms\) .* \+- [0-9]+\.[0-9]+ %  unknown: too much noise$' "$out"
    check_match "all in noise: what can be told" '^throughput .* same$' "$out"
    check_match "all in noise: the limit is told" '^Same: not so, and noise is at most 25 %; smaller changes than the noise go unnoticed\.$' "$out"
    check_match "all in noise: the verdict" '^Verdict: unknown \([0-9]+ of 10 figures cannot be judged: longer runs or repeats are needed\)$' "$out"
    compared "the difference is larger than wide noise" 5 wild.json <(report /dev/stdout scatter=0.8 seed=2 mean=20)
    compared "a narrower limit" 1 --max-noise=0.1 a.json same.json
    compared "a narrower limit, and a difference" 5 --max-noise=0.1 a.json slow.json
    report restless.json scatter=0.2
    report restless2.json scatter=0.2 seed=2
    compared "a narrower limit than the noise" 1 --max-noise=5 restless.json restless2.json
    compared "a wider limit than the noise" 0 --max-noise=40 restless.json restless2.json
    refused "a change may hide" "FATAL: --fail-if=mean>+10% cannot be judged: the noise of mean may hide a change beyond the limit: \
measure longer, or compare folders of repeats" '--fail-if=mean>+10%' wild.json wilder.json
    check_match "a change may hide: said" '^mean>\+10%: unknown \([-+][0-9.]+ %, noise \+- [0-9.]+ %\)$' "$out"
    compared "no such change can hide" 0 '--fail-if=mean>+900%' wild.json wilder.json
    compared "a condition on what can be told" 0 '--fail-if=throughput<-5%' wild.json wilder.json
    jq '(.summary, .intervals[3]).counters.failed = 1' a.json >rare.json
    jq '(.summary, .intervals[3]).counters.failed = 2' a.json >rare2.json
    compared "hundredths of a point are little noise" 0 '--fail-if=errors>+10%' rare.json rare2.json
    check_match "hundredths of a point are little noise: the figure" '^errors .* \+- [0-9]{3,}\.[0-9]+ %  same$' "$out"
    report bunched.json scatter=3 intervals=8
    refused "of thousands few are independent" "FATAL: --fail-if=p50>+1% cannot be judged: too few independent requests of 'bunched.json' \
are beyond p50: measure longer, or compare folders of repeats" '--fail-if=p50>+1%' a.json bunched.json
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
    check_match "repeats: the sides" '^B: again \(made_up, 30\.0 s, 5 repeats\)$' "$out"
    check_match "repeats: the method" '^scatter between repeats \(5 and 5 runs\)\.' "$out"
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

# refused NAME MESSAGE ARGUMENT...: checks exit code 1 and that this line is the only message.
refused() {
    local name=$1 message=$2
    shift 2
    compared "$name" 1 "$@"
    check_equal "$name: the message" "$message" "$err"
}

test_files() {
    report none.json intervals=0
    refused "no intervals" "FATAL: cannot distinguish noise from change: 'none.json' has 0 measured intervals, 5 are needed: run with \
--report-interval=1, or compare folders of repeats" a.json none.json
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
    refused "one file" "FATAL: compare: $needed, not 1" a.json
    refused "three files" "FATAL: compare: $needed, not 3" a.json a.json a.json
    refused "an unknown option" \
        "FATAL: compare: invalid option: --html=x (allowed: --fail-if=CONDITION, --min-change=PERCENT, --max-noise=PERCENT, --help)" --html=x a.json a.json
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
test_conditions
test_noise
test_repeats
test_settings
test_files
test_arguments
test_real_run
finish
