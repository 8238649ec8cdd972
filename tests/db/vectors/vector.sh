# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Tests oltp_vector on servers that have vectors: PostgreSQL with pgvector, and MariaDB from 11.7 on. An exact scan must have recall 1
# while rows are written, and the recall of an HNSW index must rise with --ef-search. Other servers must be refused with one line.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
start_servers

vector() {
    run "$SYSRATE" oltp_vector "${connect[@]}" --dimensions=32 --clusters=20 --vectors=2000 --queries=50 "$@"
}
recall() { json_figure '.summary.quality.recall.mean + 0'; }

# check_exact METRIC: an exact scan, and inserts and deletes.
check_exact() {
    vector --index=none --metric="$1" --threads=3 --force prepare
    check_equal "$server, $1: prepare" 0 "$status"
    vector --index=none --metric="$1" --threads=3 --recall-share=1 --searches=2 --filtered-searches=1 --inserts=3 --deletes=3 \
        --events=900 --time=0 --json=a.json run
    check_equal "$server, $1: run" 0 "$status"
    check_equal "$server, $1: recall of an exact scan while rows are written" 1 "$(recall)"
}

# search EF: sets $found to the recall of 1 000 searches.
search() {
    vector --ef-search="$1" --threads=2 --recall-share=1 --events=1000 --time=0 --json=a.json run
    check_equal "$server, ef_search $1: run" 0 "$status"
    found=$(recall)
}

# The index has few neighbours, so that a search which keeps few candidates misses rows.
check_index() {
    vector --m=4 --ef-construction=10 --threads=2 --force prepare
    check_equal "$server: prepare with an index" 0 "$status"
    check_match "$server: the time of the index" '^Index hnsw took [0-9]+ s$' "$out"
    search 10
    local low=$found
    search 400
    check "$server: recall rises with ef_search: $low, $found" awk "BEGIN { exit !($low < $found && $found > 0.9) }"
}

refused() {
    vector --threads=2 prepare
    check_equal "$server without vectors: exit code" 1 "$status"
    check_match "$server without vectors: the message" "$1" "$err"
    check_equal "$server without vectors: one message" 1 "$(grep -c FATAL <<<"$err")"
}

server=pgsql
server_options pgsql
if [ -n "$(pgsql_sql "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'" sbtest)" ]; then
    refused "FATAL: .*no extension 'vector': execute CREATE EXTENSION vector as superuser"
    pgsql_sql "CREATE EXTENSION vector" sbtest
    for metric in l2 cosine inner; do
        check_exact $metric
    done
    check_index
    vector --index=ivfflat --lists=20 --threads=2 --force prepare
    check_equal "pgsql, ivfflat: prepare" 0 "$status"
    vector --index=ivfflat --lists=20 --probes=20 --recall-share=1 --events=200 --time=0 --json=a.json run
    check_equal "pgsql, ivfflat: all lists have all neighbours" 1 "$(recall)"
else
    refused 'FATAL: .*install pgvector .*CREATE EXTENSION vector as superuser'
    skip "pgsql: vectors" "pgvector is not installed"
fi

server=mysql
server_options mysql
version=$(mysql_sql "SELECT VERSION()")
if [[ $version == *MariaDB* ]] && printf '11.7\n%s\n' "$version" | sort --check=quiet --version-sort; then
    for metric in l2 cosine; do
        check_exact $metric
    done
    vector --metric=inner prepare
    check_match "mysql: no inner product" "invalid value for --metric: 'inner' \(allowed: l2, cosine with this database\)" "$err"
    check_index
else
    refused 'FATAL: .*(this server .* has no vectors: MariaDB has them since 11.7|MySQL has no function for the distance)'
    skip "mysql: vectors" "the server has none"
fi
finish
