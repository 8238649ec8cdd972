# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# One word for each thing: docs/words.md lists the words. This test searches for other words in names (JSON, CSV,
# metrics), text, pages, help and documentation. Lines and options of sysbench keep its words unchanged.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

# Perl regular expressions for other words for the response time, p99, mean, workers, busy, queue, statements, no-op
# writes, throughput, audit.
OTHERS='\b(latenc\w*|avg|(?<!on )averages?|threads?|thds|concurrency|queue[ _]lengths?|queries|[tqe]ps'
OTHERS+='|no[-_ ]?ops?\b(?![-_ ](writes|updates|deletes|inserts))|\d+(\.\d+)?(st|nd|rd|th) percentiles?|\w*_?pct|targets?)\b'

# Lines that sysbench prints in or before its report.
SYSBENCHS='^(Running the test|Number of threads|Target transaction|Initializing|Threads started|SQL statistics:|Latency|Threads fairness'
SYSBENCHS+='|    (queries|transactions|ignored errors|reconnects|events/s|time elapsed|total number|events \(avg|execution time)'
SYSBENCHS+='|        (read|write|other|total):| +(min|avg|max|sum|\d+(\.\d+)?th percentile):|\[ [\d.]+s \] (thds|queue length):)'

# others WHERE < TEXT: prints the lines with another word.
others() { perl -ne "print \"$1: \$_\" if !m{$SYSBENCHS} && m{$OTHERS}i"; }

# other_names < NAMES: prints the names that contain another word. Settings are named after their options, and counters
# of a server as in the server.
other_names() {
    perl -ne 'next if /(^|\.)config\.|^server/; my $name = $_; s/[._]/ /g; s/no op writes/no_op_writes/;
        print $name if m{'"$OTHERS"'}i || /\b(trust|lat|transactions|lag)\b/ && !/generator lag/ || /\bpercentiles [0-9]/ || /\bp[0-9]+ ms\b/'
}

# prose FILE: prints the text without code, quotations and addresses.
prose() {
    perl -0777 -pe 's/^```.*?^```$//gms; s/^    .*$//gm; s/`[^`]*`|"[^"\n]*"|\]\([^)\n]*\)//g' "$1"
}

json_names() { jq -r 'paths | map(tostring) | join(".")' "$@" | sort -u; }

# The test itself must find other words.
test_the_test() {
    check_equal "the other words are found" 9 "$(printf '%s\n' 'latency' 'the average' 'the 99th percentile' 'a thread' 'no-ops' 'queue length' 'qps' \
        'read_pct' 'queries' 'on average' 'no-op writes' 'p99' '[ 1s ] thds: 4 tps: 9' 'Latency (ms):' | others x | wc -l)"
    check_equal "other names are found" 6 "$(printf '%s\n' lat_ms percentiles.99 p99_ms lag_us summary.trust no_ops generator_lag_us \
        response_ms_p99 no_op_writes summary.config.threads | other_names | wc -l)"
}

rich_run() {
    local db=(--db-driver=sqlite --sqlite-db=words.db --table-size=100)
    [ -f words.db ] || "$SYSRATE" oltp_read_write "${db[@]}" prepare >/dev/null
    run "$SYSRATE" oltp_read_write "${db[@]}" --threads=2 --pool-size=1 --tx-rate=50 --time=1.5 --report-interval=0.5 --percentile=50,99.9 --report-sql \
        --histogram --report-checkpoints=1 --inject='0.7s: sql: UPDATE sbtest1 SET c = c' --slo='p50<1000s,errors<50%' --server-stats=1 \
        --json=rich.json --csv=rich.csv --html=rich.html --hlog=rich.hlog --prom-file=rich.prom --archive=kept "$@" run
}

test_run() {
    rich_run
    check_equal "a run with much in its report: exit code" 0 "$status"
    check_equal "its text" "" "$(others text <<<"$both")"
    cp rich.json first.json
    rich_run --report=brief
    check_equal "the text of --report=brief" "" "$(others text <<<"$out")"
    run "$SYSRATE" report rich.json
    check_equal "report" "" "$(others report <<<"$out")"
    run "$SYSRATE" --events=10 --report=full --json=closed.json "$TESTS_DIR/cli/scripts/empty_event.lua" run
    check_equal "a closed loop" "" "$(others text <<<"$out")"
}

# Stored reports: hosts.json has hosts, types of events and sources, merged.json has ranks.
test_kept_reports() {
    local name
    for name in hosts merged; do
        run "$SYSRATE" report --csv=$name.csv "$TESTS_DIR/cli/reports/$name.json"
        check_equal "report of $name" "" "$(others report <<<"$out")"
    done
    run "$SYSRATE" merge --json=both.json "$TESTS_DIR/cli/reports/rate1.json" "$TESTS_DIR/cli/reports/rate2.json"
    check_equal "merge" "" "$(others merge <<<"$out")"
}

test_tools() {
    run "$SYSRATE" compare first.json rich.json
    check_equal "compare" "" "$(others compare <<<"$both" | grep -v '\.json')"
    run "$SYSRATE" sweep --vary=threads=1,2 --out=sweep -- "$TESTS_DIR/cli/scripts/empty_event.lua" --tx-rate=100 --time=0.2
    check_equal "sweep, the options it varies aside" "" "$(sed 's/| threads |/|/; s/threads=//g' <<<"$out" | others sweep)"
    run "$SYSRATE" capacity --slo='p99<10s' --min-rate=10 --max-rate=20 --probe-time=0.2 --out=capacity -- "$TESTS_DIR/cli/scripts/empty_event.lua"
    check_equal "capacity" "" "$(others capacity <<<"$both")"
    run "$SYSRATE" archive list kept
    check_equal "archive list" "" "$(others list <<<"$out")"
    run "$SYSRATE" trend kept
    check_equal "trend" "" "$(others trend <<<"$out")"
    "$SYSRATE" archive list --format=json kept >list.json
    "$SYSRATE" trend --format=json kept >trend.json
}

test_names() {
    {
        json_names rich.json closed.json both.json list.json trend.json capacity/capacity.json
        head -qn 1 rich.csv hosts.csv merged.csv sweep/table.csv | tr ',' '\n' | grep -vx threads
        sed -nE 's/^# TYPE ([a-z_]+) .*/\1/p' rich.prom
    } | sort -u >names
    check "names: there are some of each kind" test "$(grep -cxE 'summary\.audit|response_ms_p99\.9|host_0_completed_per_s|sysrate_no_op_writes_total|completed_per_s' names)" -eq 5
    check_equal "names" "" "$(other_names <names)"
    # The names in the third column of docs/words.md must exist. Objectives and options are written differently;
    # host_0_... is a prefix.
    local name
    while read -r name; do
        check "docs/words.md: $name is a name" grep -Fq -- "$name" names
    done < <(awk -F ' *[|] *' '/^## /{ exit } NF > 5 { print $4 }' "$SRCDIR/docs/words.md" | grep -oE '`[^`]+`' | tr -d '`' | sed 's/_…$//' |
        grep -vE '^--|^(compare|trend|hosts?)$')
}

# A message of the page is a text between quotes that has a blank or begins with a capital letter.
test_pages() {
    local path
    for path in "$SRCDIR"/src/report/page/html/*.js "$SRCDIR"/src/report/page/html/page.html; do
        check_equal "${path##*/}" "" "$(sed 's#^ *//.*##' "$path" |
            perl -ne 'while (/'"'([^']*)'"'|`([^`]*)`|>([^<]+)</g) { my $text = $1 // $2 // $3; $text =~ s/\$\{[^}]*\}//g; print "$text\n" if $text =~ / |^[A-Z]/ }' |
            others "${path##*/}")"
    done
}

# Messages in the sources of programs that this test does not run.
test_messages() {
    local path
    for path in "$SRCDIR"/src/{result,report,report/text,tools/{ab,archive,capacity,compare,selftest,sweep,trend}}/*.c; do
        check_equal "${path#"$SRCDIR"/}" "" "$(perl -ne 'while (/"((?:[^"\\]|\\.)*)"/g) { print "$1\n" if $1 =~ / / }' "$path" | others "${path##*/}")"
    done
}

# Options with "thread" in their names may use the word in their help.
test_help() {
    local of own='^ +--(num-|deferred-)?threads?\b|^ +--thread-|^ +--rand-spec-pct|^ +threads - |--targets\b'
    for of in "" ab archive capacity compare merge report selftest serve sweep trend; do
        # shellcheck disable=SC2086  # none or one
        check_equal "help $of" "" "$("$SYSRATE" $of --help | grep -vE "$own" | others "help $of")"
    done
}

# Pages about the implementation may mention threads, the service has targets, and some pages are about things with
# these names.
test_documentation() {
    local path name inside
    for path in "$SRCDIR"/README.md "$SRCDIR"/docs/*.md "$SRCDIR"/docs/tests/*.md; do
        name=${path##*/}
        inside='(?!)'
        case $name in
        words.md) continue ;;
        architecture.md | concurrency.md | performance.md | definitions.md | reliability.md | threads.md) inside='threads?|concurrency|targets?' ;;
        service.md | grafana.md) inside='targets?|threads' ;;
        README.md | lua-api.md | migration.md | options.md | server.md) inside='threads?|concurrency|Latency' ;;
        memory.md | read-your-report.md) inside='Latency' ;;
        esac
        check_equal "$name" "" "$(prose "$path" | perl -pe "s/\\b($inside)(ed)?\\b//gi" | others "$name")"
    done
}

test_the_test
test_run
test_kept_reports
test_tools
test_names
test_pages
test_messages
test_help
test_documentation
finish
