#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# oltp_vector on PostgreSQL with pgvector and on MariaDB: exact scans have recall 1 while rows are written, an index finds more with
# more candidates, and the recall of 1000 searches is that of a search by brute force. A server without vectors gives one line.
. "$TESTS_DIR/cli/lib.sh" || exit 1
PGSQL_SETTINGS=(--log_statement=all)
MYSQL_SETTINGS=(--general-log=1 --general-log-file=queries.log)
. "$TESTS_DIR/db/servers.sh" || exit 1
start_servers

vector() {
    run "$SYSRATE" oltp_vector "${connect[@]}" --dimensions=24 --clusters=10 --vectors=3000 --queries=20 "$@"
}
sql() { "${server}_sql" "$1" sbtest; }
recall() { jq -c ".summary.quality.$1 | [.mean, .squares] | map(if . == floor then floor else . end)" a.json; }
mean() { jq .summary.quality.recall.mean a.json; }

# refused TEXT ARGUMENT...: the command fails, and its last line is the only one that is not about the start.
refused() {
    local text=$1
    shift
    vector "$@"
    check_equal "$server: $*: exits 1" 1 "$status"
    check_match "$server: $*: the message" "$text" "$err"
    check_equal "$server: $*: one line" 1 "$(grep -c . <<<"$err")"
}

# has_vectors: true if the server has vectors; otherwise checks the message.
has_vectors() {
    case $server in
    pgsql)
        if [ -z "$(pgsql_sql "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")" ]; then
            refused 'this PostgreSQL has no vectors: install pgvector' prepare
            return 1
        fi
        refused 'a superuser must execute: CREATE EXTENSION vector' prepare
        pgsql_sql "CREATE EXTENSION vector" sbtest
        ;;
    mysql)
        if [ "$(mysql_sql "SELECT VERSION() LIKE '%MariaDB%' AND SUBSTRING_INDEX(VERSION(), '.', 2) >= 11.7")" = 0 ]; then
            refused "(MariaDB|MySQL) .* has no (vectors|function)" prepare
            return 1
        fi
        ;;
    esac
}

# Exact scans, with and without an index in the table.
exact() {
    vector --index="$1" --metric="$2" --threads=3 --force prepare
    check_equal "$server: $2: prepare with index $1 exits 0" 0 "$status"
    vector --index=none --metric="$2" --threads=3 --recall-share=1 --searches=2 --filtered-searches=1 --inserts=3 --deletes=3 \
        --events=600 --time=0 --json=a.json run
    check_equal "$server: $2: exact run with index $1 exits 0" 0 "$status"
    check_equal "$server: $2: recall of an exact scan while rows are written, with index $1" '[1,0] [1,0]' \
        "$(recall recall) $(recall recall_filtered)"
}

# searches VALUE [ARGUMENT...]: 1000 searches by one thread, always the same; prints the mean recall. With 8 rows the recall of a search
# is a multiple of 1/8, so that sums are exact in any order.
searches() {
    vector --index="$index" "--$option=$1" --k=8 --rand-seed=1 --recall-share=1 --events=1000 --time=0 --json=a.json "${@:2}" run
    mean
}

# Compares the reported recall with that of the queries in the server's log, to the last digit.
brute_force() {
    local log=$SERVERS_DIR/$server.log
    [ "$server" = pgsql ] || log=$SERVERS_DIR/mysql/queries.log
    : >"$log"
    searches "$1" >reported
    sql "SELECT id, ${as_text[$server]} FROM vectors1" >rows.txt
    python3 "$TESTS_DIR/db/vectors/brute_force.py" queries "$log" >queries.txt
    while read -r query; do
        sql "${set[$server]}$1; SELECT id FROM vectors1 ORDER BY ${distance[$server]/QUERY/$query} LIMIT 8" | tr '\n' ' '
        echo
    done < <(LC_ALL=C sort -u queries.txt) >found.txt
    check_equal "$server: searches in the log" 1000 "$(wc -l <queries.txt)"
    check_equal "$server: recall by brute force" "$(python3 "$TESTS_DIR/db/vectors/brute_force.py" recall rows.txt queries.txt found.txt)" \
        "$(python3 -c 'print(repr(float(input())))' <reported)"
}

# rises VALUE...: with more candidates more rows are found, on one graph. A small graph may have
# rows that no search reaches: in 15 builds with M=4, MariaDB found 0.84 to 1.00 of them with 1000 candidates.
rises() {
    local value seen=
    for value; do seen="$seen $(searches "$value")"; done
    echo "# $server: recall with --index=$index --$option=$(tr ' ' , <<<"$*"):$seen"
    # shellcheck disable=SC2086  # a list
    check_equal "$server: $index: recall rises with $option" true \
        "$(jq -n --args '[$ARGS.positional[] | tonumber] | . == sort and .[0] < .[-1]' $seen)"
}

# Ends all connections of the run.
kill_connections() {
    case $server in
    pgsql) pgsql_sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'sbtest'" >/dev/null ;;
    mysql) mysql_sql "KILL HARD USER sbtest" ;;
    esac
}

count_intervals() { grep -cs '^\[ [1-9]s \] thds' run.txt; }
has_intervals() { [ "$(count_intervals)" -ge "$1" ]; }

# After lost connections, inserts and deletes that had begun may have happened or not: both are right, and recall stays 1.
killed() {
    vector --index=none --force prepare
    rm -f run.txt # of the server before
    "$SYSRATE" oltp_vector "${connect[@]}" --dimensions=24 --clusters=10 --vectors=3000 --queries=20 --index=none --recall-share=1 \
        --mix=2,1,3,3 --threads=4 --tx-rate=200 --time=4 --report-interval=1 "--$server-ignore-errors=all" --json=a.json run >run.txt 2>&1 &
    local run=$!
    wait_for 30 has_intervals 1
    kill_connections
    wait_for 30 has_intervals $(($(count_intervals) + 1))
    kill_connections
    wait "$run"
    check_equal "$server: run with killed connections exits 0" 0 $?
    check_equal "$server: connections were opened again" true "$(jq '.summary.counters.reconnects >= 4' a.json)"
    check_equal "$server: recall after killed connections" '[1,0] [1,0]' "$(recall recall) $(recall recall_filtered)"
}

declare -A as_text=([pgsql]=v [mysql]="VEC_ToText(v)") \
    set=([pgsql]='SET hnsw.ef_search = ' [mysql]='SET mhnsw_ef_search = ') \
    distance=([pgsql]="v <-> 'QUERY'" [mysql]="VEC_DISTANCE_EUCLIDEAN(v, VEC_FromText('QUERY'))")

for server in pgsql mysql; do
    server_options "$server"
    has_vectors || { skip "$server: searches" "the server has no vectors"; continue; }
    exact none l2
    exact hnsw cosine
    [ "$server" = mysql ] || exact ivfflat inner
    killed
    index=hnsw option=ef-search
    build=(--m=4)
    [ "$server" = mysql ] || build+=(--ef-construction=8)
    vector --index=hnsw "${build[@]}" --threads=3 --force prepare
    check_match "$server: the time of the index" 'Created index hnsw in [0-9.]+ s' "$out"
    rises 5 40 1000
    brute_force 20
    low=$(searches 5)
    check_equal "$server: --ef-search is set after a reconnect" "$low" "$(searches 5 --connection-lifetime=0.05s)"
    refused '--probes has no effect on .* with --index=hnsw' --index=hnsw --probes=2 run
    refused 'table vectors1 has the index hnsw: run prepare with --index=ivfflat|has no index of the kind ivfflat' --index=ivfflat run
    refused 'was prepared with another --filter-share' --filter-share=0.01 run
    if [ "$server" = pgsql ]; then
        index=ivfflat option=probes
        vector --index=ivfflat --lists=30 --force prepare
        rises 1 4 30
    else
        refused 'MariaDB has no distance of the kind --metric=inner' --metric=inner prepare
    fi
done

finish
