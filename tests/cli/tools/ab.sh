# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate ab: the order of blocks, the same requests in both, results and exit status, continuing after kill -9 and
# Ctrl-C, commands before blocks, errors.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
# A temporary folder for files that a killed run leaves.
export TMPDIR=$WORK_DIR

# An event sleeps for --cost seconds times a random number, the same in both blocks of a pair. A busy machine changes
# sleeps little. With --work=waits a run lasts while the file "block" exists.
cat >block.lua <<'EOF'
sysbench.cmdline.options = {cost = {"seconds of an event", 0.004}, work = {"what a run does", "sleeps"}}

ffi.cdef("int usleep(unsigned int us)")

function init()
   local out = io.open("runs", "a")
   out:write(sysbench.opt.rand_seed, " ", sysbench.opt.cost, "\n")
   out:close()
   assert(sysbench.opt.work ~= "fails", "no such luck")
end

function event()
   ffi.C.usleep(1e6 * sysbench.opt.cost * (1 + sysbench.rand.uniform_double()))
   while sysbench.opt.work == "waits" and io.open("block") do ffi.C.usleep(10000) end
end
EOF

# ab OPTION...: runs an experiment whose blocks have 40 events of two workers.
options=(block.lua --threads=2 --time=0 --events=40)
ab() {
    RUN_TIMEOUT=300 run "$SYSRATE" ab --out=dir --seed=1 "$@" -- "${options[@]}"
}

# begin: removes the files of earlier runs.
begin() {
    rm -rf dir runs steps block
    touch runs steps
}

# field EXPRESSION: a Python expression on the result `r` and the experiment `e` in it.
field() {
    python3 -c "import json; r = json.load(open('dir/ab.json')); e = r['experiment']; print($1)"
}

test_worse() {
    begin
    ab --a=--cost=0.01 --b=--cost=0.02 --until=p50±5%
    check_equal "B is slower: exit status" 5 "$status"
    check_match "B is slower: the table" '^\| p50 ms +\| +[0-9.]+ \| +[0-9.]+ \| +\+[0-9.]+ \| +\+[0-9.]+ to .*[0-9.]+ \| +±5 \| worse +\|$' "$out"
    check_match "B is slower: the verdict" '^Verdict: B is worse: p50 \+[0-9.]+ % \(' "$out"
    check_equal "B is slower: the table is in the folder too" "$(grep '^|' <<<"$out")" "$(grep '^|' dir/table.md)"
    check "B is slower: a page" test -s dir/page.html
    check_equal "JSON: the result" "worse" "$(field "e['result']")"
    check_equal "JSON: the interval of p50 has the change, and excludes 0" True \
        "$(field "all(0 < f['low_percent'] < f['change_percent'] < f['high_percent'] for f in e['figures'] if f['name'] == 'p50')")"
    check_equal "each pair has its own seed" True "$(field "len({p['rand_seed'] for p in e['pairs']}) == len(e['pairs'])")"
    check_equal "the runs had these seeds and variants, in the order of the blocks" same "$(compare_runs)"
    check_equal "ABBA or BAAB" True \
        "$(field "all({e['pairs'][i]['order'], e['pairs'][i + 1]['order']} == {'AB', 'BA'} for i in range(0, len(e['pairs']), 2))")"
    check_equal "ab.json is not taken for the report of a run" $((2 * $(field "len(e['pairs'])"))) \
        "$("$SYSRATE" report --format=otava-csv dir | tail -n +2 | wc -l)"
    ab --a=--cost=0.01 --b=--cost=0.02 --until=p50±5%
    check_equal "finished: exit status" 5 "$status"
    check_equal "finished: nothing is run again" "$((2 * $(field "len(e['pairs'])")))" "$(wc -l <runs)"
    begin
    ab --a=--cost=0.02 --b=--cost=0.01 --until=p50±5%
    check_equal "B is faster: exit status" 6 "$status"
}

# The same experiment in formats of other programs: nothing is run again, and only the result is on standard output.
test_formats() {
    local change format differ=(--a=--cost=0.01 --b=--cost=0.02 '--until=p50±5%,throughput±5%' --label=branch=main '--label=commit=a"b')
    begin
    ab "${differ[@]}"
    change=$(field "100 + [f['change_percent'] for f in e['figures'] if f['name'] == 'p50'][0]")
    for format in nyrkio bencher github-action otava-csv junit; do
        ab "${differ[@]}" --format=$format
        check_equal "$format: exit status" 5 "$status"
        check_match "$format: the plan is on standard error" '^block.lua: A against B' "$err"
        printf '%s\n' "$out" >"out.$format"
    done
    check_equal "formats: nothing is run again" "$((2 * $(field "len(e['pairs'])")))" "$(wc -l <runs)"
    check "formats: read by independent readers, and equal to the result" read_formats "$change"
    begin
    ab --b=--cost=0.005 --until=p50±0.01% --max-pairs=2 --format=junit
    check_equal "junit: too few pairs: exit status" 7 "$status"
    check_match "junit: an undecided figure is a skipped test" '<skipped message="undecided: [-+][0-9.]+ % \(-\), asked ±0.01 %"/>' "$out"
}

read_formats() {
    python3 - "$1" <<'PYTHON'
import csv, datetime, json, sys, xml.etree.ElementTree as tree
change = float(sys.argv[1])
near = lambda value: abs(value - change) < 1e-9 * change
run, = json.load(open('out.nyrkio'))
metrics = {m['name']: m for m in run['metrics']}
assert set(metrics) == {'p50', 'throughput'} and near(metrics['p50']['value']), metrics
assert [metrics[n]['direction'] for n in ('p50', 'throughput')] == ['lower_is_better', 'higher_is_better']
assert run['attributes'] == {'git_repo': '', 'branch': 'main', 'git_commit': 'a"b'} and run['timestamp'] > 1e9
measures, = json.load(open('out.bencher')).values()
p50 = measures['p50, % of A']
assert near(p50['value']) and 100 < p50['lower_value'] < p50['value'] < p50['upper_value'], p50
figure, = json.load(open('out.github-action'))
assert near(figure['value']) and figure['name'] == 'block.lua, B against A: p50', figure
assert (figure['unit'], figure['extra']) == ('% of A', 'worse') and ' to ' in figure['range'], figure
row, = csv.DictReader(open('out.otava-csv'))
assert near(float(row['p50'])) and (row['test'], row['branch'], row['commit']) == ('block.lua', 'main', 'a"b'), row
assert 30 < float(row['throughput']) < 80, row
datetime.datetime.fromisoformat(row['time'])
suite = tree.parse('out.junit').getroot().find('testsuite')
counts = [suite.get(n) for n in ('tests', 'failures', 'errors', 'skipped')]
assert counts[0] == '2' and 1 <= int(counts[1]) <= 2 and counts[2] == '0', suite.attrib
case, = [c for c in suite.findall('testcase') if c.get('name') == 'p50']
assert case.find('failure').get('message').startswith('worse: +'), tree.tostring(case)
PYTHON
}

compare_runs() {
    python3 - 2>&1 <<'EOF'
import json
pairs = json.load(open('dir/ab.json'))['experiment']['pairs']
asked = [f"{p['rand_seed']} {'0.01' if v == 'A' else '0.02'}" for p in pairs for v in p['order']]
runs = open('runs').read().split('\n')[:-1]
assert runs == asked, (runs, asked)
print('same')
EOF
}

# The program under another name is another variant that does the same.
test_same() {
    begin
    ln -sf "$(readlink -f "$SYSRATE")" twin
    ab --b-program=./twin --until='throughput±90%,p50+-90%' --max-pairs=20
    check_equal "no difference: exit status" 0 "$status"
    check_match "no difference: the verdict" '^Verdict: no difference was found at the requested precision$' "$out"
    check_equal "only the figures that were asked are judged" "['p50', 'throughput']" \
        "$(field "sorted(f['name'] for f in e['figures'] if f['result'])")"
    begin
    ab --b-program=./twin --until=0.001% --max-pairs=3
    check_equal "too few pairs: exit status" 7 "$status"
    check_equal "too few pairs: as many as allowed" 6 "$(wc -l <runs)"
    ab --b-program=./twin --until=0.002% --max-pairs=4
    check_equal "more pairs and another precision: the experiment continues" "8 7" "$(wc -l <runs) $status"
    ab --b-program=./twin --until='p50±1%'
    check_match "other figures: refused" "^FATAL: 'dir' has an experiment with another plan: figures was \[\], is now \[\"p50\"\]" "$err"
    begin
    ab --b-program=./twin --until='p99.9±1%,wait±1%' --max-pairs=4
    check_match "a figure that the runs do not have" "^FATAL: --until: a block has no figure 'wait', or it is 0" "$err"
    check_equal "a percentile that was asked is measured" "50,95,99,99.9" \
        "$(python3 -c "import json; print(json.load(open('dir/pair-001-a.json'))['config']['percentile'])")"
}

# The reports of the first two pairs get a figure that later blocks do not have.
test_figure_that_is_missing_later() {
    local file missing="^FATAL: --until: a block has no figure 'server.pages', or it is 0"
    begin
    ab --b-program=./twin --until='server.pages±1%' --max-pairs=6
    check_equal "a figure that no block has: ends after two pairs" "1 4" "$status $(wc -l <runs)"
    check_match "a figure that no block has: named" "$missing" "$err"
    for file in dir/pair-*.json; do
        jq '.probes.work_per_request.server.pages = 1' "$file" >changed.json
        mv changed.json "$file"
    done
    ab --b-program=./twin --until='server.pages±1%' --max-pairs=6
    check_equal "a figure that later blocks do not have: ends after four pairs" "1 8" "$status $(wc -l <runs)"
    check_match "a figure that later blocks do not have: named" "$missing" "$err"
}

# A block in which no request completes is left out, and the experiment goes on.
test_nothing_completed() {
    begin
    touch block
    run "$SYSRATE" ab --out=dir --seed=1 --b=--work=waits --until=p50±50% --max-pairs=6 -- \
        block.lua --threads=2 --time=0.2 --events=0 --forced-shutdown=0
    check_equal "no request completed in B: exit status" 7 "$status"
    check_equal "no request completed in B: the blocks" 6 "$(grep -c '^pair [1-6], B: no request completed, CUT-SHORT' <<<"$err")"
    check_equal "no request completed in B: all pairs are left out" 6 "$(grep -c '^- Pair [1-6] is left out: ' <<<"$out")"
    check_match "no request completed in B: the reason" 'More than half of the pairs were left out' "$out"
    rm -f block
}

test_control() {
    begin
    ab --a=--cost=0.01 --b=--cost=0.02 --control --until=p50±25%
    check_equal "control: exit status of the experiment" 5 "$status"
    check_match "control: the noise floor" '^Noise floor after [0-9]+ pairs: p50 ±[0-9.]+ %\. ' "$out"
    check_equal "control: both variants are A" "0.01" \
        "$(head -n "$(($(field "len(r['control']['pairs'])") * 2))" runs | cut -d ' ' -f 2 | sort -u)"
}

test_before() {
    begin
    ab --a-before='exec: sh -c "echo a >>runs"' --b-before='sh: echo b1 >>runs' --b-before='exec: cp runs steps' --max-pairs=2
    check_equal "before each block: its commands" \
        "$(field "' '.join({'A': 'a', 'B': 'b1'}[v] + ' run' for p in e['pairs'] for v in p['order'])")" \
        "$(sed 's/^[0-9].*/run/' runs | xargs)"
    check "before each block: all its commands" test -s steps
    begin
    ab --a-before='exec: false' --max-pairs=2
    check_equal "a command that fails: exit status" 1 "$status"
    check_match "a command that fails: named" '^FATAL: pair 1, [AB]: false failed: exit code 1$' "$err"
    begin
    ab --a-before='sh: echo --password=verysecret >>steps' --max-pairs=2
    check_equal "passwords in commands: not in the folder or the output" "" "$(grep -rl verysecret dir; grep verysecret <<<"$out$err")"
    check_match "passwords in commands: used" verysecret "$(cat steps)"
}

# interrupt SIGNAL: ends an experiment with a signal while the first block of B waits.
interrupt() {
    local pid i=0 runs=1
    begin
    touch block
    [ "$first" = AB ] && runs=2
    "$SYSRATE" ab --out=dir --seed=1 --b=--work=waits --until=p50±50% -- "${options[@]}" >ab.out 2>ab.err &
    pid=$!
    while (($(wc -l <runs) < runs && i++ < 1000)); do sleep 0.02; done
    sleep 0.2
    kill "-$1" "$pid"
    # A run ends when its events have ended.
    sleep 0.2
    rm -f block
    wait "$pid" 2>/dev/null
    status=$?
}

# With one of two seeds the first pair is AB.
test_interrupted() {
    begin
    ab --b=--work=waits --until=p50±50% --max-pairs=1
    local first
    first=$(field "e['pairs'][0]['order']")
    interrupt KILL
    check_equal "kill -9: no report of the block of B" "" "$(find dir -name '*-b.json')"
    ab --b=--work=waits --until=p50±50% --max-pairs=2
    check_match "after kill -9: the experiment goes on" '^Verdict: ' "$out"
    if [ "$first" = AB ]; then
        check "half a pair is kept under another name" test -s dir/pair-001-a.json.half
        check_match "half a pair is named" "^WARNING: 'dir/pair-001-a.json' has half of a pair" "$err"
    fi
    interrupt INT
    check_equal "Ctrl-C: exit status" 130 "$status"
    ab --b=--work=waits --until=p50±50% --max-pairs=2
    check_match "after Ctrl-C: the experiment goes on" '^Verdict: ' "$out"
    check_equal "after Ctrl-C: all pairs are there" 2 "$(field "len(e['pairs'])")"
    begin
    ab --b=--work=fails
    check_equal "a run that fails: exit status" 1 "$status"
    check_match "a run that fails: its reason" '^FATAL: pair 1, B: run failed: .*no such luck' "$err"
}

refused() {
    run "$SYSRATE" ab "${@:2}"
    check_equal "refused: ${*:2}" "1 $1" "$status $(head -n 1 <<<"$err")"
}

test_errors() {
    local until options_allowed="options of the test, such as '--mysql-port=3307 --tables=2'"
    begin
    touch file
    refused "FATAL: ab: --out=DIR is needed, a folder for the results" --b=--cost=1 -- block.lua
    refused "FATAL: ab: A and B are the same: say what differs, such as --b=--mysql-port=3307 (--control compares A with itself)" --out=x -- block.lua
    refused "FATAL: invalid value for --b: 'cost=1' (allowed: $options_allowed)" --b=cost=1 --out=x -- block.lua
    refused "FATAL: ab: A and B are the same: say what differs, such as --b=--mysql-port=3307 (--control compares A with itself)" \
        --a= --b= --out=x -- block.lua
    refused "FATAL: invalid value for --b: '--cost=\"1' (allowed: $options_allowed)" --b='--cost="1' --out=x -- block.lua
    refused "FATAL: ab: --rand-seed cannot be used: each pair of blocks has its own" --b=--rand-seed=1 --out=x -- block.lua
    refused "FATAL: ab: --rand-seed cannot be used after '--': each pair of blocks has its own, from --seed" --b=--cost=1 --out=x -- block.lua --rand-seed=1
    refused "FATAL: --json cannot be used here: each run would overwrite the file" --b=--json=x --out=x -- block.lua
    refused "FATAL: ab: --b cannot have a password: use --config-file=FILE there, or a password after '--' for both variants" --b=--mysql-password=x --out=x -- block.lua
    refused "FATAL: invalid value for --a-before: 'sql: SELECT 1' (allowed: exec: COMMAND with closed quotes, or sh: COMMAND for a shell)" --a-before='sql: SELECT 1' --out=x -- block.lua
    refused "FATAL: invalid value for --b-program: 'file' (allowed: the path of a program that can be executed)" --b-program=file --out=x -- block.lua
    refused "FATAL: ab: --a-server and --b-server change settings of the server, which must be permitted by --allow-server-changes" --a-server=x=1 --out=x -- block.lua
    refused "FATAL: invalid value for --b-server: 'x' (allowed: NAME=VALUE, a setting of the server)" --b-server=x --out=x -- block.lua
    for until in 0% 2 p95 ±2% p95±2 p95±2%,p95±3% 2%,3% 2%, 101% p95±2%,3%; do
        refused "FATAL: invalid value for --until: '$until' (allowed: a percentage above 0, such as 2%, or figures with theirs, such as p95±2%,mean±1%)" --until="$until" --b=--cost=1 --out=x -- block.lua
    done
    refused "FATAL: invalid value for --max-pairs: '0' (allowed: a whole number (also 1k, 1M, 1G) from 1 to 10000)" --max-pairs=0 --b=--cost=1 --out=x -- block.lua
    refused "FATAL: invalid value for --doubtful: 'no' (allowed: one of use, leave-out)" --doubtful=no --b=--cost=1 --out=x -- block.lua
    refused "FATAL: invalid value for --format: 'xml' (allowed: one of text, nyrkio, bencher, github-action, otava-csv, junit)" --format=xml --b=--cost=1 --out=x -- block.lua
    refused "invalid option: --nosuch=1" --b=--nosuch=1 --out=x -- block.lua
    refused "FATAL: --out=. is not empty and has no experiment: name a new folder" --b=--cost=1 --out=. -- block.lua
    check_not "nothing was made" test -e x
}

test_worse
test_formats
test_same
test_figure_that_is_missing_later
test_nothing_completed
test_control
test_before
test_interrupted
test_errors
finish
