# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Files and formats that runs write in addition to the text, read by independent programs: CSV, JSON lines, the log and
# table of HdrHistogram.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

cat >query.lua <<'EOF'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
EOF

# measure OPTION...: runs without unfinished requests. On a busy machine the number of intervals may differ by one.
measure() {
    run "$SYSRATE" --db-driver=null --null-service=2ms:exp --tx-rate=800 --threads=4 --time=2 --drain=30 --report-interval=0.5 \
        --percentile=50,95,99.9 "$@" query.lua run
}

test_files() {
    measure --json=a.json --csv=a.csv --hlog=a.hlog --hgrm=a.hgrm --html=a.html
    check_equal "files: exit code" 0 "$status"
    intervals=$(jq '.intervals | length' a.json)
    check_between "files: intervals" 2 "$intervals" 100
    check_match "files: the text is there too" '^Threads fairness:$' "$out"
    check_equal "files: nothing else is left" "a.csv a.hgrm a.hlog a.html a.json query.lua" "$(ls | xargs)"
}

# CSV is read with Python; each figure must be the same as in the JSON.
test_csv() {
    check_equal "CSV: rows and figures are those of the JSON" "$intervals rows" "$(python3 - <<'EOF' 2>&1
import csv, json
intervals = json.load(open('a.json'))['intervals']
rows = list(csv.DictReader(open('a.csv', newline=''), strict=True))
assert len(rows) == len(intervals), (len(rows), len(intervals))
for row, interval in zip(rows, intervals):
    expected = {'to_s': interval['to_s'], 'completed_per_s': interval['completed_per_s'], 'queue': interval['queue'],
                'response_ms_mean': interval['response_ms']['mean'], 'warmup': 0, 'errors': interval['counters']['errors'],
                'response_ms_p99.9': interval['response_ms']['percentiles']['p99.9']['value'],
                'wait_ms_p50': interval['wait_ms']['percentiles']['p50']['value']}
    for name, value in expected.items():
        assert float(row[name]) == value, (name, row[name], value)
    assert None not in row and None not in row.values()
print(len(rows), 'rows')
EOF
)"
    run "$SYSRATE" report --csv=b.csv a.json
    check_equal "CSV from the JSON: exit code" 0 "$status"
    check "CSV from the JSON: the same" cmp a.csv b.csv
    check_equal "CSV: lines end in CR LF" $((intervals + 1)) "$(grep -c $'\r$' a.csv)"
}

test_java() {
    local jar=/usr/share/java/hdrhistogram.jar
    if ! command -v java >/dev/null || [ ! -e "$jar" ]; then
        skip "HdrHistogram for Java reads the log" "needs default-jre-headless and libhdrhistogram-java"
        return
    fi
    java -cp "$jar" org.HdrHistogram.HistogramLogProcessor -i a.hlog -tag response -o java >java.out 2>&1
    # The columns are value, percentile, count and 1/(1-percentile) of the whole run. Two values in one bucket of one
    # histogram may be in different buckets of the other: this changes a count by the few values of a bucket, and may
    # add or remove a row at the end. A row with a changed count may also have a different value, between those of its
    # neighbours.
    check_equal "Java: its table of our log is our table" "same" "$(python3 - <<'EOF' 2>&1
rows = lambda name: [list(map(float, line.split())) for line in open(name) if line.split() and line.split()[0][0].isdigit()]
ours, theirs = rows('a.hgrm'), rows('java.hgrm')
assert min(len(ours), len(theirs)) > 40 and abs(len(ours) - len(theirs)) <= 5, (len(ours), len(theirs))
assert ours[-1][1:] == theirs[-1][1:], (ours[-1], theirs[-1])
for i, (a, b) in enumerate(zip(ours[:-6], theirs[:-6])):
    assert a[1] == b[1] and a[3] == b[3] and abs(a[2] - b[2]) <= 8, (a, b)
    least, most = (a[0], a[0]) if a[2] == b[2] else (ours[max(i - 1, 0)][0], ours[i + 1][0])
    assert least - b[0] <= b[0] * 0.002 + 0.0005 and b[0] - most <= b[0] * 0.002 + 0.0005, (a, b)
print('same')
EOF
)"
    check_equal "Java: an interval per interval" "$intervals" "$(grep -cE '^ *[0-9.]+: I:' java)"
}

# Installs the Python package with pip into a separate folder if it is missing.
test_python() {
    local python=python3
    if ! python3 -c 'import hdrh' 2>/dev/null; then
        python=venv/bin/python
        timeout 100 python3 -m venv venv >venv.log 2>&1 &&
            timeout 100 venv/bin/pip install --quiet --disable-pip-version-check hdrhistogram >>venv.log 2>&1 || {
            skip "hdrhistogram for Python reads the log" "could not be installed"
            return
        }
    fi
    check_equal "Python: each interval of each kind has the percentiles of the JSON" "$((3 * intervals)) histograms" \
        "$($python "$TESTS_DIR/cli/read_hlog.py" a.hlog a.json 2>&1)"
}

test_standard_output() {
    measure --report-format=json --json=c.json --report-checkpoints=0.5,1 --inject='0.3s: exec: false' --server-config
    check_equal "JSON lines: exit code" 0 "$status"
    check_equal "JSON lines: an object per interval, then all else of the report" "same" "$(printf '%s\n' "$out" | python3 -c '
import json, sys
report = json.load(open("c.json"))
lines = [json.loads(line) for line in sys.stdin]
assert lines[:-1] == report["intervals"] and len(lines) > 2, len(lines)
del report["intervals"]
assert lines[-1] == report
assert {"config", "checkpoints", "injections", "marks", "summary", "tool", "test", "warnings"} <= set(report), list(report)
assert report["checkpoints"] and report["injections"][0]["exit_code"] == 1
print("same")' 2>&1)"
    check_match "JSON lines: a warning" '^WARNING: --server-config has no effect with the null driver' "$err"
    check_equal "JSON lines: a warning is also in the report" "$err" "$(jq -r '.warnings[] | "WARNING: " + .' c.json)"
    echo 'function thread_init() error("no luck") end function event() end' >unlucky.lua
    run "$SYSRATE" --threads=1 --report-format=json unlucky.lua run
    check_equal "JSON lines: of a run that cannot begin" "1 [\"unlucky.lua\",{}]" "$status $(jq -c '[.test, .summary]' <<<"$out")"
    measure --report-format=csv --csv=c.csv
    check_equal "CSV on standard output: the rows of the file" "$(cat c.csv)" "$out"
    run "$SYSRATE" --db-driver=null --time=0.3 --report-interval=0.1 --report-format=json query.lua run
    check_between "JSON lines in a closed loop" 2 "$(printf '%s\n' "$out" | jq -c 'has("summary")' | wc -l)" 5
    run "$SYSRATE" --db-driver=null --time=0.1 --csv=d.csv --hlog=d.hlog query.lua run
    check_match "without intervals: a warning" '^WARNING: --csv has nothing to write without --report-interval$' "$err"
    run "$SYSRATE" --db-driver=null --events=1 --html=d.html query.lua run
    check_equal "without intervals: a warning for the page" "WARNING: --html has nothing to draw over time without --report-interval" "$err"
    check_match "without intervals: the log has its header" '^#\[Histogram log format version 1\.3\]$' "$(cat d.hlog)"
}

# ended_with: prints the text from the summary on.
ended_with() {
    printf '%s\n' "$out" | sed -n '/^SQL statistics:$/,$p'
}

test_text_again() {
    local text
    run "$SYSRATE" --db-driver=null --null-service=2ms:exp --tx-rate=300 --threads=2 --time=1 --warmup-time=0.2 --percentile=50,99.9 --slo='p99<1s' \
        --json=again.json query.lua run
    text=$(ended_with)
    run "$SYSRATE" report again.json
    check_equal "the text again: exit code" 0 "$status"
    check_equal "the text again: the same" "$text" "$(ended_with)"
    check_match "the text again: what it is of" '^again: query\.lua, run at 20.* with sysrate [0-9.]+$' "$(printf '%s\n' "$out" | head -n 1)"
    # Unfinished requests are lower bounds in all figures.
    run "$SYSRATE" --db-driver=null --null-service=30ms --tx-rate=300 --threads=1 --time=0.5 --json=bounds.json query.lua run
    text=$(ended_with)
    run "$SYSRATE" report bounds.json
    check_equal "the text again: with lower bounds" "$text" "$(ended_with)"
    check_match "the text again: they are marked" 'p99 >' "$out"
    run "$SYSRATE" --db-driver=null --events=50 --report=full --json=closed.json query.lua run
    text=$(ended_with)
    run "$SYSRATE" report closed.json
    check_equal "the text again: a closed loop" "$text" "$(ended_with)"
    echo 'function thread_init() error("no luck") end function event() end' >unlucky.lua
    run "$SYSRATE" unlucky.lua run --json=unlucky.json
    refused "the text again: of a run that cannot begin" "FATAL: 'unlucky' has no figures: its run ended before it could measure" \
        "$SYSRATE" report unlucky.json
}

test_folder() {
    mkdir -p folder
    cp again.json folder/b.json
    cp closed.json folder/a.json
    touch folder/.c.json folder/notes.txt
    echo "{}" >folder/capacity.json
    run "$SYSRATE" report folder
    check_equal "a folder: its reports, by name" "a: b:" "$(printf '%s\n' "$out" | sed -nE 's/^([ab]:) query\.lua, run at .*/\1/p' | xargs)"
    run "$SYSRATE" report --html=folder.html folder again.json
    check_equal "a folder as a page" "0 3" "$status $(grep -c 'class="run"' folder.html)"
}

# refused NAME MESSAGE COMMAND...: checks for exit code 1, only this line, and no file.
refused() {
    local name=$1 message=$2
    shift 2
    run "$@"
    check_equal "$name: exit code" 1 "$status"
    check_equal "$name: the message" "$message" "$err"
    check_not "$name: no page" test -e bad.html
}

test_bad_input() {
    local cut='it is not JSON, or cut short'
    head -c 2000 a.json >cut.json
    head -c -3 a.json >almost.json
    : >empty.json
    sed 's/^{"schema":2/{"schema":7/' a.json >seven.json
    sed 's/^{"schema":2/{"schema":1/' a.json >one.json
    echo '{"benchmark":"other"}' >other.json
    refused "report: no such file" "FATAL: cannot read 'none.json': No such file or directory" \
        "$SYSRATE" report --html=bad.html none.json
    mkdir -p nothing
    refused "report: a folder without any" "FATAL: report: the folder 'nothing' has no report (*.json)" "$SYSRATE" report --html=bad.html nothing
    refused "report: cut short" "FATAL: cannot use 'cut.json': $cut" "$SYSRATE" report --html=bad.html a.json cut.json
    refused "report: its last bytes cut off" "FATAL: cannot use 'almost.json': $cut" "$SYSRATE" report --html=bad.html almost.json
    refused "report: empty" "FATAL: cannot use 'empty.json': it is empty" "$SYSRATE" report --html=bad.html empty.json
    refused "report: CSV" "FATAL: cannot use 'a.csv': $cut" "$SYSRATE" report --html=bad.html a.csv
    refused "report: another schema" "FATAL: cannot use 'seven.json': its schema is 7, this sysrate reads 2" \
        "$SYSRATE" report --html=bad.html seven.json
    refused "report: an older schema" "FATAL: cannot use 'one.json': its schema is 1, this sysrate reads 2" \
        "$SYSRATE" report --html=bad.html one.json
    refused "report: other JSON" \
        "FATAL: cannot use 'other.json': it is JSON, but no report of sysrate (there is no \"schema\" or no \"tool\")" \
        "$SYSRATE" report --html=bad.html other.json
    refused "report: no input" "FATAL: report: nothing to read: give the file that a run wrote with --json" \
        "$SYSRATE" report --html=bad.html
    refused "report: unknown option" "FATAL: report: invalid option: --xml=x (allowed: --html=FILE, --csv=FILE, --format=FORMAT, --price-per-hour=PRICE, --help)" \
        "$SYSRATE" report --xml=x a.json
    refused "report: two runs as CSV" "FATAL: report: --csv takes one run, not 2" "$SYSRATE" report --csv=bad.csv a.json a.json
    refused "report: no such folder" "FATAL: cannot write 'none/bad.html': No such file or directory" \
        "$SYSRATE" report --html=none/bad.html a.json
    for option in csv hlog hgrm html; do
        run "$SYSRATE" "--$option=none/x" query.lua run --db-driver=null --time=0.1 --report-interval=1
        check_equal "--$option in no folder: exit code" 1 "$status"
        check_match "--$option in no folder: the message" "^FATAL: cannot write 'none/x': No such file or directory$" "$err"
    done
    run "$SYSRATE" report --help
    check_match "report --help" '^  sysrate report --html=FILE A\.json \[B\.json \.\.\.\]$' "$out"
}

# Phases: a constant rate, a ramp, a hold that continues at a second point, a spike, and the rest. The first begins with
# the warm-up.
test_phases() {
    run "$SYSRATE" query.lua --db-driver=null --threads=2 --percentile=50,99 --warmup-time=0.1 --time=1.1 --json=p.json \
        --tx-rate=0s:200,0.2s:200,0.4s:1000,0.6s:1000,0.7s:1000,0.7s:3000,0.8s:3000,0.8s:100 run
    check_equal "phases: exit code" 0 "$status"
    # jq 1.7 prints 200.0 unchanged, but the result of an addition as 200.
    check_equal "phases: their times and rates" '[0.1,0.2,200,200] [0.2,0.4,200,1000] [0.4,0.7,1000,1000] [0.7,0.8,3000,3000] [0.8,1.2,100,100]' \
        "$(jq -c '.phases[] | [.from_s, .to_s, .rate_from_per_s, .rate_to_per_s] | map(. + 0)' p.json | xargs)"
    check_equal "phases: each request is in one" true "$(jq '([.phases[].requests] | add) == .summary.requests.offered' p.json)"
    check_equal "phases: their longest response is that of the run" true \
        "$(jq '([.phases[].response_ms.max] | max) == .summary.response_ms.max' p.json)"
    check_equal "phases: the text" "$(jq -r '.phases[].requests' p.json | xargs)" \
        "$(sed -n '/^Phases of the arrival rate/,/^$/p' <<<"$out" | sed -nE 's/^ +[0-9.]+ +[0-9.]+ +[0-9]+( to [0-9]+)? +([0-9]+) .*/\2/p' | xargs)"
    run "$SYSRATE" query.lua --db-driver=null --time=0.2 --tx-rate='sine(500,300,0.1s)' --json=s.json run
    check_equal "a sine has no phases" false "$(jq 'has("phases")' s.json)"
    check_no_match "a sine has no phases: the text" '^Phases' "$out"
    run "$SYSRATE" query.lua --db-driver=null --time=0.2 --tx-rate=0s:100,1s:100 --json=s.json run
    check_equal "a rate that does not change has no phases" false "$(jq 'has("phases")' s.json)"
    run "$SYSRATE" report p.json
    check_equal "phases: the report can be read" 0 "$status"
}

test_files
test_phases
test_csv
test_java
test_python
test_standard_output
test_text_again
test_folder
test_bad_input
finish
