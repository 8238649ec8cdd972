# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
#
# Compares options of the bundled workloads and reports with sysbench 1.0.20 on one server. Started by
# differential_options_mysql.sh and differential_options_pgsql.sh with $1 = the server.

. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/differential/differential_lib.sh"
start_differential "$1"
used_only=" "

# Options that affect the tables.
schema() {
    same_lines "prepare $*" oltp_read_write "${tables[@]}" "$@" prepare
    same_schema "prepare $*"
    same_statements "run after prepare $*" oltp_delete "${tables[@]}" "${few[@]}" "$@" run
    drop_tables
}

schema --auto-inc=off
schema --create-secondary=off
if [ "$server" = mysql ]; then
    schema --secondary
    schema --secondary=on --create-secondary=off --auto-inc=off
    schema --mysql-storage-engine=myisam
else
    differs pgsql-secondary "prepare --secondary" '1 type modifier is not allowed for type "xid"' \
        "0 ^Creating a secondary index on 'sbtest1'" oltp_read_write "${tables[@]}" --secondary prepare
    drop_tables
fi
same_lines "prepare with two threads" oltp_read_write "${tables[@]}" --tables=3 --threads=2 prepare
same_schema "prepare with two threads"

# Options that affect the events; the tables exist from here on.
events() {
    local script=$1
    shift
    same_statements "$script $*" "$script" "${tables[@]}" "${few[@]}" "$@" run
    compare "$script $*: output" cat
    same_counts "$script $*"
}

events oltp_read_write --skip-trx
events oltp_read_only --skip-trx=on --db-ps-mode=disable
events oltp_read_only --range-selects=off
events oltp_read_only --point-selects=0 --simple-ranges=2 --sum-ranges=3 --order-ranges=0 --distinct-ranges=2
events oltp_write_only --index-updates=3 --non-index-updates=0 --delete-inserts=2
events oltp_write_only --delete-inserts=0
events oltp_read_write --tables=1 --rand-type=gaussian
events select_random_points --random-points=3
events select_random_ranges --number-of-ranges=4 --delta=2
for type in uniform gaussian special pareto; do
    events oltp_point_select --rand-type=$type --rand-seed=7
done

for script in oltp_read_write oltp_read_only oltp_write_only oltp_point_select oltp_insert oltp_delete oltp_update_index \
    oltp_update_non_index; do
    exactly "$script" $script "${tables[@]}" "${few[@]}" run
done
exactly "intervals" oltp_read_write "${tables[@]}" --time=2 --report-interval=1 --threads=2 --percentile=99 run
exactly "a rate" oltp_point_select "${tables[@]}" --time=2 --report-interval=1 --rate=20 --rand-seed=5 run

# Headers, interval lines, checkpoints, distribution, limits.
reports() {
    same "oltp_read_only $*" oltp_read_only "${tables[@]}" "$@" run
}

reports --time=2 --report-interval=1 --threads=3 --percentile=99
reports --time=2 --report-interval=1 --percentile=0
reports --time=2 --report-interval=1 --rate=20 --rand-seed=5
reports --time=2 --rate=20 --threads=2
reports --time=2 --report-checkpoints=1 --rand-seed=3
reports --events=3 --time=0 --rand-seed=2147483647
both oltp_read_only "${tables[@]}" --events=500 --time=0 --histogram run
peer_out=$(printf '%s\n' "$peer_out" | sed -E 's/^ +[0-9.]+ \|.*/ROW/')
our_out=$(printf '%s\n' "$our_out" | sed -E 's/^ +[0-9]+\.[0-9]{3} \|[* ]{40} [0-9]+$/ROW/')
compare "--histogram" cat
check_match "--histogram has rows" '^ROW$' "$our_out"

# Some options are in the configuration file; the command line overrides them.
printf '# options\ntables=2\ntable-size=300\npoint-selects=2\nevents=7\ntime=0\nreport-interval=0\n' >options.conf
differs config-file "--config-file" "0 ^Unknown argument type: 0sysbench" "0 ^SQL statistics:" \
    oltp_read_only --config-file=../options.conf --point-selects=1 run
same "--config-file" oltp_read_only --config-file=../options.conf --point-selects=1 run
same_counts "--config-file"

finish
