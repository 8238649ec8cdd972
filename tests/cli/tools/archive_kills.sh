#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ten thousand runs are added by four processes at the same time; two of them are killed repeatedly and start again.
# Each acknowledged run is in the archive under its number, no run is in it twice, and the file is intact. One of the
# long tests.
. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

runs=10000
chunk=100 # of a process
kills=100
archive=racing-$$ # by which its processes are found, and no others

# adder NAME FROM TO: adds runs until all of them are added.
adder() {
    local from
    for ((from = $2; from <= $3; from += chunk)); do
        while :; do
            seq -f 'many/%04.0f.json' "$from" $((from + chunk - 1)) | xargs -n $chunk "$SYSRATE" archive add "$archive" >>"$1.said" 2>>"$1.err" &
            wait $! && break
        done
    done
}

# kill_one NAME: kills the adder's process if one is running.
kill_one() {
    local process
    process=$(pgrep -n -f "archive add $archive many/$1") && kill -9 "$process" 2>/dev/null
}

mkdir many
python3 "$TESTS_DIR/cli/make_history.py" many $runs rate=50
for ((i = 0; i < 4; i++)); do
    adder "adder$i" $((i * runs / 4 + 1)) $(((i + 1) * runs / 4)) 2>/dev/null &
    adders[i]=$!
done
killed=0
for ((i = 0; i < 20 * kills && killed < kills; i++)); do
    sleep 0.1
    # The first adder adds the numbers up to 2500, the second those up to 5000.
    if ((i % 2 == 0)); then
        kill_one '(0|1|2[0-4])' && killed=$((killed + 1))
    else
        kill_one '(2[5-9]|3|4)' && killed=$((killed + 1))
    fi
done
wait "${adders[@]}"
check_between "so many were killed" 10 "$killed" $kills
check "what was acknowledged is there, as it was, and nothing is twice" python3 - $runs "$archive" <<'PYTHON'
import glob, re, sqlite3, sys, zlib
db = sqlite3.connect(f'{sys.argv[2]}/archive.sqlite')
assert db.execute('PRAGMA integrity_check').fetchone() == ('ok',)
kept = {run: zlib.decompress(packed).decode() for run, packed in db.execute('SELECT run, packed FROM reports')}
runs = int(sys.argv[1])
assert len(set(kept.values())) == len(kept) == runs == db.execute('SELECT count(*) FROM runs').fetchone()[0], len(kept)
acknowledged = 0
for said in glob.glob('adder*.said'):
    for path, run in re.findall(r'^(many/\d+\.json): run (\d+)', open(said).read(), re.M):
        acknowledged += 1
        assert kept[int(run)] == open(path).read(), (path, run)
assert acknowledged >= runs, acknowledged
PYTHON
check_equal "the list has them all" $runs "$("$SYSRATE" archive list --format=csv "$archive" | tail -n +2 | wc -l)"
finish
