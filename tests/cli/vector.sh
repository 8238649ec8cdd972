#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# oltp_vector on SQLite, with its own functions and with sqlite-vec: an exact scan has recall 1, also while rows are written, and an answer that lacks rows has exactly the
# recall that follows from the rows. The exact answers themselves are tested in tests/unit/workloads/script/test_neighbours.c.
. "$TESTS_DIR/cli/lib.sh" || exit 1

vector() {
    run "$SYSRATE" oltp_vector --db-driver=sqlite --sqlite-db=v.db --dimensions=24 --clusters=10 --vectors=500 --queries=20 "$@"
}
sql() { sqlite3 -cmd '.timeout 10000' v.db "$1"; }
recall() { jq -c --arg name "${1:-recall}" '.summary.quality[$name] | [.mean, .squares] | map(if . == floor then floor else . end)' a.json; }

# exact NAME BYTES METRIC [ARGUMENT...]: recall is 1 while rows are written.
exact() {
    local name=$1 bytes=$2 metric=$3
    shift 3
    rm -f v.db*
    vector --metric="$metric" "$@" --threads=3 --force prepare
    check_equal "$name: prepare exits 0" 0 "$status"
    [ "$bytes" = 0 ] || check_equal "$name: all rows, each with 24 components" "500 500 $bytes" \
        "$(sql 'SELECT COUNT(*), MAX(id), MAX(LENGTH(v)) FROM vectors1' | tr '|' ' ')"
    check_equal "$name: the exact answers" "400 40 10" \
        "$(sql 'SELECT COUNT(*), COUNT(DISTINCT query), MAX(position) FROM neighbours1 WHERE query >= 0' | tr '|' ' ')"
    vector --metric="$metric" "$@" --threads=3 --recall-share=1 --searches=2 --filtered-searches=1 --inserts=3 --deletes=3 --events=600 \
        --time=0 --json=a.json run
    check_equal "$name: run exits 0" 0 "$status"
    check_equal "$name: recall of an exact scan while rows are written" '[1,0] [1,0]' "$(recall) $(recall recall_filtered)"
}

# Prints the path of sqlite-vec's library. The Python package has it.
find_sqlite_vec() {
    python3 -c 'import sqlite_vec; print(sqlite_vec.loadable_path() + ".so")' 2>/dev/null && return
    { timeout 100 python3 -m venv venv && timeout 100 venv/bin/pip install --quiet --disable-pip-version-check sqlite-vec; } \
        >venv.log 2>&1 || return 1
    find "$PWD/venv" -name vec0.so
}

if library=$(find_sqlite_vec); then
    for metric in l2 cosine; do
        exact "sqlite-vec: $metric" 0 $metric --sqlite-extension="$library"
    done
    vector --sqlite-extension="$library" --metric=inner --force prepare
    check_equal "sqlite-vec has no inner product: exits 1" 1 "$status"
    check_match "sqlite-vec has no inner product: the message" 'SQLite with sqlite-vec has no distance of the kind --metric=inner' "$err"
else
    skip "searches with sqlite-vec" "no Python package sqlite-vec: $(tail -n 1 venv.log)"
fi
vector --sqlite-extension=/dev/null prepare
check_equal "--sqlite-extension: no library: exits 1" 1 "$status"
check_match "--sqlite-extension: no library: the message" "--sqlite-extension: '/dev/null' cannot be loaded: " "$err"

for metric in l2 cosine inner; do
    exact $metric 96 $metric
done
check "rows were written" test "$(sql 'SELECT COUNT(*) FROM vectors1 WHERE id > 500')" -gt 0

# A second run knows the rows that the first one has left.
vector --metric=inner --recall-share=1 --events=100 --time=0 --json=a.json run
check_equal "recall with rows of an earlier run" '[1,0]' "$(recall)"

# Three of the ten nearest rows of the only query are missing.
vector --queries=1 --force prepare
sql 'DELETE FROM vectors1 WHERE id IN (SELECT id FROM neighbours1 WHERE query = 0 AND position IN (1, 4, 10))'
vector --queries=1 --recall-share=1 --threads=2 --events=1000 --time=0 --check-tables=off --json=a.json --slo='recall>0.7' run
check_equal "recall without 3 of 10 rows, in 1000 searches" '[1000,0.7,0]' \
    "$(jq -c '.summary.quality.recall | [.count, (.mean * 1e12 | round / 1e12), (.squares | floor)]' a.json)"
check_equal "recall without 3 of 10 rows is not above 0.7: exits 3" 3 "$status"

# Inserted rows that a search does not find lower the recall: here a trigger removes them.
vector --force prepare
sql 'CREATE TRIGGER lose AFTER INSERT ON vectors1 BEGIN DELETE FROM vectors1 WHERE id = NEW.id; END'
vector --recall-share=1 --inserts=100 --events=2000 --time=0 --json=a.json run
check_equal "lost rows lower the recall" true "$(jq '.summary.quality.recall.mean < 0.95' a.json)"

vector --recall-share=0 --events=10 --time=0 --json=a.json run
check_equal "--recall-share=0 measures none" 0 "$(jq .summary.quality.recall.count a.json)"
vector --k=11 --events=10 --time=0 run
check_equal "a larger k than that of prepare: exits 1" 1 "$status"
check_match "a larger k than that of prepare: the message" 'table neighbours1 has the nearest 10 rows of each query: run prepare with --k=11' "$err"
vector --vectors=600 --events=10 --time=0 run
check_match "--check-tables: too few rows" '^WARNING: table vectors1 holds the ids 1 to 500, the options claim 1 to 600' "$err"
check_match "other rows than those of prepare" 'table neighbours1 was prepared with another --vectors' "$err"
for option in --dimensions=23 --clusters=11 --data-seed=2 --metric=cosine --queries=19 --filter-share=0.2; do
    vector "$option" --events=10 --time=0 run
    check_match "$option is not that of prepare" "table neighbours1 was prepared with another ${option%=*}:" "$err"
done
vector --index=hnsw --events=10 --time=0 run
check_match "--index=hnsw on SQLite" 'SQLite without an extension has no index of the kind hnsw' "$err"
vector --ef-search=10 --events=10 --time=0 run
check_match "--ef-search without an index" '--ef-search has no effect on SQLite without an extension with --index=none' "$err"
vector cleanup
check_equal "cleanup leaves nothing" "" "$(sql .tables)"

run "$SYSRATE" oltp_vector --db-driver=null --events=100 --time=0 --json=a.json run
check_equal "the null driver has no recall" '0 0' "$status $(jq .summary.quality.recall.count a.json)"

# Files of vectors: 60 vectors of 3 components, of which the last 20 are the queries.
python3 - <<'PYTHON'
import random, struct
random.seed(1)
rows = [[random.randrange(256) for _ in range(3)] for _ in range(60)]
with open("v.bvecs", "wb") as out:
    for row in rows: out.write(struct.pack("<i3B", 3, *row))
with open("v.fvecs", "wb") as out:
    for row in rows: out.write(struct.pack("<i3f", 3, *(x / 7 for x in row)))
with open("v.npy", "wb") as out:
    text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (60, 3), }\n"
    out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text)
    for row in rows: out.write(struct.pack("<3f", *row))
with open("cut.npy", "wb") as out: out.write(open("v.npy", "rb").read()[:-1])
with open("first.txt", "w") as out: print(*rows[0], file=out)
PYTHON
file() { run "$SYSRATE" oltp_vector --db-driver=sqlite --sqlite-db=f.db --queries=20 --threads=2 "$@"; }
for name in v.bvecs v.fvecs v.npy; do
    file --vectors-file=$name --force prepare
    check_equal "$name: prepare exits 0" 0 "$status"
    check_equal "$name: the rows" "40|1|40|12" \
        "$(sqlite3 -cmd '.timeout 10000' f.db 'SELECT COUNT(*), MIN(id), MAX(id), MAX(LENGTH(v)) FROM vectors1')"
    file --vectors-file=$name --recall-share=1 --mix=2,1,3,3 --events=300 --time=0 --json=a.json run
    check_equal "$name: run exits 0" 0 "$status"
    check_equal "$name: recall of an exact scan while rows are written" '[1,0] [1,0]' "$(recall) $(recall recall_filtered)"
done
check_equal "the components of the first row" "$(awk '{ printf "%.1f %.1f %.1f", $1, $2, $3 }' first.txt)" "$(python3 -c '
import sqlite3, struct
print("%.1f %.1f %.1f" % struct.unpack("<3f", sqlite3.connect("f.db").execute("SELECT v FROM vectors1 WHERE id = 1").fetchone()[0]))')"
file --vectors-file=v.fvecs --events=1 --time=0 run
check_match "another file than that of prepare" 'table neighbours1 was prepared with another --vectors-file' "$err"
file --vectors-file=v.npy --vectors=30 --force prepare
check_equal "--vectors takes the first ones" 30 "$(sqlite3 f.db 'SELECT MAX(id) FROM vectors1')"

# refused_file MESSAGE OPTION...
refused_file() {
    local message=$1
    shift
    file "$@" prepare
    check_equal "$*: exits 1" 1 "$status"
    check_match "$*: the message" "$message" "$err"
}
refused_file "--vectors-file: 'none.npy' cannot be used: No such file or directory" --vectors-file=none.npy
refused_file "--vectors-file: 'cut.npy' cannot be used: it is not complete" --vectors-file=cut.npy
refused_file "invalid value for --vectors: '41' \(allowed: 1 to 40, as the file has 60 and 20 are queries\)" --vectors-file=v.npy --vectors=41
refused_file "invalid value for --queries: '60' \(allowed: fewer than the 60 vectors of the file" --vectors-file=v.npy --queries=60
refused_file "invalid value for --dimensions: '4' \(allowed: 3, as in the file" --vectors-file=v.npy --dimensions=4
refused_file "invalid value for --clusters: '5' \(allowed: not with --vectors-file\)" --vectors-file=v.npy --clusters=5

refused() {
    run "$SYSRATE" oltp_vector --db-driver=sqlite "$1" run
    check_equal "$1: exits 1" 1 "$status"
    check_match "$1: the message" "$2" "$err"
}
refused --metric=l3 "invalid value for --metric: 'l3' \(allowed: l2, cosine, inner\)"
refused --k=0 "invalid value for --k: '0' \(allowed: a whole number from 1 to 1000\)"
refused --recall-share=1.5 "invalid value for --recall-share: '1.5' \(allowed: a number from 0 to 1\)"
refused --index=btree "invalid value for --index: 'btree' \(allowed: auto, hnsw, ivfflat, none\)"
refused --m=-1 "invalid value for --m: '-1' \(allowed: a whole number from 0 to 100000\)"
refused --mix=1,2,3 "invalid value for --mix: '1,2,3' \(allowed: four whole numbers from 0 to 1000, such as 90,5,3,2\)"
refused --mix=1,2,3,1001 "invalid value for --mix"
refused --mix=1,2,3,x "invalid value for --mix"
refused --mix=0,0,0,0 'the weights of all operations are 0'
file --mix=1,2,3,4 --inserts=5 prepare
check_match "--mix and a weight" "invalid value for --mix: '1,2,3,4' \(allowed: either --mix or --inserts\)" "$err"
refused --searches=0 'the weights of all operations are 0'

# A server that claims to be MySQL or MariaDB without what a search needs gives one line, in prepare and in a run. The fake server knows no
# function DISTANCE, as MySQL Community, and says so with error 1305. Any other error is shown as it is, and its statement, too.
without_vectors() {
    local version=$1 message=$2 lines=${3:-1} fake command
    python3 "$TESTS_DIR/db/fakes/fake_mysql.py" "--version=$version" >mysql.port &
    fake=$!
    disown
    wait_for 20 test -s mysql.port
    for command in prepare run; do
        run "$SYSRATE" oltp_vector --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$(cat mysql.port)" --events=1 "$command"
        check_equal "$version: $command exits 1" 1 "$status"
        check_equal "$version: $command: number of lines" "$lines" "$(grep -c . <<<"$err")"
        check_match "$version: $command: the message" "$message" "$err"
    done
    kill "$fake"
    rm mysql.port
}
if "$SYSRATE" --help | grep -q '^  mysql - '; then
    without_vectors 9.4.0 'MySQL 9\.4\.0 has no function for the distance of vectors'
    without_vectors 9.4.0,1370 'MySQL 9\.4\.0 has no function for the distance of vectors'
    without_vectors 9.4.0,1064 'error 1064, state 42000' 2
    without_vectors 8.4.6 'MySQL 8\.4\.6 has no vectors: version 9 or later is needed'
    without_vectors 11.6.2-MariaDB 'MariaDB 11\.6\.2-MariaDB has no vectors: version 11\.7 or later is needed'
fi

# The functions that the driver adds to SQLite.
cat >functions.lua <<'LUA'
local con
function thread_init() con = sysbench.sql.driver():connect() end
local function value(text) return con:query_row("SELECT " .. text) end
function event()
   print("VALUES", value("vector_l2('[3,0]', vector_f32('[0,4]'))"), value("vector_inner('[1,2]', '[3,4]')"),
      value("round(vector_cosine('[1,0]', '[1,1]'), 6)"), value("length(vector_f32('[1,2,3]'))"))
   print("FAILED", pcall(value, "vector_l2('[1,2]', '[1,2,3]')"))
end
LUA
run "$SYSRATE" --db-driver=sqlite --events=1 functions.lua run
check_match "functions of the driver" $'VALUES\t5.0\t-11.0\t0.292893\t12' "$out"
check_match "vectors of different length" 'two vectors with the same number of components are needed' "$both"

finish
