# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Output that programs read: the texts of a run in their order, compared exactly except for numbers; JSON; and the hooks
# that replace the texts.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

SCRIPTS=$TESTS_DIR/cli/scripts
EMPTY=$SCRIPTS/empty_event.lua
HOOKS=$SCRIPTS/hooks.lua

# masked TEXT: replaces numbers by N (of the same width), so that whole texts can be compared.
masked() {
    printf '%s\n' "$1" | sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +N/ N/g; s/>N/N/g; s/N +\(/N (/g'
}

# figure LABEL: the number after the label in $out.
json() {
    python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2" 2>&1
}

HEADER='Running the test with following options:
Number of threads: 2'

test_header() {
    run "$SYSRATE" "$EMPTY" run --threads=2 --events=1
    check_equal "header: the plain one" "$HEADER
Initializing random number generator from current time


Initializing worker threads...

Threads started!" "$(printf '%s\n' "$out" | sed -n '3,$p' | sed '/^Threads started!/q')"
    run "$SYSRATE" "$EMPTY" run --threads=2 --events=1 --warmup-time=0.1 --rate=100.5 --report-interval=0.5 \
        --report-checkpoints=3,1.5,10 --rand-seed=77
    check_equal "header: all of it" "$HEADER
Warmup time: 0.1s
Target transaction rate: 100.5/sec
Report intermediate results every 0.5 second(s)
Report checkpoint(s) at 1.5, 3, 10 seconds
Initializing random number generator from seed (77)." \
        "$(printf '%s\n' "$out" | sed -n '3,9p')"
    run "$SYSRATE" "$EMPTY" run --threads=2 --events=1 --warmup-time=1 --time=1 --rate=100 --report-interval=10
    check_match "header: whole seconds as users know them" '^Warmup time: 1s$' "$out"
    check_equal "the warm-up is announced" "Threads started!||Warming up for 1 seconds...||" \
        "$(printf '%s\n' "$out" | grep -A 3 '^Threads started!' | tr '\n' '|')"
    check_match "header: whole rates" '^Target transaction rate: 100/sec$' "$out"
    check_match "header: whole intervals" '^Report intermediate results every 10 second\(s\)$' "$out"
}

PLAIN_REPORT='Throughput:
    events/s (eps): N
    time elapsed: Ns
    total number of events: N

Latency (ms):
         min: N
         avg: N
         max: N
         Nth percentile: N
         sum: N

Threads fairness:
    events (avg/stddev): N/N
    execution time (avg/stddev): N/N'

SQL_REPORT='SQL statistics:
    queries performed:
        read: N
        write: N
        other: N
        total: N
    transactions: N (N per sec.)
    queries: N (N per sec.)
    ignored errors: N (N per sec.)
    reconnects: N (N per sec.)
'

REQUESTS='Requests:
    offered: N (N per sec.)
    completed: N (N per sec.)
    failed: N
    dropped: N
    unfinished: N
    accounted for: N (completed + failed + dropped + unfinished)

Generator lag (us):
         pN N
         pN N
         max N

Response time (ms): wait service response
         min N N N
        mean N N N
         max N N N
         pN N N N

Audit:
    generator CPU: N % of one processor
    standby CPU: N % of one processor
    client CPU without these: N % of the machine
    stolen by the hypervisor: N % of the machine
    distance of gaps from exponential: N (Kolmogorov-Smirnov; chance alone: below N)'

# The text after the start, masked.
report() {
    masked "$(printf '%s\n' "$out" | sed '1,/^Threads started!/d' | sed '/./,$!d')" |
        sed -E 's/^ +pN/         pN/; s/^ +Nth/         Nth/; s/^Response time.*/Response time (ms): wait service response/'
}

# The report of a run with a rate, without the parts that depend on the machine: the verdict at its end, and the line
# about the lateness of the client. The CPU share of a time without known idle or stolen time is "unknown".
report_of_a_rate() {
    report | sed -E '/^ +Little.s law:/,$d; /client.s own lateness$/d; s/: unknown$/: N % of the machine/'
}

test_final() {
    run "$SYSRATE" "$EMPTY" run --threads=2 --time=0.3
    check_equal "final report, closed loop" "$PLAIN_REPORT" "$(report)"
    # Columns, for programs that cut by position.
    check_match "columns: eps" '^    events/s \(eps\):                      [0-9]+\.[0-9]{4}$' "$out"
    check_match "columns: time" '^    time elapsed:                        [0-9]\.[0-9]{4}s$' "$out"
    check_match "columns: events" '^    total number of events:              [0-9]+$' "$out"
    check_match "columns: latency" '^         min: +[0-9]+\.[0-9]{2}$' "$out"
    check_match "columns: the percentile" '^         95th percentile: +[0-9]+\.[0-9]{2}$' "$out"
    check_equal "columns: latencies end at one edge" 53 \
        "$(printf '%s\n' "$out" | grep -E '^ +(min|avg|max|95th percentile|sum): ' | awk '{ print length }' | sort -u)"
    check_match "columns: fairness" '^    events \(avg/stddev\):           [0-9]+\.[0-9]{4}/[0-9]+\.[0-9]{2}$' "$out"
    check_match "columns: execution time" \
        '^    execution time \(avg/stddev\):   [0-9]+\.[0-9]{4}/[0-9]+\.[0-9]{2}$' "$out"

    run "$SYSRATE" "$EMPTY" run --threads=2 --time=0.3 --rate=500 --drain=30
    check_equal "final report, at a rate" "$PLAIN_REPORT

$REQUESTS" "$(report_of_a_rate)"
    check_match "the verdict comes last" '^Verdict: (VALID|[-A-Z]+(, [-A-Z]+)*)$' "$out"

    run "$SYSRATE" oltp_point_select run --db-driver=null --threads=2 --time=0.3
    check_equal "final report, a database script" "$SQL_REPORT
$PLAIN_REPORT" "$(report)"
    check_match "columns: reads" '^        read:                            [0-9]+$' "$out"
    check_match "columns: transactions" \
        '^    transactions:                        [0-9]+ +\([0-9]+\.[0-9]{2} per sec\.\)$' "$out"
    check_match "columns: ignored errors" \
        '^    ignored errors:                      0      \(0\.00 per sec\.\)$' "$out"
    check_equal "the total is the sum" "$(figure total)" "$(($(figure read) + $(figure write) + $(figure other)))"
    run "$SYSRATE" oltp_point_select run --db-driver=null --threads=2 --time=0.3 --rate=500 --drain=30
    check_equal "final report, a database script at a rate" "$SQL_REPORT
$PLAIN_REPORT

$REQUESTS" "$(report_of_a_rate)"
}

test_percentiles() {
    run "$SYSRATE" "$HOOKS" run --hook=none --time=0.4 --report-interval=0.2 --percentile=0
    check_match "percentile=0: disabled" '^         percentile stats:               disabled$' "$out"
    check_match "percentile=0: intervals" 'lat \(ms,0%\): 0\.00$' "$out"
    run "$SYSRATE" "$EMPTY" run --time=0.4 --rate=300 --report-interval=0.2 --percentile=0 --json=p.json
    check_equal "percentile=0 at a rate: exit code" 0 "$status"
    check_equal "percentile=0 at a rate: JSON" "{}" "$(json p.json 'r["summary"]["response_ms"]["percentiles"]')"
    run "$SYSRATE" "$HOOKS" run --hook=none --time=0.4 --report-interval=0.2 \
        --percentile=50,95,99.9,100 --json=p.json
    check_match "several percentiles: intervals" \
        '^\[ [0-9.]+s \] thds: 1 eps: [0-9.]+ lat \(ms,50/95/99\.9/100%\): [0-9.]+/[0-9.]+/[0-9.]+/[0-9.]+$' "$out"
    check_equal "several percentiles: in the order given" "50 95 99.9 100" \
        "$(printf '%s\n' "$out" | sed -nE 's/^ +([0-9.]+)th percentile:.*/\1/p' | xargs)"
    check_equal "100 is the exact maximum" "$(figure max)" "$(figure 100th\ percentile)"
    check_equal "several percentiles: JSON" "['p50', 'p95', 'p99.9', 'p100'] True" \
        "$(json p.json 'list(r["summary"]["response_ms"]["percentiles"])') $(json p.json '(lambda d:
            d["min"] <= d["percentiles"]["p50"]["value"] <= d["percentiles"]["p95"]["value"] <=
            d["percentiles"]["p99.9"]["value"] <= d["percentiles"]["p100"]["value"] ==
            d["max"])(r["summary"]["response_ms"])')"
    # Half of the requests may also have waited for a processor.
    check_between "an event of 1 ms takes 1 ms" 1 "$(figure 50th\ percentile)" 30
}

# Times of the interval lines in $out.
labels() {
    printf '%s\n' "$out" | sed -nE 's/^\[ ([0-9.]+)s \] thds: .*/\1/p' | xargs
}

# check_grid NAME STEP: interval lines are due at multiples of STEP, and each covers all steps since the previous line.
# The last one may end with the run.
check_grid() {
    check_equal "$1: each line is for intervals that have passed" "" "$(labels | awk -v step="$2" '{
        for (i = 1; i <= NF; i++) {
            cell = int($i / step + 1e-6)
            if (cell == last && (i < NF || $i == $(i - 1))) print "line " i ": " $0
            last = cell
        } }')"
}

test_intervals() {
    run_until '[[ $(labels) = "0.25 0.5 0.75 1 1.1"* ]]' \
        "$SYSRATE" "$HOOKS" run --hook=none --time=1.1 --report-interval=0.25 --threads=3
    check_match "intervals: the last, partial one too" '^0\.25 0\.5 0\.75 1 1\.1[0-9]*$' "$(labels)"
    check_grid "intervals" 0.25
    check_equal "intervals: nothing else on the lines" 5 "$(printf '%s\n' "$out" |
        grep -cE '^\[ [0-9.]+s \] thds: 3 eps: [0-9]+\.[0-9]{2} lat \(ms,95%\): [0-9]+\.[0-9]{2}$')"
    check_no_match "intervals: no queue in a closed loop" 'queue length' "$out"
    echo 'ffi.cdef("unsigned usleep(unsigned)") function event() ffi.C.usleep(130000) end' >slow.lua
    for layout in full sysbench-1.0; do
        run_until '[ "$(labels)" = "0.4 0.8" ]' "$SYSRATE" slow.lua run --time=0.8 --report-interval=0.4 --threads=2 --report=$layout
        check_equal "intervals, $layout: the last is whole, though its last events ended later" "0.4 0.8" "$(labels)"
    done
    run_until '[ "$(labels)" = "1 2" ]' "$SYSRATE" "$EMPTY" run --time=2 --report-interval=1 --rate=200
    check_equal "intervals: whole seconds" "[ 1s ] [ 2s ]" \
        "$(printf '%s\n' "$out" | sed -nE 's/^(\[ [0-9]+s \]) thds: 1 eps: .*/\1/p' | xargs)"
    check_equal "intervals: the queue on a line of its own" 2 \
        "$(printf '%s\n' "$out" | grep -cE '^\[ [12]s \] queue length: [0-9]+ concurrency: [0-9]+$')"
    run_until '[ "$(labels)" = "0.3 0.6" ]' \
        "$SYSRATE" oltp_read_write run --db-driver=null --time=0.6 --report-interval=0.3 --rate=100 --percentile=50,99
    local n='[0-9]+\.[0-9]{2}'
    check_equal "intervals: a database script" 2 "$(printf '%s\n' "$out" | grep -cE \
        "^\[ 0\.[36]s \] thds: 1 tps: $n qps: $n \(r/w/o: $n/$n/$n\) lat \(ms,50/99%\): $n/$n err/s: 0\.00 reconn/s: 0\.00\$")"
    check_equal "intervals: the queue of a database script" 2 \
        "$(printf '%s\n' "$out" | grep -cE '^\[ 0\.[36]s \] queue length: [0-9]+, concurrency: [0-9]+$')"
}

headings() {
    printf '%s\n' "$out" | sed -nE 's/^(\[ [0-9.]+s \]) Checkpoint report:$/\1/p' | xargs
}

test_checkpoints() {
    run_until '[ "$(headings)" = "[ 0.3s ] [ 0.6s ]" ]' "$SYSRATE" "$HOOKS" run --hook=none --time=0.9 \
        --report-checkpoints=0.6,0.3 --report-interval=0.2 --threads=2 --json=c.json
    check_equal "checkpoints: headings" "[ 0.3s ] [ 0.6s ]" "$(headings)"
    check_equal "checkpoints: full reports" 3 "$(printf '%s\n' "$out" | grep -c '^Threads fairness:$')"
    # A heading has the scheduled time if the report is up to 0.1 s late; the last part ends with the last event.
    check_equal "checkpoints: each starts anew" "True True True" \
        "$(printf '%s\n' "$out" | sed -nE 's/^ +time elapsed: +([0-9.]+)s$/\1/p' |
            awk '{ print ($1 >= 0.2 && ($1 <= 0.4001 || NR == 3 && $1 < 0.9)) ? "True" : "False " $1 }' | xargs)"
    check_equal "checkpoints: the parts add up to the whole" "$(json c.json 'r["summary"]["counters"]["events"]')" \
        "$(printf '%s\n' "$out" | awk '/^ +total number of events:/ { n += $NF } END { print n }')"
    check_equal "checkpoints: intervals go on beside them" \
        "$(json c.json 'sum(i["completed"] for i in r["intervals"])')" \
        "$(json c.json 'r["summary"]["counters"]["events"]')"
    check_equal "checkpoints: in JSON" 2 "$(json c.json 'len(r["checkpoints"])')"
    run "$SYSRATE" "$EMPTY" run --rate=1000 --time=0.5 --report-checkpoints=0.2,5
    check_equal "a checkpoint behind the end" 1 "$(printf '%s\n' "$out" | grep -c 'Checkpoint report:')"
}

test_histogram() {
    run "$SYSRATE" "$HOOKS" run --hook=none --time=0.5 --histogram
    check_equal "histogram: heading" "Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count" \
        "$(printf '%s\n' "$out" | grep -A 1 '^Latency histogram')"
    local rows
    rows=$(printf '%s\n' "$out" | grep '|')
    check_no_match "histogram: the form of rows" '^x' "$(printf '%s\n' "$rows" |
        sed -E 's/^ *[0-9]+\.[0-9]{3} \|\** +[0-9]+$/good/; /^good$/!s/^/x/')"
    check_equal "histogram: counts stand in one column" 56 \
        "$(printf '%s\n' "$rows" | awk '{ print length - length($NF) + 1 }' | sort -u | xargs)"
    check_equal "histogram: every event is in it" "$(figure 'total number of events')" \
        "$(printf '%s\n' "$rows" | awk '{ n += $NF } END { print n }')"
    check_match "histogram: the longest bar" '\|\*{40} [0-9]+$' "$rows"
    # value = 0.001 * 1e8 ^ (k / 1023) for an integer k
    check_equal "histogram: on the usual grid" 0 "$(printf '%s\n' "$rows" | awk '
        { k = log($1 / 0.001) / log(1e8) * 1023; d = k - int(k + 0.5)
          if (d < -0.03 * 1000 / ($1 * 1000) || d > 0.03 * 1000 / ($1 * 1000)) bad++ } END { print bad + 0 }')"
}

test_json() {
    run_until '[ "$(json j.json "(len(r[\"intervals\"]), r[\"summary\"][\"requests\"][\"unfinished\"])")" = "(4, 0)" ]' \
        "$SYSRATE" "$HOOKS" run --hook=none --threads=4 --rate=400 --time=0.7 --warmup-time=0.3 \
        --report-interval=0.25 --report-checkpoints=0.6 --percentile=50,99 --json=j.json
    check_equal "JSON: exit code" 0 "$status"
    check_equal "JSON: the parts" "checkpoints client command config intervals outages schema started summary test tool warnings" \
        "$(json j.json '" ".join(sorted(r))')"
    check_equal "JSON: schema and tool" "2 sysrate" "$(json j.json 'r["schema"]') $(json j.json 'r["tool"]["name"]')"
    check_match "JSON: the start" '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$' "$(json j.json 'r["started"]')"
    check_equal "JSON: options of the program" "True True True" \
        "$(json j.json '"%s %s %s" % tuple(r["config"][k] == v
            for k, v in (("threads", 4), ("rate", 400), ("warmup_time", 0.3)))')"
    check_equal "JSON: options of the test" "none False" \
        "$(json j.json 'r["config"]["hook"]') $(json j.json 'r["config"]["fields"]')"
    check_equal "JSON: requests" "completed dropped failed offered unfinished" \
        "$(json j.json '" ".join(sorted(k for k in r["summary"]["requests"]
            if k in ("offered", "completed", "failed", "dropped", "unfinished")))')"
    check_equal "JSON: requests add up" True "$(json j.json '(lambda q:
        q["offered"] == q["completed"] + q["failed"] + q["dropped"] + q["unfinished"])(r["summary"]["requests"])')"
    check_equal "JSON: times" "True True True True" \
        "$(json j.json '" ".join(str({"min", "mean", "max", "percentiles"} <= set(r["summary"][k]))
            for k in ("response_ms", "wait_ms", "service_ms", "generator_lag_us"))')"
    # Only completed requests count; a request that is left waiting has no service time.
    check_equal "JSON: response = wait + service" True "$(json j.json '(lambda s, q: q["unfinished"] > 0 or
        abs(s["wait_ms"]["mean"] + s["service_ms"]["mean"] - s["response_ms"]["mean"]) < 1e-6)(
        r["summary"], r["summary"]["requests"])')"
    check_equal "JSON: percentiles" "{'p50': False, 'p99': False}" \
        "$(json j.json '{k: v["censored"] for k, v in r["summary"]["response_ms"]["percentiles"].items()}')"
    check_equal "JSON: the same figures as the text" "$(figure offered) $(figure completed)" \
        "$(json j.json 'r["summary"]["requests"]["offered"]') $(json j.json 'r["summary"]["requests"]["completed"]')"
    check_equal "JSON: intervals" 4 "$(json j.json 'len(r["intervals"])')"
    check_equal "JSON: the warm-up is marked" "[True, False, False, False]" \
        "$(json j.json '[i["warmup"] for i in r["intervals"]]')"
    check_equal "JSON: nothing left behind" "c.json j.json p.json" "$(echo *.json*)"
    check_equal "JSON: nothing to warn of" "[]" "$(json j.json 'r["warnings"]')"
    run "$SYSRATE" "$EMPTY" run --num-threads=2 --events=10 --queue-size=5 --burst='x2 1s every 5s' --verbosity=0 --json=w.json
    check_equal "JSON: warnings, in order, also those that are not printed" "" "$err"
    check_equal "JSON: warnings" "['--num-threads is deprecated, use --threads instead', \
'--queue-size has no effect without an arrival rate (--tx-rate)', '--burst has no effect without an arrival rate (--tx-rate)']" "$(json w.json 'r["warnings"]')"
    echo 'function thread_init() error("no luck") end function event() end' >unlucky.lua
    run "$SYSRATE" unlucky.lua run --num-threads=2 --json=w.json
    check_equal "JSON: warnings of a run that cannot begin" "1 1 {}" "$status $(json w.json 'len(r["warnings"]), r["summary"]' | tr -d '(,)')"
    run "$SYSRATE" unlucky.lua run --html=w.html
    check_equal "a page of a run that cannot begin" "1 no" "$status $([ -e w.html ] && echo yes || echo no)"
    rm w.json
    local last='import json, sys
print(json.loads(sys.stdin.read().split("stddev):   ")[-1].partition("\n\n")[2])["summary"]["counters"]["events"])'
    check_equal "JSON to standard output, a pipe" 10 \
        "$("$SYSRATE" "$EMPTY" run --events=10 --json=/dev/stdout | python3 -c "$last")"
    run "$SYSRATE" "$EMPTY" run --events=10 --json=/dev/stdout
    check_equal "JSON to standard output, a file: behind the text" 10 "$(printf '%s\n' "$out" | python3 -c "$last")"
    ln -s target.json link.json
    ln -s nosuch/target.json lost.json
    run "$SYSRATE" "$EMPTY" run --events=10 --json=link.json
    run "$SYSRATE" "$EMPTY" run --events=11 --json=link.json
    check "JSON through a link: the link stays" test -L link.json
    check_equal "JSON through a link: the file" 11 "$(json target.json 'r["summary"]["counters"]["events"]')"
    run "$SYSRATE" "$EMPTY" run --events=10 --json=lost.json
    check_equal "JSON through a link to nowhere: exit code" 1 "$status"
    check_match "JSON through a link to nowhere: message" "^FATAL: cannot write 'lost\.json': No such file" "$err"
    check "JSON through a link to nowhere: the link stays" test -L lost.json
}

FIELDS='bytes_read bytes_written concurrency errors events latency_avg latency_max latency_min latency_pct latency_sum
other queue_length reads reconnects threads_running time_interval time_total writes'

# field WHAT NAME: a field of the first stat that was printed.
field() {
    printf '%s\n' "$out" | sed -n "s/^$1 $2 number //p" | head -n 1
}

test_own_hooks() {
    local mode what
    for mode in --rate=0 --rate=300; do
        run "$SYSRATE" "$HOOKS" run --threads=2 --time=1.2 --report-interval=0.2 "$mode"
        check_equal "hooks $mode: exit code" 0 "$status"
        for what in interval cumulative; do
            check_equal "hooks $mode, $what: the fields of stat" "$(echo $FIELDS)" \
                "$(printf '%s\n' "$out" | sed -n "s/^$what \([a-z_]*\) number.*/\1/p" | sort -u | xargs)"
        done
        # The time is never early; how late it is depends on the machine.
        check_between "hooks $mode: time_interval" 0.2 "$(field interval time_interval)" 1.2
        check_between "hooks $mode: time_total" 1.2 "$(field cumulative time_total)" 50
        check_equal "hooks $mode: each event is a read" "$(field cumulative events)" "$(field cumulative reads)"
        check_equal "hooks $mode: threads_running" 2.000000000 "$(field interval threads_running)"
        check_between "hooks $mode: latency_min, in seconds" 0.001 "$(field cumulative latency_min)" 0.02
        check_between "hooks $mode: latency_avg" "$(field cumulative latency_min)" "$(field cumulative latency_avg)" \
            "$(field cumulative latency_max)"
        check_between "hooks $mode: latency_pct" "$(field cumulative latency_min)" "$(field cumulative latency_pct)" \
            "$(field cumulative latency_max)"
        check_between "hooks $mode: latency_sum" \
            "$(awk -v n="$(field cumulative events)" 'BEGIN { print n * 0.001 }')" "$(field cumulative latency_sum)" 60
        check_no_match "hooks $mode: they replace the text of intervals" ' thds: ' "$out"
        check_no_match "hooks $mode: they replace the report" 'Threads fairness|Throughput:' "$out"
        check_equal "hooks $mode: intervals add up" "$(field cumulative events)" \
            "$(printf '%s\n' "$out" | awk '/^interval events/ { n += $4 } END { printf "%.9f\n", n }')"
    done
}

csv_rows() {
    printf '%s\n' "$out" | grep -cE '^[0-9]+,2?0?,[0-9]+\.[0-9]{2}(,[0-9]+\.[0-9]{2}){7}$'
}

test_ready_made_hooks() {
    local mode number='[0-9]+\.[0-9]{2}'
    local rates="tps: $number qps: $number \(r/w/o: $number/$number/$number\)"
    local default_figures="$rates lat \(ms,95%\): $number err/s $number reconn/s: $number\$"
    for mode in --rate=0 --rate=300; do
        run_until '[ "$(csv_rows)" = 4 ]' "$SYSRATE" "$HOOKS" run --hook=csv --threads=2 --time=0.6 --report-interval=0.2 "$mode"
        check_equal "report_csv $mode: rows" 4 "$(csv_rows)"
        run_until '[ "$(printf "%s\n" "$out" | grep -c "^ *\"time\":")" = 4 ]' "$SYSRATE" "$HOOKS" run --hook=json --threads=2 --time=0.6 --report-interval=0.2 "$mode"
        printf '%s\n' "$out" | sed '1,/^Threads started!/d' >hook.out
        check_equal "report_json $mode: valid, an object per interval" "3 1" "$(python3 -c 'import json
text, decoder, sizes = open("hook.out").read().strip(), json.JSONDecoder(), []
while text:
    value, end = decoder.raw_decode(text)
    assert all(set(o) == {"time", "threads", "tps", "qps", "latency", "errors", "reconnects"} for o in value), value
    assert all(set(o["qps"]) == {"total", "reads", "writes", "other"} for o in value), value
    sizes.append(len(value))
    text = text[end:].strip()
print(*sizes)' 2>&1)"
        run_until '[ "$(printf "%s\n" "$out" | grep -c "^\[ 0\.[24][0-9]*s \] thds: 2")" = 2 ]' \
            "$SYSRATE" "$HOOKS" run --hook=default --threads=2 --time=0.4 --report-interval=0.2 "$mode"
        check_equal "report_default $mode: intervals" 2 \
            "$(printf '%s\n' "$out" | grep -cE "^\[ 0\.[24][0-9]*s \] thds: 2 $default_figures")"
        check_match "report_default $mode: one line in place of the report" \
            "^\[ 0\.4[0-9]*s \] thds: 0 $default_figures" "$out"
        check_no_match "report_default $mode: nothing of the report" '^(Throughput|Threads fairness):$' "$out"
    done
    run "$SYSRATE" "$HOOKS" run --hook=json --rate=300 --time=0.3 --report=full
    check_match "the rest stands behind it when it is asked for" '^Requests:$' "$out"
    run_until '[ "$(csv_rows)" = 3 ]' "$SYSRATE" "$HOOKS" run --hook=csv --threads=1 --time=0.3 --report-checkpoints=0.1,0.2
    check_equal "checkpoints go through the hook" 3 "$(csv_rows)"
    run_until '[ "$(labels)" = "1 2 2" ]' \
        "$SYSRATE" "$HOOKS" run --hook=default --threads=2 --time=2 --report-interval=1 --verbosity=1
    check_equal "report_default --verbosity=1: two lines and the last" "1 2 2" "$(labels)"
}

test_failing_hooks() {
    run "$SYSRATE" "$HOOKS" run --hook=fail --time=0.4 --report-interval=0.2 --json=f.json
    check_equal "failing hooks: exit code" 1 "$status"
    check_equal "failing hooks: exit code in JSON" 1 "$(json f.json 'r["summary"]["exit_code"]')"
    check_match "failing hooks: interval" \
        "^FATAL: \`report_intermediate' function failed: .*hooks\.lua:[0-9]+: no interval\$" "$err"
    check_match "failing hooks: summary" \
        "^FATAL: \`report_cumulative' function failed: .*hooks\.lua:[0-9]+: no summary\$" "$err"
    check_match "failing hooks: the text is there for the interval" '^\[ [0-9.]+s \] thds: ' "$out"
    check_match "failing hooks: the text is there for the report" '^Threads fairness:$' "$out"
    for value in 5 '"text"' '{}'; do
        echo "sysbench.hooks.report_cumulative = $value function event() return true end" >odd.lua
        run "$SYSRATE" odd.lua run
        check_equal "a hook that is $value: exit code" 0 "$status"
        check_match "a hook that is $value: the text" '^Threads fairness:$' "$out"
    done
    echo 'sysbench.hooks = nil function event() return true end' >odd.lua
    run "$SYSRATE" odd.lua run --report-interval=1
    check_equal "no table of hooks: exit code" 0 "$status"
}

test_header
test_final
test_percentiles
test_intervals
test_checkpoints
test_histogram
test_json
test_own_hooks
test_ready_made_hooks
test_failing_hooks
finish
